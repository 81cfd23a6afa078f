//! Flood the largest known id: eventually all nodes know it, but no node detects that.
//!
//! F. Mattern: Verteilte Basisalgorithmen. Springer, 1989. There as distributed approximation. Its
//! form with the smallest id finds the root of bridged networks.
//!
//! # Idea
//!
//! An initiator sends its id to all neighbours. A node that receives an id larger than all before
//! forwards it to all its other neighbours, and discards smaller ids (message extinction). When no
//! message is in transit any more, all nodes know the largest id.
//!
//! But no node can detect that moment: many nodes may believe for a long time that they are the
//! leader. So nodes only presume who leads. To detect termination, combine the scheme with echoes,
//! as `echo-extinction` does.
//!
//! A node that is asleep when it receives a smaller id competes (`--wake all`), and the largest id
//! of all wins; or it forwards the id (`--wake relay`), and the largest initiator wins.
//!
//! # Cost
//!
//! Messages: at most k(2m-n+1), k ids in the race. m is the number of edges: an id that reaches
//! every node crosses the edges of a tree once and all others in both directions. A path with
//! ascending ids, all of which start at once, takes exactly (n-1)(n+2)/2. If the ids arrive at a
//! node in random order, it updates its maximum H_k times on average, H_k = 1 + 1/2 + ... + 1/k. A
//! message carries one id. Nothing is announced.
//!
//! - State: one id.
//!
//! # Assumes
//!
//! A connected network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost message may leave some nodes with a smaller id.
//! - Duplication: a duplicate is harmless: it is not larger than the largest id known.
//! - Crash: if the owner of the largest id crashes, the other nodes still presume that it leads.
//!
//! # Differs from the paper
//!
//! An id is not sent back to the neighbour that it came from, which knows it already.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id, Winner};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// The only message between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The largest id that the sender knows.
    Max(Id),
}

const _: () = assert!(size_of::<Msg>() <= 4);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Extinction {
    me: Id,
    neighbours: Box<[NodeId]>,
    winner: Winner,
    /// The largest known id, sent to all neighbours; none while asleep.
    largest: Option<Id>,
}

const _: () = assert!(size_of::<Extinction>() <= 64);

impl Extinction {
    /// The node with id `me` and these neighbours. With [`Winner::Largest`], it competes when a
    /// smaller id wakes it.
    pub fn new(me: Id, neighbours: impl IntoIterator<Item = NodeId>, winner: Winner) -> Self {
        Self { me, neighbours: neighbours.into_iter().collect(), winner, largest: None }
    }
}

impl Protocol for Extinction {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.largest.is_none() {
            env.emit(Event::Started);
            self.spread(self.me, None, env);
        }
    }

    fn on_message(&mut self, from: NodeId, Msg::Max(id): Msg, env: &mut impl Env<Self>) {
        if self.largest.is_none() && self.winner == Winner::Largest && self.me > id {
            self.spread(self.me, None, env);
        } else if self.largest < Some(id) {
            self.spread(id, Some(from), env);
        } // Else it is extinct.
    }
}

impl Extinction {
    fn spread(&mut self, id: Id, from: Option<NodeId>, env: &mut impl Env<Self>) {
        self.largest = Some(id);
        env.emit(Event::Presumes(id));
        for &other in self.neighbours.iter().filter(|&&other| Some(other) != from) {
            env.send(other, Msg::Max(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// The node with id 5 between nodes 1 and 2.
    fn node(winner: Winner) -> (Extinction, Recorder<Extinction>) {
        (Extinction::new(Id(5), [1, 2].map(NodeId), winner), Recorder::default())
    }

    #[test]
    fn an_initiator_tells_all_neighbours() {
        let (mut node, mut env) = node(Winner::Largest);
        node.on_command(Command::Start, &mut env);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "! Presumes(5)", "-> 1 Max(5)", "-> 2 Max(5)"]);
    }

    #[test]
    fn only_larger_ids_are_passed_on_and_not_back() {
        let (mut node, mut env) = node(Winner::Largest);
        node.on_message(NodeId(1), Msg::Max(Id(8)), &mut env);
        assert_eq!(env.lines(), ["! Presumes(8)", "-> 2 Max(8)"]);
        node.on_message(NodeId(2), Msg::Max(Id(7)), &mut env);
        node.on_message(NodeId(2), Msg::Max(Id(8)), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(2), Msg::Max(Id(9)), &mut env);
        assert_eq!(env.lines(), ["! Presumes(9)", "-> 1 Max(9)"]);
    }

    #[test]
    fn a_larger_sleeper_competes_or_relays() {
        let (mut rival, mut env) = node(Winner::Largest);
        rival.on_message(NodeId(1), Msg::Max(Id(3)), &mut env);
        assert_eq!(env.lines(), ["! Presumes(5)", "-> 1 Max(5)", "-> 2 Max(5)"]);
        let (mut relay, mut env) = node(Winner::LargestInitiator);
        relay.on_message(NodeId(1), Msg::Max(Id(3)), &mut env);
        assert_eq!(env.lines(), ["! Presumes(3)", "-> 2 Max(3)"]);
        relay.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late to start");
    }
}
