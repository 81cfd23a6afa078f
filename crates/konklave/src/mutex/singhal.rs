//! Ask only those who may have the token: the ones that are known to have asked for it.
//!
//! M. Singhal: A heuristically-aided algorithm for mutual exclusion in distributed systems. IEEE
//! Transactions on Computers 38 (5), 1989.
//!
//! # Idea
//!
//! Like Suzuki and Kasami, but each node keeps a guess of the state of every other, and the token
//! carries guesses, too. Who asks for the token will have it at last: so a request goes only to
//! those believed to be requesting. Whoever receives one learns that its sender is; if it wants the
//! token itself and has not asked the sender, it does so now. On leaving, a node and the token
//! learn from each other, whichever knows the later request. The next node is the first in the
//! order of numbers, starting behind the leaving one, that is requesting.
//!
//! At first node i suspects all nodes j < i. So of any two nodes one asks the other, and this has
//! to remain true, or both could wait side by side for ever: for each pair, one believes that the
//! other is requesting, or a request between them is under way.
//!
//! # Cost
//!
//! Messages: about n/2 + 1 per entry under light load, n under heavy load. None if the token is
//! here. Coordination delay T, waiting time 2T on an idle system. State: n guesses and n numbers,
//! and as many in the token. Message: one number.
//!
//! # Assumes
//!
//! A complete network with reliable channels in any order. A lost token blocks everyone; a lost
//! request can leave two nodes blind to each other and block its sender. A doubled request is
//! harmless, a doubled token can let two nodes in together. The crash of an idle node without the
//! token is harmless, too; that of one which waits or has the token is as bad as losing the token.
//!
//! # Differs from the paper
//!
//! Old requests are not discarded. If one was slow and the token came faster, its receiver may
//! believe that the sender was served and is idle, while the sender has forgotten the receiver,
//! relying on the request. Hence the receiver takes note of the sender nevertheless; with the token
//! here, where the note would be lost, it makes the sender take note: it sends request 0, a probe.
//! What is old is decided by the token's numbers, too, while it is here. Of several fair rules for
//! the next node we take the order of numbers.

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, others_after};
use crate::protocol::{Env, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// I want the token: my request of this number. Request 0 only says that I may have the token.
    Request(u64),
    /// Here it is.
    Token(Box<Token>),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// The state of a node, as itself or another sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Status {
    /// Requesting: it waits for the token.
    R,
    /// Executing: it is inside.
    E,
    /// Holding the token, idle.
    H,
    /// None of these.
    N,
}

use Status::{E, H, N, R};

