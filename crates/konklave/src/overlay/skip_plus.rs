//! Skip+ graph: sorted lists on logarithmically many levels, each node in one list of every level.
//!
//! R. Jacob, A. Richa, C. Scheideler, S. Schmid, H. Täubig: SKIP+: A Self-Stabilizing Skip Graph.
//! Journal of the ACM 61 (6), 2014.
//!
//! # Idea
//!
//! Every node has a random bit string. The nodes whose strings begin with the same i bits form a
//! class of level i, a sorted list of its own: the list of level 0 has all nodes, and every level
//! leaves out about every other one. A node knows, on each level and on each side, the nodes up to
//! the first one of *either* next bit; so it sees by itself which nodes are its neighbours one
//! level up.
//!
//! Going outwards on one side, a node is superfluous if for each level that it shares with this
//! node, both values of the next bit were seen before. With the lengths of common prefixes seen so
//! far as a set of bits, that is two operations on integers. A node with the same common prefix is
//! among those before, and it shares more bits with the superfluous node: so the edge that replaces
//! the dropped one is shorter, and leads to a longer common prefix.
//!
//! A superfluous node is handed on twice: to the node that shares most bits with it, for
//! correctness, and to the node just before it, for speed. Without the second, a star of n nodes is
//! sorted in Θ(n) rounds; with it a hub tells its surplus neighbours of each other.
//!
//! In its turn a node introduces itself to its neighbours, and on every level introduces the
//! neighbours of one side to each other along the list, and to the nearest one of the other side,
//! if that is a neighbour of theirs. That completes the levels one after the other.
//!
//! # Cost
//!
//! Messages: O(log n) for each node in a round.
//!
//! - Time: O(log² n) rounds for the algorithm of the paper, with high probability.
//! - State: O(log n) addresses, with high probability.
//! - Search: O(log n) hops, with high probability.
//!
//! # Assumes
//!
//! Nodes that are connected by the addresses that they and the messages in transit hold, and
//! reliable channels, which may reorder messages.
//!
//! - Loss: an address that is lost can disconnect the network, and nothing can repair that.
//! - Duplication: a duplicate is harmless.
//! - Crash: messages to a crashed node are lost. A node has several neighbours on every level and
//!   side, so most likely the others stay connected.
//!
//! # Differs from the paper
//!
//! The paper works in synchronous rounds in which neighbours exchange all that they know. Here a
//! turn sends O(log n) single addresses, and no round is needed; only an O(n) bound is proved for
//! the time that this takes. The smallest and the largest node know each other, as in BuildRing.

mod classes;

use std::fmt::{self, Debug};

pub use super::Msg;
use super::build_list::others;
use super::build_ring::Closed;
use super::place::bits;
use super::{Overlay, Place, Shape, Side};
use crate::NodeId;
use crate::circle::Mixer;
use crate::derived::Derived;
use classes::neighbourhoods;

/// One node of the graph; its ends know each other.
pub type SkipPlus = Closed<Levels>;

/// The neighbours of one node on all levels.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Levels {
    place: Place,
    /// The nearest first.
    left: Vec<NodeId>,
    /// The nearest first.
    right: Vec<NodeId>,
    /// Whether none of them is known to be superfluous: nothing was learned since that was looked
    /// at. Without an address that is forgotten, the others are needed all the more.
    is_normal: Derived<bool>,
}

/// Without what follows from the rest.
impl Debug for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, left, right, .. } = self;
        let mut shown = f.debug_struct("Levels");
        shown.field("place", place).field("left", left).field("right", right).finish()
    }
}

/// Which lengths of common prefixes were seen on the way outwards.
#[derive(Clone, Copy, Debug, Default)]
struct Prefixes(u64);

impl Prefixes {
    /// The next node has so many bits in common. Whether it is needed: on some level that it shares
    /// with this node, not both values of the next bit were seen before.
    fn needs(&mut self, common: u32) -> bool {
        let up_to = u64::MAX >> (63 - common.min(63));
        let beyond = self.0 & !up_to;
        let is_superfluous = self.0 & up_to == up_to && beyond != 0;
        self.0 |= 1 << common.min(63);
        !is_superfluous
    }
}

