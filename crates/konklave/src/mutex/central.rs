//! One coordinator keeps the queue of requests and grants entry to one node at a time.
//!
//! Folklore; the simple solution in M. Singhal, N. G. Shivaratri: Advanced Concepts in Operating
//! Systems. McGraw-Hill, 1994.
//!
//! # Idea
//!
//! A node that wants to enter sends a request to the coordinator. The coordinator queues requests
//! in order of arrival and grants the first. A node that leaves releases the grant, and the
//! coordinator grants the next request. The coordinator can be a client, too: its messages to
//! itself are local calls and are not counted.
//!
//! The other algorithms are measured against this one. Few need fewer messages, but the coordinator
//! is a bottleneck, carries all the load, and is a single point of failure.
//!
//! # Cost
//!
//! Messages: 3 per entry, none for the coordinator: 3(n-1)/n on average. Messages are empty.
//!
//! - Time: coordination delay 2T for the release and the grant, T if the coordinator leaves or is
//!   next; waiting time 2T on an idle system.
//! - State: a queue at the coordinator, nothing elsewhere.
//! - Fairness: first come, first served: the queue is in the order of arrival.
//!
//! # Assumes
//!
//! Reliable channels between the coordinator and every other node. They may reorder messages: a
//! request that overtakes its sender's release is queued behind it.
//!
//! - Loss: a lost request starves its sender; a lost grant or release blocks all nodes. Safety
//!   holds.
//! - Duplication: a duplicate request earns a second grant, which its sender never releases, and
//!   that blocks all nodes. A duplicate grant or release that arrives late can let two nodes in.
//! - Crash: the crash of the coordinator blocks all nodes; the crash of a node that is inside or in
//!   the queue blocks all nodes behind it; the crash of an idle node is harmless.
//!
//! # Differs from the paper
//!
//! The node that is inside is the head of the queue instead of a variable of its own.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Phase};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between the nodes and the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To the coordinator: the sender wants to enter.
    Request,
    /// From the coordinator: the receiver may enter.
    Grant,
    /// To the coordinator: the sender has left.
    Release,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Central {
    me: NodeId,
    coordinator: NodeId,
    phase: Phase,
    /// At the coordinator: the requesters in order of arrival. The head holds the grant.
    queue: VecDeque<NodeId>,
}

const _: () = assert!(size_of::<Central>() <= 64);

impl Central {
    /// Node `me` of a system with this coordinator.
    pub fn new(me: NodeId, coordinator: NodeId) -> Self {
        Self { me, coordinator, phase: Phase::Idle, queue: VecDeque::new() }
    }
}

impl Protocol for Central {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.phase) {
            (Command::Acquire, Phase::Idle) => {
                self.phase = Phase::Waiting;
                self.tell(self.coordinator, Msg::Request, env);
            }
            (Command::Release, Phase::Inside) => {
                self.phase = Phase::Idle;
                self.tell(self.coordinator, Msg::Release, env);
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Grant => {
                if self.phase == Phase::Waiting {
                    self.phase = Phase::Inside;
                    env.emit(Event::Granted);
                } // Else a duplicate, or granted to one.
            }
            _ if self.me != self.coordinator => {} // Not for clients.
            Msg::Request => {
                self.queue.push_back(from);
                if self.queue.len() == 1 {
                    self.tell(from, Msg::Grant, env);
                }
            }
            Msg::Release => {
                if self.queue.front() != Some(&from) {
                    return; // A duplicate.
                }
                self.queue.pop_front();
                if let Some(&next) = self.queue.front() {
                    self.tell(next, Msg::Grant, env);
                }
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        let whom = match self.phase {
            // On behalf of the queue: for the node that holds the grant, if others are behind it.
            _ if self.me == self.coordinator => {
                self.queue.front().copied().filter(|&head| head != self.me && self.queue.len() > 1)
            }
            Phase::Waiting => Some(self.coordinator),
            Phase::Idle | Phase::Inside => None,
        };
        whom.into_iter().collect()
    }
}

impl Central {
    /// Sends a message; a message of the coordinator to itself is a local call.
    fn tell(&mut self, to: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        if to == self.me {
            self.on_message(to, msg, env);
        } else {
            env.send(to, msg);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// Node `me` of three; node 0 is the coordinator.
    fn node(me: u32) -> (Central, Recorder<Central>) {
        (Central::new(NodeId(me), NodeId(0)), Recorder::default())
    }

    #[test]
    fn asks_enters_when_granted_and_tells_when_it_leaves() {
        let (mut node, mut env) = node(1);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request"]);
        node.on_message(NodeId(0), Msg::Grant, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Release"]);
    }

    #[test]
    fn first_come_first_served() {
        let (mut node, mut env) = node(0);
        node.on_message(NodeId(2), Msg::Request, &mut env);
        assert_eq!(env.lines(), ["-> 2 Grant"]);
        node.on_message(NodeId(1), Msg::Request, &mut env);
        assert!(env.lines().is_empty(), "node 2 has not left yet");
        node.on_message(NodeId(2), Msg::Release, &mut env);
        assert_eq!(env.lines(), ["-> 1 Grant"]);
    }

    #[test]
    fn the_coordinator_needs_no_message_for_itself() {
        let (mut node, mut env) = node(0);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node.on_message(NodeId(1), Msg::Request, &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 1 Grant"]);
        node.on_command(Command::Acquire, &mut env);
        assert!(env.lines().is_empty(), "it queues like any other node");
        node.on_message(NodeId(1), Msg::Release, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn a_request_that_overtakes_a_release_is_queued() {
        let (mut node, mut env) = node(0);
        node.on_message(NodeId(1), Msg::Request, &mut env);
        node.on_message(NodeId(1), Msg::Request, &mut env);
        assert_eq!(env.lines(), ["-> 1 Grant"]);
        node.on_message(NodeId(1), Msg::Release, &mut env);
        assert_eq!(env.lines(), ["-> 1 Grant"]);
    }

    #[test]
    fn what_comes_twice_or_to_the_wrong_node_is_ignored() {
        let (mut coordinator, mut env) = node(0);
        coordinator.on_message(NodeId(1), Msg::Request, &mut env);
        let before = coordinator.clone();
        coordinator.on_message(NodeId(2), Msg::Release, &mut env);
        assert_eq!(coordinator, before, "node 2 is not inside");

        let (mut client, mut env) = node(1);
        let before = client.clone();
        client.on_message(NodeId(0), Msg::Grant, &mut env);
        client.on_message(NodeId(2), Msg::Request, &mut env);
        client.on_message(NodeId(2), Msg::Release, &mut env);
        assert_eq!(client, before);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = node(1);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request"]);
    }
}
