use super::frame::{Frame, WIDTH};
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::scale::{Axis, Scale, is_drawable};
use crate::style::Look;
use crate::svg::Canvas;
use crate::text::short_number;

/// The percentiles that are marked.
pub(super) const PERCENTILES: [f64; 3] = [50.0, 90.0, 99.0];
/// How many steps a curve has at most.
const STEPS: usize = 400;

/// Values in ascending order, each with how often it occurs.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    name: String,
    pub(super) values: Vec<(f64, u64)>,
    pub(super) total: u64,
    dropped: u64,
}

impl Sample {
    pub(super) fn new(name: String, counts: impl IntoIterator<Item = (f64, u64)>) -> Self {
        let mut sample = Self { name, values: Vec::new(), total: 0, dropped: 0 };
        let mut counts: Vec<_> = counts.into_iter().filter(|&(_, count)| count > 0).collect();
        counts.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (value, count) in counts {
            if !is_drawable(value) {
                sample.dropped += count;
                continue;
            }
            sample.total += count;
            match sample.values.last_mut() {
                Some(last) if last.0 == value => last.1 += count,
                _ => sample.values.push((value, count)),
            }
        }
        sample
    }

    /// The least value that is not below `percent` per cent of all.
    pub(super) fn percentile(&self, percent: f64) -> Option<f64> {
        let rank = (self.total as f64 * percent / 100.0).ceil().max(1.0) as u64;
        let mut seen = 0;
        self.values.iter().find_map(|&(value, count)| {
            seen += count;
            (seen >= rank).then_some(value)
        })
    }

    /// The name with the percentiles, for the legend.
    pub(super) fn says(&self) -> String {
        let parts = PERCENTILES.map(|percent| {
            let value = self.percentile(percent).map_or("?".to_owned(), short_number);
            format!("p{percent} {value}")
        });
        if self.total == 0 {
            self.name.clone()
        } else {
            format!("{}: {}", self.name, parts.join(", "))
        }
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.dropped > 0 {
            let Self { name, dropped, .. } = self;
            notes.push(format!("Left out of {name}: {dropped} values (not finite)."));
        }
        if self.total == 0 {
            notes.push(format!("There are no data for {}.", self.name));
        }
        notes
    }

    /// The part of all values that are not above `value`, for each value; thinned out.
    fn steps(&self) -> Vec<(f64, f64)> {
        let every = self.values.len().div_ceil(STEPS).max(1);
        let mut seen = 0;
        let mut steps = Vec::new();
        for (index, &(value, count)) in self.values.iter().enumerate() {
            seen += count;
            if index % every == 0 || index + 1 == self.values.len() {
                steps.push((value, 100.0 * seen as f64 / self.total as f64));
            }
        }
        steps
    }
}

/// Empirical distributions: how many per cent of the values are at most so large. The median, the
/// 90th and the 99th percentile are marked and told in the legend.
#[derive(Clone, Debug)]
pub struct Distribution {
    title: String,
    x: (String, Axis),
    samples: Vec<Sample>,
    notes: Vec<String>,
}

impl Distribution {
    /// No distributions yet.
    pub fn new(title: impl Into<String>) -> Self {
        let (samples, notes) = (Vec::new(), Vec::new());
        Self { title: title.into(), x: (String::new(), Axis::Auto), samples, notes }
    }

    /// Names the values.
    pub fn x(mut self, label: impl Into<String>, axis: Axis) -> Self {
        self.x = (label.into(), axis);
        self
    }

    /// Adds a sample: values, in any order, each with how often it occurred.
    pub fn sample(
        mut self,
        name: impl Into<String>,
        counts: impl IntoIterator<Item = (f64, u64)>,
    ) -> Self {
        self.samples.push(Sample::new(name.into(), counts));
        self
    }

    /// Adds a sentence below the chart.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The chart as an SVG picture.
    pub fn svg(&self) -> String {
        let values: Vec<_> =
            self.samples.iter().flat_map(|sample| &sample.values).map(|value| value.0).collect();
        let x = Scale::new(self.x.1, &values, false, 8);
        let y = Scale::new(Axis::Linear, &[0.0, 100.0], true, 5);
        let mut page = Page::new(&self.title, WIDTH);
        let sides = (MARGIN, WIDTH - MARGIN);
        let label = "% of the values are at most";
        let frame = Frame::new(&mut page, sides, 300.0, (x, &self.x.0), (y, label), 0.0);
        let mut notes = self.notes.clone();
        let mut legend = Legend::default();
        for (index, sample) in self.samples.iter().enumerate() {
            let look = Look(index);
            page.canvas.open("k-sample", &sample.says());
            draw_steps(&mut page.canvas, &frame, sample, look);
            page.canvas.close();
            notes.extend(sample.notes());
            legend.add(&sample.says(), move |canvas, x, y| {
                canvas.line(&look.dashed(), (x, y), (x + SAMPLE, y));
                look.marker(canvas, (x + SAMPLE / 2.0, y), 4.0);
            });
        }
        let says: Vec<_> = self.samples.iter().map(Sample::says).collect();
        page.finish(&legend, &notes, &format!("Distribution of {}: {}.", self.x.0, says.join("; ")))
    }
}

fn draw_steps(canvas: &mut Canvas, frame: &Frame, sample: &Sample, look: Look) {
    let mut route = Vec::new();
    let mut height = frame.y.place(0.0);
    for (value, percent) in sample.steps() {
        let (x, y) = (frame.x.place(value), frame.y.place(percent));
        route.extend([(x, height), (x, y)]);
        height = y;
    }
    if let Some(&(_, y)) = route.last() {
        route.push((frame.area.right, y));
    }
    canvas.polyline(&look.dashed(), &route);
    for percent in PERCENTILES {
        if let Some(value) = sample.percentile(percent) {
            look.marker(canvas, frame.place(value, percent), 4.0);
        }
    }
}
