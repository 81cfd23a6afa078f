//! After how many rounds nodes agree, on average.

use konklave_sim::{Delay, Options};

use super::values::{Adversary, Values};
use super::{ADVERSARY, VALUES, WRITES};
use crate::expected::Expected;
use crate::site::Site;

/// The largest system whose expected value is computed.
const LARGEST: u32 = 256;

/// The minimum rule: exact for two values, else within the range of what was measured.
pub(super) fn minimum_rule(site: &Site, options: &Options) -> Option<Expected> {
    let nodes = site.nodes();
    let log = f64::from(nodes).log2();
    match plain_values(site, options)? {
        Values::Two if nodes <= LARGEST => {
            let rounds = expected_rounds(nodes, |share| (1.0, share));
            Some(Expected::mean("a Markov chain", rounds))
        }
        Values::Two => Some(Expected::near("log2 log2 n + 1", log.log2() + 1.0, 0.15)),
        Values::Distinct if nodes >= 16 => Some(Expected::near("1.36 log2 n", 1.36 * log, 0.09)),
        _ => None,
    }
}

/// The median rule: exact for two values, else within the range of what was measured.
pub(super) fn median_rule(site: &Site, options: &Options) -> Option<Expected> {
    let nodes = site.nodes();
    let log = f64::from(nodes).log2();
    match plain_values(site, options)? {
        Values::Two if nodes <= LARGEST => {
            let rest = |share: f64| 1.0 - share;
            let rounds =
                expected_rounds(nodes, |share| (1.0 - rest(share) * rest(share), share * share));
            Some(Expected::mean("a Markov chain", rounds))
        }
        Values::Two => Some(Expected::near("1.45 log2 n", 1.45 * log, 0.18)),
        Values::Distinct if nodes >= 16 => Some(Expected::near("2.13 log2 n", 2.13 * log, 0.08)),
        _ => None,
    }
}

/// The values of a synchronous run that nothing disturbs; else there is no formula.
fn plain_values(site: &Site, options: &Options) -> Option<Values> {
    let is_synchronous = options.delay == Delay::Constant(1) && options.period == 1;
    let is_calm = options.faults.is_none();
    let adversary: Adversary = site.get(&ADVERSARY)?;
    let writes: u32 = site.get(&WRITES)?;
    let is_plain = is_synchronous && is_calm && adversary == Adversary::None && writes == 0;
    site.get(&VALUES).filter(|_| is_plain)
}

/// The expected number of rounds from two values with half of the nodes each until all hold the
/// same, where `change` gives the probabilities that a node with the first value keeps it, and that
/// one with the second takes it, if this share of nodes holds the first. The number of nodes that
/// hold it is a Markov chain: the sum of two binomial numbers.
fn expected_rounds(nodes: u32, change: impl Fn(f64) -> (f64, f64)) -> f64 {
    let size = nodes as usize;
    let choose = Binomials::new(size);
    let step = |first: usize| {
        let (keeps, takes) = change(first as f64 / size as f64);
        let (kept, taken) = (choose.of(first, keeps), choose.of(size - first, takes));
        let mut next = vec![0.0; size + 1];
        for (i, p) in kept.iter().enumerate() {
            for (j, q) in taken.iter().enumerate() {
                next[i + j] += p * q;
            }
        }
        next
    };
    let steps: Vec<Vec<f64>> = (0..=size).map(step).collect();
    let mut chances = vec![0.0; size + 1];
    chances[size.div_ceil(2)] = 1.0;
    let mut rounds = 0.0;
    loop {
        let open: f64 = chances[1..size].iter().sum();
        if open < 1e-12 {
            return rounds;
        }
        rounds += open;
        let mut next = vec![0.0; size + 1];
        for (chance, step) in chances.iter().zip(&steps).filter(|(chance, _)| **chance > 0.0) {
            next.iter_mut().zip(step).for_each(|(sum, share)| *sum += chance * share);
        }
        chances = next;
    }
}

/// Binomial probabilities, from the logarithms of factorials.
struct Binomials(Vec<f64>);

impl Binomials {
    fn new(most: usize) -> Self {
        let mut sum = 0.0;
        let logs = (1..=most).map(|number| {
            sum += (number as f64).ln();
            sum
        });
        Self(std::iter::once(0.0).chain(logs).collect())
    }

    /// The probability of each number of successes.
    fn of(&self, trials: usize, chance: f64) -> Vec<f64> {
        let certain =
            |hits: usize| (0..=trials).map(|it| f64::from(u8::from(it == hits))).collect();
        if chance <= 0.0 {
            return certain(0);
        }
        if chance >= 1.0 {
            return certain(trials);
        }
        let Self(logs) = self;
        let probability = |hits: usize| {
            let ways = logs[trials] - logs[hits] - logs[trials - hits];
            let misses = (trials - hits) as f64;
            (ways + hits as f64 * chance.ln() + misses * (-chance).ln_1p()).exp()
        };
        (0..=trials).map(probability).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_nodes_agree_as_a_child_can_compute() {
        // Minimum: the node with the larger value takes the other with probability 1/2.
        let minimum = expected_rounds(2, |share| (1.0, share));
        assert!((minimum - 2.0).abs() < 1e-9, "{minimum}");
        // Median: each changes with probability 1/4; they agree if exactly one does: 2 * 3/16.
        let median =
            expected_rounds(2, |share: f64| (1.0 - (1.0 - share) * (1.0 - share), share * share));
        assert!((median - 16.0 / 6.0).abs() < 1e-9, "{median}");
    }

    #[test]
    fn probabilities_add_up() {
        for (trials, chance) in [(0, 0.5), (7, 0.0), (7, 1.0), (200, 0.37)] {
            let all = Binomials::new(200).of(trials, chance);
            assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let mean: f64 = all.iter().enumerate().map(|(hits, p)| hits as f64 * p).sum();
            assert!((mean - trials as f64 * chance).abs() < 1e-9);
        }
    }
}
