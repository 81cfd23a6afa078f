//! How many requests each node handles, beside what the theorem allows and what there would be
//! without combining.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use super::CombineSplit;
use crate::dictionary::{Census, Contents, Storage, with_values};
use crate::overlay::Overlay;

/// Counts that no transition depends on: states that differ in them only are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// How often this process has asked for each key.
    asked: BTreeMap<u64, u32>,
    /// How many requests it has handled: its own, and those of neighbours.
    handled: u64,
    /// The keys that they were about.
    keys: BTreeSet<u64>,
}

impl Counts {
    /// This process asks for a key.
    pub(super) fn own(&mut self, key: u64) {
        *self.asked.entry(key).or_default() += 1;
        self.handle(key);
    }

    /// A request for a key is here.
    pub(super) fn handle(&mut self, key: u64) {
        self.handled += 1;
        self.keys.insert(key);
    }
}

impl PartialEq for Counts {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Counts {}

impl Hash for Counts {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

/// How many requests nodes handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handled {
    /// By the busiest node.
    pub max: u64,
    /// By the busiest node, if no requests were combined.
    pub max_plain: u64,
    /// Whether every node handles at most (deg + 1) · D for each operation of a process.
    pub is_within_bound: bool,
}

impl Handled {
    fn count<O: Overlay>(nodes: &[&CombineSplit<O>]) -> Self {
        let mut plain = vec![0_u64; nodes.len()];
        for node in nodes {
            for (&key, &times) in &node.counts.asked {
                // A request without combining takes the same way.
                let mut place = node.me().index();
                plain[place] += u64::from(times);
                while let Some(next) = nodes[place].next(key) {
                    place = next.index();
                    plain[place] += u64::from(times);
                }
            }
        }
        let rounds = nodes.iter().map(|node| node.counts.asked.values().sum::<u32>()).max();
        let is_within = |node: &&CombineSplit<O>| {
            let degree = node.overlay.known().len() as u64;
            let allowed = (degree + 1) * node.counts.keys.len() as u64;
            node.counts.handled <= allowed * u64::from(rounds.unwrap_or(0))
        };
        Self {
            max: nodes.iter().map(|node| node.counts.handled).max().unwrap_or(0),
            max_plain: plain.into_iter().max().unwrap_or(0),
            is_within_bound: nodes.iter().all(is_within),
        }
    }
}

impl<O: Overlay> Contents for CombineSplit<O> {
    fn entries(&self) -> Vec<(u64, u64)> {
        with_values(&self.records)
    }
}

impl<O: Overlay> Storage for CombineSplit<O> {
    fn census(nodes: &[&Self]) -> Census {
        let load = |node: &&Self| {
            node.records.values().filter(|record| record.value.is_some()).count() as u64
        };
        Census {
            loads: nodes.iter().map(load).collect(),
            handled: Some(Handled::count(nodes)),
            ..Census::default()
        }
    }
}
