use std::collections::{BTreeMap, VecDeque};

use konklave::NodeId;
use konklave::protocol::{Effect, Monitor, Protocol};
use konklave::trace::{Line, Step};
use serde::Deserialize;
use serde_json::Value as Json;

use super::command::{Command, Pick};
use crate::erased::AnyNode;
use crate::{Action, Applied, Letter, Stage, Status, Unrestricted};

/// More than any script needs that comes to rest eventually.
const DELIVERIES_MAX: u32 = 100_000;

/// A node of the problem that a monitor watches.
type Node<M> = AnyNode<<M as Monitor>::Command, <M as Monitor>::Event>;

type Application<M> = Unrestricted<<M as Monitor>::Command, <M as Monitor>::Event>;

/// Carries out the commands of a script.
pub(super) struct Player<M: Monitor> {
    stage: Stage<Node<M>, Application<M>, M>,
    /// The numbers of what is in transit, in the order of arrival if nothing else is said: a
    /// duplicate is behind all others.
    flight: VecDeque<u32>,
    /// What the next `choose` calls will get.
    choices: VecDeque<u32>,
    deliveries: u32,
    kinds: BTreeMap<String, u64>,
    output: Vec<String>,
    /// The nodes whose changes are shown, as they were last seen.
    watched: BTreeMap<NodeId, Node<M>>,
}

impl<M: Monitor> Player<M> {
    pub(super) fn new(nodes: Vec<Node<M>>, monitor: M) -> Self {
        Self {
            stage: Stage::unrestricted(nodes, monitor),
            flight: VecDeque::new(),
            choices: VecDeque::new(),
            deliveries: 0,
            kinds: BTreeMap::new(),
            output: Vec::new(),
            watched: BTreeMap::new(),
        }
    }

