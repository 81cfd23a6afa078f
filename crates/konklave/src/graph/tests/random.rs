use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::graph::random;

type Edges = BTreeSet<(u32, u32)>;

fn ordered(edges: Vec<(u32, u32)>) -> Edges {
    edges.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// The chi-squared statistic: the sum of squared deviations from the expectation, relative to it.
fn chi_square(counts: impl Iterator<Item = (u32, f64)>) -> f64 {
    counts.map(|(count, expected)| (f64::from(count) - expected).powi(2) / expected).sum()
}

#[test]
fn all_trees_are_equally_likely() {
    let mut random = splitmix64(1);
    for (nodes, trees, limit) in [(3, 3, 13.8), (4, 16, 37.7), (5, 125, 183.2)] {
        let draws = 1000 * trees;
        let mut counts = BTreeMap::<Edges, u32>::new();
        for _ in 0..draws {
            let tree = ordered(random::tree(nodes, &mut random));
            assert_eq!(tree.len(), nodes as usize - 1);
            *counts.entry(tree).or_default() += 1;
        }
        // A. Cayley: n^(n-2) trees.
        assert_eq!(counts.len(), trees);
        // The 99.9 % quantile.
        let distance = chi_square(counts.into_values().map(|count| (count, 1000.0)));
        assert!(distance < limit, "{distance} for {nodes} nodes");
    }
}

#[test]
fn each_random_graph_is_as_likely_as_its_edges_make_it() {
    let (p, draws) = (0.3, 100_000);
    let mut random = splitmix64(2);
    let mut counts = BTreeMap::<Edges, u32>::new();
    for _ in 0..draws {
        *counts.entry(ordered(random::gnp(4, p, &mut random))).or_default() += 1;
    }
    let pairs: Vec<(u32, u32)> = (0..4).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let all_graphs = (0..64_u32).map(|set| {
        let chosen = pairs.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
        let graph: Edges = chosen.map(|(_, pair)| *pair).collect();
        let expected = f64::from(draws)
            * p.powi(set.count_ones() as i32)
            * (1.0_f64 - p).powi(6 - set.count_ones() as i32);
        (counts.get(&graph).copied().unwrap_or(0), expected)
    });
    // The 99.9 % quantile for 63 degrees of freedom.
    let distance = chi_square(all_graphs);
    assert!(distance < 103.4, "{distance}");
}

#[test]
fn the_number_of_edges_of_a_random_graph_has_the_right_mean_and_spread() {
    let (nodes, p, draws) = (1000_u32, 0.02, 200);
    let mut random = splitmix64(3);
    let counts: Vec<f64> =
        (0..draws).map(|_| random::gnp(nodes, p, &mut random).len() as f64).collect();
    let mean = counts.iter().sum::<f64>() / f64::from(draws);
    let variance =
        counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / f64::from(draws - 1);

    let pairs = f64::from(nodes * (nodes - 1) / 2);
    let expected = pairs * p * (1.0 - p);
    assert!((mean - pairs * p).abs() < 4.0 * (expected / f64::from(draws)).sqrt(), "{mean}");
    // A sample variance deviates by a factor of about sqrt(2 / draws) = 0.1.
    assert!((0.6..1.4).contains(&(variance / expected)), "{variance} instead of {expected}");
}

#[test]
fn extreme_probabilities() {
    let mut random = splitmix64(4);
    assert_eq!(random::gnp(50, 0.0, &mut random), []);
    assert_eq!(random::gnp(50, f64::MIN_POSITIVE, &mut random), []);
    assert_eq!(random::gnp(1, 1.0, &mut random), []);
    assert_eq!(build("gnp:1", 50), build("complete", 50));
    assert_eq!(build("gnp:0", 1).nodes(), 1);
    // Words at the ends of the range: the gaps are as large and as small as they can be.
    assert_eq!(random::gnp(50, 1e-12, &mut || 0), []);
    assert_eq!(random::gnp(50, 1e-12, &mut || u64::MAX).len(), 50 * 49 / 2);
}

#[test]
fn a_graph_that_is_not_connected_is_drawn_again() {
    // The smallest word jumps over all pairs, the largest over none.
    let mut words = [0; 3].into_iter().chain(std::iter::repeat(u64::MAX));
    let topology: Topology = "gnp:0.5".parse().unwrap();
    let graph = topology.build(10, &mut || words.next().unwrap()).unwrap();
    assert_eq!(graph, build("complete", 10));
    assert!(topology.build(10, &mut || 0).is_err());

    // Of the 19355 cubic graphs on eight nodes 35 consist of two halves.
    let topology: Topology = "regular:3".parse().unwrap();
    let mut random = splitmix64(5);
    let is_halves = |edges: &Vec<(u32, u32)>| {
        let next_to_0 = edges.iter().filter(|(a, _)| *a == 0).map(|(_, b)| *b);
        let half: BTreeSet<u32> = next_to_0.chain([0]).collect();
        edges.iter().all(|(a, b)| half.contains(a) == half.contains(b))
    };
    let draws = (0..5000).filter_map(|_| random::regular(8, 3, &mut random));
    assert!(draws.filter(is_halves).count() > 0);
    for _ in 0..5000 {
        let graph = topology.build(8, &mut random).unwrap();
        assert!(graph.distances(NodeId(0)).iter().all(|&distance| distance < 8));
    }
}

#[test]
fn every_cubic_graph_on_six_nodes_comes_up() {
    // Ten ways to split six nodes 3 to 3, and sixty prisms; all are connected.
    let mut random = splitmix64(6);
    let topology: Topology = "regular:3".parse().unwrap();
    let mut counts = BTreeMap::<Vec<_>, u32>::new();
    for _ in 0..7000 {
        let graph = topology.build(6, &mut random).unwrap();
        *counts.entry(graph.iter_edges().collect()).or_default() += 1;
    }
    assert_eq!(counts.len(), 70);
    assert!(counts.values().all(|count| (30..300).contains(count)), "{counts:?}");
}

#[test]
fn every_cycle_on_five_nodes_is_equally_likely() {
    let mut random = splitmix64(7);
    let mut counts = BTreeMap::<Edges, u32>::new();
    for _ in 0..12_000 {
        *counts.entry(ordered(random::cycle(5, &mut random))).or_default() += 1;
    }
    assert_eq!(counts.len(), 12);
    let distance = chi_square(counts.into_values().map(|count| (count, 1000.0)));
    assert!(distance < 31.3, "{distance}");
}

#[test]
fn regular_graphs_of_every_degree_are_regular() {
    for nodes in 2..=30 {
        for degree in (1..nodes).filter(|degree| nodes * degree % 2 == 0) {
            if degree == 1 && nodes > 2 {
                continue;
            }
            let graph = build(&format!("regular:{degree}"), nodes);
            assert!(NodeId::all(nodes).all(|node| graph.degree(node) == degree));
            assert_eq!(graph.edges(), u64::from(nodes) * u64::from(degree) / 2);
        }
    }
}

#[test]
fn large_graphs_are_no_burden() {
    let nodes = 100_000;
    let regular = build("regular:4", nodes);
    assert!(NodeId::all(nodes).all(|node| regular.degree(node) == 4));
    // Pairing rarely yields a single cycle, so degree two uses another algorithm.
    assert!(build("regular:2", nodes).ring().is_some());
    assert!(build("random-tree", nodes).is_tree());

    let mut random = splitmix64(8);
    let edges = random::gnp(nodes, 0.0001, &mut random).len() as f64;
    let expected = 0.0001 * 99_999.0 * 50_000.0;
    assert!((edges - expected).abs() < 4.0 * f64::sqrt(expected), "{edges}");
}

#[test]
fn the_same_words_give_the_same_graph() {
    // Pinned: a change here changes the meaning of every recorded seed.
    let pinned = |topology, nodes| -> Vec<_> {
        let graph = build(topology, nodes);
        graph.iter_edges().map(|(a, b)| (a.0, b.0)).collect::<Vec<_>>()
    };
    assert_eq!(pinned("random-tree", 6), [(0, 2), (0, 4), (0, 5), (1, 4), (2, 3)]);
    assert_eq!(pinned("gnp:0.5", 5), [(0, 2), (1, 2), (2, 3), (3, 4)]);
    let prism = [(0, 1), (0, 2), (0, 5), (1, 2), (1, 4), (2, 3), (3, 4), (3, 5), (4, 5)];
    assert_eq!(pinned("regular:3", 6), prism);
    let small_world = [(0, 1), (0, 3), (1, 3), (2, 3), (2, 5), (4, 5)];
    assert_eq!(pinned("watts-strogatz:2,0.5", 6), small_world);
    // Computed apart, by hand and splitmix64.
    let scale_free = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5)];
    assert_eq!(pinned("barabasi-albert:2", 6), scale_free);
}
