//! Ways round a ring whose links lead both ways.

use serde::{Deserialize, Serialize};

use crate::NodeId;

/// Which way round a message travels. It says so itself: on a ring of one or two nodes the sender
/// does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Heading {
    /// From each node to its left neighbour.
    Left,
    /// From each node to its right neighbour.
    Right,
}

impl Heading {
    /// The other way.
    pub fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// The neighbours of a node on a ring; on a small one they are the same, or the node itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbours {
    /// The one before it.
    pub left: NodeId,
    /// The one after it.
    pub right: NodeId,
}

impl Neighbours {
    /// The neighbour that is next for a message with this heading.
    pub fn towards(self, heading: Heading) -> NodeId {
        match heading {
            Heading::Left => self.left,
            Heading::Right => self.right,
        }
    }
}
