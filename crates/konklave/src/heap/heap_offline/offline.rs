//! The offline minimum: which run of deletes takes out which elements, if all runs are known.
//!
//! A. Aho, J. Hopcroft, J. Ullman: The Design and Analysis of Computer Algorithms. Addison-Wesley,
//! 1974.
//!
//! A wave is a sequence of runs: inserts, deletes, inserts, and so on. Let the elements of a
//! problem be split by a pivot. The low ones go first, so how many deletes of each run get one
//! depends on numbers only: how many low elements there are before, and how many of them earlier
//! runs have taken. The low elements with these deletes, and the high ones with the others, are
//! smaller problems of the same kind.

use serde::{Deserialize, Serialize};

use crate::selection::Key;
use crate::selection::candidates::{Between, Limit};

/// The elements of a range, and how many deletes of each run they are for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Problem {
    /// The elements: above the lower limit, and up to the upper one.
    pub(super) range: Between,
    /// How many of them each run inserts.
    pub(super) arrivals: Vec<u64>,
    /// How many deletes of each run they are for.
    pub(super) deletes: Vec<u64>,
}

/// What becomes of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its elements stay in the heap.
    Stay,
    /// They are taken out by this run.
    Run(u32),
    /// It has to be split.
    Open,
}

/// Elements that one run takes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lot {
    /// Above the lower limit, and up to the upper one.
    pub range: Between,
    /// The run.
    pub run: u32,
    /// How many there are.
    pub count: u64,
}

impl Lot {
    /// Whether an element is one of them.
    pub fn holds(&self, key: Key) -> bool {
        within(self.range, key)
    }
}

/// Whether an element is in a range without its lower limit.
pub(super) fn within(range: Between, key: Key) -> bool {
    range.from < Limit::At(key) && Limit::At(key) <= range.to
}

impl Problem {
    /// How many elements there are.
    pub(super) fn elements(&self) -> u64 {
        sum(&self.arrivals)
    }

    /// What becomes of it, as far as numbers tell.
    pub(super) fn fate(&self) -> Fate {
        let last = self.deletes.iter().rposition(|deletes| *deletes > 0);
        let first = self.deletes.iter().position(|deletes| *deletes > 0);
        let (Some(first), Some(last)) = (first, last) else { return Fate::Stay };
        let before = sum(&self.arrivals[..=last.min(self.arrivals.len() - 1)]);
        if before == 0 {
            return Fate::Stay; // Whatever there is arrives behind all deletes.
        }
        if self.elements() == 1 {
            let arrival = self.arrivals.iter().position(|count| *count > 0).unwrap_or(0);
            let run = (arrival..).zip(&self.deletes[arrival..]).find(|(_, deletes)| **deletes > 0);
            return run.map_or(Fate::Stay, |(run, _)| Fate::Run(run as u32));
        }
        let is_whole = first == last && self.elements() == before && before == self.deletes[last];
        if is_whole { Fate::Run(last as u32) } else { Fate::Open }
    }

    /// The problems of the elements up to a pivot, of which each run inserts so many, and of the
    /// others.
    pub(super) fn split(&self, pivot: Key, low: &[u64]) -> [Self; 2] {
        let Between { from, to } = self.range;
        let pivot = Limit::At(pivot);
        let mut available = 0_u64;
        let mut taken = Vec::with_capacity(self.deletes.len());
        for (low, deletes) in low.iter().zip(&self.deletes) {
            available = available.saturating_add(*low);
            let count = available.min(*deletes);
            available -= count;
            taken.push(count);
        }
        let rest = |all: &[u64], part: &[u64]| {
            all.iter().zip(part).map(|(all, part)| all.saturating_sub(*part)).collect()
        };
        let high = Self {
            range: Between { from: pivot, to },
            arrivals: rest(&self.arrivals, low),
            deletes: rest(&self.deletes, &taken),
        };
        let low = low.to_vec();
        [Self { range: Between { from, to: pivot }, arrivals: low, deletes: taken }, high]
    }
}

fn sum(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::circle::{Mixer, Salt};

    /// Solves a problem, whose elements are given with their runs, with any pivots.
    fn solve(problem: &Problem, elements: &[(Key, usize)], draw: u64) -> BTreeMap<Key, u32> {
        let inside: Vec<_> = elements.iter().filter(|it| within(problem.range, it.0)).collect();
        assert_eq!(inside.len() as u64, problem.elements());
        match problem.fate() {
            Fate::Stay => BTreeMap::new(),
            Fate::Run(run) => inside.iter().map(|(key, _)| (*key, run)).collect(),
            Fate::Open => {
                let at = Mixer::new(draw).mix(0, Salt(80)) as usize % inside.len();
                let pivot = inside[at].0;
                let mut low = vec![0; problem.arrivals.len()];
                for (_, arrival) in inside.iter().filter(|(key, _)| *key <= pivot) {
                    low[*arrival] += 1;
                }
                let parts = problem.split(pivot, &low);
                parts.iter().flat_map(|part| solve(part, elements, draw + 1)).collect()
            }
        }
    }

    /// Compared with a heap that carries out one run after the other.
    #[test]
    fn runs_take_what_a_single_heap_gives_them() {
        for seed in 0..4000 {
            let draw = Mixer::new(seed);
            let below = |what: u64, bound: u64| draw.mix(what, Salt(81)) % bound;
            let runs = 1 + below(0, 5) as usize;
            let count = below(1, 20);
            let elements: Vec<(Key, usize)> = (0..count)
                .map(|id| {
                    let key = Key { priority: below(100 + id, 12), id };
                    (key, below(200 + id, runs as u64) as usize)
                })
                .collect();
            let deletes: Vec<u64> = (0..runs as u64).map(|run| below(300 + run, 6)).collect();
            let mut arrivals = vec![0; runs];
            elements.iter().for_each(|(_, run)| arrivals[*run] += 1);
            let range = Between { from: Limit::Below, to: Limit::Above };
            let problem = Problem { range, arrivals, deletes: deletes.clone() };
            let mut heap = BTreeSet::new();
            let mut expected = BTreeMap::new();
            for (run, deletes) in deletes.into_iter().enumerate() {
                heap.extend(elements.iter().filter(|it| it.1 == run).map(|it| it.0));
                for _ in 0..deletes {
                    expected.extend(heap.pop_first().map(|key| (key, run as u32)));
                }
            }
            assert_eq!(solve(&problem, &elements, seed << 20), expected, "seed {seed}");
        }
    }
}
