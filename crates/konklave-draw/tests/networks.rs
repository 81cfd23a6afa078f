//! Networks have all nodes, all edges, and room between them.

mod common;

use common::{extent, of_class, parse, size, texts, tip};
use konklave_draw::network::{Layout, Network, RoleLook};

fn ring(nodes: usize) -> Vec<(usize, usize)> {
    (0..nodes).map(|node| (node, (node + 1) % nodes)).collect()
}

/// The places of the nodes.
fn places(svg: &str) -> Vec<(f64, f64)> {
    let document = parse(svg);
    let nodes = of_class(&document, "k-node");
    let middle = |node: &roxmltree::Node<'_, '_>| {
        let shape = node.children().find_map(extent).unwrap();
        ((shape[0] + shape[2]) / 2.0, (shape[1] + shape[3]) / 2.0)
    };
    nodes.iter().map(middle).collect()
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (dx, dy) = (a.0 - b.0, a.1 - b.1);
    (dx * dx + dy * dy).sqrt()
}

const LAYOUTS: [Layout; 6] = [
    Layout::Circle,
    Layout::Line,
    Layout::Star { centre: 2 },
    Layout::Grid { width: 5 },
    Layout::Tree { root: 1 },
    Layout::Force,
];

#[test]
fn nodes_and_edges_are_all_there_and_nodes_do_not_touch() {
    for layout in LAYOUTS {
        for nodes in [1, 2, 3, 9, 30, 150] {
            let edges: Vec<_> = ring(nodes).into_iter().filter(|(a, b)| a != b).collect();
            let svg = Network::new("n", nodes, layout).edges("link", edges.clone()).svg();
            let document = parse(&svg);
            assert_eq!(of_class(&document, "k-node").len(), nodes, "{layout:?}");
            assert_eq!(of_class(&document, "k-link").len(), edges.len(), "{layout:?}");
            let radius = of_class(&document, "k-hollow")[0].attribute("r").unwrap();
            let radius: f64 = radius.parse().unwrap();
            let places = places(&svg);
            for (index, a) in places.iter().enumerate() {
                for b in &places[..index] {
                    assert!(distance(*a, *b) > 1.9 * radius, "{layout:?} with {nodes} nodes");
                }
            }
            let (width, height) = size(&document);
            assert!(width < 1500.0 && height < 1500.0, "{layout:?}: {width} x {height}");
        }
    }
}

#[test]
fn layouts_have_the_form_that_they_promise() {
    let at = |layout, nodes| places(&Network::new("", nodes, layout).edges("", ring(nodes)).svg());
    let circle = at(Layout::Circle, 8);
    assert!(circle[0].1 < circle[1].1 && circle[0].0 < circle[1].0, "from the top clockwise");
    let centre = ((circle[0].0 + circle[4].0) / 2.0, (circle[0].1 + circle[4].1) / 2.0);
    assert!(
        circle.iter().all(|p| (distance(*p, centre) - distance(circle[0], centre)).abs() < 0.2)
    );
    let grid = at(Layout::Grid { width: 4 }, 12);
    assert!((0..12).all(|n| grid[n].0 == grid[n % 4].0 && grid[n].1 == grid[n - n % 4].1));
    let star = at(Layout::Star { centre: 3 }, 9);
    let reach = distance(star[3], star[0]);
    assert!((0..9).filter(|n| *n != 3).all(|n| (distance(star[3], star[n]) - reach).abs() < 0.2));
    let line = at(Layout::Line, 6);
    assert!(line.windows(2).all(|pair| pair[0].1 == pair[1].1 && pair[0].0 < pair[1].0));
}

#[test]
fn forces_bring_neighbours_together() {
    // Two cliques with one edge between them: any edge within is shorter than the way across.
    let clique = |from: usize| (from..from + 6).flat_map(move |a| (from..a).map(move |b| (b, a)));
    let edges = clique(0).chain(clique(6)).chain([(0, 6)]);
    let places = places(&Network::new("", 12, Layout::Force).edges("", edges).svg());
    let middle = |nodes: std::ops::Range<usize>| {
        let sum = places[nodes].iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
        (sum.0 / 6.0, sum.1 / 6.0)
    };
    let across = distance(middle(0..6), middle(6..12));
    for (a, b) in clique(0).chain(clique(6)) {
        assert!(distance(places[a], places[b]) < across, "{a} {b}");
    }
}

