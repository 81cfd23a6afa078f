//! The result of a check, as text, as JSON and as a folder.

use std::io;

use konklave_catalog::problem::Words;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Checked};
use konklave_check::{Extremes, Liveness, Order, Pace, Reached, Verdict as Found, World};
use konklave_report::account::Account;
use konklave_report::folder::Folder;
use konklave_report::html::{Outcome, Report};
use konklave_report::table::Table;
use serde::Serialize;
use serde_json::json;

use super::CheckArgs;
use super::beyond::{beyond, excuse};
use crate::failure::Failure;
use crate::out;
use crate::output::{self, counted, grouped};
use crate::schedule::{self, Schedule};
use crate::told::{Told, effective};

/// One JSON object. The names of its fields do not change.
pub(super) fn for_machines(
    checked: &Checked,
    plan: &CheckPlan,
    args: &CheckArgs,
    site: &Site,
) -> io::Result<impl Serialize> {
    let counterexample = checked.counterexample.as_ref();
    let trace = counterexample.map(|found| schedule::to_json(&found.schedule, site));
    let report = json!({
        "algorithm": site.entry().name,
        "family": site.entry().problem,
        "nodes": site.nodes(),
        "topology": site.setup().topology,
        "states": checked.states,
        "unique": checked.unique,
        "depth": checked.depth,
        "ends": checked.ends,
        "verdict": checked.verdict,
        "bound": checked.bound,
        "violation": counterexample.map(|found| &found.broken),
        "beyond": beyond(site, plan.world),
        "properties": checked.properties,
        "liveness": checked.liveness,
        "reached": checked.reached,
        "messages": checked.messages,
        "overtaken": checked.overtaken,
        "seconds": checked.seconds,
        "states_per_second": rate(checked),
        "bytes_per_state": checked.bytes as f64 / checked.unique as f64,
        "collision_probability": checked.collision_probability,
        "trace": trace.transpose()?,
        "trace_file": args.trace.as_ref().filter(|_| counterexample.is_some()),
        "worst_file": args.worst.as_ref().filter(|_| checked.worst.is_some()),
    });
    Ok(Told::new(report, effective(site)))
}

fn rate(checked: &Checked) -> f64 {
    checked.unique as f64 / checked.search_seconds.max(1e-9)
}

/// The report as lines of text.
pub(super) fn for_people(
    checked: &Checked,
    plan: &CheckPlan,
    args: &CheckArgs,
    site: &Site,
) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{} on a {}, {}",
            output::bold(&site.entry().name),
            site.graph().describe(),
            describe(plan.world)
        ),
        String::new(),
    ];
    if let Some(found) = &checked.counterexample {
        lines.push(match found.cycle {
            None => "A shortest schedule that breaks a promise:".to_owned(),
            Some(_) => "An infinite schedule that breaks a promise:".to_owned(),
        });
        lines.extend(schedule::lines(&found.schedule));
        lines.push(String::new());
    }
    let mut fields = vec![("verdict", verdict(checked))];
    // A specimen breaks its promises by its own flaw, not by violated assumptions.
    if checked.verdict == Found::Violated && args.specimen.is_none() {
        let excuse = excuse(site, plan.world);
        let name = &site.entry().name;
        fields.extend(
            excuse.map(|it| ("beyond", format!("{name} does not promise to survive {it}"))),
        );
    }
    fields.push(("states", states(checked)));
    fields.extend(checked.properties.iter().map(|property| {
        let holds = match property.holds {
            Some(true) => output::green("holds"),
            Some(false) => output::red("broken"),
            None => "undecided".to_owned(),
        };
        (property.name.as_str(), holds)
    }));
    fields.extend(costs(checked, site.entry().problem.words));
    let (seconds, bytes) = (checked.seconds, checked.bytes as f64 / checked.unique as f64);
    let speed = format!("{seconds:.2} s, {:.2} M states/s", rate(checked) / 1e6);
    fields.push(("search", format!("{speed}, {bytes:.0} bytes per state")));
    // Two states with the same fingerprint count as one, so that a search without a counterexample
    // may have overlooked a state.
    if checked.verdict != Found::Violated && checked.collision_probability > 0.0 {
        let odds = checked.collision_probability;
        let missed = format!("a state is overlooked with probability at most {odds:.0e}");
        fields.push(("coverage", format!("{missed}; --exact rules it out")));
    }
    lines.extend(output::fields(&fields));
    let files = [
        (&args.trace, checked.counterexample.is_some(), "the schedule"),
        (&args.worst, checked.worst.is_some(), "the costliest schedule"),
    ];
    for (path, is_written, what) in files {
        if let Some(path) = path.as_ref().filter(|_| is_written) {
            lines.push(String::new());
            lines.push(format!("{what} is in {}; show it with `konklave replay`", path.display()));
        }
    }
    lines
}

