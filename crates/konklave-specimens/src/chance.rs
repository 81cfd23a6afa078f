//! Random schedules, for the specimens whose systems are too large to look at every one.

use konklave::NodeId;
use konklave::mutex::{Command, Event, Monitor};
use konklave_sim::workload::mutex::{Contention, Demand, Plan};
use konklave_sim::{Delay, Options, Recording, Simulation};
use konklave_stage::erased::AnyNode;

use crate::Setting;

/// Runs the schedule of this seed: the promise that breaks, if one does, and the lines of the trace
/// without its header.
pub fn attempt(
    setting: &Setting,
    seed: u64,
    make: &dyn Fn(NodeId) -> AnyNode<Command, Event>,
) -> Option<(String, Vec<String>)> {
    let nodes = setting.nodes();
    let delay = Delay::Exponential(10);
    let plan = Plan {
        demand: Demand::Heavy,
        entries: setting.budget[0],
        requesters: NodeId::all(nodes).collect(),
        inside: 1,
        think: 0,
        warmup: 0,
        unit: delay.mean(),
        perpetual: false,
    };
    let event_limit = Some(100_000);
    let options = Options { seed, delay, fifo: setting.fifo, event_limit, ..Options::default() };
    let mut trace = Vec::new();
    let workload = Contention::new(nodes, plan);
    let mut simulation = Simulation::new(options, nodes, make, workload, Monitor::new(nodes));
    simulation.record(Recording::new(&mut trace, false));
    let report = simulation.run(&mut |_| true).expect("memory can be written");
    drop(simulation);
    let promise = report.violations.first()?.broken.promise.clone();
    let trace = String::from_utf8(trace).expect("a trace is text");
    Some((promise, trace.lines().map(str::to_owned).collect()))
}
