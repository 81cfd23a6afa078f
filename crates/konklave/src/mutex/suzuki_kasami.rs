//! Ask all other nodes for the token, which carries the queue of waiting nodes.
//!
//! I. Suzuki, T. Kasami: A distributed mutual exclusion algorithm. ACM Transactions on Computer
//! Systems 3 (4), 1985.
//!
//! # Idea
//!
//! The node with the token, the privilege of entering, keeps it until another node asks. A node
//! without the token numbers its request and sends it to all other nodes, since any of them may
//! have the token by the time it arrives. Every node stores the largest request number of each
//! node, RN.
//!
//! The token carries the number of each node's last served request, LN. A node j waits if and only
//! if RN(j) > LN(j). A node that leaves appends the waiting nodes it knows of to the queue in the
//! token, and sends the token to the head. Once in the queue, a node is never overtaken.
//!
//! # Cost
//!
//! Messages: n per entry, or 0 if the token is here. That is n-1 requests and the token. A request
//! carries one number, the token n numbers and at most n nodes.
//!
//! - Time: coordination delay T, waiting time 2T on an idle system.
//! - State: n numbers.
//! - Fairness: each node overtakes a waiting one at most once: both enter the
//!   queue of the token at the same release, in cyclic order.
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
//! A node waits if RN > LN, where the paper has RN = LN + 1. The two are equivalent, as each node
//! has at most one pending request.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, others_after};
use crate::protocol::{Env, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender's request of this number for the token.
    Request(u64),
    /// The token.
    Privilege(Box<Token>),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// The token: the node that has it may enter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Token {
    /// The number of each node's last served request.
    pub ln: Vec<u64>,
    /// The waiting nodes in FIFO order, each at most once.
    pub queue: VecDeque<NodeId>,
}

impl Token {
    fn fits(&self, nodes: usize) -> bool {
        self.ln.len() == nodes && self.queue.iter().all(|node| node.index() < nodes)
    }
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SuzukiKasami {
    me: NodeId,
    /// The largest request number received from each node, and our own.
    rn: Vec<u64>,
    state: State,
}

const _: () = assert!(size_of::<SuzukiKasami>() <= 64);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Idle,
    Waiting,
    /// The token is here, its queue is empty, and no pending request is known.
    Holding(Box<Token>),
    Inside(Box<Token>),
}

impl SuzukiKasami {
    /// Node `me` of a complete network of `nodes` nodes; node 0 has the token.
    pub fn new(me: NodeId, nodes: u32) -> Self {
        let none = vec![0; nodes as usize];
        let token = || Box::new(Token { ln: none.clone(), queue: VecDeque::new() });
        let state = if me == NodeId(0) { State::Holding(token()) } else { State::Idle };
        Self { me, rn: none, state }
    }

    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        matches!(self.state, State::Holding(_) | State::Inside(_))
    }
}

impl Protocol for SuzukiKasami {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, std::mem::replace(&mut self.state, State::Idle)) {
            (Command::Acquire, State::Idle) => {
                self.state = State::Waiting;
                self.rn[self.me.index()] += 1;
                for other in others_after(self.me, self.rn.len()) {
                    env.send(other, Msg::Request(self.rn[self.me.index()]));
                }
            }
            (Command::Acquire, State::Holding(token)) => self.enter(token, env),
            (Command::Release, State::Inside(token)) => self.leave(token, env),
            (_, state) => self.state = state, // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(number) => {
                let latest = &mut self.rn[from.index()];
                *latest = number.max(*latest);
                self.pass_if_idle_holder(from, env);
            }
            Msg::Privilege(token) => {
                if self.state == State::Waiting && token.fits(self.rn.len()) {
                    self.enter(token, env);
                } // Else a duplicate, or malformed.
            }
        }
    }

    /// Any other node may have the token.
    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Waiting => NodeSet::all_but(self.me, self.rn.len() as u32),
            State::Idle | State::Holding(_) | State::Inside(_) => NodeSet::new(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![one_token!(Msg::Privilege(_))]
    }
}

impl SuzukiKasami {
    fn enter(&mut self, token: Box<Token>, env: &mut impl Env<Self>) {
        self.state = State::Inside(token);
        env.emit(Event::Granted);
    }