#[test]
fn roles_classes_and_groups_are_told() {
    let svg = Network::new("n", 6, Layout::Circle)
        .arcs("pointer", [(0, 1), (1, 0), (9, 1), (2, 2)])
        .edges("tree edge", [(0, 1)])
        .role("leader", RoleLook::Holds, [3])
        .role("inside", RoleLook::Holds, [3, 4])
        .role("crashed", RoleLook::Crashed, [5])
        .group("quorum", [0, 1, 2])
        .svg();
    let document = parse(&svg);
    let tips: Vec<_> = of_class(&document, "k-node").into_iter().map(tip).collect();
    assert_eq!(tips, ["0", "1", "2", "3: leader, inside", "4: inside", "5: crashed"]);
    let links: Vec<_> = of_class(&document, "k-link").into_iter().map(tip).collect();
    assert_eq!(links, ["pointer: 0 to 1", "pointer: 1 to 0", "tree edge: 0 and 1"]);
    for entry in ["pointer", "tree edge", "leader", "inside", "crashed", "quorum: 0, 1, 2"] {
        assert!(texts(&document).contains(&entry), "the legend lacks {entry}");
    }
    assert_eq!(of_class(&document, "k-group").len(), 1);
}

#[test]
fn a_role_has_one_look_whatever_else_there_is() {
    let look = |others: bool| {
        let mut network = Network::new("n", 3, Layout::Circle);
        if others {
            network = network.role("leader", RoleLook::Holds, [0]);
        }
        let svg = network.role("waiting", RoleLook::Waits, [1]).svg();
        let document = parse(&svg);
        let node = of_class(&document, "k-node")[1];
        let shape = node.children().find(|child| child.has_attribute("class")).unwrap();
        (shape.attribute("class").map(str::to_owned), shape.tag_name().name().to_owned())
    };
    assert_eq!(look(false), look(true));
}

#[test]
fn of_many_groups_one_has_an_outline_and_none_a_name_without_a_sample() {
    let mut network = Network::new("n", 9, Layout::Circle);
    for node in 0..9 {
        network = network.group(format!("asked by {node}"), [node, (node + 1) % 9, (node + 3) % 9]);
    }
    let svg = network.svg();
    let document = parse(&svg);
    assert_eq!(of_class(&document, "k-group").len(), 1);
    assert_eq!(of_class(&document, "k-outline").len(), 2, "in the picture and in the legend");
    assert!(texts(&document).contains(&"asked by 0: 0, 1, 3"));
    assert!(
        texts(&document).join(" ").contains("Without outlines, asked by 1: 1, 2, 4; asked by 2")
    );
}

#[test]
fn many_links_are_a_ground() {
    let complete = |nodes: usize| (0..nodes).flat_map(move |a| (0..a).map(move |b| (b, a)));
    let faint = |nodes: usize| {
        let svg = Network::new("n", nodes, Layout::Circle).edges("link", complete(nodes)).svg();
        of_class(&parse(&svg), "k-faint").len()
    };
    assert_eq!(faint(13), 0);
    assert!(faint(30) > 0);
}

#[test]
fn large_networks_stay_small_files_or_become_a_note() {
    let complete = |nodes: usize| (0..nodes).flat_map(|a| (0..a).map(move |b| (b, a)));
    let svg = Network::new("c", 200, Layout::Circle).edges("link", complete(200)).svg();
    assert!(svg.len() < 600_000, "{}", svg.len());
    let svg = Network::new("c", 400, Layout::Circle).edges("link", complete(400)).svg();
    assert!(svg.len() < 150_000, "{}", svg.len());
    assert!(texts(&parse(&svg)).join(" ").contains("79800 edges are too many"));
    let svg = Network::new("c", 2000, Layout::Grid { width: 50 }).edges("link", ring(2000)).svg();
    assert!(svg.len() < 500_000, "{}", svg.len());
    let svg = Network::new("c", 2001, Layout::Force).edges("link", ring(2001)).svg();
    assert!(texts(&parse(&svg)).join(" ").contains("2001 nodes are too many"));
    assert!(of_class(&parse(&svg), "k-node").is_empty());
}
