//! `konklave sweep`: many algorithms, sizes, options and seeds: their means, and the fitted growth.

mod args;
mod bounds;
mod estimate;
mod faults;
mod folder;
mod json;
mod log;
mod merge;
mod pictures;
mod progress;
mod report;
mod results;
mod runs;
mod space;
mod summary;
mod verdicts;
mod x;

use std::collections::BTreeSet;

use konklave_catalog::catalog::Catalog;
use konklave_report::folder::Folder;

use crate::Exit;
use crate::failure::Failure;
pub use args::SweepArgs;
use log::Log;
use merge::Parts;
use progress::carry_out;
use report::Context;
use runs::{Ran, Task};
use space::Space;
use summary::Summary;
use x::X;

/// Runs all combinations and seeds, or a part of them, or merges parts; and reports.
pub fn sweep(args: &SweepArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let parts = match args.merge.is_empty() {
        true => None,
        false => Some(Parts::read(args)?),
    };
    let args = &match &parts {
        Some(parts) => parts.args(args, catalog)?,
        None => in_order(args),
    };
    let mut space = Space::new(args, catalog)?;
    let bounds = bounds::parse(args, space.problem)?;
    let x = X::new(args, &space.dimensions)?;
    // The first run of each cell stands for all in formulas.
    let firsts = space.firsts();
    if let Some(shard) = args.shard {
        let mut place = 0..;
        space.tasks.retain(|_| place.next().is_some_and(|place| shard.has(place)));
    }
    let wanted: BTreeSet<_> = space.tasks.iter().map(Task::key).collect();
    // All input is validated before the folder is opened, which may hold an earlier report.
    let log = Log::open(args, &space.dimensions, &wanted)?;
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let results = match parts {
        Some(parts) => {
            let results = parts.gather(&space.tasks);
            if let Some(log) = log {
                log.start()?.all(&results.ran)?;
            }
            results
        }
        None => {
            let known = log.as_ref().map_or(&[][..], |log| &log.known);
            let done: BTreeSet<_> = known.iter().map(Ran::key).collect();
            let ran = known.iter().filter(|ran| wanted.contains(&ran.key())).cloned().collect();
            space.tasks.retain(|task| !done.contains(&task.key()));
            let file = log.map(|log| log.start()).transpose()?;
            carry_out(args, &space.tasks, ran, file)?
        }
    };
    let mut left_out = space.left_out;
    left_out.extend(results.left_out());
    let summary = Summary::new(&firsts, &results.ran, &bounds, space.problem, x)?;
    let context = Context { left_out: &left_out, is_whole: results.is_whole };
    report::report(args, &summary, &context, folder)?;
    Ok(match (summary.is_broken(), context.is_whole && summary.is_decided()) {
        (true, _) => Exit::Broken,
        (false, true) => Exit::Fine,
        (false, false) => Exit::Inconclusive,
    })
}

/// The options without repeated sizes and delays: a repeated run is not a second sample.
fn in_order(args: &SweepArgs) -> SweepArgs {
    let mut args = args.clone();
    args.nodes.sort_unstable();
    args.nodes.dedup();
    let mut seen = BTreeSet::new();
    args.delay.retain(|delay| seen.insert(delay.to_string()));
    args
}
