//! BuildRing: sort the nodes into a list, and let its two ends find each other.
//!
//! M. Onus, A. W. Richa, C. Scheideler: Linearization: Locally Self-Stabilizing Sorting in Graphs.
//! ALENEX 2007.
//!
//! # Idea
//!
//! The list is that of BuildList. A node without a left neighbour believes to be the smallest. In
//! its turn it sends a probe to the right, which travels to the node that has no right neighbour;
//! these two then hold each other's addresses. A claim that turns out to be wrong becomes an
//! ordinary introduction.
//!
//! Two nodes that both believe to be the smallest belong to two lists, which may be connected by
//! nothing but the node at the other end. So that node keeps the better claim, and introduces the
//! two claimants *to each other*. If it merged the loser into its own neighbourhood instead, two
//! sorted lists would stay side by side for ever.
//!
//! # Cost
//!
//! Messages: 3n+1 in a round of a ring.
//!
//! - Time: O(n) rounds from any connected start.
//! - State: three addresses.
//! - Search: n/3 hops on average, since a search goes along the list.
//!
//! # Assumes
//!
//! Nodes that are connected by the addresses that they and the messages in transit hold, and
//! reliable channels, which may reorder messages.
//!
//! - Loss: an address that is lost can disconnect the network, and nothing can repair that.
//! - Duplication: a duplicate is harmless.
//! - Crash: messages to a crashed node are lost; the rest of the ring is still connected, as a
//!   list.
//!
//! # Differs from the paper
//!
//! The paper builds a list. The two ends, and the rules for rival claims, are added here.

pub use super::Msg;
use super::build_list::{BuildList, others};
use super::{Overlay, Place, Shape, Side};
use crate::NodeId;
use crate::circle::Mixer;

/// One node of the ring.
pub type BuildRing = Closed<BuildList>;

/// A sorted overlay, closed to a ring.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Closed<L> {
    line: L,
    ring: Option<NodeId>,
}

impl<L: Overlay> Closed<L> {
    fn nearest(&self, side: Side) -> Option<NodeId> {
        self.line.neighbours(side).next()
    }

    fn farthest_right(&self) -> Option<NodeId> {
        self.line.neighbours(Side::Right).last()
    }

    fn learn(&mut self, node: NodeId, send: &mut impl FnMut(NodeId, Shape)) {
        self.line.receive(Shape::Intro(node), send);
    }

    /// The address at the other end becomes an ordinary one.
    fn open(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        if let Some(other) = self.ring.take() {
            self.learn(other, send);
        }
    }

    /// Which end of the line this node believes to be.
    fn end(&self) -> Option<Side> {
        match (self.nearest(Side::Left), self.nearest(Side::Right)) {
            (None, _) => Some(Side::Left),
            (Some(_), None) => Some(Side::Right),
            (Some(_), Some(_)) => None,
        }
    }

    /// Of two nodes that claim to be the other end, the one that is farther away is kept. The loser
    /// is introduced to it, if that can be, for the two may have no other connection.
    fn claim(&mut self, node: NodeId, send: &mut impl FnMut(NodeId, Shape)) {
        let place = self.line.place();
        match self.ring {
            None => self.ring = Some(node),
            Some(kept) if kept == node => {}
            Some(kept) if place.side(kept) != place.side(node) => {
                self.ring = Some(node);
                self.learn(kept, send);
            }
            Some(kept) if place.distance(kept) > place.distance(node) => {
                send(kept, Shape::Intro(node));
            }
            Some(kept) => {
                self.ring = Some(node);
                send(node, Shape::Intro(kept));
            }
        }
    }

    fn probe(&mut self, node: NodeId, send: &mut impl FnMut(NodeId, Shape)) {
        let Some(side) = self.line.place().side(node) else { return };
        let right = self.farthest_right();
        right.into_iter().for_each(|right| send(right, Shape::Probe(node)));
        if side == Side::Right {
            self.learn(node, send);
        } else if right.is_none() {
            self.claim(node, send);
            if self.ring == Some(node) {
                send(node, Shape::ProbeAck(self.line.place().me));
            }
        }
    }

    fn answer(&mut self, node: NodeId, send: &mut impl FnMut(NodeId, Shape)) {
        match self.line.place().side(node) {
            None => {}
            Some(Side::Right) if self.nearest(Side::Left).is_none() => self.claim(node, send),
            Some(_) => self.learn(node, send),
        }
    }
}

impl<L: Overlay> Overlay for Closed<L> {
    const CLOSES: bool = true;
    const HAS_LEVELS: bool = L::HAS_LEVELS;

    fn new(place: Place) -> Self {
        Self { line: L::new(place), ring: None }
    }

    fn any(place: Place, nodes: u32, choose: &mut impl FnMut(u32) -> u32) -> Self {
        let line = L::any(place, nodes, choose);
        Self { line, ring: others(place.me, nodes).nth((choose(nodes) as usize).wrapping_sub(1)) }
    }