    pub(super) fn start(&mut self) -> Result<(), String> {
        self.stage.nodes().try_for_each(|node| self.act(&Action::Start(node)))
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
                while let Some(number) = self.flight.pop_front() {
                    self.deliver(number)?;
                }
            }
            Command::Deliver(pick) => {
                let number = self.pick(*pick)?;
                self.deliver(number)?;
            }
            Command::Lose(pick) => {
                let number = self.pick(*pick)?;
                self.act(&Action::Lose(number))?;
            }
            Command::Duplicate(pick) => {
                let number = self.flight[self.find(*pick)?];
                self.flight.push_back(number);
                self.act(&Action::Duplicate(number))?;
            }
            Command::Timer { node, name } => self.run_out(*node, name)?,
            Command::Tick(node) => self.take_turn(*node)?,
            Command::TickAll => self.take_turns()?,
            Command::Choose(values) => self.choices = values.iter().copied().collect(),
            Command::Crash(node) => {
                self.expect_up(*node)?;
                self.act(&Action::Crash(*node))?;
            }
            Command::Rest => self.rest()?,
            Command::State(node) => self.show_state(*node)?,
            Command::Watch(node) => self.watch(*node)?,
            Command::WatchAll => self.stage.nodes().try_for_each(|node| self.watch(node))?,
            Command::Flight => self.show_flight(),
            Command::Count => self.show_count(),
            Command::Start => {} // The nodes have started already.
        }
        Ok(())
    }

    fn ask(&mut self, node: NodeId, command: &Json) -> Result<(), String> {
        self.expect_up(node)?;
        let command = M::Command::deserialize(command)
            .map_err(|error| format!("node {node} has no such command: {error}"))?;
        self.act(&Action::Command { node, command })
    }

    fn deliver_round(&mut self) -> Result<(), String> {
        if self.flight.is_empty() {
            return Err("nothing is in flight that could be delivered".to_owned());
        }
        let mut round = std::mem::take(&mut self.flight).into_iter();
        round.try_for_each(|number| self.deliver(number))
    }

    fn deliver(&mut self, number: u32) -> Result<(), String> {
        if self.deliveries == DELIVERIES_MAX {
            return Err(format!("no end in sight after {DELIVERIES_MAX} deliveries"));
        }
        self.deliveries += 1;
        self.act(&self.stage.arrival(number))
    }

    fn run_out(&mut self, node: NodeId, name: &str) -> Result<(), String> {
        self.expect_up(node)?;
        let timer = self.find_timer(node, name)?;
        self.act(&Action::Timer { node, timer })
    }

    fn take_turn(&mut self, node: NodeId) -> Result<(), String> {
        self.expect_up(node)?;
        match self.stage.locals()[node.index()].node.ticks() {
            true => self.act(&Action::Tick(node)),
            false => Err("the nodes of this algorithm do not act by themselves".to_owned()),
        }
    }

    fn take_turns(&mut self) -> Result<(), String> {
        let is_up = |node: &NodeId| self.stage.locals()[node.index()].status == Status::Up;
        let up: Vec<_> = self.stage.nodes().filter(is_up).collect();
        up.into_iter().try_for_each(|node| self.take_turn(node))
    }

    fn rest(&mut self) -> Result<(), String> {
        if !self.flight.is_empty() {
            return Err(format!("this is no rest; {}", self.in_flight()));
        }
        match self.stage.judge_at_rest() {
            Ok(()) => self.say("at rest"),
            Err(broken) => {
                self.say(format!("broken {broken}"));
                self.show_who_waits();
            }
        }
        Ok(())
    }

    fn show_who_waits(&mut self) {
        let nodes = self.stage.nodes().zip(self.stage.locals());
        let up = nodes.filter(|(_, local)| local.status == Status::Up);
        for (node, waits_for) in up.map(|(node, local)| (node, local.node.waits_for())) {
            if !waits_for.is_empty() {
                let whom: Vec<_> = waits_for.iter().map(|other| other.to_string()).collect();
                self.output.push(format!("{node} waits for {}", whom.join(", ")));
            }
        }
    }

    fn show_state(&mut self, node: NodeId) -> Result<(), String> {
        let line = match self.status(node)? {
            Status::Down | Status::Away => format!("{node} has crashed"),
            Status::Gone => format!("{node} has left"),
            Status::Asleep | Status::Up => {
                format!("{node} {:?}", self.stage.locals()[node.index()].node)
            }
        };
        self.say(line);
        Ok(())
    }

    fn watch(&mut self, node: NodeId) -> Result<(), String> {
        self.status(node)?;
        self.watched.insert(node, self.stage.locals()[node.index()].node.clone());
        Ok(())
    }

    /// Shows a node after its step, if it is watched and has changed.
    fn show_change(&mut self, node: NodeId) {
        let now = &self.stage.locals()[node.index()].node;
        if let Some(seen) = self.watched.get_mut(&node)
            && seen != now
        {
            seen.clone_from(now);
            self.output.push(format!("{node} {now:?}"));
        }
    }

    fn show_flight(&mut self) {
        let letters: Vec<_> = self.letters().map(|it| format!("in flight: {it}")).collect();
        self.output.extend(letters);
        if self.flight.is_empty() {
            self.say("nothing in flight");
        }
    }

    fn show_count(&mut self) {
        let kinds: Vec<_> = self.kinds.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        let sent = self.stage.sent();
        let plural = if sent == 1 { "" } else { "s" };
        let colon = if kinds.is_empty() { "" } else { ": " };
        self.say(format!("{sent} message{plural}{colon}{}", kinds.join(", ")));
    }

    /// Lets something happen, and says what comes of it.
    fn act(&mut self, action: &Action<Node<M>>) -> Result<(), String> {
        let mut number = self.stage.sent();
        let outcome = self.stage.apply(action, self.choices.make_contiguous());
        let Applied { line, broken, .. } = outcome.map_err(|impossible| impossible.to_string())?;
        let mut breaches = broken.into_iter().peekable();
        let mut say_broken = |output: &mut Vec<String>, effects| {
            while let Some(breach) = breaches.next_if(|breach| breach.effects == effects) {
                output.push(format!("broken {}", breach.broken));
            }
        };
        say_broken(&mut self.output, 0);
        if let Line::Step(Step { node, effects, .. }) = line {
            for (effect, place) in effects.iter().zip(1..) {
                self.output.push(format!("{node} {effect}"));
                say_broken(&mut self.output, place);
                self.note(node, effect)?;
                if let Effect::Send { .. } = effect {
                    self.flight.push_back(number);
                    number += 1;
                }
            }
            self.show_change(node);
        }
        Ok(())
    }

    /// Counts messages and choices, and refuses those that cannot be.
    fn note(&mut self, node: NodeId, effect: &Effect<Node<M>>) -> Result<(), String> {
        match effect {
            Effect::Send { to, msg } => {
                self.status(*to)
                    .map_err(|problem| format!("node {node} sends to nobody: {problem}"))?;
                *self.kinds.entry(msg.kind()).or_default() += 1;
                Ok(())
            }
            Effect::Choose { bound, value } => match self.choices.pop_front() {
                // The largest number there is was put in place of one too large.
                Some(given) if given != *value => Err(format!(
                    "node {node} chooses one of {bound} numbers, counted from 0; \
                     {given} is too large"
                )),
                _ => Ok(()),
            },
            Effect::SetTimer { .. } | Effect::CancelTimer(_) | Effect::Emit(_) | Effect::Leave => {
                Ok(())
            }
        }
    }

    fn say(&mut self, line: impl Into<String>) {
        self.output.push(line.into());
    }

    fn status(&self, node: NodeId) -> Result<Status, String> {
        let nodes = self.stage.nodes().len();
        let none = |_| format!("there is no node {node}; there are {nodes}, counted from 0");
        self.stage.local(node).map(|local| local.status).map_err(none)
    }

    fn expect_up(&self, node: NodeId) -> Result<(), String> {
        match self.status(node)? {
            Status::Down | Status::Away => Err(format!("node {node} has crashed")),
            Status::Gone => Err(format!("node {node} has left")),
            Status::Asleep | Status::Up => Ok(()),
        }
    }

    /// What is in transit, in the order of arrival.
    fn letters(&self) -> impl Iterator<Item = &Letter<Node<M>>> {
        let letter = |number: &u32| self.stage.letter(*number).expect("it is in transit");
        self.flight.iter().map(letter)
    }

    /// Takes the number of the message that is meant.
    fn pick(&mut self, pick: Pick) -> Result<u32, String> {
        let place = self.find(pick)?;
        Ok(self.flight.remove(place).expect("it was found there"))
    }

    /// The place of the message that is meant.
    fn find(&self, Pick { from, to, older }: Pick) -> Result<usize, String> {
        let letters = self.letters().enumerate();
        let mut channel = letters.filter(|(_, it)| (it.from, it.to) == (from, to));
        channel.nth(older).map(|(place, _)| place).ok_or_else(|| {
            let number = if older == 0 { String::new() } else { format!(" {}", older + 1) };
            format!("no message{number} from {from} to {to} is in flight; {}", self.in_flight())
        })
    }

    fn in_flight(&self) -> String {
        match &self.letters().map(Letter::to_string).collect::<Vec<_>>()[..] {
            [] => "nothing is in flight".to_owned(),
            letters => format!("in flight: {}", letters.join(", ")),
        }
    }

    /// The pending timer of `node` called `name`, or else the only one whose name starts so.
    fn find_timer(&self, node: NodeId, name: &str) -> Result<<Node<M> as Protocol>::Timer, String> {
        let timers = self.stage.locals()[node.index()].timers.iter();
        let pending: Vec<_> = timers.map(|timer| (format!("{timer:?}"), timer)).collect();
        let exact = pending.iter().find(|(timer, _)| timer == name);
        let mut similar = pending.iter().filter(|(timer, _)| timer.starts_with(name));
        match (exact, similar.next(), similar.next()) {
            (Some((_, timer)), ..) | (None, Some((_, timer)), None) => Ok((*timer).clone()),
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
