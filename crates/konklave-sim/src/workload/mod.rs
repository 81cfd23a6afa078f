//! What applications do: who asks for what, when, and what is measured about it.

mod times;

use std::collections::BTreeSet;
use std::fmt::{self, Debug, Display};
use std::str::FromStr;

use konklave::NodeId;
use konklave::protocol::Data;
use serde::Serialize;

use crate::metrics::Messages;
use crate::random::Random;
pub use times::{Distribution, Spread, Times};

/// The applications of all nodes together: they see what nodes tell them and give commands.
pub trait Workload {
    /// What applications ask for.
    type Command: Data;
    /// What they are told.
    type Event: Data;
    /// What it measures.
    type Report: Clone + Debug + Serialize;

    /// All nodes have started; time is zero.
    fn on_start(&mut self, agenda: &mut Agenda<'_, Self::Command>);

    /// A command reaches its node.
    fn on_command(
        &mut self,
        _node: NodeId,
        _command: &Self::Command,
        _agenda: &mut Agenda<'_, Self::Command>,
    ) {
    }

    /// A node tells its application something.
    fn on_event(
        &mut self,
        node: NodeId,
        event: &Self::Event,
        agenda: &mut Agenda<'_, Self::Command>,
    );

    /// No message is in transit and no event is planned: the run ends unless a command is given.
    fn on_rest(&mut self, _agenda: &mut Agenda<'_, Self::Command>) {}

    /// A self-stabilising system has been legal for as long as was asked for, and nothing is
    /// [open](Self::is_idle): the run ends unless a command is given.
    fn on_stable(&mut self, _legal: Legal, _agenda: &mut Agenda<'_, Self::Command>) {}

    /// Whether nothing that was planned or asked for is still to come, so that the run of a
    /// self-stabilising system may end.
    fn is_idle(&self) -> bool {
        true
    }

    /// A node has crashed; its application is gone with it.
    fn on_crash(&mut self, _node: NodeId, _agenda: &mut Agenda<'_, Self::Command>) {}

    /// A crashed node is back.
    fn on_restart(&mut self, _node: NodeId, _agenda: &mut Agenda<'_, Self::Command>) {}

    /// Whether everything that was wanted has happened. Ends the run of a protocol that never
    /// rests.
    fn is_done(&self) -> bool {
        false
    }

    /// What was measured. `unit` is the mean delay of a message, T.
    fn report(&self, messages: &Messages, time: u64, unit: f64) -> Self::Report;
}

/// A stretch of time in which a self-stabilising system was legal, up to now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legal {
    /// The round in which it began.
    pub since: u64,
    /// The number of rounds in it.
    pub rounds: u64,
    /// The number of messages sent in the last of them.
    pub messages_in_last: u64,
}

/// Where a workload plans its commands.
pub struct Agenda<'a, C> {
    pub(crate) now: u64,
    pub(crate) messages: u64,
    pub(crate) rounds: u64,
    /// Takes a command: the time, the node, and what it is told.
    pub(crate) plan: &'a mut dyn FnMut(u64, NodeId, C),
    pub(crate) random: &'a mut Random,
}

impl<C> Agenda<'_, C> {
    /// The present, in ticks.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How many messages were sent until now.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// How many rounds are over, if nodes act by themselves.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The workload's own stream of random numbers.
    pub fn random(&mut self) -> &mut Random {
        self.random
    }

    /// Gives a command, this many ticks from now.
    pub fn after(&mut self, ticks: u64, node: NodeId, command: C) {
        (self.plan)(self.now.saturating_add(ticks), node, command);
    }
}

/// Some of the nodes: `all`, `one`, a number of them drawn at random, or `list:3,5,8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// Every node.
    All,
    /// This many, drawn at random.
    Count(u32),
    /// Exactly these.
    List(Vec<NodeId>),
}

impl Members {
    /// The nodes that are meant, ascending, in a system of `nodes` nodes.
    pub fn resolve(&self, nodes: u32, random: &mut Random) -> Result<Vec<NodeId>, String> {
        match self {
            Self::All => Ok(NodeId::all(nodes).collect()),
            Self::Count(0) => Err("at least one node must take part".to_owned()),
            Self::Count(count) if *count > nodes => {
                Err(format!("{count} nodes cannot take part: there are only {nodes}"))
            }
            Self::Count(count) => {
                Ok(random.sample(*count, nodes).into_iter().map(NodeId).collect())
            }
            Self::List(list) => {
                if let Some(node) = list.iter().find(|node| node.0 >= nodes) {
                    return Err(format!("there is no node {node}: {}", numbers(nodes)));
                }
                let mut list = list.clone();
                list.sort_unstable();
                Ok(list)
            }
        }
    }
}

/// Which numbers the nodes have, for messages.
pub fn numbers(nodes: u32) -> String {
    match nodes {
        1 => "the only node is 0".to_owned(),
        _ => format!("nodes are numbered 0 to {}", nodes - 1),
    }
}

impl FromStr for Members {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}': write all, one, a number of nodes, or list:3,5,8");
        match text {
            "all" => Ok(Self::All),
            "one" => Ok(Self::Count(1)),
            _ => match text.strip_prefix("list:") {
                Some(list) => {
                    let nodes = list.split(',').map(|node| node.trim().parse().map(NodeId));
                    let nodes: Vec<NodeId> =
                        nodes.collect::<Result<_, _>>().map_err(|_| wrong())?;
                    let mut known = BTreeSet::new();
                    match nodes.iter().find(|node| !known.insert(**node)) {
                        Some(twice) => Err(format!("'{text}' names node {twice} twice")),
                        None => Ok(Self::List(nodes)),
                    }
                }
                None => text.parse().map(Self::Count).map_err(|_| wrong()),
            },
        }
    }
}

impl Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Count(count) => write!(f, "{count}"),
            Self::List(list) => {
                let list: Vec<_> = list.iter().map(NodeId::to_string).collect();
                write!(f, "list:{}", list.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn resolve(text: &str, nodes: u32) -> Result<Vec<u32>, String> {
        let mut random = Random::new(1, Stream::Workload);
        let members = text.parse::<Members>()?.resolve(nodes, &mut random)?;
        Ok(members.into_iter().map(|node| node.0).collect())
    }

    #[test]
    fn members_are_who_was_asked_for() {
        assert_eq!(resolve("all", 3).unwrap(), [0, 1, 2]);
        assert_eq!(resolve("list:5,1", 6).unwrap(), [1, 5]);
        assert_eq!(resolve("4", 100).unwrap().len(), 4);
        assert_eq!(resolve("one", 100).unwrap().len(), 1);
    }

    #[test]
    fn wrong_members_are_explained() {
        let error = |text| resolve(text, 5).unwrap_err();
        assert_eq!(error("6"), "6 nodes cannot take part: there are only 5");
        assert_eq!(error("0"), "at least one node must take part");
        assert_eq!(error("list:5"), "there is no node 5: nodes are numbered 0 to 4");
        assert_eq!(error("some"), "'some': write all, one, a number of nodes, or list:3,5,8");
        assert!(error("list:").contains("list:3,5,8"));
        assert_eq!(error("list:1,3,1"), "'list:1,3,1' names node 1 twice");
    }
}
