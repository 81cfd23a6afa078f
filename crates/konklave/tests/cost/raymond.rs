//! Raymond under light load: 2d messages and a wait of 2dT, d the distance to the token.

use konklave::NodeId;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave_catalog::mutex::workload::{Demand, Plan};
use konklave_sim::{Delay, Options, RunReport};

use super::lock::{Measured, plan, run};
use super::tree::{Tree, trees};

/// One entry of `requester` while the token is at `place`.
fn one_entry(
    options: &Options,
    tree: &Tree,
    place: NodeId,
    requester: NodeId,
) -> RunReport<Measured> {
    let nodes = tree.nodes();
    let requesters = vec![requester];
    let plan = Plan { requesters, ..plan(options, nodes, Demand::Light, 1) };
    run(options, nodes, plan, |me| Raymond::new(me, tree.towards(me, place), Variant::Plain))
}

fn pairs(nodes: u32) -> impl Iterator<Item = (NodeId, NodeId)> {
    NodeId::all(nodes).flat_map(move |a| NodeId::all(nodes).map(move |b| (a, b)))
}

/// The messages of one entry each for all ordered pairs of token and requester.
fn messages_of_all_pairs(tree: &Tree) -> u64 {
    let options = Options::default();
    let cost = |(place, requester)| one_entry(&options, tree, place, requester).messages.total;
    pairs(tree.nodes()).map(cost).sum()
}

#[test]
fn an_entry_costs_two_messages_per_hop_to_the_token() {
    for tree in trees(&[1, 2, 3, 6, 11]) {
        for (place, requester) in pairs(tree.nodes()) {
            let distance = u64::from(tree.distance(place, requester));
            let context = format!("{}, token at {place}, {requester} asks", tree.name);
            let report = one_entry(&Options::default(), &tree, place, requester);
            assert_eq!(report.messages.total, 2 * distance, "{context}");
            assert_eq!(report.messages.called("Request"), distance, "{context}");
            assert_eq!(report.messages.called("Token"), distance, "{context}");
            let waiting = report.problem.mutex.waiting_time.unwrap();
            assert_eq!(waiting.max, 2.0 * distance as f64, "{context}");
            for (seed, fifo) in [(1, false), (2, true)] {
                let delay = Delay::Exponential(9);
                let options = Options { seed, fifo, delay, ..Options::default() };
                let report = one_entry(&options, &tree, place, requester);
                assert_eq!(report.messages.total, 2 * distance, "{context}, {options:?}");
            }
        }
    }
}

#[test]
fn on_a_path_the_mean_is_two_thirds_of_its_length() {
    for nodes in [2, 3, 4, 7, 13, 30] {
        // 2(n+1)/3 on average over n(n-1) ordered pairs of different nodes.
        let n = u64::from(nodes);
        let messages = messages_of_all_pairs(&Tree::new("line", nodes, 1));
        assert_eq!(3 * messages, 2 * (n + 1) * n * (n - 1), "{nodes} nodes");
    }
}

#[test]
fn on_a_star_the_mean_is_almost_four() {
    for nodes in [2, 3, 7, 13, 30] {
        let n = u64::from(nodes);
        let messages = messages_of_all_pairs(&Tree::new("star", nodes, 1));
        assert_eq!(messages, 4 * (n - 1) * (n - 1), "4(n-1)/n for {nodes} nodes");
    }
}

#[test]
fn on_complete_binary_trees_the_mean_is_logarithmic() {
    // mutex.md 6.2: 4.571, 7.010 and 9.910 messages on average.
    for (nodes, mean) in [(7, 4.571), (15, 7.010), (31, 9.910)] {
        let messages = messages_of_all_pairs(&Tree::new("tree:2", nodes, 1)) as f64;
        let measured = messages / f64::from(nodes * (nodes - 1));
        assert!((measured - mean).abs() < 0.0005, "{nodes} nodes: {measured}");
    }
}

#[test]
fn a_chain_of_light_requests_costs_what_its_distances_add_up_to() {
    for tree in trees(&[2, 9, 20]) {
        for seed in 1..=3 {
            let (nodes, start) = (tree.nodes(), NodeId(0));
            let options = Options { seed, delay: Delay::Uniform(1, 9), ..Options::default() };
            let plan = plan(&options, nodes, Demand::Light, 20);
            let report = run(&options, nodes, plan, |me| {
                Raymond::new(me, tree.towards(me, start), Variant::Plain)
            });
            let mut token = start;
            let mut messages = 0;
            for entry in &report.problem.entries {
                messages += 2 * u64::from(tree.distance(token, entry.node));
                token = entry.node;
                assert_eq!(entry.messages, messages, "{}, seed {seed}: {entry:?}", tree.name);
            }
            assert_eq!(report.messages.total, messages, "{}, seed {seed}", tree.name);
            assert_eq!(report.problem.mutex.coordination_delay, None);
        }
    }
}
