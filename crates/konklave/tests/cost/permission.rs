//! Algorithms that ask for permission: a coordinator, or everyone.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::mutex::carvalho_roucairol::{CarvalhoRoucairol, Variant};
use konklave::mutex::central::Central;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::{Delay, Options};

use super::chang_roberts::permutations;
use super::lock::{assert_saturated, plan, run};
use super::turns::{assert_mean, distinct, mean_costs, schedules, total, turns, uniform};

const SIZES: [u32; 6] = [1, 2, 3, 9, 13, 30];

const DEMANDS: [Demand; 4] =
    [Demand::Light, Demand::Heavy, Demand::Poisson(0.1), Demand::Poisson(3.0)];

fn central(me: NodeId) -> Central {
    Central::new(me, NodeId(0))
}

#[test]
fn a_coordinator_takes_three_messages_but_none_for_itself() {
    for nodes in SIZES {
        for options in schedules() {
            for turn in turns(&options, nodes, &uniform(nodes, 40, 1), central) {
                let expected = if turn.node == NodeId(0) { 0 } else { 3 };
                assert_eq!(turn.messages, expected, "{nodes} nodes, {turn:?}, {options:?}");
                if options.delay == Delay::Constant(1) {
                    assert_eq!(turn.waited, if expected == 0 { 0 } else { 2 }, "{turn:?}");
                }
            }
            for demand in [Demand::Heavy, Demand::Poisson(1.0)] {
                let report = run(&options, nodes, plan(&options, nodes, demand, 4), central);
                let clients = 4 * u64::from(nodes - 1);
                for kind in ["Request", "Grant", "Release"] {
                    assert_eq!(report.messages.called(kind), clients, "{nodes}, {options:?}");
                }
                assert_eq!(report.messages.total, 3 * clients, "{nodes} nodes, {options:?}");
            }
        }
    }
}

#[test]
fn a_coordinator_takes_a_release_and_a_grant_between_two_entries() {
    // One of them where the coordinator leaves or is next.
    for nodes in &SIZES[1..] {
        let share = f64::from(nodes - 1) / f64::from(*nodes);
        assert_saturated(*nodes, 3.0 * share, 2.0 * share, "central", central);
    }
}

#[test]
fn lamport_takes_three_messages_for_everyone_else() {
    for nodes in SIZES {
        for (options, demand) in schedules().flat_map(|o| DEMANDS.map(|demand| (o.clone(), demand)))
        {
            let options = Options { fifo: true, ..options };
            let plan = plan(&options, nodes, demand, 2);
            let make = |me| Lamport::new(me, nodes, Acks::Eager);
            let report = run(&options, nodes, plan, make);
            let pairs = 2 * u64::from(nodes) * u64::from(nodes - 1);
            for kind in ["Request", "Ack", "Release"] {
                assert_eq!(report.messages.called(kind), pairs, "{nodes}, {demand}, {options:?}");
            }
            assert_eq!(report.messages.total, 3 * pairs, "{nodes}, {demand}, {options:?}");
        }
    }
}

#[test]
fn lamport_waits_two_messages_and_hands_over_by_one() {
    for acks in [Acks::Eager, Acks::Lazy] {
        for nodes in &SIZES[1..] {
            let make = |me| Lamport::new(me, *nodes, acks);
            for turn in turns(&Options::default(), *nodes, &uniform(*nodes, 30, 1), make) {
                let expected = 3 * u64::from(nodes - 1);
                assert_eq!((turn.messages, turn.waited), (expected, 2), "{acks:?}, {turn:?}");
            }
            // Saturated, whoever asks is the youngest: lazy or not, everyone acknowledges.
            let messages = 3.0 * f64::from(nodes - 1);
            assert_saturated(*nodes, messages, 1.0, &format!("lamport {acks:?}"), make);
        }
    }
}

#[test]
fn lazy_acknowledgements_save_one_per_pair_of_requests_that_cross() {
    // Everyone asks at once, and once: all requests cross.
    for nodes in SIZES {
        let options = Options::default();
        let plan = plan(&options, nodes, Demand::Heavy, 1);
        let report = run(&options, nodes, plan, |me| Lamport::new(me, nodes, Acks::Lazy));
        let pairs = u64::from(nodes) * u64::from(nodes - 1);
        assert_eq!(report.messages.called("Ack"), pairs / 2, "{nodes} nodes");
        assert_eq!(2 * report.messages.total, 5 * pairs, "2.5(n-1) each, {nodes} nodes");
    }
}

