//! The applications of consensus: an adversary that knows everything, and a few that write.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::consensus::{Command, Event, Value};
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Workload};
use konklave_stage::application::of_node;
use konklave_stage::{Application, Standing};
use serde::Serialize;

use super::values::Adversary;

/// All applications of a simulation. A round is over when as many rounds of nodes are as there are
/// nodes: in a synchronous run, when each has had its own.
pub struct Votes {
    adversary: Adversary,
    /// How many nodes write a new value at the beginning.
    writes: u32,
    /// The nodes before this one do not lie.
    honest: u32,
    began: Vec<Value>,
    held: Vec<Value>,
    taken: u64,
    /// The node that a value is being written to.
    written: Option<NodeId>,
    /// How many nodes disagree with the others after each round, from the beginning.
    minorities: Vec<u32>,
    /// Since when all nodes agree, as far as the adversary lets them.
    since: Option<u64>,
}

/// What is measured.
#[derive(Clone, Debug, Serialize)]
pub struct ConsensusReport {
    /// After how many rounds nodes agreed, as far as the adversary lets them, and have since.
    pub rounds: Option<u64>,
    /// What most nodes hold in the end.
    pub value: Value,
    /// Which share of the values of the beginning is below it, those equal to it by half.
    pub rank: f64,
    /// How many nodes hold another value in the end.
    pub minority: u32,
    /// How many did after each round, from the beginning.
    pub minorities: Vec<u32>,
}

impl Votes {
    /// The applications of this many nodes.
    pub fn new(nodes: u32, adversary: Adversary, writes: u32) -> Self {
        Self {
            adversary,
            writes,
            honest: nodes - adversary.liars(),
            began: vec![0; nodes as usize],
            held: vec![0; nodes as usize],
            taken: 0,
            written: None,
            minorities: Vec::new(),
            since: None,
        }
    }

    fn nodes(&self) -> u32 {
        self.held.len() as u32
    }

    /// How many honest nodes hold each value.
    fn camps(&self) -> BTreeMap<Value, u32> {
        let mut camps = BTreeMap::new();
        for value in &self.held[..self.honest as usize] {
            *camps.entry(*value).or_default() += 1;
        }
        camps
    }

    /// A round is over: looks at what nodes hold, and lets the adversary begin the next.
    fn end_round(&mut self, agenda: &mut Agenda<'_, Command>) {
        let camps = self.camps();
        let (_, largest) = leading(&camps);
        let minority = self.honest - largest;
        self.minorities.push(minority);
        let round = self.minorities.len() as u64 - 1;
        self.since = match minority <= 2 * self.adversary.strength() {
            true => self.since.or(Some(round)),
            false => None,
        };
        match self.adversary {
            Adversary::None | Adversary::Liars(_) => {}
            Adversary::Balancing(most) => self.balance(&camps, most, agenda),
            Adversary::Extremes(count) => self.distract(count, round, agenda),
        }
    }

    /// Moves nodes from the larger of two camps to the other, until they are equal.
    fn balance(&self, camps: &BTreeMap<Value, u32>, most: u32, agenda: &mut Agenda<'_, Command>) {
        let (value, largest) = leading(camps);
        let Some(&other) = self.began.iter().find(|other| **other != value) else { return };
        let smaller = camps.get(&other).copied().unwrap_or(0);
        let count = most.min((largest - smaller) / 2);
        let members = (0..).map(NodeId).zip(&self.held).filter(|(_, held)| **held == value);
        for (node, _) in members.take(count as usize) {
            agenda.after(0, node, Command::Overwrite(other));
        }
    }

    /// Gives random nodes the smallest value in even rounds, the largest in odd ones.
    fn distract(&self, count: u32, round: u64, agenda: &mut Agenda<'_, Command>) {
        let extreme = match round % 2 {
            0 => self.began.iter().min(),
            _ => self.began.iter().max(),
        };
        let Some(&extreme) = extreme else { return };
        for node in agenda.random().sample(count, self.nodes()) {
            agenda.after(0, NodeId(node), Command::Overwrite(extreme));
        }
    }
}

/// The value that most nodes hold, and how many these are.
fn leading(camps: &BTreeMap<Value, u32>) -> (Value, u32) {
    let most = camps.iter().max_by_key(|(value, count)| (**count, std::cmp::Reverse(**value)));
    most.map_or((0, 0), |(value, count)| (*value, *count))
}

impl Workload for Votes {
    type Command = Command;
    type Event = Event;
    type Report = ConsensusReport;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        let fresh = self.began.iter().max().map_or(1, |largest| largest + 1);
        let writers = agenda.random().sample(self.writes, self.nodes());
        for (value, writer) in (fresh..).zip(writers) {
            agenda.after(0, NodeId(writer), Command::Write(value));
        }
        self.end_round(agenda);
    }

    fn on_command(&mut self, node: NodeId, _command: &Command, _agenda: &mut Agenda<'_, Command>) {
        self.written = Some(node);
    }

    fn on_event(&mut self, node: NodeId, event: &Event, agenda: &mut Agenda<'_, Command>) {
        match *event {
            Event::Began(value) => {
                self.began[node.index()] = value;
                self.held[node.index()] = value;
            }
            Event::Took(value) => {
                self.held[node.index()] = value;
                if self.written.take() == Some(node) {
                    return;
                }
                self.taken += 1;
                if self.taken.is_multiple_of(self.held.len() as u64) {
                    self.end_round(agenda);
                }
            }
        }
    }

    fn report(&self, _messages: &Messages, _time: u64, _unit: f64) -> ConsensusReport {
        let (value, largest) = leading(&self.camps());
        let below = self.began.iter().filter(|began| **began < value).count() as f64;
        let equal = self.began.iter().filter(|began| **began == value).count() as f64;
        ConsensusReport {
            rounds: self.since,
            value,
            rank: (below + equal / 2.0) / self.began.len() as f64,
            minority: self.honest - largest,
            minorities: self.minorities.clone(),
        }
    }
}

/// The application of one node in a search: it writes these values, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Writer {
    /// In reverse.
    left: Vec<Value>,
    standing: Standing,
}

impl Writer {
    /// It writes these values in this order.
    pub fn new(values: impl DoubleEndedIterator<Item = Value>) -> Self {
        Self { left: values.rev().collect(), standing: Standing::Idle }
    }
}

impl Application for Writer {
    type Command = Command;
    type Event = Event;

    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<Command> {
        self.left.last().copied().map(Command::Write).into_iter().collect()
    }

    fn on_command(&mut self, _command: &Command) {
        self.left.pop();
        self.standing = Standing::Waiting;
    }

    fn on_event(&mut self, event: &Event) {
        if let Event::Took(_) = event {
            self.standing = Standing::Served;
        }
    }

    fn revive(&mut self) {
        self.standing = Standing::Idle;
    }

    fn supply(nodes: u32, commands: &[(NodeId, Command)]) -> Vec<Self> {
        let values = |node| {
            of_node(node, commands)
                .map(|(Command::Write(value) | Command::Overwrite(value))| *value)
        };
        NodeId::all(nodes).map(|node| Self::new(values(node))).collect()
    }

    fn standing(&self) -> Standing {
        self.standing
    }
}
