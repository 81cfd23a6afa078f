//! Processes join and leave while waves go on: all that want to, in one *change* of the group.
//!
//! A process that wants a change lets the anchor know, which then holds a wave that all have taken
//! part in. It goes up and down the tree three times, and the tree is the old one to the end:
//!
//! 1. *Halt*, down: no wave goes on. *Quiet*, up: no element is on its way, and these processes
//!    want to join and to leave.
//! 2. *Update*, down: this is the change. Everybody sends elements to those that are responsible
//!    for them from now on, and tells those that join beside them their places. *Ready*, up: all of
//!    that has arrived. A process that joins is a child of the one before its left node.
//! 3. *Commit*, down: everybody takes the new place. *Switched*, up: everybody has. *Start*, down:
//!    go on.
//!
//! Nobody goes on before all have switched, so no message of the new tree meets a process in the
//! old one, and messages need not say which of the two they belong to.
//!
//! The paper tells processes the number of those that join and lets neighbours find each other.
//! Here those that leave tell their neighbours, and everybody works out the rest ([`Change`]).

mod steps;

use serde::{Deserialize, Serialize};

use super::service::Service;
use crate::overlay::ldb::{Change, Spot};
use crate::{NodeId, NodeSet};

/// What processes send each other about the group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<K, S> {
    /// This process wants to join.
    Join(NodeId),
    /// To the parent: a process below wants a change.
    Wanted,
    /// To a child: no wave goes on.
    Halt,
    /// To the parent: no element is on its way from the sender or from below, and who wants what.
    Quiet(Box<Change>),
    /// To a child: this changes.
    Update(Box<Change>),
    /// To a process that joins: the place of one of its virtual nodes.
    Place {
        /// The place.
        spot: Box<Spot>,
        /// The number of processes, with those that join.
        processes: u32,
        /// The number of the wave that is held.
        wave: u32,
    },
    /// To the process that is responsible from now on: these elements.
    Elements(Vec<(K, u64)>),
    /// To the next anchor: what the last one knows.
    Anchor(Box<S>),
    /// Elements, or what the anchor knows, have arrived.
    Taken,
    /// To the parent: everything that the sender and all below it have sent has arrived.
    Ready,
    /// To a child: take the new place.
    Commit,
    /// To the parent: the sender and all below it have.
    Switched,
    /// To a child: all have, go on.
    Start,
}

/// What a process has to do with the group.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Group<S: Service> {
    standing: Standing,
    /// Processes that want to join, and have asked here.
    guests: Vec<NodeId>,
    /// What the last anchor knew, if this process is the next.
    inherited: Option<Box<S>>,
    update: Option<Box<Update>>,
    changes: u32,
}

/// Whether a process is a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Standing {
    Outside,
    /// It knows the places of some of its virtual nodes.
    Joining(Vec<Spot>),
    Member,
    /// A member that wants to leave.
    Leaving,
    /// It has left; this process takes care of what still comes.
    Left(NodeId),
}

/// A change of the group, as far as it has come here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Update {
    stage: Stage,
    /// Whom it reports to, on the old tree.
    parent: Option<NodeId>,
    /// Who reports to it.
    children: Vec<NodeId>,
    /// Those of them that have not reported yet.
    missing: Vec<NodeId>,
    change: Change,
    /// How much of what it has sent has not arrived.
    unarrived: u32,
    /// What the next change has sent already.
    next: Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Stage {
    Quieting,
    Moving,
    Switching,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Next {
    Nothing,
    /// Some process below wants it.
    Wanted,
    /// It has begun.
    Halted,
}

impl<S: Service> Group<S> {
    pub(super) fn new(standing: Standing) -> Self {
        Self { standing, guests: Vec::new(), inherited: None, update: None, changes: 0 }
    }

    pub(super) fn is_member(&self) -> bool {
        matches!(self.standing, Standing::Member | Standing::Leaving)
    }

    pub(super) fn is_changing(&self) -> bool {
        self.update.is_some()
    }

    pub(super) fn changes(&self) -> u32 {
        self.changes
    }

    /// Whom it waits for, if the group changes.
    pub(super) fn waits_for(&self) -> Option<NodeSet> {
        let update = self.update.as_ref()?;
        let parent = update.parent.filter(|_| update.missing.is_empty());
        Some(update.missing.iter().copied().chain(parent).collect())
    }

    /// The change here, if it is in this stage.
    fn in_stage(&mut self, stage: Stage) -> Option<&mut Update> {
        self.update.as_deref_mut().filter(|update| update.stage == stage)
    }
}
