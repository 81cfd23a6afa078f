//! An object that processes share: what they ask for, what they are told, and what is promised.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::afresh::Afresh;
use super::explained::Explained;
use super::{Answer, Fault, Nature, Object, Places, Replay, Returned};
use crate::protocol::{self, Broken, Data, Promise};
use crate::{NodeId, NodeSet};

/// What the application of a process asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command<Op> {
    /// An operation on the object. A process may invoke the next one before the last has returned.
    Invoke(Op),
    /// Become a member, with the help of a member.
    Join {
        /// A member.
        contact: NodeId,
    },
    /// Be a member no longer.
    Leave,
}

/// What the application of a process is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// An operation of the process returns.
    Returned {
        /// Which: how many operations the process had invoked before.
        ticket: u32,
        /// What it asked for, if it asked for something that is there.
        answer: Answer,
        /// Its place in the order in which the object carried operations out, if the object tells.
        witness: Option<u64>,
    },
    /// The process is a member.
    Joined,
    /// The process is a member no longer.
    Left,
}

const CONSISTENT: &str = "sequentially consistent";
const LINEARIZABLE: &str = "linearizable";
const RETURNS: &str = "every operation returns";
const MEMBERSHIP: &str = "joins and leaves end";
const MONOTONE: &str = "monotone searchability";

/// Watches that the promises are kept. It replays operations in the order of their witnesses and
/// forgets them ([`Replay`]), so that it remembers the object and what is outstanding. Answers
/// without witnesses are not judged, unless it is [asked to](Self::explaining).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor<O: Object> {
    replay: Replay<O>,
    joining: NodeSet,
    leaving: NodeSet,
    /// Whether an operation may have had its effect and never return, so that the order has a gap.
    is_torn: bool,
    /// What processes have found, if they are to find it again.
    found: Option<Found>,
    /// All operations, if answers without witnesses are judged.
    explained: Option<Explained<O>>,
    /// Whether operations of a process that overlap may be carried out in any order.
    is_unordered: bool,
    judged: Judged<O>,
}

/// Which operations have to be right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Judged<O: Object> {
    All,
    /// None: the system is damaged.
    None,
    /// Those that were invoked since it is legal again.
    Since(Afresh<O>),
}

/// What processes have found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Found {
    /// Each process, and the parts of the object that it has found something in.
    by: BTreeSet<(NodeId, u64)>,
    /// The parts in which nothing need be found any more: somebody has tried to remove it.
    removed: BTreeSet<u64>,
}

impl<O: Object> Monitor<O> {
    /// Nothing has been asked for.
    pub fn new(places: Places) -> Self {
        let (joining, leaving) = (NodeSet::new(), NodeSet::new());
        Self {
            replay: Replay::new(places),
            joining,
            leaving,
            is_torn: false,
            found: None,
            explained: None,
            is_unordered: false,
            judged: Judged::All,
        }
    }

    /// Judges nothing before the system is legal: it begins in a wrong state.
    #[must_use]
    pub fn damaged(self) -> Self {
        Self { judged: Judged::None, ..self }
    }

    /// An operation of a system that is or was damaged returns.
    fn on_returned_afresh(
        &mut self,
        node: NodeId,
        event: (u32, Answer, Option<u64>),
    ) -> Result<(), Broken> {
        let (ticket, answer, witness) = event;
        let Some(op) = self.replay.forget(node, ticket) else {
            let detail = format!("operation {ticket} of node {node} returns, unasked");
            return Broken::by(node, RETURNS, detail);
        };
        let (Judged::Since(afresh), Some(witness)) = (&mut self.judged, witness) else {
            return Ok(());
        };
        afresh.finish(Returned { process: node, seq: ticket, op, answer, witness });
        match self.replay.outstanding().next() {
            Some(_) => Ok(()),
            None => afresh.judge().or_else(|why| Broken::by(node, CONSISTENT, why)),
        }
    }

    /// Judges answers without witnesses, too: looks for an order that explains a few of them.
    #[must_use]
    pub fn explaining(self) -> Self {
        Self { explained: Some(Explained::default()), ..self }
    }

    /// Does not watch the program order: sequential consistency is not promised, but the answers
    /// are to be explained by an order that agrees with real time.
    #[must_use]
    pub fn unordered(self) -> Self {
        Self { is_unordered: true, ..self }
    }

    fn explain(&mut self, node: NodeId, ticket: u32, answer: Answer) -> Result<(), Broken> {
        let Some(explained) = &mut self.explained else { return Ok(()) };
        explained.finish(node, ticket, answer);
        match explained.is_consistent() {
            true => Ok(()),
            false => {
                let detail = format!("no order explains the answer to node {node}, {answer:?}");
                Broken::by(node, CONSISTENT, detail)
            }
        }
    }

