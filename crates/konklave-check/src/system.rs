//! The system to check: nodes, applications, the network between them, and possible faults.

use konklave::NodeId;
use konklave::protocol::{Invariant, Monitor, Protocol, references};
use konklave_stage::local::ASSERTIONS_HOLD;
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

/// The maximum numbers of faults in one schedule. They happen after all nodes have started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    /// Messages lost.
    pub losses: u8,
    /// Messages duplicated.
    pub duplicates: u8,
    /// Nodes that crash for ever.
    pub crashes: u8,
    /// Nodes that crash and eventually return, having forgotten everything. A message that reaches
    /// such a node while it is away is missed; one that is still in transit when it returns is
    /// received. If the pace is patient, a node returns when nothing is left to be noticed.
    pub restarts: u8,
    /// Cuts of the network into two groups, one at a time, each of which eventually heals. What is
    /// sent across a cut is lost; what is in transit when it begins arrives. A cut that only held
    /// messages back would add nothing: a message may take any time. While a cut lasts, timers run
    /// out, so nodes that count their attempts have no end of states.
    pub partitions: u8,
}

impl Faults {
    /// Nothing goes wrong.
    pub const NONE: Self =
        Self { losses: 0, duplicates: 0, crashes: 0, restarts: 0, partitions: 0 };
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

/// The promise that every fair run ends, where nodes should come to rest.
pub const COMES_TO_REST: &str = "comes to rest";

/// The promise that no step leads out of a legal state, where nodes repair themselves.
pub const CLOSURE: &str = "closure";

/// The promise that every fair run leads to a legal state.
pub const CONVERGENCE: &str = "convergence";

/// The promise that a legal state can be reached from every state, where nodes choose at random:
/// then it is reached with probability one.
pub const CHANCE: &str = "convergence by chance";

/// The largest system that can be checked.
pub const NODES_MAX: usize = 60;

/// The largest system that can be checked with partitions: twice as many nodes can be cut in more
/// ways than there are states to remember.
pub const CUT_NODES_MAX: usize = 16;

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
    /// If there are none, or more than [`NODES_MAX`], or with partitions [`CUT_NODES_MAX`].
    pub fn new(make: impl Fn(NodeId) -> P, applications: Vec<A>, monitor: M, world: World) -> Self {
        let nodes = applications.len();
        let most = if world.faults.partitions > 0 { CUT_NODES_MAX } else { NODES_MAX };
        assert!((1..=most).contains(&nodes), "{nodes} nodes cannot be checked");
        let nodes = NodeId::all(nodes as u32).map(make).collect();
        Self { nodes, applications, monitor, world }
    }

    /// The names of everything that a search decides: the promises, the lemmas, that assertions of
    /// nodes hold and, unless the nodes never rest, that they come to rest.
    pub fn promises(&self) -> Vec<&'static str> {
        let promises = M::promises().iter().map(|promise| promise.name);
        let mut names: Vec<_> = promises.filter(|name| self.monitor.watches(name)).collect();
        names.extend(self.invariants().iter().map(Invariant::name));
        if self.legality().is_some() {
            let by_chance = self.nodes[0].converges_by_chance();
            let convergence = if by_chance { CHANCE } else { CONVERGENCE };
            names.extend([references::CONNECTED, CLOSURE, convergence]);
        }
        names.push(ASSERTIONS_HOLD);
        names.extend((!self.world.perpetual).then_some(COMES_TO_REST));
        names
    }

    /// When a state is legal, if nodes repair themselves and nothing goes wrong meanwhile.
    pub(crate) fn legality(&self) -> Option<Invariant<P>> {
        self.nodes[0].legality().filter(|_| self.world.faults == Faults::default())
    }

    /// The lemmas that have to hold: proofs are about what keeps the assumptions.
    pub(crate) fn invariants(&self) -> Vec<Invariant<P>> {
        match self.world.faults == Faults::default() {
            true => self.nodes[0].invariants(),
            false => Vec::new(),
        }
    }
}
