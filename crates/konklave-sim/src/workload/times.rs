//! How long things take: many of them, in little memory.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Some lengths of time. Quantiles are told to three digits, all else is exact.
#[derive(Clone, Debug)]
pub struct Times {
    counts: Histogram<u64>,
    total: u128,
    max: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self::new()
    }
}

impl Times {
    /// None yet.
    pub fn new() -> Self {
        let counts = Histogram::new(3).expect("three digits are a valid precision");
        Self { counts, total: 0, max: 0 }
    }

    /// Records a number of ticks. (Not `saturating_record`: that would not let the histogram grow.)
    pub fn record(&mut self, ticks: u64) {
        self.counts.record(ticks).expect("a histogram that grows takes any value");
        self.total += u128::from(ticks);
        self.max = self.max.max(ticks);
    }

    /// How many there are of each length, in multiples of `unit`.
    pub fn counts(&self, unit: f64) -> Vec<(f64, u64)> {
        let recorded = self.counts.iter_recorded();
        let length = |ticks: u64| ticks.min(self.max) as f64 / unit;
        recorded.map(|it| (length(it.value_iterated_to()), it.count_at_value())).collect()
    }

    /// How they are distributed, in multiples of `unit`; nothing if there are none.
    pub fn distribution(&self, unit: f64) -> Option<Distribution> {
        let at = |quantile| self.counts.value_at_quantile(quantile).min(self.max) as f64 / unit;
        (!self.counts.is_empty()).then(|| Distribution {
            mean: self.total as f64 / self.counts.len() as f64 / unit,
            p50: at(0.50),
            p99: at(0.99),
            max: self.max as f64 / unit,
        })
    }
}

/// How a quantity is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// The mean.
    pub mean: f64,
    /// Half of all are not larger.
    pub p50: f64,
    /// All but one in a hundred are not larger.
    pub p99: f64,
    /// The largest.
    pub max: f64,
}

/// Mean and maximum of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_time_is_told_exactly_and_quantiles_to_three_digits() {
        for ticks in [1, 2_047, 2_048, 1_000_000, u64::MAX / 2] {
            let mut times = Times::new();
            times.record(ticks);
            let Distribution { mean, p50, p99, max } = times.distribution(1.0).unwrap();
            let [(counted, 1)] = times.counts(1.0)[..] else { panic!("there is one of them") };
            assert_eq!([mean, p50, p99, max, counted], [ticks as f64; 5]);
            times.record(ticks * 2);
            let Distribution { mean, p50, p99, max } = times.distribution(1.0).unwrap();
            assert_eq!([mean, max, p99], [ticks as f64 * 1.5, ticks as f64 * 2.0, max]);
            assert!((p50 - ticks as f64).abs() / ticks as f64 <= 0.001, "{p50} for {ticks}");
        }
        assert_eq!(Times::new().distribution(1.0), None);
    }
}
