//! Tokens on any network: with edges that point to it, or searched for everywhere.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::graph::{Graph, Topology};
use konklave::mutex::token_graph::{TokenGraph, Variant};
use konklave::mutex::token_search::{Search, TokenSearch};
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Options};

use super::lock::{ROUNDS, assert_close, assert_saturated, plan, run, saturated};
use super::turns::{assert_mean, distinct, mean_costs, schedules, turns, uniform};

const VARIANTS: [Variant; 4] =
    [Variant::All, Variant::Everyone, Variant::Acknowledged, Variant::One];

fn graph(topology: &str, nodes: u32, seed: u64) -> Graph {
    let mut random = Random::new(seed, Stream::Graph);
    topology.parse::<Topology>().unwrap().build(nodes, &mut || random.word()).unwrap()
}

fn graphs() -> Vec<Graph> {
    let forms = [
        ("complete", 1),
        ("complete", 2),
        ("complete", 9),
        ("ring", 4),
        ("ring", 13),
        ("line", 7),
        ("star", 9),
        ("tree:2", 13),
        ("grid", 9),
        ("grid", 20),
        ("hypercube", 16),
        ("gnp:0.3", 12),
        ("random-tree", 15),
    ];
    forms.iter().map(|&(form, nodes)| graph(form, nodes, 1)).collect()
}

fn on(graph: &Graph, variant: Variant) -> impl Fn(NodeId) -> TokenGraph + Copy {
    move |me| TokenGraph::new(me, graph.neighbours(me).collect(), NodeId(0), variant)
}

/// Edges that point to the token, one request after the other: for each node the neighbours nearer
/// to it, and when each of them had it last, as far as known.
struct Pointers<'a> {
    graph: &'a Graph,
    variant: Variant,
    token: NodeId,
    hop: i64,
    nearer: Vec<BTreeMap<NodeId, i64>>,
}

impl<'a> Pointers<'a> {
    /// After a wave from node 0 with constant delays: depths are distances, and the smaller pair of
    /// depth and number is nearer.
    fn new(graph: &'a Graph, variant: Variant) -> Self {
        let depths = graph.distances(NodeId(0));
        let label = |node: NodeId| -i64::from(depths[node.index()] * graph.nodes() + node.0);
        let nearer = |node: NodeId| {
            let others = graph.neighbours(node).map(|other| (other, label(other)));
            others.filter(|&(_, theirs)| theirs > label(node)).collect()
        };
        let nearer = NodeId::all(graph.nodes()).map(nearer).collect();
        Self { graph, variant, token: NodeId(0), hop: 0, nearer }
    }

    /// The messages and the wait of one entry.
    fn enter(&mut self, node: NodeId) -> (u64, u64) {
        let mut path = vec![node];
        while path[path.len() - 1] != self.token {
            let nearer = &self.nearer[path[path.len() - 1].index()];
            path.push(*nearer.iter().max_by_key(|(_, hop)| **hop).unwrap().0);
        }
        let hops = path.len() as u64 - 1;
        let (mut messages, mut wait) = (2 * hops, 2 * hops);
        for pair in path.windows(2).rev() {
            let told = self.step(pair[1], pair[0]);
            messages += told;
            if self.variant == Variant::Acknowledged && told > 0 {
                messages += told;
                // The token goes on when all have answered.
                wait += if pair[0] == node { 0 } else { 2 };
            }
        }
        (messages, wait)
    }

    /// The token goes from one node to the next: how many are told.
    fn step(&mut self, from: NodeId, to: NodeId) -> u64 {
        self.hop += 1;
        self.token = to;
        let nearer = std::mem::take(&mut self.nearer[to.index()]);
        let mut told: Vec<_> = match self.variant {
            Variant::All | Variant::Acknowledged => nearer.into_keys().collect(),
            Variant::Everyone => self.graph.neighbours(to).collect(),
            Variant::One => vec![],
        };
        told.retain(|&other| other != from);
        for other in &told {
            self.nearer[other.index()].insert(to, self.hop);
        }
        self.nearer[from.index()] = BTreeMap::from([(to, self.hop)]);
        told.len() as u64
    }
}

