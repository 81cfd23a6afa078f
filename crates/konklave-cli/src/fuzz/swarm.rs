//! Many runs at a time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use konklave::protocol::Broken;
use konklave_catalog::system::Watch;
use konklave_check::Coverage;
use konklave_sim::Ended;

use super::draw::Space;
use super::faults::Disorder;
use crate::failure::Failure;
use crate::quiet::quietly;

/// When to stop, and how many work.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The first seed.
    pub seed: u64,
    /// So many schedules.
    pub schedules: u64,
    /// So much time.
    pub time: Duration,
    /// So many threads.
    pub threads: usize,
    /// Whether the first failure is enough.
    pub stops_at_failure: bool,
}

/// What came of all runs.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many there were.
    pub schedules: u64,
    /// How many messages were received.
    pub deliveries: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How many different states the monitor was in, and whether there may be more.
    pub coverage: (usize, bool),
    /// What has gone wrong, by what was not assumed and by the promise that was broken.
    pub failures: BTreeMap<(Disorder, String), Failures>,
    /// What was given up at the limit of steps, by what was not assumed: nobody knows how it ends.
    pub unfinished: BTreeMap<Disorder, Unfinished>,
    /// Whether somebody has stopped it.
    pub is_interrupted: bool,
}

/// Failures of one kind.
#[derive(Clone, Debug)]
pub struct Failures {
    /// How many.
    pub count: u64,
    /// The seed of the first.
    pub seed: u64,
    /// What it breaks.
    pub broken: Broken,
}

/// Schedules that were given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// How many.
    pub count: u64,
    /// The seed of the first.
    pub seed: u64,
}

/// What all threads share.
struct Swarm<'a> {
    space: &'a Space,
    budget: Budget,
    begun: Instant,
    /// How many schedules were begun.
    next: AtomicU64,
    /// From here on, none is begun any more.
    limit: AtomicU64,
    deliveries: AtomicU64,
    /// Whether even those that were begun are left.
    is_stopped: AtomicBool,
}

/// How often somebody is asked whether to go on.
const LOOK: Duration = Duration::from_millis(50);

/// Runs schedules until the budget is spent. `go_on` is told how many schedules and deliveries
/// there were, and can stop it. The same budget of schedules gives the same failures, whatever the
/// number of threads.
///
/// # Errors
///
/// If a run cannot be built.
pub fn swarm(
    space: &Space,
    budget: Budget,
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Tally, Failure> {
    let swarm = Swarm {
        space,
        budget,
        begun: Instant::now(),
        next: AtomicU64::new(0),
        limit: AtomicU64::new(budget.schedules),
        deliveries: AtomicU64::new(0),
        is_stopped: AtomicBool::new(false),
    };
    let mut tally = Tally::default();
    let mut coverages = Vec::new();
    let outcome = quietly(|| {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..budget.threads {
                let (swarm, sender) = (&swarm, sender.clone());
                scope.spawn(move || swarm.work(sender));
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(LOOK) {
                    Ok(Ok((part, coverage))) => {
                        tally.add(part);
                        coverages.push(coverage);
                    }
                    Ok(Err(failure)) => {
                        swarm.stop();
                        return Err(failure);
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
                        if !go_on(count(&swarm.next), count(&swarm.deliveries)) {
                            tally.is_interrupted = true;
                            swarm.stop();
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
        })
    });
    outcome?;
    tally.seconds = swarm.begun.elapsed().as_secs_f64();
    tally.coverage = Coverage::count(coverages.iter());
    if budget.stops_at_failure {
        // Threads that were ahead may have found more.
        let first = tally.failures.values().map(|failures| failures.seed).min();
        tally.failures.retain(|_, failures| Some(failures.seed) == first);
    }
    Ok(tally)
}

type Part = Result<(Tally, Coverage), Failure>;

impl Swarm<'_> {
    /// No schedule is begun any more, nor gone on with.
    fn stop(&self) {
        self.limit.store(0, Ordering::Relaxed);
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Runs schedules, and tells what came of them.
    fn work(&self, sender: Sender<Part>) {
        let coverage = Coverage::default();
        let mut tally = Tally::default();
        let part = loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            // Seeds before a failure are still tried, so that it is the first.
            if place >= self.limit.load(Ordering::Relaxed) {
                break Ok((tally, coverage));
            }
            if self.begun.elapsed() >= self.budget.time {
                self.limit.fetch_min(place, Ordering::Relaxed);
            }
            let seed = self.budget.seed.wrapping_add(place);
            match self.attempt(seed, &coverage, &mut tally) {
                Ok(true) => {}
                Ok(false) if self.budget.stops_at_failure => {
                    self.limit.fetch_min(place, Ordering::Relaxed);
                }
                Ok(false) => {}
                Err(failure) => break Err(failure),
            }
        };
        // Nobody listens any more if another thread has failed.
        let _ = sender.send(part);
    }

    /// Runs a schedule; whether it keeps all promises, as far as it was run.
    fn attempt(&self, seed: u64, coverage: &Coverage, tally: &mut Tally) -> Result<bool, Failure> {
        let drawn = self.space.draw(seed)?;
        let mut go_on = |_| !self.is_stopped.load(Ordering::Relaxed);
        let watch = Watch { trace: None, coverage: Some(coverage) };
        let report = drawn.site.system()?.run(&drawn.options, watch, &mut go_on)?;
        if report.ended == Ended::Interrupted {
            return Ok(true);
        }
        tally.schedules += 1;
        tally.deliveries += report.deliveries;
        self.deliveries.fetch_add(report.deliveries, Ordering::Relaxed);
        let Some(violation) = report.violations.into_iter().next() else {
            if report.ended == Ended::EventLimit {
                tally.give_up(drawn.disorder, Unfinished { count: 1, seed });
            }
            return Ok(true);
        };
        let broken = violation.broken;
        let key = (drawn.disorder, broken.promise.clone());
        tally.note(key, Failures { count: 1, seed, broken });
        Ok(false)
    }
}

impl Tally {
    fn add(&mut self, part: Self) {
        self.schedules += part.schedules;
        self.deliveries += part.deliveries;
        for (key, failures) in part.failures {
            self.note(key, failures);
        }
        for (disorder, unfinished) in part.unfinished {
            self.give_up(disorder, unfinished);
        }
    }

    fn give_up(&mut self, disorder: Disorder, Unfinished { count, seed }: Unfinished) {
        let known = self.unfinished.entry(disorder).or_insert(Unfinished { count: 0, seed });
        known.count += count;
        known.seed = known.seed.min(seed);
    }

    fn note(&mut self, key: (Disorder, String), found: Failures) {
        self.failures
            .entry(key)
            .and_modify(|known| {
                let count = known.count + found.count;
                if found.seed < known.seed {
                    *known = found.clone();
                }
                known.count = count;
            })
            .or_insert(found);
    }
}
