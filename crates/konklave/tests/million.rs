//! A million nodes are cheap. Alone in its file, so that nothing else uses this process's memory.

use konklave::NodeId;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::{Id, Monitor, Winner};
use konklave_catalog::election::workload::{Ballot, Plan};
use konklave_sim::{Ended, Options, Simulation};

const NODES: u32 = 1_000_000;

/// What this process has used so far: ticks of processor time, a hundredth of a second each, and
/// the most memory it ever had, in megabytes. None where the system does not tell.
fn used() -> Option<(u64, u64)> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().ok()?;
    Some((ticks, kilobytes / 1024))
}

#[test]
fn a_million_nodes_are_cheap_to_make_and_to_run() {
    let before = used();
    let ids: Vec<_> = (0..NODES).map(Id).collect();
    let next = |me: NodeId| NodeId((me.0 + 1) % NODES);
    let made = std::cell::Cell::new(0);
    let make = |me: NodeId| {
        made.set(made.get() + 1);
        ChangRoberts::new(Id(me.0), next(me), Wake::Suppress)
    };
    let ballot = Ballot::new(ids.clone(), Plan::once(vec![NodeId(NODES - 1)], 0));
    let monitor = Monitor::new(ids, Winner::Largest);
    let mut simulation = Simulation::new(Options::default(), NODES, make, ballot, monitor);
    assert_eq!(made.get(), NODES, "each node is made once");
    let built = used();

    let report = simulation.run(&mut |_| true).unwrap();
    assert_eq!(report.ended, Ended::Quiescence);
    // The largest id starts, wakes everybody, and comes home; then it is announced.
    assert_eq!(report.messages.total, 2 * u64::from(NODES));
    assert_eq!(report.problem.known_by, NODES);

    if let (Some(before), Some(built), Some(end)) = (before, built, used()) {
        assert!(built.0 - before.0 < 100, "making them took {} ticks", built.0 - before.0);
        assert!(end.1 < 300, "{} MB", end.1);
    }
}
