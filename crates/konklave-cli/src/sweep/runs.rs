//! The runs of a sweep: in parallel, each logged when it ends.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use konklave_catalog::entry::Entry;
use konklave_catalog::quantity::{GENERAL, Measures};
use konklave_catalog::site::Site;
use konklave_catalog::system::Watch;
use konklave_sim::{Ended as Stopped, Options, Progress, RunReport};
use serde::{Deserialize, Serialize};

use super::log::Key;
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::given::Given;
use crate::quiet::quietly;
use crate::run;

/// The configuration of runs that differ only in their seeds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) algorithm: String,
    pub(super) nodes: u32,
    /// The values of the options that vary over the sweep.
    pub(super) options: Given,
    pub(super) delay: String,
}

impl Cell {
    /// The series of this cell: the same algorithm, options and delay, with any size.
    pub(super) fn series(&self) -> Self {
        Self { nodes: 0, ..self.clone() }
    }

    /// The value of an option that varies over the sweep.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        match name {
            "delay" => Some(&self.delay),
            name => self.options.get(name).map(String::as_str),
        }
    }
}

/// The measurements of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ran {
    #[serde(flatten)]
    pub(super) cell: Cell,
    pub(super) seed: u64,
    pub(super) verdict: RunVerdict,
    /// The measured quantities, by name.
    pub(super) measured: BTreeMap<String, f64>,
    /// Messages of each kind.
    pub(super) kinds: BTreeMap<String, u64>,
}

/// Whether one run kept all promises. Written as `ok`, or as the name of the promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(super) enum RunVerdict {
    Kept,
    /// This promise was the first to break.
    Broken(String),
}

const KEPT: &str = "ok";

impl From<String> for RunVerdict {
    fn from(text: String) -> Self {
        if text == KEPT { Self::Kept } else { Self::Broken(text) }
    }
}

impl From<RunVerdict> for String {
    fn from(verdict: RunVerdict) -> Self {
        match verdict {
            RunVerdict::Kept => KEPT.to_owned(),
            RunVerdict::Broken(promise) => promise,
        }
    }
}

impl Ran {
    pub(super) fn key(&self) -> Key {
        (self.cell.clone(), self.seed)
    }
}

/// A run without a result, in the log of a shard.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Skipped {
    #[serde(flatten)]
    pub(super) cell: Cell,
    pub(super) seed: u64,
    pub(super) left_out: Why,
}

/// Why a run has no result.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Why {
    /// It hit the event limit.
    EventLimit,
    /// It cannot be built, with the reason.
    Impossible(String),
}

/// Why a run has a result or not.
pub(super) enum Ended {
    Whole(Ran),
    /// The run hit the event limit.
    TooLong,
    /// The user interrupted the run, or it was not begun.
    Stopped,
    /// The run cannot be built, with the reason.
    Impossible(String),
}

/// A run that the sweep asks for.
pub(super) struct Task {
    pub(super) entry: &'static Entry,
    pub(super) cell: Cell,
    args: RunArgs,
}

impl Task {
    pub(super) fn new(entry: &'static Entry, cell: Cell, args: RunArgs) -> Self {
        Self { entry, cell, args }
    }

    /// The same with another seed.
    pub(super) fn with_seed(&self, seed: u64) -> Self {
        let args = RunArgs { seed, ..self.args.clone() };
        Self { entry: self.entry, cell: self.cell.clone(), args }
    }

    /// The run as the options of `konklave run`.
    pub(super) fn args(&self) -> &RunArgs {
        &self.args
    }

    pub(super) fn key(&self) -> Key {
        (self.cell.clone(), self.args.seed)
    }

    /// The system, and the options of the simulation.
    pub(super) fn plan(&self) -> Result<(Site, Options), Failure> {
        let site = run::site(&self.args, self.entry)?;
        let options = run::options(&self.args, &site)?;
        Ok((site, options))
    }

    fn run(&self, stop: &AtomicBool) -> Ended {
        let (site, options) = match self.plan() {
            Ok(ready) => ready,
            Err(failure) => return Ended::Impossible(failure.to_string()),
        };
        let usual = LIMIT.max(LIMIT_PER_NODE * u64::from(self.cell.nodes));
        let options =
            Options { event_limit: Some(options.event_limit.unwrap_or(usual)), ..options };
        let mut is_crowded = false;
        let mut go_on = |progress: Progress| {
            is_crowded = progress.pending > usual / PENDING_PER_LIMIT;
            !is_crowded && !stop.load(Ordering::Relaxed)
        };
        let ran = site.system().and_then(|it| it.run(&options, Watch::default(), &mut go_on));
        let report = match ran {
            Ok(report) => report,
            Err(refusal) => return Ended::Impossible(refusal.to_string()),
        };
        match report.ended {
            Stopped::EventLimit | Stopped::RoundLimit => Ended::TooLong,
            ended if ended.is_early() && is_crowded => Ended::TooLong,
            ended if ended.is_early() => Ended::Stopped,
            _ => Ended::Whole(Ran {
                cell: self.cell.clone(),
                seed: self.args.seed,
                verdict: match report.violations.first() {
                    Some(violation) => RunVerdict::Broken(violation.broken.promise.clone()),
                    None => RunVerdict::Kept,
                },
                measured: measured(&report),
                kinds: report.messages.by_kind,
            }),
        }
    }
}

