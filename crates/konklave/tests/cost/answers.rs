//! Questions that mutex.md asks in section 11, answered by trying. How fair local queues are, and
//! how often an elevator may stop, is in `fairness.rs`.

use std::collections::VecDeque;

use konklave::NodeId;
use konklave::graph::{Graph, Topology};
use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::central::Central;
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::naimi_trehel::NaimiTrehel;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::raymond::{self, Raymond, Variant};
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::token_search::{Search, TokenSearch};
use konklave::mutex::{Command, Event};
use konklave::protocol::Protocol;
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::{Options, RunReport};

use super::chang_roberts::harmonic;
use super::lock::{Measured, plan, run};
use super::ring::beside;
use super::schedules::System;
use super::tree::Tree;
use super::turns::{Turn, distinct, total, turns, uniform};

fn graph(topology: &str, nodes: u32) -> Graph {
    topology.parse::<Topology>().unwrap().build(nodes, &mut || 0).unwrap()
}

fn on(tree: &Tree) -> impl Fn(NodeId) -> Raymond + Copy {
    move |me| Raymond::new(me, tree.towards(me, NodeId(0)), Variant::Plain)
}

fn token_graph(
    graph: &Graph,
    variant: token_graph::Variant,
) -> impl Fn(NodeId) -> TokenGraph + Copy {
    move |me| TokenGraph::new(me, graph.neighbours(me).collect(), NodeId(0), variant)
}

/// One entry of `node`, the token being at node 0.
fn one<P>(nodes: u32, node: u32, make: impl Fn(NodeId) -> P) -> Turn
where
    P: Protocol<Command = Command, Event = Event>,
{
    turns(&Options::default(), nodes, &[NodeId(node)], make)[0]
}

#[test]
fn who_knows_nothing_must_ask_everyone_and_who_knows_directions_only_those_on_the_way() {
    // Question 1. A grid of 20, the token in one corner and the requester in the other.
    let grid = graph("grid:5x4", 20);
    let (edges, way) = (grid.edges(), 7);
    let search = |form| {
        let make = |me| TokenSearch::new(me, grid.neighbours(me).collect(), NodeId(0), form);
        one(20, 19, make).messages - way
    };
    assert_eq!(search(Search::Flood), 2 * edges - 19);
    assert_eq!(search(Search::Echo), 2 * edges);
    let spanning: Vec<_> = grid.tree_towards(NodeId(0));
    let edges: Vec<_> = (1..20).map(|node| (node, spanning[node].index())).collect();
    let tree = Tree::of(&edges);
    let along = |me: NodeId| {
        let is_neighbour = |other: &NodeId| tree.distance(me, *other) == 1;
        let neighbours = NodeId::all(20).filter(is_neighbour).collect();
        TokenSearch::new(me, neighbours, NodeId(0), Search::Flood)
    };
    assert_eq!(one(20, 19, along).messages - way, 19, "n-1 on a tree without directions");
    assert_eq!(one(20, 19, on(&tree)).messages - way, way, "the path, with directions");
}

#[test]
fn a_star_is_a_good_natured_tree_and_a_path_a_bad_natured_one() {
    // Question 2.
    for nodes in [3, 10, 25] {
        let order = distinct(nodes, 300, 1);
        let star = Tree::new("star", nodes, 1);
        let worst = turns(&Options::default(), nodes, &order, on(&star));
        assert_eq!(worst.iter().map(|turn| turn.messages).max(), Some(4), "{nodes} nodes");
        let path = Tree::new("line", nodes, 1);
        let most = one(nodes, nodes - 1, on(&path)).messages;
        assert_eq!(most, 2 * u64::from(nodes - 1), "{nodes} nodes");
    }
}

#[test]
fn keeping_directions_in_a_tree_costs_no_message() {
    // Question 3: there are requests and tokens, as many of each, and nothing else.
    for demand in [Demand::Light, Demand::Heavy, Demand::Poisson(1.0)] {
        let (options, tree) = (Options::default(), Tree::new("tree:2", 12, 1));
        let report = run(&options, 12, plan(&options, 12, demand, 5), on(&tree));
        let kinds: Vec<_> = report.messages.by_kind.keys().cloned().collect();
        assert_eq!(kinds, ["Request", "Token"], "{demand}");
        assert_eq!(report.messages.called("Request"), report.messages.called("Token"), "{demand}");
    }
}

#[test]
fn a_request_that_overtakes_the_token_does_not_matter_in_a_tree() {
    // Question 5: all schedules of two entries each, in any order, serve everybody.
    let path = Tree::new("line", 3, 1);
    for variant in [Variant::Plain, Variant::Combined, Variant::Greedy] {
        let make = |me| Raymond::new(me, path.towards(me, NodeId(0)), variant);
        assert!(System::new(&[2; 3], false, make).extremes(&|_| ()).is_some(), "{variant:?}");
    }
}

