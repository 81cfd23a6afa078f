//! The value of a formula for the main quantity of a run, to compare with the measurement.

use std::fmt::{self, Display};

use serde::Serialize;

use crate::words::short;

/// A formula, and the range that it allows for the main quantity of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// The formula.
    pub formula: String,
    /// The smallest value that it allows.
    pub low: f64,
    /// The largest value that it allows.
    pub high: f64,
    #[serde(skip)]
    sense: Sense,
}

/// The meaning of the range of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sense {
    /// Every run lies in the range.
    Bounds,
    /// The mean of many runs lies in the range.
    Mean,
}

impl Expected {
    /// Exactly this value, in every run.
    pub fn exactly(formula: &str, value: f64) -> Self {
        Self::between(formula, value, value)
    }

    /// This expected value, over infinitely many runs.
    pub fn mean(formula: &str, mean: f64) -> Self {
        Self { sense: Sense::Mean, ..Self::exactly(formula, mean) }
    }

    /// This mean, from which a measurement may deviate by three percent.
    pub fn about(formula: &str, mean: f64) -> Self {
        Self::near(formula, mean, 0.03)
    }

    /// This mean, from which a measurement may deviate by this share of it.
    pub fn near(formula: &str, mean: f64, share: f64) -> Self {
        let (low, high) = ((1.0 - share) * mean, (1.0 + share) * mean);
        Self { sense: Sense::Mean, ..Self::between(formula, low, high) }
    }

    /// A range that no run leaves.
    pub fn between(formula: &str, low: f64, high: f64) -> Self {
        Self { formula: formula.to_owned(), low, high, sense: Sense::Bounds }
    }

    /// Whether the formula gives a mean: then its middle is the value of the formula, and its ends
    /// are the tolerance of a measurement.
    pub fn is_mean(&self) -> bool {
        self.sense == Sense::Mean
    }

    /// The value of the formula, if it gives more than bounds.
    pub fn value(&self) -> Option<f64> {
        (self.is_mean() || self.low == self.high).then_some((self.low + self.high) / 2.0)
    }

    /// Widens the range of a mean by this margin of error.
    pub fn widen(self, margin: f64) -> Self {
        match self.sense {
            Sense::Bounds => self,
            Sense::Mean => Self { low: self.low - margin, high: self.high + margin, ..self },
        }
    }

    /// Whether a measured value lies in the range, apart from rounding.
    pub fn allows(&self, measured: f64) -> bool {
        self.low - 1e-9 <= measured && measured <= self.high + 1e-9
    }

    /// Whether a measured value agrees with the formula. A value outside the range never does; but
    /// one between mere bounds, which no correct run leaves, confirms nothing, so that there is no
    /// verdict.
    pub fn agrees(&self, measured: f64) -> Option<bool> {
        match self.allows(measured) {
            false => Some(false),
            true => self.value().map(|_| true),
        }
    }
}

impl Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { formula, low, high, sense } = self;
        let middle = short((low + high) / 2.0);
        match (low == high || *sense == Sense::Mean, high - low <= 0.07 * high) {
            (true, _) if *formula == middle => f.write_str(formula),
            (true, _) | (_, true) => write!(f, "{formula} = {middle}"),
            (false, false) => write!(f, "{formula}: {} to {}", short(*low), short(*high)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_formula_with_a_value_can_be_confirmed() {
        let bounds = Expected::between("0 to n", 0.0, 10.0);
        assert_eq!(bounds.agrees(4.0), None);
        assert_eq!(bounds.agrees(11.0), Some(false), "but bounds can be violated");
        assert_eq!(Expected::exactly("n", 10.0).agrees(10.0), Some(true));
        assert_eq!(Expected::about("n", 10.0).agrees(10.2), Some(true));
        assert_eq!(Expected::about("n", 10.0).agrees(10.4), Some(false));
    }
}
