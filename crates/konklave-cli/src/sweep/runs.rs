//! The runs of a sweep: in parallel, each logged when it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use konklave_catalog::entry::Entry;
use konklave_catalog::option::{Usual, Verb};
use konklave_catalog::problem::About;
use konklave_catalog::quantity::{COMMON, Measures};
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::Watch;
use konklave_sim::{Delay, Ended as Stopped, Options, Progress, Report};
use serde::{Deserialize, Serialize};

use super::SweepArgs;
use super::log::Key;
use crate::args::{FaultArgs, RunArgs};
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
}

/// The measurements of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ran {
    #[serde(flatten)]
    pub(super) cell: Cell,
    pub(super) seed: u64,
    pub(super) verdict: Verdict,
    /// The measured quantities, by name.
    pub(super) measured: BTreeMap<String, f64>,
    /// Messages of each kind.
    pub(super) kinds: BTreeMap<String, u64>,
}

/// Whether a run kept all promises. Written as `ok`, or as the name of the promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(super) enum Verdict {
    Kept,
    /// This promise was the first to break.
    Broken(String),
}

const KEPT: &str = "ok";

impl From<String> for Verdict {
    fn from(text: String) -> Self {
        if text == KEPT { Self::Kept } else { Self::Broken(text) }
    }
}

impl From<Verdict> for String {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Kept => KEPT.to_owned(),
            Verdict::Broken(promise) => promise,
        }
    }
}

impl Ran {
    pub(super) fn key(&self) -> Key {
        (self.cell.clone(), self.seed)
    }
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

/// All runs, small systems first.
pub(super) fn tasks(args: &SweepArgs, entries: &[&'static Entry]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for &nodes in &args.nodes {
        for entry in entries {
            for options in series(args, entry.problem) {
                for &delay in &args.delay {
                    let cell = Cell {
                        algorithm: entry.name.clone(),
                        nodes,
                        options: options.clone(),
                        delay: delay.to_string(),
                    };
                    tasks.extend((0..u64::from(args.seeds)).map(|place| Task {
                        entry,
                        cell: cell.clone(),
                        args: RunArgs {
                            seed: args.seed.wrapping_add(place),
                            ..run_args(args, entry, nodes, (&options, delay))
                        },
                    }));
                }
            }
        }
    }
    tasks
}

/// Every combination of the options that vary over the sweep.
fn series(args: &SweepArgs, problem: &About) -> Vec<Given> {
    let mut all = vec![Given::new()];
    for option in problem.options_of(Verb::Sweep).filter(|option| option.is_series) {
        let usual = match option.usual(Verb::Sweep) {
            Some(Usual::Is(value)) => Some(value),
            _ => None,
        };
        let values = args.options.get(option.name).map(String::as_str).or(usual);
        let mut values: Vec<_> = values.into_iter().flat_map(|it| it.split(',')).collect();
        let mut seen = BTreeSet::new();
        values.retain(|value| seen.insert(*value));
        let with = |given: &Given, value: &str| {
            let mut given = given.clone();
            given.insert(option.name.to_owned(), value.to_owned());
            given
        };
        all = all.iter().flat_map(|given| values.iter().map(|it| with(given, it))).collect();
    }
    all
}

fn run_args(
    args: &SweepArgs,
    entry: &Entry,
    nodes: u32,
    (options, delay): (&Given, Delay),
) -> RunArgs {
    let mut setup = Setup { nodes, options: args.options.clone(), ..Setup::default() };
    setup.options.extend(options.clone());
    for (name, value) in (entry.problem.steady)(&setup, delay) {
        setup = setup.with(name, value);
    }
    RunArgs {
        algorithm: entry.name.clone(),
        specimen: None,
        nodes: Some(nodes),
        topology: args.topology.clone(),
        seed: args.seed,
        delay,
        fifo: args.fifo,
        beyond: false,
        options: setup.options,
        faults: FaultArgs::default(),
        time_limit: None,
        event_limit: None,
        trace: None,
        states: false,
        out: None,
        save_graph: None,
        json: false,
    }
}

impl Task {
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

    fn run(&self, limit: Option<u64>, stop: &AtomicBool) -> Ended {
        let (site, options) = match self.plan() {
            Ok(ready) => ready,
            Err(failure) => return Ended::Impossible(failure.to_string()),
        };
        let usual = LIMIT.max(LIMIT_PER_NODE * u64::from(self.cell.nodes));
        let options = Options { event_limit: Some(limit.unwrap_or(usual)), ..options };
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
            Stopped::EventLimit => Ended::TooLong,
            ended if ended.is_early() && is_crowded => Ended::TooLong,
            ended if ended.is_early() => Ended::Stopped,
            _ => Ended::Whole(Ran {
                cell: self.cell.clone(),
                seed: self.args.seed,
                verdict: match report.violations.first() {
                    Some(violation) => Verdict::Broken(violation.broken.promise.clone()),
                    None => Verdict::Kept,
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
fn measured(report: &Report<Measures>) -> BTreeMap<String, f64> {
    let messages = &report.messages;
    let common = [
        messages.total as f64,
        messages.bytes as f64,
        report.time as f64,
        f64::from(report.causal_depth),
        f64::from(messages.max_per_node),
        messages.mean_per_node,
        messages.gini,
    ];
    let common = COMMON.iter().zip(common).map(|(quantity, it)| (quantity.name.to_owned(), it));
    common.chain(report.problem.numbers()).collect()
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
    limit: Option<u64>,
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
                            task.run(limit, &stop)
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
            [(Verdict::Kept, r#""ok""#), (Verdict::Broken(promise), r#""no starvation""#)]
        {
            assert_eq!(serde_json::to_string(&verdict).unwrap(), json);
            assert_eq!(serde_json::from_str::<Verdict>(json).unwrap(), verdict);
        }
    }
}