#[test]
fn lazy_acknowledgements_make_it_two_to_three_messages_for_everyone_else() {
    let mut least = u64::MAX;
    for nodes in [2, 3, 7] {
        for seed in 1..=300 {
            let delay = Delay::Exponential(20);
            let options = Options { seed, fifo: true, delay, ..Options::default() };
            let plan = plan(&options, nodes, Demand::Poisson(2.0), 6);
            let report = run(&options, nodes, plan, |me| Lamport::new(me, nodes, Acks::Lazy));
            let pairs = 6 * u64::from(nodes) * u64::from(nodes - 1);
            let total = report.messages.total;
            assert!(2 * pairs <= total && total <= 3 * pairs, "{nodes} nodes, seed {seed}");
            least = least.min(1000 * total / pairs);
        }
    }
    // Less than the 2.5(n-1) of mutex.md 2.2, which holds if everyone asks once: a request can
    // cross several of the same node.
    assert!(least < 2500, "{least} thousandths");
}

/// Twice the nodes that entered since one's own last entry; everyone, if there was none.
fn missing_permissions(order: &[NodeId], nodes: u32) -> Vec<u64> {
    let cost = |place: usize| {
        let before = &order[..place];
        match before.iter().rposition(|&node| node == order[place]) {
            None => 2 * u64::from(nodes - 1),
            Some(last) => 2 * before[last + 1..].iter().collect::<BTreeSet<_>>().len() as u64,
        }
    };
    (0..order.len()).map(cost).collect()
}

#[test]
fn carvalho_and_roucairol_ask_those_who_entered_since() {
    for nodes in SIZES {
        for options in schedules() {
            let order = uniform(nodes, 60, options.seed);
            let make = |variant| move |me| CarvalhoRoucairol::new(me, nodes, variant);
            let played = turns(&options, nodes, &order, make(Variant::Symmetric));
            let expected = missing_permissions(&order, nodes);
            let costs: Vec<_> = played.iter().map(|turn| turn.messages).collect();
            assert_eq!(costs, expected, "{nodes} nodes, {options:?}");
            if options.delay == Delay::Constant(1) {
                let waits = played.iter().map(|turn| turn.waited);
                assert!(waits.eq(expected.iter().map(|&cost| if cost > 0 { 2 } else { 0 })));
            }
            // In order, as if all had entered before, the smallest number last.
            let played = turns(&options, nodes, &order, make(Variant::Ordered));
            let before = (0..nodes).rev().map(NodeId);
            let all: Vec<_> = before.chain(order.iter().copied()).collect();
            let costs: Vec<_> = played.iter().map(|turn| turn.messages).collect();
            assert_eq!(costs, missing_permissions(&all, nodes)[nodes as usize..], "{nodes} nodes");
        }
    }
}

#[test]
fn carvalho_and_roucairol_ask_half_of_the_others_on_average() {
    // Who entered when is a random order of all nodes, and so is who asks next: all cases, once.
    for nodes in 2..=5 {
        let all: Vec<_> = (0..nodes).collect();
        let mut sums = (0, 0);
        for order in permutations(&all) {
            for next in 0..nodes {
                let order: Vec<_> = order.iter().copied().chain([next]).map(NodeId).collect();
                let make = |me| CarvalhoRoucairol::new(me, nodes, Variant::Symmetric);
                let cost = turns(&Options::default(), nodes, &order, make).last().unwrap().messages;
                sums = (sums.0 + cost, sums.1 + 1);
            }
        }
        assert_eq!(sums.0, sums.1 * u64::from(nodes - 1), "n-1 on average, {nodes} nodes");
    }
    for nodes in [9, 13, 30] {
        let make = |me| CarvalhoRoucairol::new(me, nodes, Variant::Symmetric);
        let play = |order: Vec<NodeId>| turns(&Options::default(), nodes, &order, make);
        let n = f64::from(nodes);
        let costs = mean_costs(40, 300, |seed| play(distinct(nodes, 1000, seed)));
        assert_mean(&costs, n, &format!("distinct, {nodes} nodes"));
        let costs = mean_costs(40, 300, |seed| play(uniform(nodes, 1000, seed)));
        assert_mean(&costs, n - 1.0, &format!("uniform, {nodes} nodes"));
    }
}

#[test]
fn carvalho_and_roucairol_never_take_more_than_everyone_twice() {
    for nodes in &SIZES[1..] {
        let make = |me| CarvalhoRoucairol::new(me, *nodes, Variant::Symmetric);
        assert_saturated(*nodes, 2.0 * f64::from(nodes - 1), 1.0, "carvalho-roucairol", make);
        for (options, demand) in schedules().flat_map(|o| DEMANDS.map(|demand| (o.clone(), demand)))
        {
            let report = run(&options, *nodes, plan(&options, *nodes, demand, 5), make);
            let most = 2 * 5 * u64::from(*nodes) * u64::from(nodes - 1);
            assert!(report.messages.total <= most, "{nodes} nodes, {demand}, {options:?}");
            let replies = report.messages.called("Reply");
            assert_eq!(report.messages.called("Request"), replies, "every request is answered");
        }
    }
    // Entering again takes nothing.
    let again = [NodeId(3); 5];
    let make = |me| CarvalhoRoucairol::new(me, 9, Variant::Symmetric);
    assert_eq!(total(&turns(&Options::default(), 9, &again, make)), 16);
}
