//! What an algorithm needs from its surroundings.

use std::fmt::{self, Display};

use konklave::graph::{Graph, Topology};
use serde::Serialize;

/// The network that an algorithm needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// A cycle; messages go round in one direction.
    Ring,
    /// A cycle whose links lead both ways.
    TwoWayRing,
    /// Connected and without cycles.
    Tree,
    /// Everyone can talk to everyone.
    Complete,
    /// Anything that is connected by links that lead both ways.
    Connected,
}

impl Network {
    /// What is taken if the user does not say.
    pub fn default_topology(self) -> Topology {
        match self {
            Self::Ring | Self::TwoWayRing => Topology::Ring,
            Self::Tree => "tree:2".parse().expect("a valid topology"),
            Self::Complete => Topology::Complete,
            Self::Connected => Topology::Grid { sides: None },
        }
    }

    /// Whether `graph` is such a network.
    pub fn fits(self, graph: &Graph) -> bool {
        match self {
            Self::Ring => graph.ring().is_some(),
            Self::TwoWayRing => graph.ring().is_some() && !graph.is_directed(),
            Self::Tree => graph.is_tree(),
            Self::Complete => graph.is_complete(),
            Self::Connected => !graph.is_directed(),
        }
    }

    /// Topologies that are such a network.
    pub fn examples(self) -> &'static str {
        match self {
            Self::Ring | Self::TwoWayRing => "--topology ring",
            Self::Tree => "--topology tree:2, line, star or random-tree",
            Self::Complete => "--topology complete",
            Self::Connected => "--topology grid, ring, gnp:0.3 or any but directed-ring",
        }
    }
}

impl Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ring => "ring",
            Self::TwoWayRing => "two-way ring",
            Self::Tree => "tree",
            Self::Complete => "complete network",
            Self::Connected => "two-way network",
        })
    }
}

/// The order of messages that an algorithm needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Any.
    Any,
    /// First in, first out on every channel.
    Fifo,
    /// First in, first out if this option has this value.
    FifoIf(&'static str, &'static str),
    /// First in, first out if what the nodes do is to be done more than once.
    FifoToRepeat,
}

/// What an algorithm needs from its surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// The network.
    pub network: Network,
    /// The order of messages.
    pub order: Order,
    /// Whether it never rests, so that a run ends when its workload is done.
    pub perpetual: bool,
    /// Whether it survives crashes if it is told of them.
    pub notices: bool,
    /// Whether the leaders of two elections may be in office at a time, while word travels.
    pub overlapping: bool,
    /// Whether no message may take longer than its option `bound` says.
    pub bounded: bool,
    /// Whether it never knows that it is done, so that it cannot begin again.
    pub once: bool,
    /// Where only one node may start: the algorithm for those who want several to.
    pub one_initiator: Option<&'static str>,
    /// Whether node 0 keeps a registry, so that it may crash, but must not come back without it.
    pub registry: bool,
}

impl Needs {
    /// This network, and nothing else.
    pub const fn network(network: Network) -> Self {
        Self {
            network,
            order: Order::Any,
            perpetual: false,
            notices: false,
            overlapping: false,
            bounded: false,
            once: false,
            one_initiator: None,
            registry: false,
        }
    }

    /// Also this order of messages.
    pub const fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// It survives crashes, told of them.
    pub const fn notices(self) -> Self {
        Self { notices: true, ..self }
    }

    /// The leaders of two elections may overlap.
    pub const fn overlapping(self) -> Self {
        Self { overlapping: true, ..self }
    }

    /// It relies on a largest delay.
    pub const fn bounded(self) -> Self {
        Self { bounded: true, ..self }
    }

    /// It cannot begin again.
    pub const fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// Only one node may start; where several shall, `instead` is for them.
    pub const fn one_initiator(self, instead: &'static str) -> Self {
        Self { one_initiator: Some(instead), ..self }
    }

    /// Node 0 keeps a registry.
    pub const fn registry(self) -> Self {
        Self { registry: true, ..self }
    }

    /// It never rests.
    pub const fn perpetual(self) -> Self {
        Self { perpetual: true, ..self }
    }
}
