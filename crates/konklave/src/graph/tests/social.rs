//! Small worlds and scale-free graphs, beside what is known of them.

use std::collections::BTreeMap;

use super::*;

/// The mean over all nodes of the share of neighbours that are adjacent to each other.
fn clustering(graph: &Graph) -> f64 {
    let of = |node: NodeId| {
        let near: Vec<_> = graph.neighbours(node).collect();
        let pairs = near.iter().flat_map(|&a| near.iter().map(move |&b| (a, b)));
        let joined = pairs.filter(|&(a, b)| a < b && graph.has_edge(a, b)).count();
        let all = near.len() * near.len().saturating_sub(1) / 2;
        if all == 0 { 0.0 } else { joined as f64 / all as f64 }
    };
    NodeId::all(graph.nodes()).map(of).sum::<f64>() / f64::from(graph.nodes())
}

/// The mean distance from a few nodes to all others.
fn distance(graph: &Graph) -> f64 {
    let sum = |node| graph.distances(NodeId(node)).iter().map(|&it| f64::from(it)).sum::<f64>();
    (0..10).map(sum).sum::<f64>() / 10.0 / f64::from(graph.nodes() - 1)
}

#[test]
fn without_rewiring_a_small_world_is_a_lattice() {
    assert_eq!(build("watts-strogatz:2,0", 12), build("ring", 12));
    assert_eq!(build("watts-strogatz:4,0", 5), build("complete", 5));
    for degree in [4_u32, 6, 10] {
        let graph = build(&format!("watts-strogatz:{degree},0"), 100);
        assert!(NodeId::all(100).all(|node| graph.degree(node) == degree));
        let near = |node: u32| (node + 100 - 17).min(100 + 17 - node) % 100;
        for other in NodeId::all(100).filter(|other| other.0 != 17) {
            let steps = near(other.0).min(100 - near(other.0));
            assert_eq!(graph.has_edge(NodeId(17), other), steps <= degree / 2, "{other}");
        }
        // A. Barrat and M. Weigt (2000): 3 (K - 2) / 4 (K - 1).
        let known = 3.0 * f64::from(degree - 2) / (4.0 * f64::from(degree - 1));
        assert!((clustering(&graph) - known).abs() < 1e-12);
    }
}

#[test]
fn rewiring_keeps_the_edges_and_lowers_the_clustering_as_known() {
    let nodes = 4000;
    let lattice = build("watts-strogatz:10,0", nodes);
    for p in [0.01_f64, 0.1, 0.3, 0.6] {
        let graph = build(&format!("watts-strogatz:10,{p}"), nodes);
        assert_eq!(graph.edges(), u64::from(nodes) * 5);
        // Each node keeps the edges to its next ones, wherever they lead.
        assert!(NodeId::all(nodes).all(|node| graph.degree(node) >= 5));
        // A. Barrat and M. Weigt (2000): a triangle survives if none of its edges moves.
        let (found, known) = (clustering(&graph), clustering(&lattice) * (1.0 - p).powi(3));
        assert!((found - known).abs() < 0.02, "{found} instead of {known} for {p}");
    }
    // The point of the paper: few shortcuts shorten the paths, but hardly touch the clusters.
    let graph = build("watts-strogatz:10,0.01", nodes);
    assert!(distance(&graph) * 5.0 < distance(&lattice));
    assert!(clustering(&graph) > 0.95 * clustering(&lattice));
}

#[test]
fn an_edge_moves_to_every_place_alike() {
    // A ring of five: with P = 1 the first edge, 0-1, may become 0-1, 0-2 or 0-3, but 0-4 exists.
    let mut random = splitmix64(9);
    let mut counts = BTreeMap::<u32, u32>::new();
    for _ in 0..9000 {
        let edges = crate::graph::random::small_world(5, 1, 1.0, &mut random);
        assert_eq!(edges.len(), 5);
        *counts.entry(edges[0].1).or_default() += 1;
    }
    // An edge leaves its old place, so only 2 and 3 remain.
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [2, 3]);
    assert!(counts.values().all(|&count| count.abs_diff(4500) < 200), "{counts:?}");
}

#[test]
fn a_small_world_in_pieces_is_drawn_again() {
    let in_pieces = |edges: &[(u32, u32)]| {
        let mut piece: Vec<u32> = (0..8).collect();
        for &(a, b) in edges {
            let (from, to) = (piece[a as usize], piece[b as usize]);
            piece.iter_mut().filter(|it| **it == from).for_each(|it| *it = to);
        }
        piece.iter().any(|it| *it != piece[0])
    };
    let mut random = splitmix64(11);
    let drawn = (0..2000).map(|_| crate::graph::random::small_world(8, 1, 1.0, &mut random));
    assert!(drawn.filter(|edges| in_pieces(edges)).count() > 28);
    let topology: Topology = "watts-strogatz:2,1".parse().unwrap();
    for _ in 0..2000 {
        assert!(topology.build(8, &mut random).unwrap().unreachable().is_none());
    }
}

#[test]
fn small_scale_free_trees_are_as_likely_as_degrees_say() {
    // Node 2 joins 0 or 1 with probability 1/2, node 3 the centre with 2/4 and each leaf with 1/4.
    let mut random = splitmix64(10);
    let mut counts = BTreeMap::<(u32, u32), u32>::new();
    let draws = 40_000;
    for _ in 0..draws {
        let edges = crate::graph::random::scale_free(4, 1, &mut random);
        assert_eq!(edges[0], (0, 1));
        *counts.entry((edges[1].0, edges[2].0)).or_default() += 1;
    }
    for second in [0, 1] {
        for third in 0..3 {
            let known = if second == third { 0.25 } else { 0.125 };
            let found = f64::from(counts[&(second, third)]) / f64::from(draws);
            assert!((found - known).abs() < 0.01, "{second}, {third}: {found}");
        }
    }
}

#[test]
fn degrees_of_a_scale_free_graph_follow_the_power_law() {
    let nodes = 50_000;
    for links in [1_u32, 2, 5] {
        let graph = build(&format!("barabasi-albert:{links}"), nodes);
        assert_eq!(graph.edges(), u64::from(links) * u64::from(nodes - links));
        assert!(graph.unreachable().is_none());
        assert_eq!(graph.is_tree(), links == 1);
        // S. Dorogovtsev, J. Mendes and A. Samukhin (2000): 2 M (M + 1) / k (k + 1) (k + 2).
        for degree in links..links + 6 {
            let at = |offset: u32| f64::from(degree + offset);
            let m = f64::from(links);
            let known = 2.0 * m * (m + 1.0) / (at(0) * at(1) * at(2));
            let count = NodeId::all(nodes).filter(|&node| graph.degree(node) == degree).count();
            let found = count as f64 / f64::from(nodes);
            assert!((found - known).abs() < 0.01, "{links} links, {degree}: {found}, {known}");
        }
        // The largest degree grows with the square root of n; in gnp it would be near 20.
        assert!(graph.max_degree() > 150, "{}", graph.max_degree());
    }
}