#[test]
fn the_wave_costs_two_messages_per_edge() {
    for (graph, variant) in graphs().iter().flat_map(|graph| VARIANTS.map(|v| (graph, v))) {
        for options in schedules() {
            let nodes = graph.nodes();
            let report = run(&options, nodes, plan(&options, nodes, Demand::Light, 0), |me| {
                on(graph, variant)(me)
            });
            let context = format!("{}, {variant:?}, {options:?}", graph.describe());
            assert_eq!(report.messages.total, 2 * graph.edges(), "{context}");
        }
    }
}

#[test]
fn an_entry_costs_the_way_there_and_back_and_who_is_told() {
    for (graph, variant) in graphs().iter().flat_map(|graph| VARIANTS.map(|v| (graph, v))) {
        for seed in 1..=3 {
            let mut pointers = Pointers::new(graph, variant);
            let order = uniform(graph.nodes(), 150, seed);
            for turn in turns(&Options::default(), graph.nodes(), &order, on(graph, variant)) {
                let expected = pointers.enter(turn.node);
                let context = format!("{}, {variant:?}, {turn:?}", graph.describe());
                assert_eq!((turn.messages, turn.waited), expected, "{context}");
            }
        }
    }
}

#[test]
fn an_entry_never_costs_more_than_all_edges() {
    // 2(n-1) for the way, and everyone whom somebody on it points to: m - (n-1) edges are left.
    for (graph, variant) in graphs().iter().flat_map(|graph| VARIANTS.map(|v| (graph, v))) {
        let (n, m) = (u64::from(graph.nodes()), graph.edges());
        let most = match variant {
            Variant::All => m + n - 1,
            Variant::Acknowledged => 2 * m,
            Variant::Everyone => (2 * m + n).saturating_sub(2),
            Variant::One => 2 * (n - 1),
        };
        for options in schedules() {
            let order = uniform(graph.nodes(), 60, options.seed);
            let mut token = NodeId(0);
            for turn in turns(&options, graph.nodes(), &order, on(graph, variant)) {
                let distance = graph.distances(token)[turn.node.index()];
                let context = format!("{}, {variant:?}, {turn:?}, {options:?}", graph.describe());
                assert!(turn.messages >= 2 * u64::from(distance), "{context}");
                assert!(turn.messages <= most, "at most {most}: {context}");
                token = turn.node;
            }
        }
    }
}

#[test]
fn means_under_light_load_are_those_of_the_dossier() {
    // mutex.md 6.4, to three percent: where the token is told about, nobody knows a formula.
    let table = [("complete", 9, 6.7), ("complete", 13, 8.9), ("ring", 13, 9.4)];
    for (form, nodes, mean) in table {
        let graph = graph(form, nodes, 1);
        let costs = mean_costs(20, 300, |seed| {
            let order = distinct(nodes, 1300, seed);
            turns(&Options::default(), nodes, &order, on(&graph, Variant::All))
        });
        let measured = costs.iter().sum::<f64>() / costs.len() as f64;
        assert!((measured / mean - 1.0).abs() < 0.03, "{form} of {nodes}: {measured}, not {mean}");
    }
}

