//! Quorum algorithms: Maekawa's, Cao and Singhal's, and Sanders' information structures.

use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::maekawa::{Maekawa, Roles};
use konklave::mutex::quorum::Quorums;
use konklave::mutex::sanders::{Sanders, Structure};
use konklave::{NodeId, NodeSet};
use konklave_catalog::mutex::workload::{Demand, Plan};
use konklave_sim::{Delay, Options};

use super::lock::{ROUNDS, assert_saturated, plan, run, saturated};
use super::turns::{schedules, turns, uniform};

/// Planes and grids, complete and not.
fn systems() -> Vec<(String, Quorums)> {
    let plane = |nodes| (format!("plane of {nodes}"), Quorums::plane(nodes).unwrap());
    let grid = |nodes| (format!("grid of {nodes}"), Quorums::grid(nodes));
    [1, 3, 7, 13, 21, 31]
        .into_iter()
        .map(plane)
        .chain([1, 2, 4, 5, 9, 11, 13, 16, 25].into_iter().map(grid))
        .collect()
}

fn size(quorums: &Quorums) -> u32 {
    quorums.sets().len() as u32
}

/// The mean of K - 1.
fn others(quorums: &Quorums) -> f64 {
    let sum: u32 = quorums.sets().iter().map(|quorum| quorum.len() - 1).sum();
    f64::from(sum) / f64::from(size(quorums))
}

#[test]
fn the_sizes_of_quorums_are_those_of_the_dossier() {
    // mutex.md 3.1: n = K(K-1)+1 on planes; the mean sizes of grids.
    for k in [2, 3, 4, 5, 6] {
        let plane = Quorums::plane(k * (k - 1) + 1).unwrap();
        assert!(plane.sets().iter().all(|quorum| quorum.len() == k), "K = {k}");
    }
    let means = [(4, 3.0), (5, 3.4), (9, 5.0), (11, 5.545), (13, 6.077), (16, 7.0)];
    for (nodes, mean) in means {
        let measured = others(&Quorums::grid(nodes)) + 1.0;
        assert!((measured - mean).abs() < 0.0005, "{nodes} nodes: {measured}");
    }
}

#[test]
fn without_conflict_an_entry_takes_three_messages_for_each_other_member() {
    for (name, quorums) in systems() {
        let nodes = size(&quorums);
        for options in schedules() {
            let order = uniform(nodes, 40, options.seed);
            let make = |me| Maekawa::new(me, quorums.of(me).clone());
            let maekawa = turns(&options, nodes, &order, make);
            let cao_singhal =
                turns(&options, nodes, &order, |me| CaoSinghal::new(me, quorums.of(me)));
            assert_eq!(maekawa.len(), 40);
            for turn in maekawa.iter().chain(&cao_singhal) {
                let expected = 3 * u64::from(quorums.of(turn.node).len() - 1);
                assert_eq!(turn.messages, expected, "{name}, {turn:?}, {options:?}");
                if options.delay == Delay::Constant(1) {
                    assert_eq!(turn.waited, if expected == 0 { 0 } else { 2 }, "{name}, {turn:?}");
                }
            }
        }
    }
}

#[test]
fn under_heavy_load_maekawa_tells_everyone_once_that_it_failed() {
    for (name, quorums) in systems().into_iter().filter(|(_, quorums)| size(quorums) > 3) {
        let make = |me| Maekawa::new(me, quorums.of(me).clone());
        let report = saturated(size(&quorums), ROUNDS, make);
        let measured = report.messages_per_entry.unwrap();
        assert!((measured - 4.0 * others(&quorums)).abs() < 1e-9, "4(K-1), {name}: {measured}");
        let delay = report.coordination_delay.unwrap();
        assert!(delay.mean >= 1.0 && delay.max <= 2.0, "{name}: {delay:?}");
    }
}

#[test]
fn maekawa_hands_over_by_two_messages_or_by_one_where_an_arbiter_takes_part() {
    // mutex.md 9.1, in T. The first plane: whoever leaves is the arbiter of the next.
    let plane = |nodes| Quorums::plane(nodes).unwrap();
    let known = [
        (plane(7), 8.0, 1.0),
        (plane(13), 12.0, 24.0 / 13.0),
        (Quorums::grid(9), 16.0, 2.0),
        (Quorums::grid(13), 4.0 * 66.0 / 13.0, 2.0),
    ];
    for (quorums, messages, delay) in known {
        let make = |me| Maekawa::new(me, quorums.of(me).clone());
        assert_saturated(size(&quorums), messages, delay, "maekawa", make);
    }
}

