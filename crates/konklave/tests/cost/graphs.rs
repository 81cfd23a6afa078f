//! Elections on any network: exactly two messages per edge for one initiator, bounds for several.

use konklave::NodeId;
use konklave::election::adoption::Adoption;
use konklave::election::dfs_token::DfsToken;
use konklave::election::echo::Echo;
use konklave::election::echo_extinction::EchoExtinction;
use konklave::election::extinction::Extinction;
use konklave::election::{Id, Winner};
use konklave_sim::{Delay, RunReport};

use super::chang_roberts::moments;
use super::net::{Net, Race, nets, races};

const SIZES: [u32; 5] = [1, 2, 3, 9, 20];

/// Nodes of extinction and of echo-extinction, under both rules for sleepers.
fn extinction(winner: Winner) -> impl Fn(Id, Vec<NodeId>) -> Extinction {
    move |me, neighbours| Extinction::new(me, neighbours, winner)
}

fn echo_extinction(winner: Winner) -> impl Fn(Id, Vec<NodeId>) -> EchoExtinction {
    move |me, neighbours| EchoExtinction::new(me, neighbours, winner)
}

fn count<R, const N: usize>(report: &RunReport<R>, kinds: [&str; N]) -> [u64; N] {
    kinds.map(|kind| report.messages.called(kind))
}

#[test]
fn extinction_on_an_ascending_path_costs_what_the_dossier_says() {
    // election.md 6.1.
    for (nodes, messages) in [(1, 0), (2, 2), (4, 9), (8, 35), (10, 54), (100, 99 * 102 / 2)] {
        let net = Net::new("line", nodes, 1);
        let race = Race { ids: (0..nodes).collect(), ..Race::new(&net, nodes, 1) };
        let report = race.run(Winner::Largest, extinction(Winner::Largest));
        assert_eq!(report.messages.total, messages, "{nodes} nodes");
    }
}

#[test]
fn extinction_sends_each_id_at_most_once_everywhere() {
    for net in nets(&SIZES) {
        let (n, m) = (u64::from(net.nodes()), net.edges());
        for race in races(&net, 6) {
            for winner in [Winner::Largest, Winner::LargestInitiator] {
                let report = race.run(winner, extinction(winner));
                // Sleepers that compete are in the race as well.
                let ids = match winner {
                    Winner::Largest => n,
                    _ => u64::from(report.problem.initiators),
                };
                let cost = report.messages.total;
                let flood = 2 * m + 1 - n;
                assert!(flood <= cost && cost <= ids * flood, "{race:?}, {winner:?}: {cost}");
            }
        }
    }
}

#[test]
fn the_token_crosses_every_edge_twice_and_one_after_the_other() {
    for net in nets(&SIZES) {
        let (n, m) = (u64::from(net.nodes()), net.edges());
        for initiator in 0..net.nodes() {
            let race = Race { initiators: vec![initiator], ..Race::new(&net, 1, 3) };
            let report = race.run(Winner::Largest, DfsToken::new);
            let counts = count(&report, ["Down", "Back", "Bounce", "Elected"]);
            assert_eq!(counts, [m, n - 1, m + 1 - n, n - 1], "{race:?}");
            assert_eq!(report.problem.time_to_elect, Some(2.0 * m as f64), "{race:?}");
        }
    }
}

#[test]
fn tokens_of_k_initiators_cost_at_most_k_times_as_much() {
    for net in nets(&SIZES) {
        let (n, m) = (u64::from(net.nodes()), net.edges());
        for race in races(&net, 6) {
            let report = race.run(Winner::Largest, DfsToken::new);
            let k = u64::from(report.problem.initiators);
            let cost = report.problem.messages_to_elect;
            assert!(2 * m <= cost && cost <= 2 * k * m, "{race:?}: {cost}");
            assert_eq!(report.problem.messages_to_announce, n - 1, "{race:?}");
        }
    }
}

#[test]
fn an_echo_wave_crosses_every_edge_once_in_each_direction() {
    for net in nets(&SIZES) {
        let (n, m) = (u64::from(net.nodes()), net.edges());
        for (initiator, seed) in (0..net.nodes()).zip(1..) {
            for race in [Race::disordered(&net, 1, seed), Race::new(&net, 1, seed)] {
                let race = Race { initiators: vec![initiator], ..race };
                let report = race.run(Winner::Largest, Echo::new);
                let counts = count(&report, ["Explore", "Echo", "Elected"]);
                assert_eq!(counts, [2 * m + 1 - n, n - 1, n - 1], "{race:?}");
                if race.options.delay == Delay::Constant(1) {
                    let time = report.problem.time_to_elect.unwrap();
                    let twice = 2.0 * f64::from(net.eccentricity(initiator));
                    assert!(time == twice || time == twice + 1.0, "{race:?}: {time}");
                }
            }
        }
    }
}

