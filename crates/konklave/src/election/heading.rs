//! The two directions of travel on a bidirectional ring.

use serde::{Deserialize, Serialize};

use crate::NodeId;

/// The direction in which a message travels. Messages carry it, because on a ring of one or two
/// nodes the sender does not determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Heading {
    /// From each node to its left neighbour.
    Left,
    /// From each node to its right neighbour.
    Right,
}

impl Heading {
    /// The reverse direction.
    pub fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// The neighbours of a node on a ring. On a ring of two they are the same node; on a ring of one,
/// the node itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbours {
    /// The predecessor.
    pub left: NodeId,
    /// The successor.
    pub right: NodeId,
}

impl Neighbours {
    /// The next hop of a message that travels in this direction.
    pub fn towards(self, heading: Heading) -> NodeId {
        match heading {
            Heading::Left => self.left,
            Heading::Right => self.right,
        }
    }
}
