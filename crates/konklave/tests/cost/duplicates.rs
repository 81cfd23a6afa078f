//! Duplicate and lost messages in elections on networks: the former may cost something, the latter
//! the result, but no node is told a wrong one.

use konklave::NodeId;
use konklave::election::adoption::Adoption;
use konklave::election::dfs_token::DfsToken;
use konklave::election::echo::Echo;
use konklave::election::echo_extinction::EchoExtinction;
use konklave::election::extinction::Extinction;
use konklave::election::tree_traversal::TreeTraversal;
use konklave::election::tree_wave::TreeWave;
use konklave::election::{Id, Winner};
use konklave_catalog::election::workload::ElectionReport;
use konklave_sim::RunReport;

use super::net::{Race, nets, tree_nets};

const RELAY: Winner = Winner::LargestInitiator;

type Hold = fn(&Race<'_>) -> RunReport<ElectionReport>;

const ON_TREES: [(&str, Hold); 2] = [
    ("tree-traversal", |race| race.hold(Winner::Largest, TreeTraversal::new)),
    ("tree-wave", |race| race.hold(Winner::Largest, TreeWave::new)),
];

const ANYWHERE: [(&str, Hold); 5] = [
    ("adoption", |race| race.hold(RELAY, Adoption::new)),
    ("dfs-token", |race| race.hold(Winner::Largest, DfsToken::new)),
    ("echo", |race| {
        let one = Race { initiators: race.initiators[..1].to_vec(), ..race.clone() };
        one.hold(Winner::Largest, Echo::new)
    }),
    ("echo-extinction", |race| {
        let make = |me: Id, others: Vec<NodeId>| EchoExtinction::new(me, others, Winner::Largest);
        race.hold(Winner::Largest, make)
    }),
    ("extinction", |race| {
        let make = |me: Id, others: Vec<NodeId>| Extinction::new(me, others, Winner::Largest);
        race.hold(Winner::Largest, make)
    }),
];

/// Elections of all kinds under so many schedules, with these chances of loss and of doubling.
fn hold_all(
    schedules: u64,
    loss: f64,
    duplicate: f64,
    check: impl Fn(&str, &Race<'_>, &RunReport<ElectionReport>),
) {
    let sizes = [2, 4, 9];
    for (nets, algorithms) in [(tree_nets(&sizes), &ON_TREES[..]), (nets(&sizes), &ANYWHERE[..])] {
        for net in nets {
            for seed in 1..=schedules {
                let count = 1 + seed as u32 % net.nodes();
                let mut race = Race::disordered(&net, count, seed);
                race.options.faults.loss = loss;
                race.options.faults.duplicate = duplicate;
                for (name, hold) in algorithms {
                    check(name, &race, &hold(&race));
                }
            }
        }
    }
}

#[test]
fn duplicate_messages_harm_no_node() {
    hold_all(100, 0.0, 0.4, |name, race, report| {
        assert!(report.violations.is_empty(), "{name}, {race:?}: {:?}", report.violations);
        assert_eq!(report.problem.known_by, race.net.nodes(), "{name}, {race:?}");
    });
}

#[test]
fn lost_messages_cost_the_result_but_nobody_is_told_a_wrong_one() {
    hold_all(100, 0.05, 0.1, |name, race, report| {
        let broken = report.violations.first().map(|violation| &violation.broken.promise[..]);
        // Who only presumes finds out at rest, which is when others notice that nothing came.
        let allowed = if name == "extinction" { "agreement" } else { "termination" };
        assert!(broken.is_none_or(|promise| promise == allowed), "{name}, {race:?}: {broken:?}");
    });
}
