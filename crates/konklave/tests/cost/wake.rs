//! Chang and Roberts with few initiators: suppressing costs n + d, relaying n H_k on average.

use konklave::election::Id;
use konklave::election::chang_roberts::Wake;
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Options};

use super::chang_roberts::{elect, harmonic, moments, permutations};

/// A ring with the largest id at node 0.
fn ring(nodes: u32, seed: u64) -> Vec<u32> {
    let mut smaller: Vec<_> = (1..nodes).collect();
    Random::new(seed, Stream::Ids).shuffle(&mut smaller);
    [vec![nodes], smaller].concat()
}

#[test]
fn one_initiator_that_suppresses_costs_a_round_and_its_distance_to_the_largest() {
    for nodes in [1, 2, 3, 6, 20] {
        for (seed, delay) in [(1, Delay::Constant(1)), (2, Delay::Uniform(1, 9))] {
            let ids = ring(nodes, seed);
            for initiator in 0..nodes {
                let options = Options { seed, delay, ..Options::default() };
                let report = elect(&options, &ids, Wake::Suppress, &[initiator], 0);
                let distance = u64::from((nodes - initiator) % nodes);
                let expected = u64::from(nodes) + distance;
                let context = format!("{ids:?}, {initiator} starts, {options:?}");
                assert_eq!(report.problem.messages_to_elect, expected, "{context}");
                assert_eq!(report.messages.total, expected + u64::from(nodes), "{context}");
                if delay == Delay::Constant(1) {
                    assert_eq!(report.problem.time_to_elect, Some(expected as f64), "{context}");
                }
            }
        }
    }
}

#[test]
fn the_ring_of_the_dossier_costs_what_it_says() {
    // election.md 11.2: the largest, 63, is the fifth; 2n + d with the announcement.
    for (initiator, distance) in [(0, 4), (1, 3), (2, 2), (3, 1), (4, 0), (5, 5)] {
        let ids = [27, 4, 42, 15, 63, 9];
        let report = elect(&Options::default(), &ids, Wake::Suppress, &[initiator], 0);
        assert_eq!(report.messages.total, 2 * 6 + distance, "{initiator} starts");
    }
}

#[test]
fn suppressing_never_costs_more_than_waking_all_nor_less_than_a_round() {
    for seed in 1..=100 {
        let ids = ring(20, seed);
        let initiators = Random::new(seed, Stream::Workload).sample(1 + seed as u32 % 20, 20);
        let options = Options { seed, delay: Delay::Uniform(1, 30), ..Options::default() };
        let cost = |wake| elect(&options, &ids, wake, &initiators, 10).problem.messages_to_elect;
        let (suppress, all) = (cost(Wake::Suppress), cost(Wake::All));
        assert!(20 <= suppress && suppress <= all, "seed {seed}: {suppress}, {all}");
    }
}

#[test]
fn the_largest_wakes_everyone_and_goes_round_once() {
    for nodes in [1, 2, 7, 50] {
        for delay in [Delay::Constant(1), Delay::Exponential(9)] {
            let options = Options { delay, ..Options::default() };
            let report = elect(&options, &ring(nodes, 3), Wake::Suppress, &[0], 0);
            assert_eq!(report.problem.messages_to_elect, u64::from(nodes));
        }
    }
}

#[test]
fn relaying_costs_n_times_the_harmonic_number_of_initiators_on_average() {
    // Exactly, over all orders of five ids, for each choice of initiators: 5! times 5 times H_k.
    let orders = permutations(&[1, 2, 3, 4, 5]);
    for choice in 1_u32..1 << 5 {
        let initiators: Vec<_> = (0..5).filter(|node| choice >> node & 1 == 1).collect();
        let cost = |ids: &Vec<u32>| {
            let report = elect(&Options::default(), ids, Wake::Relay, &initiators, 0);
            let largest = initiators.iter().map(|&node| Id(ids[node as usize])).max();
            assert_eq!(report.problem.leader, largest, "{ids:?}, {initiators:?}");
            report.problem.messages_to_elect
        };
        let total: u64 = orders.iter().map(cost).sum();
        // H_k is 1, 3/2, 11/6, 25/12, 137/60: in sixtieths.
        let sixtieths = [60, 90, 110, 125, 137][initiators.len() - 1];
        assert_eq!(60 * total, 120 * 5 * sixtieths, "{initiators:?}");
    }
}

#[test]
fn relaying_on_random_rings_costs_the_same_on_average() {
    for (nodes, count, runs) in [(16_u32, 4, 1500), (64, 16, 800), (256, 64, 200)] {
        let costs: Vec<_> = (1..=runs)
            .map(|seed| {
                let mut ids: Vec<_> = (0..nodes).collect();
                Random::new(seed, Stream::Ids).shuffle(&mut ids);
                let initiators = Random::new(seed, Stream::Workload).sample(count, nodes);
                let report = elect(&Options::default(), &ids, Wake::Relay, &initiators, 0);
                assert_eq!(report.problem.initiators, count);
                report.problem.messages_to_elect as f64
            })
            .collect();
        let expected = f64::from(nodes) * harmonic(count);
        let (mean, deviation) = moments(&costs);
        let margin = 2.576 * deviation / (runs as f64).sqrt();
        let context = format!("{nodes} nodes, {count} initiators, seeds 1 to {runs}");
        assert!((mean - expected).abs() < margin, "{context}: {mean}, not {expected}");
    }
}