#[test]
fn a_request_always_catches_the_token() {
    // Question 8: in every state of every schedule, requests lead from whoever waits to the token,
    // or to where it is under way; the last of them may be under way, too.
    for form in ["line", "star"] {
        let tree = Tree::new(form, 4, 1);
        let system = System::new(&[1, 2, 1, 2], true, on(&tree));
        let found = system.extremes(&|system| NodeId::all(4).for_each(|me| follow(system, me)));
        assert!(found.is_some(), "{form}: everybody is served");
    }
}

fn follow(system: &System<Raymond>, node: NodeId) {
    let carries = |(way, messages): (&(NodeId, NodeId), &VecDeque<_>)| {
        messages.contains(&raymond::Msg::Token).then_some(way.1)
    };
    let here = || NodeId::all(4).find(|node| system.nodes[node.index()].has_token());
    let token = here().or_else(|| system.channels.iter().find_map(carries)).expect("a token");
    let (mut at, mut steps) = (node, 0);
    while at != token {
        let Some(holder) = system.nodes[at.index()].waits_for().iter().next() else { return };
        let is_under_way = system.channels.contains_key(&(at, holder));
        let goes_on = holder == token || !system.nodes[holder.index()].waits_for().is_empty();
        assert!(goes_on || is_under_way, "lost at {holder}: {system:?}");
        steps += 1;
        assert!(steps <= 4, "round in a circle: {system:?}");
        at = holder;
    }
}

#[test]
fn only_those_whom_the_new_owner_pointed_to_need_to_be_told() {
    // Question 11: acknowledgements cost as much again, and tell nobody anything.
    let grid = graph("grid:4x3", 12);
    let order = uniform(12, 200, 1);
    let cost = |variant| {
        let make = token_graph(&grid, variant);
        turns(&Options::default(), 12, &order, make)
    };
    let (all, acknowledged) =
        (cost(token_graph::Variant::All), cost(token_graph::Variant::Acknowledged));
    let everyone = cost(token_graph::Variant::Everyone);
    let told = |turn: &Turn, other: &Turn| other.messages - turn.messages;
    for (turn, other) in all.iter().zip(&acknowledged) {
        // Without acknowledgements the wait is two per hop, so it tells the hops.
        assert_eq!(turn.messages - turn.waited, told(turn, other), "{turn:?}");
    }
    assert!(total(&all) < total(&everyone), "telling all neighbours costs more");
}

#[test]
fn flipping_one_edge_is_raymonds_algorithm_on_a_spanning_tree() {
    // Question 12: turn by turn, from the first one on.
    for form in ["grid:4x3", "complete", "ring", "hypercube"] {
        let nodes = if form == "hypercube" { 16 } else { 12 };
        let graph = graph(form, nodes);
        let towards = graph.tree_towards(NodeId(0));
        let edges: Vec<_> = (1..nodes as usize).map(|node| (node, towards[node].index())).collect();
        let tree = Tree::of(&edges);
        let order = uniform(nodes, 300, 2);
        let one = turns(
            &Options::default(),
            nodes,
            &order,
            token_graph(&graph, token_graph::Variant::One),
        );
        assert_eq!(one, turns(&Options::default(), nodes, &order, on(&tree)), "{form}");
    }
}

#[test]
fn path_reversal_is_the_best_use_of_a_complete_graph() {
    // Question 13: telling everyone costs n messages and 2T, as asking everyone does; one edge at a
    // time makes a star; path reversal costs about H(n-1).
    for nodes in [5, 13, 40] {
        let complete = graph("complete", nodes);
        let order = distinct(nodes, 1000, 1);
        let play = |variant| {
            let make = token_graph(&complete, variant);
            turns(&Options::default(), nodes, &order, make)
        };
        for turn in play(token_graph::Variant::Everyone) {
            assert_eq!((turn.messages, turn.waited), (nodes.into(), 2), "{turn:?}");
        }
        let star = Tree::new("star", nodes, 1);
        let one = play(token_graph::Variant::One);
        assert_eq!(one, turns(&Options::default(), nodes, &order, on(&star)));
        let make = |me| NaimiTrehel::new(me, NodeId(0));
        let reversed = turns(&Options::default(), nodes, &order, make);
        let n = f64::from(nodes);
        let expected = 1000.0 * harmonic(nodes - 1) * n / (n - 1.0);
        let relative = total(&reversed) as f64 / expected;
        assert!((relative - 1.0).abs() < 0.05, "{nodes} nodes: {relative}");
        if nodes < 13 {
            assert!(total(&reversed) < total(&one), "even than on a star, if it is small");
        }
    }
}

