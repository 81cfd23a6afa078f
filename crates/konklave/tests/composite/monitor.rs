//! What the counter promises, and applications that make it count.
//!
//! Promises:
//! - **distinct values**: no value is handed out twice;
//! - **answers on demand**: an operation is answered once, where it was asked for;
//! - **real time**: who asks after another was answered gets a larger value;
//! - **complete values**: in the end every operation is answered, with values 1 to their number.

use std::collections::{BTreeMap, BTreeSet};

use konklave::NodeId;
use konklave::protocol::{self, Broken};
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Workload};

use super::counter::{Command, Event};

/// Watches one run of a counter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Monitor {
    asked: u32,
    /// Who waits for which operation, and the largest value known when it was asked for.
    waiting: BTreeMap<u32, (NodeId, u32)>,
    values: BTreeSet<u32>,
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, command: &Command) -> Result<(), Broken> {
        let Command::Increment { op } = command;
        self.asked += 1;
        let known = self.values.last().copied().unwrap_or(0);
        self.waiting.insert(*op, (node, known));
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        let Event::Counted { op, value } = event;
        let Some((asker, known)) = self.waiting.remove(op) else {
            return Broken::promise("answers on demand", format!("nobody waits for {op}"));
        };
        if asker != node {
            let detail = format!("node {asker} asked for {op}, node {node} is answered");
            return Broken::promise("answers on demand", detail);
        }
        if !self.values.insert(*value) {
            return Broken::promise("distinct values", format!("{value} again, for {op}"));
        }
        if *value <= known {
            return Broken::promise("real time", format!("{value} after {known}, for {op}"));
        }
        Ok(())
    }

    fn on_crash(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn at_rest(&self) -> Result<(), Broken> {
        if self.values.iter().copied().eq(1..=self.asked) {
            return Ok(());
        }
        let detail = format!("{} operations, values {:?}", self.asked, self.values);
        Broken::promise("complete values", detail)
    }
}

/// Every node increments so often, each time as soon as it was answered.
#[derive(Debug)]
pub(super) struct Demand {
    /// How often each node still will.
    left: Vec<u32>,
    next_op: u32,
    answered: u32,
}

impl Demand {
    pub(super) fn new(left: Vec<u32>) -> Self {
        Self { left, next_op: 0, answered: 0 }
    }

    fn ask(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        if self.left[node.index()] > 0 {
            self.left[node.index()] -= 1;
            self.next_op += 1;
            agenda.after(0, node, Command::Increment { op: self.next_op });
        }
    }
}

impl Workload for Demand {
    type Command = Command;
    type Event = Event;
    /// How many operations were answered.
    type Report = u32;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        for node in NodeId::all(self.left.len() as u32) {
            self.ask(node, agenda);
        }
    }

    fn on_event(&mut self, node: NodeId, _event: &Event, agenda: &mut Agenda<'_, Command>) {
        self.answered += 1;
        self.ask(node, agenda);
    }

    fn report(&self, _messages: &Messages, _time: u64, _unit: f64) -> u32 {
        self.answered
    }
}

/// The promise that breaks if these operations are asked for, then these events happen.
fn judge(ops: &[(u32, u32)], events: &[(u32, u32, u32)]) -> Option<String> {
    use konklave::protocol::Monitor as _;
    let mut monitor = Monitor::default();
    for &(node, op) in ops {
        monitor.on_command(NodeId(node), &Command::Increment { op }).unwrap();
    }
    let mut tell = |&(node, op, value): &(u32, u32, u32)| {
        monitor.on_event(NodeId(node), &Event::Counted { op, value })
    };
    let verdict = events.iter().try_for_each(&mut tell).and_then(|()| monitor.at_rest());
    verdict.err().map(|broken| broken.promise)
}

#[test]
fn the_monitor_sees_what_is_wrong() {
    let ops = [(1, 10), (2, 20)];
    assert_eq!(judge(&ops, &[(2, 20, 1), (1, 10, 2)]), None);
    let broken = |events: &[_]| judge(&ops, events).unwrap_or_default();
    assert_eq!(broken(&[(2, 20, 1), (1, 10, 1)]), "distinct values");
    assert_eq!(broken(&[(2, 20, 1), (2, 20, 2)]), "answers on demand");
    assert_eq!(broken(&[(1, 20, 1)]), "answers on demand");
    assert_eq!(broken(&[(2, 20, 1)]), "complete values");
    assert_eq!(broken(&[(2, 20, 1), (1, 10, 3)]), "complete values");
}

#[test]
fn the_monitor_knows_what_was_first() {
    use konklave::protocol::Monitor as _;
    let mut monitor = Monitor::default();
    monitor.on_command(NodeId(1), &Command::Increment { op: 10 }).unwrap();
    monitor.on_event(NodeId(1), &Event::Counted { op: 10, value: 2 }).unwrap();
    monitor.on_command(NodeId(2), &Command::Increment { op: 20 }).unwrap();
    let late = monitor.on_event(NodeId(2), &Event::Counted { op: 20, value: 1 });
    assert_eq!(late.unwrap_err().promise, "real time");
}
