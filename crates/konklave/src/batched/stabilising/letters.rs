//! What processes tell each other.

use serde::{Deserialize, Serialize};

use super::Mended;
use crate::NodeId;
use crate::batched::Op;
use crate::object::Answer;
use crate::overlay;

/// What processes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Msg<S: Mended> {
    /// The epoch of the sender.
    pub(super) epoch: u64,
    pub(super) letter: Letter<S>,
}

/// What is in a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) enum Letter<S: Mended> {
    /// About the overlay, in whatever epoch.
    Overlay(overlay::Msg),
    /// Towards the anchor: operations that need places.
    Request { id: u32, batch: S::Batch },
    /// Back: their places.
    Answer { id: u32, assignment: S::Assignment },
    /// Whether the receiver remembers a request.
    Check { id: u32 },
    /// It does not, or what it was passed on in is lost.
    Nack { id: u32 },
    /// To the left: what a former anchor knows.
    Hand(Box<S>),
    /// Towards the anchor: the process stores an element with this key.
    Claim { process: NodeId, key: S::Key },
    /// No operation will be sent to that element by the anchor.
    Orphan { key: S::Key },
    /// An element travels to its key.
    Put { task: Task<S::Key>, op: Op<S> },
    /// An operation travels to the element that it takes out.
    Get(Task<S::Key>),
    /// To a process: its operation has ended.
    Done { ticket: Ticket, answer: Answer },
    /// An element that does not belong to the sender.
    Move { key: S::Key, op: Op<S> },
    /// It was stored.
    Moved { key: S::Key, op: Op<S> },
}

/// An operation of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Ticket {
    /// Of its application, which had invoked so many before.
    Of(u32),
    /// Its own: it inserts an element anew.
    Anew(u32),
}

/// An operation that travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Task<K> {
    pub(super) process: NodeId,
    pub(super) ticket: Ticket,
    pub(super) key: K,
    /// Whether it was sent from the smallest node to the largest.
    pub(super) has_turned: bool,
}
