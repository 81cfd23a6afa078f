//! A lock service at one node: requests are granted in the order in which they arrive.
//!
//! A template: replace this algorithm by your own, and this line by its reference, 2026.
//!
//! # Idea
//!
//! Node 0 keeps a queue. A node that wants to enter asks node 0, is told when it is its turn, and
//! says when it has left.
//!
//! # Cost
//!
//! Messages: 3 per entry. None of them is spared if node 0 itself enters.
//!
//! - Time: two message delays from a release to the next entry.
//! - State: at node 0 a queue of up to n nodes.
//! - Fairness: first come, first served: a node that asks at rest is overtaken by none.
//!
//! # Assumes
//!
//! Every message arrives once.
//!
//! - Loss: a lost message stops the queue. Safety holds.
//! - Duplication: a duplicate request is a second request, whose permit nobody gives back.
//! - Crash: the crash of node 0, or of a node that waits or is inside, stops the queue.
//!
//! # Differs from the paper
//!
//! There is no paper.

use std::collections::VecDeque;
use std::process::ExitCode;

use konklave::NodeId;
use konklave::mutex::{Command, Event};
use konklave::protocol::{Env, Never, Protocol};
use konklave_catalog::disorder::{Claim, Disorder};
use konklave_catalog::entry::Entry;
use konklave_catalog::expected::Expected;
use konklave_catalog::mutex::Mutex;
use konklave_catalog::needs::{Needs, Network};
use konklave_catalog::problem::Problem;
use konklave_catalog::system::nodes;
use serde::{Deserialize, Serialize};

/// The node that keeps the queue.
const SERVICE: NodeId = NodeId(0);

/// What nodes send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To the service: the sender wants to enter.
    Ask,
    /// From the service: it is the receiver's turn.
    Permit,
    /// To the service: the sender has left.
    Done,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Permits {
    /// At the service: the nodes that wait, after the one that has the permit.
    queue: VecDeque<NodeId>,
}

impl Protocol for Permits {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Acquire => env.send(SERVICE, Msg::Ask),
            Command::Release => env.send(SERVICE, Msg::Done),
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Ask => {
                self.queue.push_back(from);
                if self.queue.len() == 1 {
                    env.send(from, Msg::Permit);
                }
            }
            Msg::Permit => env.emit(Event::Granted),
            Msg::Done => {
                self.queue.pop_front();
                if let Some(&next) = self.queue.front() {
                    env.send(next, Msg::Permit);
                }
            }
        }
    }
}

fn main() -> ExitCode {
    let claims = &[(Disorder::Loss, Claim::Safety)];
    let needs = Needs::network(Network::Complete).claims(claims);
    let entry = Entry::new("permits", Mutex::ABOUT, needs, |site| {
        Ok(nodes(Mutex, site, |_| Permits::default()))
    })
    .source(include_str!("main.rs"), "src/main.rs")
    .formula(|_, _| Some(Expected::exactly("3", 3.0)))
    .overtaking(|_| Some(0));
    konklave_cli::main_with(konklave_cli::catalog().with(entry))
}
