//! The result of a check, as text, as JSON and as a folder.

use std::io;

use konklave_catalog::problem::Words;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Checked};
use konklave_catalog::words::listed;
use konklave_check::{Bound, Extremes, Liveness, Order, Pace, Reached, Verdict as Found, World};
use konklave_report::account::Account;
use konklave_report::folder::Folder;
use konklave_report::html::{HtmlReport, Mark};
use konklave_report::table::Table;
use serde::Serialize;
use serde_json::{Value, json};

use super::CheckArgs;
use super::beyond::{beyond, excuse};
use super::promises::{detail, fairness, not_judged, up_to};
use crate::failure::Failure;
use crate::out;
use crate::output::{self, counted, grouped};
use crate::schedule::{self, Schedule};
use crate::told::{Told, effective};

type Counterexample = konklave_check::Counterexample<Schedule>;

/// One JSON object. The names of its fields do not change.
pub(super) fn for_machines(
    checked: &Checked,
    plan: &CheckPlan,
    args: &CheckArgs,
    site: &Site,
) -> io::Result<Told<impl Serialize>> {
    let counterexample = checked.counterexample();
    let trace = counterexample.map(|found| schedule::to_json(&found.schedule, site));
    let violation = |found: &Counterexample| -> io::Result<Value> {
        let mut value = serde_json::to_value(&found.broken)?;
        value["cycle"] = json!(found.cycle);
        value["trace"] = schedule::to_json(&found.schedule, site)?.into();
        Ok(value)
    };
    let violations: io::Result<Vec<_>> = checked.counterexamples.iter().map(violation).collect();
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
        "violations": violations?,
        "beyond": beyond(site, plan.world),
        "properties": checked.properties,
        "cuts": checked.cuts,
        "not_judged": not_judged(checked, plan, site),
        "liveness": checked.liveness,
        "reached": checked.reached,
        "messages": checked.messages,
        "awaited": checked.awaited,
        "fairness": (site.entry().problem.fairness)(site),
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
            describe(plan.world, site)
        ),
        String::new(),
    ];
    lines.extend(counterexamples(checked));
    lines.extend(output::fields(&findings(checked, plan, args, site)));
    let files = [
        (&args.trace, !checked.counterexamples.is_empty(), "the schedule"),
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

/// The schedules that break promises.
fn counterexamples(checked: &Checked) -> Vec<String> {
    let mut lines = Vec::new();
    for found in &checked.counterexamples {
        let kind = if found.cycle.is_some() { "An infinite" } else { "A shortest" };
        lines.push(match checked.counterexamples.len() {
            1 => format!("{kind} schedule that breaks a promise:"),
            _ => format!("{kind} schedule that breaks '{}':", found.broken.promise),
        });
        lines.extend(schedule::lines(&found.schedule));
        lines.push(String::new());
    }
    lines
}

/// What is known in the end, by name.
fn findings<'a>(
    checked: &'a Checked,
    plan: &CheckPlan,
    args: &CheckArgs,
    site: &Site,
) -> Vec<(&'a str, String)> {
    let is_one = checked.counterexamples.len() == 1;
    let left_out = not_judged(checked, plan, site).join(", ");
    let mut fields = vec![("verdict", verdict(checked, plan, left_out.is_empty()))];
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
            Some(true) if property.until.is_empty() => output::green("holds"),
            Some(true) => format!("holds {}", up_to(&property.until)),
            Some(false) if is_one => output::red("broken"),
            Some(false) => {
                format!("{}  {}", output::red("broken"), detail(checked, &property.name))
            }
            None => "undecided".to_owned(),
        };
        (property.name.as_str(), holds)
    }));
    if !left_out.is_empty() {
        fields.push(("not judged", format!("{left_out}: about schedules without faults")));
    }
    fields.extend(fairness(checked, site).map(|it| ("fairness", it)));
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
    fields
}

