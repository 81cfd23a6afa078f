//! Runs a trace again: every input goes to its node, and every effect must be the recorded one.

use std::collections::VecDeque;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use konklave::NodeId;
use konklave::protocol::{Broken, Effect, Env, Input, Monitor, Protocol, Snapshot, Verdict};
use konklave::trace::{End, Fault, Line, Step};

use crate::disturbance::Void;
use crate::report::Ended;
use crate::simulation::failed_assertion;
use konklave_stage::erased::{AnyNode, Erased, Value};

/// A trace that cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The line at fault, counted from one.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for ReplayError {}

/// What a replay came to.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The end as it was recorded.
    pub end: End,
    /// How many messages were sent.
    pub messages: u64,
    /// The promise that was broken, if one was.
    pub broken: Option<Broken>,
}

/// Replays the lines of a trace, the header left out. `show` sees each line before it is checked.
///
/// # Errors
///
/// If a line is not a line of a trace, if the last one is missing, if a node does something else
/// than was recorded, or if the verdict differs.
pub fn replay<M: Monitor>(
    lines: &mut dyn Iterator<Item = std::io::Result<String>>,
    nodes: u32,
    make: &dyn Fn(NodeId) -> AnyNode<M::Command, M::Event>,
    monitor: M,
    show: &mut dyn FnMut(&Line<Erased>),
) -> Result<Replayed, ReplayError> {
    let mut stage = Stage {
        nodes: NodeId::all(nodes).map(make).collect(),
        make,
        monitor,
        messages: 0,
        transit: BTreeMap::new(),
        forged: BTreeMap::new(),
        now: 0,
        steps: 0,
        before_loop: None,
        broken: None,
    };
    let mut number = 1;
    while let Some(text) = lines.next() {
        number += 1;
        let error = |problem: String| ReplayError { line: number, problem };
        let text = text.map_err(|problem| error(problem.to_string()))?;
        let line = stage.read(&text).map_err(|problem| {
            error(format!("this is not a line of a trace, or it is cut off ({problem})"))
        })?;
        show(&AnyNode::erase(&line));
        match line {
            Line::Step(step) => stage.step(step).map_err(error)?,
            Line::Fault { at, what } => stage.fault(at, what).map_err(error)?,
            Line::Loop { at } => stage.mark_loop(at).map_err(error)?,
            Line::End(end) => {
                let replayed = stage.end(end).map_err(error)?;
                let problem = "the trace has ended, and there is more".to_owned();
                return match lines.next() {
                    None => Ok(replayed),
                    Some(_) => Err(ReplayError { line: number + 1, problem }),
                };
            }
        }
    }
    Err(ReplayError {
        line: number,
        problem: "the trace is cut off: its end is missing".to_owned(),
    })
}

/// A node of the problem that a monitor watches.
type Node<M> = AnyNode<<M as Monitor>::Command, <M as Monitor>::Event>;

/// A message in transit: sender, receiver, content.
type Sent = (NodeId, NodeId, Value);

struct Stage<'a, M: Monitor> {
    nodes: Vec<Node<M>>,
    make: &'a dyn Fn(NodeId) -> Node<M>,
    monitor: M,
    messages: u64,
    /// What is in transit, by the numbers of messages; doubled ones twice.
    transit: BTreeMap<u32, Vec<Sent>>,
    /// How many messages were forged and have not arrived, by sender and receiver.
    forged: BTreeMap<(NodeId, NodeId), u32>,
    now: u64,
    steps: u64,
    /// Where the steps that can repeat for ever begin.
    before_loop: Option<Moment>,
    broken: Option<Broken>,
}

/// What must be the same again after a loop: the states of all nodes, and what is in transit.
type Moment = (Vec<String>, Vec<Sent>);