    /// Watches also that a process that has found something finds it again, unless it is removed.
    #[must_use]
    pub fn monotone(self) -> Self {
        Self { found: Some(Found::default()), ..self }
    }

    fn search_again(&mut self, node: NodeId, op: O::Op, answer: Answer) -> Result<(), Broken> {
        let (Some(found), Nature::Read(part)) = (&mut self.found, O::nature(op)) else {
            return Ok(());
        };
        if answer.is_some() {
            found.by.insert((node, part));
        } else if found.by.contains(&(node, part)) && !found.removed.contains(&part) {
            let detail = format!("node {node} has found {part} before, and does not find it");
            return Broken::by(node, MONOTONE, detail);
        }
        Ok(())
    }

    fn on_returned(
        &mut self,
        node: NodeId,
        event: (u32, Answer, Option<u64>),
    ) -> Result<(), Broken> {
        if !matches!(self.judged, Judged::All) {
            return self.on_returned_afresh(node, event);
        }
        let (ticket, answer, witness) = event;
        if let Some(op) = self.replay.pending(node, ticket) {
            self.search_again(node, op, answer)?;
            self.explain(node, ticket, answer)?;
        }
        let faults = match witness {
            Some(witness) => self.replay.finish(node, ticket, answer, witness),
            None => self.replay.forget(node, ticket).map(|_| Vec::new()),
        };
        let Some(faults) = faults else {
            let detail =
                format!("operation {ticket} of node {node} returns, but is not outstanding");
            return Broken::by(node, RETURNS, detail);
        };
        let is_watched =
            |fault: &&Fault<_>| !self.is_unordered || !matches!(fault, Fault::ProgramOrder(..));
        match faults.iter().find(is_watched) {
            None => Ok(()),
            Some(fault) if self.is_unordered => Broken::by(node, LINEARIZABLE, fault.to_string()),
            Some(fault @ Fault::RealTime(..)) => Broken::by(node, LINEARIZABLE, fault.to_string()),
            Some(fault) => Broken::by(node, CONSISTENT, fault.to_string()),
        }
    }
}

