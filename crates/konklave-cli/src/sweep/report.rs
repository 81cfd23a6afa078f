//! What a sweep has found, on the terminal and in its folder.

use konklave_draw::chart::TextForm;
use konklave_report::folder::Folder;
use konklave_report::html::{Outcome, Report};
use konklave_report::table::{Cell, Table};
use serde_json::{Value, json};

use super::SweepArgs;
use super::pictures::{growth, pictures, words};
use super::summary::{Group, Summary};
use crate::failure::Failure;
use crate::out;
use crate::output::{self, short};

/// What is there to say beside the summary.
pub(super) struct Context<'a> {
    pub(super) left_out: &'a [String],
    /// Whether all runs were done.
    pub(super) is_whole: bool,
}

/// Prints what was found, and writes it to the folder.
pub(super) fn report(
    args: &SweepArgs,
    summary: &Summary,
    context: &Context<'_>,
    folder: Option<Folder>,
) -> Result<(), Failure> {
    let finished = match folder {
        Some(folder) => Some(write(args, summary, context, folder)?),
        None => None,
    };
    if args.json {
        output::json(&for_machines(args, summary, context))?;
    } else if args.csv {
        output::lines(&table(summary).csv().lines().map(str::to_owned).collect::<Vec<_>>())?;
    } else {
        let mut lines = for_people(args, summary, context);
        if let Some(path) = &finished {
            lines.extend([String::new(), format!("report: {path}")]);
        }
        output::lines(&lines)?;
    }
    Ok(())
}

fn title(args: &SweepArgs) -> String {
    args.algorithm.clone()
}

