use super::*;

/// Compares all queries about links with a definition of adjacency.
fn assert_defined(graph: &Graph, joined: impl Fn(u32, u32) -> bool) {
    let nodes = graph.nodes();
    let mut links = Vec::new();
    for a in NodeId::all(nodes) {
        let expected: Vec<_> = NodeId::all(nodes).filter(|b| joined(a.0, b.0)).collect();
        let context = || format!("node {a} of a {}", graph.describe());
        assert_eq!(graph.neighbours(a).collect::<Vec<_>>(), expected, "{}", context());
        assert_eq!(graph.degree(a) as usize, expected.len(), "{}", context());
        for b in NodeId::all(nodes + 3) {
            assert_eq!(graph.has_edge(a, b), expected.contains(&b), "{b} and {}", context());
        }
        let mut rest = graph.neighbours(a);
        for (passed, b) in expected.iter().enumerate() {
            assert_eq!(rest.len(), expected.len() - passed, "{}", context());
            assert!(rest.contains(*b), "{b} is ahead for {}", context());
            rest.next();
            assert!(!rest.contains(*b), "{b} is passed for {}", context());
        }
        let is_link = |b: &NodeId| graph.is_directed() || a < *b;
        links.extend(expected.into_iter().filter(is_link).map(|b| (a, b)));
    }
    assert_eq!(graph.iter_edges().collect::<Vec<_>>(), links, "{}", graph.describe());
    assert_eq!(graph.edges(), links.len() as u64, "{}", graph.describe());
}

#[test]
fn formulas_agree_with_definitions() {
    for n in 1..=40 {
        let next = |a, b| a != b && (a + 1) % n == b;
        assert_defined(&build("ring", n), |a, b| next(a, b) || next(b, a));
        assert_defined(&build("directed-ring", n), next);
        assert_defined(&build("line", n), |a, b| a.abs_diff(b) == 1);
        assert_defined(&build("star", n), |a, b| a != b && a * b == 0);
        assert_defined(&build("complete", n), |a, b| a != b);
        for arity in [1, 2, 3, 7, u32::MAX] {
            let is_child = |a: u32, b: u32| b > 0 && (b - 1) / arity == a;
            let tree = build(&format!("tree:{arity}"), n);
            assert_defined(&tree, |a, b| is_child(a, b) || is_child(b, a));
        }
    }
}

#[test]
fn grids_and_tori_agree_with_coordinates() {
    for (width, height) in (1..=6).flat_map(|w| (1..=6).map(move |h| (w, h))) {
        let place = |node: u32| (node % width, node / width);
        let grid = build(&format!("grid:{width}x{height}"), width * height);
        assert_defined(&grid, |a, b| {
            let ((ax, ay), (bx, by)) = (place(a), place(b));
            ax.abs_diff(bx) + ay.abs_diff(by) == 1
        });
        let torus = build(&format!("torus:{width}x{height}"), width * height);
        let beside = |a, b, side| a != b && ((a + 1) % side == b || (b + 1) % side == a);
        assert_defined(&torus, |a, b| {
            let ((ax, ay), (bx, by)) = (place(a), place(b));
            ay == by && beside(ax, bx, width) || ax == bx && beside(ay, by, height)
        });
    }
}

#[test]
fn binary_shapes_agree_with_strings_of_bits() {
    for bits in 0..=7 {
        let digits = |node: u32| -> Vec<u32> { (0..bits).map(|bit| node >> bit & 1).collect() };
        let differences = |a, b| digits(a).iter().zip(digits(b)).filter(|(x, y)| **x != *y).count();
        assert_defined(&build("hypercube", 1 << bits), |a, b| differences(a, b) == 1);

        let shifts = |a, b| bits > 0 && digits(a)[1..] == digits(b)[..bits as usize - 1];
        let debruijn = build("debruijn", 1 << bits);
        assert_defined(&debruijn, |a, b| a != b && (shifts(a, b) || shifts(b, a)));
    }
}

#[test]
fn every_graph_keeps_the_promises_of_all_graphs() {
    for graph in samples() {
        let links = matrix(&graph);
        assert_defined(&graph, |a, b| a != b && links[a as usize][b as usize]);
        let n = graph.nodes() as usize;
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let symmetric = links[a][b] == links[b][a];
            assert!(symmetric || graph.is_directed(), "{a} and {b} of a {}", graph.describe());
        }
        let degree = |a: usize| links[a].iter().filter(|joined| **joined).count() as u32;
        assert_eq!(Some(graph.max_degree()), (0..n).map(degree).max());
        assert_eq!(graph.is_complete(), (0..n).all(|a| degree(a) as usize == n - 1));

        // Connected, by merging the components of the ends of each link.
        let mut component: Vec<usize> = (0..n).collect();
        let mut closes_a_cycle = false;
        for (a, b) in graph.iter_edges() {
            let (a, b) = (component[a.index()], component[b.index()]);
            closes_a_cycle |= a == b;
            component.iter_mut().filter(|c| **c == b).for_each(|c| *c = a);
        }
        assert!(component.iter().all(|c| *c == component[0]), "{}", graph.describe());
        assert_eq!(graph.is_tree(), !closes_a_cycle && !graph.is_directed());
    }
}

