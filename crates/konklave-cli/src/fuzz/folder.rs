//! The folder of a fuzzing campaign: its report and the shrunk schedules.

use konklave_catalog::entry::Entry;
use konklave_report::folder::Folder;
use konklave_report::html::{HtmlReport, Mark};
use konklave_report::table::{Cell, Table};

use super::command::words;
use super::draw::STEPS;
use super::faults::name;
use super::report::{Found, counts, for_machines, heading, sentence, verdict, why_unfinished};
use super::{Example, Findings, FuzzArgs, Sizes, budget};
use crate::failure::Failure;
use crate::shrink::{Shortened, comparison};
use crate::{out, schedule};

/// Writes the report, its pictures and its data to the folder; returns the path of the report.
pub(super) fn write(
    findings: &Findings,
    args: &FuzzArgs,
    entry: &Entry,
    folder: Folder,
) -> Result<String, Failure> {
    let Findings { tally, examples, given_up, sizes, .. } = findings;
    let found = verdict(findings);
    let mark = match found {
        Found::Violated => Mark::Bad,
        Found::Interrupted | Found::Inconclusive => Mark::Open,
        Found::Ok => Mark::Good,
    };
    let mut page = HtmlReport::new(&format!("Random schedules of {}", entry.name))
        .verdict(mark, found.name(), &sentence(findings))
        .asked(asked(args, *sizes))
        .command(&out::command());
    if args.schedules.is_none() && args.merge.is_empty() && mark == Mark::Good {
        // The number of schedules within a time limit depends on the machine.
        page = page.text(&format!(
            "The time limit was reached: --schedules {} runs as many on any machine.",
            tally.schedules
        ));
    }
    page = page.section("Results").asked(counts(tally));
    let results = results(examples);
    if !examples.is_empty() {
        page =
            page.table(&breaks(examples), "Faults, the promises that they break, and how often.");
    }
    let mut files = vec![
        ("results.json".to_owned(), "the same for programs"),
        ("results.csv".to_owned(), "the broken promises"),
    ];
    for example in examples {
        page = page
            .section(&heading(example))
            .text(&format!("{}.", example.failures.broken.detail))
            .command(&words(&example.drawn.args).join(" "));
        let name = trace_name(example);
        page = show(page, &folder, &example.shortened, &name)?;
        files.push((name, "a shrunk schedule; show it with `konklave replay`"));
    }
    if !given_up.is_empty() {
        page = page.section("Schedules cut off at the event limit");
    }
    for given_up in given_up {
        page = page
            .text(&format!("{}.", why_unfinished(given_up)))
            .command(&words(&given_up.drawn.args).join(" "));
    }
    folder.write("results.csv", results.csv())?;
    folder.write_json("results.json", &for_machines(findings, args, entry)?)?;
    let files = files.iter().map(|(name, what)| (&name[..], *what));
    out::finish(folder, &page.section("Files").files(files))
}

/// Adds the picture and the steps of a shrunk schedule, and writes its trace.
fn show(
    page: HtmlReport,
    folder: &Folder,
    shortened: &Shortened,
    name: &str,
) -> Result<HtmlReport, Failure> {
    let path = folder.file(name);
    schedule::write(&shortened.schedule, &path, &shortened.site)?;
    let trace = std::fs::read(&path)?;
    let account = out::account(&trace[..], &shortened.site)?;
    let picture = out::diagram(&name.replace(".jsonl", ".svg"), &shortened.site, &account)?;
    let page = page.text(&format!("The shrunk schedule, which `konklave replay {name}` shows:"));
    let steps = schedule::lines(&shortened.schedule);
    Ok(out::show(folder, page, &[picture])?
        .preformatted(&out::plain(&steps))
        .preformatted(&out::plain(&comparison(shortened))))
}

/// The file name of a shrunk schedule; each seed has at most one.
fn trace_name(example: &Example) -> String {
    format!("seed-{}.jsonl", example.failures.seed)
}

fn asked(args: &FuzzArgs, sizes: Sizes) -> Vec<(&'static str, String)> {
    let network = args.topology.as_deref().unwrap_or("every kind that the algorithm supports");
    let assumptions = match args.beyond {
        true => "also beyond the assumptions of the algorithm",
        false => "within the assumptions of the algorithm",
    };
    let limit = match args.event_limit {
        Some(limit) => limit.to_string(),
        None => format!("{STEPS}, or more in a large system,"),
    };
    let mut asked = vec![
        ("size", sizes.to_string()),
        ("network", network.to_owned()),
        ("seeds", format!("from {}", args.seed)),
        ("faults", assumptions.to_owned()),
        ("limit", format!("{limit} steps for each schedule")),
    ];
    asked.extend(args.shard.map(|shard| ("part", shard.to_string())));
    asked.extend(args.schedules.map(|count| ("schedules", format!("at most {count}"))));
    if args.schedules.is_none() || args.seconds.is_some() {
        let seconds = budget(args).time.as_secs_f64();
        asked.push(("time", format!("at most {seconds} s")));
    }
    asked
}

/// The broken promises, as the table of the page.
fn breaks(examples: &[Example]) -> Table {
    let mut table = Table::new(["fault", "promise", "broken", "first seed", "steps, shrunk"]);
    for example in examples {
        let failures = &example.failures;
        table.push([
            Cell::from(name(example.disorder)),
            failures.broken.promise.as_str().into(),
            failures.count.into(),
            failures.seed.into(),
            example.shortened.after.steps.into(),
        ]);
    }
    table
}

/// The broken promises, as results.csv.
fn results(examples: &[Example]) -> Table {
    let mut table = Table::new([
        "fault",
        "promise",
        "detail",
        "count",
        "first_seed",
        "steps",
        "trace_file",
        "command",
    ]);
    for example in examples {
        let failures = &example.failures;
        table.push([
            Cell::from(name(example.disorder)),
            failures.broken.promise.as_str().into(),
            failures.broken.detail.as_str().into(),
            failures.count.into(),
            failures.seed.into(),
            example.shortened.after.steps.into(),
            trace_name(example).into(),
            words(&example.drawn.args).join(" ").into(),
        ]);
    }
    table
}