#[test]
fn under_heavy_load_the_token_walks_round_a_tree_and_turns_the_other_edges_twice() {
    let forms = [
        ("complete", 3),
        ("complete", 9),
        ("complete", 13),
        ("ring", 4),
        ("ring", 13),
        ("grid", 4),
        ("grid", 9),
        ("tree:2", 13),
    ];
    for (form, nodes) in forms {
        let graph = graph(form, nodes, 1);
        let (n, m) = (f64::from(nodes), graph.edges() as f64);
        let (walk, delay) = (4.0 * (n - 1.0) / n, 2.0 * (n - 1.0) / n);
        let turned = 2.0 * (m - (n - 1.0)) / n;
        let context = graph.describe();
        assert_saturated(nodes, walk, delay, &context, on(&graph, Variant::One));
        assert_saturated(nodes, walk + turned, delay, &context, on(&graph, Variant::All));
        if form == "complete" {
            // Everyone else is told at each of 2(n-1) steps, but for where the token came from.
            let told = 2.0 * (n - 1.0) * (n - 2.0) / n;
            assert_saturated(nodes, walk + told, delay, &context, on(&graph, Variant::Everyone));
        }
        let acknowledged = saturated(nodes, ROUNDS, on(&graph, Variant::Acknowledged));
        let measured = acknowledged.messages_per_entry.unwrap();
        assert_close(measured, walk + 2.0 * turned, &context);
    }
}

/// The neighbours that take part in a search, and how many messages it takes.
fn searches(graph: &Graph) -> Vec<(Search, &'static str, u64)> {
    let (n, m) = (u64::from(graph.nodes()), graph.edges());
    let mut found = vec![(Search::Flood, "flood", 2 * m - (n - 1)), (Search::Echo, "echo", 2 * m)];
    if graph.is_complete() {
        found.push((Search::Direct, "direct", n - 1));
    }
    found
}

fn search(graph: &Graph, form: Search) -> impl Fn(NodeId) -> TokenSearch + Copy {
    move |me| TokenSearch::new(me, graph.neighbours(me).collect(), NodeId(0), form)
}

#[test]
fn a_search_costs_every_edge_and_the_token_its_way() {
    for graph in graphs() {
        let nodes = graph.nodes();
        for (form, name, cost) in searches(&graph) {
            for options in schedules() {
                let is_constant = options.delay == Delay::Constant(1);
                let mut token = NodeId(0);
                let order = uniform(nodes, 40, options.seed);
                for turn in turns(&options, nodes, &order, search(&graph, form)) {
                    let way = u64::from(graph.distances(token)[turn.node.index()]);
                    let searched = if way == 0 { 0 } else { cost };
                    let context = format!("{}, {name}, {turn:?}, {options:?}", graph.describe());
                    // The token goes back the way that the search was fastest on.
                    assert!(turn.messages >= searched + way, "{context}");
                    assert!(turn.messages < searched + u64::from(nodes), "{context}");
                    if is_constant || graph.is_tree() {
                        assert_eq!(turn.messages, searched + way, "{context}");
                    }
                    if is_constant {
                        assert_eq!(turn.waited, 2 * way, "{context}");
                    }
                    token = turn.node;
                }
            }
        }
    }
}

#[test]
fn under_heavy_load_a_search_costs_the_same_and_the_token_takes_all_the_delay() {
    for graph in graphs().iter().filter(|graph| graph.nodes() > 1) {
        let nodes = graph.nodes();
        let diameter = NodeId::all(nodes).flat_map(|node| graph.distances(node)).max().unwrap();
        for (form, name, cost) in searches(graph) {
            let report = saturated(nodes, ROUNDS, search(graph, form));
            let delay = report.coordination_delay.unwrap();
            let context = format!("{}, {name}", graph.describe());
            let hops = report.messages_per_entry.unwrap() - cost as f64;
            assert_close(hops, delay.mean, &context);
            assert!(delay.max <= f64::from(diameter), "{context}: {delay:?}");
        }
    }
}

#[test]
fn a_search_on_the_binary_tree_of_thirteen_costs_what_the_dossier_says() {
    // mutex.md 6.6: 12 + 3.28.
    let tree = graph("tree:2", 13, 1);
    let sum: u32 = NodeId::all(13).flat_map(|node| tree.distances(node)).sum();
    let mean = 12.0 + f64::from(sum) / f64::from(13 * 12);
    assert!((mean - 15.28).abs() < 0.005, "{mean}");
    let costs = mean_costs(40, 0, |seed| {
        turns(&Options::default(), 13, &distinct(13, 500, seed), search(&tree, Search::Flood))
    });
    assert_mean(&costs, mean, "distinct");
}
