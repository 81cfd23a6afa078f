//! What a node counts for reports.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// Counts that no transition depends on. Two states that differ in them only are the same state: so
/// a search does not tell apart what has been counted on the way.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// How many operations it has carried out.
    pub carried_out: u64,
    /// How many messages led them here, all together.
    pub hops: u64,
    /// How many messages led one of them here, at most.
    pub hops_max: u32,
    /// How many keys with a value it has handed over.
    pub handed_over: u64,
}

impl Tally {
    /// An operation was carried out, after this many messages.
    pub fn carry_out(&mut self, hops: u32) {
        self.carried_out += 1;
        self.hops += u64::from(hops);
        self.hops_max = self.hops_max.max(hops);
    }

    /// What several nodes have counted.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::default(), |sum, one| Self {
            carried_out: sum.carried_out + one.carried_out,
            hops: sum.hops + one.hops,
            hops_max: sum.hops_max.max(one.hops_max),
            handed_over: sum.handed_over + one.handed_over,
        })
    }
}

impl PartialEq for Tally {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Tally {}

impl Hash for Tally {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}
