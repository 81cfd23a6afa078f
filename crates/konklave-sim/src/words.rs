//! Nodes of any algorithm, spoken to in words.
//!
//! Traces, replays and scripts are not in a hurry. To them a message, timer, command or event is a
//! [`Word`], and a node is an `Actor`: so they are compiled once, and not once per algorithm.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::time::Duration;

use konklave::protocol::{Data, Effect, Env, Input, Protocol, Snapshot, Verdict};
use konklave::trace::{Fault, Line};
use konklave::{NodeId, NodeSet};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// A message, timer, command or event as JSON; printed as the algorithm prints it.
#[derive(Clone)]
pub struct Word {
    json: Box<RawValue>,
    /// For people; empty where only the JSON is needed.
    text: String,
}

impl Word {
    /// The word for a value, to be written.
    pub(crate) fn written(value: &impl Data) -> Self {
        // Maps with keys that JSON does not have are the only other case.
        let json = to_raw_value(value).expect("words can be written as JSON");
        Self { json, text: String::new() }
    }

    /// The word for a value, to be written and shown.
    fn spoken(value: &impl Data) -> Self {
        Self { text: format!("{value:?}"), ..Self::written(value) }
    }

    /// What it means.
    pub(crate) fn read<T: Data>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.json.get())
    }

    /// The same value as the algorithm itself writes and shows it: equal values have equal words.
    fn respell<T: Data>(&mut self) -> Result<(), serde_json::Error> {
        *self = Self::spoken(&self.read::<T>()?);
        Ok(())
    }
}

impl Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.json.get() == other.json.get()
    }
}

impl Eq for Word {}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Self) -> Ordering {
        self.json.get().cmp(other.json.get())
    }
}

impl Hash for Word {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.json.get().hash(state);
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self { json, text: String::new() })
    }
}

/// The protocol that everything in a trace belongs to before it is known which one it is. It has
/// words, and no nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Words {}

impl Protocol for Words {
    type Msg = Word;
    type Timer = Word;
    type Command = Word;
    type Event = Word;

    fn on_command(&mut self, _command: Word, _env: &mut impl Env<Self>) {
        match *self {}
    }

    fn on_message(&mut self, _from: NodeId, _msg: Word, _env: &mut impl Env<Self>) {
        match *self {}
    }
}

/// An input in words, to be written.
pub(crate) fn input<P: Protocol>(input: &Input<P>) -> Input<Words> {
    match input {
        Input::Start => Input::Start,
        Input::Command(command) => Input::Command(Word::written(command)),
        Input::Message { from, msg } => Input::Message { from: *from, msg: Word::written(msg) },
        Input::Timer(timer) => Input::Timer(Word::written(timer)),
    }
}

/// A node of some algorithm that understands words.
pub(crate) trait Actor {
    /// Something happens to the node. It fails if the words mean nothing to it.
    fn act(
        &mut self,
        input: &Input<Words>,
        env: &mut dyn Env<Words>,
    ) -> Result<(), serde_json::Error>;

    /// The word for a command of its application.
    fn command(&self, command: &Value) -> Result<Word, serde_json::Error>;

    /// Respells all words in a line.
    fn respell(&self, line: &mut Line<Words>) -> Result<(), serde_json::Error>;

    /// Its state, for people.
    fn state(&self) -> String;

    /// Whom it waits for.
    fn whom(&self) -> NodeSet;

    /// Whether the invariants of its algorithm hold for these nodes, which are all of them, and
    /// these messages in transit.
    fn invariants(&self, nodes: &[Box<dyn Actor>], messages: &[Sent]) -> Verdict;

    /// For those who know its algorithm.
    fn as_any(&self) -> &dyn Any;
}

/// A message in transit: sender, receiver, content.
pub(crate) type Sent = (NodeId, NodeId, Word);

impl<P: Protocol> Actor for P {
    fn act(
        &mut self,
        input: &Input<Words>,
        env: &mut dyn Env<Words>,
    ) -> Result<(), serde_json::Error> {
        let input = match input {
            Input::Start => Input::Start,
            Input::Command(command) => Input::Command(command.read()?),
            Input::Message { from, msg } => Input::Message { from: *from, msg: msg.read()? },
            Input::Timer(timer) => Input::Timer(timer.read()?),
        };
        self.on_dyn(input, &mut Interpreter(env));
        Ok(())
    }

    fn command(&self, command: &Value) -> Result<Word, serde_json::Error> {
        P::Command::deserialize(command).map(|command| Word::spoken(&command))
    }

    fn respell(&self, line: &mut Line<Words>) -> Result<(), serde_json::Error> {
        respell::<P>(line)
    }

    fn state(&self) -> String {
        format!("{self:?}")
    }

    fn whom(&self) -> NodeSet {
        self.waits_for()
    }

    fn invariants(&self, nodes: &[Box<dyn Actor>], messages: &[Sent]) -> Verdict {
        let nodes = nodes.iter().map(|node| node.as_ref().as_any().downcast_ref());
        let Some(nodes) = nodes.collect::<Option<Vec<&P>>>() else { return Ok(()) };
        let read = |(from, to, msg): &Sent| Some((*from, *to, msg.read::<P::Msg>().ok()?));
        let messages: Vec<_> = messages.iter().filter_map(read).collect();
        let messages: Vec<_> = messages.iter().map(|(from, to, msg)| (*from, *to, msg)).collect();
        let snapshot = Snapshot { nodes: &nodes, messages: &messages };
        P::invariants().iter().try_for_each(|invariant| invariant.judge(&snapshot))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Respells all words in a line, as this protocol spells them.
fn respell<P: Protocol>(line: &mut Line<Words>) -> Result<(), serde_json::Error> {
    match line {
        Line::Step(step) => {
            match &mut step.input {
                Input::Start => {}
                Input::Command(command) => command.respell::<P::Command>()?,
                Input::Message { msg, .. } => msg.respell::<P::Msg>()?,
                Input::Timer(timer) => timer.respell::<P::Timer>()?,
            }
            for effect in &mut step.effects {
                match effect {
                    Effect::Send { msg, .. } => msg.respell::<P::Msg>()?,
                    Effect::SetTimer { timer, .. } => timer.respell::<P::Timer>()?,
                    Effect::CancelTimer(timer) => timer.respell::<P::Timer>()?,
                    Effect::Emit(event) => event.respell::<P::Event>()?,
                    Effect::Choose { .. } => {}
                }
            }
        }
        Line::Fault { what: Fault::Garbage { messages, .. }, .. } => {
            for (_, msg) in messages {
                msg.respell::<P::Msg>()?;
            }
        }
        Line::Fault { .. } | Line::Loop { .. } | Line::End(_) => {}
    }
    Ok(())
}

/// A line of a trace in words.
pub fn in_words<P: Protocol>(line: &Line<P>) -> Line<Words> {
    let words = serde_json::to_string(line).and_then(|text| serde_json::from_str(&text));
    let mut words = words.expect("what can be in a trace can be written and read");
    respell::<P>(&mut words).expect("it was just written");
    words
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_respelt_as_the_algorithm_would_write_them() {
        let mut word: Word = serde_json::from_str(" [1,  null ] ").unwrap();
        word.respell::<(u8, Option<u8>)>().unwrap();
        assert_eq!(word, Word::written(&(1_u8, None::<u8>)));
        assert_eq!(format!("{word:?}"), "(1, None)");
        assert_eq!(serde_json::to_string(&word).unwrap(), "[1,null]");
        assert!(word.respell::<u8>().is_err());
    }
}
