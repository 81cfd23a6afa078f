//! Naimi and Trehel: H(n-1) messages per entry on average under light load, and never more than n.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use konklave::NodeId;
use konklave::mutex::naimi_trehel::NaimiTrehel;
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::{Delay, Options};

use super::chang_roberts::harmonic;
use super::lock::{assert_close, plan, run};
use super::turns::{Turn, assert_mean, distinct, mean_costs, schedules, turns, uniform};

/// Path reversal as it is defined: the father of everyone, none at the root.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Fathers(Vec<Option<usize>>);

impl Fathers {
    /// Everyone points to node 0.
    fn star(nodes: u32) -> Self {
        Self((0..nodes as usize).map(|node| (node > 0).then_some(0)).collect())
    }

    /// The hops of a request of `node` to the root, and the token back if there are any.
    fn reverse(&mut self, node: usize) -> u64 {
        let mut path = vec![node];
        while let Some(father) = self.0[path[path.len() - 1]] {
            path.push(father);
        }
        for &passed in &path {
            self.0[passed] = (passed != node).then_some(node);
        }
        if path.len() == 1 { 0 } else { path.len() as u64 }
    }
}

fn play(options: &Options, nodes: u32, order: &[NodeId]) -> Vec<Turn> {
    turns(options, nodes, order, |me| NaimiTrehel::new(me, NodeId(0)))
}

#[test]
fn an_entry_costs_the_path_to_the_root_and_the_token() {
    for nodes in [1, 2, 3, 9, 13, 40] {
        for options in schedules() {
            let mut fathers = Fathers::star(nodes);
            for turn in play(&options, nodes, &uniform(nodes, 100, options.seed)) {
                let expected = fathers.reverse(turn.node.index());
                assert_eq!(turn.messages, expected, "{nodes} nodes, {turn:?}, {options:?}");
                if options.delay == Delay::Constant(1) {
                    assert_eq!(turn.waited, expected, "one after the other: {turn:?}");
                }
            }
        }
    }
}

/// The shortest order of entries whose last one has to go through all nodes, by trying all trees.
fn worst(nodes: u32) -> Vec<usize> {
    let mut seen = BTreeSet::from([Fathers::star(nodes)]);
    let mut queue = VecDeque::from([(Fathers::star(nodes), Vec::new())]);
    while let Some((tree, order)) = queue.pop_front() {
        for node in 0..nodes as usize {
            let mut next = tree.clone();
            let cost = next.reverse(node);
            let order = [order.clone(), vec![node]].concat();
            if cost == u64::from(nodes) {
                return order;
            }
            if seen.insert(next.clone()) {
                queue.push_back((next, order));
            }
        }
    }
    panic!("no path of {nodes} nodes")
}

/// The mean cost of path reversal in the long run, anyone asking: exactly, by following how likely
/// every tree is.
fn long_run(nodes: u32) -> f64 {
    let mut likely = BTreeMap::from([(Fathers::star(nodes), 1.0)]);
    let mut mean = 0.0;
    for _ in 0..300 {
        let mut next = BTreeMap::new();
        mean = 0.0;
        for (tree, probability) in &likely {
            for node in 0..nodes as usize {
                let mut tree: Fathers = tree.clone();
                let share = probability / f64::from(nodes);
                mean += share * tree.reverse(node) as f64;
                *next.entry(tree).or_insert(0.0) += share;
            }
        }
        likely = next;
    }
    mean
}

#[test]
fn the_mean_is_a_harmonic_number() {
    for nodes in 1..=5 {
        assert_close(long_run(nodes), harmonic(nodes - 1), &format!("{nodes} nodes"));
    }
    // mutex.md 4.4: 1.832, 2.593, 3.103, 4.026 were measured.
    for nodes in [4, 8, 9, 13, 32] {
        let play = |order: Vec<NodeId>| play(&Options::default(), nodes, &order);
        let mean = harmonic(nodes - 1);
        let costs = mean_costs(60, 300, |seed| play(uniform(nodes, 1300, seed)));
        assert_mean(&costs, mean, &format!("uniform, {nodes} nodes"));
        let costs = mean_costs(60, 300, |seed| play(distinct(nodes, 1300, seed)));
        let n = f64::from(nodes);
        assert_mean(&costs, mean * n / (n - 1.0), &format!("distinct, {nodes} nodes"));
    }
}

#[test]
fn the_worst_entry_costs_n_messages() {
    for nodes in 2..=6 {
        let order: Vec<_> = worst(nodes).iter().map(|&node| NodeId(node as u32)).collect();
        let costs = play(&Options::default(), nodes, &order);
        assert_eq!(costs.last().unwrap().messages, u64::from(nodes), "{nodes} nodes");
    }
    for options in schedules() {
        for demand in [Demand::Light, Demand::Heavy, Demand::Poisson(1.0)] {
            let plan = plan(&options, 9, demand, 10);
            let report = run(&options, 9, plan, |me| NaimiTrehel::new(me, NodeId(0)));
            assert!(report.messages.total <= 90 * 9, "{demand}, {options:?}");
            // O(log n) amortised: a path of log2(n) for each, and the token.
            let bound = 90.0 * (9.0_f64.log2() + 1.0);
            let total = report.messages.total as f64;
            assert!(total <= bound, "{demand}, {options:?}: {total}, {bound}");
        }
    }
}

/// Everyone asks in turn, again and again: after how many rounds the tree is the same again, and
/// the messages until then.
fn period(nodes: u32) -> (u64, u64) {
    let mut fathers = Fathers::star(nodes);
    let mut round = || {
        let messages: u64 = (0..nodes as usize).map(|node| fathers.reverse(node)).sum();
        (fathers.clone(), messages)
    };
    let (first, _) = round();
    let mut sum = 0;
    for rounds in 1.. {
        let (tree, messages) = round();
        sum += messages;
        if tree == first {
            return (rounds, sum);
        }
    }
    unreachable!("there are only so many trees")
}

#[test]
fn under_heavy_load_the_mean_is_almost_four() {
    // 4 - 6/(n+1), exactly so over n+1 rounds of n entries. mutex.md 9.1: 3.40 and 3.57.
    for nodes in [2, 3, 4, 7, 9, 13, 30] {
        let n = u64::from(nodes);
        assert_eq!(period(nodes).1 * (n + 1), period(nodes).0 * n * (4 * n - 2), "{nodes} nodes");
        let options = Options::default();
        let plan = plan(&options, nodes, Demand::Heavy, 3 * nodes + 10);
        let report = run(&options, nodes, plan, |me| NaimiTrehel::new(me, NodeId(0)));
        let entries = report.problem.entries;
        let rounds = nodes as usize + 1;
        for first in [2, 3, nodes] {
            let begin = first as usize * nodes as usize;
            let end = begin + rounds * nodes as usize;
            let messages = entries[end].messages - entries[begin].messages;
            assert_eq!(messages, n * (4 * n - 2), "{nodes} nodes, from round {first}");
        }
        let delay = report.problem.mutex.coordination_delay.unwrap();
        assert_eq!((delay.mean, delay.max), (1.0, 1.0), "{nodes} nodes");
    }
}