impl Levels {
    fn side_mut(&mut self, side: Side) -> &mut Vec<NodeId> {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    fn common(&self, node: NodeId) -> u32 {
        self.place.common_prefix(self.place.me, node)
    }

    /// Inserts an address; whether it is new.
    fn insert(&mut self, node: NodeId) -> bool {
        let place = self.place;
        let Some(side) = place.side(node) else { return false };
        let distance = place.distance(node);
        let known = self.side_mut(side);
        let found = known.binary_search_by_key(&distance, |&other| place.distance(other));
        if let Err(index) = found {
            if known.len() == known.capacity() {
                // In small steps: a large system has many of these lists.
                known.reserve_exact(4.max(known.len() / 4));
            }
            known.insert(index, node);
            *self.is_normal = false;
        }
        found.is_err()
    }

    /// Keeps what is needed on one side, and hands on the rest.
    fn normalise(&mut self, side: Side, send: &mut impl FnMut(NodeId, Shape)) {
        let mut seen = Prefixes::default();
        if self.neighbours(side).all(|node| seen.needs(self.common(node))) {
            return;
        }
        let mut seen = Prefixes::default();
        let place = self.place;
        let known = std::mem::take(self.side_mut(side));
        let mut kept: Vec<NodeId> = Vec::with_capacity(known.len());
        for (index, &node) in known.iter().enumerate() {
            if seen.needs(self.common(node)) {
                kept.push(node);
                continue;
            }
            // One that shares as many bits with this node as `node` does was seen, so shares more
            // with `node`.
            let nearer = kept.iter().max_by_key(|&&other| place.common_prefix(other, node));
            let nearer = *nearer.expect("what makes a node superfluous lies before it");
            send(nearer, Shape::Intro(node));
            let before = known[index - 1];
            if before != nearer {
                send(before, Shape::Intro(node));
            }
        }
        *self.side_mut(side) = kept;
    }

    /// The nodes of a level's class on one side, the nearest first, up to the first of either bit.
    fn range(&self, level: u32, side: Side) -> Vec<NodeId> {
        let mut range = Vec::new();
        let (mut here, mut above) = (false, false);
        for node in self.neighbours(side) {
            let common = self.common(node);
            if common < level {
                continue;
            }
            range.push(node);
            (here, above) = (here || common == level, above || common > level);
            if here && above {
                break;
            }
        }
        range
    }

    /// Whom to introduce to whom on one level: the farther to the nearer along each side, and the
    /// nearest of the other side, where it is a neighbour.
    fn introduce(&self, level: u32, pairs: &mut Vec<(NodeId, NodeId)>) {
        let [left, right] = Side::BOTH.map(|side| self.range(level, side));
        for (one, other) in [(&left, &right), (&right, &left)] {
            pairs.extend(one.windows(2).map(|pair| (pair[1], pair[0])));
            let Some(&nearest) = other.first() else { continue };
            for (index, &node) in one.iter().enumerate() {
                let between = one[..index].iter().copied().chain([self.place.me]);
                let common = between.map(|it| self.place.common_prefix(node, it));
                let (mut here, mut above) = (false, false);
                common.for_each(|it| (here, above) = (here || it == level, above || it > level));
                if !(here && above) {
                    pairs.push((node, nearest));
                }
            }
        }
    }
}

impl Overlay for Levels {
    const HAS_LEVELS: bool = true;

    fn new(place: Place) -> Self {
        Self { place, left: Vec::new(), right: Vec::new(), is_normal: Derived(true) }
    }

    fn any(place: Place, nodes: u32, choose: &mut impl FnMut(u32) -> u32) -> Self {
        let mut levels = Self::new(place);
        for node in others(place.me, nodes) {
            if choose(2) == 1 {
                levels.insert(node);
            }
        }
        levels
    }

