//! What a formula says about the main quantity of a run, beside what is measured.

use std::fmt::{self, Display};

use serde::Serialize;

use crate::words::short;

/// What a formula says about the messages per entry, or of an election.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// The formula.
    pub formula: String,
    /// The least it allows.
    pub low: f64,
    /// The most it allows.
    pub high: f64,
    #[serde(skip)]
    sense: Sense,
}

/// What the numbers of a formula mean.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sense {
    /// No run exceeds them.
    Bounds,
    /// The mean of many runs lies between them.
    Mean,
}

impl Expected {
    /// Exactly so many.
    pub fn exactly(formula: &str, value: f64) -> Self {
        Self::between(formula, value, value)
    }

    /// So many on average, over infinitely many runs.
    pub fn mean(formula: &str, mean: f64) -> Self {
        Self { sense: Sense::Mean, ..Self::exactly(formula, mean) }
    }

    /// So many on average: what is measured may be off by three percent.
    pub fn about(formula: &str, mean: f64) -> Self {
        Self { sense: Sense::Mean, ..Self::between(formula, 0.97 * mean, 1.03 * mean) }
    }

    /// From so many to so many.
    pub fn between(formula: &str, low: f64, high: f64) -> Self {
        Self { formula: formula.to_owned(), low, high, sense: Sense::Bounds }
    }

    /// Whether it is about means: then its middle is what the formula says, and its ends are what
    /// a measurement may be off.
    pub fn is_mean(&self) -> bool {
        self.sense == Sense::Mean
    }

    /// The value of the formula, if it has one and not just bounds.
    pub fn value(&self) -> Option<f64> {
        (self.is_mean() || self.low == self.high).then_some((self.low + self.high) / 2.0)
    }

    /// The same; a mean give or take so much, for it was measured over some runs only.
    pub fn widen(self, margin: f64) -> Self {
        match self.sense {
            Sense::Bounds => self,
            Sense::Mean => Self { low: self.low - margin, high: self.high + margin, ..self },
        }
    }

    /// Whether a measured value agrees, apart from rounding.
    pub fn allows(&self, measured: f64) -> bool {
        self.low - 1e-9 <= measured && measured <= self.high + 1e-9
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
