//! Waves: the processes of a tree ask for places in one order together, as often as they need.
//!
//! M. Feldmann, C. Scheideler, A. Setzer: Skueue: A Scalable and Sequentially Consistent
//! Distributed Queue. IPDPS, 2018.
//!
//! In a wave every process sends one batch to its parent: its own operations, combined with the
//! batches of its children. The root, the *anchor*, assigns places to the whole batch, and the
//! assignment is decomposed on the way back, in the order in which batches were combined. So the
//! anchor handles one message per child and wave, however many operations there are. A process
//! sends its next batch only when it has the assignment of the last, so every wave has one batch of
//! every process, and the order of a wave keeps the program order of each.
//!
//! An operation returns after the anchor has assigned its wave. By then, every process has given
//! its batch to that wave, so whatever is invoked later is in a later wave: the order agrees with
//! real time.
//!
//! Waves sleep: the anchor keeps the assignment of an empty wave until somebody needs the next one.
//! A process with an operation whose batch is gone wakes its parent, once per wave and only if the
//! batch was empty; a parent that has not sent its own batch notes there that there is more to
//! come. At the beginning, all processes have sent an empty batch. So if nobody asks, nothing is
//! sent.
//!
//! What places are, a [`Service`] says.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::hash::Hash;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::protocol::{Data, Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What is served in waves. Its value is what the anchor knows.
pub trait Service: Clone + Eq + Hash + Debug + Default + Send + 'static {
    /// What a process asks for.
    type Op: Copy + Data;
    /// Operations of several processes, as the anchor has to know them.
    type Batch: Data;
    /// What the anchor says about a batch.
    type Assignment: Data;
    /// What it says about an operation.
    type Place: Data;

    /// The operations of one process, in program order.
    fn build(ops: impl Iterator<Item = Self::Op>) -> Self::Batch;

    /// Appends the batch of the next part of the tree.
    fn combine(batch: &mut Self::Batch, next: &Self::Batch);

    /// Whether there is no operation.
    fn is_empty(batch: &Self::Batch) -> bool;

    /// Carries the operations out, at the anchor.
    fn assign(&mut self, batch: &Self::Batch) -> Self::Assignment;

    /// Takes what belongs to the first part of the tree, with this batch, out of an assignment.
    fn decompose(assignment: &mut Self::Assignment, first: &Self::Batch) -> Self::Assignment;

    /// The places of the operations that a batch was built from.
    fn start(
        assignment: Self::Assignment,
        ops: impl Iterator<Item = Self::Op>,
    ) -> SmallVec<[Self::Place; 2]>;
}

/// What parents and children send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<B, A> {
    /// To the parent: the operations of the sender and of all below it.
    Batch {
        /// The number of the wave.
        wave: u32,
        /// The operations.
        batch: B,
        /// Whether a process below has an operation for the next wave, too.
        more: bool,
    },
    /// To a child: what the anchor says about its batch.
    Assignment {
        /// The number of the wave.
        wave: u32,
        /// What it says.
        assignment: A,
    },
    /// To the parent: a process below has an operation for the next wave.
    Wake {
        /// The number of the wave that should end.
        wave: u32,
    },
}

/// An operation has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Placed<Op, Place> {
    /// How many operations the process had invoked before.
    pub ticket: u32,
    /// The operation.
    pub op: Op,
    /// Its place.
    pub place: Place,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waves<S: Service> {
    upwards: Upwards<S>,
    phase: Phase,
    /// The wave that it takes part in.
    wave: u32,
    /// The operations that are not in a batch yet, and before them those that are.
    ops: VecDeque<S::Op>,
    /// How many of them are in the batch.
    sent: u32,
    /// How many operations have got their places: the ticket of the first of `ops`.
    placed: u32,
    /// Each child with its batch of this wave, in the order of the tree.
    children: SmallVec<[(NodeId, Option<S::Batch>); 2]>,
}

/// What is above a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Upwards<S> {
    Parent(NodeId),
    /// The process is the anchor.
    Anchor(S),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// It waits for the batches of its children.
    Collecting {
        /// Whether one of them has an operation for the next wave already.
        more: bool,
    },
    /// Its batch, an empty one, is gone: the anchor may keep the assignment. The anchor does.
    Asleep,
    /// Its batch is gone, and the assignment comes by itself.
    Awake,
}

impl<S: Service> Waves<S> {
    /// A process with this parent, or the anchor, and these children in the order of the tree.
    pub fn new(parent: Option<NodeId>, children: impl Iterator<Item = NodeId>) -> Self {
        let nothing = || S::build(std::iter::empty());
        Self {
            upwards: parent.map_or_else(|| Upwards::Anchor(S::default()), Upwards::Parent),
            phase: Phase::Asleep,
            wave: 0,
            ops: VecDeque::new(),
            sent: 0,
            placed: 0,
            children: children.map(|child| (child, Some(nothing()))).collect(),
        }
    }

    /// What the anchor knows; `None` at all others.
    pub fn anchor(&self) -> Option<&S> {
        match &self.upwards {
            Upwards::Anchor(service) => Some(service),
            Upwards::Parent(_) => None,
        }
    }