impl<O: Object> protocol::Monitor for Monitor<O>
where
    Command<O::Op>: Data,
{
    type Command = Command<O::Op>;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, command: &Self::Command) -> Result<(), Broken> {
        match *command {
            Command::Invoke(op) => {
                if let (Some(found), Nature::Write(part, None)) = (&mut self.found, O::nature(op)) {
                    found.removed.insert(part);
                }
                self.explained.iter_mut().for_each(|it| it.invoke(node, op));
                self.replay.invoke(node, op);
            }
            Command::Join { .. } => _ = self.joining.insert(node),
            Command::Leave => _ = self.leaving.insert(node),
        }
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        let was_asked = match *event {
            Event::Returned { ticket, answer, witness } => {
                return self.on_returned(node, (ticket, answer, witness));
            }
            Event::Joined => self.joining.remove(node),
            Event::Left => self.leaving.remove(node),
        };
        match was_asked {
            true => Ok(()),
            false => Broken::by(node, MEMBERSHIP, format!("node {node} is told {event:?} unasked")),
        }
    }

    fn on_damage(&mut self) {
        self.judged = Judged::None;
    }

    fn on_legal(&mut self) {
        if matches!(self.judged, Judged::None) {
            self.judged = Judged::Since(Afresh::default());
        }
    }

    /// Its operations need not return any more, but may have had their effects.
    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
        let outstanding: Vec<_> = self.replay.outstanding().collect();
        for (process, seq) in outstanding.into_iter().filter(|(process, _)| *process == node) {
            self.replay.forget(process, seq);
            self.is_torn = true;
        }
        self.joining.remove(node);
        self.leaving.remove(node);
        Ok(())
    }

    fn promises() -> &'static [Promise] {
        const {
            &[
                Promise::safety(CONSISTENT),
                Promise::safety(LINEARIZABLE),
                Promise::liveness(RETURNS),
                Promise::liveness(MEMBERSHIP),
                Promise::safety(MONOTONE),
            ]
        }
    }

    fn watches(&self, promise: &str) -> bool {
        match promise {
            MONOTONE => self.found.is_some(),
            CONSISTENT => !self.is_unordered,
            _ => true,
        }
    }

    fn at_rest(&self) -> Result<(), Broken> {
        if let Some((node, seq)) = self.replay.outstanding().next() {
            let detail = format!("node {node} waits for ever for operation {seq}");
            return Broken::by(node, RETURNS, detail);
        }
        let is_whole = !self.is_torn && matches!(self.judged, Judged::All);
        if let Some(gap) = self.replay.gap().filter(|_| is_whole) {
            let detail =
                format!("no operation has place {gap} of an order, but later ones are taken");
            let promise = if self.is_unordered { LINEARIZABLE } else { CONSISTENT };
            return Broken::promise(promise, detail);
        }
        let waiting = [("join", &self.joining), ("leave", &self.leaving)];
        for (what, nodes) in waiting {
            if let Some(node) = nodes.iter().next() {
                let detail = format!("node {node} waits for ever to {what}");
                return Broken::by(node, MEMBERSHIP, detail);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Queue, QueueOp};
    use crate::protocol::Monitor as _;

    const ONE: NodeId = NodeId(1);

    fn returned(ticket: u32, answer: Answer, witness: u64) -> Event {
        Event::Returned { ticket, answer, witness: Some(witness) }
    }

    fn promise(verdict: Result<(), Broken>) -> String {
        verdict.expect_err("a promise is broken").promise
    }

    #[test]
    fn each_fault_breaks_its_promise() {
        let mut fresh = Monitor::<Queue>::new(Places::OfAll);
        for op in [QueueOp::Enqueue(4), QueueOp::Dequeue] {
            fresh.on_command(ONE, &Command::Invoke(op)).unwrap();
        }
        assert_eq!(promise(fresh.at_rest()), RETURNS);
        let mut monitor = fresh.clone();
        monitor.on_event(ONE, &returned(0, None, 0)).unwrap();
        assert_eq!(promise(monitor.on_event(ONE, &returned(0, None, 1))), RETURNS);
        assert_eq!(promise(monitor.on_event(ONE, &returned(1, None, 1))), CONSISTENT);
        let mut swapped = fresh.clone();
        swapped.on_event(ONE, &returned(0, None, 1)).unwrap();
        assert_eq!(promise(swapped.on_event(ONE, &returned(1, None, 0))), CONSISTENT);
        let mut gap = fresh.clone();
        gap.on_event(ONE, &returned(0, None, 0)).unwrap();
        gap.on_event(ONE, &returned(1, Some(4), 2)).unwrap();
        assert_eq!(promise(gap.at_rest()), CONSISTENT);
        let mut late = fresh;
        late.on_event(ONE, &returned(1, None, 1)).unwrap();
        late.on_command(NodeId(2), &Command::Invoke(QueueOp::Enqueue(9))).unwrap();
        assert_eq!(promise(late.on_event(NodeId(2), &returned(0, None, 0))), LINEARIZABLE);
    }

    #[test]
    fn without_program_order_only_overlapping_operations_may_change_places() {
        let mut ordered = Monitor::<Queue>::new(Places::OfAll);
        for op in [QueueOp::Dequeue, QueueOp::Enqueue(4)] {
            ordered.on_command(ONE, &Command::Invoke(op)).unwrap();
        }
        let mut unordered = ordered.clone().unordered();
        assert!(!unordered.watches(CONSISTENT) && unordered.watches(LINEARIZABLE));
        ordered.on_event(ONE, &returned(1, None, 0)).unwrap();
        assert_eq!(promise(ordered.on_event(ONE, &returned(0, Some(4), 1))), CONSISTENT);
        unordered.on_event(ONE, &returned(1, None, 0)).unwrap();
        let mut wrong = unordered.clone();
        assert_eq!(promise(wrong.on_event(ONE, &returned(0, None, 1))), LINEARIZABLE);
        unordered.on_event(ONE, &returned(0, Some(4), 1)).unwrap();
        assert_eq!(unordered.at_rest(), Ok(()));
    }

    #[test]
    fn a_crashed_process_waits_for_nothing() {
        let mut monitor = Monitor::<Queue>::new(Places::OfAll);
        monitor.on_command(ONE, &Command::Invoke(QueueOp::Enqueue(4))).unwrap();
        monitor.on_command(ONE, &Command::Leave).unwrap();
        assert!(monitor.at_rest().is_err());
        monitor.on_crash(ONE).unwrap();
        monitor.on_command(NodeId(2), &Command::Invoke(QueueOp::Dequeue)).unwrap();
        monitor.on_event(NodeId(2), &returned(0, Some(4), 1)).unwrap();
        assert_eq!(monitor.at_rest(), Ok(()));
    }

    #[test]
    fn a_member_asked_to_be_one() {
        let mut monitor = Monitor::<Queue>::new(Places::OfAll);
        monitor.on_command(ONE, &Command::Join { contact: NodeId(0) }).unwrap();
        assert_eq!(promise(monitor.at_rest()), MEMBERSHIP);
        assert_eq!(promise(monitor.on_event(ONE, &Event::Left)), MEMBERSHIP);
        monitor.on_event(ONE, &Event::Joined).unwrap();
        assert_eq!(monitor.at_rest(), Ok(()));
    }
}