impl<M: Monitor> Stage<'_, M> {
    /// A line of the trace; any node can read it.
    fn read(&self, text: &str) -> Result<Line<Node<M>>, serde_json::Error> {
        match self.nodes.first() {
            Some(node) => node.read(text),
            None => serde_json::from_str(text),
        }
    }

    fn moment(&self) -> Moment {
        let mut transit: Vec<_> = self.transit.values().flatten().cloned().collect();
        transit.sort();
        (self.nodes.iter().map(|node| format!("{node:?}")).collect(), transit)
    }

    fn judge(&mut self, verdict: Verdict) {
        if let (Err(broken), None) = (verdict, &self.broken) {
            self.broken = Some(broken);
        }
    }

    fn node(&mut self, node: NodeId) -> Result<&mut Node<M>, String> {
        let nodes = self.nodes.len();
        self.nodes
            .get_mut(node.index())
            .ok_or_else(|| format!("there is no node {node} among {nodes} nodes"))
    }

    fn step(&mut self, step: Step<Node<M>>) -> Result<(), String> {
        let Step { at, node, input, effects, number, state: recorded } = step;
        self.pass(at)?;
        self.steps += 1;
        self.node(node)?; // The monitor need not know what to think of nobody.
        self.arrive(node, &input, number)?;
        if let Input::Command(command) = &input {
            let verdict = self.monitor.on_command(node, command);
            self.judge(verdict);
        }
        let mut env = Checking::new(effects);
        let state = self.node(node)?;
        let outcome = catch_unwind(AssertUnwindSafe(|| state.on_dyn(input, &mut env)));
        if let Some(Difference { recorded, now }) = env.difference {
            return Err(format!(
                "node {node} does '{now}' where {recorded} was recorded: \
                 the trace is from another version of the algorithm, or was changed",
            ));
        }
        for effect in &env.done {
            match effect {
                Effect::Send { to, msg } => {
                    self.transit.insert(self.messages as u32, vec![(node, *to, msg.clone())]);
                    self.messages += 1;
                }
                Effect::Emit(event) => {
                    let verdict = self.monitor.on_event(node, event);
                    self.judge(verdict);
                }
                Effect::SetTimer { .. } | Effect::CancelTimer(_) | Effect::Choose { .. } => {}
            }
        }
        match outcome {
            Err(panic) => self.judge(failed_assertion(panic.as_ref())),
            Ok(()) if env.recorded.is_empty() => {}
            Ok(()) => {
                return Err(format!("node {node} does not do '{}'", env.recorded[0]));
            }
        }
        let state = format!("{:?}", self.node(node)?);
        match recorded.filter(|recorded| *recorded != state) {
            Some(recorded) => Err(format!("node {node} is '{state}', not '{recorded}'")),
            None => Ok(()),
        }
    }

    /// Time passes, and never backwards.
    fn pass(&mut self, at: u64) -> Result<(), String> {
        if at < self.now {
            return Err(format!("this happens at {at}, after something at {}", self.now));
        }
        self.now = at;
        Ok(())
    }

    /// What arrives was sent or forged before.
    fn arrive(
        &mut self,
        to: NodeId,
        input: &Input<Node<M>>,
        number: Option<u32>,
    ) -> Result<(), String> {
        let (from, msg) = match (input, number) {
            (Input::Message { from, msg }, _) => (*from, msg),
            (_, None) => return Ok(()),
            (_, Some(number)) => return Err(format!("this is not message {number}")),
        };
        let Some(number) = number else {
            let forged = self.forged.get_mut(&(from, to)).filter(|count| **count > 0);
            let count = forged.ok_or("nobody has sent or forged this message")?;
            *count -= 1;
            return Ok(());
        };
        let (sender, receiver, sent) = self.leave(number)?;
        match (sender, receiver) == (from, to) && sent == *msg {
            true => Ok(()),
            false => Err(format!(
                "message {number} was '{sent:?}' from node {sender} to node {receiver}"
            )),
        }
    }

    /// A message leaves the network.
    fn leave(&mut self, number: u32) -> Result<Sent, String> {
        let absent = || format!("message {number} is not on its way");
        let Entry::Occupied(mut copies) = self.transit.entry(number) else { return Err(absent()) };
        let sent = copies.get_mut().pop();
        if copies.get().is_empty() {
            copies.remove();
        }
        sent.ok_or_else(absent)
    }

    fn mark_loop(&mut self, at: u64) -> Result<(), String> {
        self.pass(at)?;
        self.before_loop = Some(self.moment());
        Ok(())
    }

    fn fault(&mut self, at: u64, fault: Fault<Node<M>>) -> Result<(), String> {
        self.pass(at)?;
        match fault {
            Fault::Crash(node) => {
                self.node(node)?;
                let verdict = self.monitor.on_crash(node);
                self.judge(verdict);
            }
            Fault::Restart(node) => {
                *self.node(node)? = (self.make)(node);
                let verdict = self.monitor.on_restart(node);
                self.judge(verdict);
            }
            Fault::Garbage { node, messages } => {
                let state = self.node(node)?;
                for (from, msg) in messages {
                    state.on_dyn(Input::Message { from, msg }, &mut Void);
                }
            }
            Fault::Lost(number) | Fault::Missed(number) => {
                self.leave(number)?;
            }
            Fault::Doubled(number) => {
                let sent = self.transit.get_mut(&number);
                let sent = sent.ok_or_else(|| format!("message {number} is not on its way"))?;
                sent.extend(sent.first().cloned());
            }
            Fault::Forged { from, to } => *self.forged.entry((from, to)).or_default() += 1,
            Fault::Pause(_) | Fault::Resume(_) | Fault::Partition(_) | Fault::Heal(_) => {}
        }
        Ok(())
    }

    fn end(mut self, end: End) -> Result<Replayed, String> {
        if end.steps != self.steps {
            return Err(format!(
                "there are {} steps where {} were recorded",
                self.steps, end.steps
            ));
        }
        self.pass(end.time)?;
        let ended = Ended::ALL.into_iter().find(|ended| ended.to_string() == end.ended);
        let ended = ended.ok_or_else(|| format!("no run ends by '{}'", end.ended))?;
        if (ended == Ended::Violation) != end.broken.is_some() {
            return Err("a run ends by a violation if a promise was broken, and else not".into());
        }
        if let Some(before) = self.before_loop.take() {
            if before != self.moment() {
                return Err("the steps that are said to repeat for ever cannot".to_owned());
            }
            self.broken = self.broken.take().or(end.broken.clone());
        }
        if self.broken.is_none() && !ended.is_early() {
            let found = self.broken_at_end(ended);
            let same = found.iter().find(|found| end.broken.as_ref() == Some(*found));
            self.broken = same.or(found.first()).cloned();
        }
        if self.broken != end.broken {
            let text = |broken: &Option<Broken>| match broken {
                Some(broken) => format!("'{broken}'"),
                None => "no broken promise".to_owned(),
            };
            let (now, recorded) = (text(&self.broken), text(&end.broken));
            return Err(format!("the replay finds {now} where {recorded} was recorded"));
        }
        Ok(Replayed { end, messages: self.messages, broken: self.broken })
    }

    /// What is wrong with the last state: a lemma, if the run was stopped there for that, or that
    /// nothing more happens. Which of it was the reason, the trace says.
    fn broken_at_end(&self, ended: Ended) -> Vec<Broken> {
        let mut found = Vec::new();
        if ended == Ended::Violation {
            let nodes: Vec<_> = self.nodes.iter().collect();
            let messages = self.transit.values().flatten();
            let messages: Vec<_> = messages.map(|(from, to, msg)| (*from, *to, msg)).collect();
            let system = Snapshot { nodes: &nodes, messages: &messages };
            let lemmas = nodes.first().map_or_else(Vec::new, |node| node.invariants());
            found.extend(lemmas.iter().filter_map(|lemma| lemma.judge(&system).err()));
        }
        found.extend(self.monitor.at_rest().err());
        found
    }
}

