//! Type-erased values and nodes.
//!
//! Traces, replays, scripts and searches are not in a hurry. To them a message or a timer is a
//! [`Value`], and a node of any algorithm is an [`AnyNode`]: so they are compiled once per problem,
//! and not once per algorithm. Where not even the problem is known, everything in a trace belongs
//! to the protocol [`Erased`].

mod any_node;
mod dyn_node;
mod within;

use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use konklave::NodeId;
use konklave::protocol::{Data, Effect, Env, Input, Protocol};
use konklave::trace::{Fault, Line, Step};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Error, Value as Json};

use crate::kind::{self, Kind};
use crate::size::size_on_wire;
pub use any_node::AnyNode;

/// A message, timer, command or event of any type.
///
/// It is compared, ordered and hashed by its JSON. That of equal values is the same once it was
/// normalised, which means: read as a value of its type, and written again.
#[derive(Clone)]
pub struct Value(Arc<Content>);

struct Content {
    json: Box<RawValue>,
    /// As the algorithm prints it; empty where only the JSON is needed.
    text: String,
    /// The value before it was erased; none if it was read from JSON.
    original: Option<Box<dyn Any + Send + Sync>>,
    /// The kind of the original as a message, and its bytes on the wire.
    weight: (Kind, u64),
}

impl Value {
    /// Erases a value that is only to be written: quicker than [`of`](Self::of).
    pub fn json(value: &impl Data) -> Self {
        Self::new(value, String::new(), None, (Kind::default(), 0))
    }

    /// Erases a value that is to be written, printed and given to a node.
    pub fn of<T: Data>(value: &T) -> Self {
        match (value as &dyn Any).downcast_ref::<Self>() {
            Some(erased) => erased.clone(),
            None => {
                let weigh = || (Kind::of(value), size_on_wire(value).unwrap_or(0));
                let weight = within::weight(value).unwrap_or_else(weigh);
                Self::new(value, format!("{value:?}"), Some(Box::new(value.clone())), weight)
            }
        }
    }

    fn new(
        value: &impl Data,
        text: String,
        original: Option<Box<dyn Any + Send + Sync>>,
        weight: (Kind, u64),
    ) -> Self {
        // Maps with keys that JSON does not have are the only other case.
        let json = to_raw_value(value).expect("values can be written as JSON");
        Self(Arc::new(Content { json, text, original, weight }))
    }

    /// The kind of the message that was erased, and its bytes on the wire; nothing is known about
    /// one that was read from JSON.
    pub fn weight(&self) -> (Kind, u64) {
        self.0.weight
    }

    /// The kind of a message, by the same rule as [`Kind::of`](crate::kind::Kind::of).
    pub fn kind(&self) -> String {
        kind::name(&kind::variants(&self.to_json()))
    }

    /// This value as JSON, to be looked into; null if a damaged trace has nested it too deeply.
    pub fn to_json(&self) -> Json {
        serde_json::from_str(self.0.json.get()).unwrap_or_default()
    }

    /// The value of a type that can be written like this one.
    ///
    /// # Errors
    ///
    /// If the type has no such value.
    pub fn get<T: Data>(&self) -> Result<T, Error> {
        match self.original() {
            Some(original) => Ok(T::clone(original)),
            None => serde_json::from_str(self.0.json.get()),
        }
    }

    /// The value that was erased, if it is of this type, and not only written.
    pub fn original<T: Data>(&self) -> Option<&T> {
        self.0.original.as_ref()?.downcast_ref()
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
        Ok(Self(Arc::new(Content {
            json,
            text: String::new(),
            original: None,
            weight: (Kind::default(), 0),
        })))
    }
}

/// The protocol that a trace belongs to as long as its algorithm is not known. It has values, and
/// no nodes.
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

/// Erases an input that is only to be written.
pub fn input<P: Protocol>(input: &Input<P>) -> Input<Erased> {
    match input {
        Input::Start => Input::Start,
        Input::Command(command) => Input::Command(Value::json(command)),
        Input::Message { from, msg } => Input::Message { from: *from, msg: Value::json(msg) },
        Input::Timer(timer) => Input::Timer(Value::json(timer)),
        Input::Tick => Input::Tick,
        Input::Returned { to, msg } => Input::Returned { to: *to, msg: Value::json(msg) },
    }
}

/// Erases a line of a trace that is to be written and printed.
fn line<P: Protocol>(line: &Line<P>) -> Line<Erased> {
    match line {
        Line::Step(Step { at, node, input, number, effects, state }) => Line::Step(Step {
            at: *at,
            node: *node,
            input: match input {
                Input::Start => Input::Start,
                Input::Command(command) => Input::Command(Value::of(command)),
                Input::Message { from, msg } => Input::Message { from: *from, msg: Value::of(msg) },
                Input::Timer(timer) => Input::Timer(Value::of(timer)),
                Input::Tick => Input::Tick,
                Input::Returned { to, msg } => Input::Returned { to: *to, msg: Value::of(msg) },
            },
            number: *number,
            effects: effects.iter().map(effect).collect(),
            state: state.clone(),
        }),
        Line::Fault { at, what } => Line::Fault { at: *at, what: fault(what) },
        Line::Loop { at } => Line::Loop { at: *at },
        Line::End(end) => Line::End(end.clone()),
    }
}

fn effect<P: Protocol>(effect: &Effect<P>) -> Effect<Erased> {
    match effect {
        Effect::Send { to, msg } => Effect::Send { to: *to, msg: Value::of(msg) },
        Effect::SetTimer { timer, after } => {
            Effect::SetTimer { timer: Value::of(timer), after: *after }
        }
        Effect::CancelTimer(timer) => Effect::CancelTimer(Value::of(timer)),
        Effect::Emit(event) => Effect::Emit(Value::of(event)),
        Effect::Choose { bound, value } => Effect::Choose { bound: *bound, value: *value },
        Effect::Leave => Effect::Leave,
    }
}

fn fault<P: Protocol>(fault: &Fault<P>) -> Fault<Erased> {
    match fault {
        Fault::Garbage { node, messages } => {
            let message = |(from, msg): &(NodeId, _)| (*from, Value::of(msg));
            Fault::Garbage { node: *node, messages: messages.iter().map(message).collect() }
        }
        Fault::Damage { node, name, choices } => {
            Fault::Damage { node: *node, name: name.clone(), choices: choices.clone() }
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_that_is_nested_too_deeply_is_no_trouble() {
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        let value: Value = serde_json::from_str(&deep).unwrap();
        assert_eq!((value.to_json(), value.kind()), (Json::Null, "message".to_owned()));
    }

    #[test]
    fn a_value_is_the_same_whether_it_was_erased_or_read() {
        let erased = Value::of(&(1_u8, None::<u8>));
        assert_eq!(format!("{erased:?}"), "(1, None)");
        let text = serde_json::to_string(&erased).unwrap();
        assert_eq!(text, "[1,null]");
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, erased);
        for value in [erased, read] {
            assert_eq!(value.get::<(u8, Option<u8>)>().unwrap(), (1, None));
            assert_eq!(value.get::<[Option<u8>; 2]>().unwrap(), [Some(1), None]);
            assert_eq!(value.get::<Value>().unwrap(), value);
            assert!(value.get::<u8>().is_err());
            let again = Value::of(&value);
            assert_eq!(format!("{again:?}"), format!("{value:?}"), "erased once, not twice");
        }
    }
}
