//! `konklave sweep`: many sizes and seeds, their means, and the fitted growth.

mod args;
mod bounds;
mod estimate;
mod json;
mod log;
mod pictures;
mod report;
mod runs;
mod summary;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::thread;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::option::Verb;
use konklave_report::folder::Folder;

use crate::Exit;
use crate::failure::Failure;
use crate::given::refuse_foreign;
use crate::output::grouped;
use crate::progress::Watch;
pub use args::SweepArgs;
use estimate::Estimate;
use log::Log;
use report::Context;
use runs::{Cell, Ended, Ran, Task, Watcher, run_all, tasks};
use summary::Summary;

/// Runs all sizes and seeds, and reports.
pub fn sweep(args: &SweepArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let args = &in_order(args);
    let (entries, mut left_out) = entries(args, catalog)?;
    let problem = entries[0].problem;
    let bounds = bounds::parse(args, problem)?;
    let all = tasks(args, &entries);
    let wanted: BTreeSet<_> = all.iter().map(Task::key).collect();
    // All input is validated before the folder is opened, which may hold an earlier report.
    let log = Log::open(args, problem, &wanted)?;
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let known = log.as_ref().map_or(&[][..], |log| &log.known);
    let done: BTreeSet<_> = known.iter().map(Ran::key).collect();
    let ran: Vec<Ran> = known.iter().filter(|ran| wanted.contains(&ran.key())).cloned().collect();
    let todo: Vec<_> = all.into_iter().filter(|task| !done.contains(&task.key())).collect();
    let file = log.map(|log| log.start()).transpose()?;
    let progress = carry_out(args, &todo, ran, file)?;
    left_out.append(&mut progress.left_out());
    let summary = Summary::new(args, &progress.ran, &bounds, problem, catalog)?;
    let context = Context { left_out: &left_out, is_whole: progress.is_whole };
    report::report(args, &summary, &context, folder)?;
    Ok(match (summary.is_broken(), context.is_whole && summary.is_decided()) {
        (true, _) => Exit::Broken,
        (false, true) => Exit::Fine,
        (false, false) => Exit::Inconclusive,
    })
}

/// The options without repeated sizes, loads and delays: a repeated run is not a second sample.
fn in_order(args: &SweepArgs) -> SweepArgs {
    let mut args = args.clone();
    args.nodes.sort_unstable();
    args.nodes.dedup();
    let mut seen = BTreeSet::new();
    args.delay.retain(|delay| seen.insert(delay.to_string()));
    args
}

/// The algorithms, and why others of the family are left out.
fn entries(
    args: &SweepArgs,
    catalog: &'static Catalog,
) -> Result<(Vec<&'static Entry>, Vec<String>), Failure> {
    let Ok(problem) = catalog.find_problem(&args.algorithm) else {
        let entry = catalog.find(&args.algorithm)?;
        refuse_foreign(catalog, entry, &args.options, Verb::Sweep)?;
        for task in tasks(&SweepArgs { seeds: 1, ..args.clone() }, &[entry]) {
            task.plan()?;
        }
        return Ok((vec![entry], Vec::new()));
    };
    let (mut fit, mut left_out) = (Vec::new(), Vec::new());
    if let Some(entry) = catalog.entries_of(problem).next() {
        refuse_foreign(catalog, entry, &args.options, Verb::Sweep)?;
    }
    for entry in catalog.entries_of(problem) {
        let all = tasks(&SweepArgs { seeds: 1, ..args.clone() }, &[entry]);
        match all.iter().try_for_each(|task| task.plan().map(|_| ())) {
            Ok(()) => fit.push(entry),
            Err(Failure::Bad(reason)) => left_out.push(reason),
            Err(failure) => return Err(failure),
        }
    }
    match fit.is_empty() {
        false => Ok((fit, left_out)),
        true => Err(Failure::bad(format!(
            "no algorithm of the family {problem} can be run: {}",
            left_out.first().map_or("", String::as_str)
        ))),
    }
}

/// The progress of a sweep.
struct Done {
    ran: Vec<Ran>,
    file: Option<File>,
    watch: Watch,
    estimate: Estimate,
    /// The number of runs, and of those that have ended.
    count: (usize, usize),
    threads: usize,
    /// Whether the user has not interrupted the sweep.
    is_whole: bool,
    /// The size from which on a series hits the event limit.
    too_long: BTreeMap<Cell, u32>,
    impossible: BTreeSet<String>,
}

