//! Raymond's variants: the same under light load, cheaper under heavy load.

use konklave::NodeId;
use konklave::mutex::Monitor;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave_catalog::mutex::workload::{Contention, Demand};
use konklave_sim::{Options, RunReport, Simulation};

use super::lock::{Measured, assert_saturated, plan, run};
use super::tree::{Tree, trees};
use super::turns::{schedules, turns, uniform};

fn on(tree: &Tree, variant: Variant) -> impl Fn(NodeId) -> Raymond + Copy {
    move |me| Raymond::new(me, tree.towards(me, NodeId(0)), variant)
}

fn leaves(tree: &Tree) -> u64 {
    let neighbours = |from: &&Vec<u32>| from.iter().filter(|&&distance| distance == 1).count();
    tree.distances.iter().filter(|from| neighbours(from) == 1).count() as u64
}

#[test]
fn under_light_load_all_variants_cost_the_same() {
    for tree in trees(&[1, 2, 9, 20]) {
        let nodes = tree.nodes();
        for options in schedules() {
            let order = uniform(nodes, 30, options.seed);
            for variant in [Variant::Plain, Variant::Combined, Variant::Greedy] {
                let mut token = NodeId(0);
                for turn in turns(&options, nodes, &order, on(&tree, variant)) {
                    let expected = 2 * u64::from(tree.distance(token, turn.node));
                    let context = format!("{}, {variant:?}, {turn:?}, {options:?}", tree.name);
                    assert_eq!(turn.messages, expected, "{context}");
                    token = turn.node;
                }
            }
        }
    }
}

#[test]
fn combined_messages_leave_a_request_for_each_leaf() {
    // A token for each step, and a request of its own only where nobody waits behind the token.
    for tree in trees(&[2, 3, 5, 9, 13, 20]) {
        let n = f64::from(tree.nodes());
        let messages = (2.0 * (n - 1.0) + leaves(&tree) as f64) / n;
        let make = on(&tree, Variant::Combined);
        assert_saturated(tree.nodes(), messages, 2.0 * (n - 1.0) / n, &tree.name, make);
    }
}

/// Everyone all the time, until the first node has had enough.
fn greedy(tree: &Tree) -> RunReport<Measured> {
    let options = Options::default();
    let plan = plan(&options, tree.nodes(), Demand::Heavy, 200);
    run(&options, tree.nodes(), plan, on(tree, Variant::Greedy))
}

/// How many entries there are until the busiest node has had its share.
fn undisturbed(report: &RunReport<Measured>) -> usize {
    let mut entries = vec![0; report.problem.entries.len()];
    let is_last = |node: NodeId| {
        entries[node.index()] += 1;
        entries[node.index()] == 200
    };
    report.problem.entries.iter().map(|entry| entry.node).position(is_last).unwrap()
}

#[test]
fn an_elevator_stops_at_every_step_of_the_token() {
    for tree in trees(&[3, 5, 9, 13, 20]) {
        let steps = 2 * (tree.nodes() as usize - 1);
        let report = greedy(&tree);
        let steady = &report.problem.entries[2 * steps..undisturbed(&report)];
        assert!(steady.len() > 2 * steps, "{}", tree.name);
        for window in steady.windows(steps + 1) {
            let (first, last) = (window[0], window[steps]);
            let messages = last.messages - first.messages;
            assert_eq!(messages, steps as u64 + leaves(&tree), "{}, from {first:?}", tree.name);
            let time = steps as u64 * (5 + 1);
            assert_eq!(last.time - first.time, time, "delay T: {}, from {first:?}", tree.name);
        }
    }
}

/// Tokens, requests, and both in one, until this time.
fn kinds(tree: &Tree, until: u64) -> [u64; 3] {
    let nodes = tree.nodes();
    let options = Options { time_limit: Some(until), ..Options::default() };
    let workload = Contention::new(nodes, plan(&options, nodes, Demand::Heavy, 200));
    let make = on(tree, Variant::Greedy);
    let mut simulation = Simulation::new(options, nodes, make, workload, Monitor::new(nodes));
    let messages = simulation.run(&mut |_| true).unwrap().messages;
    ["Token", "Request", "TokenAndRequest"].map(|kind| messages.called(kind))
}

#[test]
fn an_elevator_takes_two_messages_per_entry_if_they_are_counted_apart() {
    // As in mutex.md 6.1 and 9.1, where a token and the request that comes with it are two.
    for tree in trees(&[3, 5, 9, 13, 20]) {
        let steps = 2 * u64::from(tree.nodes() - 1);
        let round = 6 * steps;
        let (before, after) = (kinds(&tree, 3 * round), kinds(&tree, 4 * round));
        let [tokens, requests, both] = [0, 1, 2].map(|kind| after[kind] - before[kind]);
        assert_eq!(tokens + requests + 2 * both, 2 * steps, "{}", tree.name);
        assert_eq!((tokens, requests), (leaves(&tree), leaves(&tree)), "{}", tree.name);
    }
}

#[test]
fn mean_distances_are_those_of_the_dossier() {
    // mutex.md 6.2: twice the mean distance of two nodes.
    let table = [
        ("line", 7, 5.33),
        ("line", 13, 9.33),
        ("star", 7, 3.43),
        ("star", 13, 3.69),
        ("tree:2", 7, 4.571),
        ("tree:2", 15, 7.010),
        ("tree:2", 31, 9.910),
        ("tree:2", 63, 13.17),
        ("tree:3", 13, 5.538),
        ("tree:3", 40, 8.723),
        ("tree:4", 21, 6.095),
        ("tree:4", 85, 9.609),
    ];
    for (form, nodes, mean) in table {
        // A walk along all pairs: every node enters right after every other.
        let order: Vec<_> = NodeId::all(nodes)
            .flat_map(|a| NodeId::all(nodes).filter(move |&b| a < b).flat_map(move |b| [a, b]))
            .collect();
        let tree = Tree::new(form, nodes, 1);
        let played = turns(&Options::default(), nodes, &order, on(&tree, Variant::Plain));
        let second = played.iter().skip(1).step_by(2);
        let sum: u64 = second.map(|turn| turn.messages).sum();
        let pairs = f64::from(nodes * (nodes - 1) / 2);
        let measured = sum as f64 / pairs;
        assert!((measured - mean).abs() < 0.005, "{form}, {nodes} nodes: {measured}");
    }
}
