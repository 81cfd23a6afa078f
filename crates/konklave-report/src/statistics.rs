//! Means of samples, and how far they can be trusted.

use serde::Serialize;

/// A sample in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many values there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, of one degree of freedom less than values; 0 for a single one.
    pub deviation: f64,
    /// The mean lies within this distance with 95 % confidence; none for a single value.
    pub margin: Option<f64>,
    /// The least.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Summary {
    /// The lower end of the 95 % confidence interval; the mean if there is none.
    pub fn low(&self) -> f64 {
        self.mean - self.margin.unwrap_or(0.0)
    }

    /// The upper end of the 95 % confidence interval; the mean if there is none.
    pub fn high(&self) -> f64 {
        self.mean + self.margin.unwrap_or(0.0)
    }

    /// How far the mean may be from the true one before they are said to differ: four standard
    /// errors, or the confidence interval, which is wider for up to three values.
    pub fn tolerance(&self) -> f64 {
        let standard_error = self.deviation / (self.count as f64).sqrt();
        self.margin.unwrap_or(0.0).max(4.0 * standard_error)
    }
}

/// Mean, standard deviation and 95 % confidence interval (Student's t); none of nothing.
pub fn summary(values: &[f64]) -> Option<Summary> {
    let count = values.len();
    let mean = values.iter().sum::<f64>() / count as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
    let margin = (count > 1).then(|| student(count - 1) * deviation / (count as f64).sqrt());
    let min = values.iter().copied().reduce(f64::min)?;
    let max = values.iter().copied().reduce(f64::max)?;
    Some(Summary { count, mean, deviation, margin, min, max })
}

/// The 97.5 % quantile of Student's t distribution: 95 % lie between it and its negative.
///
/// # Panics
///
/// If there is no degree of freedom.
pub fn student(freedom: usize) -> f64 {
    assert!(freedom > 0, "a single value has no spread");
    if freedom > 200 {
        return expansion(freedom as f64);
    }
    // What lies between -t and t grows with t; the quantile of one degree of freedom is 12.7.
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if between(middle, freedom) < 0.95 { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// How much of the distribution lies between `-t` and `t`: a finite sum for whole degrees of
/// freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn between(t: f64, freedom: usize) -> f64 {
    let angle = libm::atan(t / (freedom as f64).sqrt());
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let is_odd = freedom % 2 == 1;
    let mut term = if is_odd { cos } else { 1.0 };
    let mut sum = if freedom == 1 { 0.0 } else { term };
    // Exponents of the cosine go up by two, to the degrees of freedom less two.
    let mut exponent = if is_odd { 1 } else { 0 };
    while exponent + 2 <= freedom.saturating_sub(2) {
        exponent += 2;
        term *= cos * cos * (exponent - 1) as f64 / exponent as f64;
        sum += term;
    }
    match is_odd {
        true => (angle + sin * sum) * std::f64::consts::FRAC_2_PI,
        false => sin * sum,
    }
}

/// The normal quantile and its corrections in powers of one over the degrees of freedom
/// (Abramowitz and Stegun, 26.7.5).
fn expansion(freedom: f64) -> f64 {
    let z: f64 = 1.959_963_984_540_054;
    let z3 = z * z * z;
    let (z5, z7) = (z3 * z * z, z3 * z3 * z);
    z + (z3 + z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom * freedom)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * freedom * freedom * freedom)
}

#[cfg(test)]
mod tests {
    use konklave_sim::random::{Random, Stream};

    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let table = [
            (1, 12.7062047),
            (2, 4.3026527),
            (3, 3.1824463),
            (4, 2.7764451),
            (5, 2.5705818),
            (10, 2.2281389),
            (29, 2.0452296),
            (30, 2.0422725),
            (100, 1.9839715),
            (1000, 1.9623391),
            (1_000_000, 1.9599664),
        ];
        for (freedom, quantile) in table {
            let ours = student(freedom);
            assert!((ours - quantile).abs() < 1e-7, "{freedom}: {ours} instead of {quantile}");
        }
        let (sum, expansion) = (student(200), expansion(200.0));
        assert!((sum - expansion).abs() < 1e-8, "both ways meet: {sum} and {expansion}");
    }

    #[test]
    fn a_small_sample_by_hand() {
        let summary = summary(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((summary.count, summary.mean, summary.min, summary.max), (8, 5.0, 2.0, 9.0));
        assert!((summary.deviation - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        // The quantile for seven degrees of freedom is 2.3646.
        let margin = 2.364_624 * (32.0_f64 / 7.0).sqrt() / 8.0_f64.sqrt();
        assert!((summary.margin.unwrap() - margin).abs() < 1e-5);
        assert!((summary.high() - 5.0 - margin).abs() < 1e-5);
    }

    #[test]
    fn nothing_has_no_summary_and_one_value_no_interval() {
        assert_eq!(summary(&[]), None);
        let one = summary(&[3.0]).unwrap();
        assert_eq!((one.mean, one.deviation, one.margin, one.low()), (3.0, 0.0, None, 3.0));
    }

    #[test]
    fn intervals_hold_the_mean_as_often_as_they_say() {
        let seed = 7;
        println!("seed {seed}");
        let mut random = Random::new(seed, Stream::Faults);
        let mut uniform = || random.below(1 << 30) as f64 / f64::from(1 << 30);
        // Sums of twelve uniform numbers are normal enough.
        let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let trials = 20_000;
        let hits = (0..trials).filter(|_| {
            let sample: Vec<_> = (0..5).map(|_| normal()).collect();
            let summary = summary(&sample).unwrap();
            summary.low() <= 0.0 && 0.0 <= summary.high()
        });
        let share = hits.count() as f64 / f64::from(trials);
        assert!((0.943..0.957).contains(&share), "{share}"); // Four standard errors: 0.006.
    }
}
