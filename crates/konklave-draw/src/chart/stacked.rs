use super::frame::{WIDTH, draw_row_name, draw_x_axis, row_names};
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::scale::{Axis, Scale, is_drawable};
use crate::style::kind_look;
use crate::svg::{Anchor, Font};
use crate::text::{self, Area, short_number};

/// Bars made of parts: messages per kind, for each size or each algorithm. Each bar ends with its
/// total.
#[derive(Clone, Debug)]
pub struct Stacked {
    title: String,
    label: String,
    kinds: Vec<String>,
    bars: Vec<(String, Vec<f64>)>,
    as_shares: bool,
    notes: Vec<String>,
}

impl Stacked {
    /// A chart without bars, whose bars will have these kinds of parts.
    pub fn new<K: Into<String>>(
        title: impl Into<String>,
        kinds: impl IntoIterator<Item = K>,
    ) -> Self {
        let kinds = kinds.into_iter().map(Into::into).collect();
        let (label, bars, notes) = (String::new(), Vec::new(), Vec::new());
        Self { title: title.into(), label, kinds, bars, as_shares: false, notes }
    }

    /// Names what the lengths of the bars mean.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a bar with a value for each kind, in the order of the kinds. What is missing is zero.
    pub fn bar(mut self, name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        self.bars.push((name.into(), values.into_iter().take(self.kinds.len()).collect()));
        self
    }

    /// Makes all bars equally long, so that their parts can be compared where their totals differ
    /// by orders of magnitude.
    pub fn as_shares(mut self) -> Self {
        self.as_shares = true;
        self
    }

    /// Adds a sentence below the chart.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The chart as an SVG picture.
    pub fn svg(&self) -> String {
        const ROW: f64 = 30.0;
        let (bars, mut notes) = self.drawable();
        let totals: Vec<f64> = bars.iter().map(|values| values.iter().sum()).collect();
        let mut page = Page::new(&self.title, WIDTH);
        let (names, left) = row_names(self.bars.iter().map(|(name, _)| name.as_str()));
        let top = page.y + 8.0;
        let bottom = top + ROW * bars.len().max(1) as f64;
        let ends: Vec<_> = totals.iter().map(|total| short_number(*total)).collect();
        let room = ends.iter().map(|end| text::width(end, Font::LABEL)).fold(20.0, f64::max);
        let area = Area::new(left, top, WIDTH - MARGIN - room - 8.0, bottom);
        let (scale, label) = self.scale(&totals);
        let scale = scale.between(area.left, area.right);
        draw_x_axis(&mut page, &scale, area, &label);
        for (index, values) in bars.iter().enumerate() {
            let middle = top + ROW * (index as f64 + 0.5);
            draw_row_name(&mut page, &names[index], &self.bars[index].0, left, middle);
            let unit = if self.as_shares { 100.0 / totals[index].max(1e-300) } else { 1.0 };
            let end = self.draw_bar(&mut page, &scale, values, unit, middle);
            page.canvas.text(Font::LABEL, Anchor::Start, (end + 6.0, middle + 4.0), &ends[index]);
        }
        if bars.is_empty() {
            notes.push("There are no data.".to_owned());
        }
        page.finish(&self.legend(), &notes, &self.describe(&totals))
    }

    /// The values that can be drawn; others become zero.
    fn drawable(&self) -> (Vec<Vec<f64>>, Vec<String>) {
        let mut notes = self.notes.clone();
        let mut dropped = 0;
        let mut bars = Vec::new();
        for (_, values) in &self.bars {
            let mut shown = values.clone();
            for value in shown.iter_mut().filter(|value| !is_drawable(**value) || **value < 0.0) {
                *value = 0.0;
                dropped += 1;
            }
            bars.push(shown);
        }
        if dropped > 0 {
            notes.push(format!("Left out: {dropped} values (not finite, or negative)."));
        }
        (bars, notes)
    }

    fn scale(&self, totals: &[f64]) -> (Scale, String) {
        if self.as_shares {
            let label = if self.label.is_empty() { "all" } else { &self.label };
            (Scale::new(Axis::Linear, &[0.0, 100.0], true, 5), format!("% of {label}"))
        } else {
            (Scale::new(Axis::Linear, totals, true, 7), self.label.clone())
        }
    }

    /// Draws the parts of a bar one after the other, and returns where it ends.
    fn draw_bar(
        &self,
        page: &mut Page,
        scale: &Scale,
        values: &[f64],
        unit: f64,
        middle: f64,
    ) -> f64 {
        let mut sum = 0.0;
        for (kind, &value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            let (from, to) = (scale.place(sum), scale.place(sum + value * unit));
            sum += value * unit;
            let (name, value) = (&self.kinds[kind], short_number(value));
            page.canvas.open("k-part", &format!("{name}: {value}"));
            let area = Area::new(from, middle - 10.0, to, middle + 10.0);
            kind_look(kind).block(&mut page.canvas, area);
            page.canvas.close();
        }
        scale.place(sum)
    }

    fn legend(&self) -> Legend {
        let mut legend = Legend::default();
        for (kind, name) in self.kinds.iter().enumerate() {
            legend.add(name, move |canvas, x, y| {
                kind_look(kind).block(canvas, Area::new(x, y - 6.0, x + SAMPLE, y + 6.0));
            });
        }
        legend
    }

    fn describe(&self, totals: &[f64]) -> String {
        let bars = self.bars.iter().zip(totals);
        let bars: Vec<_> =
            bars.map(|((name, _), total)| format!("{name} {}", short_number(*total))).collect();
        format!("{} by kind: {}.", self.label, bars.join(", "))
    }
}
