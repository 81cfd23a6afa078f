//! Visit the nodes of a tree one after the other, and return with the largest id.
//!
//! G. Tel: Introduction to Distributed Algorithms. Cambridge University Press, 1994. There on
//! traversal algorithms and on extinction.
//!
//! # Idea
//!
//! The initiator is the root of the tree: it visits its neighbours one after the other. Each of
//! them does the same with its own other neighbours, and then returns the largest id that was
//! found. When the last one has returned, the root knows the largest id of all, and announces it.
//!
//! With several initiators, the visits carry the ids of their initiators, and a node that takes
//! part in a traversal discards the visits of smaller initiators: only the traversal of the largest
//! initiator completes (extinction). It has visited every node, so the largest id of all wins,
//! whichever nodes started.
//!
//! # Cost
//!
//! Messages: 2(n-1) for one initiator, at most 2k(n-1) for k, and n-1 to announce. A message
//! carries at most two ids.
//!
//! - Time: sequential: one unit per message of the largest initiator to elect, and at most the
//!   diameter to announce.
//! - State: a position in the list of neighbours and three ids.
//!
//! # Assumes
//!
//! A tree with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost message ends the traversal, and with it the election, unless a larger initiator's
//!   traversal is in progress.
//! - Duplication: a duplicate is harmless: a visit or result is recognised and ignored.
//! - Crash: a crash on the path of the traversal ends it, and with it the election, unless a larger
//!   initiator's traversal is in progress.
//!
//! # Differs from the paper
//!
//! Textbooks have one initiator, often as a recursive remote call.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A visit for the initiator with this id: asks for the largest id behind the receiver.
    Visit(Id),
    /// The result for the initiator with the first id: the second is the largest behind the sender.
    Result(Id, Id),
    /// Announces the winner: the node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 12);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TreeTraversal {
    me: Id,
    neighbours: Box<[NodeId]>,
    state: State,
}

const _: () = assert!(size_of::<TreeTraversal>() <= 64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    Visited(Visit),
    Informed,
}

/// The visit of the largest initiator seen so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Visit {
    initiator: Id,
    /// The neighbour that visits us; none at the initiator.
    parent: Option<NodeId>,
    /// The position of the neighbour being visited; past the end when all are visited.
    asked: u32,
    /// The largest id of the neighbours that have returned, and our own.
    largest: Id,
}

impl TreeTraversal {
    /// The node with id `me` and these neighbours.
    pub fn new(me: Id, neighbours: impl IntoIterator<Item = NodeId>) -> Self {
        Self { me, neighbours: neighbours.into_iter().collect(), state: State::Asleep }
    }
}

impl Protocol for TreeTraversal {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            let visit = Visit { initiator: self.me, parent: None, asked: 0, largest: self.me };
            self.visit_next_or_return(visit, env);
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match (msg, self.state) {
            (Msg::Elected(id), _) => self.learn(id, Some(from), env),
            (Msg::Visit(initiator), State::Visited(visit)) if initiator <= visit.initiator => {
                // Extinct, or a duplicate.
            }
            (Msg::Visit(initiator), State::Asleep | State::Visited(_)) => {
                let visit = Visit { initiator, parent: Some(from), asked: 0, largest: self.me };
                self.visit_next_or_return(visit, env);
            }
            (Msg::Result(initiator, largest), State::Visited(visit))
                if initiator == visit.initiator && self.asked(visit) == Some(from) =>
            {
                let (asked, largest) = (visit.asked + 1, visit.largest.max(largest));
                self.visit_next_or_return(Visit { asked, largest, ..visit }, env);
            }
            _ => {} // Extinct, a duplicate, or late.
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Visited(visit) => self.asked(visit).or(visit.parent).into_iter().collect(),
            State::Asleep | State::Informed => NodeSet::new(),
        }
    }
}

impl TreeTraversal {
    fn asked(&self, visit: Visit) -> Option<NodeId> {
        self.neighbours.get(visit.asked as usize).copied()
    }

