//! Tree edges point towards the token; requests follow them, and the token reverses each edge.
//!
//! K. Raymond: A tree-based algorithm for distributed mutual exclusion. ACM Transactions on
//! Computer Systems 7 (1), 1989. Found independently by J. L. A. van de Snepscheut: Fair mutual
//! exclusion on a graph of processes. Distributed Computing 2, 1987.
//!
//! # Idea
//!
//! Every node stores its holder, the neighbour in the direction of the token, and a FIFO queue of
//! the neighbours that have requested the token from it, possibly with itself, each at most once.
//! It sends a request to its holder when its queue becomes non-empty; a second request would not
//! help. The node with the token serves the head of its queue. If the head is a neighbour, the
//! token goes there and the edge is reversed; if the queue is still non-empty, a request follows
//! the token.
//!
//! A request never chases the token. Each node on its path queues it, and sends a request behind
//! the token, so the chain of queue entries always ends at the token.
//!
//! The token and the request behind it can be combined in one message: the variant `combined`. It
//! is not only cheaper but fairer: at most n-2 other nodes enter once a request is registered all
//! the way to the token, while a separate request can be delayed arbitrarily often. A node can also
//! use the token whenever it passes, as an elevator stops on its way: the variant `greedy`, which
//! is combined, too. A node does so once per visit; then at most 2(n-2) other nodes enter first.
//!
//! # Cost
//!
//! Messages: 2d per entry under light load, 4(n-1)/n under heavy load. d is the distance from
//! requester to token, O(log n) on balanced trees. The figure for heavy load holds for every tree:
//! the token traverses it, with two messages for each of its 2(n-1) steps, and serves n nodes.
//! Combined it is (2(n-1) + leaves)/n, and greedy 1 + leaves/(2(n-1)), as every step of the token
//! is an entry. On a line the mean distance of two nodes is (n+1)/3, on a star 2(n-1)/n.
//!
//! - Time: coordination delay 2T(n-1)/n under heavy load, at worst diameter times T; greedy T.
//! - State: a pointer and a queue of at most degree + 1 nodes.
//! - Fairness: each node overtakes a waiting one at most D-2 times: D is the
//!   diameter, and a request can be forwarded together with an older one from the same direction,
//!   each time at a node nearer to it. At most once with `combined`. With `greedy`, whenever the
//!   token passes by, as often as a node has neighbours, on a star n-2 times.
//!
//! # Assumes
//!
//! A tree with reliable channels, and no crashes. Channels may reorder messages: a request that
//! overtakes the token it was sent behind is queued by a receiver that has already asked.
//!
//! - Loss: a lost token blocks all nodes; a lost request blocks all nodes behind its sender. Safety
//!   holds.
//! - Duplication: a duplicate token lets two nodes in. A duplicate request sends the token to a
//!   node that does not want it; two duplicates can keep the token moving for ever.
//! - Crash: the crash of a node on the path to the token disconnects the tree and blocks all nodes
//!   behind it; the crash of a leaf without the token is harmless.
//!
//! # Differs from the paper
//!
//! No flag records whether the holder was asked: it was asked if and only if the queue is non-empty
//! and the token is elsewhere. So a request is sent when the queue becomes non-empty, or is still
//! non-empty after the token has left.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, Phase};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A node on the sender's side of the edge wants the token.
    Request,
    /// The token.
    Token,
    /// The token, combined with a request to send it back.
    TokenAndRequest,
}

/// How a request follows the token, and which node in a queue is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// As in the paper: a request is a separate message behind the token.
    Plain,
    /// The token and the request behind it are one message.
    Combined,
    /// Combined, and a waiting node enters whenever the token passes.
    Greedy,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Raymond {
    me: NodeId,
    variant: Variant,
    /// The neighbour in the direction of the token; `me` if the token is here.
    holder: NodeId,
    phase: Phase,
    /// The requesters in FIFO order: neighbours and `me`, each at most once.
    /// Empty while the token is here and the node is not inside.
    queue: VecDeque<NodeId>,
}

const _: () = assert!(size_of::<Raymond>() <= 64);

impl Raymond {
    /// Node `me` of a tree, whose neighbour `holder` is nearer to the token;
    /// `holder` is `me` at the node that has it.
    pub fn new(me: NodeId, holder: NodeId, variant: Variant) -> Self {
        Self { me, variant, holder, phase: Phase::Idle, queue: VecDeque::new() }
    }

    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        self.holder == self.me
    }
}

impl Protocol for Raymond {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.phase) {
            (Command::Acquire, Phase::Idle) => {
                self.phase = Phase::Waiting;
                self.enqueue(self.me, env);
            }
            (Command::Release, Phase::Inside) => {
                self.phase = Phase::Idle;
                self.serve_if_idle_holder(env);
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request => self.enqueue(from, env),
            Msg::Token => self.on_token(env),
            Msg::TokenAndRequest => {
                self.queue.push_back(from);
                self.on_token(env);
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        let is_waiting = !self.queue.is_empty() && !self.has_token();
        is_waiting.then_some(self.holder).into_iter().collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![
            one_token!(Msg::Token | Msg::TokenAndRequest),
            Invariant::new("pointers lead to the token", to_the_token),
        ]
    }
}

impl Raymond {
    fn on_token(&mut self, env: &mut impl Env<Self>) {
        self.holder = self.me;
        if self.variant == Variant::Greedy {
            // The elevator rule: this node enters first, wherever it is in the queue.
            if let Some(place) = self.queue.iter().position(|&who| who == self.me) {
                self.queue.remove(place);
                self.queue.push_front(self.me);
            }
        }
        self.serve_if_idle_holder(env);
    }

