//! Broadcast with feedback: explorers flood the network, and echoes return along a spanning tree.
//!
//! E. J. H. Chang: Echo algorithms: depth parallel operations on general graphs. IEEE Transactions
//! on Software Engineering SE-8 (4), 1982. Also A. Segall: Distributed network protocols. IEEE
//! Transactions on Information Theory IT-29 (1), 1983.
//!
//! # Idea
//!
//! The initiator sends an explorer over each of its edges. A node that is reached for the first
//! time stores the sender as its parent, and explores all its other edges. Explorers that cross on
//! an edge answer each other: that edge is not in the tree. A node that has received a message over
//! every edge sends an echo to its parent, with the largest value that it knows; when the initiator
//! has received a message over every edge, it decides. By then the parents form a spanning tree.
//!
//! # Cost
//!
//! Messages: 2m, one over every edge in each direction. m is the number of edges.
//!
//! - Time: 2e or 2e+1 to decide, e the distance from the initiator to the farthest node, with
//!   delays of T.
//!
//! # Assumes
//!
//! A connected network with reliable channels, which may reorder messages, no crashes, and one
//! initiator: two would take each other's explorers for answers, and both decide too early.
//!
//! - Loss: a lost message blocks the wave.
//! - Duplication: a duplicate is harmless: a message counts once per edge.
//! - Crash: a crash blocks the wave.
//!
//! # Differs from the paper
//!
//! Explorers carry information that every node learns, and echoes collect the largest value.

use serde::{Deserialize, Serialize};

use super::{Edge, Edges};
use crate::protocol::{Data, Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<I, V> {
    /// An explorer, with the information of the wave.
    Explore(I),
    /// An echo: the subtree of the sender is complete, and this is its largest value.
    Echo(V),
}

/// A command of the application to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command<I> {
    /// Start the wave, with this information for all nodes.
    Start(I),
}

/// An event that a node reports to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event<V> {
    /// At the initiator: every node has taken part, and this is the largest value.
    Decided(V),
}

/// One node of the wave, which broadcasts an `I` and collects the largest `V`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Echo<I, V> {
    edges: Edges,
    /// The largest value known here, initially our own.
    value: V,
    state: State<I>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State<I> {
    Asleep,
    /// The information came from `parent`; none at the initiator.
    Exploring {
        information: I,
        parent: Option<NodeId>,
    },
    /// The node has echoed or decided.
    Done {
        information: I,
    },
}

impl<I, V> Echo<I, V> {
    /// The node with these neighbours and this value.
    pub fn new(neighbours: impl IntoIterator<Item = NodeId>, value: V) -> Self {
        Self { edges: Edges::new(neighbours), value, state: State::Asleep }
    }

    /// Resets the node, with this value, for a wave that replaces the last one.
    pub fn renew(&mut self, value: V) {
        self.edges.reset();
        self.value = value;
        self.state = State::Asleep;
    }

    /// The information of the wave; none while it has not reached this node.
    pub fn information(&self) -> Option<&I> {
        match &self.state {
            State::Asleep => None,
            State::Exploring { information, .. } | State::Done { information } => Some(information),
        }
    }

    /// The nodes that have echoed to this one: its children in the tree.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.edges.that_are(Edge::Child)
    }
}

impl<I: Data, V: Data> Protocol for Echo<I, V> {
    type Msg = Msg<I, V>;
    type Timer = Never;
    type Command = Command<I>;
    type Event = Event<V>;

    fn on_command(&mut self, Command::Start(information): Command<I>, env: &mut impl Env<Self>) {
        if matches!(self.state, State::Asleep) {
            self.join(information, None, env);
            self.echo_if_all_heard(env);
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg<I, V>, env: &mut impl Env<Self>) {
        let is_news = self.edges.get(from) == Some(Edge::Open); // Else a duplicate.
        match (msg, &self.state) {
            (Msg::Explore(information), State::Asleep) => self.join(information, Some(from), env),
            (Msg::Explore(_), State::Exploring { .. }) if is_news => {
                self.edges.set(from, Edge::Frond);
            }
            (Msg::Echo(value), State::Exploring { .. }) if is_news => {
                self.edges.set(from, Edge::Child);
                if value > self.value {
                    self.value = value;
                }
            }
            _ => {} // Late.
        }
        self.echo_if_all_heard(env);
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Exploring { .. } => self.edges.that_are(Edge::Open).collect(),
            State::Asleep | State::Done { .. } => NodeSet::new(),
        }
    }
}

