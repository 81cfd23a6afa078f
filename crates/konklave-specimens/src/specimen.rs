//! What is known about a specimen.

use std::fmt::{self, Display};

use konklave::NodeId;
use konklave::election::Id;
use konklave::graph::{Graph, Ring, Topology};
use serde::Serialize;

/// A broken algorithm, and the smallest system in which that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Specimen {
    /// Its name: the right algorithm and the flaw.
    pub name: &'static str,
    /// The right algorithm.
    pub of: &'static str,
    /// What is wrong, and why it matters.
    pub flaw: &'static str,
    /// Whether the algorithm is right, and the setting is one that it is not made for.
    pub is_forbidden_setting: bool,
    /// What happens.
    pub finds: Finding,
    /// The promise that breaks.
    pub promise: &'static str,
    /// The smallest system in which it breaks.
    pub setting: Setting,
    /// What finds it there.
    pub found_by: Tool,
    /// How many steps of nodes the shortest way to the end of the promise takes, without the start
    /// of every node; a crash is no step. Of a run without an end: the way to the circle and once
    /// round it, as it is found: that may take some steps too many. If it was found by chance: how
    /// many are left when nothing more can be taken away.
    pub steps: usize,
}

/// What happens in a system of broken nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// Two nodes are in the critical section together.
    TwoInside,
    /// Nodes wait for each other for ever, or for nobody.
    Deadlock,
    /// The token is gone, and all wait for it.
    LostToken,
    /// Somebody waits for ever, or nobody does, and the nodes never come to rest.
    Livelock,
    /// The result is out, and word of it never ends.
    EndlessAnnouncement,
    /// Two nodes are leaders.
    TwoLeaders,
    /// A node that should not is elected.
    WrongLeader,
    /// Some node never learns who leads, or nobody does.
    NoLeader,
    /// A node finds itself where it believes that it cannot be.
    Assertion,
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TwoInside => "two inside",
            Self::Deadlock => "deadlock",
            Self::LostToken => "lost token",
            Self::Livelock => "livelock",
            Self::EndlessAnnouncement => "endless announcement",
            Self::TwoLeaders => "two leaders",
            Self::WrongLeader => "wrong leader",
            Self::NoLeader => "no leader",
            Self::Assertion => "failed assertion",
        })
    }
}

/// What finds a specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// Looking at every schedule.
    Check,
    /// Random schedules: of the seeds from 1 on, this is the first that breaks the promise.
    Fuzz {
        /// The seed.
        seed: u64,
    },
}

/// A small system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The form of the network.
    pub topology: &'static str,
    /// Whether channels keep the order of messages.
    pub fifo: bool,
    /// How often each node enters, or starts an election: one number for each.
    pub budget: &'static [u32],
    /// The ids of the nodes, if they have any.
    pub ids: &'static [u32],
    /// How many messages may arrive twice.
    pub duplicates: u8,
    /// How many nodes may crash.
    pub crashes: u8,
    /// Whether the nodes never rest, so that a run without an end is no defect by itself.
    pub perpetual: bool,
}

impl Setting {
    /// A network of this form, over which messages overtake each other; each node enters so often.
    pub const fn new(topology: &'static str, budget: &'static [u32]) -> Self {
        Self {
            topology,
            fifo: false,
            budget,
            ids: &[],
            duplicates: 0,
            crashes: 0,
            perpetual: false,
        }
    }

    /// The same, with channels that keep the order of messages.
    pub const fn fifo(self) -> Self {
        Self { fifo: true, ..self }
    }

    /// The same, with these ids.
    pub const fn ids(self, ids: &'static [u32]) -> Self {
        Self { ids, ..self }
    }

    /// The same, with so many messages that arrive twice.
    pub const fn duplicates(self, duplicates: u8) -> Self {
        Self { duplicates, ..self }
    }

    /// The same, with so many nodes that crash.
    pub const fn crashes(self, crashes: u8) -> Self {
        Self { crashes, ..self }
    }

    /// The same, with nodes that never rest.
    pub const fn perpetual(self) -> Self {
        Self { perpetual: true, ..self }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.budget.len() as u32
    }

    /// The network.
    ///
    /// # Panics
    ///
    /// If its form is unknown or needs another number of nodes: no specimen's is and does.
    pub fn graph(&self) -> Graph {
        let topology: Topology = self.topology.parse().expect("a known topology");
        topology.build(self.nodes(), &mut || 0).expect("the number of nodes fits")
    }

    /// Where its nodes are built.
    pub fn ground(&self) -> Ground {
        Ground::new(self.graph(), self.ids.iter().copied().map(Id).collect())
    }
}

impl Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { topology, fifo, budget, ids, duplicates, crashes, .. } = self;
        write!(f, "{topology} of {}", self.nodes())?;
        if !ids.is_empty() {
            write!(f, " with ids {}", list(ids))?;
        }
        match budget.iter().all(|entries| *entries == budget[0]) {
            true => write!(f, ", {} each", budget[0])?,
            false => write!(f, ", budget {}", list(budget))?,
        }
        write!(f, ", {}", if *fifo { "in order" } else { "any order" })?;
        if *duplicates > 0 {
            write!(f, ", {duplicates} doubled")?;
        }
        if *crashes > 0 {
            write!(f, ", {crashes} crashed")?;
        }
        Ok(())
    }
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// Where the nodes of a specimen are built: the network around them, and their ids.
#[derive(Clone, Debug)]
pub struct Ground {
    graph: Graph,
    ids: Vec<Id>,
    ring: Option<Ring>,
    parents: Vec<NodeId>,
}

impl Ground {
    /// Nodes on this network, and their ids, if they have any.
    pub fn new(graph: Graph, ids: Vec<Id>) -> Self {
        let (ring, parents) = (graph.ring(), graph.tree_towards(NodeId(0)));
        Self { graph, ids, ring, parents }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.graph.nodes()
    }

    /// The id of a node.
    pub fn id(&self, me: NodeId) -> Id {
        self.ids[me.index()]
    }

    /// All ids.
    pub fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// The neighbours of a node.
    pub fn neighbours(&self, me: NodeId) -> Vec<NodeId> {
        self.graph.neighbours(me).collect()
    }

    /// The neighbour of a node that is nearer to node 0.
    pub fn towards_first(&self, me: NodeId) -> NodeId {
        self.parents[me.index()]
    }

    /// The next node on a ring.
    pub fn next(&self, me: NodeId) -> NodeId {
        self.beside(me).1
    }

    /// The previous node on a ring, and the next.
    ///
    /// # Panics
    ///
    /// If the network is no ring.
    pub fn beside(&self, me: NodeId) -> (NodeId, NodeId) {
        let ring = self.ring.as_ref().expect("this specimen lives on a ring");
        (ring.predecessor(me), ring.successor(me))
    }

    /// How many steps a node of a ring is behind node 0.
    pub fn position(&self, me: NodeId) -> u32 {
        let mut node = NodeId(0);
        let mut position = 0;
        while node != me {
            node = self.next(node);
            position += 1;
        }
        position
    }
}
