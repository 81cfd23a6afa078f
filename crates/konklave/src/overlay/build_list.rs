//! BuildList: keep the closest node on either side, and hand every other address towards its place.
//!
//! M. Onus, A. W. Richa, C. Scheideler: Linearization: Locally Self-Stabilizing Sorting in Graphs.
//! ALENEX 2007.
//!
//! # Idea
//!
//! A node keeps the closest node that it knows on either side. Any other address is handed to a
//! node that is closer to it, so long edges are replaced by shorter ones until only the sorted list
//! is left. In its turn a node introduces itself to its neighbours.
//!
//! Why it converges: take two neighbours of the sorted list, and a path of known addresses between
//! them. Its leftmost node has two path neighbours on its right. Either it knows them, then it
//! hands the farther one to the nearer one and leaves the path; or they know it, then they
//! introduce themselves or pass it on over shorter edges. So the path shrinks until it is the edge
//! between the two. Why it stays sorted: the closest neighbour is never given up.
//!
//! # Cost
//!
//! Messages: 2(n-1) in a round of a sorted list.
//!
//! - Time: O(n) rounds from any connected start.
//! - State: two addresses.
//! - Search: n/3 hops on average, n-1 at most.
//!
//! # Assumes
//!
//! Nodes that are connected by the addresses that they and the messages in transit hold, and
//! reliable channels, which may reorder messages.
//!
//! - Loss: an address that is lost can disconnect the network, and nothing can repair that.
//! - Duplication: a duplicate is harmless.
//! - Crash: messages to a crashed node are lost, so the list is cut there.
//!
//! # Differs from the paper
//!
//! An address on the wrong side is learned anew before every step, so that variables may hold
//! anything.

pub use super::Msg;
use super::{Overlay, Place, Shape, Side};
use crate::NodeId;
use crate::circle::Mixer;

/// One node of the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BuildList {
    place: Place,
    left: Option<NodeId>,
    right: Option<NodeId>,
}

impl BuildList {
    fn slot(&mut self, side: Side) -> &mut Option<NodeId> {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    fn learn(&mut self, node: NodeId, send: &mut impl FnMut(NodeId, Shape)) {
        let place = self.place;
        let Some(side) = place.side(node) else { return };
        let kept = self.slot(side);
        match *kept {
            None => *kept = Some(node),
            Some(old) if old == node => {}
            Some(old) if place.distance(node) < place.distance(old) => {
                *kept = Some(node);
                send(node, Shape::Intro(old));
            }
            Some(old) => send(old, Shape::Intro(node)),
        }
    }
}

impl Overlay for BuildList {
    fn new(place: Place) -> Self {
        Self { place, left: None, right: None }
    }

    fn any(place: Place, nodes: u32, choose: &mut impl FnMut(u32) -> u32) -> Self {
        let mut maybe = || others(place.me, nodes).nth((choose(nodes) as usize).wrapping_sub(1));
        Self { left: maybe(), right: maybe(), place }
    }

    fn place(&self) -> Place {
        self.place
    }

    fn neighbours(&self, side: Side) -> impl Iterator<Item = NodeId> + '_ {
        let kept = if side == Side::Left { self.left } else { self.right };
        kept.into_iter().filter(move |&node| self.place.side(node) == Some(side))
    }

    fn kept(&self) -> Vec<NodeId> {
        self.left.into_iter().chain(self.right).collect()
    }

    fn hold(&mut self, node: NodeId) -> bool {
        let mut sides = Side::BOTH;
        if self.place.side(node) == Some(Side::Right) {
            sides.reverse();
        }
        let free = sides.into_iter().find(|&side| self.slot(side).is_none());
        free.map(|side| *self.slot(side) = Some(node)).is_some()
    }

    fn forget(&mut self, node: NodeId) {
        for side in Side::BOTH {
            self.slot(side).take_if(|kept| *kept == node);
        }
    }

    /// An address on the wrong side is learned anew.
    fn settle(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        for side in Side::BOTH {
            let place = self.place;
            let wrong = self.slot(side).take_if(|node| place.side(*node) != Some(side));
            wrong.into_iter().for_each(|node| self.learn(node, send));
        }
    }

    fn receive(&mut self, msg: Shape, send: &mut impl FnMut(NodeId, Shape)) {
        self.settle(send);
        self.learn(msg.node(), send);
    }

    fn tick(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        self.settle(send);
        for neighbour in self.kept() {
            send(neighbour, Shape::Intro(self.place.me));
        }
    }

    fn ideal(_mixer: Mixer, members: &[NodeId]) -> impl Iterator<Item = Vec<NodeId>> {
        let beside = |place: usize| {
            let left = place.checked_sub(1).map(|left| members[left]);
            left.into_iter().chain(members.get(place + 1).copied()).collect()
        };
        (0..members.len()).map(beside)
    }
}

/// All other nodes of a system.
pub(super) fn others(me: NodeId, nodes: u32) -> impl Iterator<Item = NodeId> {
    NodeId::all(nodes).filter(move |node| *node != me)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of nodes 0 to 4 in order, and the place of the middle one.
    fn middle() -> (Vec<NodeId>, BuildList) {
        let mixer = Mixer::new(3);
        let order = super::super::place::sorted(mixer, NodeId::all(5));
        let list = BuildList::new(Place::new(order[2], mixer));
        (order, list)
    }

    fn learn(list: &mut BuildList, node: NodeId) -> Vec<(NodeId, NodeId)> {
        let mut sent = Vec::new();
        list.receive(Shape::Intro(node), &mut |to, msg| sent.push((to, msg.node())));
        sent
    }

    #[test]
    fn the_closest_is_kept_and_the_others_are_handed_on() {
        let (order, mut list) = middle();
        assert_eq!(learn(&mut list, order[0]), []);
        assert_eq!(learn(&mut list, order[1]), [(order[1], order[0])]);
        assert_eq!(learn(&mut list, order[0]), [(order[1], order[0])]);
        assert_eq!(learn(&mut list, order[1]), []);
        assert_eq!(learn(&mut list, order[2]), [], "itself");
        assert_eq!(learn(&mut list, order[3]), []);
        assert_eq!(learn(&mut list, order[4]), [(order[3], order[4])]);
        assert_eq!(list.kept(), [order[1], order[3]]);
    }

    #[test]
    fn an_address_on_the_wrong_side_is_learned_anew() {
        let (order, list) = middle();
        let mut list = BuildList { left: Some(order[4]), right: Some(order[3]), ..list };
        let mut sent = Vec::new();
        list.settle(&mut |to, msg| sent.push((to, msg.node())));
        assert_eq!((list.left, list.right), (None, Some(order[3])));
        assert_eq!(sent, [(order[3], order[4])]);
    }
}