    fn leave(&mut self, mut token: Box<Token>, env: &mut impl Env<Self>) {
        token.ln[self.me.index()] = self.rn[self.me.index()];
        for other in others_after(self.me, self.rn.len()) {
            if self.is_waiting(other, &token) && !token.queue.contains(&other) {
                token.queue.push_back(other);
            }
        }
        match token.queue.pop_front() {
            Some(next) => env.send(next, Msg::Privilege(token)),
            None => self.state = State::Holding(token),
        }
    }

    fn pass_if_idle_holder(&mut self, to: NodeId, env: &mut impl Env<Self>) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Holding(token) if self.is_waiting(to, &token) => {
                env.send(to, Msg::Privilege(token));
            }
            state => self.state = state,
        }
    }

    fn is_waiting(&self, node: NodeId, token: &Token) -> bool {
        self.rn[node.index()] > token.ln[node.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node(me: u32) -> (SuzukiKasami, Recorder<SuzukiKasami>) {
        (SuzukiKasami::new(NodeId(me), 4), Recorder::default())
    }

    fn privilege(ln: [u64; 4], queue: &[u32]) -> Msg {
        let queue = queue.iter().copied().map(NodeId).collect();
        Msg::Privilege(Box::new(Token { ln: ln.to_vec(), queue }))
    }

    /// Node 2, inside with this token.
    fn inside(ln: [u64; 4], queue: &[u32]) -> (SuzukiKasami, Recorder<SuzukiKasami>) {
        let (mut node, mut env) = node(2);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), privilege(ln, queue), &mut env);
        env.lines();
        (node, env)
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
        node.on_message(NodeId(0), privilege([0; 4], &[]), &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn an_idle_holder_passes_the_token_at_once() {
        let (mut node, mut env) = node(0);
        node.on_message(NodeId(2), Msg::Request(1), &mut env);
        assert_eq!(env.lines(), ["-> 2 Privilege(Token { ln: [0, 0, 0, 0], queue: [] })"]);
        assert!(!node.has_token());
    }

    #[test]
    fn waiting_nodes_are_appended_to_the_queue_once() {
        let (mut node, mut env) = inside([0; 4], &[1]);
        for from in [0, 1, 3] {
            node.on_message(NodeId(from), Msg::Request(1), &mut env);
        }
        assert!(env.lines().is_empty(), "inside, it keeps the token");
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 1 Privilege(Token { ln: [0, 0, 1, 0], queue: [3, 0] })"]);
    }

    #[test]
    fn served_and_duplicate_requests_are_not_served_again() {
        let (mut node, mut env) = inside([0, 5, 0, 0], &[]);
        node.on_command(Command::Release, &mut env);
        for late in [5, 3, 5] {
            node.on_message(NodeId(1), Msg::Request(late), &mut env);
        }
        assert!(env.lines().is_empty(), "request 5 of node 1 was served");
        node.on_message(NodeId(1), Msg::Request(6), &mut env);
        assert_eq!(env.lines(), ["-> 1 Privilege(Token { ln: [0, 5, 1, 0], queue: [] })"]);
    }

    #[test]
    fn an_old_request_does_not_hide_the_newer_one_it_was_overtaken_by() {
        let (mut node, mut env) = inside([0, 1, 0, 0], &[]);
        node.on_message(NodeId(1), Msg::Request(2), &mut env);
        node.on_message(NodeId(1), Msg::Request(1), &mut env);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 1 Privilege(Token { ln: [0, 1, 1, 0], queue: [] })"]);
    }

    #[test]
    fn an_unexpected_or_malformed_token_is_ignored() {
        let (mut node, mut env) = node(2);
        let before = node.clone();
        node.on_message(NodeId(0), privilege([0; 4], &[]), &mut env);
        assert_eq!(node, before);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), privilege([0; 4], &[4]), &mut env);
        let short = Token { ln: vec![0; 3], queue: VecDeque::new() };
        node.on_message(NodeId(0), Msg::Privilege(Box::new(short)), &mut env);
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
        node.on_message(NodeId(0), privilege([0; 4], &[]), &mut env);
        assert_eq!(env.lines(), ["! Granted"], "it still waits");
    }
}
