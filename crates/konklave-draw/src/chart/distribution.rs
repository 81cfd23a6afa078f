use super::frame::{Frame, WIDTH};
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::scale::{Axis, Scale, is_drawable};
use crate::style::Look;
use crate::svg::{Anchor, Canvas, Font};
use crate::text::{Area, short_number};

/// The percentiles that are marked.
const PERCENTILES: [f64; 3] = [50.0, 90.0, 99.0];
/// How many steps a curve has at most.
const STEPS: usize = 400;

/// Values in ascending order, each with how often it occurs.
#[derive(Clone, Debug)]
struct Sample {
    name: String,
    values: Vec<(f64, u64)>,
    total: u64,
    dropped: u64,
}

impl Sample {
    fn new(name: String, counts: impl IntoIterator<Item = (f64, u64)>) -> Self {
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
    fn percentile(&self, percent: f64) -> Option<f64> {
        let rank = (self.total as f64 * percent / 100.0).ceil().max(1.0) as u64;
        let mut seen = 0;
        self.values.iter().find_map(|&(value, count)| {
            seen += count;
            (seen >= rank).then_some(value)
        })
    }

    /// The name with the percentiles, for the legend.
    fn says(&self) -> String {
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

    fn notes(&self) -> Vec<String> {
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

/// One sample as bars over equal ranges of values, with the median, the 90th and the 99th percentile
/// as upright lines.
#[derive(Clone, Debug)]
pub struct Histogram {
    title: String,
    label: String,
    sample: Sample,
    notes: Vec<String>,
}

impl Histogram {
    /// A histogram of values, in any order, each with how often it occurred.
    pub fn new(
        title: impl Into<String>,
        label: impl Into<String>,
        counts: impl IntoIterator<Item = (f64, u64)>,
    ) -> Self {
        let (title, label) = (title.into(), label.into());
        let sample = Sample::new(label.clone(), counts);
        Self { title, label, sample, notes: Vec::new() }
    }

    /// Adds a sentence below the chart.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The chart as an SVG picture.
    pub fn svg(&self) -> String {
        let values: Vec<_> = self.sample.values.iter().map(|value| value.0).collect();
        let x = Scale::new(Axis::Linear, &values, false, 8);
        let ends = [x.ticks[0].value, x.ticks[x.ticks.len() - 1].value];
        let bins = self.bins(ends);
        let counts: Vec<_> = bins.iter().map(|&count| count as f64).collect();
        let y = Scale::new(Axis::Linear, &counts, true, 5);
        let mut page = Page::new(&self.title, WIDTH);
        let sides = (MARGIN, WIDTH - MARGIN);
        page.y += 14.0;
        let frame = Frame::new(&mut page, sides, 260.0, (x, &self.label), (y, "how often"), 0.0);
        self.draw_bars(&mut page.canvas, &frame, &bins, ends);
        self.draw_percentiles(&mut page.canvas, &frame);
        let mut notes = self.notes.clone();
        notes.extend(self.sample.notes());
        let total = self.sample.total;
        let desc = format!("{total} values of {}.", self.sample.says());
        page.finish(&Legend::default(), &notes, &desc)
    }

    /// How many values lie in each of some equal ranges. Whole numbers get ranges of whole length.
    fn bins(&self, [low, high]: [f64; 2]) -> Vec<u64> {
        let is_whole = self.sample.values.iter().all(|(value, _)| value.fract() == 0.0);
        let mut count = 40.0;
        if is_whole && high - low <= 1e9 {
            count = (high - low) / ((high - low) / 40.0).ceil().max(1.0);
        }
        let count = count.ceil().max(1.0);
        let mut bins = vec![0; count as usize];
        for &(value, times) in &self.sample.values {
            let bin = ((value - low) / (high - low) * count) as usize;
            let last = bins.len() - 1;
            bins[bin.min(last)] += times;
        }
        bins
    }

    fn draw_bars(&self, canvas: &mut Canvas, frame: &Frame, bins: &[u64], [low, high]: [f64; 2]) {
        let step = (high - low) / bins.len() as f64;
        for (index, &count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (from, to) = (low + index as f64 * step, low + (index + 1) as f64 * step);
            let (left, top) = frame.place(from, count as f64);
            let right = frame.x.place(to);
            let (from, to) = (short_number(from), short_number(to));
            canvas.open("k-bin", &format!("{count} from {from} to {to}"));
            let area = Area::new(left + 0.5, top, right - 0.5, frame.area.bottom);
            canvas.rect(&Look(0).fill(), area, 0.0);
            canvas.close();
        }
    }

    /// Lines with labels above the area, in two rows where they would touch.
    fn draw_percentiles(&self, canvas: &mut Canvas, frame: &Frame) {
        let mut placed: Vec<Area> = Vec::new();
        for percent in PERCENTILES {
            let Some(value) = self.sample.percentile(percent) else { continue };
            let x = frame.x.place(value);
            let label = format!("p{percent} = {}", short_number(value));
            let half = crate::text::width(&label, Font::TICK) / 2.0;
            let middle = x.clamp(MARGIN + half, WIDTH - MARGIN - half);
            let free = [4.0, 16.0, 28.0].into_iter().find_map(|above| {
                let at = (middle, frame.area.top - above);
                let area = Area::of_text(&label, Font::TICK, Anchor::Middle, at);
                let heading = Area::new(0.0, frame.area.top - 24.0, 90.0, frame.area.top - 6.0);
                let is_free = placed.iter().chain([&heading]).all(|other| !area.overlaps(*other));
                is_free.then_some((at, area))
            });
            let class = format!("{} k-d1", Look(1).line());
            canvas.line(&class, (x, frame.area.top), (x, frame.area.bottom));
            if let Some((at, area)) = free {
                canvas.text(Font::TICK, Anchor::Middle, at, &label);
                placed.push(area);
            }
        }
    }
}
