//! Overlays: nodes that know each other's addresses form a network of their own, which repairs
//! itself and takes nodes in and lets them go.
//!
//! A node can only talk to nodes whose addresses it holds. Every node has a position on a circle,
//! and the network is to become one in which a search for any position is short.
//!
//! Three promises are about states instead of events. *Connected*: nodes that are connected by what
//! they and the messages in transit know stay so. *Convergence*: from every connected state, every
//! fair schedule leads to a legal one. *Closure*: no step of the algorithm leads out of a legal
//! state. See [legality](protocol::Protocol::legality): the simulator looks at it after every
//! round, and a search in every state.
//!
//! Promises:
//! - **right node** (safety): in a legal network that no node joins or leaves, a search ends at the
//!   node that is responsible for the position: the last one that is not beyond it, around the
//!   circle;
//! - **every search ends** (liveness): a search of a node that stays is eventually answered.

pub mod build_list;
pub mod build_ring;
pub mod ldb;
pub mod member;
pub mod place;
pub mod skip_plus;
mod start;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::circle::{Arc, Mixer, Point};
use crate::protocol::{self, Broken, Promise};
pub use member::Member;
pub use place::{Place, Side};
pub use start::Start;

/// What an application asks of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// To take part; the contact is a node that does.
    Join {
        /// The node that it knows.
        contact: NodeId,
    },
    /// To leave for good.
    Leave,
    /// To find the node that is responsible for a position.
    Search(Point),
}

/// What a node tells its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// The node has begun to take part: it knows its contact.
    Joined,
    /// The node has left: no message will reach it.
    Left,
    /// A search has ended.
    Found {
        /// The position that was searched for.
        point: Point,
        /// The node that believes to be responsible for it.
        node: NodeId,
        /// The number of messages from the searching node to that one.
        hops: u32,
    },
}

/// What nodes of an overlay send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Keeps the overlay in shape.
    Shape(Shape),
    /// The sender leaves.
    Bye {
        /// The nodes that it knows, for the receiver to know in its place.
        others: Box<[NodeId]>,
    },
    /// The sender has forgotten the receiver.
    ByeAck,
    /// A search travels to the node that is responsible.
    Search {
        /// The node that searches.
        origin: NodeId,
        /// The position.
        point: Point,
        /// The number of messages so far, this one included.
        hops: u32,
    },
    /// A search has ended at the sender.
    Found {
        /// The position.
        point: Point,
        /// The number of messages that led there.
        hops: u32,
    },
}

/// A message that keeps an overlay in shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Shape {
    /// The receiver learns this address.
    Intro(NodeId),
    /// This node believes to be the smallest, and looks for the largest.
    Probe(NodeId),
    /// This node believes to be the largest, and answers the smallest.
    ProbeAck(NodeId),
}

impl Shape {
    /// The address in it.
    pub fn node(self) -> NodeId {
        match self {
            Self::Intro(node) | Self::Probe(node) | Self::ProbeAck(node) => node,
        }
    }
}

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// This node is responsible, as far as it knows.
    Here,
    /// The search goes on at this node.
    To(NodeId),
}

