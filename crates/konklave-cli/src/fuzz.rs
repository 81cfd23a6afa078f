//! `konklave fuzz`: many random schedules; those that break a promise are shrunk.

mod args;
pub mod command;
pub mod draw;
pub mod faults;
mod folder;
mod merge;
mod report;
pub mod swarm;

use std::thread;
use std::time::Duration;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::disorder::Disorder;
use konklave_catalog::entry::Entry;
use konklave_catalog::system::Watch as Observers;
use konklave_report::folder::Folder;
use konklave_sim::Recording;

use crate::args::Format;
use crate::failure::Failure;
use crate::output::{self, grouped};
use crate::progress::Watch;
use crate::quiet::quietly;
use crate::shard::Shard;
use crate::shrink::{Shortened, shorten};
use crate::{Exit, out, schedule, specimens};
pub use args::{FuzzArgs, Sizes};
use draw::{Drawn, Space};
use merge::Parts;
use report::Found;
use swarm::{Budget, Failures, Tally, Unfinished, swarm};

/// The default time limit in seconds.
const TIME: Duration = Duration::from_secs(10);

/// A failure that was reproduced and shrunk.
struct Example {
    disorder: Option<Disorder>,
    failures: Failures,
    drawn: Drawn,
    /// The shrunk schedule.
    shortened: Shortened,
}

/// Schedules that were cut off at the event limit, and the first of them.
struct GivenUp {
    disorder: Option<Disorder>,
    unfinished: Unfinished,
    drawn: Drawn,
}

/// The findings of a campaign.
struct Findings {
    tally: Tally,
    examples: Vec<Example>,
    given_up: Vec<GivenUp>,
    sizes: Sizes,
    /// The parts of the campaign that are missing.
    missing: Vec<Shard>,
}

/// Runs random schedules, or merges the parts of a campaign; and reports.
pub fn fuzz(args: &FuzzArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let parts = match args.merge.is_empty() {
        true => None,
        false => Some(Parts::read(args)?),
    };
    let args = &match &parts {
        Some(parts) => parts.args(args, catalog)?,
        None => args.clone(),
    };
    let entry = match &args.specimen {
        Some(name) => specimens::find(name, catalog)?.0,
        None => catalog.find(&args.algorithm)?,
    };
    let space = Space::new(args, entry)?;
    out::refuse_two_on_output("trace", args.trace.as_deref(), args.json)?;
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    if let Some(path) = &args.trace {
        out::ensure_writable("write the schedule", path)?;
    }
    let mut watch = Watch::new();
    let mut go_on = |schedules: u64, deliveries: u64| {
        watch.show(|seconds| {
            let rate = grouped((schedules as f64 / seconds) as u64);
            let deliveries = grouped(deliveries);
            format!("{} schedules, {rate} /s, {deliveries} deliveries", grouped(schedules))
        })
    };
    let missing = parts.as_ref().map_or_else(Vec::new, Parts::missing);
    let tally = match parts {
        Some(parts) => parts.tally(&space, args)?,
        None => swarm(&space, budget(args), &mut go_on)?,
    };
    let mut examples = Vec::new();
    for ((disorder, _), failures) in &tally.failures {
        let mut go_on = || watch.show(|_| format!("shrinking seed {}", failures.seed));
        examples.push(example(&space, *disorder, failures, &mut go_on)?);
    }
    watch.finish();
    examples.sort_by_key(|example| (example.disorder, example.failures.seed));
    let given_up = tally.unfinished.iter().map(|(&disorder, &unfinished)| {
        let drawn = space.draw(unfinished.seed)?;
        Ok(GivenUp { disorder, unfinished, drawn })
    });
    let given_up = given_up.collect::<Result<_, Failure>>()?;
    let findings = Findings { tally, examples, given_up, sizes: space.sizes(), missing };
    conclude(&findings, args, entry, folder)
}

/// Prints the findings, and writes the files that the options name.
fn conclude(
    findings: &Findings,
    args: &FuzzArgs,
    entry: &Entry,
    folder: Option<Folder>,
) -> Result<Exit, Failure> {
    let mut examples = findings.examples.iter();
    let first = examples.next().map(|example| &example.shortened);
    if let (Some(path), Some(shortened)) = (&args.trace, first) {
        schedule::write(&shortened.schedule, path, &shortened.site)?;
    }
    let written = match folder {
        Some(folder) => Some(folder::write(findings, args, entry, folder)?),
        None => None,
    };
    match (args.format, args.json) {
        (Some(Format::Junit), _) => output::text(&report::suite(findings, entry).xml())?,
        (None, true) => output::json(&report::for_machines(findings, args, entry)?)?,
        (None, false) => {
            let mut lines = report::for_people(findings, args, entry);
            lines.extend(written.iter().map(|path| format!("\nreport: {path}")));
            output::report(&lines, args.trace.as_deref())?;
        }
    }
    Ok(match report::verdict(findings) {
        Found::Violated => Exit::Broken,
        Found::Interrupted | Found::Inconclusive => Exit::Inconclusive,
        Found::Ok => Exit::Fine,
    })
}

fn budget(args: &FuzzArgs) -> Budget {
    let time = match (args.seconds, args.schedules) {
        (Some(time), _) => time,
        (None, Some(_)) => Duration::MAX,
        (None, None) => TIME,
    };
    let usual = thread::available_parallelism().map_or(1, usize::from);
    Budget {
        seed: args.seed,
        shard: args.shard.unwrap_or(Shard::WHOLE),
        schedules: args.schedules.unwrap_or(u64::MAX),
        time,
        threads: args.threads.map_or(usual, usize::from),
        stops_at_failure: !args.beyond,
    }
}

/// Reproduces the first of these failures, records it and shrinks it.
fn example(
    space: &Space,
    disorder: Option<Disorder>,
    failures: &Failures,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Example, Failure> {
    let drawn = space.draw(failures.seed)?;
    let mut out = Vec::new();
    let observers =
        Observers { trace: Some(Recording::new(&mut out, false)), ..Observers::default() };
    quietly(|| drawn.site.system()?.run(&drawn.options, observers, &mut |_| true))?;
    let text = String::from_utf8_lossy(&out);
    let lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let shortened = shorten(&drawn.site, &lines, go_on)?;
    Ok(Example { disorder, failures: failures.clone(), drawn, shortened })
}