/// What gives the right to enter. It knows everyone's state as of the last request it has met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Token {
    /// Whether each node waits.
    pub tsv: Vec<Status>,
    /// The number of each node's last request that the token knows.
    pub tsn: Vec<u64>,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Singhal {
    me: NodeId,
    /// The state of each node: our own is right, those of others are R or N and a guess.
    /// While we are H, no other is R.
    sv: Vec<Status>,
    /// The number of each node's last request that we know.
    sn: Vec<u64>,
    /// Here exactly while our own state is E or H.
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
                } // Else it is doubled, or none of ours.
            }
        }
    }

    /// Those who may have the token: they were asked.
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
            // Old. We would not remember the sender, so it has to remember us.
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
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::Recorder;
    use crate::protocol::{Effect, Input};

    fn node(me: u32, nodes: u32) -> (Singhal, Recorder<Singhal>) {
        (Singhal::new(NodeId(me), nodes), Recorder::default())
    }

    fn token(tsv: [Status; 3], tsn: [u64; 3]) -> Msg {
        Msg::Token(Box::new(Token { tsv: tsv.to_vec(), tsn: tsn.to_vec() }))
    }

    /// Node 1 of three, inside, having asked node 0 once.
    fn inside(tsn: [u64; 3]) -> (Singhal, Recorder<Singhal>) {
        let (mut node, mut env) = node(1, 3);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), token([N, R, N], tsn), &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1)", "! Granted"]);
        (node, env)
    }

    #[test]
    fn the_holder_enters_without_a_message() {
        let (mut node, mut env) = node(0, 3);
        for _ in 0..2 {
            node.on_command(Command::Acquire, &mut env);
            node.on_command(Command::Release, &mut env);
        }
        assert_eq!(env.lines(), ["! Granted", "! Granted"]);
        assert!(node.has_token());
    }

    #[test]
    fn a_holder_passes_the_token_and_notes_the_request_in_it() {
        let (mut node, mut env) = node(0, 3);
        node.on_message(NodeId(2), Msg::Request(1), &mut env);
        assert_eq!(env.lines(), ["-> 2 Token(Token { tsv: [N, N, R], tsn: [0, 0, 1] })"]);
        assert_eq!(node.sv, [N, N, R]);
        assert!(!node.has_token());
    }

    #[test]
    fn a_waiting_node_asks_those_who_ask_it_and_were_not_asked() {
        let (mut node, mut env) = node(1, 3);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1)"]);
        node.on_message(NodeId(0), Msg::Request(1), &mut env);
        assert!(env.lines().is_empty(), "node 0 was asked");
        node.on_message(NodeId(2), Msg::Request(1), &mut env);
        assert_eq!(env.lines(), ["-> 2 Request(1)"]);
    }

    #[test]
    fn an_old_request_is_not_served_but_answered_by_a_probe() {
        let (mut node, mut env) = inside([0, 1, 4]);
        node.on_message(NodeId(2), Msg::Request(4), &mut env);
        assert_eq!(env.lines(), ["-> 2 Request(0)"], "the token knows request 4");
        node.on_command(Command::Release, &mut env);
        node.on_message(NodeId(2), Msg::Request(4), &mut env);
        assert_eq!(env.lines(), ["-> 2 Request(0)"]);
        node.on_message(NodeId(2), Msg::Request(5), &mut env);
        assert_eq!(env.lines(), ["-> 2 Token(Token { tsv: [N, N, R], tsn: [0, 1, 5] })"]);
    }

    #[test]
    fn a_probe_is_remembered_by_the_idle_and_answered_by_those_who_wait() {
        let (mut node, mut env) = node(1, 3);
        node.on_message(NodeId(2), Msg::Request(0), &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 2 Request(1)", "-> 0 Request(1)"]);
        let (mut node, mut env) = (Singhal::new(NodeId(0), 3), Recorder::default());
        node.on_message(NodeId(1), Msg::Request(1), &mut env);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(2), Msg::Request(0), &mut env);
        assert_eq!(env.lines(), ["-> 2 Request(1)"]);
    }

    #[test]
    fn a_token_out_of_turn_or_out_of_shape_and_commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = node(1, 3);
        let before = node.clone();
        node.on_message(NodeId(0), token([N; 3], [0; 3]), &mut env);
        node.on_command(Command::Release, &mut env);
        assert_eq!(node, before);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        let before = node.clone();
        node.on_command(Command::Acquire, &mut env);
        let short = Token { tsv: vec![N; 2], tsn: vec![0; 3] };
        node.on_message(NodeId(0), Msg::Token(Box::new(short)), &mut env);
        assert_eq!(node, before);
    }

    /// Gives a command and delivers everything, in the order sent; how many messages there were.
    fn play(nodes: &mut [Singhal], node: u32, command: Command) -> u32 {
        let mut inputs = VecDeque::from([(NodeId(node), Input::Command(command))]);
        let mut sent = 0;
        while let Some((me, input)) = inputs.pop_front() {
            let mut env = Recorder::default();
            nodes[me.index()].on(input, &mut env);
            for effect in env.take() {
                if let Effect::Send { to, msg } = effect {
                    sent += 1;
                    inputs.push_back((to, Input::Message { from: me, msg }));
                }
            }
        }
        sent
    }

    /// A column for each node, the last one first, and one for the token.
    fn columns(nodes: &[Singhal]) -> Vec<String> {
        let token = nodes.iter().find_map(|node| node.token.as_ref()).unwrap();
        let row = |j: usize| {
            let guesses: Vec<_> = nodes.iter().rev().map(|node| node.sv[j]).collect();
            format!("{guesses:?} | {:?}", token.tsv[j]).replace(['[', ']', ','], "")
        };
        (0..nodes.len()).rev().map(row).collect()
    }

    /// What all think while the last of `requesters` is inside, and what after it has left.
    fn guesses(requesters: &[u32], messages: u32) -> Vec<String> {
        let mut nodes: Vec<_> = NodeId::all(13).map(|me| Singhal::new(me, 13)).collect();
        let mut sent = 0;
        for &node in requesters {
            sent += play(&mut nodes, node, Command::Acquire);
        }
        let (&last, others) = requesters.split_last().unwrap();
        for &node in others {
            sent += play(&mut nodes, node, Command::Release);
        }
        let inside = columns(&nodes);
        sent += play(&mut nodes, last, Command::Release);
        assert_eq!(sent, messages);
        inside.iter().zip(columns(&nodes)).map(|(a, b)| format!("{a}    {b}")).collect()
    }

    #[test]
    fn guesses_of_a_single_request() {
        let expected = [
            "N N N N N N N N N N N N N | N    N N N N N N N N N N N N N | N",
            "R N N N N N N N N N N N N | N    R N N N N N N N N N N N N | N",
            "R R N N N N N N N N N N N | N    R R N N N N N N N N N N N | N",
            "R R R N N N N N N N N N N | N    R R R N N N N N N N N N N | N",
            "R R R R N N N N N N N N N | N    R R R R N N N N N N N N N | N",
            "R R R R R N N N N N N N N | N    R R R R R N N N N N N N N | N",
            "R R R R R R N N N N N N N | N    R R R R R R N N N N N N N | N",
            "R R R R R R R E R R R R R | R    R R R R R R R H R R R R R | N",
            "R R R R R R R R N N N N N | N    R R R R R R R N N N N N N | N",
            "R R R R R R R R R N N N N | N    R R R R R R R N R N N N N | N",
            "R R R R R R R R R R N N N | N    R R R R R R R N R R N N N | N",
            "R R R R R R R R R R R N N | N    R R R R R R R N R R R N N | N",
            "R R R R R R R R R R R R N | N    R R R R R R R N R R R R N | N",
        ];
        assert_eq!(guesses(&[5], 5 + 1), expected);
    }

    #[test]
    fn guesses_of_four_requests_while_the_first_is_inside() {
        let expected = [
            "N N N N N N N N N N N N N | N    N N N N N N N N N N N N N | N",
            "R N N N N N N N N N N N N | N    R N N N N N N N N N N N N | N",
            "R R N N N N N N N N N N N | N    R R N N N N N N N N N N N | N",
            "R R R N N N N N N N N N N | N    R R R N N N N N N N N N N | N",
            "R R R R N N N N N N N N N | N    R R R R N N N N N N N N N | N",
            "R R R R R E R R R R R R R | R    R R R R R H R R R R R R R | N",
            "R R R R R R N N N N N N N | N    R R R R R N N N N N N N N | N",
            "R R R R R R R N R R R R R | N    R R R R R N R N R R R R R | N",
            "R R R R R R R N N N N N N | N    R R R R R N R N N N N N N | N",
            "R R R R R R R N R N R R R | N    R R R R R N R N R N R R R | N",
            "R R R R R R R N R N N N N | N    R R R R R N R N R N N N N | N",
            "R R R R R R R N R N R N R | N    R R R R R N R N R N R N R | N",
            "R R R R R R R N R N R N N | N    R R R R R N R N R N R N N | N",
        ];
        assert_eq!(guesses(&[1, 3, 5, 7], 16 + 3 + 4), expected);
    }
}
