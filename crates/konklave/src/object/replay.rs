//! Replays the operations of a shared object in the order that it claims to have followed, while
//! they return, and forgets them.
//!
//! The *witness* of an operation is its place in that order. Witnesses are dense: the order is
//! 0, 1, 2, ..., so an operation is replayed as soon as all before it have returned, and only
//! operations are remembered that are outstanding, or wait for an outstanding one before them.
//!
//! One order proves both kinds of consistency. If all answers are right in it, the history is
//! sequentially consistent if the order agrees with the program order of each process, and
//! linearizable if it agrees with real time: an operation that had returned when another was
//! invoked stands before it. Of all that had returned by then, the one with the highest witness is
//! the one to compare with, so one number is enough.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use super::{Answer, Object};
use crate::NodeId;

/// An object that replays what others have done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Replay<O: Object> {
    object: O,
    /// The witness of the operation to replay next.
    next: u64,
    /// Operations that have returned before another that stands before them.
    early: BTreeMap<u64, Returned<O::Op>>,
    /// Operations that have not returned, each with the witness that it must exceed: the highest
    /// that had returned when it was invoked.
    pending: BTreeMap<(NodeId, u32), Option<u64>>,
    /// The highest witness that has returned.
    highest: Option<u64>,
    /// Up to the largest process that has invoked an operation.
    processes: Vec<Progress>,
}

/// How far a process has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Progress {
    /// How many operations it has invoked.
    invoked: u32,
    /// The last of them that was replayed.
    replayed: Option<u32>,
}

/// An operation that has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Returned<Op> {
    /// The process that invoked it.
    pub process: NodeId,
    /// How many operations the process had invoked before.
    pub seq: u32,
    /// What was asked.
    pub op: Op,
    /// What was answered.
    pub answer: Answer,
    /// Its place in the order.
    pub witness: u64,
}

/// What is wrong with the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault<Op> {
    /// The process had not invoked it, or it had returned before.
    NotInvoked(Returned<Op>),
    /// Another operation has this place in the order.
    SamePlace(Returned<Op>),
    /// In this order the answer is this one.
    WrongAnswer(Returned<Op>, Answer),
    /// It stands behind this one, which its process invoked later.
    ProgramOrder(Returned<Op>, u32),
    /// It stands before the operation with this witness, which had returned when it was invoked.
    RealTime(Returned<Op>, u64),
}

impl<Op: fmt::Debug> Display for Fault<Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::NotInvoked(it)
        | Self::SamePlace(it)
        | Self::WrongAnswer(it, _)
        | Self::ProgramOrder(it, _)
        | Self::RealTime(it, _)) = self;
        let Returned { process, seq, op, answer, witness } = it;
        write!(f, "operation {seq} of node {process}, {op:?}, ")?;
        let shown = |answer: &Answer| answer.map_or("nothing".to_owned(), |it| it.to_string());
        match self {
            Self::NotInvoked(_) => write!(f, "returned, but was not outstanding"),
            Self::SamePlace(_) => write!(f, "has the place {witness} of another operation"),
            Self::WrongAnswer(_, right) => {
                write!(f, "returned {}, not {}", shown(answer), shown(right))
            }
            Self::ProgramOrder(_, later) => write!(f, "comes after operation {later} of its node"),
            Self::RealTime(_, earlier) => {
                write!(f, "has place {witness}, but was invoked after that of {earlier} returned")
            }
        }
    }
}

impl<O: Object> Default for Replay<O> {
    fn default() -> Self {
        Self {
            object: O::default(),
            next: 0,
            early: BTreeMap::new(),
            pending: BTreeMap::new(),
            highest: None,
            processes: Vec::new(),
        }
    }
}

impl<O: Object> Replay<O> {
    /// The process invokes an operation. Returns how many it had invoked before.
    pub fn invoke(&mut self, process: NodeId) -> u32 {
        if process.index() >= self.processes.len() {
            self.processes.resize(process.index() + 1, Progress::default());
        }
        let invoked = &mut self.processes[process.index()].invoked;
        let seq = *invoked;
        *invoked += 1;
        self.pending.insert((process, seq), self.highest);
        seq
    }

    /// An operation returns. What is wrong is found out as early as possible, but not more than
    /// once, and the replay goes on as if it had been right.
    pub fn finish(&mut self, returned: Returned<O::Op>) -> Vec<Fault<O::Op>> {
        let Returned { process, seq, witness, .. } = returned;
        let Some(floor) = self.pending.remove(&(process, seq)) else {
            return vec![Fault::NotInvoked(returned)];
        };
        if witness < self.next || self.early.contains_key(&witness) {
            return vec![Fault::SamePlace(returned)];
        }
        let mut faults = Vec::new();
        let overtaken = floor.filter(|floor| *floor > witness);
        faults.extend(overtaken.map(|earlier| Fault::RealTime(returned, earlier)));
        self.highest = self.highest.max(Some(witness));
        self.early.insert(witness, returned);
        while let Some(due) = self.early.remove(&self.next) {
            self.next += 1;
            self.replay(due, &mut faults);
        }
        faults
    }

    fn replay(&mut self, due: Returned<O::Op>, faults: &mut Vec<Fault<O::Op>>) {
        let last = &mut self.processes[due.process.index()].replayed;
        let later = last.filter(|last| *last > due.seq);
        faults.extend(later.map(|later| Fault::ProgramOrder(due, later)));
        *last = (*last).max(Some(due.seq));
        if let Err(right) = self.object.accept(due.op, due.answer) {
            faults.push(Fault::WrongAnswer(due, right));
            self.object.apply(due.op);
        }
    }

    /// The object after all operations that were replayed.
    pub fn object(&self) -> &O {
        &self.object
    }

    /// The operations that have not returned: the process, and how many it had invoked before.
    pub fn outstanding(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.pending.keys().copied()
    }

    /// The place in the order that no operation has, although a later one is taken and nothing is
    /// outstanding that could have it.
    pub fn gap(&self) -> Option<u64> {
        (self.pending.is_empty() && !self.early.is_empty()).then_some(self.next)
    }
}

#[cfg(test)]
mod tests;
