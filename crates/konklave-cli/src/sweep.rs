//! `konklave sweep`: many sizes and seeds, their means, and how they grow.

mod args;
mod pictures;
mod report;
mod runs;
mod summary;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::thread;

use konklave_report::bound::Bound;
use konklave_report::folder::Folder;

use crate::Verdict;
use crate::entry::{Entry, Family};
use crate::failure::Failure;
use crate::output::grouped;
use crate::progress::Watch;
use crate::table::{self, TABLE};
pub use args::SweepArgs;
use report::Context;
use runs::{Ran, Task, run_all, tasks};
use summary::Summary;

/// Runs everything and reports.
pub fn sweep(args: &SweepArgs) -> Result<Verdict, Failure> {
    let bounds = bounds(args)?;
    let (entries, left_out) = entries(args)?;
    let all = tasks(args, &entries);
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let known = match (&args.out, args.resume) {
        (Some(folder), true) => read_runs(folder)?,
        _ => Vec::new(),
    };
    let done: BTreeSet<_> = known.iter().map(|ran| (ran.cell.clone(), ran.seed)).collect();
    let is_wanted = |task: &Task| (task.cell.clone(), task.args().seed);
    let wanted: BTreeSet<_> = all.iter().map(is_wanted).collect();
    let todo: Vec<_> = all.into_iter().filter(|task| !done.contains(&is_wanted(task))).collect();
    let mut ran: Vec<Ran> =
        known.into_iter().filter(|ran| wanted.contains(&(ran.cell.clone(), ran.seed))).collect();
    let is_whole = carry_out(args, &todo, &mut ran)?;
    let summary = Summary::new(args, &ran, &bounds)?;
    report::report(args, &summary, &Context { left_out: &left_out, is_whole }, folder)?;
    Ok(match (summary.is_broken(), is_whole) {
        (true, _) => Verdict::Broken,
        (false, true) => Verdict::Fine,
        (false, false) => Verdict::Inconclusive,
    })
}

/// What bounds can speak of.
const QUANTITIES: [&str; 18] = [
    "n",
    "messages",
    "bytes",
    "time",
    "depth",
    "load_max",
    "load_mean",
    "gini",
    "messages_per_entry",
    "waiting",
    "waiting_p50",
    "waiting_p99",
    "response",
    "coordination",
    "throughput",
    "overtakings",
    "time_to_elect",
    "messages_to_elect",
];

fn bounds(args: &SweepArgs) -> Result<Vec<Bound>, Failure> {
    let parse = |text: &String| {
        Bound::parse(text, &QUANTITIES).map_err(|error| Failure::bad(format!("--assert: {error}")))
    };
    args.assert.iter().map(parse).collect()
}

/// The algorithms, and why others of the family are left out.
fn entries(args: &SweepArgs) -> Result<(Vec<&'static Entry>, Vec<String>), Failure> {
    let Ok(family) = Family::find(&args.algorithm) else {
        let entry = table::find(&args.algorithm)?;
        for task in tasks(&SweepArgs { seeds: 1, ..copy(args) }, &[entry]) {
            task.site()?;
        }
        return Ok((vec![entry], Vec::new()));
    };
    let (mut fit, mut left_out) = (Vec::new(), Vec::new());
    for entry in TABLE.iter().filter(|entry| entry.family == family) {
        let all = tasks(&SweepArgs { seeds: 1, ..copy(args) }, &[entry]);
        match all.iter().try_for_each(|task| task.site().map(|_| ())) {
            Ok(()) => fit.push(entry),
            Err(Failure::Bad(reason)) => left_out.push(reason),
            Err(failure) => return Err(failure),
        }
    }
    match fit.is_empty() {
        false => Ok((fit, left_out)),
        true => Err(Failure::bad(format!(
            "no algorithm of the family {family} can be run: {}",
            left_out.first().map_or("", String::as_str)
        ))),
    }
}

fn copy(args: &SweepArgs) -> SweepArgs {
    SweepArgs {
        algorithm: args.algorithm.clone(),
        nodes: args.nodes.clone(),
        topology: args.topology.clone(),
        delay: args.delay.clone(),
        load: args.load.clone(),
        election: args.election.clone(),
        variant: args.variant.clone(),
        assert: Vec::new(),
        out: None,
        ..*args
    }
}

/// Where every run is written to as it ends.
const RUNS: &str = "runs.jsonl";

/// Does the tasks; whether all of them were done.
fn carry_out(args: &SweepArgs, todo: &[Task], ran: &mut Vec<Ran>) -> Result<bool, Failure> {
    let mut log = args.out.as_deref().map(|folder| open_runs(folder, args.resume)).transpose()?;
    let usual = thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(usual, usize::from).min(todo.len().max(1));
    let mut watch = Watch::new();
    let mut is_whole = true;
    let mut go_on = |finished: usize| {
        is_whole = watch.show(|seconds| {
            let left = (todo.len() - finished) as f64 * seconds / finished.max(1) as f64;
            let (finished, all) = (grouped(finished as u64), grouped(todo.len() as u64));
            format!("{finished} of {all} runs, about {left:.0} s left")
        });
        is_whole
    };
    let mut done = |one: Ran| {
        if let Some(log) = &mut log {
            let line = serde_json::to_string(&one).map_err(std::io::Error::from)?;
            writeln!(log, "{line}")?;
        }
        ran.push(one);
        Ok(())
    };
    let outcome = run_all(todo, threads, &mut done, &mut go_on);
    watch.finish();
    outcome?;
    Ok(is_whole)
}

fn open_runs(folder: &Path, resume: bool) -> Result<File, Failure> {
    let unwritable = |error| Failure::file("write to the folder", folder, &error);
    fs::create_dir_all(folder).map_err(unwritable)?;
    let mut options = OpenOptions::new();
    options.create(true);
    match resume {
        true => options.append(true),
        false => options.write(true).truncate(true),
    };
    options.open(folder.join(RUNS)).map_err(unwritable)
}

/// The runs of a sweep that was stopped. A line that was cut off is done again.
fn read_runs(folder: &Path) -> Result<Vec<Ran>, Failure> {
    let path = folder.join(RUNS);
    let unreadable = |error| Failure::file("go on with the sweep in", &path, &error);
    let file = BufReader::new(File::open(&path).map_err(unreadable)?);
    let lines = file.lines().map_while(Result::ok);
    Ok(lines.filter_map(|line| serde_json::from_str(&line).ok()).collect())
}