#[test]
fn echoes_with_extinction_cost_at_most_k_waves() {
    for net in nets(&SIZES) {
        let (n, m) = (u64::from(net.nodes()), net.edges());
        for race in races(&net, 6) {
            for winner in [Winner::Largest, Winner::LargestInitiator] {
                let report = race.run(winner, echo_extinction(winner));
                let waves = match winner {
                    Winner::Largest => n,
                    _ => u64::from(report.problem.initiators),
                };
                let cost = report.problem.messages_to_elect;
                assert!(2 * m <= cost && cost <= waves * 2 * m, "{race:?}, {winner:?}: {cost}");
                assert_eq!(report.problem.messages_to_announce, n - 1, "{race:?}");
            }
        }
    }
}

#[test]
fn adoption_echoes_and_announces_once_and_explores_within_bounds() {
    for net in nets(&SIZES) {
        let (n, m) = (u64::from(net.nodes()), net.edges());
        for race in races(&net, 12) {
            let report = race.run(Winner::LargestInitiator, Adoption::new);
            let k = u64::from(report.problem.initiators);
            let [explorers, echoes, announcements] = count(&report, ["Explore", "Echo", "Elected"]);
            assert_eq!([echoes, announcements], [n - 1; 2], "{race:?}");
            let least = 2 * m + k - n;
            assert!(least <= explorers && explorers <= (k + 1) * m, "{race:?}: {explorers}");
            if k == 1 {
                assert_eq!(explorers, least, "{race:?}");
            }
        }
    }
}

/// What an election costs.
type Cost = fn(&Race<'_>) -> u64;

/// Mean cost over 300 random networks with unit delays, and its standard error.
fn measure(nodes: u32, edges: u64, k: u32, cost: Cost) -> (f64, f64) {
    let costs: Vec<_> = (1..=300)
        .map(|seed| {
            let net = Net::random(nodes, edges, seed);
            cost(&Race::new(&net, k, seed)) as f64
        })
        .collect();
    let (mean, deviation) = moments(&costs);
    (mean, deviation / 300_f64.sqrt())
}

#[test]
fn random_networks_cost_what_the_dossier_has_measured() {
    const RELAY: Winner = Winner::LargestInitiator;
    let algorithms: [(&str, Cost); 3] = [
        ("flooding", |race| race.run(RELAY, extinction(RELAY)).messages.total),
        ("echo", |race| race.run(RELAY, echo_extinction(RELAY)).messages.total),
        ("adoption", |race| race.run(RELAY, Adoption::new).messages.total),
    ];
    // election.md 12.3, rounded there.
    let mut complaints = Vec::new();
    for (nodes, edges, k, measured) in [
        (16, 23, 1, [31.0, 61.0, 61.0]),
        (16, 23, 4, [67.0, 101.0, 82.0]),
        (16, 23, 16, [119.0, 154.0, 115.0]),
        (16, 120, 4, [451.0, 481.0, 329.0]),
        (16, 120, 16, [776.0, 806.0, 522.0]),
        (32, 63, 32, [411.0, 480.0, 337.0]),
        (32, 496, 32, [3815.0, 3877.0, 2182.0]),
        (64, 127, 4, [399.0, 535.0, 430.0]),
        (64, 127, 64, [960.0, 1103.0, 740.0]),
        (64, 575, 64, [5191.0, 5317.0, 2890.0]),
    ] {
        for ((name, cost), measured) in algorithms.iter().zip(measured) {
            let (mean, error) = measure(nodes, edges, k, *cost);
            // Both are means of 300 runs, so they differ by sqrt(2) standard errors; 99 %.
            let margin = 2.576 * 2_f64.sqrt() * error + 0.5;
            if (mean - measured).abs() > margin {
                complaints.push(format!(
                    "{name}, {nodes} nodes, {edges} edges, {k} start: {mean:.1}, \
                     not {measured} within {margin:.1}"
                ));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
