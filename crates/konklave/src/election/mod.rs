//! Leader election: from a symmetric start, exactly one node is elected, and all nodes learn which.
//!
//! [`Command::Start`] makes a node an initiator, if the election has not reached it yet; the node
//! then reports [`Event::Started`]. Nodes compare unique [`Id`]s, which are not their addresses.
//! The winner reports [`Event::Elected`]; every node, including the winner, reports
//! [`Event::Knows`] with the winner's id. In every algorithm here the message that announces the
//! result is called `Elected`: its cost is reported apart from the cost of electing.
//!
//! Elections can be repeated: a start after the last election was decided begins the next. A leader
//! leaves office when it learns of the next election ([`Event::SteppedDown`]), or by crashing.
//!
//! Promises:
//! - **one leader** (safety): at no time do two nodes that are up lead. Where a new leader does not
//!   wait for the old one (`bully`), leaders of different elections may overlap, after a crash any
//!   leaders: an old one steps down when it learns of the new one, and at rest one node leads;
//! - **the right leader** (safety): the winner has the largest id of all nodes or, where the
//!   algorithm says so, of the initiators, or is any one node; after a crash, so it is for the node
//!   that leads at rest;
//! - **agreement** (safety): no node is told of a winner that the election does not have; after a
//!   crash, only what each node was told last counts, and termination demands that it is right;
//! - **termination** (liveness): eventually there is a leader, and every node that is up knows it,
//!   unless all initiators have crashed, or the leader has and no node starts an election since.

pub mod adoption;
pub mod bully;
pub mod chang_roberts;
pub mod chang_roberts_bidirectional;
pub mod chang_roberts_numbered;
pub mod dfs_token;
pub mod dolev_klawe_rodeh;
pub mod echo;
pub mod echo_extinction;
pub mod extinction;
pub mod franklin;
pub mod heading;
pub mod hirschberg_sinclair;
pub mod le_lann;
mod monitor;
pub mod peterson;
pub mod repeated;
pub mod ring_naive;
pub mod tree_traversal;
pub mod tree_wave;
pub mod virtual_tree;

use std::fmt::{self, Debug, Display};

use serde::{Deserialize, Serialize};

use crate::NodeId;

pub use monitor::Monitor;

/// The identity by which nodes are compared: unique, and the largest wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(pub u32);

impl Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

/// A command of the application, or a report of its failure detector, to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// Start an election.
    Start,
    /// Another node is suspected to have crashed. Only algorithms that tolerate crashes react.
    Lost(NodeId),
    /// Another node is reachable again.
    Found(NodeId),
}

/// An event that a node reports to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// This node is an initiator: the start came before any message of the election.
    Started,
    /// This node is the leader now.
    Elected,
    /// The leader is the node with this id.
    Knows(Id),
    /// The leader is the node with this id, unless a larger id arrives later. Reported instead of
    /// [`Knows`](Self::Knows) by algorithms that do not detect termination.
    Presumes(Id),
    /// This node is no longer the leader: the next election has begun.
    SteppedDown,
}

/// Which node an algorithm promises to elect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// The largest id of all nodes; of the nodes that are up, if the algorithm tolerates crashes.
    Largest,
    /// The largest id among the initiators.
    LargestInitiator,
    /// Any one node.
    Anyone,
}
