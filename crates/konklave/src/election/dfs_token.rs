//! A token traverses the network depth first and returns with the largest id.
//!
//! G. Tel: Introduction to Distributed Algorithms. Cambridge University Press, 1994. There as
//! Tarry's traversal, depth first, and on extinction.
//!
//! # Idea
//!
//! The token goes down over an unused edge. At a node that it visits for the first time it
//! continues; a node that it has visited before bounces it back. A node whose edges are all used
//! sends it back to its parent, the node from which the token came first. When all edges of the
//! initiator are used, the token has visited every node; it has collected the largest id, and the
//! initiator announces it.
//!
//! With several initiators, the tokens carry the ids of their initiators, and a node that was
//! visited by one discards the tokens of smaller initiators: only the token of the largest
//! initiator returns (extinction). It has visited every node, so the largest id of all wins,
//! whichever nodes started.
//!
//! # Cost
//!
//! Messages: 2m for one initiator, at most 2km for k, and n-1 to announce. m is the number of
//! edges; a token crosses each exactly twice. It carries two ids.
//!
//! - Time: sequential: one unit per message.
//! - State: a mark per edge.
//!
//! # Assumes
//!
//! A connected network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost token ends the traversal, and with it the election, unless a larger initiator's
//!   token is still travelling.
//! - Duplication: a duplicate is harmless: a token is recognised and discarded.
//! - Crash: a crash on the path of the token ends the traversal, and with it the election, unless a
//!   larger initiator's token is still travelling.
//!
//! # Differs from the paper
//!
//! Some descriptions stop when the token returns over the first edge. That misses the nodes behind
//! the other edges if the initiator is a cut vertex.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Never, Protocol};
use crate::wave::{Edge, Edges};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The token goes down over an unused edge.
    Down(Token),
    /// The token returns from a child: a node that it visited for the first time.
    Back(Token),
    /// The token returns from a node that it had visited before.
    Bounce(Token),
    /// Announces the winner: the node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 12);

/// What the token carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Token {
    /// The id of its initiator.
    pub initiator: Id,
    /// The largest id of the nodes visited.
    pub largest: Id,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DfsToken {
    me: Id,
    /// Unused edges are open.
    edges: Edges,
    state: State,
}

const _: () = assert!(size_of::<DfsToken>() <= 64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    Visited(Visit),
    Informed,
}

/// The visit of the largest initiator's token seen so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Visit {
    initiator: Id,
    /// The neighbour from which the token came first; none at the initiator.
    parent: Option<NodeId>,
    /// The neighbour to which the token went down. All edges before it are used.
    pending: Option<NodeId>,
}

impl DfsToken {
    /// The node with id `me` and these neighbours.
    pub fn new(me: Id, neighbours: impl IntoIterator<Item = NodeId>) -> Self {
        Self { me, edges: Edges::new(neighbours), state: State::Asleep }
    }
}

impl Protocol for DfsToken {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            let visit = Visit { initiator: self.me, parent: None, pending: None };
            self.advance(visit, self.me, env);
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Down(token) => self.on_down(from, token, env),
            Msg::Back(token) => self.on_return(from, token, Edge::Child, env),
            Msg::Bounce(token) => self.on_return(from, token, Edge::Frond, env),
            Msg::Elected(id) => self.learn(id, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Visited(visit) => visit.pending.or(visit.parent).into_iter().collect(),
            State::Asleep | State::Informed => NodeSet::new(),
        }
    }
}

impl DfsToken {
    fn on_down(&mut self, from: NodeId, token: Token, env: &mut impl Env<Self>) {
        match self.state {
            State::Informed => {}                                            // Late.
            State::Visited(visit) if token.initiator < visit.initiator => {} // Extinct.
            State::Visited(visit) if token.initiator == visit.initiator => {
                if visit.parent == Some(from) {
                    return; // A duplicate.
                }
                if self.edges.get(from) == Some(Edge::Open) {
                    self.edges.set(from, Edge::Frond);
                }
                env.send(from, Msg::Bounce(token));
            }
            State::Asleep | State::Visited(_) => {
                self.edges.reset();
                self.edges.set(from, Edge::Parent);
                let Token { initiator, largest } = token;
                let visit = Visit { initiator, parent: Some(from), pending: None };
                self.advance(visit, largest, env);
            }
        }
    }

    /// The token has returned over its last edge, which is of this kind.
    fn on_return(&mut self, from: NodeId, token: Token, edge: Edge, env: &mut impl Env<Self>) {
        match self.state {
            State::Visited(visit)
                if visit.initiator == token.initiator && visit.pending == Some(from) =>
            {
                self.edges.set(from, edge);
                self.advance(visit, token.largest, env);
            }
            _ => {} // Extinct, or a duplicate.
        }
    }