#[test]
fn cao_and_singhal_hand_over_by_one_message() {
    // REQUEST, FAILED, TRANSFER, RELEASE for K-1 each, and K times LOCKED.
    for (name, quorums) in systems().into_iter().filter(|(_, quorums)| size(quorums) > 3) {
        let make = |me| CaoSinghal::new(me, quorums.of(me));
        let messages = 5.0 * others(&quorums) + 1.0;
        assert_saturated(size(&quorums), messages, 1.0, &format!("cao-singhal, {name}"), make);
    }
}

#[test]
fn conflicts_never_cost_more_than_the_bounds() {
    let mut largest = (0.0_f64, 0.0_f64);
    for (name, quorums) in systems().into_iter().filter(|(_, quorums)| size(quorums) > 1) {
        let (nodes, others) = (size(&quorums), others(&quorums));
        for seed in 1..=30 {
            for (demand, inside) in
                [(Demand::Heavy, 0), (Demand::Heavy, 30), (Demand::Poisson(1.0), 10)]
            {
                let delay = Delay::Uniform(1, 20);
                let options = Options { seed, delay, ..Options::default() };
                let plan = Plan { inside, ..plan(&options, nodes, demand, 5) };
                let context = format!("{name}, {plan:?}, seed {seed}");
                let entries = f64::from(5 * nodes);
                let make = |me| Maekawa::new(me, quorums.of(me).clone());
                let maekawa = run(&options, nodes, plan.clone(), make);
                let cost = maekawa.messages.total as f64 / entries;
                let (low, high) = (3.0 * others, 6.0 * others + 3.0);
                assert!(low <= cost && cost <= high, "{context}: {cost}, {low} to {high}");
                largest.0 = largest.0.max(cost / others);
                let make = |me| CaoSinghal::new(me, quorums.of(me));
                let cost = run(&options, nodes, plan, make).messages.total as f64 / entries;
                let high = 8.0 * (others + 1.0);
                assert!(low <= cost && cost <= high, "{context}: {cost}, {low} to {high}");
                largest.1 = largest.1.max(cost / others);
            }
        }
    }
    // mutex.md 3.2 and 3.4: random schedules stay below 4.7(K-1), and at 6(K-1) or below.
    assert!(largest.0 > 4.0 && largest.1 > 5.0, "there are conflicts: {largest:?}");
    assert!(largest.0 < 4.7 && largest.1 <= 6.0, "{largest:?}");
}

/// I - {i} and R - {i}, summed up as the cost of one entry alone.
fn alone(structure: &Structure, node: NodeId) -> u64 {
    let others = |set: &NodeSet| u64::from(set.len() - 1);
    let sets = structure.at(node);
    others(sets.informed()) + 2 * others(sets.asked())
}

/// What conflicts can cost more: only a failure from an arbiter that nobody else informs, at most
/// four messages from any other.
fn resolving(structure: &Structure, node: NodeId, nodes: u32) -> u64 {
    let by_others = |arbiter: NodeId| {
        let mut others = NodeId::all(nodes).filter(|&other| other != arbiter && other != node);
        others.any(|other| structure.at(other).informed().contains(arbiter))
    };
    let asked = structure.at(node).asked().iter().filter(|&arbiter| arbiter != node);
    asked.map(|arbiter| if by_others(arbiter) { 4 } else { 1 }).sum()
}

fn structures() -> Vec<(String, u32, Structure)> {
    let mut found = Vec::new();
    for nodes in [1, 2, 4, 7, 9, 13] {
        found.push((format!("mixed of {nodes}"), nodes, Structure::mixed(nodes)));
        let everyone = Structure::ricart_agrawala(nodes);
        found.push((format!("ricart-agrawala of {nodes}"), nodes, everyone));
        let quorums = Structure::maekawa(&Quorums::new(nodes));
        found.push((format!("maekawa of {nodes}"), nodes, quorums));
    }
    found
}

#[test]
fn without_conflict_sanders_asks_and_informs_its_sets() {
    for (name, nodes, structure) in structures() {
        for options in schedules() {
            let order = uniform(nodes, 40, options.seed);
            let make = |me| Sanders::new(me, structure.at(me).clone());
            for turn in turns(&options, nodes, &order, make) {
                let expected = alone(&structure, turn.node);
                assert_eq!(turn.messages, expected, "{name}, {turn:?}, {options:?}");
                if options.delay == Delay::Constant(1) {
                    assert_eq!(turn.waited, if nodes == 1 { 0 } else { 2 }, "{name}, {turn:?}");
                }
            }
        }
    }
    // The example of four: exactly 2 and 6.
    let four = Structure::mixed(4);
    let costs: Vec<_> = NodeId::all(4).map(|node| alone(&four, node)).collect();
    assert_eq!(costs, [2, 2, 6, 6]);
    let most: Vec<_> = NodeId::all(4).map(|node| resolving(&four, node, 4)).collect();
    assert_eq!(most, [4, 4, 8, 8], "mutex.md 3.3: remote-only upper bounds 6 and 14");
}

