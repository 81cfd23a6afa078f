//! Hirschberg and Sinclair: probes that go twice as far in each phase.

use konklave::NodeId;
use konklave::election::heading::Neighbours;
use konklave::election::hirschberg_sinclair::{HirschbergSinclair, Wake};
use konklave::election::{Id, Winner};
use konklave_catalog::election::workload::Plan;
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Options};

use super::ring_election::{
    RINGS, check_mean, cost, cost_with, elect, everyone, random_ring, sums_and_maxima,
};

fn node(me: Id, ring: Neighbours) -> HirschbergSinclair {
    HirschbergSinclair::new(me, ring, Wake::All)
}

/// K = ceil(log2 n), the last phase.
fn last_phase(nodes: usize) -> u32 {
    nodes.next_power_of_two().ilog2()
}

/// The messages of all phases, everyone a candidate: a probe goes to the first larger id, or it
/// goes 2^k hops and a reply comes back, or it comes home.
fn hops(ids: &[u32]) -> u64 {
    let n = ids.len();
    let larger_after = |place: usize, step: usize| {
        (1..n).find(|hops| ids[(place + hops * step) % n] > ids[place]).unwrap_or(n)
    };
    let mut total = 0;
    for phase in 0..=last_phase(n) {
        let reach = 1 << phase;
        for place in 0..n {
            let sides = [larger_after(place, 1), larger_after(place, n - 1)];
            if phase == 0 || sides.iter().all(|&side| side > reach / 2 && n > reach / 2) {
                let cost = |side: usize| if side <= reach { side } else { 2 * reach };
                total += sides.into_iter().map(cost).sum::<usize>() as u64;
            }
        }
    }
    total
}

#[test]
fn the_rings_of_the_specification_cost_what_it_says() {
    // election.md 11.1.
    for (ids, expected) in RINGS.into_iter().zip([23, 64, 119, 64, 64, 88, 176]) {
        assert_eq!(cost(ids, node), expected, "{ids:?}");
    }
}

#[test]
fn sums_and_maxima_over_all_rings() {
    // election.md 4.10 and 12.1: on average 29.3333, 52.6667, 61.2, 70.0667, 80.0762 for 4 to 8.
    let (sums, maxima) = sums_and_maxima(8, |ids| {
        let cost = cost(ids, node);
        assert_eq!(cost, hops(ids), "{ids:?}");
        let bound = 8 * ids.len() as u64 * (1 + u64::from(last_phase(ids.len())));
        assert!(cost <= bound, "{ids:?}");
        cost
    });
    assert_eq!(sums, [2, 10, 46, 176, 1264, 7344, 50448, 403584]);
    assert_eq!(maxima, [2, 10, 23, 32, 55, 68, 78, 89]);
}

#[test]
fn the_winner_needs_all_phases() {
    for nodes in [1, 2, 3, 8, 9, 30, 64] {
        let ids = random_ring(nodes, 5);
        let report = elect(&Options::default(), &ids, Winner::Largest, everyone(&ids), node);
        let expected = 2 * ((1 << last_phase(ids.len())) - 1) + nodes;
        assert_eq!(report.problem.time_to_elect, Some(f64::from(expected)), "{ids:?}");
    }
}

#[test]
fn no_schedule_costs_more() {
    // The probes of others end as if delays were equal; the last of the winner's may end early.
    let delays = [Delay::Uniform(1, 30), Delay::Exponential(10), Delay::Asymmetric(1, 30)];
    for nodes in [1, 2, 3, 7, 16, 40] {
        for (seed, delay) in (1..=10).flat_map(|seed| delays.map(|delay| (seed, delay))) {
            let ids = random_ring(nodes, seed);
            let options = Options { seed, delay, fifo: seed % 2 == 0, ..Options::default() };
            let cost = cost_with(&options, &ids, node);
            let most = hops(&ids);
            assert!(most - u64::from(nodes) <= cost && cost <= most, "{ids:?}, {options:?}");
        }
    }
}

#[test]
fn few_initiators_keep_the_bound_whether_others_join_in_or_relay() {
    for seed in 1..=150 {
        let nodes = 1 + (seed % 20) as u32;
        let ids = random_ring(nodes, seed);
        let count = 1 + (seed % 7) as u32 % nodes;
        let initiators = Random::new(seed, Stream::Workload).sample(count, nodes);
        let options = Options { seed, delay: Delay::Uniform(1, 30), ..Options::default() };
        for wake in [Wake::All, Wake::Relay] {
            let plan = Plan::once(initiators.iter().copied().map(NodeId).collect(), 10);
            let make = |me, ring| HirschbergSinclair::new(me, ring, wake);
            let report = elect(&options, &ids, wake.winner(), plan, make);
            let bound = 8 * u64::from(nodes) * (1 + u64::from(last_phase(ids.len())));
            assert!(report.problem.messages_to_elect <= bound, "{ids:?}, {wake:?}, {options:?}");
        }
    }
}

#[test]
fn random_rings_cost_what_was_measured_elsewhere() {
    // election.md 12.1, whose relative standard error is below 0.4 %.
    check_mean(64, 300, (1215.0, 0.004), |ids, _| cost(ids, node));
    check_mean(256, 60, (6458.0, 0.004), |ids, _| cost(ids, node));
}
