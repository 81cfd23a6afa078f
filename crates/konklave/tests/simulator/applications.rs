//! The applications that come with the simulator keep to their plans.

use konklave::NodeId;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::{
    Monitor,
    raymond::{Raymond, Variant},
};
use konklave_catalog::mutex::workload::{Contention, Demand, MutexReport, Plan};
use konklave_sim::{Ended, Faults, Options, RunReport, Simulation};

fn plan(demand: Demand, nodes: u32) -> Plan {
    let requesters = NodeId::all(nodes).collect();
    let (entries, inside, think, warmup) = (3, 5, 50, 0);
    Plan { demand, entries, requesters, inside, think, warmup, unit: 1.0, perpetual: false }
}

/// A node alone, so that nobody else is to blame.
fn alone(options: Options, plan: Plan) -> RunReport<MutexReport> {
    let make = |me| RicartAgrawala::new(me, 1);
    let workload = Contention::new(1, plan);
    Simulation::new(options, 1, make, workload, Monitor::new(1)).run(&mut |_| true).unwrap()
}

#[test]
fn everyone_enters_as_often_as_planned_and_stays_as_long() {
    for demand in [Demand::Light, Demand::Heavy, Demand::Poisson(0.1)] {
        let report = alone(Options::default(), plan(demand, 1));
        assert_eq!((report.ended, report.problem.entries), (Ended::Quiescence, 3), "{demand}");
        assert_eq!(report.problem.response_time.unwrap().mean, 5.0, "{demand}");
    }
    // 0..5, then 50 to think, and so on.
    assert_eq!(alone(Options::default(), plan(Demand::Heavy, 1)).time, 5 + 50 + 5 + 50 + 5);
}

#[test]
fn a_crash_of_the_node_does_not_multiply_its_application() {
    // The crash and the restart fall into the time to think after the first entry: there are
    // two entries left. What was planned before the crash must not happen besides what is planned
    // after it.
    let faults = Faults { crashes: vec!["0@20..30".parse().unwrap()], ..Faults::default() };
    let options = Options { faults, ..Options::default() };
    let report = alone(options, plan(Demand::Heavy, 1));
    assert_eq!(report.problem.entries, 3);
}

#[test]
fn a_node_that_crashed_inside_stays_its_full_time_when_it_is_back() {
    let faults = Faults { crashes: vec!["0@10..20".parse().unwrap()], ..Faults::default() };
    let options = Options { faults, ..Options::default() };
    let plan = Plan { inside: 100, think: 0, entries: 2, ..plan(Demand::Heavy, 1) };
    let report = alone(options, plan);
    // The first stay ends in the crash; the second begins at the restart and takes its time.
    assert_eq!((report.problem.entries, report.time), (2, 120));
    assert_eq!(report.problem.response_time.unwrap().mean, 100.0);
}

#[test]
fn a_warm_up_is_left_out_of_all_measurements() {
    // The token starts at node 1, so node 0 fetches it once, for two messages, and keeps it.
    let run = |warmup| {
        let requesters = vec![NodeId(0)];
        let plan = Plan { requesters, warmup, ..plan(Demand::Light, 2) };
        let make = |me| Raymond::new(me, NodeId(1), Variant::Plain);
        let workload = Contention::new(2, plan);
        let mut simulation =
            Simulation::new(Options::default(), 2, make, workload, Monitor::new(2));
        simulation.run(&mut |_| true).unwrap().problem
    };
    let whole = run(0);
    assert_eq!((whole.entries, whole.messages_per_entry), (3, Some(2.0 / 3.0)));
    assert_eq!(whole.waiting_time.unwrap().max, 2.0);
    let steady = run(1);
    assert_eq!((steady.entries, steady.messages_per_entry), (3, Some(0.0)));
    assert_eq!(steady.waiting_time.unwrap().max, 0.0);
    assert_eq!(run(2).messages_per_entry, None, "nothing is left to measure");
}