#[test]
fn conflicts_never_cost_sanders_more_than_its_bounds() {
    for (name, nodes, structure) in structures() {
        let sum = |of: &dyn Fn(NodeId) -> u64| NodeId::all(nodes).map(of).sum::<u64>();
        let low = sum(&|node| alone(&structure, node));
        let high = low + sum(&|node| resolving(&structure, node, nodes));
        for seed in 1..=50 {
            for demand in [Demand::Heavy, Demand::Poisson(1.0)] {
                let delay = Delay::Uniform(1, 20);
                let options = Options { seed, delay, ..Options::default() };
                let plan = plan(&options, nodes, demand, 5);
                let make = |me| Sanders::new(me, structure.at(me).clone());
                let cost = run(&options, nodes, plan, make).messages.total;
                let context = format!("{name}, {demand}, seed {seed}: {cost}");
                assert!(5 * low <= cost && cost <= 5 * high, "{context}, {low} to {high}");
            }
        }
    }
}

#[test]
fn the_instances_of_sanders_cost_what_their_models_do() {
    for nodes in [4, 9, 13] {
        // All requests cross, so everyone is told that it failed, but for the first.
        let everyone = Structure::ricart_agrawala(nodes);
        let make = |me| Sanders::new(me, everyone.at(me).clone());
        assert_saturated(nodes, 3.0 * f64::from(nodes - 1), 1.0, "as Ricart and Agrawala", make);
        let quorums = Quorums::new(nodes);
        let structure = Structure::maekawa(&quorums);
        let maekawa = saturated(nodes, ROUNDS, |me| Maekawa::new(me, quorums.of(me).clone()));
        let sanders = saturated(nodes, ROUNDS, |me| Sanders::new(me, structure.at(me).clone()));
        assert_eq!(maekawa, sanders, "{nodes} nodes");
    }
}

#[test]
fn the_example_of_four_costs_what_the_dossier_says_under_heavy_load() {
    // mutex.md 9.1: 6.33 messages, 1.667 T. In six entries the outer nodes have their turn twice
    // as often as the inner ones.
    let four = Structure::mixed(4);
    let options = Options::default();
    let plan = plan(&options, 4, Demand::Heavy, 60);
    let make = |me| Sanders::new(me, four.at(me).clone());
    let entries = run(&options, 4, plan, make).problem.entries;
    for window in entries[24..120].windows(7) {
        let (first, last) = (window[0], window[6]);
        assert_eq!(last.messages - first.messages, 38, "19/3 each, from {first:?}");
        assert_eq!(last.time - first.time, 6 * 5 + 10, "5/3 T between two, from {first:?}");
    }
}

#[test]
fn in_the_example_of_four_the_delay_depends_on_who_leaves() {
    // mutex.md 3.3: T after an inner node, which is the arbiter itself, 2T after an outer one.
    let four = Structure::mixed(4);
    for (leaver, next) in NodeId::all(4).flat_map(|a| NodeId::all(4).map(move |b| (a, b))) {
        let delay = if leaver == next { continue } else { 1 + u64::from(leaver.0 >= 2) };
        let make = |me| Sanders::new(me, four.at(me).clone());
        let measured = hand_over(make, 4, leaver, next);
        assert_eq!(measured, delay, "{leaver} leaves, {next} is next");
    }
}

/// `leaver` is inside when `next` asks, and leaves when everything is at rest: the time until
/// `next` enters.
fn hand_over<R: Roles>(
    make: impl Fn(NodeId) -> Maekawa<R>,
    nodes: u32,
    leaver: NodeId,
    next: NodeId,
) -> u64 {
    use konklave::mutex::{Command, Event, Monitor};
    use konklave_sim::metrics::Messages;
    use konklave_sim::workload::{Agenda, Workload};

    struct Two(NodeId, NodeId, Vec<u64>);

    impl Workload for Two {
        type Command = Command;
        type Event = Event;
        type Report = u64;

        fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
            agenda.after(0, self.0, Command::Acquire);
            agenda.after(100, self.1, Command::Acquire);
            agenda.after(200, self.0, Command::Release);
            agenda.after(300, self.1, Command::Release);
        }

        fn on_event(&mut self, _: NodeId, _: &Event, agenda: &mut Agenda<'_, Command>) {
            self.2.push(agenda.now());
        }

        fn report(&self, _: &Messages, _: u64, _: f64) -> u64 {
            self.2[1] - 200
        }
    }

    let workload = Two(leaver, next, Vec::new());
    let monitor = Monitor::new(nodes);
    let mut simulation =
        konklave_sim::Simulation::new(Options::default(), nodes, make, workload, monitor);
    simulation.run(&mut |_| true).unwrap().problem
}
