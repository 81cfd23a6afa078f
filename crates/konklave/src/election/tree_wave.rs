//! Wake the whole tree, then let its leaves echo inwards: where two echoes meet, all is known.
//!
//! F. Mattern: Verteilte Basisalgorithmen. Springer, 1989. Also G. Tel: Introduction to Distributed
//! Algorithms. Cambridge University Press, 1994.
//!
//! # Idea
//!
//! Three waves cross the tree. Exploration: an initiator, or a node reached for the first time,
//! explores all its other edges. Contraction: a node that has received an echo over all its edges
//! but one sends an echo over that one, with the largest id that it knows; a leaf does so as soon
//! as it is awake. The echoes run towards each other and meet on one edge, whose two ends then know
//! the largest id of all. Information: from there the result spreads outwards.
//!
//! The edge on which they meet depends on the schedule; the largest id does not.
//!
//! # Cost
//!
//! Messages: 3n+k-4, k initiators, always, including the n-2 that announce. That is n+k-2 to
//! explore, n to echo and n-2 to inform; a single node needs none. A message carries one id.
//!
//! - Time: at most the diameter for each of the three waves.
//! - State: a mark per edge.
//!
//! # Assumes
//!
//! A tree with reliable channels, which may reorder messages, and no crashes. Any number of
//! initiators is allowed.
//!
//! - Loss: a lost message leaves the nodes behind it without the result, often all nodes.
//! - Duplication: a duplicate is harmless: an echo counts once per edge.
//! - Crash: a crash disconnects the tree and leaves the nodes behind it without the result, often
//!   all nodes.
//!
//! # Differs from the paper
//!
//! The information wave announces the winner, so it is called `Elected`. A leaf that is an
//! initiator sends its echo as well, which some descriptions omit. An echo that overtakes an
//! explorer wakes its receiver.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Never, Protocol};
use crate::wave::{Edge, Edges};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// An explorer: wakes its receiver.
    Explore,
    /// An echo: the largest id on the sender's side of the edge.
    Echo(Id),
    /// Announces the winner: the node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TreeWave {
    me: Id,
    /// An edge over which an echo came in leads to a [`Child`](Edge::Child); the others are open.
    edges: Edges,
    /// The largest id known here.
    largest: Id,
    state: State,
}

const _: () = assert!(size_of::<TreeWave>() <= 64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// Waits for echoes over all edges but one.
    Awake,
    /// Has sent its echo to this neighbour, and waits for its echo or the result.
    Echoed(NodeId),
    Informed,
}

impl TreeWave {
    /// The node with id `me` and these neighbours.
    pub fn new(me: Id, neighbours: impl IntoIterator<Item = NodeId>) -> Self {
        Self { me, edges: Edges::new(neighbours), largest: me, state: State::Asleep }
    }
}

impl Protocol for TreeWave {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            self.wake_if_asleep(None, env);
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Explore => self.wake_if_asleep(Some(from), env),
            Msg::Echo(id) => self.on_echo(from, id, env),
            Msg::Elected(id) => self.learn(id, Some(from), env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Asleep | State::Informed => NodeSet::new(),
            State::Awake | State::Echoed(_) => self.edges.that_are(Edge::Open).collect(),
        }
    }
}

impl TreeWave {
    fn on_echo(&mut self, from: NodeId, id: Id, env: &mut impl Env<Self>) {
        self.wake_if_asleep(Some(from), env);
        self.edges.set(from, Edge::Child);
        self.largest = self.largest.max(id);
        match self.state {
            // Two echoes have crossed on this edge: together they cover all nodes.
            State::Echoed(to) if to == from => self.learn(self.largest, Some(from), env),
            _ => self.echo_if_one_is_left(env),
        }
    }

