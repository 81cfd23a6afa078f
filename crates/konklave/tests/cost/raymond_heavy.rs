//! Raymond under heavy load: 4(n-1) messages for a round of n entries, on every tree.
//!
//! The token walks round the tree, over every edge twice, and a request precedes or follows it each
//! time. That is exact from one entry to the entry n later, from the second entry of the run on and
//! until the last round. A mean over the whole run is less: at the end nobody asks any more, and
//! the token does not come home.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave_catalog::mutex::workload::{Demand, Plan};
use konklave_sim::{Options, RunReport};

use super::lock::{Measured, plan, run};
use super::tree::{Tree, trees};

/// Everyone enters so often; the token starts at `place`.
fn heavy(
    tree: &Tree,
    place: NodeId,
    entries: u32,
    inside: u64,
    warmup: u64,
) -> RunReport<Measured> {
    let (options, nodes) = (Options::default(), tree.nodes());
    let plan = Plan { inside, warmup, ..plan(&options, nodes, Demand::Heavy, entries) };
    run(&options, nodes, plan, |me| Raymond::new(me, tree.towards(me, place), Variant::Plain))
}

/// For some trees, places of the token and times inside.
fn for_each_case(mut check: impl FnMut(&Tree, NodeId, u64, &str)) {
    for tree in trees(&[2, 3, 5, 9, 13, 20]) {
        for place in [0, tree.nodes() / 2, tree.nodes() - 1].map(NodeId) {
            for inside in [1, 5, 50] {
                let context = format!("{}, token at {place}, E = {inside}", tree.name);
                check(&tree, place, inside, &context);
            }
        }
    }
}

#[test]
fn a_round_of_n_entries_costs_four_messages_per_edge() {
    for_each_case(|tree, place, inside, context| {
        let n = tree.nodes() as usize;
        let entries = heavy(tree, place, 12, inside, 0).problem.entries;
        assert_eq!(entries.len(), 12 * n);
        for window in entries[1..11 * n].windows(n + 1) {
            let (first, last) = (window[0], window[n]);
            assert_eq!(last.messages - first.messages, 4 * (n as u64 - 1), "{context}: {first:?}");
            // 2(n-1) hops of the token, and n times E.
            let time = 2 * (n as u64 - 1) + n as u64 * inside;
            assert_eq!(last.time - first.time, time, "{context}: {first:?}");
            let nodes: BTreeSet<_> = window[..n].iter().map(|entry| entry.node).collect();
            assert_eq!(nodes.len(), n, "{context}: everyone once, from {first:?}");
        }
    });
}

#[test]
fn more_rounds_cost_four_messages_per_edge_each() {
    // Beginning and end are the same in a longer run: the difference is steady.
    for_each_case(|tree, place, inside, context| {
        let messages = |entries| heavy(tree, place, entries, inside, 0).messages.total;
        let (few, many) = (messages(4), messages(14));
        assert_eq!(many - few, 10 * 4 * u64::from(tree.nodes() - 1), "{context}");
    });
}

#[test]
fn the_report_shows_the_steady_state_if_whole_rounds_are_left_out() {
    for_each_case(|tree, place, inside, context| {
        let n = tree.nodes();
        let mutex = heavy(tree, place, 40, inside, u64::from(10 * n)).problem.mutex;
        let per_entry = f64::from(n - 1) / f64::from(n);
        assert_eq!(mutex.messages_per_entry, Some(4.0 * per_entry), "{context}");
        let delay = mutex.coordination_delay.unwrap();
        assert_eq!(delay.mean, 2.0 * per_entry, "{context}");
        let throughput = 1.0 / (delay.mean + inside as f64);
        let relative = mutex.throughput.unwrap() / throughput;
        assert!((relative - 1.0).abs() < 1e-12, "{context}: {relative}");
        // Over the whole run the mean is smaller, by less than a round.
        let missing =
            f64::from(40 * 4 * (n - 1)) - heavy(tree, place, 40, inside, 0).messages.total as f64;
        assert!(missing > 0.0 && missing <= f64::from(4 * (n - 1)), "{context}: {missing}");
    });
}

#[test]
fn the_token_never_walks_further_than_the_diameter() {
    for_each_case(|tree, place, inside, context| {
        let report = heavy(tree, place, 12, inside, 0);
        let delay = report.problem.mutex.coordination_delay.unwrap();
        assert!(delay.max <= f64::from(tree.diameter()), "{context}: {delay:?}");
    });
    // On a path it walks all the way back once per round.
    let path = Tree::new("line", 20, 1);
    let report = heavy(&path, NodeId(0), 12, 5, 0);
    assert_eq!(report.problem.mutex.coordination_delay.unwrap().max, 19.0);
}

#[test]
fn the_mean_coordination_delay_is_that_of_a_walk_round_the_tree() {
    for_each_case(|tree, place, inside, context| {
        let n = tree.nodes() as usize;
        let entries = heavy(tree, place, 12, inside, 0).problem.entries;
        let (first, last) = (entries[n], entries[10 * n]);
        let delays = last.time - first.time - 9 * n as u64 * inside;
        assert_eq!(delays, 9 * 2 * (n as u64 - 1), "2T(n-1)/n each: {context}");
    });
}
