//! The site of a system: its network, ids and options, from which its nodes are built.

use std::cell::OnceCell;
use std::str::FromStr;
use std::time::Duration;

use konklave::NodeId;
use konklave::election::Id;
use konklave::election::heading::Neighbours;
use konklave::graph::{Format, Graph, GraphError, Ring};
use konklave::reliable;
use konklave_sim::random::{Random, Stream};
use konklave_sim::workload::Members;
use konklave_sim::{Delay, Options};

use crate::entry::Entry;
use crate::expected::Expected;
use crate::ids::Ids;
use crate::needs::Order;
use crate::option::{IDS, Opt, Usual, Verb};
use crate::refusal::Refusal;
use crate::setup::{Setup, read_topology};
use crate::system::System;

/// The most links of a network whose nodes keep lists of their neighbours: 2 GiB of numbers.
const LINKS_MAX: u64 = 1 << 28;

/// A validated setup, with the network: the input of the constructors of nodes.
pub struct Site {
    setup: Setup,
    verb: Verb,
    graph: Graph,
    ring: Option<Ring>,
    ids: Vec<Id>,
    /// The neighbour of each node that is nearer to node 0.
    towards_first: OnceCell<Vec<NodeId>>,
    entry: &'static Entry,
}

impl Site {
    /// Builds the network, and checks that it and the options suit the algorithm. Options that were
    /// not given have the defaults of this verb.
    ///
    /// # Errors
    ///
    /// If the network or an option does not suit the algorithm; the error names a valid one.
    pub fn new(setup: Setup, entry: &'static Entry, verb: Verb) -> Result<Self, Refusal> {
        for (name, value) in &setup.options {
            refuse_bad_option(entry, name, value)?;
        }
        let graph = build_graph(&setup, entry)?;
        if !entry.needs.network.fits(&graph) {
            return Err(Refusal::new(format!(
                "{} needs a {}, not a {}: try {}",
                entry.name,
                entry.needs.network,
                graph.describe(),
                entry.needs.network.examples(),
            )));
        }
        if entry.needs.lists && graph.edges() > LINKS_MAX {
            return Err(Refusal::new(format!(
                "each node of {} keeps a list of its neighbours, and {} has {} links: with more \
                 than {LINKS_MAX} the lists are too long; leave out nodes, or take a network \
                 with fewer links",
                entry.name,
                graph.describe(),
                graph.edges(),
            )));
        }
        if setup.reliable.is_some() && graph.is_directed() {
            return Err(Refusal::new(format!(
                "reliable links need channels in both directions, because acknowledgements go \
                 back: {} has them in one",
                graph.describe()
            )));
        }
        let ring = graph.ring();
        let towards_first = OnceCell::new();
        let mut site = Self { setup, verb, graph, ring, ids: Vec::new(), towards_first, entry };
        if entry.problem.option(IDS.name).is_some() {
            site.ids = site.order_of_ids()?.assign(site.setup.nodes, site.setup.seed)?;
        }
        site.refuse_repetition()?;
        (entry.problem.refuse)(&site)?;
        Ok(site)
    }

