//! What every node can do with words.

use std::any::Any;
use std::hash::Hasher;
use std::time::Duration;

use konklave::protocol::{Effect, Env, Input, Invariant, Protocol, Snapshot, Verdict};
use konklave::trace::{Fault, Line};
use konklave::{NodeId, NodeSet};
use serde::Deserialize;
use serde_json::{Error, Value as Json};

use super::{Erased, Value, translate_input};

/// A node of some algorithm that understands words.
pub trait DynNode: Send {
    /// Something happens to the node. It fails if the words mean nothing to it.
    fn on_any(&mut self, input: &Input<Erased>, env: &mut dyn Env<Erased>) -> Result<(), Error>;

    /// The word for a command of its application.
    fn command(&self, command: &Json) -> Result<Value, Error>;

    /// The word as the algorithm itself writes and shows it: equal values have equal words.
    fn normalise(&self, part: Category, word: &Value) -> Result<Value, Error>;

    /// Its state, for people.
    fn state(&self) -> String;

    /// Whom it waits for.
    fn awaits(&self) -> NodeSet;

    /// The invariants of its algorithm.
    fn dyn_invariants(&self) -> Vec<DynInvariant>;

    /// For those who know its algorithm.
    fn as_any(&self) -> &dyn Any;

    /// Another one in the same state.
    fn boxed_clone(&self) -> Box<dyn DynNode>;

    /// Whether the other one is in the same state.
    fn equals(&self, other: &dyn DynNode) -> bool;

    /// Shows its state to a hasher.
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

/// The parts of speech.
#[derive(Clone, Copy, Debug)]
pub enum Category {
    Message,
    Timer,
    Command,
    Event,
}

/// A message in transit: sender, receiver, content.
pub type Sent = (NodeId, NodeId, Value);

/// An invariant: its name, and whether it holds for these nodes, which are all, and these messages
/// in transit.
pub struct DynInvariant {
    pub name: &'static str,
    pub judge: Judge,
}

type Judge = Box<dyn Fn(&[&dyn DynNode], &[(NodeId, NodeId, &Value)]) -> Verdict + Send + Sync>;

impl dyn DynNode {
    /// Respells all words in a line.
    pub fn normalise_line(&self, line: &mut Line<Erased>) -> Result<(), Error> {
        let normalise = |part, word: &mut Value| {
            *word = self.normalise(part, word)?;
            Ok(())
        };
        match line {
            Line::Step(step) => {
                match &mut step.input {
                    Input::Start => {}
                    Input::Command(command) => normalise(Category::Command, command)?,
                    Input::Message { msg, .. } => normalise(Category::Message, msg)?,
                    Input::Timer(timer) => normalise(Category::Timer, timer)?,
                }
                step.effects.iter_mut().try_for_each(|effect| match effect {
                    Effect::Send { msg, .. } => normalise(Category::Message, msg),
                    Effect::SetTimer { timer, .. } => normalise(Category::Timer, timer),
                    Effect::CancelTimer(timer) => normalise(Category::Timer, timer),
                    Effect::Emit(event) => normalise(Category::Event, event),
                    Effect::Choose { .. } => Ok(()),
                })
            }
            Line::Fault { what: Fault::Garbage { messages, .. }, .. } => {
                messages.iter_mut().try_for_each(|(_, msg)| normalise(Category::Message, msg))
            }
            Line::Fault { .. } | Line::Loop { .. } | Line::End(_) => Ok(()),
        }
    }
}

impl<P: Protocol> DynNode for P {
    fn on_any(&mut self, input: &Input<Erased>, env: &mut dyn Env<Erased>) -> Result<(), Error> {
        self.on_dyn(translate_input(input)?, &mut Erasing(env));
        Ok(())
    }

    fn command(&self, command: &Json) -> Result<Value, Error> {
        P::Command::deserialize(command).map(|command| Value::of(&command))
    }

    fn normalise(&self, part: Category, word: &Value) -> Result<Value, Error> {
        Ok(match part {
            Category::Message => Value::of(&word.get::<P::Msg>()?),
            Category::Timer => Value::of(&word.get::<P::Timer>()?),
            Category::Command => Value::of(&word.get::<P::Command>()?),
            Category::Event => Value::of(&word.get::<P::Event>()?),
        })
    }

    fn state(&self) -> String {
        format!("{self:?}")
    }

    fn awaits(&self) -> NodeSet {
        self.waits_for()
    }

    fn dyn_invariants(&self) -> Vec<DynInvariant> {
        let invariant = |invariant: Invariant<P>| {
            let name = invariant.name();
            let judge: Judge = Box::new(move |nodes, messages| {
                let nodes = nodes.iter().map(|node| node.as_any().downcast_ref());
                let Some(nodes) = nodes.collect::<Option<Vec<&P>>>() else { return Ok(()) };
                let read =
                    |&(from, to, msg): &(_, _, &Value)| Some((from, to, msg.get::<P::Msg>().ok()?));
                let messages: Vec<_> = messages.iter().filter_map(read).collect();
                let messages: Vec<_> =
                    messages.iter().map(|(from, to, msg)| (*from, *to, msg)).collect();
                invariant.judge(&Snapshot { nodes: &nodes, messages: &messages })
            });
            DynInvariant { name, judge }
        };
        self.invariants().into_iter().map(invariant).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed_clone(&self) -> Box<dyn DynNode> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn DynNode) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

/// Puts what a node does into words.
struct Erasing<'a>(&'a mut dyn Env<Erased>);

impl<P: Protocol> Env<P> for Erasing<'_> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.0.send(to, Value::of(&msg));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.0.set_timer(Value::of(&timer), after);
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.0.cancel_timer(Value::of(&timer));
    }

    fn emit(&mut self, event: P::Event) {
        self.0.emit(Value::of(&event));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.0.choose(bound)
    }
}