    fn wake_if_asleep(&mut self, from: Option<NodeId>, env: &mut impl Env<Self>) {
        if self.state != State::Asleep {
            return; // Another explorer was here before.
        }
        self.state = State::Awake;
        for other in self.edges.neighbours().filter(|&other| Some(other) != from) {
            env.send(other, Msg::Explore);
        }
        self.echo_if_one_is_left(env);
    }

    fn echo_if_one_is_left(&mut self, env: &mut impl Env<Self>) {
        if self.state != State::Awake || self.edges.open() > 1 {
            return;
        }
        match self.edges.next_open(None) {
            Some(last) => {
                self.state = State::Echoed(last);
                env.send(last, Msg::Echo(self.largest));
            }
            None => self.learn(self.me, None, env), // A single node.
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
        for other in self.edges.neighbours().filter(|&other| Some(other) != from) {
            env.send(other, Msg::Elected(leader));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// The node with id 5 and this number of neighbours, from node 1 on.
    fn node(neighbours: u32) -> (TreeWave, Recorder<TreeWave>) {
        (TreeWave::new(Id(5), (1..=neighbours).map(NodeId)), Recorder::default())
    }

    #[test]
    fn a_leaf_echoes_as_soon_as_it_is_awake() {
        let (mut leaf, mut env) = node(1);
        leaf.on_message(NodeId(1), Msg::Explore, &mut env);
        assert_eq!(env.lines(), ["-> 1 Echo(5)"]);
        let (mut initiator, mut env) = node(1);
        initiator.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 Explore", "-> 1 Echo(5)"]);
    }

    #[test]
    fn an_inner_node_echoes_over_the_last_edge() {
        let (mut node, mut env) = node(3);
        node.on_message(NodeId(2), Msg::Explore, &mut env);
        assert_eq!(env.lines(), ["-> 1 Explore", "-> 3 Explore"]);
        node.on_message(NodeId(1), Msg::Echo(Id(9)), &mut env);
        assert!(env.lines().is_empty());
        assert_eq!(node.waits_for(), [2, 3].map(NodeId).into_iter().collect());
        node.on_message(NodeId(2), Msg::Echo(Id(7)), &mut env);
        assert_eq!(env.lines(), ["-> 3 Echo(9)"]);
    }

    #[test]
    fn where_echoes_cross_the_result_is_known() {
        let (mut node, mut env) = node(2);
        node.on_command(Command::Start, &mut env);
        node.on_message(NodeId(1), Msg::Echo(Id(3)), &mut env);
        env.lines();
        node.on_message(NodeId(2), Msg::Echo(Id(4)), &mut env);
        assert_eq!(env.lines(), ["! Elected", "! Knows(5)", "-> 1 Elected(5)"]);
    }

    #[test]
    fn an_echo_that_comes_first_wakes_its_receiver() {
        let (mut node, mut env) = node(2);
        node.on_message(NodeId(1), Msg::Echo(Id(9)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Explore", "-> 2 Echo(9)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late to start");
    }

    #[test]
    fn the_result_is_passed_on_once() {
        let (mut node, mut env) = node(2);
        node.on_message(NodeId(1), Msg::Echo(Id(9)), &mut env);
        env.lines();
        node.on_message(NodeId(2), Msg::Elected(Id(9)), &mut env);
        node.on_message(NodeId(2), Msg::Elected(Id(9)), &mut env);
        node.on_message(NodeId(2), Msg::Echo(Id(8)), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 1 Elected(9)"]);
    }

    #[test]
    fn a_duplicate_echo_does_not_count() {
        let (mut node, mut env) = node(3);
        node.on_command(Command::Start, &mut env);
        env.lines();
        node.on_message(NodeId(1), Msg::Echo(Id(3)), &mut env);
        node.on_message(NodeId(1), Msg::Echo(Id(3)), &mut env);
        assert!(env.lines().is_empty(), "two edges are open");
    }

    #[test]
    fn a_node_alone_is_elected_at_once() {
        let (mut node, mut env) = node(0);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "! Elected", "! Knows(5)"]);
    }
}
