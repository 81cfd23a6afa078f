use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Display};

use konklave::protocol::{Effect, Input, Monitor, Protocol, Verdict};
use konklave::{NodeId, NodeSet, Recorder};
use serde::Deserialize;
use serde_json::Value as Json;

use super::command::{Command, Pick};
use konklave_stage::erased::{AnyNode, Value};

/// More than any script needs that comes to rest at last.
const DELIVERIES_MAX: u32 = 100_000;

/// A node of the problem that a monitor watches.
type Node<M> = AnyNode<<M as Monitor>::Command, <M as Monitor>::Event>;

/// Where a script is played.
pub(super) struct Stage<M: Monitor> {
    /// None where a node has crashed.
    nodes: Vec<Option<Node<M>>>,
    monitor: M,
    /// In the order sent.
    flight: VecDeque<Letter>,
    /// Those pending. Where a node has crashed they never run out.
    timers: Vec<(NodeId, Value)>,
    /// What the next `choose` calls will get.
    choices: VecDeque<u32>,
    deliveries: u32,
    sent: u64,
    kinds: BTreeMap<String, u64>,
    output: Vec<String>,
}

#[derive(Clone)]
struct Letter {
    from: NodeId,
    to: NodeId,
    msg: Value,
}

impl Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {} {:?}", self.from, self.to, self.msg)
    }
}

impl<M: Monitor> Stage<M> {
    pub(super) fn new(nodes: Vec<Node<M>>, monitor: M) -> Self {
        Self {
            nodes: nodes.into_iter().map(Some).collect(),
            monitor,
            flight: VecDeque::new(),
            timers: Vec::new(),
            choices: VecDeque::new(),
            deliveries: 0,
            sent: 0,
            kinds: BTreeMap::new(),
            output: Vec::new(),
        }
    }

    pub(super) fn start(&mut self) -> Result<(), String> {
        NodeId::all(self.nodes.len() as u32).try_for_each(|node| self.step(node, Input::Start))
    }

    /// What happened since the last call. Whatever a value prints, it is one line.
    pub(super) fn take_output(&mut self) -> impl Iterator<Item = String> {
        self.output.drain(..).map(|line| line.replace(['\n', '\r'], " "))
    }

    pub(super) fn perform(&mut self, command: &Command) -> Result<(), String> {
        match command {
            Command::Ask { node, command } => self.ask(*node, command)?,
            Command::Round => self.deliver_round()?,
            Command::Settle => {
                while let Some(letter) = self.flight.pop_front() {
                    self.deliver(letter)?;
                }
            }
            Command::Deliver(pick) => {
                let letter = self.pick(*pick)?;
                self.deliver(letter)?;
            }
            Command::Lose(pick) => drop(self.pick(*pick)?),
            Command::Duplicate(pick) => {
                let place = self.find(*pick)?;
                self.flight.push_back(self.flight[place].clone());
            }
            Command::Timer { node, name } => self.run_out(*node, name)?,
            Command::Choose(values) => self.choices = values.iter().copied().collect(),
            Command::Crash(node) => self.crash(*node)?,
            Command::Rest => self.rest()?,
            Command::State(node) => self.show_state(*node)?,
            Command::Flight => self.show_flight(),
            Command::Count => self.show_count(),
            Command::Start => {} // The nodes have started already.
        }
        Ok(())
    }

    fn ask(&mut self, node: NodeId, command: &Json) -> Result<(), String> {
        let unknown = |error| format!("node {node} has no such command: {error}");
        self.alive(node)?;
        let command = M::Command::deserialize(command).map_err(unknown)?;
        let verdict = self.monitor.on_command(node, &command);
        self.judge(verdict);
        self.step(node, Input::Command(command))
    }

    fn deliver_round(&mut self) -> Result<(), String> {
        if self.flight.is_empty() {
            return Err("nothing is in flight that could be delivered".to_owned());
        }
        let mut round = std::mem::take(&mut self.flight).into_iter();
        round.try_for_each(|letter| self.deliver(letter))
    }

    fn run_out(&mut self, node: NodeId, name: &str) -> Result<(), String> {
        self.alive(node)?;
        let place = self.find_timer(node, name)?;
        let (_, timer) = self.timers.remove(place);
        self.step(node, Input::Timer(timer))
    }

    fn crash(&mut self, node: NodeId) -> Result<(), String> {
        self.alive(node)?;
        self.nodes[node.index()] = None;
        let verdict = self.monitor.on_crash(node);
        self.judge(verdict);
        Ok(())
    }

    fn rest(&mut self) -> Result<(), String> {
        if !self.flight.is_empty() {
            return Err(format!("this is no rest; {}", self.in_flight()));
        }
        match self.monitor.at_rest() {
            Ok(()) => self.say("at rest"),
            broken => {
                self.judge(broken);
                self.show_who_waits();
            }
        }
        Ok(())
    }

    fn show_who_waits(&mut self) {
        for (node, state) in NodeId::all(self.nodes.len() as u32).zip(&self.nodes) {
            let waits_for = state.as_ref().map_or_else(NodeSet::new, Node::<M>::waits_for);
            if !waits_for.is_empty() {
                let whom: Vec<_> = waits_for.iter().map(|other| other.to_string()).collect();
                self.output.push(format!("{node} waits for {}", whom.join(", ")));
            }
        }
    }

    fn show_state(&mut self, node: NodeId) -> Result<(), String> {
        let line = match self.node(node)? {
            Some(state) => format!("{node} {state:?}"),
            None => format!("{node} has crashed"),
        };
        self.say(line);
        Ok(())
    }

