//! Flaws of dictionaries without a server: data that are dropped too early, and ways that lead in a
//! circle.

use konklave::NodeId;
use konklave::circle::{Mixer, Point};
use konklave::dictionary::prefix_dht::{self, PrefixDht};
use konklave::overlay::skip_plus::SkipPlus;
use konklave::overlay::{Hop, Overlay, Place, Shape, Side};
use konklave::protocol::Input;

use crate::Flaw;

/// Drops a copy as soon as it was sent on, before the next node has stored it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DropsBeforeStored;

impl Flaw<PrefixDht> for DropsBeforeStored {
    fn inputs(&mut self, node: &PrefixDht, input: Input<PrefixDht>) -> Vec<Input<PrefixDht>> {
        let mut inputs = vec![input];
        if inputs == [Input::Tick] {
            inputs.extend(node.moving().map(|(from, key, copy)| {
                let msg = prefix_dht::Msg::MoveAck { key, version: copy.version() };
                Input::Message { from, msg }
            }));
        }
        inputs
    }
}

/// A Skip+ graph in which the largest node does not know that it is responsible for what lies
/// before the smallest one: the two send a request to each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoWrapTest(SkipPlus);

impl Overlay for NoWrapTest {
    const CLOSES: bool = SkipPlus::CLOSES;

    fn new(place: Place) -> Self {
        Self(SkipPlus::new(place))
    }

    fn any(place: Place, nodes: u32, choose: &mut impl FnMut(u32) -> u32) -> Self {
        Self(SkipPlus::any(place, nodes, choose))
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
        self.0.settle(send);
    }

    fn receive(&mut self, msg: Shape, send: &mut impl FnMut(NodeId, Shape)) {
        self.0.receive(msg, send);
    }

    fn tick(&mut self, send: &mut impl FnMut(NodeId, Shape)) {
        self.0.tick(send);
    }

    fn ideal(mixer: Mixer, members: &[NodeId]) -> impl Iterator<Item = Vec<NodeId>> {
        SkipPlus::ideal(mixer, members)
    }

    fn next(&self, point: Point) -> Hop {
        let first = self.0.neighbours(Side::Left).last();
        let is_last = self.0.neighbours(Side::Right).next().is_none();
        match first {
            Some(first) if is_last && point < self.place().at(first) => Hop::To(first),
            _ => self.0.next(point),
        }
    }
}
