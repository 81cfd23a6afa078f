use super::distribution::{PERCENTILES, Sample};
use super::frame::{Frame, WIDTH};
use crate::legend::Legend;
use crate::page::{MARGIN, Page};
use crate::scale::{Axis, Scale};
use crate::style::Look;
use crate::svg::{Anchor, Canvas, Font};
use crate::text::{self, Area, short_number};

/// How many ranges there are, about.
const RANGES: f64 = 40.0;

/// One sample as bars over equal ranges of values. Upright lines mark the median, the 90th and the
/// 99th percentile.
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
        let bins = Bins::new(&self.sample.values);
        let x = Scale::new(Axis::Linear, &bins.ends(), false, 8);
        let counts: Vec<_> = bins.counts.iter().map(|&count| count as f64).collect();
        let y = Scale::new(Axis::Linear, &counts, true, 5);
        let mut page = Page::new(&self.title, WIDTH);
        let sides = (MARGIN, WIDTH - MARGIN);
        page.y += 14.0;
        let frame = Frame::new(&mut page, sides, 260.0, (x, &self.label), (y, "how often"), 0.0);
        bins.draw(&mut page.canvas, &frame);
        self.draw_percentiles(&mut page.canvas, &frame, &bins);
        let mut notes = self.notes.clone();
        notes.extend(self.sample.notes());
        let total = self.sample.total;
        let desc = format!("{total} values of {}.", self.sample.says());
        page.finish(&Legend::default(), &notes, &desc)
    }

    /// Lines with labels above the area, in two rows where they would touch.
    fn draw_percentiles(&self, canvas: &mut Canvas, frame: &Frame, bins: &Bins) {
        let mut placed: Vec<Area> = Vec::new();
        for percent in PERCENTILES {
            let Some(value) = self.sample.percentile(percent) else { continue };
            let x = frame.x.place(bins.middle(value));
            let label = format!("p{percent} = {}", short_number(value));
            let half = text::width(&label, Font::TICK) / 2.0;
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

/// Equal ranges, and how many values lie in each: from `low` on, each `step` long, without its end.
struct Bins {
    low: f64,
    step: f64,
    counts: Vec<u64>,
    is_whole: bool,
}

impl Bins {
    /// Ranges for values in ascending order. Whole numbers get ranges of whole length.
    fn new(values: &[(f64, u64)]) -> Self {
        let low = values.first().map_or(0.0, |value| value.0);
        let high = values.last().map_or(1.0, |value| value.0);
        let is_whole = values.iter().all(|(value, _)| value.fract() == 0.0) && high - low < 1e9;
        let step = if is_whole {
            ((high - low + 1.0) / RANGES).ceil()
        } else if high > low {
            (high - low) / RANGES
        } else {
            low.abs().max(1.0) / RANGES
        };
        let place = |value: f64| ((value - low) / step) as usize;
        let last = if is_whole { place(high) } else { place(high).min(RANGES as usize - 1) };
        let mut counts = vec![0; last + 1];
        for &(value, times) in values {
            counts[place(value).min(last)] += times;
        }
        Self { low, step, counts, is_whole }
    }

    fn ends(&self) -> [f64; 2] {
        [self.low, self.low + self.step * self.counts.len() as f64]
    }

    /// Where a value is marked: a whole number lies in the middle of its place.
    fn middle(&self, value: f64) -> f64 {
        if self.is_whole { value + 0.5 } else { value }
    }

    fn draw(&self, canvas: &mut Canvas, frame: &Frame) {
        for (index, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let from = self.low + index as f64 * self.step;
            let (left, top) = frame.place(from, count as f64);
            let right = frame.x.place(from + self.step);
            canvas.open("k-bin", &self.tip(from, count));
            let area = Area::new(left, top, (right - 0.8).max(left), frame.area.bottom);
            canvas.rect(&Look(0).fill(), area, 0.0);
            canvas.close();
        }
    }

    fn tip(&self, from: f64, count: u64) -> String {
        let last = if self.is_whole { from + self.step - 1.0 } else { from + self.step };
        match (short_number(from), short_number(last)) {
            (from, last) if from == last => format!("{count} times {from}"),
            (from, last) => format!("{count} from {from} to {last}"),
        }
    }
}