    /// The system of the algorithm's nodes.
    ///
    /// # Errors
    ///
    /// If they cannot be built from these options.
    pub fn system(&self) -> Result<Box<dyn System + '_>, Refusal> {
        (self.entry.build)(self)
    }

    /// The setup of the system.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The subcommand for which the site is built.
    pub fn verb(&self) -> Verb {
        self.verb
    }

    /// The algorithm.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The network.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.graph.nodes()
    }

    /// The assignment of ids to node numbers.
    ///
    /// # Errors
    ///
    /// If a file does not contain ids.
    pub fn order_of_ids(&self) -> Result<Ids, Refusal> {
        if let Some(text) = self.file(IDS.name) {
            let path = self.given(IDS.name).unwrap_or_default().trim_start_matches("file:");
            return Ids::read(text).map_err(|error| Refusal::new(format!("{path}: {error}")));
        }
        self.get(&IDS).ok_or_else(|| Refusal::new("--ids: the file is missing"))
    }

    /// The ids of all nodes, in the order of their numbers; empty if nodes have no ids.
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

    /// The neighbours on a ring, as left and right.
    pub fn ring_neighbours(&self, me: NodeId) -> Neighbours {
        let (left, right) = self.beside(me);
        Neighbours { left, right }
    }

    fn ring(&self) -> &Ring {
        self.ring.as_ref().expect("the network was checked to be a ring")
    }

    /// The next nodes on a ring, nearest first: at most this many, and never `me` itself.
    pub fn successors(&self, me: NodeId, count: usize) -> Vec<NodeId> {
        let after = |node: &NodeId| Some(self.successor(*node));
        let next = std::iter::successors(Some(self.successor(me)), after);
        next.take_while(|&node| node != me).take(count).collect()
    }

    /// The distance of each node of a ring from node 0, along the ring.
    pub fn ring_positions(&self) -> Vec<u32> {
        let mut positions = vec![0; self.nodes() as usize];
        let mut node = NodeId(0);
        for position in 0..self.nodes() {
            positions[node.index()] = position;
            node = self.successor(node);
        }
        positions
    }

    /// The next node on a shortest path to node 0; at node 0, the node itself.
    pub fn towards_first(&self, me: NodeId) -> NodeId {
        self.towards_first.get_or_init(|| self.graph.tree_towards(NodeId(0)))[me.index()]
    }

    /// Whether channels must be FIFO. If the algorithm relies on that, reliable links see to it.
    pub fn needs_fifo(&self) -> bool {
        !self.is_reliable() && self.relies_on_order()
    }

    fn relies_on_order(&self) -> bool {
        match self.entry.needs.order {
            Order::Any => false,
            Order::Fifo => true,
            Order::FifoIf(name, value) => self.choice(name) == value,
            Order::FifoToRepeat => self.repeats() > 1,
        }
    }

    /// Whether the algorithm never rests with these options.
    pub fn is_perpetual(&self) -> bool {
        let needs = self.entry.needs;
        needs.perpetual
            || needs.perpetual_if.is_some_and(|(name, value)| self.choice(name) == value)
    }

    /// Whether delays must not exceed a maximum.
    pub fn needs_bound(&self) -> bool {
        self.entry.needs.is_bounded(&self.setup.options)
    }

    /// Whether duplicates of messages are harmless. Where nothing but FIFO channels separates one
    /// round from the next, a duplicate can outlive its round.
    pub fn survives_duplicates(&self) -> bool {
        let needs = self.entry.needs;
        let outlives = needs.order == Order::FifoToRepeat && self.repeats() > 1;
        self.is_reliable() || needs.duplicates && !outlives
    }

    /// Whether lost messages are harmless. To send them again takes time, which an algorithm may
    /// not have.
    pub fn survives_losses(&self) -> bool {
        let needs = self.entry.needs;
        self.is_reliable() && !needs.bounded && !needs.patient
    }

    /// Whether links are reliable.
    pub fn is_reliable(&self) -> bool {
        self.setup.reliable.is_some()
    }

    /// The order that reliable links keep, and how often they look for what is not acknowledged.
    pub fn reliable_links(&self) -> Option<(reliable::Order, Duration)> {
        let order = match self.relies_on_order() {
            true => reliable::Order::Fifo,
            false => reliable::Order::Any,
        };
        self.setup.reliable.map(|ticks| (order, Duration::from_millis(ticks)))
    }

    /// What a formula says about the main quantity of a run. Formulas do not count what reliable
    /// links cost.
    pub fn expected(&self, options: &Options) -> Option<Expected> {
        if self.is_reliable() { None } else { (self.entry.formula)(self, options) }
    }

    /// The neighbours of a node, ascending.
    pub fn neighbours(&self, me: NodeId) -> Vec<NodeId> {
        self.graph.neighbours(me).collect()
    }

    /// The neighbours of a node in the tree of shortest paths to node 0, ascending.
    pub fn tree_neighbours(&self, me: NodeId) -> Vec<NodeId> {
        let mut neighbours = self.neighbours(me);
        neighbours
            .retain(|&other| self.towards_first(me) == other || self.towards_first(other) == me);
        neighbours
    }

    /// The content of the file that an option names, if it names one.
    pub fn file(&self, name: &str) -> Option<&str> {
        self.setup.files.get(name).map(String::as_str)
    }

    /// The value of an option, if it was given.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.setup.options.get(name).map(String::as_str)
    }

    /// The value of an option of the problem: as given, or its default, if that is a fixed value;
    /// that of a run, if the subcommand does not take the option.
    pub fn get<T: FromStr>(&self, option: &Opt) -> Option<T> {
        let usual = match option.usual(self.verb).or(option.usual(Verb::Run)) {
            Some(Usual::Is(value)) => Some(value),
            Some(Usual::Of(..) | Usual::Means(_)) | None => None,
        };
        // Values were checked when the site was built.
        self.given(option.name).or(usual).and_then(|text| text.parse().ok())
    }

    /// The value of an option of the problem that has a fixed default.
    pub fn value<T: FromStr>(&self, option: &Opt) -> T {
        self.get(option).unwrap_or_else(|| panic!("--{} has a default of its type", option.name))
    }

    /// The value of an option of the problem: as given, or the default of a run with these delays.
    pub fn timed<T: FromStr>(&self, option: &Opt, delay: Delay) -> Option<T> {
        option.get(&self.setup, Verb::Run, delay)
    }

    /// The nodes that an option of the problem selects.
    ///
    /// # Errors
    ///
    /// If it names nodes that do not exist.
    pub fn members(&self, option: &Opt) -> Result<Vec<NodeId>, Refusal> {
        self.resolve(option, &self.value::<Members>(option))
    }

    /// The nodes that this value of an option selects.
    ///
    /// # Errors
    ///
    /// If it names nodes that do not exist.
    pub fn resolve(&self, option: &Opt, members: &Members) -> Result<Vec<NodeId>, Refusal> {
        let mut random = Random::new(!self.setup.seed, Stream::Workload);
        let resolved = members.resolve(self.nodes(), &mut random);
        resolved.map_err(|problem| Refusal::new(format!("--{}: {problem}", option.name)))
    }

    /// The number of repetitions.
    pub fn repeats(&self) -> u32 {
        self.entry.problem.repeats.map_or(1, |option| self.value(option))
    }

    /// The value of an option of the algorithm: as given, or its default.
    pub fn choice(&self, name: &str) -> &str {
        let default = self.entry.choice(name).and_then(|choice| choice.values.first()).copied();
        self.given(name).or(default).unwrap_or_default()
    }

    /// The value of a numeric option of the algorithm; 1 if it is not a number.
    pub fn number(&self, name: &str) -> u32 {
        self.choice(name).parse().unwrap_or(1)
    }

    /// Whether the algorithm is the default variant.
    pub fn is_default_variant(&self) -> bool {
        let is_default = |choice: &crate::option::Choice| {
            Some(&self.choice(choice.name)) == choice.values.first()
        };
        self.entry.choices.first().is_none_or(is_default)
    }

    fn refuse_repetition(&self) -> Result<(), Refusal> {
        let Some(option) = self.entry.problem.repeats.filter(|_| self.entry.needs.once) else {
            return Ok(());
        };
        match self.repeats() {
            1 => Ok(()),
            _ => Err(Refusal::new(format!(
                "{} never detects its termination, so it cannot begin again: leave --{} out",
                self.entry.name, option.name
            ))),
        }
    }
}

fn refuse_bad_option(entry: &Entry, name: &str, value: &str) -> Result<(), Refusal> {
    if let Some(option) = entry.problem.option(name) {
        let checked = (option.check)(value);
        return checked.map_err(|problem| Refusal::new(format!("--{name}: {problem}")));
    }
    let Some(choice) = entry.choice(name) else {
        let options: Vec<_> =
            entry.choices.iter().map(|choice| format!("--{}", choice.name)).collect();
        let options = match options.len() {
            0 => "it has no options of its own".to_owned(),
            _ => format!("it has {}", options.join(", ")),
        };
        return Err(Refusal::new(format!("{} has no --{name}: {options}", entry.name)));
    };
    let checked = choice.check(value);
    checked.map_err(|right| Refusal::new(format!("--{name} cannot be '{value}': {right}")))
}

fn build_graph(setup: &Setup, entry: &Entry) -> Result<Graph, Refusal> {
    let bad = |error: GraphError| Refusal::new(error.to_string());
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
