//! Sets of nodes as bits: small, ordered, and equal if and only if they hold the same nodes.

use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

use crate::NodeId;

/// A set of nodes, iterated in ascending order.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<NodeId>", into = "Vec<NodeId>")]
pub struct NodeSet {
    /// One bit per node. The last word is never zero: equal sets have equal words.
    words: Vec<u64>,
}

impl NodeSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every node of a system of `nodes` nodes except `me`.
    pub fn all_but(me: NodeId, nodes: u32) -> Self {
        let mut words = vec![u64::MAX; nodes as usize / 64];
        if !nodes.is_multiple_of(64) {
            words.push((1 << (nodes % 64)) - 1);
        }
        let mut set = Self { words };
        set.remove(me);
        set
    }

    /// Adds `node`; returns whether it was missing.
    #[inline]
    pub fn insert(&mut self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        let Some(bits) = self.words.get_mut(word) else {
            self.extend_to(word, bit);
            return true;
        };
        let was_missing = *bits & bit == 0;
        *bits |= bit;
        was_missing
    }

    #[cold]
    fn extend_to(&mut self, word: usize, bits: u64) {
        self.words.resize(word, 0);
        self.words.push(bits);
    }

    /// Removes `node`; returns whether it was present.
    pub fn remove(&mut self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        let was_there = self.contains(node);
        if was_there {
            self.words[word] &= !bit;
            while self.words.last() == Some(&0) {
                self.words.pop();
            }
        }
        was_there
    }

    /// Whether `node` is in the set.
    #[inline]
    pub fn contains(&self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        self.words.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Whether the set has no elements.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of nodes in the set.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|bits| bits.count_ones()).sum()
    }

    /// The nodes, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.words.iter().zip(0..).flat_map(|(&bits, word)| {
            let clear_lowest = |&rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(bits).filter(|&bits| bits != 0), clear_lowest)
                .map(move |rest| NodeId(word * 64 + rest.trailing_zeros()))
        })
    }
}

#[inline]
fn place(node: NodeId) -> (usize, u64) {
    (node.index() / 64, 1 << (node.0 % 64))
}

impl FromIterator<NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        let mut set = Self::new();
        set.extend(nodes);
        set
    }
}

impl Extend<NodeId> for NodeSet {
    fn extend<I: IntoIterator<Item = NodeId>>(&mut self, nodes: I) {
        for node in nodes {
            self.insert(node);
        }
    }
}

impl From<Vec<NodeId>> for NodeSet {
    fn from(nodes: Vec<NodeId>) -> Self {
        nodes.into_iter().collect()
    }
}

impl From<NodeSet> for Vec<NodeId> {
    fn from(set: NodeSet) -> Self {
        set.iter().collect()
    }
}

impl Debug for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn behaves_like_an_ordered_set() {
        let (mut bits, mut tree) = (NodeSet::new(), BTreeSet::new());
        let mut state = 1_u32;
        for _ in 0..10_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let node = NodeId((state >> 16) % 200);
            if state >> 31 == 0 {
                assert_eq!(bits.insert(node), tree.insert(node));
            } else {
                assert_eq!(bits.remove(node), tree.remove(&node));
            }
            assert_eq!(bits.contains(node), tree.contains(&node));
            assert_eq!(bits.len() as usize, tree.len());
            assert_eq!(bits.is_empty(), tree.is_empty());
        }
        assert!(bits.iter().eq(tree.iter().copied()));
    }

    #[test]
    fn equal_sets_are_equal_whatever_was_in_them_before() {
        let mut set: NodeSet = [NodeId(3), NodeId(500)].into_iter().collect();
        set.remove(NodeId(500));
        assert_eq!(set, [NodeId(3)].into_iter().collect());
    }

    #[test]
    fn all_but_one() {
        for nodes in [1, 2, 63, 64, 65, 128, 130] {
            let expected: NodeSet = (0..nodes - 1).map(NodeId).collect();
            assert_eq!(NodeSet::all_but(NodeId(nodes - 1), nodes), expected, "{nodes} nodes");
        }
    }

    #[test]
    fn prints_like_a_set() {
        let set: NodeSet = [NodeId(70), NodeId(2)].into_iter().collect();
        assert_eq!(format!("{set:?}"), "{2, 70}");
    }
}
