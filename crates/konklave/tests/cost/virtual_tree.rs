//! The virtual tree: an edge carries every label once in each direction.

use std::time::Duration;

use konklave::NodeId;
use konklave::election::virtual_tree::VirtualTree;
use konklave::election::{Id, Winner};
use konklave_catalog::election::workload::ElectionReport;
use konklave_sim::{Delay, RunReport};

use super::net::{Race, nets};

fn run(race: &Race<'_>) -> RunReport<ElectionReport> {
    let address = |id: Id| race.ids.iter().position(|other| *other == id.0).unwrap() as u32;
    race.run(Winner::Anyone, |id, neighbours| {
        let me = NodeId(address(id));
        VirtualTree::new(me, id, neighbours, NodeId(0), Duration::from_secs(100))
    })
}

#[test]
fn with_equal_delays_the_tree_costs_2m_and_registering_at_most_k_plus_1() {
    for net in nets(&[1, 2, 3, 10, 31]) {
        for initiator in [0, net.nodes() - 1] {
            let race = Race { initiators: vec![initiator], ..Race::new(&net, 1, 3) };
            let report = run(&race);
            let elsewhere = u64::from(initiator != 0);
            let counts = ["Join", "First", "Adv"].map(|kind| report.messages.called(kind));
            assert_eq!(counts, [elsewhere, elsewhere, 2 * net.edges()], "{race:?}");
            assert_eq!(report.messages.total, counts.iter().sum::<u64>(), "{race:?}");
            assert_eq!(report.problem.leader_node, Some(NodeId(initiator)), "{race:?}");
            let time = u64::from(net.eccentricity(initiator)) + 2 * elsewhere;
            let last = time + u64::from(net.nodes() > 1);
            assert!((time..=last).contains(&report.time), "{race:?}: {}", report.time);
        }
        let all = Race::new(&net, net.nodes(), 3);
        let report = run(&all);
        let counts = ["Join", "First", "Adv"].map(|kind| report.messages.called(kind));
        assert_eq!(counts, [u64::from(net.nodes()) - 1, 0, 2 * net.edges()], "{all:?}");
    }
}

#[test]
fn under_other_schedules_labels_may_improve_but_nobody_registers_twice() {
    for net in nets(&[2, 10, 31]) {
        for seed in 1..=20 {
            let mut race = Race::new(&net, net.nodes(), seed);
            race.options.delay = Delay::Uniform(1, 30);
            race.options.fifo = true;
            let report = run(&race);
            let n = u64::from(net.nodes());
            assert!(report.messages.called("Adv") >= 2 * net.edges(), "{race:?}");
            assert!(report.messages.called("Adv") <= 2 * net.edges() * (n - 1), "{race:?}");
            assert!(report.messages.called("Join") < n, "{race:?}");
            assert_eq!(report.messages.called("Refresh"), 0, "{race:?}");
        }
    }
}