/// An environment that compares what a node does with what it did.
struct Checking<P: Protocol> {
    recorded: VecDeque<Effect<P>>,
    done: Vec<Effect<P>>,
    difference: Option<Difference>,
}

/// The first effect that is not the recorded one.
struct Difference {
    recorded: String,
    now: String,
}

impl<P: Protocol> Checking<P> {
    fn new(recorded: Vec<Effect<P>>) -> Self {
        Self { recorded: recorded.into(), done: Vec::new(), difference: None }
    }

    fn effect(&mut self, effect: Effect<P>) {
        let recorded = self.recorded.pop_front();
        if recorded.as_ref() != Some(&effect) && self.difference.is_none() {
            let recorded = recorded.map_or("nothing more".to_owned(), |it| format!("'{it}'"));
            self.difference = Some(Difference { recorded, now: effect.to_string() });
        }
        self.done.push(effect);
    }
}

impl<P: Protocol> Env<P> for Checking<P> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.effect(Effect::Send { to, msg });
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.effect(Effect::SetTimer { timer, after });
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.effect(Effect::CancelTimer(timer));
    }

    fn emit(&mut self, event: P::Event) {
        self.effect(Effect::Emit(event));
    }

    /// The recorded choice, if it is one from as many; else zero, and a difference.
    fn choose(&mut self, bound: u32) -> u32 {
        let value = match self.recorded.front() {
            Some(Effect::Choose { bound: same, value }) if *same == bound && *value < bound => {
                *value
            }
            _ => 0,
        };
        self.effect(Effect::Choose { bound, value });
        value
    }
}
