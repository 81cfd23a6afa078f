//! What the search finds broken, and where.

use std::collections::{BTreeMap, BTreeSet};

use konklave::protocol::Broken;

use crate::seen::StateId;
use crate::successors::Successor;

/// A broken promise, and where.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// How many steps lead there.
    pub(super) steps: u32,
    /// The state in which it was found, and its row.
    pub(super) state: StateId,
    pub(super) row: Vec<u32>,
    /// What happens then; nothing, if that state itself is the problem.
    pub(super) successor: Option<Successor>,
    pub(super) broken: Broken,
    /// Whether the schedule is not followed any further.
    pub(super) is_cut: bool,
}

impl Finding {
    /// The first finding in this order is the one that is shown.
    fn rank(&self) -> (u32, bool, StateId) {
        (self.steps, self.successor.is_some(), self.state)
    }
}

/// The first finding of each promise.
#[derive(Debug, Default)]
pub(super) struct Findings {
    first: BTreeMap<String, Finding>,
    /// The promises that a step has broken: no schedule is followed beyond such a step.
    cuts: BTreeSet<String>,
}

impl Findings {
    pub(super) fn add(&mut self, finding: Finding) {
        let promise = &finding.broken.promise;
        if finding.is_cut && !self.cuts.contains(promise) {
            self.cuts.insert(promise.clone());
        }
        match self.first.get_mut(promise) {
            Some(other) if finding.rank() < other.rank() => *other = finding,
            Some(_) => {}
            None => {
                self.first.insert(promise.clone(), finding);
            }
        }
    }

    /// Takes over the findings of others, as far as they are about a promise that is wanted.
    pub(super) fn take(&mut self, others: &mut Self, is_wanted: impl Fn(&str) -> bool) {
        let Self { first, cuts } = std::mem::take(others);
        self.cuts.extend(cuts);
        let wanted = first.into_values().filter(|finding| is_wanted(&finding.broken.promise));
        wanted.for_each(|finding| self.add(finding));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    pub(super) fn contain(&self, promise: &str) -> bool {
        self.first.contains_key(promise)
    }

    /// The promises beyond whose breach no schedule was followed.
    pub(super) fn cuts(&self) -> Vec<String> {
        self.cuts.iter().cloned().collect()
    }

    /// All of them, the first one first.
    pub(super) fn in_order(self) -> Vec<Finding> {
        let mut all: Vec<_> = self.first.into_values().collect();
        all.sort_by_key(Finding::rank);
        all
    }
}
