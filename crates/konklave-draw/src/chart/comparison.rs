use super::frame::{WIDTH, draw_row_name, draw_x_axis, row_names};
use super::plot::Point;
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::scale::{Axis, Scale};
use crate::style::Look;
use crate::svg::{Anchor, Canvas, Font};
use crate::text::{self, Area, short_number};

const MEASURED: Look = Look(0);
const EXPECTED: Look = Look(4);

/// Algorithms one below the other: what was measured as a bar or, on a logarithmic axis, as a
/// point, and what a formula expects as a band.
#[derive(Clone, Debug)]
pub struct Comparison {
    title: String,
    label: String,
    axis: Axis,
    rows: Vec<Row>,
    notes: Vec<String>,
}

#[derive(Clone, Debug)]
struct Row {
    name: String,
    measured: Point,
    expected: Option<(f64, f64)>,
}

impl Comparison {
    /// A comparison of nothing yet.
    pub fn new(title: impl Into<String>) -> Self {
        let (label, rows, notes) = (String::new(), Vec::new(), Vec::new());
        Self { title: title.into(), label, axis: Axis::Auto, rows, notes }
    }

    /// Names what is compared.
    pub fn label(mut self, label: impl Into<String>, axis: Axis) -> Self {
        (self.label, self.axis) = (label.into(), axis);
        self
    }

    /// Adds an algorithm: its mean, with its interval from the first to the last of `measured`, and
    /// the bounds that a formula gives, if there is one.
    pub fn row(
        mut self,
        name: impl Into<String>,
        (low, mean, high): (f64, f64, f64),
        expected: Option<(f64, f64)>,
    ) -> Self {
        let measured = Point::between(0.0, mean, low, high);
        self.rows.push(Row { name: name.into(), measured, expected });
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
        let means: Vec<_> = self.rows.iter().map(|row| row.measured.y).collect();
        let axis = match self.axis {
            Axis::Auto if crate::log_helps(means.iter().copied()) || self.is_dwarfed() => Axis::Log,
            Axis::Auto => Axis::Linear,
            chosen => chosen,
        };
        // On a logarithmic axis, a bound far below all that was measured would take all the room.
        let least = means.iter().copied().fold(f64::INFINITY, f64::min) / 100.0;
        let ends = self.rows.iter().flat_map(Row::ends);
        let ends = ends.filter(|&end| axis == Axis::Linear || end > least);
        let values: Vec<_> = means.iter().copied().chain(ends).collect();
        let scale = Scale::new(axis, &values, true, 7);
        let mut page = Page::new(&self.title, WIDTH);
        let (names, left) = row_names(self.rows.iter().map(|row| row.name.as_str()));
        let says: Vec<_> = self.rows.iter().map(Row::says).collect();
        let room = says.iter().map(|text| text::width(text, Font::LABEL)).fold(20.0, f64::max);
        let top = page.y + 8.0;
        let bottom = top + ROW * self.rows.len().max(1) as f64;
        let area = Area::new(left, top, WIDTH - MARGIN - room - 10.0, bottom);
        let scale = scale.between(area.left, area.right);
        draw_x_axis(&mut page, &scale, area, &self.label);
        let mut notes = self.notes.clone();
        for (index, row) in self.rows.iter().enumerate() {
            let middle = top + ROW * (index as f64 + 0.5);
            draw_row_name(&mut page, &names[index], &row.name, left, middle);
            page.canvas.open("k-row", &format!("{}: {}", row.name, says[index]));
            row.draw(&mut page.canvas, &scale, middle);
            page.canvas.close();
            let at = (WIDTH - MARGIN, middle + 4.0);
            page.canvas.text(Font::LABEL, Anchor::End, at, &says[index]);
            if !scale.shows(row.measured.y) {
                notes.push(format!("{} has no value that can be drawn.", row.name));
            }
        }
        if self.rows.is_empty() {
            notes.push("There are no data.".to_owned());
        }
        page.finish(&self.legend(scale.is_log), &notes, &self.describe(&says))
    }

