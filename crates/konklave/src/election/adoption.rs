//! Larger waves adopt the trees of smaller ones instead of exploring them again.
//!
//! Taught in lectures. On elections in arbitrary networks: F. Mattern: Verteilte Basisalgorithmen.
//! Springer, 1989.
//!
//! # Idea
//!
//! Every initiator starts an echo wave with its id. Where a larger wave meets a node of a smaller
//! one, it adopts the node: the node takes the sender as its parent and tells its former parent,
//! and so on up to the former root. All other edges stay as they are; subtrees that have echoed are
//! complete and are inherited. A node stores the `mark` of each edge, the last id that it has sent
//! over it. When x arrives, and `best` is the largest id that the node knows:
//!
//! 1. x = mark: both ends are in the same wave, the edge is a frond;
//! 2. x < mark: ignored, our larger explorer is in transit;
//! 3. mark < x ≤ best: the node answers with `best`; if that is x (3a), the edge is a frond, as in
//!    1, otherwise (3b) it is open until the other end has answered;
//! 4. best < x: the node is adopted.
//!
//! A node without open edges echoes to its parent; the only remaining root is elected.
//!
//! # Cost
//!
//! Messages: at most (k+1)m to explore, n-1 to echo and n-1 to announce. m is the number of edges,
//! k of initiators. At least 2m-n+k explorers are sent, for one initiator exactly 2m-n+1. With many
//! initiators on a dense network that is about half of `echo-extinction`. A message carries one id.
//!
//! - State: an id and a mark per edge.
//!
//! # Assumes
//!
//! A connected network with reliable channels, which may reorder messages, and no crashes. The
//! largest initiator wins.
//!
//! - Loss: a lost explorer or echo blocks the election; a lost announcement leaves the nodes behind
//!   it without the result.
//! - Duplication: a duplicate is harmless: the state of its edge tells it, and it is ignored.
//! - Crash: a crash blocks the election, or leaves the nodes behind it without the result.
//!
//! # Differs from the paper
//!
//! In case 3b lectures answer with x. Then the other end takes the edge for a frond, and a smaller
//! wave may decide: on the path 2-1-3, all of which start, node 2. A node that is reached for the
//! first time explores all its other edges, and a former root has no former parent to tell.

use std::cmp::Ordering::{Equal, Greater, Less};

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Never, Protocol};
use crate::wave::{Edge, Edges};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// An explorer: the sender is in the wave of this initiator.
    Explore(Id),
    /// An echo: the subtree of the sender is complete, in the wave of this initiator.
    Echo(Id),
    /// Announces the winner: the node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Adoption {
    me: Id,
    edges: Edges,
    /// The id of the last explorer sent over each edge; marks only grow.
    marks: Box<[Option<Id>]>,
    state: State,
}

const _: () = assert!(size_of::<Adoption>() <= 64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    Exploring(Wave),
    /// Has echoed. No wave adopts the node any more: its subtree is complete (sealed).
    Echoed(Wave),
    Informed,
}

/// The largest wave known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Wave {
    best: Id,
    /// The neighbour from which it came; none at its initiator.
    parent: Option<NodeId>,
}

impl Adoption {
    /// The node with id `me` and these neighbours.
    pub fn new(me: Id, neighbours: impl IntoIterator<Item = NodeId>) -> Self {
        let edges = Edges::new(neighbours);
        let marks = edges.neighbours().map(|_| None).collect();
        Self { me, edges, marks, state: State::Asleep }
    }
}

impl Protocol for Adoption {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            self.explore(Wave { best: self.me, parent: None }, env);
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let Some(place) = self.edges.place(from) else { return }; // Not a neighbour.
        match msg {
            Msg::Explore(x) => self.on_explore(from, place, x, env),
            Msg::Echo(x) => {
                // Else it is late: a larger explorer has reopened the edge.
                if self.marks[place] == Some(x) && self.edges.get(from) == Some(Edge::Open) {
                    self.edges.set(from, Edge::Child);
                    self.echo_if_all_closed(env);
                }
            }
            Msg::Elected(id) => self.learn(id, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Exploring(_) => self.edges.that_are(Edge::Open).collect(),
            State::Asleep | State::Echoed(_) | State::Informed => NodeSet::new(),
        }
    }
}

impl Adoption {
    fn on_explore(&mut self, from: NodeId, place: usize, x: Id, env: &mut impl Env<Self>) {
        let Wave { best, parent } = match self.state {
            State::Asleep => return self.explore(Wave { best: x, parent: Some(from) }, env),
            State::Exploring(wave) | State::Echoed(wave) => wave,
            State::Informed => return, // Late.
        };
        if parent == Some(from) && x <= best {
            return; // A duplicate: the edge to the parent is never a frond.
        }
        match (Some(x).cmp(&self.marks[place]), x.cmp(&best)) {
            (Equal, _) => self.edges.set(from, Edge::Frond), // 1
            (Less, _) => {}                                  // 2
            (Greater, Equal) => {
                self.send_explorer(from, x, env); // 3a
                self.edges.set(from, Edge::Frond);
            }
            (Greater, Less) => self.send_explorer(from, best, env), // 3b
            (Greater, Greater) => {
                self.state = State::Exploring(Wave { best: x, parent: Some(from) }); // 4
                if let Some(former) = parent.filter(|&former| former != from) {
                    self.send_explorer(former, x, env);
                }
                self.edges.set(from, Edge::Parent);
            }
        }
        self.echo_if_all_closed(env);
    }

    /// Takes part for the first time: explores all edges but the one to its parent.
    fn explore(&mut self, wave: Wave, env: &mut impl Env<Self>) {
        self.state = State::Exploring(wave);
        if let Some(parent) = wave.parent {
            self.edges.set(parent, Edge::Parent);
        }
        for (other, mark) in self.edges.neighbours().zip(&mut self.marks) {
            if Some(other) != wave.parent {
                *mark = Some(wave.best);
                env.send(other, Msg::Explore(wave.best));
            }
        }
        self.echo_if_all_closed(env);
    }

    /// Sends an explorer; the edge is open until the other end has answered.
    fn send_explorer(&mut self, to: NodeId, id: Id, env: &mut impl Env<Self>) {
        self.edges.set(to, Edge::Open);
        if let Some(place) = self.edges.place(to) {
            self.marks[place] = Some(id);
            env.send(to, Msg::Explore(id));
        }
    }

    fn echo_if_all_closed(&mut self, env: &mut impl Env<Self>) {
        let State::Exploring(wave) = self.state else { return };
        if self.edges.open() > 0 {
            return;
        }
        match wave.parent {
            Some(parent) => {
                self.state = State::Echoed(wave);
                env.send(parent, Msg::Echo(wave.best));
            }
            None => self.learn(self.me, env),
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
mod tests;
