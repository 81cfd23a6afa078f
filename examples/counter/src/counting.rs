//! Counting: every request gets a number of its own.
//!
//! What is promised:
//!
//! - **no number twice**: no two requests get the same number;
//! - **no gaps**: numbers are below that of the requests so far;
//! - **answered**: every request eventually gets its number.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::protocol::{self, Broken, Promise};
use serde::{Deserialize, Serialize};

/// What an application asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// The next number.
    Next,
}

/// What it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// Its number, counted from 0.
    Number(u32),
}

/// Watches that the promises are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Monitor {
    /// The requests of each node that have no number yet.
    open: Vec<NodeId>,
    asked: u32,
    given: BTreeSet<u32>,
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, _command: &Command) -> Result<(), Broken> {
        self.asked += 1;
        self.open.push(node);
        self.open.sort_unstable();
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, Event::Number(number): &Event) -> Result<(), Broken> {
        let detail = format!("node {node} gets {number}");
        if !self.given.insert(*number) {
            return Broken::by(node, "no number twice", detail);
        }
        if *number >= self.asked {
            return Broken::by(node, "no gaps", detail);
        }
        if let Some(place) = self.open.iter().position(|other| *other == node) {
            self.open.remove(place);
        }
        Ok(())
    }

    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
        self.open.retain(|other| *other != node);
        Ok(())
    }

    fn promises() -> &'static [Promise] {
        const {
            &[
                Promise::safety("no number twice"),
                Promise::safety("no gaps"),
                Promise::liveness("answered"),
            ]
        }
    }

    fn at_rest(&self) -> Result<(), Broken> {
        match self.open.first() {
            Some(&node) => Broken::by(node, "answered", format!("node {node} waits for ever")),
            None => Ok(()),
        }
    }
}
