//! One node keeps the queue, and lends the right to enter to one node at a time.
//!
//! Folklore; the simple solution in M. Singhal, N. G. Shivaratri: Advanced Concepts in Operating
//! Systems. McGraw-Hill, 1994.
//!
//! # Idea
//!
//! A node that wants to enter asks the coordinator. The coordinator queues the requests as they
//! arrive and grants the first. When that one has left, it says so, and the next is granted. The
//! coordinator may want to enter, too: it then asks itself, which is no message.
//!
//! This is the yardstick of all other algorithms: hard to beat in messages, but the coordinator is
//! a bottleneck, carries all the load, and everything stops without it.
//!
//! # Cost
//!
//! Messages: 3 per entry, none for the coordinator: 3(n-1)/n on average. Coordination delay 2T for
//! the release and the grant, T if the coordinator leaves or is next. Waiting time 2T on an idle
//! system. State: a queue at the coordinator, nothing elsewhere. Messages are empty.
//!
//! # Assumes
//!
//! Reliable channels in any order between the coordinator and the others: a node's next request may
//! overtake its release and is queued behind it. A crash of the coordinator stops everyone, one of
//! a node that is inside or in the queue blocks those behind it, one of an idle node is harmless. A
//! lost request blocks its sender, a lost grant or release everyone. A doubled request earns a
//! grant that nobody gives back, which blocks everyone; a doubled grant or release can come late
//! and let two nodes in together.
//!
//! # Differs from the paper
//!
//! The node that is inside is the head of the queue instead of a variable of its own.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Phase};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What nodes and the coordinator send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// May I enter?
    Request,
    /// You may.
    Grant,
    /// I have left.
    Release,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Central {
    me: NodeId,
    coordinator: NodeId,
    phase: Phase,
    /// At the coordinator: who asked, first come first. The head was granted and has not left yet.
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
                } // Else doubled, or earned by a doubled request.
            }
            _ if self.me != self.coordinator => {} // Not for us.
            Msg::Request => {
                self.queue.push_back(from);
                if self.queue.len() == 1 {
                    self.tell(from, Msg::Grant, env);
                }
            }
            Msg::Release => {
                if self.queue.front() != Some(&from) {
                    return; // Doubled.
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
            // Also for others: the one that was granted, if anybody is behind it.
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
    /// Sends a message; what is for this node itself is a call.
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
        assert!(env.lines().is_empty(), "it queues like everyone");
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