    fn place(&self) -> Place {
        self.place
    }

    fn neighbours(&self, side: Side) -> impl Iterator<Item = NodeId> + '_ {
        match side {
            Side::Left => self.left.iter().copied(),
            Side::Right => self.right.iter().copied(),
        }
    }

    /// One more than the most bits that it shares with a neighbour.
    fn levels(&self) -> u32 {
        let known = self.left.iter().chain(&self.right);
        1 + known.map(|&node| self.common(node)).max().unwrap_or(0)
    }

    fn kept(&self) -> Vec<NodeId> {
        self.left.iter().chain(&self.right).copied().collect()
    }

    fn hold(&mut self, node: NodeId) -> bool {
        self.insert(node);
        true
    }

    fn forget(&mut self, node: NodeId) {
        if let Some(side) = self.place.side(node) {
            self.side_mut(side).retain(|other| *other != node);
        }
    }

    /// A superfluous neighbour of a state that needs repair would stay for ever if only news made a
    /// node look.
    fn settle(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        if !std::mem::replace(&mut *self.is_normal, true) {
            Side::BOTH.into_iter().for_each(|side| self.normalise(side, send));
        }
    }

    fn receive(&mut self, msg: Shape, send: &mut impl FnMut(NodeId, Shape)) {
        let (node, was_normal) = (msg.node(), *self.is_normal);
        if self.insert(node)
            && let Some(side) = self.place.side(node)
        {
            self.normalise(side, send);
            *self.is_normal = was_normal;
        }
    }

    fn tick(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        self.settle(send);
        let known = self.kept();
        known.iter().for_each(|&neighbour| send(neighbour, Shape::Intro(self.place.me)));
        let highest = known.iter().map(|&node| self.common(node)).max();
        let mut pairs = Vec::new();
        if let Some(highest) = highest {
            (0..=highest).for_each(|level| self.introduce(level, &mut pairs));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.into_iter().for_each(|(to, node)| send(to, Shape::Intro(node)));
    }

    fn ideal(mixer: Mixer, members: &[NodeId]) -> impl Iterator<Item = Vec<NodeId>> {
        let strings = members.iter().map(|&node| bits(mixer, node)).collect();
        let node = |index: u32| members[index as usize];
        neighbourhoods(strings).map(move |all| all.into_iter().map(node).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_the_local_test_agree() {
        for seed in 0..40 {
            let mixer = Mixer::new(seed);
            let members = super::super::place::sorted(mixer, NodeId::all(1 + seed as u32));
            let ideal = Levels::ideal(mixer, &members);
            for (node, mut expected) in members.iter().zip(ideal) {
                let mut levels = Levels::new(Place::new(*node, mixer));
                members.iter().for_each(|&other| assert!(levels.hold(other)));
                levels.settle(&mut |_, _| {});
                let mut kept = levels.kept();
                kept.sort_unstable();
                expected.sort_unstable();
                assert_eq!(kept, expected, "seed {seed}, node {node}");
            }
        }
    }

    /// What is dropped goes to a node that lies between, and shares more bits.
    #[test]
    fn an_address_is_dropped_only_after_it_was_handed_on() {
        let mixer = Mixer::new(7);
        let place = Place::new(NodeId(0), mixer);
        let mut levels = Levels::new(place);
        NodeId::all(50).for_each(|node| assert!(levels.hold(node)));
        let mut sent = Vec::new();
        levels.settle(&mut |to, msg| sent.push((to, msg.node())));
        let kept = levels.kept();
        for node in NodeId::all(50).skip(1).filter(|node| !kept.contains(node)) {
            let told = sent.iter().filter(|(_, about)| *about == node);
            let nearer = told.filter(|(to, _)| {
                kept.contains(to)
                    && place.distance(*to) < place.distance(node)
                    && place.common_prefix(*to, node) > place.common_prefix(NodeId(0), node)
            });
            assert!(nearer.count() >= 1, "node {node}");
        }
    }
}