/// The rules of an overlay at one node: which addresses it keeps, and to which nodes it hands the
/// others. An address is dropped only after it was sent to a node that stays known.
pub trait Overlay: Clone + Eq + Hash + Debug + Send + 'static {
    /// A node that knows nobody.
    fn new(place: Place) -> Self;

    /// Any state at all, by these choices, in a system of so many nodes.
    fn any(place: Place, nodes: u32, choose: &mut impl FnMut(u32) -> u32) -> Self;

    /// Where the node is.
    fn place(&self) -> Place;

    /// Its neighbours on one side, the nearest first.
    fn neighbours(&self, side: Side) -> impl Iterator<Item = NodeId> + '_;

    /// The node at the other end, if the smallest and the largest node know each other.
    fn ring(&self) -> Option<NodeId> {
        None
    }

    /// Whether the smallest and the largest node are to know each other.
    const CLOSES: bool = false;

    /// Whether nodes with the same first bits form lists of their own.
    const HAS_LEVELS: bool = false;

    /// On how many levels it has neighbours.
    fn levels(&self) -> u32 {
        1
    }

    /// Every address that it holds, but for [that one](Self::ring); also one that it should not.
    fn kept(&self) -> Vec<NodeId>;

    /// Every address that it holds.
    fn known(&self) -> Vec<NodeId> {
        let mut known = self.kept();
        known.extend(self.ring());
        known
    }

    /// Holds an address without any thought, as in a state that needs repair; says whether there
    /// was room for it.
    fn hold(&mut self, node: NodeId) -> bool;

    /// Takes a node for the one at the other end, as in a state that needs repair; says whether
    /// there was room for it.
    fn hold_end(&mut self, _node: NodeId) -> bool {
        false
    }

    /// Drops an address: the node has left.
    fn forget(&mut self, node: NodeId);

    /// Puts right what no rule expects, before any rule is applied.
    fn settle(&mut self, send: &mut impl FnMut(NodeId, Shape));

    /// A message arrives.
    fn receive(&mut self, msg: Shape, send: &mut impl FnMut(NodeId, Shape));

    /// It is the node's turn to act by itself.
    fn tick(&mut self, send: &mut impl FnMut(NodeId, Shape));

    /// The neighbours that each of these nodes has in a legal state; they are sorted by position.
    fn ideal(mixer: Mixer, members: &[NodeId]) -> impl Iterator<Item = Vec<NodeId>>;

    /// Where a search for a position goes next.
    ///
    /// The intervals are half open: a node is responsible from its own position up to that of its
    /// successor. Every hop gets closer along the line, the last one steps over the position to its
    /// predecessor, so in a legal state the ways to one position form a tree.
    fn next(&self, point: Point) -> Hop {
        let place = self.place();
        let successor = self.neighbours(Side::Right).next().or(self.ring());
        if successor.is_some_and(|it| Arc::up_to(place.here(), place.at(it)).contains(point)) {
            return Hop::Here;
        }
        let next = match point >= place.here() {
            true => self.neighbours(Side::Right).take_while(|&it| place.at(it) <= point).last(),
            false => {
                let mut beyond = self.neighbours(Side::Left);
                let before = self.neighbours(Side::Left).take_while(|&it| place.at(it) >= point);
                before.last().or_else(|| beyond.next()).or(self.ring())
            }
        };
        next.map_or(Hop::Here, Hop::To)
    }

    /// The same for a search that does not go in circles while the network repairs itself: once the
    /// smallest node has sent it to the largest, it only goes on to larger ones.
    ///
    /// So it comes to a node that believes to be responsible in any state of the network: down
    /// towards the position, over it, up towards it; or down to the smallest node, and up.
    fn next_once(&self, point: Point, has_turned: &mut bool) -> Hop {
        if *has_turned {
            return self.neighbours(Side::Right).last().map_or(Hop::Here, Hop::To);
        }
        let next = self.next(point);
        let is_first = self.neighbours(Side::Left).next().is_none();
        *has_turned = is_first && point < self.place().here() && next != Hop::Here;
        next
    }
}

/// The node that is responsible for a position, among these sorted nodes: the last one that is not
/// beyond it, around the circle; along a line, the first one is responsible for what lies before
/// it.
pub fn responsible(mixer: Mixer, members: &[NodeId], point: Point, closes: bool) -> NodeId {
    let after = members.partition_point(|&node| mixer.node(node) <= point);
    match after.checked_sub(1) {
        Some(place) => members[place],
        None if closes => members[members.len() - 1],
        None => members[0],
    }
}

/// Watches an overlay.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    mixer: Mixer,
    closes: bool,
    /// The nodes, sorted, as long as the network is legal and nobody joins or leaves.
    members: Option<Vec<NodeId>>,
    /// How many searches of each node are under way.
    searches: BTreeMap<NodeId, u32>,
}

/// In a legal network, a search ends at the responsible node.
const RIGHT_NODE: &str = "right node";
/// Searches end.
const EVERY_SEARCH_ENDS: &str = "every search ends";

impl Monitor {
    /// Watches nodes that are placed by these functions. If the network is legal from the start,
    /// `members` are its nodes.
    pub fn new(mixer: Mixer, closes: bool, members: Option<Vec<NodeId>>) -> Self {
        let members = members.map(|members| place::sorted(mixer, members));
        Self { mixer, closes, members, searches: BTreeMap::new() }
    }
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, command: &Command) -> Result<(), Broken> {
        match command {
            Command::Join { .. } | Command::Leave => self.members = None,
            Command::Search(_) => *self.searches.entry(node).or_default() += 1,
        }
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        match *event {
            Event::Joined => {}
            Event::Left => {
                self.searches.remove(&node);
            }
            Event::Found { point, node: found, .. } => {
                let Some(open) = self.searches.get_mut(&node) else {
                    return Broken::by(
                        node,
                        EVERY_SEARCH_ENDS,
                        format!("node {node} is told of a search that it has not begun"),
                    );
                };
                *open -= 1;
                if *open == 0 {
                    self.searches.remove(&node);
                }
                if let Some(members) = &self.members {
                    let right = responsible(self.mixer, members, point, self.closes);
                    if found != right {
                        return Broken::by(
                            found,
                            RIGHT_NODE,
                            format!("node {found} answers for {point}, which belongs to {right}"),
                        );
                    }
                }
            }
        }
        Ok(())
    }

    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
        self.members = None;
        self.searches.remove(&node);
        Ok(())
    }

    fn on_fault(&mut self) {
        self.members = None;
    }

    fn promises() -> &'static [Promise] {
        const { &[Promise::safety(RIGHT_NODE), Promise::liveness(EVERY_SEARCH_ENDS)] }
    }

    fn watches(&self, promise: &str) -> bool {
        promise != RIGHT_NODE || self.members.is_some()
    }

    fn at_rest(&self) -> Result<(), Broken> {
        match self.searches.keys().next() {
            None => Ok(()),
            Some(&node) => Broken::by(
                node,
                EVERY_SEARCH_ENDS,
                format!("a search of node {node} is not answered"),
            ),
        }
    }
}
