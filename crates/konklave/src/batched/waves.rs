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
//! What places are, a [`Service`] says. If it wants a *barrier*, operations that take elements out
//! wait until all elements of their wave are stored: processes tell their parents so, and the
//! anchor tells all. Only then does the next wave begin.

mod change;
mod state;

use std::collections::VecDeque;
use std::fmt::Debug;
use std::hash::Hash;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::longest::Longest;
use super::service::{Op, Place, Service};
use crate::object::Object;
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};
use state::{Child, Pace, Phase, Said, Upwards};

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
    /// To the parent: all elements of the sender and of all below it are stored.
    Stored {
        /// The number of their wave.
        wave: u32,
    },
    /// To a child: all elements are stored, so that they can be taken out.
    Go {
        /// The number of their wave.
        wave: u32,
    },
}

/// An operation has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Placed<Op, Key> {
    /// How many operations the process had invoked before.
    pub ticket: u32,
    /// The operation.
    pub op: Op,
    /// Its place.
    pub place: Place<Key>,
}

/// How many operations of a process a batch takes. The others wait for the next wave, so that no
/// message grows without a bound because one process asks for too much.
pub const MOST: usize = 4096;

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Waves<S: Service> {
    upwards: Upwards<S>,
    phase: Phase<S>,
    /// The wave that it takes part in.
    wave: u32,
    /// The operations that are not in a batch yet, and before them those that are.
    ops: VecDeque<Op<S>>,
    /// How many of them are in the batch.
    sent: u32,
    /// How many operations have got their places: the ticket of the first of `ops`.
    placed: u32,
    /// In the order of the tree.
    children: Vec<Child<S::Batch>>,
    /// The longest batch that it has sent or assigned.
    longest: Longest,
    pace: Pace,
}

impl<S: Service> Waves<S> {
    /// A process with this parent, or the anchor, and these children in the order of the tree.
    pub fn new(parent: Option<NodeId>, children: impl Iterator<Item = NodeId>) -> Self {
        let nothing = || S::build(std::iter::empty());
        let child = |node| Child { node, said: Some(Said::Batch(nothing())) };
        Self {
            upwards: parent.map_or_else(|| Upwards::Anchor(S::default()), Upwards::Parent),
            phase: Phase::Asleep,
            wave: 0,
            ops: VecDeque::new(),
            sent: 0,
            placed: 0,
            children: children.map(child).collect(),
            longest: Longest::default(),
            pace: Pace::Running,
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

    /// How many runs of operations a batch had here, at most.
    pub fn longest(&self) -> u32 {
        self.longest.get()
    }

    /// The operations in its batch.
    fn batched(&self) -> impl Iterator<Item = Op<S>> + '_ {
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
                    Upwards::Anchor(_) if self.pace == Pace::Held => {}
                    Upwards::Anchor(_) => self.turn(env),
                }
            }
            Phase::Awake | Phase::Storing { .. } | Phase::Stored { .. } => {} // It will.
        }
    }

    /// Sends the batch as soon as all children have sent theirs. The anchor goes on from wave to
    /// wave while they are not empty and it waits for nobody.
    fn send_if_complete(&mut self, env: &mut impl Env<Self>) {
        let Phase::Collecting { more } = self.phase else { return };
        if self.children.iter().any(|child| child.said.is_none()) {
            return;
        }
        self.sent = self.ops.len().min(MOST) as u32;
        let batch = self.combined();
        self.longest.observe(S::runs(&batch));
        let is_idle = S::is_empty(&batch) && !more;
        self.phase = if is_idle { Phase::Asleep } else { Phase::Awake };
        match &self.upwards {
            Upwards::Parent(parent) => {
                env.send(*parent, Msg::Batch { wave: self.wave, batch, more });
            }
            Upwards::Anchor(_) if is_idle || self.pace == Pace::Held => {}
            Upwards::Anchor(_) => self.turn(env),
        }
    }

    fn combined(&self) -> S::Batch {
        let mut batch = S::build(self.batched());
        for child in &self.children {
            if let Some(Said::Batch(below)) = &child.said {
                S::combine(&mut batch, below);
            }
        }
        batch
    }

    /// The anchor assigns the wave that all have taken part in.
    fn turn(&mut self, env: &mut impl Env<Self>) {
        let batch = self.combined();
        let Upwards::Anchor(service) = &mut self.upwards else { return };
        let assignment = service.assign(&batch);
        self.distribute(assignment, env);
    }

    /// The parts of the assignment: its own, and those of its children.
    fn split(&self, assignment: S::Assignment) -> SmallVec<[S::Assignment; 3]> {
        let own = S::build(self.batched());
        let below = self.children.iter().map(|child| match &child.said {
            Some(Said::Batch(batch)) => batch,
            _ => unreachable!("a wave is assigned when all have taken part"),
        });
        let parts: SmallVec<[&S::Batch; 3]> = std::iter::once(&own).chain(below).collect();
        S::split(assignment, &parts)
    }

    /// Everybody gets their part of the assignment.
    fn distribute(&mut self, assignment: S::Assignment, env: &mut impl Env<Self>) {
        let mut split = self.split(assignment).into_iter();
        let own = split.next().expect("an assignment for each part");
        let places = S::start(own, self.batched());
        let (mut puts, mut gets) = (0, Vec::new());
        for place in places {
            let Some(op) = self.ops.pop_front() else { break };
            let placed = Placed { ticket: self.placed, op, place };
            self.placed += 1;
            match S::Object::nature(op).asks() {
                true if S::BARRIER => gets.push(placed),
                asks => {
                    puts += u32::from(!asks);
                    env.emit(placed);
                }
            }
        }
        for (child, assignment) in self.children.iter_mut().zip(split) {
            child.said = None;
            env.send(child.node, Msg::Assignment { wave: self.wave, assignment });
        }
        self.sent = 0;
        if S::BARRIER {
            self.phase = Phase::Storing { puts, gets };
            return self.report_if_stored(env);
        }
        self.begin(env);
    }

    /// One of its own elements is stored, which matters at the barrier.
    pub fn on_stored(&mut self, env: &mut impl Env<Self>) {
        if let Phase::Storing { puts, .. } = &mut self.phase {
            *puts -= 1;
            self.report_if_stored(env);
        }
    }

    fn report_if_stored(&mut self, env: &mut impl Env<Self>) {
        let Phase::Storing { puts: 0, gets } = &mut self.phase else { return };
        if self.children.iter().any(|child| child.said.is_none()) {
            return;
        }
        self.phase = Phase::Stored { gets: std::mem::take(gets) };
        match &self.upwards {
            Upwards::Parent(parent) => env.send(*parent, Msg::Stored { wave: self.wave }),
            Upwards::Anchor(_) => self.go(env),
        }
    }

    /// All elements of the wave are stored.
    fn go(&mut self, env: &mut impl Env<Self>) {
        let Phase::Stored { gets } = &mut self.phase else { return };
        std::mem::take(gets).into_iter().for_each(|placed| env.emit(placed));
        for child in &mut self.children {
            child.said = None;
            env.send(child.node, Msg::Go { wave: self.wave });
        }
        self.begin(env);
    }

    /// The next wave begins.
    fn begin(&mut self, env: &mut impl Env<Self>) {
        self.wave += 1;
        self.phase = Phase::Collecting { more: false };
        // Once more at most for an anchor without children: then its batch is empty.
        self.send_if_complete(env);
    }

    /// A child says something, for the first time in this phase. Anything else is a duplicate, or
    /// not from a child.
    fn listen(&mut self, from: NodeId, wave: u32, said: Said<S::Batch>) -> bool {
        let is_expected = match self.phase {
            Phase::Collecting { .. } => matches!(said, Said::Batch(_)),
            Phase::Storing { .. } => said == Said::Stored,
            _ => false,
        };
        let mut children = self.children.iter_mut();
        let child = children.find(|child| child.node == from && child.said.is_none());
        let Some(child) = child.filter(|_| is_expected && wave == self.wave) else { return false };
        child.said = Some(said);
        true
    }
}

