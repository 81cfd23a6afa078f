//! The system to check: nodes, applications, the network between them, and possible faults.

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
    /// The monitor of the promises.
    pub monitor: M,
    /// The assumptions about order, timers and faults.
    pub world: World,
}

/// The assumptions of a search about order, timers and faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct World {
    /// The order of messages.
    pub order: Order,
    /// When timers expire and crashes are detected.
    pub pace: Pace,
    /// Whether the nodes never rest, so that an infinite run is not a failure by itself.
    pub perpetual: bool,
    /// The possible faults.
    pub faults: Faults,
}

/// The maximum numbers of faults in one schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    /// Messages lost.
    pub losses: u8,
    /// Messages duplicated.
    pub duplicates: u8,
    /// Nodes that crash, without a restart.
    pub crashes: u8,
}

impl World {
    /// Messages in any order, timers at any time, no faults.
    pub fn new() -> Self {
        Self { order: Order::Any, pace: Pace::Free, perpetual: false, faults: Faults::default() }
    }

    /// FIFO channels, timers at any time, no faults.
    pub fn fifo(self) -> Self {
        Self { order: Order::Fifo, ..self }
    }

    /// Sets the possible faults.
    pub fn faults(self, faults: Faults) -> Self {
        Self { faults, ..self }
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

/// The largest system that can be checked.
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
