//! From values to places: linear and logarithmic axes with ticks at round numbers.

use crate::text::{scientific, short_number, trim};

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// Equal steps are equally far apart.
    Linear,
    /// Equal factors are equally far apart. What is not positive cannot be shown.
    Log,
    /// [`Axis::Log`] if [`log_helps`], or else [`Axis::Linear`].
    #[default]
    Auto,
}

/// Whether values are better seen on a logarithmic axis: they are all positive, and span two
/// decades or more. What is not finite does not count.
pub fn log_helps(values: impl IntoIterator<Item = f64>) -> bool {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for value in values.into_iter().filter(|value| value.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    low > 0.0 && high / low >= 100.0
}

/// Whether a value can be drawn: beyond this, differences overflow.
pub(crate) fn is_drawable(value: f64) -> bool {
    value.abs() <= 1e300
}

/// A logarithmic axis takes no less for a positive value.
const TINY: f64 = 1e-300;

/// A mark on an axis; minor ones have no label.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: Option<String>,
}

/// Maps a range of values to a range of places.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    pub(crate) is_log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    pub(crate) ticks: Vec<Tick>,
}

impl Scale {
    /// A scale for `values`, which spans round numbers around them. With `zero`, a linear scale
    /// begins there, as bars demand; without, it does so where the values are not far from it.
    /// There are about `count` labelled ticks.
    pub(crate) fn new(axis: Axis, values: &[f64], zero: bool, count: usize) -> Self {
        let drawable = || values.iter().copied().filter(|&value| is_drawable(value));
        let is_log = match axis {
            Axis::Linear => false,
            Axis::Log => drawable().any(|value| value > TINY),
            Axis::Auto => log_helps(drawable()),
        };
        let (low, high) = drawable()
            .filter(|&value| !is_log || value > TINY)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let ticks = if is_log {
            log_ticks(low, high, count)
        } else {
            let low = if zero || (low > 0.0 && low < high * 0.6) { low.min(0.0) } else { low };
            linear_ticks(low, if zero { high.max(0.0) } else { high }, count)
        };
        let (low, high) = (ticks[0].value, ticks[ticks.len() - 1].value);
        Self { is_log, low, high, from: 0.0, to: 1.0, ticks }
    }

    /// The same scale between other places.
    pub(crate) fn between(mut self, from: f64, to: f64) -> Self {
        (self.from, self.to) = (from, to);
        self
    }

    pub(crate) fn begins_at_zero(&self) -> bool {
        self.low == 0.0
    }

    /// Whether the value has a place on this scale.
    pub(crate) fn shows(&self, value: f64) -> bool {
        is_drawable(value) && (!self.is_log || value > TINY)
    }

    /// Where a value lies; at the nearer end if it lies outside.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let part = if self.is_log {
            let value = value.max(self.low);
            libm::log10(value / self.low) / libm::log10(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, from the last below `low` to the first above
/// `high`.
fn linear_ticks(mut low: f64, mut high: f64, count: usize) -> Vec<Tick> {
    if high - low <= low.abs().max(high.abs()) * 1e-9 {
        // All values are equal: some room on both sides.
        let room = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
        (low, high) = (if low == 0.0 { 0.0 } else { low - room }, high + room);
    }
    let step = round_up((high - low) / count.max(1) as f64);
    let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
    let size = (first * step).abs().max((last * step).abs());
    (0..=(last - first) as usize)
        .map(|index| {
            let value = (first + index as f64) * step;
            Tick { value, label: Some(tick_label(value, step, size)) }
        })
        .collect()
}

/// The least of 1, 2, 5 times a power of ten that is not below `step`.
fn round_up(step: f64) -> f64 {
    let decade = power(libm::log10(step).floor() as i32);
    [1.0, 2.0, 5.0, 10.0]
        .map(|digit| digit * decade)
        .into_iter()
        .find(|&round| round >= step * (1.0 - 1e-9))
        .unwrap_or(10.0 * decade)
}

/// A power of ten, exact as far as a literal would be.
fn power(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("this is how a number is written")
}

/// Powers of ten with a label, and what lies between them without, from the last of 1, 2, 5 times a
/// power of ten below `low` to the first above `high`. Few powers share the labels with 2 and 5.
fn log_ticks(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let (low, high) = if high / low < 1.0 + 1e-9 { (low / 2.0, high * 2.0) } else { (low, high) };
    let (first, last) = (libm::log10(low).floor() as i32, libm::log10(high).floor() as i32);
    let mut round: Vec<(i32, u32)> = Vec::new();
    for exponent in first - 1..=last + 1 {
        round.extend((1..10).map(|digit| (exponent, digit)));
    }
    let value = |&(exponent, digit): &(i32, u32)| f64::from(digit) * power(exponent);
    let is_end = |tick: &(i32, u32)| [1, 2, 5].contains(&tick.1);
    let (slack_low, slack_high) = (low * (1.0 + 1e-9), high * (1.0 - 1e-9));
    let start = round.iter().rposition(|t| is_end(t) && value(t) <= slack_low).unwrap_or(0);
    let end = round.iter().position(|t| is_end(t) && value(t) >= slack_high);
    let shown = &round[start..=end.unwrap_or(round.len() - 1)];

    let powers = shown.iter().filter(|tick| tick.1 == 1).count();
    let every = powers.div_ceil(count + 2) as i32;
    let labels_between = powers < 3;
    let minor = powers <= 8;
    let ends = [shown[0], shown[shown.len() - 1]];
    shown
        .iter()
        .filter(|tick| minor || tick.1 == 1 || ends.contains(tick))
        .map(|tick| {
            let is_labelled = match tick.1 {
                1 => tick.0.rem_euclid(every) == 0,
                2 | 5 => labels_between,
                _ => false,
            };
            let label = is_labelled.then(|| short_number(value(tick)));
            Tick { value: value(tick), label }
        })
        .collect()
}

/// The label of a tick among others that are `step` apart and at most `size`.
fn tick_label(value: f64, step: f64, size: f64) -> String {
    if value.abs() < step / 2.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e15).contains(&size) {
        return scientific(value, libm::log10(size / step).ceil().clamp(0.0, 12.0) as usize);
    }
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let unit = units.into_iter().find(|(unit, _)| size >= *unit && step >= unit / 10.0);
    let (unit, name) = unit.unwrap_or((1.0, ""));
    let decimals = (-libm::log10(step / unit).floor()).max(0.0) as usize;
    format!("{}{name}", trim(format!("{:.decimals$}", value / unit)))
}

#[cfg(test)]
#[path = "scale_tests.rs"]
mod tests;
