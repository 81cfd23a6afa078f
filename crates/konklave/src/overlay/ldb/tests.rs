use super::*;

fn hashed(seed: u64, processes: u32) -> Vec<Ldb> {
    Ldb::hashed(Mixer::new(seed), NodeId::all(processes))
}

/// Processes a, b and c at 0.30, 0.55 and 0.80.
fn example() -> Vec<Ldb> {
    let at = |percent: u64| Point((u64::MAX / 100 * percent) & !1);
    Ldb::network(&[(NodeId(0), at(30)), (NodeId(1), at(55)), (NodeId(2), at(80))])
}

/// A virtual node by its letters.
fn shown(node: Virtual) -> String {
    format!("{}{}", ["a", "b", "c"][node.node.index()], &format!("{:?}", node.kind)[..1])
}

#[test]
fn the_example_is_one_sorted_cycle() {
    let network = example();
    let first = network[0].own(Kind::Left);
    let (mut up, mut down) = (vec![first], vec![first]);
    for _ in 0..9 {
        let last = *up.last().unwrap();
        up.push(network[last.node.index()].neighbour(last.kind, Side::Right));
        let last = *down.last().unwrap();
        down.push(network[last.node.index()].neighbour(last.kind, Side::Left));
    }
    let expected = ["aL", "bL", "aM", "cL", "bM", "aR", "bR", "cM", "cR", "aL"];
    assert_eq!(up.iter().copied().map(shown).collect::<Vec<_>>(), expected);
    down.reverse();
    assert_eq!(down, up);
}

#[test]
fn the_example_has_the_tree_of_the_example() {
    let expected = [
        ("aL", vec!["aM", "bL"]),
        ("aM", vec!["aR", "cL"]),
        ("aR", vec![]),
        ("bL", vec!["bM"]),
        ("bM", vec!["bR"]),
        ("bR", vec![]),
        ("cL", vec!["cM"]),
        ("cM", vec!["cR"]),
        ("cR", vec![]),
    ];
    let mut found = Vec::new();
    let network = example();
    for process in &network {
        for kind in Kind::ALL {
            let children: Vec<_> = process.children_of(kind).map(shown).collect();
            found.push((shown(process.own(kind)), children));
        }
    }
    let expected = expected.map(|(node, children)| {
        (node.to_owned(), children.into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    assert_eq!(found, expected);
    assert_eq!(network[0].children().collect::<Vec<_>>(), [NodeId(2), NodeId(1)]);
    assert_eq!(height(&network.iter().collect::<Vec<_>>()), 1);
}

#[test]
fn siblings_with_the_same_label_are_in_order() {
    let [alone] = &Ldb::network(&[(NodeId(0), Point(0))])[..] else { panic!("one process") };
    assert_eq!(alone.own(Kind::Left).label, alone.own(Kind::Middle).label);
    assert!(alone.own(Kind::Left) < alone.own(Kind::Middle));
    assert_eq!((alone.parent(), alone.children().count()), (None, 0));
    for target in [0, 1, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX].map(Point) {
        assert_eq!(alone.next(target, &mut alone.set_out()), None);
    }
}

#[test]
fn parents_and_children_agree_and_one_node_is_the_anchor() {
    for (seed, processes) in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 7), (6, 50), (7, 1000)] {
        let network = hashed(seed, processes);
        let anchors = network.iter().filter(|it| it.parent().is_none());
        let minimum = network.iter().min_by_key(|it| it.own(Kind::Left)).unwrap();
        assert_eq!(anchors.map(Ldb::me).collect::<Vec<_>>(), [minimum.me()]);
        let mut edges = 0;
        for process in &network {
            for kind in Kind::ALL {
                for child in process.children_of(kind) {
                    let below = &network[child.node.index()];
                    assert_eq!(below.parent_of(child.kind), Some(process.own(kind)));
                }
            }
            for child in process.children() {
                assert_eq!(network[child.index()].parent(), Some(process.me()));
                edges += 1;
            }
        }
        assert_eq!(edges, processes - 1, "seed {seed}");
    }
}

/// The node that is responsible, by looking at all of them.
fn responsible(network: &[Ldb], target: Point) -> NodeId {
    let all = network.iter().flat_map(|it| Kind::ALL.map(|kind| it.own(kind)));
    let all: Vec<_> = all.collect();
    let below = all.iter().filter(|it| it.label <= target).max();
    below.or(all.iter().max()).unwrap().node
}

/// The number of messages of a route, which ends at the right node.
fn hops(network: &[Ldb], from: NodeId, target: Point) -> u32 {
    let mut way = network[from.index()].set_out();
    let mut at = from;
    while let Some(next) = network[at.index()].next(target, &mut way) {
        assert_ne!(next, at, "a step inside a process is not a message");
        at = next;
        assert!(way.hops < 300, "from {from} to {target}: {way:?}");
    }
    assert_eq!(at, responsible(network, target), "from {from} to {target}");
    way.hops
}

#[test]
fn every_point_is_found_from_every_process() {
    for (seed, processes) in (0..40).map(|seed| (seed, 1 + seed as u32 % 10)) {
        let network = hashed(seed, processes);
        let mixer = Mixer::new(seed);
        let labels = network.iter().flat_map(|it| Kind::ALL.map(|kind| it.own(kind).label));
        // At a label and on either side of it, at the ends, and anywhere.
        let edges = labels.flat_map(|it| [it.0.wrapping_sub(1), it.0, it.0.wrapping_add(1)]);
        let targets = edges.chain([0, u64::MAX]).chain((0..50).map(|key| mixer.key(key).0));
        for target in targets.collect::<Vec<_>>() {
            NodeId::all(processes).for_each(|from| _ = hops(&network, from, Point(target)));
        }
    }
}

/// The mean number of messages to random points, in one network.
fn mean_hops(seed: u64, processes: u32) -> f64 {
    let (network, mixer) = (hashed(seed, processes), Mixer::new(seed));
    let route = |key| {
        let from = NodeId((mixer.mix(key, Salt(9)) % u64::from(processes)) as u32);
        f64::from(hops(&network, from, mixer.key(key)))
    };
    (0..100).map(route).sum::<f64>() / 100.0
}

#[test]
fn routes_have_the_length_of_the_reference() {
    // The references are of one network each, and networks differ.
    for (processes, reference) in [(16, 8.7), (64, 15.3), (256, 21.4), (1024, 26.9)] {
        let means: Vec<f64> = (0..100).map(|seed| mean_hops(seed, processes)).collect();
        let is_beyond = |it: &&f64| **it > reference;
        let beyond = means.iter().filter(is_beyond).count();
        assert!((1..100).contains(&beyond), "{processes} processes: {means:?}");
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let law = 2.6 * f64::from(processes).log2();
        assert!((mean / law - 1.0).abs() < 0.04, "{processes} processes: {mean}, not {law}");
    }
}

#[test]
fn trees_have_the_height_of_the_reference() {
    for (processes, reference) in [(16, 11), (64, 24), (256, 32), (1024, 47)] {
        let heights = (0..20).map(|seed| {
            let network = hashed(seed, processes);
            height(&network.iter().collect::<Vec<_>>())
        });
        let heights: Vec<u32> = heights.collect();
        let mean = f64::from(heights.iter().sum::<u32>()) / heights.len() as f64;
        let bits = f64::from(processes).log2();
        assert!(mean > bits, "{processes} processes: a mean height of {mean}");
        let (least, most) = (heights.iter().min().unwrap(), heights.iter().max().unwrap());
        assert!((least..=most).contains(&&reference), "{processes}: {heights:?}");
    }
}
