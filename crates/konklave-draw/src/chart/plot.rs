use crate::scale::{Axis, Scale, is_drawable, log_helps};
use crate::style::{DASHES, Look};

/// How far points of two curves may be apart, relative to their values, to look the same.
const SAME: f64 = 0.005;

/// Something measured, with the interval in which it lies with some confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// What was chosen.
    pub x: f64,
    /// What came of it.
    pub y: f64,
    /// The lower end of the interval; `y` if there is none.
    pub low: f64,
    /// The upper end of the interval; `y` if there is none.
    pub high: f64,
}

impl Point {
    /// A point without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y }
    }

    /// A point with the ends of its interval.
    pub fn between(x: f64, y: f64, low: f64, high: f64) -> Self {
        Self { x, y, low, high }
    }
}

/// Values of a formula from `from` to `to`, close enough for a smooth curve: equally far apart, or
/// by equal factors if the range would be shown on a logarithmic axis.
pub fn samples(from: f64, to: f64, formula: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    const COUNT: u32 = 96;
    let by_factor = log_helps([from, to]);
    (0..=COUNT)
        .map(|index| {
            let part = f64::from(index) / f64::from(COUNT);
            let x = match index {
                0 => from,
                COUNT => to,
                _ if by_factor => from * libm::pow(to / from, part),
                _ => from + part * (to - from),
            };
            (x, formula(x))
        })
        .collect()
}

/// Series of points and curves over two axes: what was measured, beside what was expected.
///
/// Points carry error bars, curves are dashed, bands are tinted. A curve or a band has the colour
/// of the measured series before it. Points are joined by lines, unless a formula's curve is their
/// line.
#[derive(Clone, Debug)]
pub struct Plot {
    pub(super) title: String,
    pub(super) x: (String, Axis),
    pub(super) y: (String, Axis),
    pub(super) series: Vec<Series>,
    pub(super) notes: Vec<String>,
    /// How many colours are in use.
    looks: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) look: Look,
    /// The number of its dash: no other curve in its colour has the same.
    pub(super) dash: usize,
    pub(super) data: Data,
    /// Whether points are joined: not where a formula's curve leads from one to the other.
    pub(super) is_joined: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Data {
    Measured(Vec<Point>),
    Formula(Vec<(f64, f64)>),
    /// Each with its x, the lower and the upper end.
    Band(Vec<(f64, f64, f64)>),
}

/// A plot's scales, and what can be drawn on them.
pub(super) struct Prepared {
    pub(super) x: Scale,
    pub(super) y: Scale,
    pub(super) series: Vec<Series>,
    pub(super) notes: Vec<String>,
}

impl Plot {
    /// A plot without data.
    pub fn new(title: impl Into<String>) -> Self {
        let none = || (String::new(), Axis::Auto);
        let (x, y) = (none(), none());
        Self { title: title.into(), x, y, series: Vec::new(), notes: Vec::new(), looks: 0 }
    }

    /// Names the horizontal axis.
    pub fn x(mut self, label: impl Into<String>, axis: Axis) -> Self {
        self.x = (label.into(), axis);
        self
    }

    /// Names the vertical axis.
    pub fn y(mut self, label: impl Into<String>, axis: Axis) -> Self {
        self.y = (label.into(), axis);
        self
    }

    /// Adds points, to be joined in this order.
    pub fn measured(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = Point>,
    ) -> Self {
        self.looks += 1;
        self.add(name.into(), Data::Measured(points.into_iter().collect()))
    }

    /// Adds a curve through these points.
    pub fn formula(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        if let Some(measured) = self.series.iter_mut().rfind(|series| series.is_measured()) {
            measured.is_joined = false;
        }
        self.add(name.into(), Data::Formula(points.into_iter().collect()))
    }

    /// Adds the band between two bounds: each item is an x, its lower and its upper bound.
    pub fn band(
        self,
        name: impl Into<String>,
        bounds: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> Self {
        self.add(name.into(), Data::Band(bounds.into_iter().collect()))
    }

    /// Adds a sentence below the plot.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    fn add(mut self, name: String, data: Data) -> Self {
        let look = Look(self.looks.saturating_sub(1));
        let dash = self.free_dash(look, &data);
        self.series.push(Series { name, look, dash, data, is_joined: true });
        self
    }

    /// The first dash that no curve of this colour has. The curve of a formula is never solid, and
    /// neither is one that would hide another.
    fn free_dash(&self, look: Look, data: &Data) -> usize {
        let curves = || self.series.iter().filter(|series| !matches!(series.data, Data::Band(_)));
        let taken: Vec<_> = curves()
            .filter(|series| series.look.colour() == look.colour())
            .map(|series| series.dash)
            .collect();
        let hidden = curves().filter(|series| series.data.hides(data)).count();
        let first = usize::from(matches!(data, Data::Formula(_))).max(hidden.min(DASHES - 1));
        let all = (first..DASHES).chain(0..first);
        all.chain(DASHES..).find(|dash| !taken.contains(dash)).expect("there are enough numbers")
    }

