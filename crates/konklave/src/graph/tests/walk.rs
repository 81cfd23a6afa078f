use super::*;

/// All distances by R. Floyd's algorithm, as a reference.
fn all_distances(graph: &Graph) -> Vec<Vec<u32>> {
    let n = graph.nodes() as usize;
    let mut distances = vec![vec![u32::MAX / 2; n]; n];
    for (a, row) in matrix(graph).into_iter().enumerate() {
        for (b, joined) in row.into_iter().enumerate() {
            if a == b {
                distances[a][b] = 0;
            } else if joined {
                distances[a][b] = 1;
            }
        }
    }
    for via in 0..n {
        for a in 0..n {
            for b in 0..n {
                let detour = distances[a][via] + distances[via][b];
                distances[a][b] = distances[a][b].min(detour);
            }
        }
    }
    distances
}

#[test]
fn distances_and_diameter_agree_with_floyd() {
    for graph in samples() {
        let expected = all_distances(&graph);
        for node in NodeId::all(graph.nodes()) {
            assert_eq!(graph.distances(node), expected[node.index()], "{}", graph.describe());
        }
        let diameter = expected.iter().flatten().copied().max();
        assert_eq!(Some(graph.diameter()), diameter, "{}", graph.describe());
    }
}

#[test]
fn known_diameters() {
    for (topology, nodes, diameter) in [
        ("ring", 100_001, 50_000),
        ("directed-ring", 100_000, 99_999),
        ("line", 100_000, 99_999),
        ("star", 100_000, 2),
        ("tree", (1 << 17) - 1, 32),
        ("complete", 100_000, 1),
        ("grid:300x200", 60_000, 498),
        ("torus:300x200", 60_000, 250),
        ("hypercube", 1 << 16, 16),
        ("debruijn", 1 << 16, 16),
    ] {
        assert_eq!(build(topology, nodes).diameter(), diameter, "{topology}");
    }
}

#[test]
fn every_step_of_a_tree_towards_the_root_is_a_link_and_gets_nearer() {
    for graph in samples() {
        let distances = all_distances(&graph);
        for root in [0, graph.nodes() / 2, graph.nodes() - 1].map(NodeId) {
            let parents = graph.tree_towards(root);
            assert_eq!(parents[root.index()], root);
            for node in NodeId::all(graph.nodes()).filter(|&node| node != root) {
                let parent = parents[node.index()];
                assert!(graph.has_edge(node, parent), "{}", graph.describe());
                let [far, near] = [node, parent].map(|from| distances[from.index()][root.index()]);
                assert_eq!(far, near + 1, "from {node} in a {}", graph.describe());
            }
        }
    }
}

/// The nodes from 0 along successors, after a check that predecessors are their inverse.
fn way_round(graph: &Graph) -> Option<Vec<u32>> {
    let ring = graph.ring()?;
    for node in NodeId::all(graph.nodes()) {
        let next = ring.successor(node);
        assert_eq!(ring.predecessor(next), node);
        assert!(graph.has_edge(node, next) || graph.nodes() == 1);
    }
    let mut way = vec![NodeId(0)];
    while way.len() < graph.nodes() as usize {
        way.push(ring.successor(way[way.len() - 1]));
    }
    assert_eq!(ring.successor(way[way.len() - 1]), NodeId(0));
    Some(way.into_iter().map(|node| node.0).collect())
}

#[test]
fn rings_are_walked_in_the_order_of_numbers() {
    for nodes in 1..10 {
        let order: Vec<_> = (0..nodes).collect();
        assert_eq!(way_round(&build("ring", nodes)), Some(order.clone()));
        assert_eq!(way_round(&build("directed-ring", nodes)), Some(order));
    }
}

#[test]
fn any_cycle_is_a_ring_from_0_towards_its_smaller_neighbour() {
    assert_eq!(way_round(&edge_list("0 3\n3 1\n1 4\n4 2\n2 0")), Some(vec![0, 2, 4, 1, 3]));
    assert_eq!(way_round(&edge_list("a b\nb c\nc a")), Some(vec![0, 1, 2]));
    assert_eq!(way_round(&edge_list("nodes 1")), Some(vec![0]));
    assert_eq!(way_round(&edge_list("0 1")), Some(vec![0, 1]));
    assert_eq!(way_round(&build("hypercube", 4)), Some(vec![0, 1, 3, 2]));
    assert_eq!(way_round(&build("complete", 3)), Some(vec![0, 1, 2]));
}

#[test]
fn nothing_else_is_a_ring() {
    assert!(build("line", 3).ring().is_none());
    assert!(build("complete", 4).ring().is_none());
    // As many edges as nodes, but a tail.
    assert!(edge_list("0 1\n1 2\n2 0\n2 3").ring().is_none());
    for graph in samples() {
        let n = graph.nodes() as usize;
        let is_cycle = n <= 2
            || graph.is_directed()
            || matrix(&graph).iter().all(|row| row.iter().filter(|joined| **joined).count() == 2);
        assert_eq!(way_round(&graph).is_some(), is_cycle, "{}", graph.describe());
    }
}
