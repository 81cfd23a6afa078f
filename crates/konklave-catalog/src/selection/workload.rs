//! The applications of a selection: processes ask for elements, one after the other.

use std::collections::VecDeque;

use konklave::NodeId;
use konklave::selection::{Command, Event};
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Distribution, Times, Workload};
use konklave_stage::application::of_node;
use konklave_stage::{Application, Standing};
use serde::Serialize;

use super::elements::Rank;

/// All applications of a simulation: process after process asks, when the last one was told.
pub struct Askers {
    nodes: u32,
    elements: u64,
    rank: Rank,
    selections: u32,
    begun: u32,
    asked_at: u64,
    answered: u32,
    last: Option<u64>,
    latency: Times,
}

/// What is measured.
#[derive(Clone, Debug, Serialize)]
pub struct SelectionReport {
    /// How many selections have ended.
    pub selections: u32,
    /// All messages, divided by selections.
    pub messages_per_selection: Option<f64>,
    /// The time from the question to the answer.
    pub latency: Option<Distribution>,
    /// The last answer.
    pub value: Option<u64>,
}

impl Askers {
    /// The applications of this many nodes, which ask so often for an element of this rank.
    pub fn new(nodes: u32, elements: u64, rank: Rank, selections: u32) -> Self {
        Self {
            nodes,
            elements,
            rank,
            selections,
            begun: 0,
            asked_at: 0,
            answered: 0,
            last: None,
            latency: Times::new(),
        }
    }

    fn ask(&mut self, agenda: &mut Agenda<'_, Command>) {
        if self.begun < self.selections {
            let rank = self.rank.among(self.elements, agenda.random());
            self.asked_at = agenda.now();
            agenda.after(0, NodeId(self.begun % self.nodes), Command::Select { rank });
            self.begun += 1;
        }
    }
}

impl Workload for Askers {
    type Command = Command;
    type Event = Event;
    type Report = SelectionReport;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        self.ask(agenda);
    }

    fn on_event(&mut self, _node: NodeId, event: &Event, agenda: &mut Agenda<'_, Command>) {
        let Event::Selected { value, .. } = *event;
        self.answered += 1;
        self.last = value;
        self.latency.record(agenda.now() - self.asked_at);
        self.ask(agenda);
    }

    fn report(&self, messages: &Messages, _time: u64, unit: f64) -> SelectionReport {
        let answered = Some(self.answered).filter(|answered| *answered > 0);
        SelectionReport {
            selections: self.answered,
            messages_per_selection: answered.map(|it| messages.total as f64 / f64::from(it)),
            latency: self.latency.distribution(unit),
            value: self.last,
        }
    }
}

/// The application of one node in a search: it asks for these ranks, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asker {
    left: VecDeque<u64>,
    standing: Standing,
}

impl Asker {
    /// It asks for these ranks in this order.
    pub fn new(ranks: impl Iterator<Item = u64>) -> Self {
        Self { left: ranks.collect(), standing: Standing::Idle }
    }
}

impl Application for Asker {
    type Command = Command;
    type Event = Event;

    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<Command> {
        let next = self.left.front().filter(|_| self.standing != Standing::Waiting);
        next.map(|rank| Command::Select { rank: *rank }).into_iter().collect()
    }

    fn on_command(&mut self, _command: &Command) {
        self.left.pop_front();
        self.standing = Standing::Waiting;
    }

    fn on_event(&mut self, _event: &Event) {
        self.standing = Standing::Served;
    }

    fn revive(&mut self) {
        self.standing = Standing::Idle;
    }

    fn supply(nodes: u32, commands: &[(NodeId, Command)]) -> Vec<Self> {
        let ranks = |node| of_node(node, commands).map(|Command::Select { rank }| *rank).collect();
        let asker = |left| Self { left, standing: Standing::Idle };
        NodeId::all(nodes).map(|node| asker(ranks(node))).collect()
    }

    fn standing(&self) -> Standing {
        self.standing
    }
}
