//! Specimens that break their promise only in systems too large for an exhaustive search. Random
//! schedules are run, from the first seed on, until one breaks the promise; that one is shrunk.

use konklave_catalog::site::Site;
use konklave_catalog::specimen::Specimen;
use konklave_catalog::system::Shorter;
use konklave_check::shrink::Size;
use serde_json::json;

use crate::check::CheckArgs;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::quiet::quietly;
use crate::run::Kept;
use crate::told::{Told, effective};
use crate::{Exit, output, schedule};

/// Shows the first random schedule up to this seed that breaks the promise, shrunk.
pub(crate) fn show(
    args: &CheckArgs,
    specimen: &Specimen,
    site: &Site,
    seeds: u64,
) -> Result<Exit, Failure> {
    if args.out.is_some() || args.worst.is_some() {
        return Err(Failure::bad(format!(
            "{} is found by random schedules, but --out and --worst need an exhaustive search: \
             leave them out; --trace writes the schedule that is found",
            specimen.name
        )));
    }
    if args.go_on || !args.promises.is_empty() {
        return Err(Failure::bad(format!(
            "{} is found by random schedules, but --promise and --go-on need an exhaustive search: \
             leave them out",
            specimen.name
        )));
    }
    let found = quietly(|| specimen.hunt(site, seeds))?;
    let (seed, lines) = found.ok_or_else(|| {
        Failure::bad(format!("{} keeps its promise with seeds 1 to {seeds}", specimen.name))
    })?;
    let mut watch = Watch::new();
    let mut go_on = || watch.show(|_| format!("shrinking seed {seed}"));
    let system = site.system()?;
    let outcome = quietly(|| system.shrink(&lines, None, &mut go_on));
    watch.finish();
    let shorter = outcome?;
    if let Some(path) = &args.trace {
        schedule::write(&shorter.schedule, path, site)?;
    }
    if args.json {
        let report = json!({
            "algorithm": site.entry().name,
            "family": site.entry().problem,
            "nodes": site.nodes(),
            "topology": site.setup().topology,
            "verdict": Kept::Violated,
            "violation": shorter.broken,
            "seed": seed,
            "interrupted": shorter.is_interrupted,
            "before": shorter.before,
            "after": shorter.after,
            "trace": schedule::to_json(&shorter.schedule, site)?,
            "trace_file": args.trace,
        });
        output::json(&Told::new(report, effective(site)))?;
    } else {
        output::lines(&describe(args, specimen, site, seed, &shorter))?;
    }
    Ok(Exit::Broken)
}

fn describe(
    args: &CheckArgs,
    specimen: &Specimen,
    site: &Site,
    seed: u64,
    shorter: &Shorter,
) -> Vec<String> {
    let order = if specimen.setting.fifo { "FIFO channels" } else { "messages in any order" };
    let mut lines = vec![
        format!("{}: {}", specimen.of, specimen.flaw),
        String::new(),
        format!("{} on a {}, {order}", output::bold(specimen.name), site.graph().describe()),
        String::new(),
        format!("There are too many schedules to check them all; seed {seed} found this one,"),
        match shorter.is_interrupted {
            false => "shrunk until nothing more could be removed:".to_owned(),
            true => "shrunk until the user interrupted it:".to_owned(),
        },
    ];
    lines.extend(schedule::lines(&shorter.schedule));
    lines.push(String::new());
    // The starts of nodes do not count: they cannot be removed.
    let steps = |size: Size| size.steps - u64::from(site.nodes());
    let steps = format!("{}, shrunk from {}", steps(shorter.after), steps(shorter.before));
    let verdict = format!("{}  {}", output::red("violated"), shorter.broken);
    lines.extend(output::fields(&[("verdict", verdict), ("steps", steps)]));
    if let Some(path) = &args.trace {
        lines.push(String::new());
        lines
            .push(format!("the schedule is in {}; show it with `konklave replay`", path.display()));
    }
    lines
}
