//! Members and their capacities.

use std::collections::BTreeMap;

use crate::NodeId;

/// The members and the capacity of each: a weight above zero, in any unit. What counts is its share
/// of the sum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capacities {
    members: BTreeMap<NodeId, u32>,
    /// The sum, since every decision needs it.
    total: u64,
}

impl FromIterator<(NodeId, u32)> for Capacities {
    /// A member without capacity is not a member.
    fn from_iter<I: IntoIterator<Item = (NodeId, u32)>>(members: I) -> Self {
        let mut all = Self::default();
        members.into_iter().for_each(|(node, capacity)| all.set(node, capacity));
        all
    }
}

impl Capacities {
    /// The members with their capacities, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NodeId, u32)> + '_ {
        self.members.iter().map(|(node, capacity)| (*node, *capacity))
    }

    /// How many members there are.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The capacity of a node: zero if it is not a member.
    pub fn of(&self, node: NodeId) -> u32 {
        self.members.get(&node).copied().unwrap_or(0)
    }

    /// Lets a node have this capacity; with zero, it is a member no longer.
    pub fn set(&mut self, node: NodeId, capacity: u32) {
        self.total = self.total - u64::from(self.of(node)) + u64::from(capacity);
        match capacity {
            0 => _ = self.members.remove(&node),
            _ => _ = self.members.insert(node, capacity),
        }
    }

    /// The sum of all capacities.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The part of the data that has to move, whatever the placement, if these capacities replace
    /// those: half the sum of all differences of shares, in units of 2^-32.
    pub fn least_move(&self, old: &Self) -> u64 {
        let share = |all: &Self, node| {
            (u64::from(all.of(node)) << 32).checked_div(all.total()).unwrap_or(0)
        };
        let gain = |(node, _)| share(self, node).saturating_sub(share(old, node));
        self.iter().map(gain).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_members_gain_has_to_move() {
        let capacities = |weights: &[u32]| -> Capacities {
            NodeId::all(9).zip(weights.iter().copied()).collect()
        };
        let old = capacities(&[1, 1, 2]);
        let least = |new: &[u32]| capacities(new).least_move(&old) as f64 / (1_u64 << 32) as f64;
        for (new, expected) in [
            (&[1, 1, 2][..], 0.0),
            (&[2, 2, 4], 0.0),    // Shares are what counts.
            (&[1, 1, 2, 4], 0.5), // A join.
            (&[1, 1, 0], 0.5),    // A leave.
            (&[1, 3, 0], 0.5),    // From 1/4 to 3/4; 1/4 stays.
            (&[4, 1, 2], 4.0 / 7.0 - 0.25),
        ] {
            assert!((least(new) - expected).abs() < 1e-9, "{new:?}");
        }
    }
}
