//! Deliveries per second of the simulator, beside a bare loop in the same run.
//!
//! Machines are noisy: read the ratios. The rounds of all candidates alternate, and a ratio is the
//! median of those within each round.
#![allow(clippy::disallowed_types)] // No algorithm: a benchmark needs a clock.

mod bare;
mod composite;
mod runs;

use std::time::{Duration, Instant};

use konklave::election::Id;
use konklave_sim::random::{Random, Stream};

use runs::DELAY;

const NODES: u32 = 1_000_000;
const ROUNDS: u64 = 15;

/// Something to measure: given a seed, it returns its number of deliveries.
struct Candidate<'a> {
    name: &'a str,
    run: &'a dyn Fn(u64) -> u64,
    /// Deliveries per second, in each round.
    rates: Vec<f64>,
}

impl<'a> Candidate<'a> {
    fn new(name: &'a str, run: &'a dyn Fn(u64) -> u64) -> Self {
        Self { name, run, rates: Vec::new() }
    }

    fn measure(&mut self, seed: u64) {
        let (start, started_at) = (Instant::now(), processor_time());
        let deliveries = (self.run)(seed);
        let time = match (started_at, processor_time()) {
            (Some(from), Some(to)) => to.saturating_sub(from),
            _ => start.elapsed(),
        };
        self.rates.push(deliveries as f64 / time.as_secs_f64());
    }

    fn rate(&self) -> f64 {
        median(self.rates.clone())
    }

    /// How fast it is, compared with another one.
    fn ratio(&self, other: &Self) -> f64 {
        median(self.rates.iter().zip(&other.rates).map(|(mine, theirs)| mine / theirs).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// How long this thread has had a processor, where the system tells: others may want it too.
fn processor_time() -> Option<Duration> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = status.split_whitespace().next()?.parse().ok()?;
    (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
}

/// The largest part of memory that was ever in use, in MiB, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

fn main() {
    let mut numbers: Vec<u32> = (0..NODES).collect();
    Random::new(1, Stream::Ids).shuffle(&mut numbers);
    let ids: Vec<Id> = numbers.iter().copied().map(Id).collect();

    let bare = |seed| bare::elect(&numbers, DELAY, seed);
    let roomy = |seed| bare::elect_on_large_pages(&numbers, DELAY, seed);
    let watched = |seed| runs::chang_roberts(&ids, seed);
    let unwatched = |seed| runs::chang_roberts_unwatched(&ids, seed);
    let mut candidates = [
        Candidate::new("bare loop, 1000000 nodes", &bare),
        Candidate::new("chang-roberts, 1000000 nodes", &watched),
        Candidate::new("  without metrics and monitor", &unwatched),
        Candidate::new("bare loop on large pages", &roomy),
        Candidate::new("ricart-agrawala, 1000 nodes", &|seed| runs::ricart_agrawala(1000, 5, seed)),
        Candidate::new("raymond, 131071 nodes", &|seed| runs::raymond((1 << 17) - 1, 2, seed)),
        Candidate::new("three nested, 10000 nodes", &|seed| runs::composite(10_000, seed)),
    ];

    let mut tiny = Candidate::new("tiny runs", &runs::tiny);

    candidates[1].measure(0); // Alone, for its memory.
    candidates[1].rates.clear();
    let memory = peak_memory();
    for seed in 0..ROUNDS {
        candidates.iter_mut().for_each(|candidate| candidate.measure(seed));
        tiny.measure(seed);
    }

    println!("{:32} {:>15} {:>8}", format!("delays {DELAY}"), "M deliveries/s", "of bare");
    for candidate in &candidates {
        let (rate, ratio) = (candidate.rate() / 1e6, candidate.ratio(&candidates[0]));
        println!("{:32} {rate:15.1} {ratio:8.2}", candidate.name);
    }
    let cost = 1.0 - candidates[1].ratio(&candidates[2]);
    println!("metrics and monitor cost {:.0} % of chang-roberts", 100.0 * cost);
    let tiny = tiny.rate();
    println!("tiny runs per second: {tiny:.0}, of ricart-agrawala, 3 nodes, 2 entries each");
    if let Some(memory) = memory {
        println!("chang-roberts, {NODES} nodes, needs at most {memory} MiB");
    }
}
