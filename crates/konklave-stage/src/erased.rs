//! Nodes of any algorithm, spoken to in words.
//!
//! Traces, replays, scripts and searches are not in a hurry. To them a message, timer, command or
//! event is a [`Value`], and a node of any algorithm is a [`AnyNode`] one: so they are compiled once
//! per problem, and not once per algorithm.

mod any_node;
mod dyn_node;

use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use konklave::NodeId;
use konklave::protocol::{Data, Effect, Env, Input, Protocol};
use konklave::trace::{Fault, Line, Step};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Error;
use serde_json::value::{RawValue, to_raw_value};

pub use any_node::AnyNode;
pub use dyn_node::{DynNode, Sent};

/// A message, timer, command or event as JSON; printed as the algorithm prints it.
#[derive(Clone)]
pub struct Value(Arc<Spelling>);

struct Spelling {
    json: Box<RawValue>,
    /// For people; empty where only the JSON is needed.
    text: String,
    /// The value itself, unless the word was read.
    meaning: Option<Box<dyn Any + Send + Sync>>,
}

impl Value {
    /// The word for a value, to be written.
    pub fn json(value: &impl Data) -> Self {
        Self::spelt(value, String::new(), None)
    }

    /// The word for a value, to be written, shown and understood.
    pub fn of<T: Data>(value: &T) -> Self {
        match (value as &dyn Any).downcast_ref::<Self>() {
            Some(word) => word.clone(),
            None => Self::spelt(value, format!("{value:?}"), Some(Box::new(value.clone()))),
        }
    }

    fn spelt(value: &impl Data, text: String, meaning: Option<Box<dyn Any + Send + Sync>>) -> Self {
        // Maps with keys that JSON does not have are the only other case.
        let json = to_raw_value(value).expect("words can be written as JSON");
        Self(Arc::new(Spelling { json, text, meaning }))
    }

    /// What it means.
    pub fn get<T: Data>(&self) -> Result<T, Error> {
        let word: &dyn Any = self;
        let meaning = self.0.meaning.as_ref().and_then(|meaning| meaning.downcast_ref());
        match word.downcast_ref().or(meaning) {
            Some(value) => Ok(T::clone(value)),
            None => serde_json::from_str(self.0.json.get()),
        }
    }
}

impl Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.0.json.get() == other.0.json.get()
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.json.get().cmp(other.0.json.get())
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.json.get().hash(state);
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(Arc::new(Spelling { json, text: String::new(), meaning: None })))
    }
}

/// The protocol that everything in a trace belongs to before it is known which one it is. It has
/// words, and no nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Erased {}

impl Protocol for Erased {
    type Msg = Value;
    type Timer = Value;
    type Command = Value;
    type Event = Value;

    fn on_command(&mut self, _command: Value, _env: &mut impl Env<Self>) {
        match *self {}
    }

    fn on_message(&mut self, _from: NodeId, _msg: Value, _env: &mut impl Env<Self>) {
        match *self {}
    }
}

/// An input in words, to be written.
pub fn input<P: Protocol>(input: &Input<P>) -> Input<Erased> {
    match input {
        Input::Start => Input::Start,
        Input::Command(command) => Input::Command(Value::json(command)),
        Input::Message { from, msg } => Input::Message { from: *from, msg: Value::json(msg) },
        Input::Timer(timer) => Input::Timer(Value::json(timer)),
    }
}

/// The same line, as another protocol says it.
///
/// # Errors
///
/// If it has no word for something.
pub fn translate<P: Protocol, Q: Protocol>(line: &Line<P>) -> Result<Line<Q>, Error> {
    Ok(match line {
        Line::Step(step) => {
            let Step { at, node, input, number, effects, state } = step;
            Line::Step(Step {
                at: *at,
                node: *node,
                input: translate_input(input)?,
                number: *number,
                effects: effects.iter().map(translate_effect).collect::<Result<_, _>>()?,
                state: state.clone(),
            })
        }
        Line::Fault { at, what } => Line::Fault { at: *at, what: translate_fault(what)? },
        Line::Loop { at } => Line::Loop { at: *at },
        Line::End(end) => Line::End(end.clone()),
    })
}

fn same<T: Data, U: Data>(value: &T) -> Result<U, Error> {
    Value::of(value).get()
}

/// The same input, as another protocol says it.
///
/// # Errors
///
/// If it has no word for something.
pub fn translate_input<P: Protocol, Q: Protocol>(input: &Input<P>) -> Result<Input<Q>, Error> {
    Ok(match input {
        Input::Start => Input::Start,
        Input::Command(command) => Input::Command(same(command)?),
        Input::Message { from, msg } => Input::Message { from: *from, msg: same(msg)? },
        Input::Timer(timer) => Input::Timer(same(timer)?),
    })
}

fn translate_effect<P: Protocol, Q: Protocol>(effect: &Effect<P>) -> Result<Effect<Q>, Error> {
    Ok(match effect {
        Effect::Send { to, msg } => Effect::Send { to: *to, msg: same(msg)? },
        Effect::SetTimer { timer, after } => {
            Effect::SetTimer { timer: same(timer)?, after: *after }
        }
        Effect::CancelTimer(timer) => Effect::CancelTimer(same(timer)?),
        Effect::Emit(event) => Effect::Emit(same(event)?),
        Effect::Choose { bound, value } => Effect::Choose { bound: *bound, value: *value },
    })
}

fn translate_fault<P: Protocol, Q: Protocol>(fault: &Fault<P>) -> Result<Fault<Q>, Error> {
    Ok(match fault {
        Fault::Garbage { node, messages } => {
            let message = |(from, msg): &(NodeId, _)| Ok((*from, same(msg)?));
            let messages = messages.iter().map(message).collect::<Result<_, Error>>()?;
            Fault::Garbage { node: *node, messages }
        }
        Fault::Lost(number) => Fault::Lost(*number),
        Fault::Doubled(number) => Fault::Doubled(*number),
        Fault::Missed(number) => Fault::Missed(*number),
        Fault::Crash(node) => Fault::Crash(*node),
        Fault::Restart(node) => Fault::Restart(*node),
        Fault::Pause(node) => Fault::Pause(*node),
        Fault::Resume(node) => Fault::Resume(*node),
        Fault::Partition(groups) => Fault::Partition(groups.clone()),
        Fault::Heal(groups) => Fault::Heal(groups.clone()),
        Fault::Forged { from, to } => Fault::Forged { from: *from, to: *to },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_the_same_whether_they_were_spoken_or_read() {
        let spoken = Value::of(&(1_u8, None::<u8>));
        assert_eq!(format!("{spoken:?}"), "(1, None)");
        let text = serde_json::to_string(&spoken).unwrap();
        assert_eq!(text, "[1,null]");
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, spoken);
        for word in [spoken, read] {
            assert_eq!(word.get::<(u8, Option<u8>)>().unwrap(), (1, None));
            assert_eq!(word.get::<[Option<u8>; 2]>().unwrap(), [Some(1), None]);
            assert_eq!(word.get::<Value>().unwrap(), word);
            assert!(word.get::<u8>().is_err());
        }
    }
}