#[test]
fn fifo_matters_on_the_ring_only_without_hop_numbers() {
    // Question 14: all schedules of two entries each.
    let chase = |variant, fifo| {
        let make = |me: NodeId| RingChase::new(me, beside(me, 3), me.0, 3, variant);
        System::new(&[2; 3], fifo, make).extremes(&|_| ())
    };
    assert!(chase(ring_chase::Variant::Hop, true).is_some());
    assert!(chase(ring_chase::Variant::Hop, false).is_some());
    assert!(chase(ring_chase::Variant::Circle, true).is_some());
    assert_eq!(chase(ring_chase::Variant::Circle, false), None, "a hunt overtakes the token");
}

/// The tree with this Prüfer sequence: every labelled tree has exactly one.
fn prufer(sequence: &[usize]) -> Tree {
    let nodes = sequence.len() + 2;
    let mut left: Vec<usize> = (0..nodes).collect();
    let mut edges = Vec::new();
    for (place, &inner) in sequence.iter().enumerate() {
        let rest = &sequence[place..];
        let at = left.iter().position(|node| !rest.contains(node)).unwrap();
        edges.push((left.remove(at), inner));
    }
    edges.push((left[0], left[1]));
    Tree::of(&edges)
}

/// All pairs of token and requester, one after the other; the load of the busiest node over the
/// mean, too.
fn all_pairs(tree: &Tree) -> (u64, f64) {
    let nodes = tree.nodes();
    let pairs = NodeId::all(nodes).flat_map(|a| NodeId::all(nodes).flat_map(move |b| [a, b]));
    let order: Vec<_> = pairs.collect();
    let turns = turns(&Options::default(), nodes, &order, on(tree));
    let messages = turns.iter().skip(1).step_by(2).map(|turn| turn.messages).sum();
    let options = Options::default();
    let report = run(&options, nodes, plan(&options, nodes, Demand::Light, 200), on(tree));
    (messages, busiest(&report))
}

fn busiest(report: &RunReport<Measured>) -> f64 {
    f64::from(report.messages.max_per_node) / report.messages.mean_per_node
}

#[test]
fn the_best_tree_is_a_star_and_the_worst_a_path() {
    // Question 15: all 125 labelled trees of five nodes. The star is worst for the load of its hub.
    let sequences = (0..125).map(|number| [number / 25, number / 5 % 5, number % 5]);
    let trees: Vec<_> = sequences.map(|sequence| prufer(&sequence)).collect();
    let measured: Vec<_> = trees.iter().map(all_pairs).collect();
    let (least, most) = (
        measured.iter().map(|tree| tree.0).min().unwrap(),
        measured.iter().map(|tree| tree.0).max().unwrap(),
    );
    let heaviest = measured.iter().map(|tree| tree.1).fold(0.0, f64::max);
    for (tree, (messages, load)) in trees.iter().zip(&measured) {
        match tree.diameter() {
            2 => assert!(*messages == least && *load > 0.9 * heaviest, "{}", tree.name),
            4 => assert!(*messages == most && *load < 0.9 * heaviest, "{}", tree.name),
            _ => assert!(least < *messages && *messages < most, "{}", tree.name),
        }
    }
    // 2 times 4(n-1)/n for pairs of different nodes, and 2(n+1)/3.
    assert_eq!((least, most), (4 * 4 * 4, 2 * 6 * 5 * 4 / 3));
}

#[test]
fn a_central_manager_is_a_bottleneck() {
    // Question 16: it sends or receives every message.
    let options = Options::default();
    for nodes in [5, 20, 50] {
        let plan = plan(&options, nodes, Demand::Heavy, 5);
        let report = run(&options, nodes, plan, |me| Central::new(me, NodeId(0)));
        assert_eq!(u64::from(report.messages.max_per_node), report.messages.total);
    }
}

#[test]
fn planes_load_everyone_alike_and_trees_do_not() {
    // Question 17. Everyone enters equally often.
    let options = Options::default();
    let plan = |nodes| plan(&options, nodes, Demand::Heavy, 10);
    for nodes in [7, 13, 31] {
        let quorums = Quorums::plane(nodes).unwrap();
        let make = |me| Maekawa::new(me, quorums.of(me).clone());
        let load = busiest(&run(&options, nodes, plan(nodes), make));
        assert!(load < 1.05, "plane of {nodes}: {load}");
        let tree = Tree::new("tree:2", nodes, 1);
        let load = busiest(&run(&options, nodes, plan(nodes), on(&tree)));
        assert!(load > 1.5, "tree of {nodes}: {load}");
    }
}

#[test]
fn quorum_algorithms_do_not_need_fifo() {
    // Question 20: all schedules of few entries, in any order, serve everybody.
    let triangle = Quorums::parse("0: 0 1\n1: 1 2\n2: 2 0", 3).unwrap();
    let make = |me| Maekawa::new(me, triangle.of(me).clone());
    assert!(System::new(&[2; 3], false, make).extremes(&|_| ()).is_some());
    let make = |me| CaoSinghal::new(me, triangle.of(me));
    assert!(System::new(&[1; 3], false, make).extremes(&|_| ()).is_some());
}
