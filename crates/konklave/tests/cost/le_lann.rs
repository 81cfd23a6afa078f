//! Le Lann: the tokens of k initiators go round, k n messages.

use konklave::NodeId;
use konklave::election::heading::Neighbours;
use konklave::election::le_lann::LeLann;
use konklave::election::{Id, Winner};
use konklave_catalog::election::workload::Plan;
use konklave_sim::Options;

use super::ring_election::{elect, everyone, random_ring};
use super::ring_naive::{DELAYS, few};

fn le_lann(me: Id, ring: Neighbours) -> LeLann {
    LeLann::new(me, ring.right)
}

#[test]
fn le_lann_costs_a_round_for_each_initiator() {
    for nodes in [1, 2, 3, 6, 10, 25] {
        for (seed, delay) in (1..=8).flat_map(|seed| DELAYS.map(|delay| (seed, delay))) {
            let ids = random_ring(nodes, seed);
            let options = Options { seed, delay, fifo: true, ..Options::default() };
            for plan in [everyone(&ids), few(nodes, 0), few(nodes, 100)] {
                let report = elect(&options, &ids, Winner::LargestInitiator, plan, le_lann);
                let (n, k) = (u64::from(nodes), u64::from(report.problem.initiators));
                let context = format!("{ids:?}, {options:?}");
                assert_eq!(report.problem.messages_to_elect, k * n, "{context}");
                assert_eq!(report.problem.messages_to_announce, n, "{context}");
            }
        }
    }
}

#[test]
fn le_lann_takes_a_round_to_elect_and_another_to_announce() {
    for nodes in [1, 2, 3, 6, 10, 25] {
        let ids = random_ring(nodes, 1);
        for plan in [everyone(&ids), Plan::once(vec![NodeId(nodes - 1)], 0)] {
            let winner = Winner::LargestInitiator;
            let report = elect(&Options::default(), &ids, winner, plan, le_lann);
            assert_eq!(report.problem.time_to_elect, Some(f64::from(nodes)));
            assert_eq!(report.time, u64::from(2 * nodes));
        }
    }
}
