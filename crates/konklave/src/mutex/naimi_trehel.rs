//! Requests follow pointers to the last requester; nodes on the path then point to the new one.
//!
//! M. Naimi, M. Trehel: An improvement of the log n distributed algorithm for mutual exclusion.
//! International Conference on Distributed Computing Systems, 1987; with A. Arnold: A log(N)
//! distributed mutual exclusion algorithm based on path reversal. Journal of Parallel and
//! Distributed Computing 34 (1), 1996.
//!
//! # Idea
//!
//! Every node points to its father, the probable last requester. The last requester itself is the
//! root and has no father. A request travels along the pointers to the root, and every node on its
//! path makes the requester its father: the path is reversed, and the requester is the new root.
//! Frequently used paths become short.
//!
//! The old root stores the requester as its next, and sends it the token on release. So the waiting
//! nodes form a distributed queue: each knows its successor, and the last one is the root. An idle
//! root has the token and passes it on at once.
//!
//! # Cost
//!
//! Messages: H(n-1) per entry on average under light load, at most n. H(k) is 1 + 1/2 + ... + 1/k.
//! The worst case is n-1 hops of the request and one of the token; O(log n) amortised. A request
//! carries one node.
//!
//! - Time: coordination delay T; waiting time T per message on an idle system.
//! - State: two pointers.
//! - Fairness: first come, first served: every request goes to the end of the chain.
//!
//! # Assumes
//!
//! A complete network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost token or request blocks its node and all nodes queued behind it. Safety holds.
//! - Duplication: a duplicate request can send the token to a node that does not wait, where it is
//!   lost; a duplicate token can let two nodes in.
//! - Crash: the crash of a node on the path to the root blocks all requests that take this path,
//!   even if the node is idle; the crash of a waiting node blocks all nodes behind it.
//!
//! # Differs from the paper
//!
//! No flag records whether the token is here: it is here if and only if the node is inside, or is
//! idle and has no father. A node ignores its own request: it is a duplicate.

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};

/// The messages between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The request of this node, forwarded along fathers.
    Request(NodeId),
    /// The token, sent directly to the next node in the queue.
    Token,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NaimiTrehel {
    me: NodeId,
    /// The probable last requester. None at a root, which is the last requester itself.
    father: Option<NodeId>,
    /// The node that gets the token on release. None while idle, and at a root.
    next: Option<NodeId>,
    state: State,
}

const _: () = assert!(size_of::<NaimiTrehel>() <= 64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Idle,
    /// The request went to `asked`, our former father; we are a root since.
    Waiting {
        asked: NodeId,
    },
    Inside,
}

impl NaimiTrehel {
    /// Node `me` of a complete network, in which `root` has the token.
    pub fn new(me: NodeId, root: NodeId) -> Self {
        let father = Some(root).filter(|&root| root != me);
        Self { me, father, next: None, state: State::Idle }
    }

    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        match self.state {
            State::Idle => self.father.is_none(),
            State::Waiting { .. } => false,
            State::Inside => true,
        }
    }
}

impl Protocol for NaimiTrehel {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.state) {
            (Command::Acquire, State::Idle) => match self.father.take() {
                Some(father) => {
                    self.state = State::Waiting { asked: father };
                    env.send(father, Msg::Request(self.me));
                }
                None => self.enter(env),
            },
            (Command::Release, State::Inside) => {
                self.state = State::Idle;
                if let Some(next) = self.next.take() {
                    env.send(next, Msg::Token);
                }
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(requester) if requester == self.me => {} // A duplicate.
            Msg::Request(requester) => match self.father.replace(requester) {
                Some(father) => env.send(father, Msg::Request(requester)),
                None if self.state == State::Idle => env.send(requester, Msg::Token),
                None => self.next = Some(requester),
            },
            Msg::Token => {
                if let State::Waiting { .. } = self.state {
                    self.enter(env);
                } // Else a duplicate.
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Waiting { asked } => [asked].into_iter().collect(),
            State::Idle | State::Inside => NodeSet::new(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![one_token!(Msg::Token), Invariant::new("roots exceed requests by one", roots)]
    }
}

impl NaimiTrehel {
    fn enter(&mut self, env: &mut impl Env<Self>) {
        self.state = State::Inside;
        env.emit(Event::Granted);
    }
}

/// Every request in transit makes its requester a root; apart from these there is one tree.
fn roots(system: &Snapshot<'_, NaimiTrehel>) -> Result<(), String> {
    let roots = system.nodes.iter().filter(|node| node.father.is_none()).count();
    let requests = system.messages.iter().filter(|it| matches!(it.2, Msg::Request(_))).count();
    match roots == requests + 1 {
        true => Ok(()),
        false => Err(format!("there are {roots} roots and {requests} requests")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node(me: u32) -> (NaimiTrehel, Recorder<NaimiTrehel>) {
        (NaimiTrehel::new(NodeId(me), NodeId(0)), Recorder::default())
    }

    fn request(node: u32) -> Msg {
        Msg::Request(NodeId(node))
    }

    #[test]
    fn the_root_enters_without_a_message() {
        let (mut node, mut env) = node(0);
        for _ in 0..2 {
            node.on_command(Command::Acquire, &mut env);
            node.on_command(Command::Release, &mut env);
        }
        assert_eq!(env.lines(), ["! Granted", "! Granted"]);
        assert!(node.has_token());
    }

    #[test]
    fn asks_its_father_and_becomes_a_root() {
        let (mut node, mut env) = node(1);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1)"]);
        node.on_message(NodeId(0), request(2), &mut env);
        assert!(env.lines().is_empty(), "node 2 is next");
        node.on_message(NodeId(0), Msg::Token, &mut env);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["! Granted", "-> 2 Token"]);
        assert!(!node.has_token());
    }

    #[test]
    fn an_idle_root_gives_the_token_away_at_once() {
        let (mut node, mut env) = node(0);
        node.on_message(NodeId(3), request(2), &mut env);
        assert_eq!(env.lines(), ["-> 2 Token"], "to the requester, not to the forwarder");
        assert!(!node.has_token());
    }

    #[test]
    fn every_request_reverses_the_path() {
        let (mut node, mut env) = node(1);
        for requester in [2, 3, 4] {
            node.on_message(NodeId(9), request(requester), &mut env);
        }
        assert_eq!(env.lines(), ["-> 0 Request(2)", "-> 2 Request(3)", "-> 3 Request(4)"]);
    }

    #[test]
    fn a_waiting_node_with_a_next_passes_requests_on() {
        let (mut node, mut env) = node(1);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(2), request(2), &mut env);
        env.lines();
        node.on_message(NodeId(3), request(3), &mut env);
        assert_eq!(env.lines(), ["-> 2 Request(3)"]);
    }

    #[test]
    fn its_own_request_and_a_token_out_of_turn_are_ignored() {
        let (mut node, mut env) = node(1);
        let before = node.clone();
        node.on_message(NodeId(0), Msg::Token, &mut env);
        node.on_message(NodeId(0), request(1), &mut env);
        assert_eq!(node, before);
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
