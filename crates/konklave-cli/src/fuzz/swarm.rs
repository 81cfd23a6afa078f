//! Many runs at a time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use konklave::protocol::Broken;
use konklave_catalog::disorder::Disorder;
use konklave_catalog::system::Watch;
use konklave_check::Coverage;
use konklave_sim::Ended;

use super::draw::Space;
use crate::failure::Failure;
use crate::quiet::quietly;
use crate::shard::Shard;

/// The limits of a campaign, and its number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The first seed.
    pub seed: u64,
    /// The part of the seeds that is run.
    pub shard: Shard,
    /// The maximum number of schedules.
    pub schedules: u64,
    /// The time limit.
    pub time: Duration,
    /// The number of threads.
    pub threads: usize,
    /// Whether to stop at the first failure.
    pub stops_at_failure: bool,
}

/// The totals over all runs.
#[derive(Debug, Default)]
pub struct Tally {
    /// The number of schedules.
    pub schedules: u64,
    /// The number of messages delivered.
    pub deliveries: u64,
    /// The elapsed time in seconds.
    pub seconds: f64,
    /// The number of distinct states of the monitor, and whether there may be more.
    pub coverage: (usize, bool),
    /// Failures, by the violated assumption and the broken promise.
    pub failures: BTreeMap<(Option<Disorder>, String), Failures>,
    /// Schedules that were cut off at the event limit, by the violated assumption.
    pub unfinished: BTreeMap<Option<Disorder>, Unfinished>,
    /// Whether the user interrupted the campaign.
    pub is_interrupted: bool,
}

/// Failures with the same violated assumption and broken promise.
#[derive(Clone, Debug)]
pub struct Failures {
    /// The number of schedules.
    pub count: u64,
    /// The seed of the first.
    pub seed: u64,
    /// The promise that the first one breaks.
    pub broken: Broken,
}

/// Schedules that were cut off at the event limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The number of schedules.
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
    /// No schedule from this number on is begun.
    limit: AtomicU64,
    deliveries: AtomicU64,
    /// Whether running schedules are abandoned as well.
    is_stopped: AtomicBool,
}

/// The interval at which `go_on` is asked.
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
        limit: AtomicU64::new(budget.shard.share(budget.schedules)),
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
        tally.keep_first();
    }
    Ok(tally)
}

/// The promise that the schedule of this seed breaks, if it breaks one.
///
/// # Errors
///
/// If the run cannot be built.
pub(super) fn broken(space: &Space, seed: u64) -> Result<Option<Broken>, Failure> {
    let drawn = space.draw(seed)?;
    let run = || drawn.site.system()?.run(&drawn.options, Watch::default(), &mut |_| true);
    let report = quietly(run)?;
    Ok(report.violations.into_iter().next().map(|violation| violation.broken))
}

type Part = Result<(Tally, Coverage), Failure>;

impl Swarm<'_> {
    /// Stops: no schedule is begun, and running ones are abandoned.
    fn stop(&self) {
        self.limit.store(0, Ordering::Relaxed);
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Runs schedules, and sends their results.
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
            let seed = self.budget.seed.wrapping_add(self.budget.shard.place(place));
            match self.attempt(seed, &coverage, &mut tally) {
                Ok(true) => {}
                Ok(false) if self.budget.stops_at_failure => {
                    self.limit.fetch_min(place, Ordering::Relaxed);
                }
                Ok(false) => {}
                Err(failure) => break Err(failure),
            }
        };
        // The receiver is gone if another thread has failed.
        let _ = sender.send(part);
    }

    /// Runs a schedule, and returns whether it kept all promises up to its end.
    fn attempt(&self, seed: u64, coverage: &Coverage, tally: &mut Tally) -> Result<bool, Failure> {
        let drawn = self.space.draw(seed)?;
        let mut go_on = |_| !self.is_stopped.load(Ordering::Relaxed);
        let watch = Watch { coverage: Some(coverage), ..Watch::default() };
        let report = drawn.site.system()?.run(&drawn.options, watch, &mut go_on)?;
        if report.ended == Ended::Interrupted {
            return Ok(true);
        }
        tally.schedules += 1;
        tally.deliveries += report.deliveries;
        self.deliveries.fetch_add(report.deliveries, Ordering::Relaxed);
        let Some(violation) = report.violations.into_iter().next() else {
            if report.ended.is_early() {
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

    /// Forgets the failures after the first: threads and parts that were ahead may have found more.
    pub(super) fn keep_first(&mut self) {
        let first = self.failures.values().map(|failures| failures.seed).min();
        self.failures.retain(|_, failures| Some(failures.seed) == first);
    }

    pub(super) fn give_up(
        &mut self,
        disorder: Option<Disorder>,
        Unfinished { count, seed }: Unfinished,
    ) {
        let known = self.unfinished.entry(disorder).or_insert(Unfinished { count: 0, seed });
        known.count += count;
        known.seed = known.seed.min(seed);
    }

    pub(super) fn note(&mut self, key: (Option<Disorder>, String), found: Failures) {
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
