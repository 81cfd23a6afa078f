//! Elections on any network, with all that may vary.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::election::{Command, Event, Id, Monitor, Winner};
use konklave::graph::Topology;
use konklave::protocol::Protocol;
use konklave_catalog::election::workload::{Ballot, ElectionReport, Plan};
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Ended, Options, RunReport, Simulation};

use super::lock::EVENTS_MAX;

/// Who can talk to whom.
#[derive(Clone, Debug)]
pub(super) struct Net {
    pub(super) name: String,
    neighbours: Vec<Vec<NodeId>>,
}

impl Net {
    /// The topology with so many nodes; a random one is drawn from the seed.
    pub(super) fn new(topology: &str, nodes: u32, seed: u64) -> Self {
        let mut random = Random::new(seed, Stream::Graph);
        let topology: Topology = topology.parse().unwrap();
        let graph = topology.build(nodes, &mut || random.word()).unwrap();
        let neighbours = NodeId::all(nodes).map(|node| graph.neighbours(node).collect()).collect();
        Self { name: format!("{}, seed {seed}", graph.describe()), neighbours }
    }

    /// A random tree, and further edges drawn at random until there are so many.
    pub(super) fn random(nodes: u32, edges: u64, seed: u64) -> Self {
        let mut net = Self::new("random-tree", nodes, seed);
        let mut random = Random::new(!seed, Stream::Graph);
        while net.edges() < edges {
            let [a, b] = [0, 1].map(|_| NodeId(random.below(nodes.into()) as u32));
            if a != b && !net.neighbours[a.index()].contains(&b) {
                net.neighbours[a.index()].push(b);
                net.neighbours[b.index()].push(a);
            }
        }
        net.neighbours.iter_mut().for_each(|list| list.sort_unstable());
        net.name = format!("random network of {nodes} nodes and {edges} edges, seed {seed}");
        net
    }

    pub(super) fn nodes(&self) -> u32 {
        self.neighbours.len() as u32
    }

    pub(super) fn edges(&self) -> u64 {
        self.neighbours.iter().map(|list| list.len() as u64).sum::<u64>() / 2
    }

    /// The distance from `start` to the farthest node.
    pub(super) fn eccentricity(&self, start: u32) -> u32 {
        let mut reached = BTreeSet::from([NodeId(start)]);
        let mut distance = 0;
        loop {
            let before = reached.len();
            let next: Vec<_> =
                reached.iter().flat_map(|node| &self.neighbours[node.index()]).copied().collect();
            reached.extend(next);
            if reached.len() == before {
                return distance;
            }
            distance += 1;
        }
    }
}

/// Networks of many forms, of these sizes.
pub(super) fn nets(sizes: &[u32]) -> Vec<Net> {
    let drawn = sizes.iter().flat_map(|&nodes| {
        let dense = u64::from(nodes * (nodes - 1) / 2);
        let sparse = dense.min(2 * u64::from(nodes));
        [sparse, dense / 2].map(|edges| Net::random(nodes, edges, u64::from(nodes)))
    });
    let forms = ["line", "ring", "star", "complete", "grid", "random-tree"];
    formed(&forms, sizes).chain(drawn).collect()
}

/// Trees of many forms, of these sizes.
pub(super) fn tree_nets(sizes: &[u32]) -> Vec<Net> {
    formed(&["line", "star", "tree:2", "random-tree"], sizes).collect()
}

fn formed(forms: &[&str], sizes: &[u32]) -> impl Iterator<Item = Net> {
    sizes.iter().flat_map(move |&nodes| {
        forms.iter().map(move |form| Net::new(form, nodes, u64::from(nodes)))
    })
}

/// One election.
#[derive(Clone, Debug)]
pub(super) struct Race<'a> {
    pub(super) net: &'a Net,
    pub(super) options: Options,
    pub(super) ids: Vec<u32>,
    pub(super) initiators: Vec<u32>,
    /// Initiators start at a random time up to this one.
    pub(super) within: u64,
}

impl<'a> Race<'a> {
    /// With unit delays: random ids, and so many initiators, which start at once.
    pub(super) fn new(net: &'a Net, initiators: u32, seed: u64) -> Self {
        let mut ids: Vec<_> = (0..net.nodes()).collect();
        Random::new(seed, Stream::Ids).shuffle(&mut ids);
        let initiators = Random::new(seed, Stream::Workload).sample(initiators, net.nodes());
        let options = Options { seed, ..Options::default() };
        Self { net, options, ids, initiators, within: 0 }
    }

    /// Under a schedule that the seed draws.
    pub(super) fn disordered(net: &'a Net, initiators: u32, seed: u64) -> Self {
        let delay = [Delay::Uniform(1, 30), Delay::Exponential(10), Delay::Asymmetric(1, 30)];
        let mut race = Self::new(net, initiators, seed);
        race.options.delay = delay[seed as usize % 3];
        race.options.fifo = seed.is_multiple_of(2);
        race.within = 20 * (seed % 4);
        race
    }

    /// Holds it, which must end well.
    pub(super) fn run<P>(
        &self,
        winner: Winner,
        make: impl Fn(Id, Vec<NodeId>) -> P,
    ) -> RunReport<ElectionReport>
    where
        P: Protocol<Command = Command, Event = Event>,
    {
        let report = self.hold(winner, make);
        assert_eq!(report.ended, Ended::Quiescence, "{self:?}: {:?}", report.violations);
        assert_eq!(report.problem.known_by, self.net.nodes(), "{self:?}");
        report
    }

    /// Holds it.
    pub(super) fn hold<P>(
        &self,
        winner: Winner,
        make: impl Fn(Id, Vec<NodeId>) -> P,
    ) -> RunReport<ElectionReport>
    where
        P: Protocol<Command = Command, Event = Event>,
    {
        let ids: Vec<_> = self.ids.iter().copied().map(Id).collect();
        let starters = self.initiators.iter().copied().map(NodeId).collect();
        let ballot = Ballot::new(ids.clone(), Plan::once(starters, self.within));
        let monitor = Monitor::new(ids.clone(), winner);
        let make = |me: NodeId| make(ids[me.index()], self.net.neighbours[me.index()].clone());
        let options = Options { event_limit: Some(EVENTS_MAX), ..self.options.clone() };
        let mut simulation = Simulation::new(options, self.net.nodes(), make, ballot, monitor);
        simulation.run(&mut |_| true).expect("nothing is written")
    }
}

/// Races of one, some and all initiators on this network, under so many schedules each.
pub(super) fn races(net: &Net, schedules: u64) -> impl Iterator<Item = Race<'_>> {
    let nodes = net.nodes();
    let initiators = BTreeSet::from([1, nodes.div_ceil(3), nodes]);
    initiators.into_iter().flat_map(move |count| {
        let disordered = (1..=schedules).map(move |seed| Race::disordered(net, count, seed));
        disordered.chain([Race::new(net, count, 1)])
    })
}