fn for_people(args: &SweepArgs, summary: &Summary, context: &Context<'_>) -> Vec<String> {
    let quantity = words(summary.quantity);
    let head = ["algorithm", "nodes", "load", "delay", &quantity, "95 %", "formula", "runs"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(summary.groups.iter().map(|group| {
        let found = group.measured.get(summary.quantity);
        vec![
            group.cell.algorithm.clone(),
            group.cell.nodes.to_string(),
            group.cell.load.clone(),
            group.cell.delay.clone(),
            found.map_or(String::new(), |found| short(found.mean)),
            found
                .and_then(|found| found.margin)
                .map_or(String::new(), |margin| format!("+- {}", short(margin))),
            group.expected.as_ref().map_or(String::new(), ToString::to_string),
            found.map_or(String::new(), |found| found.count.to_string()),
        ]
    }));
    let mut lines = output::table(&rows);
    lines[0] = output::bold(&lines[0]);
    lines.push(String::new());
    lines
        .extend(growth(&title(args), summary).text(TextForm::default()).lines().map(str::to_owned));
    lines.push(String::new());
    lines.extend(laws(summary));
    lines.extend(verdicts(summary).into_iter().map(|(is_good, text)| match is_good {
        true => format!("{}  {text}", output::green("holds")),
        false => format!("{}  {text}", output::red("broken")),
    }));
    lines.extend(context.left_out.iter().map(|reason| format!("left out: {reason}")));
    if !context.is_whole {
        lines.push("stopped by hand: what was done counts, --resume does the rest".to_owned());
    }
    lines
}

/// How the main quantity grows, in words.
fn laws(summary: &Summary) -> Vec<String> {
    let is_alone = summary.laws.len() == 1;
    let sentence = |law: &super::summary::Law| {
        let words = law.growth.words(&words(summary.quantity));
        match is_alone {
            true => words,
            false => {
                let parts = [&law.algorithm, &law.load, &law.delay];
                let parts: Vec<_> =
                    parts.into_iter().filter(|it| !it.is_empty()).cloned().collect();
                format!("{}: {words}", parts.join(", "))
            }
        }
    };
    summary.laws.iter().map(sentence).collect()
}

/// Bounds and promises, and whether each holds.
fn verdicts(summary: &Summary) -> Vec<(bool, String)> {
    let bounds = summary.bounds.iter().map(|(bound, violation)| match violation {
        None => (true, bound.clone()),
        Some(violation) => (false, violation.clone()),
    });
    let broken = summary.groups.iter().filter_map(|group| {
        let (promise, seed) = group.broken.as_ref()?;
        let cell = &group.cell;
        let text = format!(
            "{promise}: {}, {} nodes, {} {}, seed {seed}",
            cell.algorithm, cell.nodes, cell.load, cell.delay
        );
        Some((false, text))
    });
    bounds.chain(broken).collect()
}

/// Every group, with everything that was measured.
fn table(summary: &Summary) -> Table {
    let mut names: Vec<&String> =
        summary.groups.iter().flat_map(|group| group.measured.keys()).collect();
    names.sort();
    names.dedup();
    let mut columns: Vec<String> =
        ["algorithm", "nodes", "load", "delay", "runs"].map(str::to_owned).to_vec();
    columns.extend(names.iter().flat_map(|name| [(*name).clone(), format!("{name}_margin")]));
    columns.extend(["formula", "formula_low", "formula_high"].map(str::to_owned));
    let mut table = Table::new(columns);
    for group in &summary.groups {
        table.push(row(group, &names));
    }
    table
}

fn row(group: &Group, names: &[&String]) -> Vec<Cell> {
    let cell = &group.cell;
    let runs = group.measured.values().map(|found| found.count).max().unwrap_or(0);
    let mut cells: Vec<Cell> = vec![
        Cell::from(cell.algorithm.as_str()),
        Cell::from(f64::from(cell.nodes)),
        Cell::from(cell.load.as_str()),
        Cell::from(cell.delay.as_str()),
        Cell::from(runs as f64),
    ];
    for name in names {
        let found = group.measured.get(*name);
        cells.push(found.map_or(Cell::Empty, |found| Cell::from(found.mean)));
        cells.push(found.and_then(|found| found.margin).map_or(Cell::Empty, Cell::from));
    }
    match &group.expected {
        Some(expected) => cells.extend([
            Cell::from(expected.formula.as_str()),
            Cell::from(expected.low),
            Cell::from(expected.high),
        ]),
        None => cells.extend([Cell::Empty, Cell::Empty, Cell::Empty]),
    }
    cells
}

fn for_machines(args: &SweepArgs, summary: &Summary, context: &Context<'_>) -> Value {
    let laws: Vec<_> = summary
        .laws
        .iter()
        .map(|law| {
            json!({
                "algorithm": law.algorithm,
                "load": law.load,
                "delay": law.delay,
                "words": law.growth.words(&words(summary.quantity)),
                "growth": law.growth,
            })
        })
        .collect();
    let bounds: Vec<_> = summary
        .bounds
        .iter()
        .map(|(bound, violation)| {
            json!({"bound": bound, "holds": violation.is_none(), "violation": violation})
        })
        .collect();
    json!({
        "swept": args.algorithm,
        "quantity": summary.quantity,
        "complete": context.is_whole,
        "rows": table(summary).json(),
        "laws": laws,
        "bounds": bounds,
        "left_out": context.left_out,
        "verdict": if summary.is_broken() { "violated" } else { "ok" },
    })
}

/// More are not read as one sentence.
const LAWS_IN_A_SENTENCE: usize = 3;

/// What the user wants to know, as far as it was said.
fn asked(args: &SweepArgs) -> Vec<(&'static str, String)> {
    let mut asked = vec![
        ("nodes", list(&args.nodes)),
        ("runs", format!("{} of each size, with seeds from {}", args.seeds, args.seed)),
        ("delay", list(&args.delay)),
        ("load", list(&args.load)),
        ("network", args.topology.clone().unwrap_or_default()),
        ("bounds", list(&args.assert)),
    ];
    asked.retain(|(_, text)| !text.is_empty());
    asked
}

fn list(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Writes everything to the folder; where the report is.
fn write(
    args: &SweepArgs,
    summary: &Summary,
    context: &Context<'_>,
    folder: Folder,
) -> Result<String, Failure> {
    let (outcome, badge) = match (summary.is_broken(), context.is_whole) {
        (true, _) => (Outcome::Bad, "broken"),
        (false, false) => (Outcome::Open, "stopped"),
        (false, true) => (Outcome::Good, "ok"),
    };
    let sentence = match &laws(summary)[..] {
        all if all.len() > LAWS_IN_A_SENTENCE => format!("{} laws of growth, below", all.len()),
        few => few.join("; "),
    };
    let mut page = Report::new(&format!("Sweep of {}", title(args)))
        .verdict(outcome, badge, &sentence)
        .asked(asked(args))
        .command(&out::command())
        .section("Plots");
    page = out::show(&folder, page, &pictures(&title(args), summary))?;
    page = page.section("Growth").preformatted(&laws(summary).join("\n"));
    for (is_good, text) in verdicts(summary) {
        page = page.text(&format!("{}: {text}", if is_good { "holds" } else { "broken" }));
    }
    let results = table(summary);
    folder.write("results.csv", results.csv())?;
    folder.write_json("results.json", &for_machines(args, summary, context))?;
    page = page.section("Results").table(&results, "Means over seeds; margins are of 95 %.");
    let files = [
        ("results.csv", "all means"),
        ("results.json", "the same, with laws and bounds"),
        ("runs.jsonl", "every run"),
    ];
    out::finish(folder, &page.files(files))
}
