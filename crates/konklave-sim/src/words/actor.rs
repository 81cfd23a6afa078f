//! What every node can do with words.

use std::any::Any;
use std::hash::Hasher;
use std::time::Duration;

use konklave::protocol::{Effect, Env, Input, Invariant, Protocol, Snapshot, Verdict};
use konklave::trace::{Fault, Line};
use konklave::{NodeId, NodeSet};
use serde::Deserialize;
use serde_json::{Error, Value};

use super::{Word, Words, translate_input};

/// A node of some algorithm that understands words.
pub(crate) trait Actor: Send {
    /// Something happens to the node. It fails if the words mean nothing to it.
    fn act(&mut self, input: &Input<Words>, env: &mut dyn Env<Words>) -> Result<(), Error>;

    /// The word for a command of its application.
    fn command(&self, command: &Value) -> Result<Word, Error>;

    /// The word as the algorithm itself writes and shows it: equal values have equal words.
    fn respell(&self, part: Part, word: &Word) -> Result<Word, Error>;

    /// Its state, for people.
    fn state(&self) -> String;

    /// Whom it waits for.
    fn whom(&self) -> NodeSet;

    /// The invariants of its algorithm.
    fn lemmas(&self) -> Vec<Lemma>;

    /// For those who know its algorithm.
    fn as_any(&self) -> &dyn Any;

    /// Another one in the same state.
    fn double(&self) -> Box<dyn Actor>;

    /// Whether the other one is in the same state.
    fn resembles(&self, other: &dyn Actor) -> bool;

    /// Shows its state to a hasher.
    fn feed(&self, hasher: &mut dyn Hasher);
}

/// The parts of speech.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Message,
    Timer,
    Command,
    Event,
}

/// A message in transit: sender, receiver, content.
pub(crate) type Sent = (NodeId, NodeId, Word);

/// An invariant: its name, and whether it holds for these nodes, which are all, and these messages
/// in transit.
pub(crate) struct Lemma {
    pub(crate) name: &'static str,
    pub(crate) judge: Judge,
}

type Judge = Box<dyn Fn(&[&dyn Actor], &[(NodeId, NodeId, &Word)]) -> Verdict + Send + Sync>;

impl dyn Actor {
    /// Respells all words in a line.
    pub(crate) fn respell_line(&self, line: &mut Line<Words>) -> Result<(), Error> {
        let respell = |part, word: &mut Word| {
            *word = self.respell(part, word)?;
            Ok(())
        };
        match line {
            Line::Step(step) => {
                match &mut step.input {
                    Input::Start => {}
                    Input::Command(command) => respell(Part::Command, command)?,
                    Input::Message { msg, .. } => respell(Part::Message, msg)?,
                    Input::Timer(timer) => respell(Part::Timer, timer)?,
                }
                step.effects.iter_mut().try_for_each(|effect| match effect {
                    Effect::Send { msg, .. } => respell(Part::Message, msg),
                    Effect::SetTimer { timer, .. } => respell(Part::Timer, timer),
                    Effect::CancelTimer(timer) => respell(Part::Timer, timer),
                    Effect::Emit(event) => respell(Part::Event, event),
                    Effect::Choose { .. } => Ok(()),
                })
            }
            Line::Fault { what: Fault::Garbage { messages, .. }, .. } => {
                messages.iter_mut().try_for_each(|(_, msg)| respell(Part::Message, msg))
            }
            Line::Fault { .. } | Line::Loop { .. } | Line::End(_) => Ok(()),
        }
    }
}

impl<P: Protocol> Actor for P {
    fn act(&mut self, input: &Input<Words>, env: &mut dyn Env<Words>) -> Result<(), Error> {
        self.on_dyn(translate_input(input)?, &mut Interpreter(env));
        Ok(())
    }

    fn command(&self, command: &Value) -> Result<Word, Error> {
        P::Command::deserialize(command).map(|command| Word::spoken(&command))
    }

    fn respell(&self, part: Part, word: &Word) -> Result<Word, Error> {
        Ok(match part {
            Part::Message => Word::spoken(&word.read::<P::Msg>()?),
            Part::Timer => Word::spoken(&word.read::<P::Timer>()?),
            Part::Command => Word::spoken(&word.read::<P::Command>()?),
            Part::Event => Word::spoken(&word.read::<P::Event>()?),
        })
    }

    fn state(&self) -> String {
        format!("{self:?}")
    }

    fn whom(&self) -> NodeSet {
        self.waits_for()
    }

    fn lemmas(&self) -> Vec<Lemma> {
        let lemma = |invariant: Invariant<P>| {
            let name = invariant.name();
            let judge: Judge = Box::new(move |nodes, messages| {
                let nodes = nodes.iter().map(|node| node.as_any().downcast_ref());
                let Some(nodes) = nodes.collect::<Option<Vec<&P>>>() else { return Ok(()) };
                let read =
                    |&(from, to, msg): &(_, _, &Word)| Some((from, to, msg.read::<P::Msg>().ok()?));
                let messages: Vec<_> = messages.iter().filter_map(read).collect();
                let messages: Vec<_> =
                    messages.iter().map(|(from, to, msg)| (*from, *to, msg)).collect();
                invariant.judge(&Snapshot { nodes: &nodes, messages: &messages })
            });
            Lemma { name, judge }
        };
        self.invariants().into_iter().map(lemma).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn double(&self) -> Box<dyn Actor> {
        Box::new(self.clone())
    }

    fn resembles(&self, other: &dyn Actor) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn feed(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

/// Puts what a node does into words.
struct Interpreter<'a>(&'a mut dyn Env<Words>);

impl<P: Protocol> Env<P> for Interpreter<'_> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.0.send(to, Word::spoken(&msg));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.0.set_timer(Word::spoken(&timer), after);
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.0.cancel_timer(Word::spoken(&timer));
    }

    fn emit(&mut self, event: P::Event) {
        self.0.emit(Word::spoken(&event));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.0.choose(bound)
    }
}