/// The assumptions of the search about order, timers and faults, in words.
fn describe(world: World) -> String {
    let mut text = match world.order {
        Order::Any => "messages in any order".to_owned(),
        Order::Fifo => "FIFO channels".to_owned(),
    };
    if world.pace == Pace::Free {
        text.push_str(", timers at any time");
    }
    let faults = world.faults;
    for (count, one, more) in [
        (faults.losses, "loss", "losses"),
        (faults.duplicates, "duplicate", "duplicates"),
        (faults.crashes, "crash", "crashes"),
        (faults.restarts, "restart", "restarts"),
        (faults.partitions, "partition", "partitions"),
    ] {
        if count > 0 {
            text.push_str(&format!(", up to {count} {}", if count == 1 { one } else { more }));
        }
    }
    text
}

fn verdict(checked: &Checked) -> String {
    match (checked.verdict, checked.bound, &checked.counterexample) {
        (Found::Violated, _, Some(found)) => {
            format!("{}  {}", output::red("violated"), found.broken)
        }
        (_, Some(bound), _) => {
            format!("bounded  no promise is broken so far, but the search was stopped by {bound}")
        }
        _ => format!("{}  every schedule keeps every promise", output::green("exhausted")),
    }
}

fn states(checked: &Checked) -> String {
    format!(
        "{} distinct, reached {} times, depth {}; {} of them final",
        grouped(checked.unique),
        grouped(checked.states),
        checked.depth,
        grouped(checked.ends)
    )
}

fn costs(checked: &Checked, words: Words) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    let Reached { served, contention } = checked.reached;
    let Words { service, rivalry, .. } = words;
    let seen: Vec<_> =
        [(served, service), (contention, rivalry)].into_iter().filter(|it| it.0).collect();
    fields.push(match (seen.is_empty(), checked.verdict) {
        (false, _) => ("seen", seen.iter().map(|it| it.1).collect::<Vec<_>>().join(", ")),
        (true, Found::Violated) => ("seen", format!("neither {service} nor {rivalry}")),
        (true, _) => {
            let empty = format!("neither {service} nor {rivalry}: the promises hold vacuously");
            ("seen", output::red(&empty))
        }
    });
    if let Some(liveness) = checked.liveness {
        fields.push((
            "liveness",
            match liveness {
                Liveness::Acyclic => "every schedule ends: the state graph is acyclic".to_owned(),
                Liveness::FairCycles => "decided by a search for fair cycles".to_owned(),
            },
        ));
    }
    if let Some(Extremes { min, max }) = checked.messages {
        fields.push((
            "messages",
            match max {
                Some(max) if min == max => format!("{min} in every schedule"),
                Some(max) => format!("{min} to {max}, over all schedules"),
                None => format!("{min} or more, without an upper bound"),
            },
        ));
    }
    if let Some(overtaken) = checked.overtaken {
        let entries = counted(overtaken.into(), "entry", "entries");
        fields.push(("waiting", format!("for at most {entries} of other nodes")));
    }
    fields
}

/// Writes a schedule to a file of this name, and returns its account, read back from there.
pub(super) fn keep(
    schedule: &Schedule,
    name: &str,
    site: &Site,
    folder: &Folder,
) -> Result<Account, Failure> {
    let path = folder.file(name);
    schedule::write(schedule, &path, site)?;
    out::account(&std::fs::read(&path)?[..], site)
}

/// Writes the report, its pictures and its data to a folder; returns the path of the report.
pub(super) fn write(
    checked: &Checked,
    plan: &CheckPlan,
    args: &CheckArgs,
    site: &Site,
    lines: &[String],
    folder: Folder,
) -> Result<String, Failure> {
    let title = format!("Every schedule of {}", site.entry().name);
    let (outcome, badge) = match checked.verdict {
        Found::Exhausted => (Outcome::Good, "exhausted"),
        Found::Bounded => (Outcome::Open, "bounded"),
        Found::Violated => (Outcome::Bad, "violated"),
    };
    let sentence = match &checked.counterexample {
        Some(found) => found.broken.to_string(),
        None => "no schedule that was examined breaks a promise".to_owned(),
    };
    let mut page = Report::new(&title).verdict(outcome, badge, &sentence).command(&out::command());
    let mut files = vec![("results.json", "the same for programs")];
    let shown = "a schedule; show it with `konklave replay`";
    if let Some(found) = &checked.counterexample {
        let account = keep(&found.schedule, "trace.jsonl", site, &folder)?;
        let pictures =
            [out::diagram("spacetime.svg", site, &account)?, out::network(site, &account)];
        page = out::show(&folder, page.section("The schedule that breaks a promise"), &pictures)?;
        files.push(("trace.jsonl", shown));
    }
    if let Some(worst) = &checked.worst {
        let account = keep(worst, "worst.jsonl", site, &folder)?;
        let picture = out::diagram("worst.svg", site, &account)?;
        page = out::show(&folder, page.section("The costliest schedule"), &[picture])?;
        files.push(("worst.jsonl", shown));
    }
    page = page.section("Results").preformatted(&out::plain(lines));
    folder.write_json("results.json", &for_machines(checked, plan, args, site)?)?;
    let mut table = Table::new(["property", "holds"]);
    for property in &checked.properties {
        let holds = match property.holds {
            Some(true) => "yes",
            Some(false) => "no",
            None => "undecided",
        };
        table.push([property.name.as_str(), holds]);
    }
    folder.write("results.csv", table.csv())?;
    files.push(("results.csv", "the promises"));
    out::finish(folder, &page.table(&table, "Promises").files(files))
}
