//! `konklave shrink`: reduces a schedule that breaks a promise to a minimal one.

mod args;
mod smaller;

use konklave::protocol::Broken;
use konklave_catalog::catalog::Catalog;
use konklave_catalog::site::Site;
use konklave_catalog::system::Shorter;
use konklave_check::shrink::Size;
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, grouped};
use crate::progress::Watch;
use crate::quiet::quietly;
use crate::replay::{Recorded, open};
use crate::schedule::{self, Schedule};
use crate::{Exit, out};
pub use args::ShrinkArgs;

/// A schedule that was shrunk.
pub struct Shortened {
    /// The system: a smaller one, if that breaks the promise, too.
    pub site: Site,
    /// The promise that it breaks.
    pub broken: Broken,
    /// The schedule.
    pub schedule: Schedule,
    /// The number of nodes of the original system.
    pub nodes_before: u32,
    /// The size of the original schedule.
    pub before: Size,
    /// The size of this schedule.
    pub after: Size,
    /// Whether the schedule is minimal; if not, the user interrupted it.
    pub is_minimal: bool,
}

/// Shrinks a trace, and reports the sizes before and after.
pub fn shrink(args: &ShrinkArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let path = args.out.clone().unwrap_or_else(|| args.file.with_extension("shrunk.jsonl"));
    let Recorded { site, lines, in_file } = open(&args.file, catalog)?;
    out::ensure_writable("write the schedule", &path)?;
    let lines: Result<Vec<String>, _> = lines.collect();
    let lines = lines.map_err(|error| Failure::file("read the trace", &args.file, &error))?;
    // A malformed trace is reported when it is replayed.
    let mut replayed = lines.iter().cloned().map(Ok);
    let system = site.system()?;
    let outcome = quietly(|| system.replay(&mut replayed, &mut |_| {}));
    outcome.map_err(|refusal| in_file(refusal.into()))?;
    let mut watch = Watch::new();
    let mut go_on = || watch.show(|_| "removing steps that are not needed".to_owned());
    let shortened = shorten(&site, &lines, &mut go_on);
    watch.finish();
    let shortened = shortened.map_err(in_file)?;

    schedule::write(&shortened.schedule, &path, &shortened.site)?;
    match args.json {
        true => output::json(&json!({
            "algorithm": site.entry().name,
            "promise": shortened.broken.promise,
            "detail": shortened.broken.detail,
            "before": Counts { nodes: shortened.nodes_before, size: shortened.before },
            "after": Counts { nodes: shortened.site.nodes(), size: shortened.after },
            "minimal": shortened.is_minimal,
            "trace": schedule::to_json(&shortened.schedule, &shortened.site)?,
            "trace_file": path,
        }))?,
        false => {
            let mut lines = schedule::lines(&shortened.schedule);
            lines.push(String::new());
            let name = output::bold(&site.entry().name);
            let graph = shortened.site.graph().describe();
            lines.push(format!("{name} on a {graph}"));
            lines.push(format!("{}  {}", output::red("violated"), shortened.broken));
            lines.push(String::new());
            lines.extend(comparison(&shortened));
            lines.push(String::new());
            let shown = path.display();
            lines.push(format!("the schedule is in {shown}; show it with `konklave replay`"));
            output::lines(&lines)?;
        }
    }
    Ok(if shortened.is_minimal { Exit::Fine } else { Exit::Inconclusive })
}

/// The size of a schedule and of its system, in JSON.
#[derive(Serialize)]
struct Counts {
    nodes: u32,
    #[serde(flatten)]
    size: Size,
}

/// Shrinks the lines of a trace of this site.
///
/// # Errors
///
/// If the trace breaks no promise, or cannot be replayed.
pub(crate) fn shorten(
    site: &Site,
    lines: &[String],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Shortened, Failure> {
    let first = take_away(site, lines, go_on)?;
    let (nodes_before, before) = (site.nodes(), first.before);
    // With the few faults and commands that are left, a smaller system is quickly searched.
    let smaller = match first.is_minimal {
        true => smaller::find(site, &first, go_on),
        false => None,
    };
    let smaller = smaller.and_then(|(smaller, found)| {
        let shorter = take_away(&smaller, &schedule::to_text(&found), go_on).ok()?;
        Some((smaller, shorter))
    });
    let (site, shorter) = match smaller {
        Some(smaller) => smaller,
        None => (Site::new(site.setup().clone(), site.entry(), site.verb())?, first),
    };
    let Shorter { broken, schedule, after, is_minimal, .. } = shorter;
    // If the user interrupts the search of smaller systems, there may be one.
    let is_minimal = is_minimal && go_on();
    Ok(Shortened { site, broken, schedule, nodes_before, before, after, is_minimal })
}

fn take_away(
    site: &Site,
    lines: &[String],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Shorter, Failure> {
    let system = site.system()?;
    Ok(quietly(|| system.shrink(lines, go_on))?)
}

/// A table of the sizes before and after.
pub(crate) fn comparison(shortened: &Shortened) -> Vec<String> {
    let Shortened { before, after, .. } = shortened;
    let mut rows = vec![["", "before", "after"].map(str::to_owned).to_vec()];
    let nodes = (u64::from(shortened.nodes_before), u64::from(shortened.site.nodes()));
    let counts = [
        ("nodes", nodes),
        ("faults", (before.faults, after.faults)),
        ("commands", (before.commands, after.commands)),
        ("messages", (before.messages, after.messages)),
        ("deliveries", (before.deliveries, after.deliveries)),
        ("timeouts", (before.timers, after.timers)),
        ("steps", (before.steps, after.steps)),
    ];
    rows.extend(
        counts
            .into_iter()
            .map(|(name, (before, after))| vec![name.to_owned(), grouped(before), grouped(after)]),
    );
    let mut lines: Vec<_> =
        output::table(&rows).into_iter().map(|row| format!("  {row}")).collect();
    if !shortened.is_minimal {
        lines.push("interrupted: the schedule may not be minimal".to_owned());
    }
    lines
}
