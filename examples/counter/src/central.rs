//! Node 0 counts: whoever wants a number asks it.
//!
//! A toy, 2026.
//!
//! # Idea
//!
//! Node 0 keeps the next number. It answers each request with it, and adds one.
//!
//! # Cost
//!
//! Messages: 2 per request.
//!
//! # Assumes
//!
//! Every message arrives once. Loss: a lost message leaves its request without a number.
//! Duplication: a duplicate request uses a number up. Crash: without node 0 no node gets a number.
//!
//! # Differs from the paper
//!
//! There is no paper.

use konklave::NodeId;
use konklave::protocol::{Env, Never, Protocol};
use serde::{Deserialize, Serialize};

use crate::counting::{Command, Event};

/// What nodes send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To node 0: the sender wants a number.
    Ask,
    /// From node 0: here it is.
    Take(u32),
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Central {
    /// At node 0: the next number.
    next: u32,
}

impl Protocol for Central {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, Command::Next: Command, env: &mut impl Env<Self>) {
        env.send(NodeId(0), Msg::Ask);
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Ask => {
                env.send(from, Msg::Take(self.next));
                self.next += 1;
            }
            Msg::Take(number) => env.emit(Event::Number(number)),
        }
    }
}
