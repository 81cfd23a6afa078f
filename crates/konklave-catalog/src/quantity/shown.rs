//! What the pictures of a run show of its nodes in the end.

use konklave::NodeId;

/// A network that nodes form among themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formation {
    /// The nodes, and where they are on a circle, from 0 to 1.
    pub places: Vec<(NodeId, f64)>,
    /// What connects two nodes, or should.
    pub ties: Vec<(NodeId, NodeId, Tie)>,
    /// The lists of each level, from the lowest on; empty if there are no levels.
    pub levels: Vec<Vec<Chain>>,
}

/// What a connection of two nodes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// It is there, and should be.
    Legal,
    /// It is there, and should not be.
    Surplus,
    /// It should be there, in both directions or in one, and is not.
    Missing,
}

/// Nodes in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// What they have in common.
    pub name: String,
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// What connects each with the next.
    pub ties: Vec<Tie>,
}

/// How much a node stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    /// The number of keys.
    pub keys: u64,
    /// Its share of all keys, by its capacity.
    pub share: f64,
}
