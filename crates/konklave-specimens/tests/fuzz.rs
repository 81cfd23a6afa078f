//! Random schedules find the specimens whose systems are too large to look at every schedule.

use konklave::NodeId;
use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::Protocol;
use konklave_sim::workload::mutex::{Contention, Demand, Plan};
use konklave_sim::{Delay, Options, Simulation};
use konklave_specimens::flaws::cao_singhal::NoPendingTransfer;
use konklave_specimens::flaws::maekawa::YieldIsNoFailure;
use konklave_specimens::{Flaw, Flawed, Flawless, Tool, all, find};

/// The promise that breaks with this seed, if one does.
fn broken<P>(nodes: u32, entries: u32, seed: u64, make: impl Fn(NodeId) -> P) -> Option<String>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let delay = Delay::Uniform(1, 20);
    let plan = Plan {
        demand: Demand::Heavy,
        entries,
        requesters: NodeId::all(nodes).collect(),
        inside: 1,
        think: 0,
        warmup: 0,
        unit: delay.mean(),
        perpetual: false,
    };
    let options = Options { seed, delay, event_limit: Some(100_000), ..Options::default() };
    let workload = Contention::new(nodes, plan);
    let mut simulation = Simulation::new(options, nodes, make, workload, Monitor::new(nodes));
    let report = simulation.run(&mut |_| true).expect("nothing is written");
    report.violations.first().map(|violation| violation.broken.promise.clone())
}

/// Looks for the first seed that breaks the promise, and finds the right algorithm right up to it.
fn hunt<P, F>(name: &str, right: impl Fn(NodeId) -> P, flaw: impl Fn() -> F)
where
    P: Protocol<Command = Command, Event = Event>,
    F: Flaw<P>,
{
    let specimen = find(name).expect("a specimen");
    let Tool::Fuzz { seeds } = specimen.found_by else { panic!("{name} needs no luck") };
    let (nodes, entries) = (specimen.setting.nodes(), specimen.setting.budget[0]);
    let run = |seed| broken(nodes, entries, seed, |me| Flawed::new(right(me), flaw()));
    let found = (1..=seeds).find_map(|seed| run(seed).map(|promise| (seed, promise)));
    let (seed, promise) = found.unwrap_or_else(|| panic!("{name}: not with seeds 1 to {seeds}"));
    println!("{name}: seed {seed} breaks {promise}");
    assert_eq!(promise, specimen.promise, "{name}, seed {seed}");
    for seed in 1..=seeds {
        let run = broken(nodes, entries, seed, |me| Flawed::new(right(me), Flawless));
        assert_eq!(run, None, "{}, seed {seed}", specimen.of);
    }
}

#[test]
fn maekawa_yield_is_no_failure() {
    let quorums = Quorums::new(7);
    let right = |me: NodeId| Maekawa::new(me, quorums.of(me).clone());
    hunt("maekawa-yield-is-no-failure", right, YieldIsNoFailure::default);
}

#[test]
fn cao_singhal_without_pending_transfer() {
    let quorums = Quorums::new(7);
    let right = |me: NodeId| CaoSinghal::new(me, quorums.of(me));
    hunt("cao-singhal-without-pending-transfer", right, NoPendingTransfer::default);
}

#[test]
fn no_specimen_is_left_out() {
    let by_luck = all().filter(|specimen| specimen.found_by != Tool::Check);
    let names: Vec<_> = by_luck.map(|specimen| specimen.name).collect();
    assert_eq!(names, ["cao-singhal-without-pending-transfer", "maekawa-yield-is-no-failure"]);
}