    /// Chooses the scales and leaves out what has no place on them. `ticks` says how many labels
    /// the axes have, about.
    pub(super) fn prepare(&self, ticks: (usize, usize)) -> Prepared {
        let xs: Vec<_> = self.series.iter().flat_map(|series| series.data.xs()).collect();
        let ys: Vec<_> = self.series.iter().flat_map(|series| series.data.ys()).collect();
        let ends = self.series.iter().flat_map(|series| series.data.ends());
        // An interval may reach below zero where no value does, so the values decide: what cannot
        // be negative has no axis that says it could.
        let floor =
            if ys.iter().all(|&y| y >= 0.0 || !is_drawable(y)) { 0.0 } else { f64::NEG_INFINITY };
        let ends = ends.map(|end| if end < floor { floor } else { end });
        let y_axis = match self.y.1 {
            Axis::Auto if log_helps(ys.iter().copied().filter(|&y| is_drawable(y))) => Axis::Log,
            Axis::Auto => Axis::Linear,
            chosen => chosen,
        };
        let x = Scale::new(self.x.1, &xs, false, ticks.0);
        let y =
            Scale::new(y_axis, &ys.iter().copied().chain(ends).collect::<Vec<_>>(), false, ticks.1);
        let mut notes = self.notes.clone();
        let series = self.series.iter().map(|series| series.shown(&x, &y, &mut notes)).collect();
        Prepared { x, y, series, notes }
    }
}

impl Series {
    pub(super) fn is_measured(&self) -> bool {
        matches!(self.data, Data::Measured(_))
    }

    /// The same without what the scales cannot show, and a note about that.
    fn shown(&self, x: &Scale, y: &Scale, notes: &mut Vec<String>) -> Self {
        let mut shown = self.clone();
        let before = self.data.len();
        match &mut shown.data {
            Data::Measured(points) => {
                points.retain(|point| x.shows(point.x) && y.shows(point.y));
                for point in points.iter_mut() {
                    // An end that cannot be shown is left out.
                    let end = |end: f64| if end.is_finite() { end } else { point.y };
                    (point.low, point.high) = (end(point.low), end(point.high));
                }
            }
            Data::Formula(points) => points.retain(|p| x.shows(p.0) && y.shows(p.1)),
            Data::Band(bounds) => {
                bounds.retain(|b| x.shows(b.0) && is_drawable(b.1) && y.shows(b.2));
            }
        }
        let dropped = before - shown.data.len();
        if dropped > 0 {
            let why = match (x.is_log, y.is_log) {
                (false, false) => "no finite value",
                _ => "no finite value, or none above zero as a logarithmic axis needs",
            };
            notes.push(format!("Left out of {}: {dropped} of {before} points ({why}).", self.name));
        }
        if before == 0 {
            notes.push(format!("There are no data for {}.", self.name));
        }
        shown
    }
}

impl Data {
    /// Whether the curves of two measured series lie on top of each other.
    fn hides(&self, other: &Self) -> bool {
        let (Self::Measured(mine), Self::Measured(others)) = (self, other) else { return false };
        let is_near = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs());
        let coincide = |(a, b): (&Point, &Point)| is_near(a.x, b.x) && is_near(a.y, b.y);
        !mine.is_empty() && mine.len() == others.len() && mine.iter().zip(others).all(coincide)
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Measured(points) => points.len(),
            Self::Formula(points) => points.len(),
            Self::Band(bounds) => bounds.len(),
        }
    }

    fn xs(&self) -> Vec<f64> {
        match self {
            Self::Measured(points) => points.iter().map(|point| point.x).collect(),
            Self::Formula(points) => points.iter().map(|point| point.0).collect(),
            Self::Band(bounds) => bounds.iter().map(|bound| bound.0).collect(),
        }
    }

    /// The values that decide about the axis.
    fn ys(&self) -> Vec<f64> {
        match self {
            Self::Measured(points) => points.iter().map(|point| point.y).collect(),
            Self::Formula(points) => points.iter().map(|point| point.1).collect(),
            Self::Band(bounds) => bounds.iter().map(|bound| bound.2).collect(),
        }
    }

    /// The values that need room, too.
    fn ends(&self) -> Vec<f64> {
        match self {
            Self::Measured(points) => points.iter().flat_map(|p| [p.low, p.high]).collect(),
            Self::Formula(_) => Vec::new(),
            Self::Band(bounds) => bounds.iter().map(|bound| bound.1).collect(),
        }
    }
}
