//! Where nodes are in the order that an overlay sorts them by.

use std::fmt::{self, Debug};

use crate::NodeId;
use crate::circle::{Mixer, Point, Salt};

/// A node, and the functions that place it and all others. What they say of a node follows from its
/// address, so no message need carry it, and none can lie about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The node.
    pub me: NodeId,
    /// The functions of the system.
    pub mixer: Mixer,
}

impl Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.me, self.here())
    }
}

/// A direction along the sorted nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Towards smaller positions.
    Left,
    /// Towards larger positions.
    Right,
}

impl Side {
    /// Both directions.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

impl Place {
    /// The place of a node.
    pub fn new(me: NodeId, mixer: Mixer) -> Self {
        Self { me, mixer }
    }

    /// Where a node is.
    pub fn at(self, node: NodeId) -> Point {
        self.mixer.node(node)
    }

    /// Where this node is.
    pub fn here(self) -> Point {
        self.at(self.me)
    }

    /// On which side of this node another one is; on none, if it is this one.
    pub fn side(self, node: NodeId) -> Option<Side> {
        match self.at(node).cmp(&self.here()) {
            std::cmp::Ordering::Less => Some(Side::Left),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Side::Right),
        }
    }

    /// How far it is along the line from this node to another.
    pub fn distance(self, node: NodeId) -> u64 {
        self.at(node).0.abs_diff(self.here().0)
    }

    /// How many bits the random bit strings of two nodes have in common, from the first on.
    pub fn common_prefix(self, one: NodeId, other: NodeId) -> u32 {
        (bits(self.mixer, one) ^ bits(self.mixer, other)).leading_zeros()
    }
}

/// The random bit string of a node, the first bit highest. No two nodes have the same.
pub fn bits(mixer: Mixer, node: NodeId) -> u64 {
    mixer.mix(node.0.into(), Salt::BITS)
}

/// These nodes in the order of their positions.
pub fn sorted(mixer: Mixer, nodes: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
    let mut nodes: Vec<_> = nodes.into_iter().collect();
    nodes.sort_by_cached_key(|&node| mixer.node(node));
    nodes
}
