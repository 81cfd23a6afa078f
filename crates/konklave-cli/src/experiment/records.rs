//! Waiting times for a record: exact values, a sampler, and a direct simulation.
//!
//! A pond holds n fish of different sizes, which are caught one by one in random order. T is the
//! number of fish that are caught until one is larger than the first, or the pond is empty. The
//! first of m fish is the largest of them with probability 1/m, so P(T > m) = 1/m for m < n.

use konklave_sim::random::Random;

/// 99 % of normally distributed values lie within this many standard deviations.
pub(super) const SIGMAS: f64 = 2.576;

/// 1 + 1/2 + ... + 1/n.
pub(super) fn harmonic(n: u64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    match n {
        0..=100_000 => (1..=n).rev().map(|k| 1.0 / k as f64).sum(),
        _ => {
            let n = n as f64;
            n.ln() + EULER + 1.0 / (2.0 * n) - 1.0 / (12.0 * n * n)
        }
    }
}

/// The mean of T.
pub(super) fn mean(n: u64) -> f64 {
    1.0 + harmonic(n.saturating_sub(1))
}

/// The standard deviation of T.
pub(super) fn deviation(n: u64) -> f64 {
    let second_moment = (2 * n - 1) as f64 + harmonic(n - 1);
    (second_moment - mean(n).powi(2)).max(0.0).sqrt()
}

/// P(T = m).
pub(super) fn probability(n: u64, m: u64) -> f64 {
    match m {
        1 if n == 1 => 1.0,
        2.. if m < n => 1.0 / (m as f64 * (m - 1) as f64),
        2.. if m == n => 1.0 / (n - 1) as f64,
        _ => 0.0,
    }
}

/// Draws T in constant time: 1 + min(n-1, 1/U), rounded down, U uniform in (0, 1].
pub(super) fn sample(n: u64, random: &mut Random) -> u64 {
    let inverse = (1_u128 << 64) / (u128::from(random.word()) + 1);
    1 + inverse.min(u128::from(n - 1)) as u64
}

/// Draws T by direct simulation. Sizes are independent 64-bit words, practically without ties.
pub(super) fn fish(n: u64, random: &mut Random) -> u64 {
    let first = random.word();
    (2..=n).find(|_| random.word() > first).unwrap_or(n)
}

/// The year of the first genuine record in a series of years, if there is one, and how many genuine
/// records there are. The record of the first year is not genuine.
pub(super) fn series(years: u64, random: &mut Random) -> (Option<u64>, u64) {
    let mut best = random.word();
    let (mut first, mut records) = (None, 0);
    for year in 2..=years {
        let value = random.word();
        if value > best {
            best = value;
            records += 1;
            first = first.or(Some(year));
        }
    }
    (first, records)
}

#[cfg(test)]
mod tests {
    use konklave_sim::random::Stream;

    use super::*;

    /// Election.md 9.1.
    const TABLE: [(u64, f64, f64); 5] = [
        (100, 6.177_377_518, 12.884_77),
        (1000, 8.484_470_860_550, 43.982_93),
        (1_000_000, 15.392_725_722_866, 1_414.134_5),
        (1 << 31, 23.064_778_262_027, 65_535.996),
        (10_000_000_000_000, 31.510_821_873_824, 4_472_135.955),
    ];

    #[test]
    fn exact_values_are_those_of_the_tables() {
        for (n, expected, sd) in TABLE {
            assert!((mean(n) - expected).abs() < 1e-9, "{n}: {}", mean(n));
            assert!((deviation(n) / sd - 1.0).abs() < 1e-6, "{n}: {}", deviation(n));
        }
        assert_eq!((mean(1), mean(2)), (1.0, 2.0));
        assert!((harmonic(7_999_999_999) - 23.38).abs() < 0.005);
        let conditional = |n: u64| n as f64 * harmonic(n - 1) / (n - 1) as f64;
        assert!((conditional(100) - 5.2297).abs() < 1e-4);
        assert!((conditional(1000) - 7.4920).abs() < 1e-4);
        assert!((harmonic(100) - 1.0 - 4.187).abs() < 1e-3);
        // The two ways to compute a harmonic number meet.
        let step = harmonic(100_001) - harmonic(100_000);
        assert!((step - 1.0 / 100_001.0).abs() < 1e-10);
    }

    #[test]
    fn probabilities_add_up_to_one_and_give_the_mean() {
        for n in [1, 2, 3, 10, 100] {
            let sum: f64 = (1..=n).map(|m| probability(n, m)).sum();
            let first_moment: f64 = (1..=n).map(|m| m as f64 * probability(n, m)).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{n}");
            assert!((first_moment - mean(n)).abs() < 1e-12, "{n}");
        }
    }

    /// Pearson's statistic of draws with T = 2, 3, ..., n against the exact probabilities.
    fn chi_square(n: u64, draws: u64, mut draw: impl FnMut() -> u64) -> f64 {
        let mut counts = vec![0_u64; n as usize + 1];
        (0..draws).for_each(|_| counts[draw() as usize] += 1);
        assert_eq!((counts[0], counts[1]), (0, 0), "the first fish is never enough");
        let term = |m: u64| {
            let expected = draws as f64 * probability(n, m);
            (counts[m as usize] as f64 - expected).powi(2) / expected
        };
        (2..=n).map(term).sum()
    }

    #[test]
    fn the_sampler_and_the_fisherman_have_the_exact_distribution() {
        // Nine classes, eight degrees of freedom: 99.9 % of statistics are below 26.1.
        let (n, draws) = (10, 200_000);
        let mut random = Random::new(3, Stream::Workload);
        let sampled = chi_square(n, draws, || sample(n, &mut random));
        assert!(sampled < 26.1, "the sampler: {sampled}");
        let fished = chi_square(n, draws, || fish(n, &mut random));
        assert!(fished < 26.1, "the fisherman: {fished}");
        // The test can fail: a sampler that is off by one in a hundred draws.
        let wrong = chi_square(n, draws, || sample(n, &mut random).max(2 + random.below(100) / 99));
        assert!(wrong > 26.1, "a wrong sampler: {wrong}");
    }

    #[test]
    fn series_have_as_many_records_as_they_should() {
        let mut random = Random::new(4, Stream::Workload);
        let (years, draws) = (100, 20_000);
        let (mut records, mut none) = (0, 0);
        for _ in 0..draws {
            let (first, count) = series(years, &mut random);
            assert_eq!(first.is_none(), count == 0);
            records += count;
            none += u64::from(first.is_none());
        }
        // The variance of the number of records is the sum of 1/k - 1/k^2, below H_n.
        let mean = records as f64 / draws as f64;
        let margin = SIGMAS * (harmonic(years) / draws as f64).sqrt();
        assert!((mean - (harmonic(years) - 1.0)).abs() < margin, "{mean}");
        let margin = SIGMAS * (0.01 * 0.99 / draws as f64).sqrt();
        assert!((none as f64 / draws as f64 - 0.01).abs() < margin, "{none}");
    }

    #[test]
    fn means_agree_with_the_table_within_their_intervals() {
        let draws = 400_000;
        for (n, expected, sd) in TABLE {
            let mut random = Random::new(5, Stream::Workload);
            let sum: f64 = (0..draws).map(|_| sample(n, &mut random) as f64).sum();
            let margin = SIGMAS * sd / f64::from(draws).sqrt();
            let mean = sum / f64::from(draws);
            assert!((mean - expected).abs() < margin, "{n}: {mean}, {expected} +- {margin}");
        }
    }
}
