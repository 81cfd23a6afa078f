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
//!
//! An object may count changes only ([`Places::OfChanges`]): the witness of a change is the number
//! of changes before it, and so is that of a question. Questions between the same two changes have
//! the same answers in any order, so their order in real time and in their processes is as good as
//! any. A change is replayed when no outstanding question can stand before it any more.
//!
//! An object whose parts have nothing to do with each other, such as a dictionary with its keys,
//! may have an order for each part ([`Places::OfPart`]): no single process sees all operations.
//! This is enough for linearizability, which is local: if every part is linearizable, so is the
//! object. Sequential consistency is not local. But a process that invokes an operation only when
//! its last one has returned has its program order in real time, so for such processes it follows;
//! and of operations of a process that overlap, those on the same part are compared here.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use super::{Answer, Object};
use crate::NodeId;

/// Which operations share one dense order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Places {
    /// All operations on the object.
    #[default]
    OfAll,
    /// Those on the same [part](super::Nature::part) of it.
    OfPart,
    /// Those that change it. Others have the number of changes before them as their witness.
    OfChanges,
}

/// An object that replays what others have done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Replay<O: Object> {
    object: O,
    places: Places,
    /// How far the order of each part has come.
    parts: BTreeMap<u64, Part>,
    /// Operations that have returned before another that stands before them, by part and witness.
    early: BTreeMap<(u64, u64), Returned<O::Op>>,
    /// Questions that have returned and wait for the changes before them, by witness, where these
    /// are shared.
    looks: BTreeMap<(u64, NodeId, u32), Returned<O::Op>>,
    /// Operations that have not returned, by process and number.
    pending: BTreeMap<(NodeId, u32), Pending<O::Op>>,
    /// Up to the largest process that has invoked an operation.
    processes: Vec<Progress>,
}

/// How far an order has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Part {
    /// The witness of the operation to replay next.
    next: u64,
    /// The highest position that has returned: a witness, or for [`Places::OfChanges`] twice that,
    /// and one more for a change.
    highest: Option<u64>,
}

/// How far a process has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Progress {
    /// How many operations it has invoked.
    invoked: u32,
    /// The highest witness of those that have returned, and which it is, if there is one order.
    highest: Option<(u64, u32)>,
}

/// An operation that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pending<Op> {
    op: Op,
    /// The witness that it must exceed: the highest that had returned when it was invoked.
    floor: Option<u64>,
    /// The highest witness of an earlier operation of its process, and which it is.
    earlier: Option<(u64, u32)>,
    /// The lowest witness of a later one.
    later: Option<(u64, u32)>,
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
    /// Another operation has this place in the order.
    SamePlace(Returned<Op>),
    /// In this order the answer is this one.
    WrongAnswer(Returned<Op>, Answer),
    /// It stands behind this one, which its process invoked later, or before this earlier one.
    ProgramOrder(Returned<Op>, u32),
    /// It stands before the operation with this witness, which had returned when it was invoked.
    RealTime(Returned<Op>, u64),
}

impl<Op: fmt::Debug> Display for Fault<Op> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::SamePlace(it)
        | Self::WrongAnswer(it, _)
        | Self::ProgramOrder(it, _)
        | Self::RealTime(it, _)) = self;
        let Returned { process, seq, op, answer, witness } = it;
        write!(f, "operation {seq} of node {process}, {op:?}, ")?;
        let shown = |answer: &Answer| answer.map_or("nothing".to_owned(), |it| it.to_string());
        match self {
            Self::SamePlace(_) => write!(f, "has the place {witness} of another operation"),
            Self::WrongAnswer(_, right) => {
                write!(f, "returned {}, not {}", shown(answer), shown(right))
            }
            Self::ProgramOrder(_, other) => {
                let side = if other > seq { "after" } else { "before" };
                write!(f, "comes {side} operation {other} of its node")
            }
            Self::RealTime(_, earlier) => {
                write!(f, "has place {witness}, but was invoked after that of {earlier} returned")
            }
        }
    }
}

impl<O: Object> Replay<O> {
    /// An empty object, and which operations on it share an order.
    pub fn new(places: Places) -> Self {
        Self {
            object: O::default(),
            places,
            parts: BTreeMap::new(),
            early: BTreeMap::new(),
            looks: BTreeMap::new(),
            pending: BTreeMap::new(),
            processes: Vec::new(),
        }
    }

    fn part(&self, op: O::Op) -> u64 {
        match self.places {
            Places::OfAll | Places::OfChanges => 0,
            Places::OfPart => O::part(op),
        }
    }

    /// Whether it shares its witness with others.
    fn is_look(&self, op: O::Op) -> bool {
        self.places == Places::OfChanges && O::nature(op).asks()
    }

    /// Where the order puts an operation with this witness: questions come before the change.
    fn position(&self, op: O::Op, witness: u64) -> u64 {
        match self.places {
            Places::OfAll | Places::OfPart => witness,
            Places::OfChanges => witness.saturating_mul(2) + u64::from(!self.is_look(op)),
        }
    }

    /// The process invokes an operation. Returns how many it had invoked before.
    pub fn invoke(&mut self, process: NodeId, op: O::Op) -> u32 {
        if process.index() >= self.processes.len() {
            self.processes.resize(process.index() + 1, Progress::default());
        }
        let floor = self.parts.get(&self.part(op)).and_then(|part| part.highest);
        let Progress { invoked, highest } = &mut self.processes[process.index()];
        let seq = *invoked;
        *invoked += 1;
        let pending = Pending { op, floor, earlier: *highest, later: None };
        self.pending.insert((process, seq), pending);
        seq
    }