    fn visit_next_or_return(&mut self, mut visit: Visit, env: &mut impl Env<Self>) {
        if visit.parent.is_some() && self.asked(visit) == visit.parent {
            visit.asked += 1;
        }
        self.state = State::Visited(visit);
        match (self.asked(visit), visit.parent) {
            (Some(next), _) => env.send(next, Msg::Visit(visit.initiator)),
            (None, Some(parent)) => env.send(parent, Msg::Result(visit.initiator, visit.largest)),
            (None, None) => self.learn(visit.largest, None, env),
        }
    }

    fn learn(&mut self, leader: Id, from: Option<NodeId>, env: &mut impl Env<Self>) {
        if self.state == State::Informed {
            return; // A duplicate.
        }
        self.state = State::Informed;
        if leader == self.me {
            env.emit(Event::Elected);
        }
        env.emit(Event::Knows(leader));
        for &other in self.neighbours.iter().filter(|&&other| Some(other) != from) {
            env.send(other, Msg::Elected(leader));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// The node with id 5 and this number of neighbours, from node 1 on.
    fn node(neighbours: u32) -> (TreeTraversal, Recorder<TreeTraversal>) {
        (TreeTraversal::new(Id(5), (1..=neighbours).map(NodeId)), Recorder::default())
    }

    #[test]
    fn the_root_visits_one_after_the_other_and_announces() {
        let (mut root, mut env) = node(2);
        root.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 Visit(5)"]);
        root.on_message(NodeId(1), Msg::Result(Id(5), Id(9)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Visit(5)"]);
        root.on_message(NodeId(2), Msg::Result(Id(5), Id(7)), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 1 Elected(9)", "-> 2 Elected(9)"]);
    }

    #[test]
    fn a_visited_node_skips_its_parent_and_returns_to_it() {
        let (mut node, mut env) = node(3);
        node.on_message(NodeId(2), Msg::Visit(Id(8)), &mut env);
        assert_eq!(env.lines(), ["-> 1 Visit(8)"]);
        assert_eq!(node.waits_for(), [NodeId(1)].into_iter().collect());
        node.on_message(NodeId(1), Msg::Result(Id(8), Id(3)), &mut env);
        assert_eq!(env.lines(), ["-> 3 Visit(8)"]);
        node.on_message(NodeId(3), Msg::Result(Id(8), Id(4)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Result(8, 5)"]);
        node.on_message(NodeId(2), Msg::Elected(Id(9)), &mut env);
        node.on_message(NodeId(2), Msg::Elected(Id(9)), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 1 Elected(9)", "-> 3 Elected(9)"]);
    }

    #[test]
    fn a_larger_initiator_extinguishes_a_smaller_one() {
        let (mut node, mut env) = node(2);
        node.on_command(Command::Start, &mut env);
        env.lines();
        node.on_message(NodeId(1), Msg::Visit(Id(3)), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(2), Msg::Visit(Id(8)), &mut env);
        assert_eq!(env.lines(), ["-> 1 Visit(8)"]);
        node.on_message(NodeId(1), Msg::Result(Id(5), Id(9)), &mut env);
        assert!(env.lines().is_empty(), "our own visit is extinct");
        node.on_message(NodeId(1), Msg::Result(Id(8), Id(3)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Result(8, 5)"]);
    }

    #[test]
    fn duplicates_change_nothing() {
        let (mut node, mut env) = node(3);
        node.on_message(NodeId(1), Msg::Visit(Id(8)), &mut env);
        node.on_message(NodeId(1), Msg::Visit(Id(8)), &mut env);
        node.on_message(NodeId(2), Msg::Result(Id(8), Id(3)), &mut env);
        node.on_message(NodeId(2), Msg::Result(Id(8), Id(3)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Visit(8)", "-> 3 Visit(8)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late to start");
    }

    #[test]
    fn a_node_alone_is_elected_at_once() {
        let (mut node, mut env) = node(0);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "! Elected", "! Knows(5)"]);
    }
}
