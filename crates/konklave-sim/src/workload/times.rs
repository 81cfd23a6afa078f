//! How long things take: many of them, in little memory.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Some lengths of time.
#[derive(Clone, Debug)]
pub(super) struct Times(Histogram<u64>);

impl Times {
    pub(super) fn new() -> Self {
        Self(Histogram::new(3).expect("three digits are a valid precision"))
    }

    /// So many ticks. (Not `saturating_record`: that would not let the histogram grow.)
    pub(super) fn record(&mut self, ticks: u64) {
        self.0.record(ticks).expect("a histogram that grows takes any value");
    }

    /// How many there are of each length, in multiples of `unit`.
    pub(super) fn counts(&self, unit: f64) -> Vec<(f64, u64)> {
        let recorded = self.0.iter_recorded();
        recorded.map(|it| (it.value_iterated_to() as f64 / unit, it.count_at_value())).collect()
    }

    /// How they are distributed, in multiples of `unit`; nothing if there are none.
    pub(super) fn distribution(&self, unit: f64) -> Option<Distribution> {
        let at = |quantile| self.0.value_at_quantile(quantile) as f64 / unit;
        (!self.0.is_empty()).then(|| Distribution {
            mean: self.0.mean() / unit,
            p50: at(0.50),
            p99: at(0.99),
            max: self.0.max() as f64 / unit,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_any_length_are_told_to_three_digits() {
        for ticks in [1, 2_047, 2_048, 1_000_000, u64::MAX / 2] {
            let mut times = Times::new();
            times.record(ticks);
            let Distribution { mean, p50, p99, max } = times.distribution(1.0).unwrap();
            let [(counted, 1)] = times.counts(1.0)[..] else { panic!("there is one of them") };
            for value in [mean, p50, p99, max, counted] {
                let error = (value - ticks as f64).abs() / ticks as f64;
                assert!(error < 0.001, "{value} for {ticks}");
            }
        }
        assert_eq!(Times::new().distribution(1.0), None);
    }
}
