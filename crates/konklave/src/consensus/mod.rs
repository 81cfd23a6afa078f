//! Stable consensus: all nodes come to hold the same value, and then keep it.
//!
//! A node has a value from the beginning ([`Event::Began`]), and asks a few random nodes for theirs
//! again and again; after each round of questions it holds what its rule makes of the answers
//! ([`Event::Took`]). An application can write a value ([`Command::Write`]), and an adversary can
//! overwrite one ([`Command::Overwrite`]). Nothing is ever decided for good: no node knows when all
//! nodes agree.
//!
//! Agreement is a matter of chance: it is reached with probability one, and after a logarithmic
//! number of rounds with high probability, so no monitor can promise when. What is proved instead
//! is that some choices lead to agreement from every state, and no step leads out of it. Against an
//! adversary that changes T values in every round, all nodes but 2T agree.
//!
//! Promises:
//! - **validity** (safety): a node holds only values that some node began with or that were
//!   written, or that a liar told where there are liars;
//! - **writes count** (safety): a node to which a value is written holds it at once.

pub mod median_log;
pub mod median_rule;
pub mod minimum_rule;
mod sampling;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::protocol::{self, Broken, Promise};

pub use sampling::{Question, Surroundings};

/// What nodes agree on.
pub type Value = u32;

/// A command of the application to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// Hold this value from now on, as a new one.
    Write(Value),
    /// Hold this value as if it had always been held: what an adversary makes a node do.
    Overwrite(Value),
}

/// An event that a node reports to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// The node begins with this value.
    Began(Value),
    /// A round of the node is over, or a value was written to it: it holds this value.
    Took(Value),
}

/// Checks the promises, from what applications write and what nodes hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    /// The values that a node may hold. Shared by the states of a search: it rarely changes.
    valid: Arc<BTreeSet<Value>>,
    /// The value that is being written, and where.
    written: Option<(NodeId, Value)>,
}

const VALIDITY: &str = "validity";
const WRITES_COUNT: &str = "writes count";

impl Monitor {
    /// Watches a system in which nodes may hold these values, whoever tells them.
    pub fn new(lies: impl IntoIterator<Item = Value>) -> Self {
        Self { valid: Arc::new(lies.into_iter().collect()), written: None }
    }

    fn admit(&mut self, value: Value) {
        if !self.valid.contains(&value) {
            Arc::make_mut(&mut self.valid).insert(value);
        }
    }
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, command: &Command) -> Result<(), Broken> {
        let (Command::Write(value) | Command::Overwrite(value)) = *command;
        self.admit(value);
        self.written = Some((node, value));
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        let written = self.written.take();
        match *event {
            Event::Began(value) => self.admit(value),
            Event::Took(value) => {
                if let Some((place, wanted)) = written.filter(|it| *it != (node, value)) {
                    let detail = format!("{wanted} is written to node {place}, which ignores it");
                    return Broken::by(place, WRITES_COUNT, detail);
                }
                if !self.valid.contains(&value) {
                    let detail = format!("node {node} holds {value}, which no node began with");
                    return Broken::by(node, VALIDITY, detail);
                }
            }
        }
        Ok(())
    }

    fn on_crash(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn promises() -> &'static [Promise] {
        const { &[Promise::safety(VALIDITY), Promise::safety(WRITES_COUNT)] }
    }

    fn at_rest(&self) -> Result<(), Broken> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Monitor as _;

    #[test]
    fn a_value_from_nowhere_is_noticed_and_a_written_one_is_not() {
        let mut monitor = Monitor::new([]);
        let me = NodeId(0);
        monitor.on_event(me, &Event::Began(3)).unwrap();
        monitor.on_event(me, &Event::Took(3)).unwrap();
        let broken = monitor.clone().on_event(me, &Event::Took(4)).unwrap_err();
        assert_eq!(broken.promise, VALIDITY);
        monitor.on_command(me, &Command::Write(4)).unwrap();
        monitor.on_event(me, &Event::Took(4)).unwrap();
        monitor.on_event(NodeId(1), &Event::Took(4)).unwrap();
        assert!(Monitor::new([4]).on_event(me, &Event::Took(4)).is_ok(), "a lie that is expected");
    }

    #[test]
    fn a_write_without_effect_is_noticed() {
        let mut monitor = Monitor::new([3]);
        monitor.on_command(NodeId(0), &Command::Write(4)).unwrap();
        let broken = monitor.on_event(NodeId(0), &Event::Took(3)).unwrap_err();
        assert_eq!(broken.promise, WRITES_COUNT);
    }
}
