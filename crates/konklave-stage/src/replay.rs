//! Runs a trace again: every input goes to its node, and every effect must be the recorded one.

#[cfg(test)]
mod tests;

use std::fmt::{self, Display};

use konklave::NodeId;
use konklave::protocol::{Broken, Input, Monitor, Protocol};
use konklave::trace::{End, Ended, Fault, Line, Step};

use crate::erased::{AnyNode, Erased, Value};
use crate::local::choices_in;
use crate::{Action, Impossible, Local, Stage, Status, Unrestricted};

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
    let mut replay = Replay {
        stage: Stage::unrestricted(NodeId::all(nodes).map(make).collect(), monitor),
        before_loop: None,
    };
    let mut number = 1;
    while let Some(text) = lines.next() {
        number += 1;
        let error = |problem: String| ReplayError { line: number, problem };
        let text = text.map_err(|problem| error(problem.to_string()))?;
        let line = replay.read(&text).map_err(|problem| {
            error(format!("this is not a line of a trace, or it is cut off ({problem})"))
        })?;
        show(&AnyNode::erase(&line));
        match line {
            Line::Step(step) => replay.step(step).map_err(error)?,
            Line::Fault { at, what } => replay.fault(at, what).map_err(error)?,
            Line::Loop { at } => replay.mark_loop(at).map_err(error)?,
            Line::End(end) => {
                let replayed = replay.end(end).map_err(error)?;
                return match lines.next() {
                    None => Ok(replayed),
                    Some(Err(problem)) => Err(error(problem.to_string())),
                    Some(Ok(_)) => Err(ReplayError {
                        line: number + 1,
                        problem: "the trace has ended, and there is more".to_owned(),
                    }),
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

type Application<M> = Unrestricted<<M as Monitor>::Command, <M as Monitor>::Event>;

struct Replay<M: Monitor> {
    stage: Stage<Node<M>, Application<M>, M>,
    /// Where the steps that can repeat for ever begin.
    before_loop: Option<Moment<M>>,
}

/// What must be the same again after a loop: all nodes with their timers, and what is in transit.
type Moment<M> = (Vec<Local<Node<M>, Application<M>>>, Vec<(NodeId, NodeId, Value)>);

impl<M: Monitor> Replay<M> {
    /// A line of the trace; any node can read it.
    fn read(&self, text: &str) -> Result<Line<Node<M>>, serde_json::Error> {
        match self.stage.locals().first() {
            Some(local) => local.node.read(text),
            None => serde_json::from_str(text),
        }
    }

    fn moment(&self) -> Moment<M> {
        let transit = self.stage.transit().map(|it| (it.from, it.to, it.msg.clone()));
        let mut transit: Vec<_> = transit.collect();
        transit.sort();
        (self.stage.locals().to_vec(), transit)
    }

    /// Time passes, and never backwards.
    fn pass(&mut self, at: u64) -> Result<(), String> {
        let now = self.stage.now();
        if at < now {
            return Err(format!("this happens at {at}, after something at {now}"));
        }
        self.stage.pass_until(at);
        Ok(())
    }

    fn step(&mut self, step: Step<Node<M>>) -> Result<(), String> {
        self.pass(step.at)?;
        if !matches!(step.input, Input::Start) {
            self.expect_awake()?;
        }
        self.expect_input(&step)?;
        let node = step.node;
        let choices: Vec<u32> = choices_in(&step.effects).map(|(_, value)| value).collect();
        let recorded = Line::Step(step);
        let now = self.repeat(&recorded, &choices)?;
        let (Line::Step(recorded), Some(Line::Step(now))) = (recorded, now) else {
            return Err(format!("node {node} has crashed"));
        };
        self.compare(&recorded, &now)
    }

    /// All nodes of the header start, before anything else happens.
    fn expect_awake(&self) -> Result<(), String> {
        let mut nodes = self.stage.nodes().zip(self.stage.locals());
        match nodes.find(|(_, local)| local.status == Status::Asleep) {
            None => Ok(()),
            Some((node, _)) => Err(format!(
                "node {node} has not started, and all nodes start before anything else happens: \
                 the header gives {} nodes",
                self.stage.locals().len()
            )),
        }
    }

    /// What arrives was sent as it arrives, and only messages have numbers.
    fn expect_input(&self, step: &Step<Node<M>>) -> Result<(), String> {
        let impossible = |impossible: Impossible| impossible.to_string();
        self.stage.local(step.node).map_err(impossible)?;
        let (from, msg, number) = match (&step.input, step.number) {
            (_, None) => return Ok(()),
            (Input::Message { from, msg }, Some(number)) => (*from, msg, number),
            (_, Some(number)) => return Err(format!("this is not message {number}")),
        };
        let sent = self.stage.letter(number).map_err(impossible)?;
        match (sent.from, sent.to, &sent.msg) == (from, step.node, msg) {
            true => Ok(()),
            false => Err(format!(
                "message {number} was '{:?}' from node {} to node {}",
                sent.msg, sent.from, sent.to
            )),
        }
    }

    /// Lets happen again what a line tells of: the line that this gives now.
    fn repeat(
        &mut self,
        line: &Line<Node<M>>,
        choices: &[u32],
    ) -> Result<Option<Line<Node<M>>>, String> {
        let Some(action) = Action::of(line) else { return Ok(None) };
        match self.stage.apply(&action, choices) {
            Ok(outcome) => Ok(Some(outcome.line)),
            Err(impossible) => Err(impossible.to_string()),
        }
    }

    /// The node has done what was recorded, and nothing else.
    fn compare(&self, recorded: &Step<Node<M>>, now: &Step<Node<M>>) -> Result<(), String> {
        let node = recorded.node;
        let mut expected = recorded.effects.iter();
        for effect in &now.effects {
            let expected = expected.next();
            if expected != Some(effect) {
                let expected = expected.map_or("nothing more".to_owned(), |it| format!("'{it}'"));
                return Err(format!(
                    "node {node} does '{effect}' where {expected} was recorded: \
                     the trace is from another version of the algorithm, or was changed",
                ));
            }
        }
        if let Some(effect) = expected.next() {
            return Err(format!("node {node} does not do '{effect}'"));
        }
        let state = format!("{:?}", self.stage.locals()[node.index()].node);
        match recorded.state.as_ref().filter(|recorded| **recorded != state) {
            Some(recorded) => Err(format!("node {node} is '{state}', not '{recorded}'")),
            None => Ok(()),
        }
    }

    fn fault(&mut self, at: u64, what: Fault<Node<M>>) -> Result<(), String> {
        self.pass(at)?;
        let missed = match &what {
            Fault::Missed(number) => Some(*number),
            _ => None,
        };
        match (self.repeat(&Line::Fault { at, what }, &[])?, missed) {
            (Some(Line::Step(step)), Some(number)) => {
                Err(format!("message {number} reaches node {}, which has not crashed", step.node))
            }
            _ => Ok(()),
        }
    }

    fn mark_loop(&mut self, at: u64) -> Result<(), String> {
        self.pass(at)?;
        self.before_loop = Some(self.moment());
        Ok(())
    }

    fn end(mut self, end: End) -> Result<Replayed, String> {
        let steps = self.stage.steps();
        if end.steps != steps {
            return Err(format!("there are {steps} steps where {} were recorded", end.steps));
        }
        self.pass(end.time)?;
        let ended = end.ended;
        if (ended == Ended::Violation) != end.broken.is_some() {
            return Err("a run ends by a violation if a promise was broken, and else not".into());
        }
        if ended != Ended::Violation && !ended.is_early() {
            self.expect_awake()?;
        }
        let mut broken = self.stage.broken().cloned();
        if let Some(before) = self.before_loop.take() {
            if before != self.moment() {
                return Err("the steps that are said to repeat for ever cannot".to_owned());
            }
            broken = broken.or(end.broken.clone());
        }
        if broken.is_none() && !ended.is_early() {
            let found = self.broken_at_end(ended);
            let same = found.iter().find(|found| end.broken.as_ref() == Some(*found));
            broken = same.or(found.first()).cloned();
        }
        if broken != end.broken {
            let text = |broken: &Option<Broken>| match broken {
                Some(broken) => format!("'{broken}'"),
                None => "no broken promise".to_owned(),
            };
            let (now, recorded) = (text(&broken), text(&end.broken));
            return Err(format!("the replay finds {now} where {recorded} was recorded"));
        }
        Ok(Replayed { end, messages: self.stage.sent().into(), broken })
    }

    /// What is wrong with the last state: a lemma, if the run was stopped there for that, or that
    /// nothing more happens. Which of it was the reason, the trace says.
    fn broken_at_end(&mut self, ended: Ended) -> Vec<Broken> {
        let mut found = Vec::new();
        if let (Ended::Violation, Some(local)) = (ended, self.stage.locals().first()) {
            let lemmas = local.node.invariants();
            self.stage.snapshot(|system| {
                found.extend(lemmas.iter().filter_map(|lemma| lemma.judge(system).err()));
            });
        }
        found.extend(self.stage.judge_at_rest().err());
        found
    }
}
