//! Elections on trees: the wave costs 3n+k-4 whatever happens, the traversal 2(n-1) for one.

use konklave::NodeId;
use konklave::election::tree_traversal::TreeTraversal;
use konklave::election::tree_wave::TreeWave;
use konklave::election::{Id, Winner};

use super::net::{Race, races, tree_nets};

const SIZES: [u32; 5] = [1, 2, 3, 10, 31];

#[test]
fn the_wave_costs_3n_plus_k_minus_4_under_any_schedule() {
    for net in tree_nets(&SIZES) {
        for race in races(&net, 12) {
            let report = race.run(Winner::Largest, TreeWave::new);
            let (n, k) = (u64::from(net.nodes()), u64::from(report.problem.initiators));
            let counts = ["Explore", "Echo", "Elected"].map(|kind| report.messages.called(kind));
            let expected = if n == 1 { [0; 3] } else { [n + k - 2, n, n - 2] };
            assert_eq!(counts, expected, "{race:?}");
        }
    }
}

#[test]
fn the_wave_needs_at_most_a_diameter_for_each_of_its_three_phases() {
    for net in tree_nets(&SIZES) {
        let diameter = (0..net.nodes()).map(|node| net.eccentricity(node)).max().unwrap();
        for count in 1..=net.nodes() {
            let race = Race::new(&net, count, 7);
            let report = race.run(Winner::Largest, TreeWave::new);
            let elected = report.problem.time_to_elect.unwrap();
            assert!(elected <= 2.0 * f64::from(diameter), "{race:?}: {elected}");
            assert!(report.time <= 3 * u64::from(diameter), "{race:?}: {}", report.time);
        }
    }
}

#[test]
fn the_traversal_of_one_initiator_visits_everyone_one_after_the_other() {
    for net in tree_nets(&SIZES) {
        let n = u64::from(net.nodes());
        for initiator in 0..net.nodes() {
            let race = Race { initiators: vec![initiator], ..Race::new(&net, 1, 3) };
            let report = race.run(Winner::Largest, TreeTraversal::new);
            let counts = ["Visit", "Result", "Elected"].map(|kind| report.messages.called(kind));
            assert_eq!(counts, [n - 1; 3], "{race:?}");
            assert_eq!(report.problem.time_to_elect, Some(2.0 * (n - 1) as f64), "{race:?}");
            let time = 2 * (n - 1) + u64::from(net.eccentricity(initiator));
            assert_eq!(report.time, time, "{race:?}");
        }
    }
}

#[test]
fn traversals_of_k_initiators_cost_at_most_k_times_as_much() {
    for net in tree_nets(&SIZES) {
        let n = u64::from(net.nodes());
        for race in races(&net, 12) {
            let report = race.run(Winner::Largest, TreeTraversal::new);
            let k = u64::from(report.problem.initiators);
            let cost = report.problem.messages_to_elect;
            assert!(2 * (n - 1) <= cost && cost <= 2 * k * (n - 1), "{race:?}: {cost}");
            assert_eq!(report.problem.messages_to_announce, n - 1, "{race:?}");
        }
    }
}

#[test]
fn the_winner_may_be_anywhere() {
    // Every place of the largest id, and every single initiator, on a small tree.
    for net in tree_nets(&[7]) {
        for (winner, initiator) in (0..7).flat_map(|a| (0..7).map(move |b| (a, b))) {
            let ids = (0..7).map(|node| (node + 6 - winner) % 7).collect();
            let race = Race { ids, initiators: vec![initiator], ..Race::new(&net, 1, 1) };
            for report in [
                race.run(Winner::Largest, TreeWave::new),
                race.run(Winner::Largest, TreeTraversal::new),
            ] {
                assert_eq!(report.problem.leader, Some(Id(6)), "{race:?}");
                assert_eq!(report.problem.leader_node, Some(NodeId(winner)), "{race:?}");
            }
        }
    }
}