#[test]
fn known_sizes() {
    let torus = build("torus:50x40", 2000);
    assert!(NodeId::all(2000).all(|node| torus.degree(node) == 4));
    assert_eq!(torus.edges(), 4000);
    assert_eq!(build("hypercube", 1024).edges(), 1024 * 10 / 2);
    assert_eq!(build("grid:50x40", 2000).edges(), 49 * 40 + 50 * 39);
    assert_eq!(build("debruijn", 1024).max_degree(), 4);
    assert_eq!(build("complete", 100_000).edges(), 4_999_950_000);
    assert_eq!(build("tree:3", 40).degree(NodeId(1)), 4);
}

#[test]
fn formulas_hold_at_the_largest_sizes() {
    let last = NodeId(u32::MAX - 1);
    let ends = |graph: &Graph| graph.neighbours(last).map(|node| node.0).collect::<Vec<_>>();
    assert_eq!(ends(&build("ring", u32::MAX)), [0, u32::MAX - 2]);
    assert_eq!(ends(&build("directed-ring", u32::MAX)), [0]);
    assert_eq!(ends(&build("line", u32::MAX)), [u32::MAX - 2]);
    assert_eq!(ends(&build("tree", u32::MAX)), [(u32::MAX - 2) / 2]);
    assert_eq!(build("star", u32::MAX).degree(NodeId(0)), u32::MAX - 1);
    assert_eq!(build("complete", u32::MAX).degree(last), u32::MAX - 1);
    // 2^32 - 1 = 65535 * 65537.
    let corner = [65_534, u32::MAX - 65_536, u32::MAX - 65_535, u32::MAX - 2];
    assert_eq!(build("torus", u32::MAX).describe(), "65535x65537 torus of 4294967295 nodes");
    assert_eq!(ends(&build("torus", u32::MAX)), corner);
    assert_eq!(ends(&build("grid", u32::MAX)), [corner[1], corner[3]]);
    let half = 1 << 31;
    let node = NodeId(half - 1);
    assert_eq!(build("hypercube", half).degree(node), 31);
    let debruijn: Vec<_> = build("debruijn", half).neighbours(node).collect();
    assert_eq!(debruijn, [half / 2 - 1, half - 2].map(NodeId));
}

#[test]
fn equal_graphs_have_equal_links_and_labels() {
    assert_eq!(build("ring", 5), edge_list("0 1\n1 2\n2 3\n3 4\n4 0"));
    assert_ne!(build("ring", 5), edge_list("0 1\n1 2\n2 4\n4 3\n3 0"));
    assert_ne!(build("ring", 5), build("ring", 6));
    assert_ne!(build("ring", 5), build("directed-ring", 5));
    assert_eq!(build("ring", 4), build("torus:1x4", 4));
    assert_ne!(edge_list("a b"), edge_list("0 1"));
    assert_ne!(edge_list("a b"), edge_list("b a"));
}

#[test]
fn descriptions() {
    for (topology, nodes, description) in [
        ("ring", 5, "ring of 5 nodes"),
        ("ring", 1, "ring of 1 node"),
        ("directed-ring", 5, "directed ring of 5 nodes"),
        ("line", 5, "line of 5 nodes"),
        ("star", 5, "star of 5 nodes"),
        ("tree", 5, "2-ary tree of 5 nodes"),
        ("random-tree", 5, "random tree of 5 nodes"),
        ("complete", 5, "complete graph of 5 nodes"),
        ("grid", 12, "3x4 grid of 12 nodes"),
        ("torus", 13, "1x13 torus of 13 nodes"),
        ("hypercube", 8, "hypercube of 8 nodes"),
        ("debruijn", 8, "de Bruijn graph of 8 nodes"),
        ("gnp:1", 4, "random graph of 4 nodes and 6 edges"),
        ("regular:2", 5, "random 2-regular graph of 5 nodes"),
    ] {
        assert_eq!(build(topology, nodes).describe(), description);
    }
    assert_eq!(edge_list("a b").describe(), "graph of 2 nodes and 1 edge");
}

#[test]
fn forms_keep_the_sides_that_were_found() {
    for (topology, nodes, form) in [
        ("grid", 12, Form::Grid { width: 3, height: 4 }),
        ("grid:6x2", 12, Form::Grid { width: 6, height: 2 }),
        ("torus", 13, Form::Torus { width: 1, height: 13 }),
        ("tree:3", 12, Form::Tree { arity: 3 }),
        ("regular:2", 5, Form::Regular { degree: 2 }),
    ] {
        assert_eq!(build(topology, nodes).form(), form);
    }
    assert_eq!(edge_list("0 1\n1 2\n2 0").form(), Form::Any, "also if it is a ring");
}

#[test]
#[should_panic = "node 5 of a ring of 5 nodes"]
fn there_is_no_node_beyond_the_last() {
    build("ring", 5).neighbours(NodeId(5));
}