    /// Sends the token down over the next unused edge, or back to the parent if none is left.
    fn advance(&mut self, visit: Visit, largest: Id, env: &mut impl Env<Self>) {
        let pending = self.edges.next_open(visit.pending);
        self.state = State::Visited(Visit { pending, ..visit });
        let token = Token { initiator: visit.initiator, largest: largest.max(self.me) };
        match (pending, visit.parent) {
            (Some(next), _) => env.send(next, Msg::Down(token)),
            (None, Some(parent)) => env.send(parent, Msg::Back(token)),
            (None, None) => self.learn(token.largest, env),
        }
    }

    fn learn(&mut self, leader: Id, env: &mut impl Env<Self>) {
        if self.state == State::Informed {
            return; // A duplicate.
        }
        self.state = State::Informed;
        if leader == self.me {
            env.emit(Event::Elected);
        }
        env.emit(Event::Knows(leader));
        for child in self.edges.that_are(Edge::Child) {
            env.send(child, Msg::Elected(leader));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// The node with id 5 and this number of neighbours, from node 1 on.
    fn node(neighbours: u32) -> (DfsToken, Recorder<DfsToken>) {
        (DfsToken::new(Id(5), (1..=neighbours).map(NodeId)), Recorder::default())
    }

    fn token(initiator: u32, largest: u32) -> Token {
        Token { initiator: Id(initiator), largest: Id(largest) }
    }

    const START: [&str; 2] = ["! Started", "-> 1 Down(Token { initiator: 5, largest: 5 })"];

    #[test]
    fn the_initiator_uses_all_its_edges_before_it_decides() {
        let (mut node, mut env) = node(3);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), START);
        node.on_message(NodeId(1), Msg::Back(token(5, 9)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Down(Token { initiator: 5, largest: 9 })"]);
        node.on_message(NodeId(3), Msg::Down(token(5, 9)), &mut env);
        assert_eq!(env.lines(), ["-> 3 Bounce(Token { initiator: 5, largest: 9 })"]);
        node.on_message(NodeId(2), Msg::Back(token(5, 9)), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 1 Elected(9)", "-> 2 Elected(9)"]);
    }

    #[test]
    fn a_visited_node_goes_on_and_returns_to_its_parent() {
        let (mut node, mut env) = node(3);
        node.on_message(NodeId(2), Msg::Down(token(8, 8)), &mut env);
        assert_eq!(env.lines(), ["-> 1 Down(Token { initiator: 8, largest: 8 })"]);
        assert_eq!(node.waits_for(), [NodeId(1)].into_iter().collect());
        node.on_message(NodeId(1), Msg::Bounce(token(8, 8)), &mut env);
        assert_eq!(env.lines(), ["-> 3 Down(Token { initiator: 8, largest: 8 })"]);
        node.on_message(NodeId(3), Msg::Back(token(8, 9)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Back(Token { initiator: 8, largest: 9 })"]);
        node.on_message(NodeId(2), Msg::Elected(Id(9)), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 3 Elected(9)"]);
    }

    #[test]
    fn a_larger_initiator_extinguishes_a_smaller_one() {
        let (mut node, mut env) = node(2);
        node.on_command(Command::Start, &mut env);
        env.lines();
        node.on_message(NodeId(2), Msg::Down(token(3, 9)), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(1), Msg::Down(token(8, 8)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Down(Token { initiator: 8, largest: 8 })"]);
        node.on_message(NodeId(1), Msg::Back(token(5, 9)), &mut env);
        assert!(env.lines().is_empty(), "our own token is extinct");
    }

    #[test]
    fn duplicate_tokens_are_discarded() {
        let (mut node, mut env) = node(3);
        node.on_message(NodeId(1), Msg::Down(token(8, 8)), &mut env);
        env.lines();
        node.on_message(NodeId(1), Msg::Down(token(8, 8)), &mut env);
        assert!(env.lines().is_empty(), "a bounce would pass for the token's return");
        node.on_message(NodeId(2), Msg::Back(token(8, 8)), &mut env);
        node.on_message(NodeId(3), Msg::Bounce(token(8, 8)), &mut env);
        env.lines();
        node.on_message(NodeId(2), Msg::Back(token(8, 8)), &mut env);
        node.on_message(NodeId(3), Msg::Bounce(token(8, 8)), &mut env);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn a_node_alone_is_elected_at_once() {
        let (mut node, mut env) = node(0);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "! Elected", "! Knows(5)"]);
    }
}
