//! Random schedules per second on all cores, as `konklave fuzz` runs them: small systems, each
//! drawn, built, run and judged. The aim is more than 20 000 on two cores.

use std::thread;
use std::time::Duration;

use konklave_cli::args::Verb;
use konklave_cli::fuzz::draw::Space;
use konklave_cli::fuzz::swarm::{Budget, swarm};
use konklave_cli::shard::Shard;

/// From few messages to many.
const ALGORITHMS: [&str; 6] =
    ["central", "raymond", "suzuki-kasami", "ricart-agrawala", "maekawa", "lamport"];
const TIME: Duration = Duration::from_secs(2);

fn main() {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    println!("random schedules of 2 to 8 nodes, {threads} threads, {} s each", TIME.as_secs());
    let catalog = konklave_cli::catalog().leak();
    for name in ALGORITHMS {
        let cli = konklave_cli::parse_from(["konklave", "fuzz", name], catalog);
        let Verb::Fuzz(args) = cli.expect("this is a command").verb else {
            unreachable!("this is fuzz")
        };
        let entry = catalog.find(name).expect("the catalogue knows it");
        let space = Space::new(&args, entry).expect("it has its networks");
        let budget = Budget {
            seed: 1,
            shard: Shard::WHOLE,
            schedules: u64::MAX,
            time: TIME,
            threads,
            stops_at_failure: true,
        };
        let tally = swarm(&space, budget, &mut |_, _| true).expect("all runs can be built");
        assert!(tally.failures.is_empty() && tally.unfinished.is_empty(), "{:?}", tally.failures);
        let schedules = tally.schedules as f64 / tally.seconds;
        let deliveries = tally.deliveries as f64 / tally.seconds / 1e6;
        println!("{name:20} {schedules:>9.0} schedules/s {deliveries:>6.2} M deliveries/s");
    }
}
