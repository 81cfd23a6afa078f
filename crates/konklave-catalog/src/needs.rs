//! The assumptions of an algorithm about network, order, delays and faults, and its claims.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use konklave::graph::{Graph, Topology};
use serde::Serialize;

use crate::disorder::{Claim, Disorder};

/// The network that an algorithm needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// A ring; messages travel in one direction.
    Ring,
    /// A ring with links in both directions.
    TwoWayRing,
    /// Connected and without cycles.
    Tree,
    /// A link between every two nodes.
    Complete,
    /// Any connected network with links in both directions.
    Connected,
}

impl Network {
    /// The default topology.
    pub fn default_topology(self) -> Topology {
        match self {
            Self::Ring | Self::TwoWayRing => Topology::Ring,
            Self::Tree => "tree:2".parse().expect("a valid topology"),
            Self::Complete => Topology::Complete,
            Self::Connected => Topology::Grid { sides: None },
        }
    }

    /// Whether `graph` is a network of this kind.
    pub fn fits(self, graph: &Graph) -> bool {
        match self {
            Self::Ring => graph.ring().is_some(),
            Self::TwoWayRing => graph.ring().is_some() && !graph.is_directed(),
            Self::Tree => graph.is_tree(),
            Self::Complete => graph.is_complete(),
            Self::Connected => !graph.is_directed(),
        }
    }

    /// Topologies of this kind, as a hint in error messages.
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
    /// Messages may overtake each other.
    Any,
    /// Channels are FIFO.
    Fifo,
    /// Channels are FIFO if this option has this value.
    FifoIf(&'static str, &'static str),
    /// Channels are FIFO if there is more than one round of the problem.
    FifoToRepeat,
}

/// The assumptions of an algorithm about network, order, delays and faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// The network.
    pub network: Network,
    /// The order of messages.
    pub order: Order,
    /// Whether it never rests, so that a run ends when its workload is done.
    pub perpetual: bool,
    /// Whether it tolerates crashes that a failure detector reports.
    pub notices: bool,
    /// Whether the effects of two operations may overlap while messages are in transit: two nodes
    /// may lead for a moment.
    pub overlapping: bool,
    /// Whether it relies on a maximum delay.
    pub bounded: bool,
    /// The option, and its value, that keeps it from ever resting.
    #[serde(skip)]
    pub perpetual_if: Option<(&'static str, &'static str)>,
    /// The option that makes it rely on a maximum delay, if it is above zero.
    #[serde(skip)]
    pub bounded_with: Option<&'static str>,
    /// Whether the timers of a node have to outlast all that other nodes do meanwhile.
    pub patient: bool,
    /// Whether it never detects its termination, so that it cannot begin again.
    pub once: bool,
    /// If only one node may start: the algorithm for several initiators.
    pub one_initiator: Option<&'static str>,
    /// Whether duplicates of messages are harmless.
    pub duplicates: bool,
    /// What it claims to hold in spite of other disorders, if anything: `check --faults` decides.
    #[serde(skip)]
    pub claims: &'static [(Disorder, Claim)],
    /// Whether node 0 keeps a registry, so that it may crash but must not restart without it.
    pub registry: bool,
    /// Whether nodes can reach others than their neighbours: a registry, or those beyond a crashed
    /// neighbour.
    #[serde(skip)]
    pub shortcuts: bool,
    /// Whether each node keeps a list of its neighbours, so that networks with very many links are
    /// too large.
    #[serde(skip)]
    pub lists: bool,
    /// Whether nodes never join.
    #[serde(skip)]
    pub no_joins: bool,
    /// Whether nodes never leave.
    #[serde(skip)]
    pub no_leaves: bool,
}

impl Needs {
    /// Only this network.
    pub const fn network(network: Network) -> Self {
        Self {
            network,
            order: Order::Any,
            perpetual: false,
            notices: false,
            overlapping: false,
            bounded: false,
            perpetual_if: None,
            bounded_with: None,
            patient: false,
            once: false,
            one_initiator: None,
            duplicates: false,
            claims: &[],
            registry: false,
            shortcuts: false,
            lists: matches!(network, Network::Connected),
            no_joins: false,
            no_leaves: false,
        }
    }

    /// Adds an order of messages.
    pub const fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Each node keeps a list of its neighbours.
    pub const fn lists(self) -> Self {
        Self { lists: true, ..self }
    }

    /// The algorithm tolerates crashes that are reported.
    pub const fn notices(self) -> Self {
        Self { notices: true, ..self }
    }

    /// The effects of two operations may overlap.
    pub const fn overlapping(self) -> Self {
        Self { overlapping: true, ..self }
    }

    /// The algorithm relies on a maximum delay.
    pub const fn bounded(self) -> Self {
        Self { bounded: true, ..self }
    }

    /// The algorithm never rests if this option has this value.
    pub const fn perpetual_if(self, option: &'static str, value: &'static str) -> Self {
        Self { perpetual_if: Some((option, value)), ..self }
    }

    /// The algorithm relies on a maximum delay if this option is above zero.
    pub const fn bounded_with(self, option: &'static str) -> Self {
        Self { bounded_with: Some(option), ..self }
    }

    /// Whether the algorithm relies on a maximum delay with these options.
    pub fn is_bounded(&self, options: &BTreeMap<String, String>) -> bool {
        let value = self.bounded_with.and_then(|name| options.get(name));
        self.bounded || value.is_some_and(|value| value != "0")
    }

    /// Timers have to outlast all that other nodes do meanwhile.
    pub const fn patient(self) -> Self {
        Self { patient: true, ..self }
    }

    /// The algorithm cannot begin again.
    pub const fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// Only one node may start; `instead` is the algorithm for several initiators.
    pub const fn one_initiator(self, instead: &'static str) -> Self {
        Self { one_initiator: Some(instead), ..self }
    }

    /// Duplicates of messages are harmless.
    pub const fn duplicates(self) -> Self {
        Self { duplicates: true, ..self }
    }

    /// The algorithm claims that this holds in spite of these disorders.
    pub const fn claims(self, claims: &'static [(Disorder, Claim)]) -> Self {
        Self { claims, ..self }
    }

    /// What it claims to hold in spite of a disorder.
    pub fn claim(&self, disorder: Disorder) -> Claim {
        match self.claims.iter().find(|(other, _)| *other == disorder) {
            Some((_, claim)) => *claim,
            None if disorder == Disorder::Duplication && self.duplicates => Claim::Everything,
            None => Claim::Nothing,
        }
    }

    /// Node 0 keeps a registry, which every node can reach.
    pub const fn registry(self) -> Self {
        Self { registry: true, shortcuts: true, ..self }
    }

    /// Nodes can reach those beyond a crashed neighbour.
    pub const fn shortcuts(self) -> Self {
        Self { shortcuts: true, ..self }
    }

    /// Nodes join, and stay.
    pub const fn no_leaves(self) -> Self {
        Self { no_leaves: true, ..self }
    }

    /// The nodes are always the same.
    pub const fn no_changes(self) -> Self {
        Self { no_joins: true, no_leaves: true, ..self }
    }

    /// The algorithm never rests.
    pub const fn perpetual(self) -> Self {
        Self { perpetual: true, ..self }
    }
}
