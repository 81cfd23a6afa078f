//! The counter in the simulator.

use std::collections::BTreeMap;

use konklave::trace::Line;
use konklave::{NodeId, Recorder, protocol::Input, protocol::Protocol};
use konklave_sim::{Delay, Ended, Faults, Options, Recording, RunReport, Simulation};

use super::counter::{Command, Counter, Timer};
use super::monitor::{Demand, Monitor};
use super::{ring, router};

/// Longer than any way to a neighbour and back in these tests.
const PATIENCE: u64 = 50;

fn run(options: &Options, demand: &[u32], patience: Option<u64>) -> RunReport<u32> {
    let nodes = demand.len() as u32;
    let make = |me| Counter::new(me, nodes, patience);
    let workload = Demand::new(demand.into());
    let monitor = Monitor::default();
    let mut simulation = Simulation::new(options.clone(), nodes, make, workload, monitor);
    simulation.run(&mut |_| true).unwrap()
}

/// Each operation goes to node 0 and back on the shorter way; each hop is acknowledged.
fn hops(demand: &[u32]) -> u64 {
    let nodes = demand.len() as u64;
    let cost = |(node, &count): (u64, &u32)| 2 * node.min(nodes - node) * u64::from(count);
    (0..).zip(demand).map(cost).sum()
}

#[test]
fn messages_are_counted_by_nested_kinds_and_cost_what_the_formula_says() {
    let demands: [&[u32]; 7] = [
        &[3],
        &[2, 5],
        &[0, 0, 1],
        &[4, 4, 4, 4, 4],
        &[0, 1, 2, 3, 4, 5, 6, 7],
        &[1; 31],
        &[9, 0, 0, 0, 0, 1],
    ];
    for demand in demands {
        for delay in [Delay::Constant(1), Delay::Uniform(1, 25), Delay::PerLink(3, 20)] {
            let options = Options { delay, seed: 4, ..Options::default() };
            let report = run(&options, demand, Some(PATIENCE));
            assert_eq!(report.ended, Ended::Quiescence, "{demand:?}, {delay}");
            assert_eq!(report.problem, demand.iter().sum::<u32>());
            let hops = hops(demand);
            let mut expected = BTreeMap::new();
            if hops > 0 {
                expected.insert("Router.Ring.Hop".to_owned(), hops);
                expected.insert("Router.Ring.Ack".to_owned(), hops);
            }
            assert_eq!(report.messages.by_kind, expected, "{demand:?}, {delay}");
            assert_eq!(report.messages.total, 2 * hops);
            assert_eq!(report.messages.called("Hop"), hops);
        }
    }
}

#[test]
fn a_lone_request_takes_two_ways_and_the_longest_chain_is_its_hops() {
    // Eight nodes: node 3 is three hops away. The last acknowledgement comes after the answer.
    let report = run(&Options::default(), &[0, 0, 0, 1, 0, 0, 0, 0], Some(PATIENCE));
    assert_eq!((report.messages.total, report.causal_depth), (12, 7));
}

/// Faults that the links are made for.
fn storms() -> Vec<(&'static str, Faults)> {
    let pauses = vec!["1@20..400".parse().unwrap(), "0@600..700".parse().unwrap()];
    let partitions = vec!["0-2/3-5@50..300".parse().unwrap()];
    vec![
        ("loss", Faults { loss: 0.3, ..Faults::default() }),
        ("duplication", Faults { duplicate: 0.5, reorder: 0.3, ..Faults::default() }),
        ("pauses and a partition", Faults { pauses, partitions, ..Faults::default() }),
        ("all", Faults { loss: 0.2, duplicate: 0.2, reorder: 0.2, ..Faults::default() }),
    ]
}

#[test]
fn timers_make_up_for_what_is_lost() {
    let demand = [3, 3, 3, 3, 3, 3];
    for (name, faults) in storms() {
        for seed in 1..=30 {
            let delay = Delay::Uniform(1, 9);
            let options = Options { seed, delay, faults: faults.clone(), ..Options::default() };
            let report = run(&options, &demand, Some(PATIENCE));
            let context = format!("{name}, seed {seed}: {:?}", report.violations);
            assert_eq!((report.ended, report.problem), (Ended::Quiescence, 18), "{context}");
            assert!(report.messages.total >= 2 * hops(&demand), "{context}");
        }
    }
}

#[test]
fn without_timers_a_lost_message_is_missed() {
    let mut broken = BTreeMap::new();
    for seed in 1..=20 {
        let faults = Faults { loss: 0.3, ..Faults::default() };
        let options = Options { seed, faults, ..Options::default() };
        for violation in run(&options, &[3, 3, 3, 3, 3, 3], None).violations {
            *broken.entry(violation.broken.promise).or_insert(0) += 1;
        }
    }
    assert_eq!(broken, BTreeMap::from([("complete values".to_owned(), 20)]));
}

#[test]
fn nested_timers_and_messages_stand_in_the_trace_and_replay() {
    let faults = Faults { loss: 0.3, duplicate: 0.2, ..Faults::default() };
    let options = Options { seed: 7, faults, ..Options::default() };
    let make = |me| Counter::new(me, 4, Some(PATIENCE));
    let workload = Demand::new(vec![2; 4]);
    let mut buffer = Vec::new();
    let mut simulation = Simulation::new(options, 4, make, workload, Monitor::default());
    simulation.record(Recording::new(&mut buffer, false));
    simulation.run(&mut |_| true).unwrap();
    drop(simulation);

    let mut nodes: Vec<_> = NodeId::all(4).map(make).collect();
    let mut timers = BTreeMap::new();
    for line in String::from_utf8(buffer).unwrap().lines() {
        let line_read: Line<Counter> = serde_json::from_str(line).unwrap();
        let Line::Step(step) = line_read else { continue };
        if let Input::Timer(timer) = &step.input {
            *timers.entry(timer.clone()).or_insert(0) += 1;
        }
        let mut recorder = Recorder::default();
        nodes[step.node.index()].on(step.input, &mut recorder);
        assert_eq!(recorder.take(), step.effects, "{line}");
    }
    let retry = |side| Timer::Router(router::Timer::Ring(ring::Timer::Retry(side)));
    let both = [retry(ring::Side::Left), retry(ring::Side::Right)];
    assert!(timers.keys().eq(&both), "both links had to repeat something: {timers:?}");
}

#[test]
fn at_home_three_layers_answer_in_one_step() {
    let mut node = Counter::new(NodeId(0), 3, Some(PATIENCE));
    let mut env = Recorder::default();
    node.on_command(Command::Increment { op: 5 }, &mut env);
    assert_eq!(env.lines(), ["! Counted { op: 5, value: 1 }"]);
}
