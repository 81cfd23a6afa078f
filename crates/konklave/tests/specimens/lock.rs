//! Runs of mutual exclusion algorithms, right or wrong.

use konklave::NodeId;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::Protocol;
use konklave_catalog::mutex::workload::{Contention, Demand, MutexReport, Plan};
use konklave_sim::{Delay, Options, RunReport, Simulation};
use konklave_specimens::{Flaw, Flawed, Flawless};

use super::verdict::verdict;

/// Everyone enters three times, if it can. What goes wrong may go on for ever.
pub(super) fn run<P>(
    options: &Options,
    nodes: u32,
    demand: Demand,
    make: impl Fn(NodeId) -> P,
) -> RunReport<MutexReport>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let plan = Plan {
        demand,
        entries: 3,
        requesters: NodeId::all(nodes).collect(),
        inside: 5,
        think: 0,
        warmup: 0,
        unit: options.delay.mean(),
        perpetual: false,
    };
    let workload = Contention::new(nodes, plan);
    let options = Options { event_limit: Some(20_000), ..options.clone() };
    let mut simulation = Simulation::new(options, nodes, make, workload, Monitor::new(nodes));
    simulation.run(&mut |_| true).expect("nothing is written")
}

/// Ricart and Agrawala with a flaw.
pub(super) fn ricart_agrawala(
    options: &Options,
    nodes: u32,
    demand: Demand,
    flaw: &impl Flaw<RicartAgrawala>,
) -> RunReport<MutexReport> {
    run(options, nodes, demand, |me| Flawed::new(RicartAgrawala::new(me, nodes), flaw.clone()))
}

/// Raymond on a path, the token at its beginning, with a flaw.
pub(super) fn raymond(
    options: &Options,
    nodes: u32,
    demand: Demand,
    flaw: &impl Flaw<Raymond>,
) -> RunReport<MutexReport> {
    let right = |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
    run(options, nodes, demand, |me| Flawed::new(right(me), flaw.clone()))
}

/// Schedules in which messages overtake each other.
pub(super) fn wild(seed: u64) -> Options {
    Options { seed, delay: Delay::Uniform(1, 20), ..Options::default() }
}

#[test]
fn without_a_flaw_nothing_is_wrong() {
    for demand in [Demand::Light, Demand::Heavy, Demand::Poisson(1.0)] {
        for (seed, nodes) in [(1, 2), (2, 3), (3, 5)] {
            let options = wild(seed);
            let wrapped = ricart_agrawala(&options, nodes, demand, &Flawless);
            let bare = run(&options, nodes, demand, |me| RicartAgrawala::new(me, nodes));
            assert_eq!(verdict(&wrapped), "kept", "{nodes} nodes, {options:?}");
            assert_eq!(wrapped.digest, bare.digest, "wrapping changes nothing");
            let wrapped = raymond(&options, nodes, demand, &Flawless);
            assert_eq!(verdict(&wrapped), "kept", "{nodes} nodes, {options:?}");
        }
    }
}