    fn place(&self) -> Place {
        self.line.place()
    }

    fn neighbours(&self, side: Side) -> impl Iterator<Item = NodeId> + '_ {
        self.line.neighbours(side)
    }

    fn ring(&self) -> Option<NodeId> {
        self.ring
    }

    fn levels(&self) -> u32 {
        self.line.levels()
    }

    fn kept(&self) -> Vec<NodeId> {
        self.line.kept()
    }

    fn hold(&mut self, node: NodeId) -> bool {
        self.line.hold(node)
    }

    fn hold_end(&mut self, node: NodeId) -> bool {
        *self.ring.get_or_insert(node) == node
    }

    fn forget(&mut self, node: NodeId) {
        self.line.forget(node);
        self.ring.take_if(|ring| *ring == node);
    }

    fn settle(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        self.line.settle(send);
    }

    fn receive(&mut self, msg: Shape, send: &mut impl FnMut(NodeId, Shape)) {
        self.settle(send);
        match msg {
            Shape::Intro(node) => self.learn(node, send),
            Shape::Probe(node) => self.probe(node, send),
            Shape::ProbeAck(node) => self.answer(node, send),
        }
    }

    fn tick(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        self.line.tick(send);
        let Place { me, .. } = self.line.place();
        let end = self.end();
        if end == Some(Side::Left) {
            self.farthest_right().into_iter().for_each(|right| send(right, Shape::Probe(me)));
        }
        let Some(ring) = self.ring else { return };
        match (end, self.line.place().side(ring)) {
            (Some(Side::Left), Some(Side::Right)) => send(ring, Shape::Probe(me)),
            (Some(Side::Right), Some(Side::Left)) => send(ring, Shape::ProbeAck(me)),
            _ => self.open(send), // It shows that this node is no end.
        }
    }

    fn ideal(mixer: Mixer, members: &[NodeId]) -> impl Iterator<Item = Vec<NodeId>> {
        L::ideal(mixer, members)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hop;
    use super::super::place::sorted;
    use super::*;
    use crate::circle::Point;

    const MIXER: Mixer = Mixer::new(3);

    fn receive(ring: &mut BuildRing, msg: Shape) -> Vec<(NodeId, Shape)> {
        let mut sent = Vec::new();
        ring.receive(msg, &mut |to, msg| sent.push((to, msg)));
        sent
    }

    /// The largest of five nodes keeps the smaller claim, and introduces the two claimants to each
    /// other.
    #[test]
    fn rival_claims_meet() {
        let order = sorted(MIXER, NodeId::all(5));
        let mut largest = BuildRing::new(Place::new(order[4], MIXER));
        let ack = |to: NodeId| (to, Shape::ProbeAck(order[4]));
        assert_eq!(receive(&mut largest, Shape::Probe(order[1])), [ack(order[1])]);
        assert_eq!(
            receive(&mut largest, Shape::Probe(order[2])),
            [(order[1], Shape::Intro(order[2]))]
        );
        let sent = receive(&mut largest, Shape::Probe(order[0]));
        assert_eq!(sent, [(order[0], Shape::Intro(order[1])), ack(order[0])]);
        assert_eq!((largest.ring(), largest.kept()), (Some(order[0]), Vec::new()));
    }

    #[test]
    fn a_probe_travels_to_the_largest_node() {
        let order = sorted(MIXER, NodeId::all(5));
        let mut inner = BuildRing::new(Place::new(order[2], MIXER));
        receive(&mut inner, Shape::Intro(order[3]));
        let sent = receive(&mut inner, Shape::Probe(order[0]));
        assert_eq!(sent, [(order[3], Shape::Probe(order[0]))]);
        assert_eq!(receive(&mut inner, Shape::Probe(order[2])), [], "its own claim");
    }

    /// The minimum and the maximum do not send a search to each other for ever.
    #[test]
    fn a_position_below_the_smallest_node_belongs_to_the_largest() {
        let order = sorted(MIXER, NodeId::all(3));
        let below = Point(MIXER.node(order[0]).0 / 2);
        let end = |me: NodeId, other: NodeId, near: NodeId| {
            let mut node = BuildRing::new(Place::new(me, MIXER));
            assert!(node.hold(near) && node.hold_end(other));
            node
        };
        let smallest = end(order[0], order[2], order[1]);
        let largest = end(order[2], order[0], order[1]);
        assert_eq!(smallest.next(below), Hop::To(order[2]));
        assert_eq!(largest.next(below), Hop::Here);
        assert_eq!(smallest.next(MIXER.node(order[1])), Hop::To(order[1]), "a closed end");
        assert_eq!(smallest.next(MIXER.node(order[1]).before()), Hop::Here);
    }
}