    fn enqueue(&mut self, who: NodeId, env: &mut impl Env<Self>) {
        self.queue.push_back(who);
        if self.has_token() {
            self.serve_if_idle_holder(env);
        } else if self.queue.len() == 1 {
            env.send(self.holder, Msg::Request);
        }
    }

    fn serve_if_idle_holder(&mut self, env: &mut impl Env<Self>) {
        if !self.has_token() || self.phase == Phase::Inside {
            return;
        }
        let Some(head) = self.queue.pop_front() else { return };
        if head == self.me {
            self.phase = Phase::Inside;
            env.emit(Event::Granted);
        } else {
            self.holder = head;
            match (self.queue.is_empty(), self.variant) {
                (true, _) => env.send(head, Msg::Token),
                (false, Variant::Plain) => {
                    env.send(head, Msg::Token);
                    env.send(head, Msg::Request);
                }
                (false, Variant::Combined | Variant::Greedy) => {
                    env.send(head, Msg::TokenAndRequest);
                }
            }
        }
    }
}

/// From every node the holders lead to the token, or to an end of the edge that it is crossing.
fn to_the_token(system: &Snapshot<'_, Raymond>) -> Result<(), String> {
    let is_there = |node: &NodeId| {
        let comes_by = |(from, to, msg): &(NodeId, NodeId, &Msg)| {
            **msg != Msg::Request && [from, to].contains(&node)
        };
        system.nodes[node.index()].has_token() || system.messages.iter().any(comes_by)
    };
    for start in NodeId::all(system.nodes.len() as u32) {
        let way = std::iter::successors(Some(start), |at| Some(system.nodes[at.index()].holder));
        if !way.take(system.nodes.len()).any(|node| is_there(&node)) {
            return Err(format!("the holders from node {start} on do not lead to it"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// Node 1 of the path 0 - 1 - 2, with the token at `holder`.
    fn middle(holder: u32) -> (Raymond, Recorder<Raymond>) {
        middle_of(holder, Variant::Plain)
    }

    fn middle_of(holder: u32, variant: Variant) -> (Raymond, Recorder<Raymond>) {
        (Raymond::new(NodeId(1), NodeId(holder), variant), Recorder::default())
    }

    #[test]
    fn the_holder_enters_without_a_message() {
        let (mut node, mut env) = middle(1);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn one_request_stands_for_the_whole_queue() {
        let (mut node, mut env) = middle(0);
        node.on_message(NodeId(2), Msg::Request, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request"]);
        node.on_command(Command::Acquire, &mut env);
        assert!(env.lines().is_empty(), "the holder has been asked already");
    }

    #[test]
    fn an_idle_holder_passes_the_token_at_once() {
        let (mut node, mut env) = middle(1);
        node.on_message(NodeId(2), Msg::Request, &mut env);
        assert_eq!(env.lines(), ["-> 2 Token"]);
        assert!(!node.has_token());
    }

    #[test]
    fn a_request_follows_the_token_if_someone_still_waits() {
        let (mut node, mut env) = middle(0);
        node.on_message(NodeId(2), Msg::Request, &mut env);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), Msg::Token, &mut env);
        assert_eq!(env.lines(), ["-> 2 Token", "-> 2 Request"]);
        node.on_message(NodeId(2), Msg::Token, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn combined_sends_the_request_with_the_token() {
        let (mut node, mut env) = middle_of(0, Variant::Combined);
        node.on_message(NodeId(2), Msg::Request, &mut env);
        env.lines();
        node.on_message(NodeId(0), Msg::TokenAndRequest, &mut env);
        assert_eq!(env.lines(), ["-> 2 TokenAndRequest"], "node 0 wants it back");
    }

    #[test]
    fn greedy_uses_the_token_once_as_it_comes_by() {
        let (mut node, mut env) = middle_of(0, Variant::Greedy);
        node.on_message(NodeId(2), Msg::Request, &mut env);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), Msg::TokenAndRequest, &mut env);
        assert_eq!(env.lines(), ["! Granted"], "although node 2 asked first");
        node.on_command(Command::Release, &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 2 TokenAndRequest"], "but not twice");
    }

    #[test]
    fn inside_keeps_the_token_until_release() {
        let (mut node, mut env) = middle(1);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), Msg::Request, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Token"]);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request"], "the edge has turned");
    }

    #[test]
    fn a_request_that_overtakes_the_token_is_queued() {
        let (mut node, mut env) = middle(0);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), Msg::Request, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request"], "asked for itself, and not again");
        node.on_message(NodeId(0), Msg::Token, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Token"]);
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = middle(0);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request"]);
    }
}
