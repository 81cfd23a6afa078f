//! Leader election: from a symmetric start, exactly one node is chosen, and all learn which.
//!
//! [`Command::Start`] makes a node an initiator, if the election has not reached it yet; it is told
//! [`Event::Started`] then. Nodes compare unique [`Id`]s, which are not their
//! addresses. The winner tells its application [`Event::Elected`]; every node, the winner too, is
//! told [`Event::Knows`] with the winner's id. In every algorithm here the message that announces
//! the result is called `Elected`: its cost is reported apart from the cost of electing.
//!
//! Promises:
//! - **one leader**: at no moment two nodes are leaders;
//! - **the right leader**: the winner is the one that the algorithm promises, see [`Winner`];
//! - **agreement**: nobody is told a wrong winner;
//! - **termination**: in the end there is a leader, and every node knows it.

pub mod chang_roberts;

use std::fmt::{self, Debug, Display};

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::protocol::{self, Broken, Verdict};

/// What nodes are compared by. Unique; the largest wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(pub u32);

impl Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

/// What an application asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// To start an election.
    Start,
}

/// What an application is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// This node takes part as an initiator: its application's start came in time.
    Started,
    /// This node is the leader now.
    Elected,
    /// The leader is the node with this id.
    Knows(Id),
}

/// Which node an algorithm promises to elect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// The largest id of all nodes.
    Largest,
    /// The largest id among those that started the election.
    LargestInitiator,
}

/// Watches one election by any algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    ids: Vec<Id>,
    winner: Winner,
    /// The largest id that may win, as far as is known.
    largest: Option<Id>,
    leader: Option<NodeId>,
    /// Who has been told the leader, or needs not be told any more.
    informed: Vec<bool>,
}

impl Monitor {
    /// A monitor for nodes with these ids; `winner` is what the algorithm promises.
    pub fn new(ids: Vec<Id>, winner: Winner) -> Self {
        let largest = match winner {
            Winner::Largest => ids.iter().max().copied(),
            Winner::LargestInitiator => None,
        };
        Self { largest, winner, leader: None, informed: vec![false; ids.len()], ids }
    }

    /// The leader, once there is one.
    pub fn leader(&self) -> Option<NodeId> {
        self.leader
    }
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, _node: NodeId, _command: &Command) -> Verdict {
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Verdict {
        match event {
            Event::Started => {
                if self.winner == Winner::LargestInitiator {
                    self.largest = self.largest.max(Some(self.ids[node.index()]));
                }
            }
            Event::Elected => {
                let id = self.ids[node.index()];
                if let Some(other) = self.leader {
                    let detail = format!("node {node} is elected, and so is node {other}");
                    return Broken::promise("one leader", detail);
                }
                if let Some(largest) = self.largest.filter(|&largest| largest != id) {
                    let detail = format!("node {node} wins with id {id}, not {largest}");
                    return Broken::promise("the right leader", detail);
                }
                self.leader = Some(node);
            }
            Event::Knows(id) => {
                let leader = self.leader.map(|leader| self.ids[leader.index()]);
                if leader != Some(*id) {
                    let detail = match leader {
                        Some(leader) => format!("node {node} hears of {id}, not of {leader}"),
                        None => format!("node {node} hears of {id}, but nobody is elected"),
                    };
                    return Broken::promise("agreement", detail);
                }
                self.informed[node.index()] = true;
            }
        }
        Ok(())
    }

    /// A crashed node needs to know nothing; whether it may have been the leader is not judged.
    fn on_crash(&mut self, node: NodeId) -> Verdict {
        self.informed[node.index()] = true;
        Ok(())
    }

    fn at_rest(&self) -> Verdict {
        if self.leader.is_none() {
            return Broken::promise("termination", "the election ended without a leader");
        }
        match self.informed.iter().position(|informed| !informed) {
            Some(node) => {
                let detail = format!("node {node} never learns who is the leader");
                Broken::promise("termination", detail)
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Monitor as _;

    fn monitor(winner: Winner) -> Monitor {
        Monitor::new([Id(5), Id(9), Id(7)].to_vec(), winner)
    }

    #[test]
    fn the_largest_wins_and_all_learn_it() {
        let mut monitor = monitor(Winner::Largest);
        monitor.on_event(NodeId(0), &Event::Started).unwrap();
        monitor.on_event(NodeId(1), &Event::Elected).unwrap();
        for node in NodeId::all(3) {
            assert_eq!(monitor.at_rest().unwrap_err().promise, "termination");
            monitor.on_event(node, &Event::Knows(Id(9))).unwrap();
        }
        monitor.at_rest().unwrap();
    }

    #[test]
    fn a_second_leader_is_noticed() {
        let mut monitor = monitor(Winner::Largest);
        monitor.on_event(NodeId(1), &Event::Elected).unwrap();
        let broken = monitor.on_event(NodeId(2), &Event::Elected).unwrap_err();
        assert_eq!(broken.to_string(), "one leader: node 2 is elected, and so is node 1");
    }

    #[test]
    fn the_wrong_winner_is_noticed() {
        let broken = monitor(Winner::Largest).on_event(NodeId(2), &Event::Elected).unwrap_err();
        assert_eq!(broken.to_string(), "the right leader: node 2 wins with id 7, not 9");
    }

    #[test]
    fn among_initiators_only_they_count() {
        let mut monitor = monitor(Winner::LargestInitiator);
        monitor.on_event(NodeId(0), &Event::Started).unwrap();
        monitor.on_event(NodeId(2), &Event::Started).unwrap();
        assert!(monitor.clone().on_event(NodeId(1), &Event::Elected).is_err());
        monitor.on_event(NodeId(2), &Event::Elected).unwrap();
    }

    #[test]
    fn a_rumour_is_noticed() {
        let mut monitor = monitor(Winner::Largest);
        let broken = monitor.on_event(NodeId(0), &Event::Knows(Id(9))).unwrap_err();
        assert_eq!(broken.to_string(), "agreement: node 0 hears of 9, but nobody is elected");
        monitor.on_event(NodeId(1), &Event::Elected).unwrap();
        assert!(monitor.on_event(NodeId(0), &Event::Knows(Id(7))).is_err());
    }

    #[test]
    fn an_election_without_a_result_is_noticed() {
        let broken = monitor(Winner::Largest).at_rest().unwrap_err();
        assert_eq!(broken.to_string(), "termination: the election ended without a leader");
    }
}
