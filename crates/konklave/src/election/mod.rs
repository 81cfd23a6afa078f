//! Leader election: from a symmetric start, exactly one node is chosen, and all learn which.
//!
//! [`Command::Start`] makes a node an initiator, if the election has not reached it yet; it is told
//! [`Event::Started`] then. Nodes compare unique [`Id`]s, which are not their addresses. The winner
//! tells its application [`Event::Elected`]; every node, the winner too, is told [`Event::Knows`]
//! with the winner's id. In every algorithm here the message that announces the result is called
//! `Elected`: its cost is reported apart from the cost of electing.
//!
//! An election can follow an election: a start after the last one was decided begins the next. A
//! leader leaves office when it hears of that ([`Event::SteppedDown`]), or by crashing.
//!
//! Promises:
//! - **one leader** (safety): at no time do two nodes that are up lead;
//! - **the right leader** (safety): the winner is the node that the algorithm promises to elect,
//!   see [`Winner`];
//! - **agreement** (safety): no node is told of a winner that the election does not have;
//! - **termination** (liveness): eventually there is a leader, and every node that is up knows it.

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

/// What nodes are compared by. Unique; the largest wins.
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

/// What an application asks for, or tells a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// To start an election.
    Start,
    /// This other node is presumed dead. Only algorithms that survive crashes listen.
    Lost(NodeId),
    /// This other node is back.
    Found(NodeId),
}

/// What an application is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// This node takes part as an initiator: its application's start came in time.
    Started,
    /// This node is the leader now.
    Elected,
    /// The leader is the node with this id.
    Knows(Id),
    /// The leader is the node with this id, unless a larger one turns up. Said instead of
    /// [`Knows`](Self::Knows) by algorithms that cannot tell when they are done.
    Presumes(Id),
    /// This node is not the leader any more: the next election has begun.
    SteppedDown,
}

/// Which node an algorithm promises to elect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// The largest id of all nodes; of those that are up, if the algorithm survives crashes.
    Largest,
    /// The largest id among those that started the election.
    LargestInitiator,
    /// Any node, as long as it is one.
    Anyone,
}