    /// The operation with this number of a process, if it is outstanding.
    pub fn pending(&self, process: NodeId, seq: u32) -> Option<O::Op> {
        self.pending.get(&(process, seq)).map(|pending| pending.op)
    }

    /// An operation returns without a place in the order. Returns it, if it was outstanding.
    pub fn forget(&mut self, process: NodeId, seq: u32) -> Option<O::Op> {
        self.pending.remove(&(process, seq)).map(|pending| pending.op)
    }

    /// An operation returns; nothing if it was not outstanding. What is wrong is found out as early
    /// as possible, but not more than once, and the replay goes on as if it had been right.
    pub fn finish(
        &mut self,
        process: NodeId,
        seq: u32,
        answer: Answer,
        witness: u64,
    ) -> Option<Vec<Fault<O::Op>>> {
        let Pending { op, floor, earlier, later } = self.pending.remove(&(process, seq))?;
        let returned = Returned { process, seq, op, answer, witness };
        let (part, position, is_look) =
            (self.part(op), self.position(op, witness), self.is_look(op));
        let place = self.parts.entry(part).or_default();
        let is_taken = witness < place.next || self.early.contains_key(&(part, witness));
        if is_taken && !is_look {
            return Some(vec![Fault::SamePlace(returned)]);
        }
        place.highest = place.highest.max(Some(position));
        let mut faults = Vec::new();
        let overtaken = floor.filter(|floor| *floor > position);
        faults.extend(overtaken.map(|earlier| Fault::RealTime(returned, earlier)));
        let early = earlier.filter(|earlier| earlier.0 > position);
        let swapped = early.or(later.filter(|later| later.0 < position));
        faults.extend(swapped.map(|(_, other)| Fault::ProgramOrder(returned, other)));
        self.compare_with_rest_of_process(returned, (part, position));
        match is_look {
            true => _ = self.looks.insert((witness, process, seq), returned),
            false => _ = self.early.insert((part, witness), returned),
        }
        self.replay_if_due(part, &mut faults);
        Some(faults)
    }

    /// The other operations of the process have to stand on their sides of this one.
    fn compare_with_rest_of_process(
        &mut self,
        returned: Returned<O::Op>,
        (part, position): (u64, u64),
    ) {
        let Returned { process, seq, .. } = returned;
        let has_parts = self.places == Places::OfPart;
        let part_of = |op| if has_parts { O::part(op) } else { 0 };
        let rest = self.pending.range_mut((process, 0)..=(process, u32::MAX));
        for (&(_, other), pending) in rest.filter(|(_, it)| part_of(it.op) == part) {
            match other < seq {
                true => {
                    let lowest = pending.later.is_none_or(|later| position < later.0);
                    pending.later = if lowest { Some((position, seq)) } else { pending.later };
                }
                false => pending.earlier = pending.earlier.max(Some((position, seq))),
            }
        }
        if !has_parts {
            let highest = &mut self.processes[process.index()].highest;
            *highest = (*highest).max(Some((position, seq)));
        }
    }

    fn replay_if_due(&mut self, part: u64, faults: &mut Vec<Fault<O::Op>>) {
        let mut next = self.parts.entry(part).or_default().next;
        loop {
            self.judge_looks(next, faults);
            if self.is_awaited(next) {
                break;
            }
            let Some(due) = self.early.remove(&(part, next)) else { break };
            next += 1;
            if let Err(right) = self.object.accept(due.op, due.answer) {
                faults.push(Fault::WrongAnswer(due, right));
                self.object.apply(due.op);
            }
        }
        self.parts.entry(part).or_default().next = next;
    }

    /// Judges the questions that have seen this many changes, as many as were replayed. Those that
    /// have seen fewer stand where real time does not allow it, which was said.
    fn judge_looks(&mut self, changes: u64, faults: &mut Vec<Fault<O::Op>>) {
        while let Some(first) = self.looks.first_entry()
            && first.key().0 <= changes
        {
            let look = first.remove();
            if look.witness == changes
                && let Err(right) = self.object.accept(look.op, look.answer)
            {
                faults.push(Fault::WrongAnswer(look, right));
            }
        }
    }

    /// Whether an outstanding question may have seen this many changes, and no more.
    fn is_awaited(&self, changes: u64) -> bool {
        let may_see = |it: &Pending<O::Op>| it.floor.unwrap_or(0) <= changes.saturating_mul(2);
        self.places == Places::OfChanges
            && self.pending.values().any(|it| self.is_look(it.op) && may_see(it))
    }

    /// The object after all operations that were replayed.
    pub fn object(&self) -> &O {
        &self.object
    }

    /// The operations that have not returned: the process, and how many it had invoked before.
    pub fn outstanding(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.pending.keys().copied()
    }

    /// The place in an order that no operation has, although a later one is taken and nothing is
    /// outstanding that could have it.
    pub fn gap(&self) -> Option<u64> {
        let looked = self.looks.keys().next().map(|_| &0);
        let early = self.early.keys().next().map(|(part, _)| part);
        let part = early.or(looked).filter(|_| self.pending.is_empty())?;
        self.parts.get(part).map(|part| part.next)
    }
}

#[cfg(test)]
mod tests;