    fn show_flight(&mut self) {
        self.output.extend(self.flight.iter().map(Letter::to_string));
        if self.flight.is_empty() {
            self.say("nothing in flight");
        }
    }

    fn show_count(&mut self) {
        let kinds: Vec<_> = self.kinds.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        let plural = if self.sent == 1 { "" } else { "s" };
        let colon = if kinds.is_empty() { "" } else { ": " };
        self.say(format!("{} message{plural}{colon}{}", self.sent, kinds.join(", ")));
    }

    /// One transition of a node that is alive, and what comes of it.
    fn step(&mut self, node: NodeId, input: Input<Node<M>>) -> Result<(), String> {
        let mut env = Recorder::choosing(self.choices.make_contiguous());
        self.alive(node)?.on_dyn(input, &mut env);
        for effect in env.take() {
            self.say(format!("{node} {effect}"));
            match effect {
                Effect::Send { to, msg } => self.send(node, to, msg)?,
                Effect::SetTimer { timer, .. } => {
                    self.cancel_timer(node, &timer);
                    self.timers.push((node, timer));
                }
                Effect::CancelTimer(timer) => self.cancel_timer(node, &timer),
                Effect::Emit(event) => {
                    let verdict = self.monitor.on_event(node, &event);
                    self.judge(verdict);
                }
                Effect::Choose { bound, value } => {
                    let given = self.choices.pop_front().unwrap_or(value);
                    // The recorder puts the largest number there is in place of one too large.
                    if given != value {
                        let choices = format!("one of {bound} numbers, counted from 0");
                        return Err(format!("node {node} chooses {choices}; {given} is too large"));
                    }
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, from: NodeId, to: NodeId, msg: Value) -> Result<(), String> {
        self.node(to).map_err(|problem| format!("node {from} sends to nobody: {problem}"))?;
        self.sent += 1;
        let text = format!("{msg:?}");
        let kind = text.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        if let Some(kind) = kind.filter(|kind| !kind.is_empty()) {
            *self.kinds.entry(kind.to_owned()).or_default() += 1;
        }
        self.flight.push_back(Letter { from, to, msg });
        Ok(())
    }

    fn deliver(&mut self, letter: Letter) -> Result<(), String> {
        if self.deliveries == DELIVERIES_MAX {
            return Err(format!("no end in sight after {DELIVERIES_MAX} deliveries"));
        }
        self.deliveries += 1;
        let Letter { from, to, msg } = letter;
        match self.node(to)? {
            Some(_) => self.step(to, Input::Message { from, msg }),
            None => Ok(()), // It has crashed.
        }
    }

    fn cancel_timer(&mut self, node: NodeId, timer: &Value) {
        self.timers.retain(|(owner, pending)| (*owner, pending) != (node, timer));
    }

    fn judge(&mut self, verdict: Verdict) {
        if let Err(broken) = verdict {
            self.say(format!("broken {broken}"));
        }
    }

    fn say(&mut self, line: impl Into<String>) {
        self.output.push(line.into());
    }

    fn node(&mut self, node: NodeId) -> Result<&mut Option<Node<M>>, String> {
        let nodes = self.nodes.len();
        let none = || format!("there is no node {node}; there are {nodes}, counted from 0");
        self.nodes.get_mut(node.index()).ok_or_else(none)
    }

    fn alive(&mut self, node: NodeId) -> Result<&mut Node<M>, String> {
        self.node(node)?.as_mut().ok_or_else(|| format!("node {node} has crashed"))
    }

    fn pick(&mut self, pick: Pick) -> Result<Letter, String> {
        let place = self.find(pick)?;
        Ok(self.flight.remove(place).expect("it was found there"))
    }

    fn find(&self, Pick { from, to, older }: Pick) -> Result<usize, String> {
        let is_meant = |letter: &Letter| (letter.from, letter.to) == (from, to);
        let mut places = (0..self.flight.len()).filter(|&place| is_meant(&self.flight[place]));
        places.nth(older).ok_or_else(|| {
            let number = if older == 0 { String::new() } else { format!(" {}", older + 1) };
            format!("no message{number} from {from} to {to} is in flight; {}", self.in_flight())
        })
    }

    fn in_flight(&self) -> String {
        match &self.flight.iter().map(Letter::to_string).collect::<Vec<_>>()[..] {
            [] => "nothing is in flight".to_owned(),
            letters => format!("in flight: {}", letters.join(", ")),
        }
    }

    /// The place of the pending timer of `node` called `name`, or else of the only one whose name
    /// starts so.
    fn find_timer(&self, node: NodeId, name: &str) -> Result<usize, String> {
        let timers = self.timers.iter().zip(0..);
        let pending = timers.filter(|((owner, _), _)| *owner == node);
        let pending: Vec<_> =
            pending.map(|((_, timer), place)| (format!("{timer:?}"), place)).collect();
        let exact = pending.iter().find(|(timer, _)| timer == name);
        let mut similar = pending.iter().filter(|(timer, _)| timer.starts_with(name));
        match (exact, similar.next(), similar.next()) {
            (Some((_, place)), ..) | (None, Some((_, place)), None) => Ok(*place),
            _ if pending.is_empty() => Err(format!("node {node} has no timer pending")),
            (None, first, _) => {
                let number = if first.is_none() { "no" } else { "more than one" };
                let called = if name.is_empty() { "" } else { &format!(" `{name}`") };
                let timers: Vec<_> = pending.iter().map(|(timer, _)| timer.as_str()).collect();
                let timers = timers.join(", ");
                Err(format!("node {node} has {number} timer{called} pending; pending: {timers}"))
            }
        }
    }
}
