//! Where nodes are built: the network around each of them, its id, the options of its algorithm.

use std::cell::OnceCell;

use konklave::NodeId;
use konklave::election::Id;
use konklave::election::heading::Neighbours;
use konklave::graph::{Format, Graph, Ring};
use konklave_sim::random::{Random, Stream};

use crate::entry::{Entry, Family, Order};
use crate::failure::Failure;
use crate::output::counted;
use crate::setup::{Ids, Setup, read_topology};

/// Everything that the constructors of nodes may ask for.
pub struct Site {
    setup: Setup,
    graph: Graph,
    ring: Option<Ring>,
    ids: Vec<Id>,
    /// The neighbour of each node that is nearer to node 0.
    towards_first: OnceCell<Vec<NodeId>>,
    entry: &'static Entry,
}

impl Site {
    /// Builds the network, and checks that it suits the algorithm.
    pub fn new(setup: Setup, entry: &'static Entry) -> Result<Self, Failure> {
        for (name, value) in &setup.variant {
            check_choice(entry, name, value)?;
        }
        let graph = build_graph(&setup, entry)?;
        if !entry.needs.network.fits(&graph) {
            return Err(Failure::bad(format!(
                "{} needs a {}, and a {} is none: try {}",
                entry.name,
                entry.needs.network,
                graph.describe(),
                entry.needs.network.examples(),
            )));
        }
        let ids = match entry.family {
            Family::Election => assign_ids(&setup)?,
            Family::Mutex | Family::Booking => Vec::new(),
        };
        let ring = graph.ring();
        Ok(Self { setup, graph, ring, ids, towards_first: OnceCell::new(), entry })
    }

    /// What the system is built from.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The algorithm.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The network.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.graph.nodes()
    }

    /// The ids of all nodes, in the order of their numbers.
    pub fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// The id of a node.
    pub fn id(&self, me: NodeId) -> Id {
        self.ids[me.index()]
    }

    /// The next node on a ring.
    pub fn successor(&self, me: NodeId) -> NodeId {
        self.ring().successor(me)
    }

    /// The previous node on a ring, and the next.
    pub fn beside(&self, me: NodeId) -> (NodeId, NodeId) {
        (self.ring().predecessor(me), self.ring().successor(me))
    }

    /// The same, as left and right.
    pub fn ring_neighbours(&self, me: NodeId) -> Neighbours {
        let (left, right) = self.beside(me);
        Neighbours { left, right }
    }

    fn ring(&self) -> &Ring {
        self.ring.as_ref().expect("the network was checked to be a ring")
    }

    /// The next nodes on a ring, near ones first: up to so many, and never `me` itself.
    pub fn successors(&self, me: NodeId, count: usize) -> Vec<NodeId> {
        let after = |node: &NodeId| Some(self.successor(*node));
        let next = std::iter::successors(Some(self.successor(me)), after);
        next.take_while(|&node| node != me).take(count).collect()
    }

    /// How many steps each node of a ring is behind node 0.
    pub fn ring_positions(&self) -> Vec<u32> {
        let mut positions = vec![0; self.nodes() as usize];
        let mut node = NodeId(0);
        for position in 0..self.nodes() {
            positions[node.index()] = position;
            node = self.successor(node);
        }
        positions
    }

    /// The neighbour that is nearer to node 0, along a shortest path; node 0 itself there.
    pub fn towards_first(&self, me: NodeId) -> NodeId {
        self.towards_first.get_or_init(|| self.graph.tree_towards(NodeId(0)))[me.index()]
    }

    /// Whether channels must keep the order of messages.
    pub fn needs_fifo(&self) -> bool {
        match self.entry.needs.order {
            Order::Any => false,
            Order::Fifo => true,
            Order::FifoIf(name, value) => self.choice(name) == value,
            Order::FifoToRepeat => self.setup.elections > 1,
        }
    }

    /// The neighbours of a node, ascending.
    pub fn neighbours(&self, me: NodeId) -> Vec<NodeId> {
        self.graph.neighbours(me).collect()
    }

    /// The neighbours of a node in the tree of shortest ways to node 0, ascending.
    pub fn tree_neighbours(&self, me: NodeId) -> Vec<NodeId> {
        let mut neighbours = self.neighbours(me);
        neighbours
            .retain(|&other| self.towards_first(me) == other || self.towards_first(other) == me);
        neighbours
    }

    /// What was in the file that an option of the algorithm names, if it names one.
    pub fn file(&self, name: &str) -> Option<&str> {
        self.setup.files.get(name).map(String::as_str)
    }

    /// An option of the algorithm: what the user said, or its default.
    pub fn choice(&self, name: &str) -> &str {
        let default = self.entry.choices.iter().find(|choice| choice.name == name);
        let default = default.and_then(|choice| choice.values.first()).copied();
        self.setup.variant.get(name).map(String::as_str).or(default).unwrap_or_default()
    }

    /// An option of the algorithm that is a number; one if it is none.
    pub fn number(&self, name: &str) -> u32 {
        self.choice(name).parse().unwrap_or(1)
    }
}

fn check_choice(entry: &Entry, name: &str, value: &str) -> Result<(), Failure> {
    let Some(choice) = entry.choices.iter().find(|choice| choice.name == name) else {
        let options: Vec<_> =
            entry.choices.iter().map(|choice| format!("--{}", choice.name)).collect();
        let options = match options.len() {
            0 => "it has no options of its own".to_owned(),
            _ => format!("it has {}", options.join(", ")),
        };
        return Err(Failure::bad(format!("{} has no --{name}: {options}", entry.name)));
    };
    match choice.allows(value) {
        true => Ok(()),
        false => Err(Failure::bad(format!(
            "'{value}' is no --{name}: write {}",
            choice.values.join(", ").replace("NUMBER", "or a whole number above zero")
        ))),
    }
}

fn build_graph(setup: &Setup, entry: &Entry) -> Result<Graph, Failure> {
    let bad = |error: konklave::graph::GraphError| Failure::bad(error.to_string());
    if let Some(text) = &setup.graph {
        return Graph::parse(text, Format::Dot).map_err(bad);
    }
    let topology = match setup.topology.as_str() {
        "" => entry.needs.network.default_topology(),
        text => read_topology(text)?,
    };
    let mut random = Random::new(setup.seed, Stream::Graph);
    topology.build(setup.nodes, &mut || random.word()).map_err(bad)
}

fn assign_ids(setup: &Setup) -> Result<Vec<Id>, Failure> {
    let mut ids: Vec<u32> = match &setup.ids {
        Ids::List(list) => list.clone(),
        _ => (0..setup.nodes).collect(),
    };
    match setup.ids {
        Ids::Random => Random::new(setup.seed, Stream::Ids).shuffle(&mut ids),
        Ids::Descending => ids.reverse(),
        Ids::Ascending => {}
        Ids::List(_) => check_ids(&ids, setup.nodes)?,
    }
    Ok(ids.into_iter().map(Id).collect())
}

fn check_ids(ids: &[u32], nodes: u32) -> Result<(), Failure> {
    if ids.len() != nodes as usize {
        return Err(Failure::bad(format!(
            "there are {} for {}: write one for each",
            counted(ids.len() as u64, "id", "ids"),
            counted(nodes.into(), "node", "nodes")
        )));
    }
    let mut owners: Vec<(u32, usize)> = ids.iter().copied().zip(0..).collect();
    owners.sort_unstable();
    match owners.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Failure::bad(format!(
            "ids must be unique, but nodes {} and {} both have id {}",
            pair[0].1, pair[1].1, pair[0].0
        ))),
        None => Ok(()),
    }
}
