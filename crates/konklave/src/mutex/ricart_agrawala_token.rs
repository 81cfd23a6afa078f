//! Ask all other nodes for the token, which carries the time of each node's last entry.
//!
//! G. Ricart, A. K. Agrawala: Authors' response to "On mutual exclusion in computer networks".
//! Communications of the ACM 26 (2), 1983.
//!
//! # Idea
//!
//! The node with the token may enter, and keeps the token until another node asks. A node without
//! the token timestamps a request with its logical clock and sends it to all other nodes, since any
//! of them may have the token by the time it arrives. Every node stores the latest request of each
//! node.
//!
//! The token carries, for each node, the time at which it last left. A request younger than that is
//! pending, an older one was served: so the holder can tell which nodes wait, however late requests
//! arrive. It passes the token to the first waiting node in cyclic order of numbers, starting after
//! itself, so a request that it knows waits for at most one round.
//!
//! # Cost
//!
//! Messages: n per entry, or 0 if the token is here. That is n-1 requests and the token. A request
//! carries one time, the token n times.
//!
//! - Time: coordination delay T, waiting time 2T on an idle system.
//! - State: a clock and n times.
//! - Fairness: each node overtakes a waiting one at most once: it may be
//!   nearer to the token in cyclic order.
//!
//! # Assumes
//!
//! A complete network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost token blocks all nodes; a lost request blocks its sender until the token reaches
//!   a node that received another copy of it. Safety holds.
//! - Duplication: a duplicate request is harmless, because the token knows which requests were
//!   served; a duplicate token can let two nodes in.
//! - Crash: the crash of an idle node without the token is harmless; the crash of a node that waits
//!   or has the token loses the token, and all nodes block eventually.
//!
//! # Differs from the paper
//!
//! Nothing.

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, others_after};
use crate::protocol::{Env, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender's request for the token, with its timestamp.
    Request(u64),
    /// The token, with the time at which each node last left.
    Token(Vec<u64>),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RicartAgrawalaToken {
    me: NodeId,
    /// At least the time of every request sent or received.
    clock: u64,
    /// The time of the latest request received from each node.
    requested: Vec<u64>,
    state: State,
}

/// The phase of a node; the vector is the token, with the time at which each node last left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Idle,
    Waiting,
    /// The token is here, and no pending request is known.
    Holding(Vec<u64>),
    Inside(Vec<u64>),
}

impl RicartAgrawalaToken {
    /// Node `me` of a complete network of `nodes` nodes; node 0 has the token.
    pub fn new(me: NodeId, nodes: u32) -> Self {
        let never = vec![0; nodes as usize];
        let state = if me == NodeId(0) { State::Holding(never.clone()) } else { State::Idle };
        Self { me, clock: 0, requested: never, state }
    }

    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        matches!(self.state, State::Holding(_) | State::Inside(_))
    }
}

impl Protocol for RicartAgrawalaToken {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, &mut self.state) {
            (Command::Acquire, State::Idle) => {
                self.state = State::Waiting;
                self.clock = self.clock.saturating_add(1);
                for other in others_after(self.me, self.requested.len()) {
                    env.send(other, Msg::Request(self.clock));
                }
            }
            (Command::Acquire, State::Holding(left)) => {
                self.state = State::Inside(std::mem::take(left));
                env.emit(Event::Granted);
            }
            (Command::Release, State::Inside(left)) => {
                left[self.me.index()] = self.clock;
                self.state = State::Holding(std::mem::take(left));
                self.pass_if_someone_waits(env);
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(time) => {
                self.clock = self.clock.max(time);
                let latest = &mut self.requested[from.index()];
                *latest = time.max(*latest);
                self.pass_if_someone_waits(env);
            }
            Msg::Token(left) => {
                if self.state != State::Waiting || left.len() != self.requested.len() {
                    return; // A duplicate, or malformed.
                }
                self.state = State::Inside(left);
                env.emit(Event::Granted);
            }
        }
    }

    /// Any other node may have the token.
    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Waiting => NodeSet::all_but(self.me, self.requested.len() as u32),
            State::Idle | State::Holding(_) | State::Inside(_) => NodeSet::new(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![one_token!(Msg::Token(_))]
    }
}

impl RicartAgrawalaToken {
    fn pass_if_someone_waits(&mut self, env: &mut impl Env<Self>) {
        let State::Holding(left) = &mut self.state else { return };
        let mut others = others_after(self.me, left.len());
        let next = others.find(|other| self.requested[other.index()] > left[other.index()]);
        if let Some(next) = next {
            env.send(next, Msg::Token(std::mem::take(left)));
            self.state = State::Idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node(me: u32) -> (RicartAgrawalaToken, Recorder<RicartAgrawalaToken>) {
        (RicartAgrawalaToken::new(NodeId(me), 4), Recorder::default())
    }

    #[test]
    fn the_holder_enters_without_a_message() {
        let (mut node, mut env) = node(0);
        for _ in 0..2 {
            node.on_command(Command::Acquire, &mut env);
            node.on_command(Command::Release, &mut env);
        }
        assert_eq!(env.lines(), ["! Granted", "! Granted"]);
        assert!(node.has_token());
    }

    #[test]
    fn asks_everyone_and_enters_with_the_token() {
        let (mut node, mut env) = node(2);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 3 Request(1)", "-> 0 Request(1)", "-> 1 Request(1)"]);
        node.on_message(NodeId(0), Msg::Token(vec![0; 4]), &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn an_idle_holder_passes_the_token_at_once() {
        let (mut node, mut env) = node(0);
        node.on_message(NodeId(2), Msg::Request(1), &mut env);
        assert_eq!(env.lines(), ["-> 2 Token([0, 0, 0, 0])"]);
        assert!(!node.has_token());
    }

    #[test]
    fn the_token_goes_to_the_next_number_first_and_notes_the_time() {
        let (mut node, mut env) = node(2);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), Msg::Token(vec![0; 4]), &mut env);
        env.lines();
        for from in [0, 1, 3] {
            node.on_message(NodeId(from), Msg::Request(7), &mut env);
        }
        assert!(env.lines().is_empty(), "inside, it keeps the token");
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 3 Token([0, 0, 7, 0])"]);
    }

    #[test]
    fn served_and_duplicate_requests_are_not_served_again() {
        let (mut node, mut env) = node(2);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(1), Msg::Token(vec![0, 5, 0, 0]), &mut env);
        node.on_command(Command::Release, &mut env);
        env.lines();
        for late in [5, 3, 5] {
            node.on_message(NodeId(1), Msg::Request(late), &mut env);
        }
        assert!(env.lines().is_empty(), "node 1 left at 5");
        node.on_message(NodeId(1), Msg::Request(6), &mut env);
        assert_eq!(env.lines(), ["-> 1 Token([0, 5, 1, 0])"]);
    }

    #[test]
    fn an_old_request_does_not_hide_the_newer_one_it_was_overtaken_by() {
        let (mut node, mut env) = node(2);
        node.on_message(NodeId(1), Msg::Request(4), &mut env);
        node.on_message(NodeId(1), Msg::Request(2), &mut env);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(1), Msg::Token(vec![0, 3, 0, 0]), &mut env);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["! Granted", "-> 1 Token([0, 3, 5, 0])"]);
    }

    #[test]
    fn an_unexpected_or_malformed_token_is_ignored() {
        let (mut node, mut env) = node(2);
        let before = node.clone();
        node.on_message(NodeId(0), Msg::Token(vec![0; 4]), &mut env);
        assert_eq!(node, before);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), Msg::Token(vec![0; 3]), &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = node(1);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
    }
}