    /// Whether a formula allows so much more than was measured that most bars would be mere stubs.
    fn is_dwarfed(&self) -> bool {
        let measured = || self.rows.iter().map(|row| row.measured.y);
        let bounds = self.rows.iter().filter_map(|row| Some(row.expected?.1));
        let bound = bounds.filter(|bound| bound.is_finite()).fold(0.0, f64::max);
        let mut means: Vec<_> = measured().filter(|mean| mean.is_finite()).collect();
        means.sort_by(f64::total_cmp);
        let median = means.get(means.len() / 2).copied().unwrap_or(0.0);
        measured().all(|mean| mean > 0.0) && bound > 8.0 * median
    }

    fn legend(&self, is_log: bool) -> Legend {
        let mut legend = Legend::default();
        let has_interval = |row: &Row| row.measured.low < row.measured.high;
        let (name, reach) = match self.rows.iter().any(has_interval) {
            true => ("measured, with its confidence interval", 7.0),
            false => ("measured", 0.0),
        };
        legend.add(name, move |canvas, x, y| {
            let mean = x + 17.0;
            draw_measured(canvas, (x, mean - reach, mean, mean + reach), y, is_log);
        });
        if self.rows.iter().any(|row| row.expected.is_some()) {
            legend.add("expected by the formula", |canvas, x, y| {
                draw_expected(canvas, (x, x + SAMPLE), y, 7.0);
            });
        }
        legend
    }

    fn describe(&self, says: &[String]) -> String {
        let rows: Vec<_> =
            self.rows.iter().zip(says).map(|(row, says)| format!("{} {says}", row.name)).collect();
        format!("{}: {}.", self.label, rows.join(", "))
    }
}

impl Row {
    fn ends(&self) -> Vec<f64> {
        let mut ends = vec![self.measured.low, self.measured.high];
        ends.extend(self.expected.into_iter().flat_map(|(low, high)| [low, high]));
        ends
    }

    /// The numbers of this row.
    fn says(&self) -> String {
        let mean = if self.measured.y.is_finite() {
            short_number(self.measured.y)
        } else {
            "no value".to_owned()
        };
        match self.expected.map(|(low, high)| (short_number(low), short_number(high))) {
            None => mean,
            Some((low, high)) if low == high => format!("{mean} (formula {low})"),
            Some((low, high)) => format!("{mean} (formula {low} to {high})"),
        }
    }

    fn draw(&self, canvas: &mut Canvas, scale: &Scale, middle: f64) {
        if scale.shows(self.measured.y) {
            let Point { y, low, high, .. } = self.measured;
            let zero = scale.place(if scale.is_log { y } else { 0.0 });
            let [low, mean, high] = [low, y, high].map(|value| scale.place(value));
            draw_measured(canvas, (zero, low, mean, high), middle, scale.is_log);
        }
        if let Some((low, high)) = self.expected
            && scale.shows(high)
            && low.is_finite()
        {
            draw_expected(canvas, (scale.place(low), scale.place(high)), middle, 11.0);
        }
    }
}

/// A bar from `zero` to the mean or, on a logarithmic axis, where bars have no length, a point.
fn draw_measured(
    canvas: &mut Canvas,
    (zero, low, mean, high): (f64, f64, f64, f64),
    middle: f64,
    is_log: bool,
) {
    if is_log {
        MEASURED.marker(canvas, (mean, middle), 5.0);
    } else {
        let area = Area::new(zero.min(mean), middle - 6.0, mean.max(zero), middle + 6.0);
        canvas.rect(&MEASURED.fill(), area, 0.0);
    }
    if low < high {
        let class = "k-ink-line k-thin";
        canvas.line(class, (low, middle), (high, middle));
        canvas.line(class, (low, middle - 4.0), (low, middle + 4.0));
        canvas.line(class, (high, middle - 4.0), (high, middle + 4.0));
    }
}

/// A bracket around the expected values that stands out above and below the bar.
fn draw_expected(canvas: &mut Canvas, (low, high): (f64, f64), middle: f64, reach: f64) {
    let (top, bottom) = (middle - reach, middle + reach);
    if high - low > 1.0 {
        canvas.rect(&EXPECTED.tint(), Area::new(low, top, high, bottom), 0.0);
    }
    let class = format!("{} k-bold", EXPECTED.line());
    canvas.line(&class, (low, top), (low, bottom));
    if high - low > 1.0 {
        canvas.line(&class, (high, top), (high, bottom));
        canvas.line(&format!("{} k-d1", EXPECTED.line()), (low, top), (high, top));
        canvas.line(&format!("{} k-d1", EXPECTED.line()), (low, bottom), (high, bottom));
    }
}