impl<S: Service> Protocol for Waves<S> {
    type Msg = Msg<S::Batch, S::Assignment>;
    type Timer = Never;
    type Command = Op<S>;
    type Event = Placed<Op<S>, S::Key>;

    fn on_command(&mut self, op: Op<S>, env: &mut impl Env<Self>) {
        self.ops.push_back(op);
        if !matches!(self.phase, Phase::Collecting { .. }) {
            self.wake(env);
        } // Else the operation is in time for the batch of this wave.
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Batch { wave, batch, more } => {
                if self.listen(from, wave, Said::Batch(batch)) {
                    if more {
                        self.wake(env);
                    }
                    self.send_if_complete(env);
                }
            }
            Msg::Assignment { wave, assignment } => {
                let has_sent = matches!(self.phase, Phase::Asleep | Phase::Awake);
                if wave == self.wave && has_sent && self.upwards == Upwards::Parent(from) {
                    self.distribute(assignment, env);
                } // Else a duplicate.
            }
            // If that wave has ended, the operation is in the batch that has been sent since.
            Msg::Wake { wave } if wave == self.wave => self.wake(env),
            Msg::Wake { .. } => {}
            Msg::Stored { wave } => {
                if self.listen(from, wave, Said::Stored) {
                    self.report_if_stored(env);
                }
            }
            Msg::Go { wave } => {
                if wave == self.wave && self.upwards == Upwards::Parent(from) {
                    self.go(env);
                } // Else a duplicate.
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        match (&self.phase, &self.upwards) {
            (Phase::Collecting { .. } | Phase::Storing { .. }, _) => {
                let missing = self.children.iter().filter(|child| child.said.is_none());
                missing.map(|child| child.node).collect()
            }
            (Phase::Awake | Phase::Stored { .. }, Upwards::Parent(parent)) => {
                [*parent].into_iter().collect()
            }
            _ => NodeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests;
