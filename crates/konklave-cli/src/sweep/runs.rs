//! The runs of a sweep: on all cores, written down as they end.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use konklave_sim::Report;
use konklave_sim::workload::mutex::Demand;
use serde::{Deserialize, Serialize};

use super::SweepArgs;
use crate::args::{FaultArgs, MutexArgs, RunArgs};
use crate::drive::{Job, Outcome, Problem};
use crate::entry::{Entry, Family};
use crate::failure::Failure;
use crate::run;
use crate::setup::Setup;
use crate::site::Site;

/// What runs have in common but for their seeds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) algorithm: String,
    pub(super) nodes: u32,
    /// Empty for elections.
    pub(super) load: String,
    pub(super) delay: String,
}

/// What came of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ran {
    #[serde(flatten)]
    pub(super) cell: Cell,
    pub(super) seed: u64,
    /// `ok`, or the promise that was broken.
    pub(super) verdict: String,
    /// What was measured, by name.
    pub(super) measured: BTreeMap<String, f64>,
    /// Messages of each kind.
    pub(super) kinds: BTreeMap<String, u64>,
}

/// A run that is to be done.
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
            for &load in loads(args, entry).iter() {
                for &delay in &args.delay {
                    let cell = Cell {
                        algorithm: entry.name.clone(),
                        nodes,
                        load: load.map_or(String::new(), |load| load.to_string()),
                        delay: delay.to_string(),
                    };
                    tasks.extend((0..u64::from(args.seeds)).map(|place| Task {
                        entry,
                        cell: cell.clone(),
                        args: RunArgs {
                            seed: args.seed.wrapping_add(place),
                            delay,
                            ..run_args(args, entry, nodes, load)
                        },
                    }));
                }
            }
        }
    }
    tasks
}

fn loads(args: &SweepArgs, entry: &Entry) -> Vec<Option<Demand>> {
    match (entry.family, &args.load[..]) {
        (Family::Election, _) => vec![None],
        (_, []) => vec![Some(Demand::Heavy)],
        (_, loads) => loads.iter().copied().map(Some).collect(),
    }
}

fn run_args(args: &SweepArgs, entry: &Entry, nodes: u32, load: Option<Demand>) -> RunArgs {
    RunArgs {
        algorithm: entry.name.clone(),
        nodes: Some(nodes),
        topology: args.topology.clone(),
        seed: args.seed,
        delay: konklave_sim::Delay::Constant(1),
        fifo: args.fifo,
        beyond: false,
        mutex: MutexArgs { entries: args.entries, load, ..MutexArgs::default() },
        election: args.election.clone(),
        variant: args.variant.clone(),
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
    /// The run as options on the command line.
    pub(super) fn args(&self) -> &RunArgs {
        &self.args
    }

    /// Its system.
    pub(super) fn site(&self) -> Result<Site, Failure> {
        run::refuse_foreign_options(&self.args, self.entry)?;
        Site::new(Setup::new(&run::wish(&self.args), self.entry)?, self.entry)
    }

    fn run(&self, stop: &AtomicBool) -> Result<Option<Ran>, Failure> {
        let site = self.site()?;
        let plan = run::plan(&self.args, &site)?;
        let mut go_on = |_| !stop.load(Ordering::Relaxed);
        let job = Job::Run { plan: &plan, trace: None, go_on: &mut go_on };
        let Outcome::Ran(report) = (self.entry.drive)(&site, job)? else {
            unreachable!("a run runs")
        };
        let is_whole = !report.ended.is_early();
        Ok(is_whole.then(|| Ran {
            cell: self.cell.clone(),
            seed: self.args.seed,
            verdict: match report.violations.first() {
                Some(violation) => violation.broken.promise.clone(),
                None => "ok".to_owned(),
            },
            measured: measured(&report),
            kinds: report.messages.by_kind,
        }))
    }
}

/// What is measured about a run, by the names that bounds use.
fn measured(report: &Report<Problem>) -> BTreeMap<String, f64> {
    let messages = &report.messages;
    let mut all: Vec<(&str, Option<f64>)> = vec![
        ("messages", Some(messages.total as f64)),
        ("bytes", Some(messages.bytes as f64)),
        ("time", Some(report.time as f64)),
        ("depth", Some(report.causal_depth.into())),
        ("load_max", Some(messages.max_per_node.into())),
        ("load_mean", Some(messages.mean_per_node)),
        ("gini", Some(messages.gini)),
    ];
    match &report.problem {
        Problem::Mutex(mutex) => all.extend([
            ("messages_per_entry", mutex.messages_per_entry),
            ("waiting", mutex.waiting_time.map(|time| time.mean)),
            ("waiting_p50", mutex.waiting_time.map(|time| time.p50)),
            ("waiting_p99", mutex.waiting_time.map(|time| time.p99)),
            ("response", mutex.response_time.map(|time| time.mean)),
            ("coordination", mutex.coordination_delay.map(|delay| delay.mean)),
            ("throughput", mutex.throughput),
            ("overtakings", Some(mutex.overtakings_max as f64)),
        ]),
        Problem::Booking(booking) => all.extend([
            ("messages_per_entry", booking.messages_per_attempt),
            ("waiting", booking.waiting_time.map(|time| time.mean)),
            ("throughput", booking.throughput),
        ]),
        Problem::Election(election) => all.extend([
            ("time_to_elect", election.time_to_elect),
            ("messages_to_elect", Some(election.messages_to_elect as f64)),
        ]),
    }
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Does all tasks on so many threads. `done` is shown each run; `go_on` is asked whether to.
pub(super) fn run_all(
    tasks: &[Task],
    threads: usize,
    done: &mut dyn FnMut(Ran) -> Result<(), Failure>,
    go_on: &mut (dyn FnMut(usize) -> bool + Send),
) -> Result<(), Failure> {
    let (next, finished, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let results = Mutex::new(Vec::new());
    // A node that fails an assertion of its own is a result: nothing is printed about it.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = thread::scope(|scope| {
        let work = || {
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let result = task.run(&stop);
                results.lock().expect("no thread panics with it").push(result);
                finished.fetch_add(1, Ordering::Relaxed);
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut outcome = Ok(());
        loop {
            let are_done = workers.iter().all(thread::ScopedJoinHandle::is_finished);
            let fresh = std::mem::take(&mut *results.lock().expect("no thread panics with it"));
            for result in fresh {
                let noted = result.and_then(|ran| ran.map_or(Ok(()), &mut *done));
                outcome = outcome.and(noted);
            }
            if outcome.is_err() || !go_on(finished.load(Ordering::Relaxed)) {
                stop.store(true, Ordering::Relaxed);
            }
            if are_done {
                return outcome;
            }
            thread::sleep(std::time::Duration::from_millis(20));
        }
    });
    std::panic::set_hook(hook);
    outcome
}