/// The default event limit, which takes about a minute.
pub(super) const LIMIT: u64 = 200_000_000;
/// The default event limit per node, for large systems.
const LIMIT_PER_NODE: u64 = 200;
/// A run with this share of the default limit pending at a time is left out: its memory explodes.
const PENDING_PER_LIMIT: u64 = 20;

/// The measured quantities of a run, by the names that bounds use.
fn measured(report: &RunReport<Measures>) -> BTreeMap<String, f64> {
    let general =
        GENERAL.iter().filter_map(|it| Some((it.quantity.name.to_owned(), (it.read)(report)?)));
    general.chain(report.problem.numbers()).collect()
}

/// An observer of the progress of a sweep.
pub(super) trait Watcher {
    /// A run has ended, after this many seconds.
    fn ended(&mut self, task: &Task, ended: Ended, seconds: f64) -> Result<(), Failure>;
    /// These runs have taken this many seconds so far; returns whether to go on.
    fn go_on(&mut self, under_way: &[(&Task, f64)]) -> bool;
}

/// Runs all tasks on this many threads. After a run that hits the event limit, larger ones of its
/// series are not begun.
pub(super) fn run_all(
    tasks: &[Task],
    threads: usize,
    watcher: &mut impl Watcher,
) -> Result<(), Failure> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results = Mutex::new(Vec::new());
    let under_way = Mutex::new(BTreeMap::new());
    let too_long: Mutex<BTreeMap<Cell, u32>> = Mutex::default();
    quietly(|| {
        thread::scope(|scope| {
            let work = || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(place) else { break };
                    let (series, nodes) = (task.cell.series(), task.cell.nodes);
                    let is_hopeless = {
                        let too_long = too_long.lock().expect(UNHARMED);
                        too_long.get(&series).is_some_and(|least| nodes >= *least)
                    };
                    let since = Instant::now();
                    let ended = match stop.load(Ordering::Relaxed) || is_hopeless {
                        true => Ended::Stopped,
                        false => {
                            under_way.lock().expect(UNHARMED).insert(place, since);
                            task.run(&stop)
                        }
                    };
                    if matches!(ended, Ended::TooLong) {
                        let mut too_long = too_long.lock().expect(UNHARMED);
                        let least = too_long.entry(series).or_insert(nodes);
                        *least = nodes.min(*least);
                    }
                    under_way.lock().expect(UNHARMED).remove(&place);
                    let seconds = since.elapsed().as_secs_f64();
                    results.lock().expect(UNHARMED).push((place, ended, seconds));
                }
            };
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let mut outcome = Ok(());
            loop {
                let are_done = workers.iter().all(thread::ScopedJoinHandle::is_finished);
                let fresh = std::mem::take(&mut *results.lock().expect(UNHARMED));
                for (place, ended, seconds) in fresh {
                    outcome = outcome.and(watcher.ended(&tasks[place], ended, seconds));
                }
                let now: Vec<_> = {
                    let under_way = under_way.lock().expect(UNHARMED);
                    let seconds = |since: &Instant| since.elapsed().as_secs_f64();
                    under_way
                        .iter()
                        .map(|(place, since)| (&tasks[*place], seconds(since)))
                        .collect()
                };
                if outcome.is_err() || !watcher.go_on(&now) {
                    stop.store(true, Ordering::Relaxed);
                }
                if are_done {
                    return outcome;
                }
                thread::sleep(Duration::from_millis(20));
            }
        })
    })
}

const UNHARMED: &str = "no thread panics with it";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_written_as_the_promise_or_as_ok() {
        let promise = "no starvation".to_owned();
        for (verdict, json) in
            [(RunVerdict::Kept, r#""ok""#), (RunVerdict::Broken(promise), r#""no starvation""#)]
        {
            assert_eq!(serde_json::to_string(&verdict).unwrap(), json);
            assert_eq!(serde_json::from_str::<RunVerdict>(json).unwrap(), verdict);
        }
    }
}
