//! The edges of a tree point to a token; requests climb them, and the token turns each on its way.
//!
//! K. Raymond: A tree-based algorithm for distributed mutual exclusion. ACM Transactions on
//! Computer Systems 7 (1), 1989. Found independently by J. L. A. van de Snepscheut: Fair mutual
//! exclusion on a graph of processes. Distributed Computing 2, 1987.
//!
//! # Idea
//!
//! Every node knows one neighbour that is nearer to the token, its holder, and queues those who
//! asked it, at most once each, itself among them. It asks its holder when its queue becomes
//! non-empty: asking again would not help. The node with the token serves the head of its queue. If
//! that is a neighbour, the token goes there and the edge turns round; if somebody else still waits
//! here, a request goes behind the token.
//!
//! A request never chases the token. Each node on its way remembers it and asks again behind the
//! token, so the chain of queue entries always ends where the token is.
//!
//! Token and request behind it can be one message: the variant `combined`. That is not only cheaper
//! but fairer: no more than n-2 others enter once a request is registered all the way to the token,
//! while a request that travels apart can be late as often as it likes. A node can also use the
//! token whenever it comes by, as an elevator stops on its way: the variant `greedy`, which is
//! combined too. It may do so once per visit; then at most 2(n-2) others go first.
//!
//! # Cost
//!
//! Messages: 2d per entry under light load, 4(n-1)/n under heavy load. d is the distance from
//! requester to token, O(log n) on balanced trees. The heavy figure is that of every tree: the
//! token walks round it, two messages for each of its 2(n-1) steps, and serves n nodes. Combined it
//! is (2(n-1) + leaves)/n, and greedy 1 + leaves/(2(n-1)), as every step of the token is an entry.
//! Coordination delay 2T(n-1)/n under heavy load, at worst diameter times T; greedy T. On a line
//! the mean distance of two nodes is (n+1)/3, on a star 2(n-1)/n. State: a pointer and a queue of
//! at most degree + 1 nodes.
//!
//! # Assumes
//!
//! A tree with reliable channels in any order: a request that overtakes the token it was sent
//! behind is queued, and its receiver has asked already. No crashes: one on the way to the token
//! cuts the tree in two. A lost token or request blocks. A doubled token lets two nodes in
//! together; a doubled request sends the token where nobody wants it, and two can keep it going for
//! ever.
//!
//! # Differs from the paper
//!
//! No flag says whether the holder was asked: it was, exactly if the queue is not empty and the
//! token is elsewhere. So a request is sent when the queue becomes non-empty, or stays non-empty
//! after the token has left.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, Phase};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};

/// What neighbours send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Somebody on my side wants the token.
    Request,
    /// Here it is.
    Token,
    /// Here it is, and somebody on my side wants it back.
    TokenAndRequest,
}

/// Forms of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// As in the paper: a request travels behind the token.
    Plain,
    /// A request behind the token is one message with it.
    Combined,
    /// Combined, and a node that wants the token uses it as it comes by.
    Greedy,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Raymond {
    me: NodeId,
    variant: Variant,
    /// The neighbour in the direction of the token; `me` with the token here.
    holder: NodeId,
    phase: Phase,
    /// Who asked us, first come first: neighbours and `me`, each at most once.
    /// Empty while we have the token and are not inside.
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
            // Whoever stands here steps in first.
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

/// The tree always points at the token; on its way, at either end of the edge.
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
            return Err(format!("from node {start} on, nobody has it"));
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
    fn asks_once_for_all_who_wait_here() {
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