impl<I: Data, V: Data> Echo<I, V> {
    fn join(&mut self, information: I, parent: Option<NodeId>, env: &mut impl Env<Self>) {
        if let Some(parent) = parent {
            self.edges.set(parent, Edge::Parent);
        }
        for other in self.edges.that_are(Edge::Open) {
            env.send(other, Msg::Explore(information.clone()));
        }
        self.state = State::Exploring { information, parent };
    }

    fn echo_if_all_heard(&mut self, env: &mut impl Env<Self>) {
        let State::Exploring { information, parent } = &self.state else { return };
        if self.edges.open() > 0 {
            return;
        }
        match parent {
            Some(parent) => env.send(*parent, Msg::Echo(self.value.clone())),
            None => env.emit(Event::Decided(self.value.clone())),
        }
        self.state = State::Done { information: information.clone() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    type Node = Echo<u32, u32>;

    /// A node with value 5 between nodes 1, 2 and 3.
    fn node() -> (Node, Recorder<Node>) {
        (Echo::new([1, 2, 3].map(NodeId), 5), Recorder::default())
    }

    #[test]
    fn the_initiator_asks_all_and_decides_when_all_have_answered() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start(8), &mut env);
        assert_eq!(env.lines(), ["-> 1 Explore(8)", "-> 2 Explore(8)", "-> 3 Explore(8)"]);
        node.on_message(NodeId(1), Msg::Echo(9), &mut env);
        node.on_message(NodeId(2), Msg::Explore(8), &mut env);
        assert!(env.lines().is_empty());
        assert_eq!(node.waits_for(), [NodeId(3)].into_iter().collect());
        node.on_message(NodeId(3), Msg::Echo(4), &mut env);
        assert_eq!(env.lines(), ["! Decided(9)"]);
        assert!(node.children().eq([NodeId(1), NodeId(3)]));
        assert!(node.waits_for().is_empty());
    }

    #[test]
    fn other_nodes_explore_on_and_echo_to_their_parent() {
        let (mut node, mut env) = node();
        node.on_message(NodeId(2), Msg::Explore(8), &mut env);
        assert_eq!(env.lines(), ["-> 1 Explore(8)", "-> 3 Explore(8)"]);
        assert_eq!(node.information(), Some(&8));
        node.on_message(NodeId(1), Msg::Explore(8), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(3), Msg::Echo(4), &mut env);
        assert_eq!(env.lines(), ["-> 2 Echo(5)"]);
    }

    #[test]
    fn duplicates_do_not_count_as_answers() {
        let (mut node, mut env) = node();
        node.on_message(NodeId(2), Msg::Explore(8), &mut env);
        node.on_message(NodeId(1), Msg::Echo(4), &mut env);
        env.lines();
        let before = node.clone();
        node.on_message(NodeId(2), Msg::Explore(8), &mut env);
        node.on_message(NodeId(1), Msg::Echo(4), &mut env);
        assert!(env.lines().is_empty(), "node 3 is still silent");
        assert_eq!(node, before);
        node.on_message(NodeId(3), Msg::Explore(8), &mut env);
        assert_eq!(env.lines(), ["-> 2 Echo(5)"]);
        node.on_message(NodeId(3), Msg::Explore(8), &mut env);
        assert!(env.lines().is_empty(), "it echoes once");
    }

    #[test]
    fn a_node_alone_decides_at_once_and_once() {
        let mut node = Node::new([], 5);
        let mut env = Recorder::default();
        node.on_command(Command::Start(8), &mut env);
        node.on_command(Command::Start(8), &mut env);
        assert_eq!(env.lines(), ["! Decided(5)"]);
    }

    #[test]
    fn a_renewed_node_has_forgotten_everything() {
        let (mut node, mut env) = node();
        node.on_message(NodeId(2), Msg::Explore(8), &mut env);
        node.on_message(NodeId(1), Msg::Echo(9), &mut env);
        node.renew(5);
        assert_eq!(node, self::node().0);
    }

    #[test]
    fn an_echo_before_the_wave_does_not_count() {
        let (mut node, mut env) = node();
        node.on_message(NodeId(1), Msg::Echo(9), &mut env);
        assert!(env.lines().is_empty());
        assert_eq!(node, self::node().0);
    }
}
