//! Ask all other nodes; a node that is inside, or whose own request is older, defers its reply.
//!
//! G. Ricart, A. K. Agrawala: An optimal algorithm for mutual exclusion in computer networks.
//! Communications of the ACM 24 (1), 1981.
//!
//! # Idea
//!
//! Lamport's algorithm sends an acknowledgement at once and a release later; here one reply serves
//! as both. A node that wants to enter timestamps its request with its logical clock and sends it
//! to all others. A receiver replies at once, unless it is inside or its own request is older; then
//! it defers the reply until it leaves. The requester enters when all others have replied.
//!
//! Mutual exclusion holds for each pair of nodes. Suppose both are inside. If the node with the
//! older request had made it before it replied to the other, it would have deferred the reply; so
//! it replied first. But then it had received the other's timestamp, its clock was at least that
//! large, and its own later request would be the younger one. Hence the clock update on receipt of
//! a request is needed for safety, not only for fairness.
//!
//! # Cost
//!
//! Messages: 2(n-1) per entry, at any load. A request carries one timestamp.
//!
//! - Time: coordination delay T, waiting time 2T on an idle system.
//! - State: a clock and two sets of nodes.
//! - Fairness: first come, first served: a later request has a larger timestamp.
//!
//! # Assumes
//!
//! A complete network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost request or reply starves its requester, and with it every later requester, whose
//!   replies the first one defers for ever. Safety holds.
//! - Duplication: a duplicate reply, or the reply to a duplicate request, can count for the next
//!   request of its receiver and let two nodes in.
//! - Crash: a crashed node never replies, so every later request starves.
//!
//! # Differs from the paper
//!
//! The missing replies are a set of nodes instead of a counter, so that each node's reply counts
//! once.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Stamp};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};

/// The messages between nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender asks for permission to enter.
    Request(Stamp),
    /// The sender gives its permission.
    Reply,
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RicartAgrawala {
    me: NodeId,
    nodes: u32,
    /// At least the time of every request sent or received.
    clock: u64,
    state: State,
    /// The nodes whose replies are deferred until this node leaves. Empty while released.
    deferred: NodeSet,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Released,
    Wanted { mine: Stamp, missing: NodeSet },
    Held,
}

impl RicartAgrawala {
    /// Node `me` of a complete network of `nodes` nodes.
    pub fn new(me: NodeId, nodes: u32) -> Self {
        Self { me, nodes, clock: 0, state: State::Released, deferred: NodeSet::new() }
    }
}

impl Protocol for RicartAgrawala {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, &self.state) {
            (Command::Acquire, State::Released) => {
                self.clock = self.clock.saturating_add(1);
                let mine = Stamp { time: self.clock, node: self.me };
                let missing = NodeSet::all_but(self.me, self.nodes);
                for other in missing.iter() {
                    env.send(other, Msg::Request(mine));
                }
                self.state = State::Wanted { mine, missing };
                self.enter_if_all_replied(env);
            }
            (Command::Release, State::Held) => {
                self.state = State::Released;
                for other in std::mem::take(&mut self.deferred).iter() {
                    env.send(other, Msg::Reply);
                }
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(theirs) => {
                self.clock = self.clock.max(theirs.time);
                match &self.state {
                    State::Wanted { mine, .. } if *mine > theirs => env.send(from, Msg::Reply),
                    State::Released => env.send(from, Msg::Reply),
                    State::Wanted { .. } | State::Held => {
                        self.deferred.insert(from);
                    }
                }
            }
            Msg::Reply => {
                let State::Wanted { missing, .. } = &mut self.state else { return }; // Duplicate.
                missing.remove(from);
                self.enter_if_all_replied(env);
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        match &self.state {
            State::Wanted { missing, .. } => missing.clone(),
            State::Released | State::Held => NodeSet::new(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![Invariant::new("a node inside defers replies", deferred)]
    }
}

impl RicartAgrawala {
    fn enter_if_all_replied(&mut self, env: &mut impl Env<Self>) {
        if matches!(&self.state, State::Wanted { missing, .. } if missing.is_empty()) {
            self.state = State::Held;
            env.emit(Event::Granted);
        }
    }
}

/// Every request at a node inside is deferred or in transit, as the safety argument requires.
fn deferred(system: &Snapshot<'_, RicartAgrawala>) -> Result<(), String> {
    let is_asking = |from: NodeId, to: NodeId| {
        system
            .messages
            .iter()
            .any(|it| (it.0, it.1) == (from, to) && matches!(it.2, Msg::Request(_)))
    };
    for inside in system.nodes.iter().filter(|node| node.state == State::Held) {
        for other in system.nodes.iter().filter(|node| !node.waits_for().is_empty()) {
            if !inside.deferred.contains(other.me) && !is_asking(other.me, inside.me) {
                let (inside, other) = (inside.me, other.me);
                return Err(format!("node {inside} is inside, and {other} is not deferred"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn request(time: u64, node: u32) -> Msg {
        Msg::Request(Stamp { time, node: NodeId(node) })
    }

    #[test]
    fn asks_everyone_and_enters_with_the_last_reply() {
        let (mut node, mut env) = (RicartAgrawala::new(NodeId(1), 3), Recorder::default());
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1@1)", "-> 2 Request(1@1)"]);
        node.on_message(NodeId(2), Msg::Reply, &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(0), Msg::Reply, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn the_older_request_goes_first() {
        let (mut node, mut env) = (RicartAgrawala::new(NodeId(1), 3), Recorder::default());
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), request(1, 0), &mut env);
        assert_eq!(env.lines(), ["-> 0 Reply"], "same time, smaller number: older");
        node.on_message(NodeId(2), request(1, 2), &mut env);
        assert!(env.lines().is_empty(), "same time, larger number: deferred");
    }

    #[test]
    fn inside_defers_and_leaving_replies() {
        let (mut node, mut env) = (RicartAgrawala::new(NodeId(0), 3), Recorder::default());
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(1), Msg::Reply, &mut env);
        node.on_message(NodeId(2), Msg::Reply, &mut env);
        env.lines();
        node.on_message(NodeId(2), request(0, 2), &mut env);
        assert!(env.lines().is_empty(), "even an older request waits while we are inside");
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 2 Reply"]);
    }

    #[test]
    fn a_request_after_a_reply_is_the_younger_one() {
        let (mut node, mut env) = (RicartAgrawala::new(NodeId(0), 2), Recorder::default());
        node.on_message(NodeId(1), request(7, 1), &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 1 Reply", "-> 1 Request(8@0)"]);
    }

    #[test]
    fn alone_it_enters_at_once() {
        let (mut node, mut env) = (RicartAgrawala::new(NodeId(0), 1), Recorder::default());
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = (RicartAgrawala::new(NodeId(0), 2), Recorder::default());
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn a_reply_that_nobody_waits_for_is_ignored() {
        let (mut node, mut env) = (RicartAgrawala::new(NodeId(0), 2), Recorder::default());
        let before = node.clone();
        node.on_message(NodeId(1), Msg::Reply, &mut env);
        assert_eq!(node, before);
    }
}
