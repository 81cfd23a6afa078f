//! Ask only the nodes that may have the token: those known to have requested it.
//!
//! M. Singhal: A heuristically-aided algorithm for mutual exclusion in distributed systems. IEEE
//! Transactions on Computers 38 (5), 1989.
//!
//! # Idea
//!
//! As in the algorithm of Suzuki and Kasami, requests are numbered, but each node also guesses the
//! state of every other node, and the token carries guesses, too. A node that requests the token
//! will eventually have it, so a request goes only to the nodes believed to be requesting. A node
//! that receives a request learns that its sender is requesting; if it waits for the token itself
//! and has not asked the sender, it sends its own request now. On release, a node and the token
//! update each other: the later request number wins. The token goes to the first requesting node in
//! cyclic order of numbers, starting after the releasing node.
//!
//! Initially node i believes that all nodes j < i are requesting. So of any two nodes one asks the
//! other. This pair property is an invariant, because without it both could wait for ever without
//! asking each other: for each pair, one node believes that the other is requesting, or a request
//! between them is in transit.
//!
//! # Cost
//!
//! Messages: about n/2 + 1 per entry under light load, n under heavy load. None if the token is
//! here. A request carries one number.
//!
//! - Time: coordination delay T, waiting time 2T on an idle system.
//! - State: n guesses and n numbers, and as many in the token.
//! - Fairness: each node overtakes a waiting one at most once: it may be
//!   nearer to the token in cyclic order.
//!
//! # Assumes
//!
//! A complete network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost token blocks all nodes. A lost request can break the pair property and starve its
//!   sender. Safety holds.
//! - Duplication: a duplicate request is harmless; a duplicate token can let two nodes in.
//! - Crash: the crash of an idle node without the token is harmless; the crash of a node that waits
//!   or has the token loses the token, and all nodes block eventually.
//!
//! # Differs from the paper
//!
//! Stale requests are not discarded. If a request was slow and the token faster, its receiver may
//! believe that the sender was served and is idle, while the sender relies on that request and has
//! forgotten the receiver. Hence the receiver marks the sender as requesting nevertheless; if the
//! receiver has the token, where the mark would be lost, it makes the sender mark it instead: it
//! sends request 0, a probe. While the token is here, its numbers also decide which requests are
//! stale. Of several fair rules for the next node we use the cyclic order of numbers.

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, others_after};
use crate::protocol::{Env, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender's request of this number. Request 0 is a probe: the sender may have the token.
    Request(u64),
    /// The token.
    Token(Box<Token>),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// The state of a node: its own, or a guess about another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Status {
    /// Requesting: the node waits for the token.
    R,
    /// Executing: the node is inside.
    E,
    /// Holding: the node is idle and has the token.
    H,
    /// None: the node is idle, without the token.
    N,
}

use Status::{E, H, N, R};

/// The token, with the state of every node as of the latest request that the token knows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Token {
    /// The state of each node, R or N.
    pub tsv: Vec<Status>,
    /// The number of each node's latest request that the token knows.
    pub tsn: Vec<u64>,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Singhal {
    me: NodeId,
    /// The state of each node: our own, and guesses R or N about the others.
    /// While we are H, no other is R.
    sv: Vec<Status>,
    /// The number of each node's latest request that we know.
    sn: Vec<u64>,
    /// Present if and only if our own state is E or H.
    token: Option<Box<Token>>,
}

impl Singhal {
    /// Node `me` of a complete network of `nodes` nodes; node 0 has the token.
    pub fn new(me: NodeId, nodes: u32) -> Self {
        let (mut sv, sn) = (vec![N; nodes as usize], vec![0; nodes as usize]);
        if me == NodeId(0) {
            let token = Box::new(Token { tsv: sv.clone(), tsn: sn.clone() });
            sv[0] = H;
            Self { me, sv, sn, token: Some(token) }
        } else {
            sv[..me.index()].fill(R);
            Self { me, sv, sn, token: None }
        }
    }

    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }
}

impl Protocol for Singhal {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        let i = self.me.index();
        match (command, self.sv[i]) {
            (Command::Acquire, H) => self.enter(env),
            (Command::Acquire, N) => {
                self.sv[i] = R;
                self.sn[i] += 1;
                for j in others_after(self.me, self.sv.len()) {
                    if self.sv[j.index()] == R {
                        env.send(j, Msg::Request(self.sn[i]));
                    }
                }
            }
            (Command::Release, E) => self.leave(env),
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(number) => self.on_request(from, number, env),
            Msg::Token(token) => {
                let fits = [token.tsv.len(), token.tsn.len()] == [self.sv.len(); 2];
                if self.sv[self.me.index()] == R && fits {
                    self.token = Some(token);
                    self.enter(env);
                } // Else a duplicate, or malformed.
            }
        }
    }

    /// The nodes that may have the token: they were asked.
    fn waits_for(&self) -> NodeSet {
        let is_waiting = self.sv[self.me.index()] == R;
        let others = others_after(self.me, self.sv.len());
        others.filter(|j| is_waiting && self.sv[j.index()] == R).collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![one_token!(Msg::Token(_))]
    }
}

impl Singhal {
    fn on_request(&mut self, from: NodeId, number: u64, env: &mut impl Env<Self>) {
        let (i, j) = (self.me.index(), from.index());
        let known = self.token.as_ref().map_or(0, |token| token.tsn[j]).max(self.sn[j]);
        let is_new = number > known;
        if is_new {
            self.sn[j] = number;
        }
        match (self.sv[i], is_new) {
            (N, _) | (E, true) => self.sv[j] = R,
            (R, _) if self.sv[j] != R => {
                self.sv[j] = R;
                env.send(from, Msg::Request(self.sn[i]));
            }
            (H, true) => {
                let mut token = self.token.take().expect("H has the token");
                (token.tsv[j], token.tsn[j]) = (R, number);
                (self.sv[j], self.sv[i]) = (R, N);
                env.send(from, Msg::Token(token));
            }
            // Stale. A mark would be lost here, so the probe makes the sender mark us.
            (E | H, false) if self.sv[j] != R => env.send(from, Msg::Request(0)),
            (R | E | H, _) => {} // The sender is known to be requesting.
        }
    }

    fn enter(&mut self, env: &mut impl Env<Self>) {
        self.sv[self.me.index()] = E;
        env.emit(Event::Granted);
    }

    fn leave(&mut self, env: &mut impl Env<Self>) {
        let i = self.me.index();
        let mut token = self.token.take().expect("E has the token");
        (token.tsv[i], token.tsn[i]) = (N, self.sn[i]);
        for j in 0..self.sv.len() {
            if self.sn[j] > token.tsn[j] {
                (token.tsv[j], token.tsn[j]) = (self.sv[j], self.sn[j]);
            } else {
                (self.sv[j], self.sn[j]) = (token.tsv[j], token.tsn[j]);
            }
        }
        match others_after(self.me, self.sv.len()).find(|j| self.sv[j.index()] == R) {
            Some(next) => env.send(next, Msg::Token(token)),
            None => {
                self.sv[i] = H;
                self.token = Some(token);
            }
        }
    }
}

#[cfg(test)]
mod tests;