    /// How many waves have ended here.
    pub fn waves(&self) -> u32 {
        self.wave
    }

    /// The operations in its batch.
    fn batched(&self) -> impl Iterator<Item = S::Op> + '_ {
        self.ops.iter().copied().take(self.sent as usize)
    }

    /// There is an operation for the next wave, so this one has to end.
    fn wake(&mut self, env: &mut impl Env<Self>) {
        match self.phase {
            Phase::Collecting { .. } => self.phase = Phase::Collecting { more: true },
            Phase::Asleep => {
                self.phase = Phase::Awake;
                match &self.upwards {
                    Upwards::Parent(parent) => env.send(*parent, Msg::Wake { wave: self.wave }),
                    Upwards::Anchor(_) => self.turn(env),
                }
            }
            Phase::Awake => {} // It will.
        }
    }

    /// Sends the batch as soon as all children have sent theirs. The anchor goes on from wave to
    /// wave while they are not empty and it waits for nobody.
    fn send_if_complete(&mut self, env: &mut impl Env<Self>) {
        let Phase::Collecting { more } = self.phase else { return };
        if self.children.iter().any(|(_, batch)| batch.is_none()) {
            return;
        }
        self.sent = self.ops.len() as u32;
        let batch = self.combined();
        let is_idle = S::is_empty(&batch) && !more;
        self.phase = if is_idle { Phase::Asleep } else { Phase::Awake };
        match &self.upwards {
            Upwards::Parent(parent) => {
                env.send(*parent, Msg::Batch { wave: self.wave, batch, more });
            }
            Upwards::Anchor(_) if is_idle => {}
            Upwards::Anchor(_) => self.turn(env),
        }
    }

    fn combined(&self) -> S::Batch {
        let mut batch = S::build(self.batched());
        for below in self.children.iter().filter_map(|(_, batch)| batch.as_ref()) {
            S::combine(&mut batch, below);
        }
        batch
    }

    /// The anchor assigns the wave that all have taken part in.
    fn turn(&mut self, env: &mut impl Env<Self>) {
        let batch = self.combined();
        let Upwards::Anchor(service) = &mut self.upwards else { return };
        let assignment = service.assign(&batch);
        self.end(assignment, env);
    }

    /// Its wave has ended: everybody gets their part, and the next one begins.
    fn end(&mut self, mut assignment: S::Assignment, env: &mut impl Env<Self>) {
        let own = S::decompose(&mut assignment, &S::build(self.batched()));
        let places = S::start(own, self.batched());
        for place in places {
            let op = self.ops.pop_front().expect("as many places as operations");
            env.emit(Placed { ticket: self.placed, op, place });
            self.placed += 1;
        }
        for (child, batch) in &mut self.children {
            let batch = batch.take().expect("a wave ends when all have taken part");
            let assignment = S::decompose(&mut assignment, &batch);
            env.send(*child, Msg::Assignment { wave: self.wave, assignment });
        }
        self.sent = 0;
        self.wave += 1;
        self.phase = Phase::Collecting { more: false };
        // Once more at most for an anchor without children: then its batch is empty.
        self.send_if_complete(env);
    }
}

impl<S: Service> Protocol for Waves<S> {
    type Msg = Msg<S::Batch, S::Assignment>;
    type Timer = Never;
    type Command = S::Op;
    type Event = Placed<S::Op, S::Place>;

    fn on_command(&mut self, op: S::Op, env: &mut impl Env<Self>) {
        self.ops.push_back(op);
        if !matches!(self.phase, Phase::Collecting { .. }) {
            self.wake(env);
        } // Else the operation is in time for the batch of this wave.
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Batch { wave, batch, more } => {
                let is_collecting = matches!(self.phase, Phase::Collecting { .. });
                let Some((_, slot)) = self.children.iter_mut().find(|(child, _)| *child == from)
                else {
                    return; // Not from a child.
                };
                if wave != self.wave || !is_collecting || slot.is_some() {
                    return; // A duplicate.
                }
                *slot = Some(batch);
                if more {
                    self.wake(env);
                }
                self.send_if_complete(env);
            }
            Msg::Assignment { wave, assignment } => {
                let is_collecting = matches!(self.phase, Phase::Collecting { .. });
                if wave == self.wave && !is_collecting && self.upwards == Upwards::Parent(from) {
                    self.end(assignment, env);
                } // Else a duplicate.
            }
            // If that wave has ended, the operation is in the batch that has been sent since.
            Msg::Wake { wave } if wave == self.wave => self.wake(env),
            Msg::Wake { .. } => {}
        }
    }

    fn waits_for(&self) -> NodeSet {
        match (self.phase, &self.upwards) {
            (Phase::Collecting { .. }, _) => {
                let missing = self.children.iter().filter(|(_, batch)| batch.is_none());
                missing.map(|(child, _)| *child).collect()
            }
            (Phase::Awake, Upwards::Parent(parent)) => [*parent].into_iter().collect(),
            _ => NodeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests;
