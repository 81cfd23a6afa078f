//! Formations have all nodes at their places, and connections that show what they are.

mod common;

use common::{extent, has_class, of_class, parse, tip};
use konklave_draw::formation::{Formation, List, Tie};

fn formation() -> Formation {
    Formation::new("A formation", [0.0, 0.25, 0.5, 0.75])
        .labels(["a", "b", "c"])
        .ties(Tie::Legal, [(0, 1), (1, 2), (2, 9)])
        .ties(Tie::Surplus, [(0, 2)])
        .ties(Tie::Missing, [(3, 0)])
}

/// How many connections have a line of this class.
fn lines(svg: &str, class: &str) -> usize {
    let document = parse(svg);
    let links = of_class(&document, "k-link").into_iter().flat_map(|link| link.children());
    links.filter(|node| has_class(*node, class)).count()
}

#[test]
fn connections_show_what_they_are() {
    let svg = formation().svg();
    let counts = ["k-l0", "k-d1", "k-d2", "k-alarm-line"].map(|class| lines(&svg, class));
    assert_eq!(counts, [2, 1, 1, 1], "a node that does not exist is connected with none");
    let document = parse(&svg);
    let tips: Vec<_> = of_class(&document, "k-link").into_iter().map(tip).collect();
    let expected = ["surplus: a and c", "legal: a and b", "legal: b and c", "missing: 3 and a"];
    assert_eq!(tips, expected);
}

#[test]
fn nodes_are_at_their_places_from_the_top_clockwise() {
    let svg = formation().svg();
    let document = parse(&svg);
    let middles: Vec<_> = of_class(&document, "k-node")
        .iter()
        .map(|node| node.children().find_map(extent).unwrap())
        .map(|shape| ((shape[0] + shape[2]) / 2.0, (shape[1] + shape[3]) / 2.0))
        .collect();
    let [top, right, bottom, left] = middles[..] else { panic!("{middles:?}") };
    assert!(top.1 < right.1 && right.1 < bottom.1 && left.0 < top.0 && top.0 < right.0);
}

#[test]
fn levels_are_rows() {
    let list = |nodes: &[usize], tie| List {
        name: "prefix".to_owned(),
        nodes: nodes.to_vec(),
        ties: vec![tie; nodes.len() - 1],
    };
    let levels = [
        vec![list(&[0, 1, 2, 3], Tie::Legal)],
        vec![list(&[0, 2], Tie::Missing), list(&[1], Tie::Legal)],
    ];
    let svg = formation().levels(&levels);
    assert_eq!((lines(&svg, "k-l0"), lines(&svg, "k-alarm-line")), (3, 1));
    assert!(svg.contains("level 0") && svg.contains("level 1") && !svg.contains("surplus"));
    let document = parse(&svg);
    assert_eq!(of_class(&document, "k-node").len(), 4 + 3);
}
