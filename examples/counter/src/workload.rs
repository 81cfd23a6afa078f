//! The applications of counting: of a simulation, and of a search.

use konklave::NodeId;
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Workload};
use konklave_stage::application::of_node;
use konklave_stage::{Application, Standing};
use serde::Serialize;

use crate::counting::{Command, Event};

/// Every node asks this many times, again as soon as it has its number.
pub struct Askers {
    left: Vec<u32>,
    answers: u64,
}

impl Askers {
    /// This many nodes, each of which asks this many times.
    pub fn new(nodes: u32, requests: u32) -> Self {
        Self { left: vec![requests; nodes as usize], answers: 0 }
    }

    fn ask(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        let left = &mut self.left[node.index()];
        if *left > 0 {
            *left -= 1;
            agenda.after(0, node, Command::Next);
        }
    }
}

/// What is measured.
#[derive(Clone, Debug, Serialize)]
pub struct CountingReport {
    /// How many numbers were given.
    pub answers: u64,
    /// All messages, divided by answers.
    pub messages_per_request: Option<f64>,
}

impl Workload for Askers {
    type Command = Command;
    type Event = Event;
    type Report = CountingReport;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        NodeId::all(self.left.len() as u32).for_each(|node| self.ask(node, agenda));
    }

    fn on_event(&mut self, node: NodeId, _event: &Event, agenda: &mut Agenda<'_, Command>) {
        self.answers += 1;
        self.ask(node, agenda);
    }

    fn report(&self, messages: &Messages, _time: u64, _unit: f64) -> CountingReport {
        let per = |answers: u64| messages.total as f64 / answers as f64;
        let messages_per_request = (self.answers > 0).then(|| per(self.answers));
        CountingReport { answers: self.answers, messages_per_request }
    }
}

/// The application of one node in a search: it asks a number of times, one request after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asker {
    left: u32,
    standing: Standing,
}

impl Asker {
    /// It asks up to this many times.
    pub fn new(requests: u32) -> Self {
        Self { left: requests, standing: Standing::Idle }
    }
}

impl Application for Asker {
    type Command = Command;
    type Event = Event;

    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<Command> {
        match (self.left, self.standing) {
            (0, _) | (_, Standing::Waiting) => Vec::new(),
            _ => vec![Command::Next],
        }
    }

    fn on_command(&mut self, _command: &Command) {
        self.left -= 1;
        self.standing = Standing::Waiting;
    }

    fn on_event(&mut self, _event: &Event) {
        self.standing = Standing::Served;
    }

    fn revive(&mut self) {
        self.standing = Standing::Idle;
    }

    fn supply(nodes: u32, commands: &[(NodeId, Command)]) -> Vec<Self> {
        let requests = |node| of_node(node, commands).count() as u32;
        NodeId::all(nodes).map(|node| Self::new(requests(node))).collect()
    }

    fn standing(&self) -> Standing {
        self.standing
    }
}
