//! Flaws of overlays: addresses that are dropped, and rules that are applied too seldom.

use std::fmt::Debug;
use std::hash::Hash;

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::overlay::build_list::BuildList;
use konklave::overlay::build_ring::BuildRing;
use konklave::overlay::skip_plus::Levels;
use konklave::overlay::{Overlay, Place, Shape, Side};

/// How a rule of a right overlay is spoiled.
pub trait Spoil: Clone + Eq + Hash + Debug + Send + 'static {
    /// The overlay.
    type Right: Overlay;

    /// Puts right what no rule expects.
    fn settle(right: &mut Self::Right, send: &mut impl FnMut(NodeId, Shape)) {
        right.settle(send);
    }

    /// A message arrives.
    fn receive(right: &mut Self::Right, msg: Shape, send: &mut impl FnMut(NodeId, Shape)) {
        right.receive(msg, send);
    }

    /// It is the node's turn.
    fn tick(right: &mut Self::Right, send: &mut impl FnMut(NodeId, Shape)) {
        right.tick(send);
    }
}

/// A right overlay with a spoiled rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spoiled<S: Spoil>(S::Right);

impl<S: Spoil> Overlay for Spoiled<S> {
    const CLOSES: bool = S::Right::CLOSES;

    fn new(place: Place) -> Self {
        Self(S::Right::new(place))
    }

    fn any(place: Place, nodes: u32, choose: &mut impl FnMut(u32) -> u32) -> Self {
        Self(S::Right::any(place, nodes, choose))
    }

    fn place(&self) -> Place {
        self.0.place()
    }

    fn neighbours(&self, side: Side) -> impl Iterator<Item = NodeId> + '_ {
        self.0.neighbours(side)
    }

    fn ring(&self) -> Option<NodeId> {
        self.0.ring()
    }

    fn levels(&self) -> u32 {
        self.0.levels()
    }

    fn kept(&self) -> Vec<NodeId> {
        self.0.kept()
    }

    fn hold(&mut self, node: NodeId) -> bool {
        self.0.hold(node)
    }

    fn hold_end(&mut self, node: NodeId) -> bool {
        self.0.hold_end(node)
    }

    fn forget(&mut self, node: NodeId) {
        self.0.forget(node);
    }

    fn settle(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        S::settle(&mut self.0, send);
    }

    fn receive(&mut self, msg: Shape, send: &mut impl FnMut(NodeId, Shape)) {
        S::receive(&mut self.0, msg, send);
    }

    fn tick(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        S::tick(&mut self.0, send);
    }

    fn ideal(mixer: Mixer, members: &[NodeId]) -> impl Iterator<Item = Vec<NodeId>> {
        S::Right::ideal(mixer, members)
    }
}

/// Drops an address that it does not keep, instead of handing it on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Drops;

impl Spoil for Drops {
    type Right = BuildList;

    fn receive(right: &mut BuildList, msg: Shape, _send: &mut impl FnMut(NodeId, Shape)) {
        right.receive(msg, &mut |_, _| {});
    }
}

/// Of two nodes that claim to be the other end, learns the loser as a neighbour of its own, instead
/// of introducing the two to each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Merges;

impl Spoil for Merges {
    type Right = BuildRing;

    fn receive(right: &mut BuildRing, msg: Shape, send: &mut impl FnMut(NodeId, Shape)) {
        // What it takes for a claim: a smaller node that no larger one knows, or the reverse.
        let (from, nearest) = match msg {
            Shape::Intro(_) => return right.receive(msg, send),
            Shape::Probe(_) => (Side::Left, right.neighbours(Side::Right).next()),
            Shape::ProbeAck(_) => (Side::Right, right.neighbours(Side::Left).next()),
        };
        let is_claim = right.place().side(msg.node()) == Some(from) && nearest.is_none();
        let mut losers = Vec::new();
        right.receive(msg, &mut |to, sent| match sent {
            Shape::Intro(loser) if is_claim => losers.push(loser),
            sent => send(to, sent),
        });
        losers.into_iter().for_each(|loser| right.receive(Shape::Intro(loser), send));
    }
}

/// Looks for superfluous neighbours only when it learns of a new one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnNews;

impl Spoil for OnNews {
    type Right = Levels;

    fn settle(_right: &mut Levels, _send: &mut impl FnMut(NodeId, Shape)) {}

    /// A right node that has settled introduces the same nodes to each other.
    fn tick(right: &mut Levels, send: &mut impl FnMut(NodeId, Shape)) {
        let mut settled = right.clone();
        settled.settle(&mut |_, _| {});
        settled.tick(send);
    }
}
