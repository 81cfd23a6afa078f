//! The naive election: n probes go round, n^2 messages.

use konklave::NodeId;
use konklave::election::heading::Neighbours;
use konklave::election::ring_naive::RingNaive;
use konklave::election::{Id, Winner};
use konklave_catalog::election::workload::Plan;
use konklave_sim::{Delay, Options};

use super::ring_election::{elect, everyone, random_ring};

pub(super) const DELAYS: [Delay; 4] =
    [Delay::Constant(1), Delay::Uniform(1, 30), Delay::Exponential(10), Delay::Asymmetric(1, 30)];

/// A third of the nodes, spread over the ring, start at random times.
pub(super) fn few(nodes: u32, within: u64) -> Plan {
    Plan::once(NodeId::all(nodes).step_by(3).collect(), within)
}

fn naive(me: Id, ring: Neighbours) -> RingNaive {
    RingNaive::new(me, ring.right)
}

#[test]
fn the_naive_election_costs_the_square_of_the_ring_whatever_happens() {
    for nodes in [1, 2, 3, 6, 10, 25] {
        for (seed, delay) in (1..=8).flat_map(|seed| DELAYS.map(|delay| (seed, delay))) {
            let ids = random_ring(nodes, seed);
            let options = Options { seed, delay, fifo: seed % 2 == 0, ..Options::default() };
            for plan in [everyone(&ids), few(nodes, 0), few(nodes, 100)] {
                let report = elect(&options, &ids, Winner::Largest, plan, naive);
                let square = u64::from(nodes).pow(2);
                assert_eq!(report.messages.total, square, "{ids:?}, {options:?}");
                assert_eq!(report.problem.messages_to_announce, 0);
            }
        }
    }
}

#[test]
fn the_naive_election_takes_a_round_or_nearly_two() {
    for nodes in [1, 2, 3, 6, 10, 25] {
        let ids = random_ring(nodes, 1);
        let time = |plan| elect(&Options::default(), &ids, Winner::Largest, plan, naive).time;
        // The last node to learn the winner ends the run: there is no announcement.
        assert_eq!(time(everyone(&ids)), u64::from(nodes));
        let alone = Plan::once(vec![NodeId(0)], 0);
        assert_eq!(time(alone), u64::from(2 * nodes - 1), "the last one is woken after n-1");
    }
}
