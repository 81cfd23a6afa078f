//! `konklave shrink`: a shorter schedule, in a smaller system, that breaks the same promise.

mod args;
mod fewer;
mod search;

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
use crate::told::Told;
use crate::{Exit, out};
pub use args::ShrinkArgs;
use fewer::remove_nodes;
use search::Search;
pub use search::{Extent, Searched};

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
    /// The sizes that were searched for a shorter one, ascending.
    pub searched: Vec<Searched>,
    /// Whether the user interrupted it.
    pub is_interrupted: bool,
}

impl Shortened {
    /// Whether it is proved that no schedule of this system is shorter, and that no smaller system
    /// breaks the promise, with as many requests and faults.
    pub fn is_minimal(&self) -> bool {
        let nodes = self.site.nodes();
        let expected = |nodes_searched| match nodes_searched == nodes {
            true => Extent::Shortest,
            false => Extent::Exhausted,
        };
        let is_proved = |it: &Searched| it.nodes > nodes || it.result == expected(it.nodes);
        let is_own = |it: &Searched| it.nodes == nodes;
        self.searched.iter().any(is_own) && self.searched.iter().all(is_proved)
    }
}

/// A system, and a schedule of it that breaks the promise.
struct Broke {
    site: Site,
    shorter: Shorter,
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
        true => output::json(&Told::plain(json!({
            "algorithm": site.entry().name,
            "promise": shortened.broken.promise,
            "detail": shortened.broken.detail,
            "before": Counts { nodes: shortened.nodes_before, size: shortened.before },
            "after": Counts { nodes: shortened.site.nodes(), size: shortened.after },
            "minimal": shortened.is_minimal(),
            "searched": shortened.searched,
            "interrupted": shortened.is_interrupted,
            "trace": schedule::to_json(&shortened.schedule, &shortened.site)?,
            "trace_file": path,
        })))?,
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
    Ok(if shortened.is_interrupted { Exit::Inconclusive } else { Exit::Fine })
}

/// The size of a schedule and of its system, in JSON.
#[derive(Serialize)]
struct Counts {
    nodes: u32,
    #[serde(flatten)]
    size: Size,
}

/// Systems of up to this many nodes are searched before nodes are removed one by one.
const FEW: u32 = 3;

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
    let shorter = take_away(site, lines, go_on)?;
    let (nodes_before, before) = (site.nodes(), shorter.before);
    let mut search = Search::new(site, &shorter);
    let same = Site::new(site.setup().clone(), site.entry(), site.verb())?;
    let mut broke = Broke { site: same, shorter };
    if !broke.shorter.is_interrupted {
        // With the few faults and commands that are left, a small system is quickly searched.
        broke = match search.smallest(1..nodes_before.min(FEW + 1), go_on) {
            Some(smaller) => smaller,
            None => {
                let fewer = remove_nodes(broke, go_on);
                search.smallest(FEW + 1..fewer.site.nodes(), go_on).unwrap_or(fewer)
            }
        };
        if let Some(shortest) = search.shortest(&broke, go_on) {
            broke.shorter = shortest;
        }
    }
    let Broke { site, shorter: Shorter { broken, schedule, after, is_interrupted, .. } } = broke;
    // If the user interrupts the search of smaller systems, there may be one.
    let is_interrupted = is_interrupted || !go_on();
    let searched = search.searched;
    Ok(Shortened { site, broken, schedule, nodes_before, before, after, searched, is_interrupted })
}

fn take_away(
    site: &Site,
    lines: &[String],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Shorter, Failure> {
    let system = site.system()?;
    Ok(quietly(|| system.shrink(lines, None, go_on))?)
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
    let mut lines = output::indented_table(&rows, 2);
    lines.push(proved(shortened));
    lines
}

/// What is known about shorter schedules and smaller systems.
fn proved(shortened: &Shortened) -> String {
    let nodes = shortened.site.nodes();
    let result = |nodes| shortened.searched.iter().find(|it| it.nodes == nodes);
    let limited = shortened.searched.iter().filter(|it| it.result == Extent::Bounded);
    let limited: Vec<_> = limited.filter(|it| it.nodes <= nodes).collect();
    let sizes = || {
        let sizes: Vec<_> = limited.iter().map(|it| it.nodes.to_string()).collect();
        let last = limited.last().map_or(0, |it| it.nodes);
        format!("{} {}", sizes.join(", "), if last == 1 { "node" } else { "nodes" })
    };
    if shortened.is_interrupted {
        return "interrupted: more could be removed".to_owned();
    }
    if shortened.is_minimal() {
        return "minimal: no shorter schedule, and no smaller system, breaks the promise with as \
                many requests and faults"
            .to_owned();
    }
    match result(nodes).map(|it| it.result) {
        Some(Extent::Shortest) => format!(
            "shortest in {}; not every schedule of {} was searched",
            output::counted(nodes.into(), "node", "nodes"),
            sizes()
        ),
        _ if limited.iter().all(|it| it.limit.is_none()) => {
            "shrunk: nothing more can be removed, but shorter schedules were not searched"
                .to_owned()
        }
        _ => format!(
            "shrunk: nothing more can be removed, but not every schedule of {} was searched",
            sizes()
        ),
    }
}
