//! The runs of a sweep: on all cores, written down as they end.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use konklave_sim::workload::mutex::Demand;
use konklave_sim::{Delay, Progress, Report};
use serde::{Deserialize, Serialize};

use super::SweepArgs;
use super::log::Key;
use crate::args::{FaultArgs, MutexArgs, RunArgs};
use crate::drive::{Job, Outcome, Problem, RunPlan};
use crate::entry::{Conditions, Entry, Family};
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

impl Cell {
    /// What the sizes of one algorithm have in common, under the same load and delay.
    pub(super) fn series(&self) -> Self {
        Self { nodes: 0, ..self.clone() }
    }
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

impl Ran {
    pub(super) fn key(&self) -> Key {
        (self.cell.clone(), self.seed)
    }
}

/// How a run ended.
pub(super) enum Ended {
    Whole(Ran),
    /// It is not worth waiting for its end.
    TooLong,
    /// Somebody has stopped it, or it was not begun.
    Stopped,
    /// It cannot be run, and why.
    Impossible(String),
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
                            ..run_args(args, entry, nodes, (load, delay))
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
        (Family::Election, []) => vec![None],
        // An election with a load is refused.
        (_, []) => vec![Some(Demand::Heavy)],
        (_, loads) => loads.iter().copied().map(Some).collect(),
    }
}

/// How often each node enters, if the user does not say: enough for a steady state between
/// beginning and end, where there is one.
fn entries(load: Option<Demand>, delay: Delay) -> u32 {
    match (load, delay) {
        (Some(Demand::Light), _) => 10,
        (Some(Demand::Heavy), Delay::Constant(_)) => 14,
        _ => 5,
    }
}

/// How many entries are left out at both ends, so that formulas can be about the rest: as `compare`
/// does it.
fn warmup(load: Option<Demand>, delay: Delay, entries: u32, nodes: u32) -> u64 {
    let (entries, nodes) = (u64::from(entries), u64::from(nodes));
    match (load, delay) {
        (Some(Demand::Light), _) => entries * nodes / 3,
        (Some(Demand::Heavy), Delay::Constant(_)) if entries > 4 => 2 * nodes,
        _ => 0,
    }
}

fn mutex_args(
    args: &SweepArgs,
    entry: &Entry,
    nodes: u32,
    (load, delay): (Option<Demand>, Delay),
) -> MutexArgs {
    let entries = args.entries.or((entry.family == Family::Mutex).then(|| entries(load, delay)));
    let of_mutex = entries.filter(|_| entry.family == Family::Mutex);
    let warmup = of_mutex.map(|entries| warmup(load, delay, entries, nodes));
    MutexArgs { entries, load, warmup, ..MutexArgs::default() }
}

fn run_args(
    args: &SweepArgs,
    entry: &Entry,
    nodes: u32,
    (load, delay): (Option<Demand>, Delay),
) -> RunArgs {
    RunArgs {
        algorithm: entry.name.clone(),
        nodes: Some(nodes),
        topology: args.topology.clone(),
        seed: args.seed,
        delay,
        fifo: args.fifo,
        beyond: false,
        mutex: mutex_args(args, entry, nodes, (load, delay)),
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

    pub(super) fn key(&self) -> Key {
        (self.cell.clone(), self.args.seed)
    }

    /// Its system.
    pub(super) fn site(&self) -> Result<Site, Failure> {
        run::refuse_foreign_options(&self.args, self.entry)?;
        Site::new(Setup::new(&run::wish(&self.args), self.entry)?, self.entry)
    }

    /// Its system, and what is done with it.
    pub(super) fn plan(&self) -> Result<(Site, RunPlan), Failure> {
        let site = self.site()?;
        let plan = run::plan(&self.args, &site)?;
        Ok((site, plan))
    }

    /// What the run is like, as far as formulas depend on it; none if there are none for such runs.
    pub(super) fn conditions(&self, site: &Site) -> Option<Conditions> {
        let RunArgs { election, mutex, delay, .. } = &self.args;
        let load = mutex.load.unwrap_or(Demand::Heavy);
        let is_constant = matches!(delay, Delay::Constant(_));
        let has_steady_state = mutex.warmup.is_some_and(|warmup| warmup > 0);
        let initiators = match (self.entry.family, &election.initiators) {
            (Family::Election, Some(_)) => return None,
            (Family::Election, None) if self.entry.needs.one_initiator.is_some() => 1,
            (Family::Election, None) => site.nodes(),
            _ => 0,
        };
        let is_regular = match self.entry.family {
            Family::Election => is_constant,
            _ => load == Demand::Heavy && is_constant && has_steady_state,
        };
        let is_one = election.elections.is_none_or(|count| count == 1);
        is_one.then_some(Conditions { load, is_regular, initiators })
    }

    fn run(&self, limit: Option<u64>, stop: &AtomicBool) -> Ended {
        let (site, plan) = match self.plan() {
            Ok(ready) => ready,
            Err(failure) => return Ended::Impossible(failure.to_string()),
        };
        let limit = limit.unwrap_or(LIMIT.max(LIMIT_PER_NODE * u64::from(self.cell.nodes)));
        let mut is_too_long = false;
        let mut go_on = |progress: Progress| {
            is_too_long =
                progress.deliveries > limit || progress.pending > limit / PENDING_PER_LIMIT;
            !is_too_long && !stop.load(Ordering::Relaxed)
        };
        let job = Job::Run { plan: &plan, trace: None, go_on: &mut go_on };
        let report = match (self.entry.drive)(&site, job) {
            Ok(Outcome::Ran(report)) => report,
            Ok(_) => unreachable!("a run runs"),
            Err(failure) => return Ended::Impossible(failure.to_string()),
        };
        match (report.ended.is_early(), is_too_long) {
            (true, true) => Ended::TooLong,
            (true, false) => Ended::Stopped,
            (false, _) => Ended::Whole(Ran {
                cell: self.cell.clone(),
                seed: self.args.seed,
                verdict: match report.violations.first() {
                    Some(violation) => violation.broken.promise.clone(),
                    None => "ok".to_owned(),
                },
                measured: measured(&report),
                kinds: report.messages.by_kind,
            }),
        }
    }
}

/// A run that takes more messages is left out, unless the user says otherwise: a minute or so.
pub(super) const LIMIT: u64 = 200_000_000;
/// Large systems may take more.
const LIMIT_PER_NODE: u64 = 200;
/// Also a run with so large a share of them under way at a time: it explodes, and memory with it.
const PENDING_PER_LIMIT: u64 = 20;

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

/// Who looks on while runs are done.
pub(super) trait Watcher {
    /// A run has ended, after so many seconds.
    fn ended(&mut self, task: &Task, ended: Ended, seconds: f64) -> Result<(), Failure>;
    /// These have been under way for so many seconds; whether to go on.
    fn go_on(&mut self, under_way: &[(&Task, f64)]) -> bool;
}

/// Does all tasks on so many threads. Where one is too long, larger ones of its series are not
/// begun.
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
    // A node that fails an assertion of its own is a result: nothing is printed about it.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = thread::scope(|scope| {
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
                under_way.iter().map(|(place, since)| (&tasks[*place], seconds(since))).collect()
            };
            if outcome.is_err() || !watcher.go_on(&now) {
                stop.store(true, Ordering::Relaxed);
            }
            if are_done {
                return outcome;
            }
            thread::sleep(Duration::from_millis(20));
        }
    });
    std::panic::set_hook(hook);
    outcome
}

const UNHARMED: &str = "no thread panics with it";
