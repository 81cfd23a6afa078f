//! What the table knows about an algorithm.

use std::fmt::{self, Display};

use konklave::graph::{Graph, Topology};
use konklave_sim::workload::mutex::Demand;
use serde::Serialize;

use crate::document::Document;
use crate::drive::{Job, Outcome};
use crate::failure::Failure;
use crate::output::short;
use crate::site::Site;

/// A problem, and with it the commands, events, promises and measurements of its algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Mutual exclusion.
    Mutex,
    /// Booking of intervals.
    Booking,
    /// Leader election.
    Election,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Mutex, Self::Booking, Self::Election];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mutex => "mutex",
            Self::Booking => "booking",
            Self::Election => "election",
        }
    }

    /// The family with this name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn find(name: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|family| family.name() == name);
        found.ok_or_else(|| Failure::unknown("family", name, Self::ALL.map(Self::name).into_iter()))
    }

    /// The source of the module that defines the problem.
    pub fn source(self) -> &'static str {
        match self {
            Self::Mutex => include_str!("../../konklave/src/mutex/mod.rs"),
            Self::Booking => include_str!("../../konklave/src/booking/mod.rs"),
            Self::Election => include_str!("../../konklave/src/election/mod.rs"),
        }
    }
}

impl Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
    /// First in, first out if there is more than one election.
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

/// An option that an algorithm has beyond the common ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Its name: `--NAME`.
    pub name: &'static str,
    /// What it can be; the first is the default. `file:PATH` and `NUMBER` stand for any such.
    pub values: &'static [&'static str],
}

impl Choice {
    /// Whether the option can have this value.
    pub fn allows(&self, value: &str) -> bool {
        self.values.iter().any(|&form| match form {
            "file:PATH" => value.len() > 5 && value.starts_with("file:"),
            "NUMBER" => value.parse::<u32>().is_ok_and(|number| number > 0),
            form => value == form,
        })
    }
}

/// What a run is like, as far as formulas depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Who asks when.
    pub load: Demand,
    /// Whether everyone asks all the time, delays are constant, and entries take at least five of
    /// them: then a run repeats itself.
    pub is_regular: bool,
    /// How many nodes start an election.
    pub initiators: u32,
}

/// What a formula says about the messages per entry, or of an election.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// The formula.
    pub formula: String,
    /// The least it allows.
    pub low: f64,
    /// The most it allows.
    pub high: f64,
    #[serde(skip)]
    sense: Sense,
}

/// What the numbers of a formula mean.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sense {
    /// No run exceeds them.
    Bounds,
    /// The mean of many runs lies between them.
    Mean,
}

impl Expected {
    /// Exactly so many.
    pub fn exactly(formula: &str, value: f64) -> Self {
        Self::between(formula, value, value)
    }

    /// So many on average, over infinitely many runs.
    pub fn mean(formula: &str, mean: f64) -> Self {
        Self { sense: Sense::Mean, ..Self::exactly(formula, mean) }
    }

    /// So many on average: what is measured may be off by three percent.
    pub fn about(formula: &str, mean: f64) -> Self {
        Self { sense: Sense::Mean, ..Self::between(formula, 0.97 * mean, 1.03 * mean) }
    }

    /// From so many to so many.
    pub fn between(formula: &str, low: f64, high: f64) -> Self {
        Self { formula: formula.to_owned(), low, high, sense: Sense::Bounds }
    }

    /// Whether it is about means: then its middle is what the formula says, and its ends are what
    /// a measurement may be off.
    pub fn is_mean(&self) -> bool {
        self.sense == Sense::Mean
    }

    /// The value of the formula, if it has one and not just bounds.
    pub fn value(&self) -> Option<f64> {
        (self.is_mean() || self.low == self.high).then_some((self.low + self.high) / 2.0)
    }

    /// The same; a mean give or take so much, for it was measured over some runs only.
    pub fn widen(self, margin: f64) -> Self {
        match self.sense {
            Sense::Bounds => self,
            Sense::Mean => Self { low: self.low - margin, high: self.high + margin, ..self },
        }
    }

    /// Whether a measured value agrees, apart from rounding.
    pub fn allows(&self, measured: f64) -> bool {
        self.low - 1e-9 <= measured && measured <= self.high + 1e-9
    }
}

impl Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { formula, low, high, sense } = self;
        let middle = short((low + high) / 2.0);
        match (low == high || *sense == Sense::Mean, high - low <= 0.07 * high) {
            (true, _) if *formula == middle => f.write_str(formula),
            (true, _) | (_, true) => write!(f, "{formula} = {middle}"),
            (false, false) => write!(f, "{formula}: {} to {}", short(*low), short(*high)),
        }
    }
}

/// One algorithm.
pub struct Entry {
    /// Its name on the command line.
    pub name: String,
    /// The problem it solves.
    pub family: Family,
    /// What it needs from its surroundings.
    pub needs: Needs,
    /// Options of its own.
    pub choices: &'static [Choice],
    /// Its file.
    pub source: &'static str,
    /// Where that file is in the repository.
    pub file: &'static str,
    /// What its formula says under these conditions, if there is one to compare with.
    pub expected: fn(&Site, Conditions) -> Option<Expected>,
    /// Carries out a job with its nodes.
    pub drive: fn(&Site, Job<'_>) -> Result<Outcome, Failure>,
}

impl Entry {
    /// Its module doc.
    pub fn document(&self) -> Document {
        Document::of(self.source)
    }
}