impl Watcher for Done {
    fn ended(&mut self, task: &Task, ended: Ended, seconds: f64) -> Result<(), Failure> {
        let was_run = !matches!(ended, Ended::Stopped);
        self.estimate.ended(&task.cell, was_run.then_some(seconds));
        self.count.1 += 1;
        match ended {
            Ended::Whole(ran) => {
                if let Some(file) = &mut self.file {
                    let line = serde_json::to_string(&ran).map_err(std::io::Error::from)?;
                    writeln!(file, "{line}")?;
                }
                self.ran.push(ran);
            }
            Ended::TooLong => {
                let least = self.too_long.entry(task.cell.series()).or_insert(task.cell.nodes);
                *least = task.cell.nodes.min(*least);
            }
            Ended::Impossible(reason) => {
                let Cell { algorithm, nodes, .. } = &task.cell;
                let seed = task.args().seed;
                self.impossible
                    .insert(format!("{algorithm}, {nodes} nodes, seed {seed}: {reason}"));
            }
            Ended::Stopped => {}
        }
        Ok(())
    }

    fn go_on(&mut self, under_way: &[(&Task, f64)]) -> bool {
        let (all, done) = self.count;
        let left = self.estimate.seconds_left();
        let spent: f64 = under_way.iter().map(|(_, seconds)| seconds).sum();
        let left = (left - spent).max(0.0) / self.threads as f64;
        let slowest = under_way.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        self.is_whole = self.watch.show(|seconds| {
            let share = seconds / (seconds + left).max(1e-9);
            let (done, all) = (grouped(done as u64), grouped(all as u64));
            let mut text = format!("{} {done} of {all} runs, {}", bar(share), in_words(left));
            if let Some((task, seconds)) = slowest.filter(|(_, seconds)| *seconds > SLOW) {
                let Cell { algorithm, nodes, .. } = &task.cell;
                text += &format!(
                    "; {algorithm} with {nodes} nodes has been running for {seconds:.0} s"
                );
            }
            text
        });
        self.is_whole
    }
}

/// A run that takes longer, in seconds, is named in the progress.
const SLOW: f64 = 3.0;

/// A bar of which this share is full.
fn bar(share: f64) -> String {
    const WIDTH: usize = 24;
    let full = ((share * WIDTH as f64) as usize).min(WIDTH);
    format!("[{}{}] {:2.0} %", "=".repeat(full), " ".repeat(WIDTH - full), share * 100.0)
}

fn in_words(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 100.0 => format!("about {seconds:.0} s left"),
        seconds => format!("about {:.0} min left", seconds / 60.0),
    }
}

impl Done {
    /// The runs that were left out, with the reasons.
    fn left_out(&self) -> Vec<String> {
        let too_long = self.too_long.iter().map(|(series, least)| {
            let options = series.options.values();
            let parts = std::iter::once(&series.algorithm).chain(options).chain([&series.delay]);
            let name = parts.cloned().collect::<Vec<_>>().join(", ");
            format!("{name} from {least} nodes on: too many events, --event-limit allows more")
        });
        too_long.chain(self.impossible.iter().cloned()).collect()
    }
}

/// Runs the tasks that the log does not contain yet.
fn carry_out(
    args: &SweepArgs,
    todo: &[Task],
    ran: Vec<Ran>,
    file: Option<File>,
) -> Result<Done, Failure> {
    let usual = thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(usual, usize::from).min(todo.len().max(1));
    let mut done = Done {
        ran,
        file,
        watch: Watch::new(),
        estimate: Estimate::new(todo),
        count: (todo.len(), 0),
        threads,
        is_whole: true,
        too_long: BTreeMap::new(),
        impossible: BTreeSet::new(),
    };
    let outcome = run_all(todo, threads, args.event_limit, &mut done);
    done.watch.finish();
    outcome?;
    // The short runs of a size that hit the limit would be a biased sample.
    let Done { ran, too_long, .. } = &mut done;
    ran.retain(|it| too_long.get(&it.cell.series()).is_none_or(|least| it.cell.nodes < *least));
    Ok(done)
}
