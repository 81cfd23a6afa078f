//! Deliveries per second of the simulator, beside a bare loop in the same run.
//!
//! Machines are noisy: read the ratios. Every figure is the best of several rounds, and the rounds
//! of all candidates alternate.

mod bare;

use std::time::Instant;

use konklave::NodeId;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::{self, Id, Winner};
use konklave_sim::random::{Random, Stream};
use konklave_sim::workload::election::Ballot;
use konklave_sim::{Delay, Options, Simulation};

const NODES: u32 = 1_000_000;
const ROUNDS: u64 = 5;
const DELAY: Delay = Delay::Uniform(1, 16);

fn rate(work: impl FnOnce() -> u64) -> f64 {
    let start = Instant::now();
    let deliveries = work();
    deliveries as f64 / start.elapsed().as_secs_f64()
}

fn chang_roberts(ids: &[u32], metered: bool, seed: u64) -> u64 {
    let ids: Vec<Id> = ids.iter().copied().map(Id).collect();
    let next = |me: NodeId| NodeId((me.0 + 1) % NODES);
    let make = |me: NodeId| ChangRoberts::new(ids[me.index()], next(me), Wake::All);
    let options = Options { seed, delay: DELAY, metered, ..Options::default() };
    let ballot = Ballot::new(ids.clone(), NodeId::all(NODES).collect(), 0);
    let monitor = election::Monitor::new(ids.clone(), Winner::Largest);
    let report = Simulation::new(options, NODES, make, ballot, monitor).run(&mut |_| true).unwrap();
    assert!(report.violations.is_empty());
    report.deliveries
}

fn main() {
    let mut ids: Vec<u32> = (0..NODES).collect();
    Random::new(1, Stream::Ids).shuffle(&mut ids);
    let (mut bare, mut ours, mut unmetered) = (0.0_f64, 0.0_f64, 0.0_f64);
    for seed in 0..ROUNDS {
        bare = bare.max(rate(|| bare::elect(&ids, DELAY, seed)));
        ours = ours.max(rate(|| chang_roberts(&ids, true, seed)));
        unmetered = unmetered.max(rate(|| chang_roberts(&ids, false, seed)));
    }
    println!("chang-roberts, {NODES} nodes, {DELAY}");
    println!("  bare loop            {:6.1} M deliveries/s", bare / 1e6);
    println!(
        "  simulator            {:6.1} M deliveries/s, {:.2} of bare",
        ours / 1e6,
        ours / bare
    );
    println!(
        "  without metrics      {:6.1} M deliveries/s, {:.2}",
        unmetered / 1e6,
        ours / unmetered
    );
}
