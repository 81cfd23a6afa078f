//! What is to be checked: nodes, their applications, the network between them, and what may go
//! wrong.

use konklave::NodeId;
use konklave::protocol::{Monitor, Protocol};
pub use konklave_stage::{Order, Pace};

use crate::application::Application;

/// A small system, before anything has happened.
#[derive(Clone, Debug)]
pub struct System<P, A, M> {
    /// The nodes, asleep.
    pub nodes: Vec<P>,
    /// Their applications.
    pub applications: Vec<A>,
    /// Who watches.
    pub monitor: M,
    /// How the world around the nodes behaves.
    pub world: World,
}

/// How the world around the nodes behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct World {
    /// The order of messages.
    pub order: Order,
    /// When timers run out and crashes are noticed.
    pub pace: Pace,
    /// Whether the nodes never rest, so that a run without an end is no defect by itself.
    pub perpetual: bool,
    /// What may go wrong.
    pub faults: Faults,
}

/// How often something may go wrong in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    /// Messages that get lost.
    pub losses: u8,
    /// Messages that arrive once more.
    pub duplicates: u8,
    /// Nodes that crash, for good.
    pub crashes: u8,
}

impl World {
    /// Messages in any order, timers at any time, no faults.
    pub fn new() -> Self {
        Self { order: Order::Any, pace: Pace::Free, perpetual: false, faults: Faults::default() }
    }

    /// The same, with channels that keep the order of messages.
    pub fn fifo(self) -> Self {
        Self { order: Order::Fifo, ..self }
    }

    /// The same, with these faults.
    pub fn faults(self, faults: Faults) -> Self {
        Self { faults, ..self }
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

/// More nodes than this cannot be explored anyway.
pub const NODES_MAX: usize = 60;

impl<P, A, M> System<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// A system of `applications.len()` nodes.
    ///
    /// # Panics
    ///
    /// If there are none, or more than [`NODES_MAX`].
    pub fn new(make: impl Fn(NodeId) -> P, applications: Vec<A>, monitor: M, world: World) -> Self {
        let nodes = applications.len();
        assert!((1..=NODES_MAX).contains(&nodes), "{nodes} nodes cannot be checked");
        let nodes = NodeId::all(nodes as u32).map(make).collect();
        Self { nodes, applications, monitor, world }
    }
}
