//! What a process knows about its wave.

use serde::{Deserialize, Serialize};

use super::Placed;
use crate::NodeId;
use crate::batched::service::{Op, Service};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Child<B> {
    pub(super) node: NodeId,
    /// What it has said in this phase.
    pub(super) said: Option<Said<B>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Said<B> {
    Batch(B),
    Stored,
}

/// What is above a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Upwards<S> {
    Parent(NodeId),
    /// The process is the anchor.
    Anchor(S),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) enum Phase<S: Service> {
    /// It waits for the batches of its children.
    Collecting {
        /// Whether one of them has an operation for the next wave already.
        more: bool,
    },
    /// Its batch, an empty one, is gone: the anchor may keep the assignment. The anchor does.
    Asleep,
    /// Its batch is gone, and the assignment comes by itself.
    Awake,
    /// At the barrier: elements of its own or below it are not stored yet.
    Storing {
        /// How many of its own are not.
        puts: u32,
        /// Its operations that wait for all others.
        gets: Kept<S>,
    },
    /// At the barrier: elements elsewhere may not be stored yet.
    Stored {
        /// Its operations that wait for all others.
        gets: Kept<S>,
    },
}

pub(super) type Kept<S> = Vec<Placed<Op<S>, <S as Service>::Key>>;

/// Whether the anchor assigns waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Pace {
    Running,
    /// It keeps the next one, because the tree is to change.
    Held,
}
