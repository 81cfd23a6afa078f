//! A token circulates on a ring for ever; a node that wants to enter waits for it.
//!
//! G. Le Lann: Distributed systems: towards a formal approach. IFIP Congress, 1977.
//!
//! # Idea
//!
//! Nodes send no requests. The token circulates on a ring of all nodes. A node passes it on at
//! once, unless it wants to enter: then it keeps the token until it leaves. Every node gets the
//! token once per round, so the service is perfectly fair; but the token moves even if no node
//! wants to enter.
//!
//! With `--linger`, an idle node keeps the token for a while, which saves messages and costs time.
//!
//! # Cost
//!
//! Messages: 1 per entry under heavy load, without bound on an idle system. There it is one message
//! per T, or per T + D if idle nodes linger for D. The token is empty.
//!
//! - Time: coordination delay T under heavy load; waiting time nT/2 on average and nT at most on an
//!   idle system, with T + D for T if nodes linger.
//! - State: the phase only.
//! - Fairness: each node overtakes a waiting one at most once: the
//!   token may reach it first.
//!
//! # Assumes
//!
//! A ring with reliable channels; their order does not matter, as there is only one message.
//!
//! - Loss: a lost token blocks all nodes. Safety holds.
//! - Duplication: a duplicate token lets two nodes in.
//! - Crash: a crashed node loses the token when it arrives there, which blocks all nodes.
//!
//! # Differs from the paper
//!
//! A single node keeps the token instead of sending it to itself. The paper's remedy for a lost
//! token, the election of a node that creates a new one, is left out.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event};
use crate::protocol::{Env, Invariant, Protocol};
use crate::{NodeId, NodeSet};

/// The only message, from each node to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The token: the receiver may enter.
    Token,
}

/// The only timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// An idle node has kept the token for its linger time.
    PassOn,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Perpetuum {
    me: NodeId,
    previous: NodeId,
    next: NodeId,
    /// How long an idle node keeps the token.
    linger: Duration,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// Idle, without the token.
    Idle,
    /// The application wants to enter; the token is elsewhere.
    Waiting,
    /// Idle, with the token.
    Resting,
    /// Inside, with the token.
    Inside,
}

const _: () = assert!(size_of::<Perpetuum>() <= 64);

impl Perpetuum {
    /// Node `me` of a ring, between `previous` and `next`; the token starts at `first`.
    pub fn new(
        me: NodeId,
        (previous, next): (NodeId, NodeId),
        first: NodeId,
        linger: Duration,
    ) -> Self {
        let state = if me == first { State::Resting } else { State::Idle };
        Self { me, previous, next, linger, state }
    }

    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        matches!(self.state, State::Resting | State::Inside)
    }
}

impl Protocol for Perpetuum {
    type Msg = Msg;
    type Timer = Timer;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        if self.state == State::Resting {
            self.rest(env);
        }
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.state) {
            (Command::Acquire, State::Idle) => self.state = State::Waiting,
            (Command::Acquire, State::Resting) => {
                env.cancel_timer(Timer::PassOn);
                self.enter(env);
            }
            // No linger after an entry: the next node may be waiting.
            (Command::Release, State::Inside) => self.pass_on(env),
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let Msg::Token = msg;
        match self.state {
            State::Idle => self.rest(env),
            State::Waiting => self.enter(env),
            State::Resting | State::Inside => env.send(self.next, Msg::Token), // Duplicate.
        }
    }

    fn on_timer(&mut self, timer: Timer, env: &mut impl Env<Self>) {
        let Timer::PassOn = timer;
        if self.state == State::Resting {
            self.pass_on(env);
        }
    }

    fn waits_for(&self) -> NodeSet {
        (self.state == State::Waiting).then_some(self.previous).into_iter().collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![one_token!(Msg::Token)]
    }
}

impl Perpetuum {
    fn enter(&mut self, env: &mut impl Env<Self>) {
        self.state = State::Inside;
        env.emit(Event::Granted);
    }

    fn rest(&mut self, env: &mut impl Env<Self>) {
        self.state = State::Resting;
        if self.linger.is_zero() {
            self.pass_on(env);
        } else {
            env.set_timer(Timer::PassOn, self.linger);
        }
    }

    fn pass_on(&mut self, env: &mut impl Env<Self>) {
        if self.next == self.me {
            self.state = State::Resting; // A single node.
        } else {
            self.state = State::Idle;
            env.send(self.next, Msg::Token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node(me: u32, nodes: u32, linger_ms: u64) -> (Perpetuum, Recorder<Perpetuum>) {
        let beside = (NodeId((me + nodes - 1) % nodes), NodeId((me + 1) % nodes));
        let linger = Duration::from_millis(linger_ms);
        (Perpetuum::new(NodeId(me), beside, NodeId(0), linger), Recorder::default())
    }

    #[test]
    fn the_first_node_sets_the_token_in_motion() {
        let (mut first, mut env) = node(0, 3, 0);
        first.on_start(&mut env);
        assert_eq!(env.lines(), ["-> 1 Token"]);
        let (mut second, mut env) = node(1, 3, 0);
        second.on_start(&mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn an_idle_node_passes_the_token_on() {
        let (mut node, mut env) = node(1, 3, 0);
        node.on_message(NodeId(0), Msg::Token, &mut env);
        assert_eq!(env.lines(), ["-> 2 Token"]);
    }

    #[test]
    fn a_waiting_node_keeps_the_token_until_release() {
        let (mut node, mut env) = node(1, 3, 0);
        node.on_command(Command::Acquire, &mut env);
        assert!(env.lines().is_empty(), "nodes send no requests");
        node.on_message(NodeId(0), Msg::Token, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 2 Token"]);
    }

    #[test]
    fn a_lingering_token_can_be_used_at_once() {
        let (mut node, mut env) = node(1, 3, 7);
        node.on_message(NodeId(0), Msg::Token, &mut env);
        assert_eq!(env.lines(), ["set PassOn 7ms"]);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["cancel PassOn", "! Granted"]);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 2 Token"]);
        node.on_message(NodeId(0), Msg::Token, &mut env);
        node.on_timer(Timer::PassOn, &mut env);
        assert_eq!(env.lines(), ["set PassOn 7ms", "-> 2 Token"]);
    }

    #[test]
    fn alone_it_keeps_the_token() {
        let (mut node, mut env) = node(0, 1, 0);
        node.on_start(&mut env);
        assert!(env.lines().is_empty());
        for _ in 0..2 {
            node.on_command(Command::Acquire, &mut env);
            node.on_command(Command::Release, &mut env);
            assert_eq!(env.lines(), ["cancel PassOn", "! Granted"]);
        }
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = node(1, 2, 0);
        node.on_command(Command::Release, &mut env);
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(0), Msg::Token, &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }
}