/// The assumptions of the search about order, timers and faults, in words.
fn describe(world: World, site: &Site) -> String {
    let mut text = match world.order {
        Order::Any => "messages in any order".to_owned(),
        Order::Fifo => "FIFO channels".to_owned(),
    };
    if site.is_reliable() {
        text.push_str(", reliable links");
    }
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

fn verdict(checked: &Checked, plan: &CheckPlan, are_all_judged: bool) -> String {
    let stopped = checked.bound.map(|bound| format!("stopped by {}", limit(bound, plan)));
    let mut kept = match plan.options.promises.is_empty() {
        true if are_all_judged => "every schedule keeps every promise",
        true => "every schedule keeps every promise that was judged",
        false => "every schedule keeps what was to be checked",
    }
    .to_owned();
    if !checked.cuts.is_empty() {
        kept = format!("{kept} {}", up_to(&checked.cuts));
    }
    match (checked.verdict, &checked.counterexamples[..], stopped) {
        (Found::Violated, [found], _) => format!("{}  {}", output::red("violated"), found.broken),
        (Found::Violated, all, _) => {
            format!("{}  {} promises are broken", output::red("violated"), all.len())
        }
        (Found::Bounded, _, stopped) => format!(
            "bounded  no promise is broken so far, but the search was {}",
            stopped.unwrap_or_default()
        ),
        (Found::Undecided, _, stopped) => {
            let open = checked.properties.iter().filter(|property| property.holds.is_none());
            let open: Vec<_> = open.map(|property| property.name.as_str()).collect();
            let needs = if open.len() == 1 { "needs" } else { "need" };
            let why = match stopped {
                Some(stopped) => format!("another search, which was {stopped}"),
                None => "a search for cycles, which --no-costs leaves out".to_owned(),
            };
            format!(
                "undecided  every state was seen, and no promise is broken so far; but {} {needs} \
                 {why}",
                listed(&open)
            )
        }
        (Found::Exhausted, _, None) if !checked.cuts.is_empty() => format!("exhausted  {kept}"),
        (Found::Exhausted, _, None) => format!("{}  {kept}", output::green("exhausted")),
        (Found::Exhausted, _, Some(stopped)) => format!(
            "{}  {kept}; the costs are unknown, because the search for them was {stopped}",
            output::green("exhausted")
        ),
    }
}

/// What stopped a search, with the value of the limit where the user has not given it.
fn limit(bound: Bound, plan: &CheckPlan) -> String {
    match (bound, plan.options.limits.bytes) {
        (Bound::Memory, Some(bytes)) => {
            format!("{bound} of {} MiB, which --memory sets", grouped(bytes >> 20))
        }
        _ => bound.to_string(),
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
        (true, Found::Bounded) => ("seen", format!("neither {service} nor {rivalry} so far")),
        (true, Found::Exhausted | Found::Undecided) => {
            let empty =
                format!("neither {service} nor {rivalry}: promises about them hold vacuously");
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
                // Every schedule that ends does so, but may take its time.
                None if comes_to_rest(checked) => format!(
                    "{min} or more, without an upper bound: steps can repeat any number of times, \
                     but not for ever in a fair schedule"
                ),
                None => format!("{min} or more, without an upper bound"),
            },
        ));
    }
    if let Some(awaited) = checked.awaited {
        let entries = counted(awaited.into(), "entry", "entries");
        fields.push(("awaited", format!("at most {entries} of other nodes")));
    }
    fields
}

/// Whether every fair schedule was found to end.
fn comes_to_rest(checked: &Checked) -> bool {
    let mut properties = checked.properties.iter();
    properties.any(|it| it.name == konklave_check::COMES_TO_REST && it.holds == Some(true))
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
    let (mark, badge) = match checked.verdict {
        Found::Exhausted if !checked.cuts.is_empty() => (Mark::Open, "exhausted"),
        Found::Exhausted => (Mark::Good, "exhausted"),
        Found::Undecided => (Mark::Open, "undecided"),
        Found::Bounded => (Mark::Open, "bounded"),
        Found::Violated => (Mark::Bad, "violated"),
    };
    let sentence = match checked.counterexample() {
        Some(found) => found.broken.to_string(),
        None if !checked.cuts.is_empty() => {
            format!("no schedule that was examined breaks it {}", up_to(&checked.cuts))
        }
        None => "no schedule that was examined breaks a promise".to_owned(),
    };
    let mut page = HtmlReport::new(&title).verdict(mark, badge, &sentence).command(&out::command());
    let mut files = vec![("results.json".to_owned(), "the same for programs")];
    let shown = "a schedule; show it with `konklave replay`";
    for (place, found) in checked.counterexamples.iter().enumerate() {
        // The first has the usual names.
        let promise = found.broken.promise.replace(|it: char| !it.is_alphanumeric(), "-");
        let suffix = if place == 0 { String::new() } else { format!("-{promise}") };
        let trace = format!("trace{suffix}.jsonl");
        let account = keep(&found.schedule, &trace, site, &folder)?;
        let mut pictures = vec![out::diagram(&format!("spacetime{suffix}.svg"), site, &account)?];
        pictures.extend((place == 0).then(|| out::network(site, &account)));
        let title = match checked.counterexamples.len() {
            1 => "The schedule that breaks a promise".to_owned(),
            _ => format!("The schedule that breaks '{}'", found.broken.promise),
        };
        page = out::show(&folder, page.section(&title), &pictures)?;
        files.push((trace, shown));
    }
    if let Some(worst) = &checked.worst {
        let account = keep(worst, "worst.jsonl", site, &folder)?;
        let picture = out::diagram("worst.svg", site, &account)?;
        page = out::show(&folder, page.section("The costliest schedule"), &[picture])?;
        files.push(("worst.jsonl".to_owned(), shown));
    }
    page = page.section("Results").preformatted(&out::plain(lines));
    folder.write_json("results.json", &for_machines(checked, plan, args, site)?)?;
    let mut table = Table::new(["property", "holds"]);
    for property in &checked.properties {
        let holds = match property.holds {
            Some(true) if property.until.is_empty() => "yes".to_owned(),
            Some(true) => up_to(&property.until),
            Some(false) => "no".to_owned(),
            None => "undecided".to_owned(),
        };
        table.push([property.name.clone(), holds]);
    }
    folder.write("results.csv", table.csv())?;
    files.push(("results.csv".to_owned(), "the promises"));
    let files = files.iter().map(|(name, what)| (name.as_str(), *what));
    out::finish(folder, &page.table(&table, "Promises").files(files))
}
