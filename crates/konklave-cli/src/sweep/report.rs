//! The results of a sweep, on the terminal and in its folder.

use std::collections::BTreeSet;

use konklave_draw::chart::TextForm;
use konklave_report::folder::Folder;
use konklave_report::statistics;
use konklave_report::table::{Cell, Table};

use super::SweepArgs;
use super::bounds::Judgement;
use super::folder;
use super::json::for_machines;
use super::pictures::{growth, has_axis, series, title};
use super::summary::{Group, Law, Summary};
use super::verdicts;
use super::x::described;
use crate::args::Format;
use crate::compare::Agreement;
use crate::failure::Failure;
use crate::output::{self, short};
use crate::run::Kept;

/// The parts of the report beside the summary.
pub(super) struct Context<'a> {
    pub(super) left_out: &'a [String],
    /// Whether all runs have ended.
    pub(super) is_whole: bool,
}

/// Prints the results, and writes them to the folder.
pub(super) fn report(
    args: &SweepArgs,
    summary: &Summary,
    context: &Context<'_>,
    folder: Option<Folder>,
) -> Result<(), Failure> {
    let finished = match folder {
        Some(folder) => Some(folder::write(args, summary, context, folder)?),
        None => None,
    };
    if args.format == Some(Format::Junit) {
        output::text(&verdicts::suite(summary).xml())?;
    } else if args.json {
        output::json(&for_machines(args, summary, context))?;
    } else if args.csv {
        output::text(&table(summary).csv())?;
    } else {
        let mut lines = for_people(args, summary, context);
        if let Some(path) = &finished {
            lines.extend([String::new(), format!("report: {path}")]);
        }
        output::lines(&lines)?;
    }
    Ok(())
}

/// The table on the terminal: its head and its rows.
pub(super) fn rows(summary: &Summary) -> Vec<Vec<Cell>> {
    let differs = |of: &dyn Fn(&Group) -> String| {
        let mut all = summary.groups.iter().map(of);
        let first = all.next();
        all.any(|it| Some(it) != first)
    };
    let option = |group: &Group, name: &str| group.cell.options.get(name).cloned();
    // A column with the same value in every row is left out: the configuration shows it.
    let mut shown = vec![
        ("algorithm".to_owned(), true),
        ("nodes".to_owned(), true),
        ("network".to_owned(), true),
    ];
    let options = options(summary);
    for name in &options {
        let is_shown = differs(&|group| option(group, name).unwrap_or_default());
        shown.push((name.clone(), is_shown));
    }
    shown.extend([
        ("delay".to_owned(), differs(&|group| group.cell.delay.clone())),
        (summary.quantity.words(), true),
        ("95 %".to_owned(), true),
        ("formula".to_owned(), summary.groups.iter().any(|group| group.expected.is_some())),
        (String::new(), summary.groups.iter().any(|group| group.agrees.is_some())),
        ("runs".to_owned(), true),
    ]);
    let head = shown.iter().map(|(name, _)| Cell::from(name.as_str()));
    let row = |group: &Group| {
        let found = group.measured.get(summary.quantity.name);
        let margin = found.and_then(|found| found.margin);
        let mut cells = vec![
            Cell::from(group.cell.algorithm.as_str()),
            Cell::from(group.cell.nodes),
            Cell::from(group.network.to_string()),
        ];
        cells.extend(options.iter().map(|name| Cell::from(option(group, name))));
        cells.extend([
            Cell::from(group.cell.delay.as_str()),
            Cell::from(found.map(|found| found.mean)),
            Cell::from(margin.map(|margin| format!("+- {}", short(margin)))),
            Cell::from(group.expected.as_ref().map(ToString::to_string)),
            Cell::from(agreement(group).name()),
            runs(group, found),
        ]);
        cells
    };
    let all = std::iter::once(head.collect()).chain(summary.groups.iter().map(row));
    let keep = |row: Vec<Cell>| {
        let kept = row.into_iter().zip(&shown).filter(|(_, (_, is_shown))| *is_shown);
        kept.map(|(cell, _)| cell).collect()
    };
    all.map(keep).collect()
}

/// How many runs there were, and how many of them the mean is about.
fn runs(group: &Group, found: Option<&statistics::Summary>) -> Cell {
    match group.runs_broken {
        0 => Cell::from(found.map(|found| found.count)),
        broken => Cell::from(format!("{} of {}", group.runs - broken, group.runs)),
    }
}

/// The options that vary over the sweep.
fn options(summary: &Summary) -> Vec<String> {
    let names = summary.groups.iter().flat_map(|group| group.cell.options.keys().cloned());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The cell that compares a measurement with its formula.
fn agreement(group: &Group) -> Agreement {
    let kept = Kept::unless(group.broken.is_some());
    Agreement::new(kept, group.agrees)
}

/// A cell of the table on the terminal.
pub(super) fn on_terminal(cell: Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text,
        Cell::Whole(number) => number.to_string(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Number(number) => short(number),
    }
}

fn for_people(args: &SweepArgs, summary: &Summary, context: &Context<'_>) -> Vec<String> {
    let rows = rows(summary).into_iter();
    let rows: Vec<Vec<_>> = rows.map(|row| row.into_iter().map(on_terminal).collect()).collect();
    let mut lines = output::table(&rows);
    if has_axis(summary) {
        lines.push(String::new());
        let chart = growth(&title(args, summary), summary).text(TextForm::default());
        lines.extend(chart.lines().map(str::to_owned));
    }
    lines.push(String::new());
    lines.extend(laws(summary));
    lines.extend(verdicts(summary).into_iter().map(|(badge, text)| {
        let badge = match badge {
            Badge::Holds => output::green(badge.name()),
            Badge::Broken | Badge::Undecided => output::red(badge.name()),
        };
        format!("{badge}  {text}")
    }));
    lines.extend(context.left_out.iter().map(|reason| format!("left out: {reason}")));
    if !context.is_whole && args.merge.is_empty() {
        lines.push("interrupted: the runs so far are kept, and --resume does the rest".to_owned());
    }
    lines
}

/// How the main quantity grows, in words.
pub(super) fn laws(summary: &Summary) -> Vec<String> {
    let is_alone = summary.laws.len() == 1;
    let sentence = |law: &Law| {
        let words = law.words(&summary.quantity.words());
        match is_alone {
            true => words,
            false => format!("{}: {words}", series(&law.series, summary)),
        }
    };
    summary.laws.iter().map(sentence).collect()
}

/// The verdict about a bound or a promise.
#[derive(Clone, Copy)]
pub(super) enum Badge {
    Holds,
    Broken,
    Undecided,
}

impl Badge {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Broken => "broken",
            Self::Undecided => "undecided",
        }
    }
}

/// Bounds and promises: a verdict and a sentence for each.
pub(super) fn verdicts(summary: &Summary) -> Vec<(Badge, String)> {
    let bounds = summary.bounds.iter().map(|judged| match &judged.verdict {
        Judgement::Holds => (Badge::Holds, judged.bound.clone()),
        Judgement::Broken(how) => (Badge::Broken, how.clone()),
        Judgement::Open(why) => (Badge::Undecided, why.clone()),
    });
    let broken = summary.groups.iter().filter_map(|group| {
        let (promise, seed) = group.broken.as_ref()?;
        let cell = &group.cell;
        let options = cell.options.iter().map(|(name, value)| described(name, value) + ", ");
        let text = format!(
            "{promise}: {}, {} nodes, {}{}, in {} of {} runs, the first with seed {seed}",
            cell.algorithm,
            cell.nodes,
            options.collect::<String>(),
            cell.delay,
            group.runs_broken,
            group.runs
        );
        Some((Badge::Broken, text))
    });
    bounds.chain(broken).collect()
}

/// Every group, with everything that was measured.
pub(super) fn table(summary: &Summary) -> Table {
    let mut names: Vec<&String> =
        summary.groups.iter().flat_map(|group| group.measured.keys()).collect();
    names.sort();
    names.dedup();
    let options = options(summary);
    let mut columns = ["algorithm", "nodes", "network"].map(str::to_owned).to_vec();
    // What was asked for, and what came of it, may have the same name.
    columns.extend(options.iter().map(|name| match names.contains(&name) {
        true => format!("asked_{name}"),
        false => name.clone(),
    }));
    columns.extend(["delay", "runs", "runs_broken"].map(str::to_owned));
    columns.extend(names.iter().flat_map(|name| [(*name).clone(), format!("{name}_margin")]));
    columns
        .extend(["formula", "formula_low", "formula_high", "agrees", "verdict"].map(str::to_owned));
    let mut table = Table::new(columns);
    for group in &summary.groups {
        table.push(row(group, &options, &names));
    }
    table
}

fn row(group: &Group, options: &[String], names: &[&String]) -> Vec<Cell> {
    let cell = &group.cell;
    let mut cells: Vec<Cell> = vec![
        Cell::from(cell.algorithm.as_str()),
        Cell::from(cell.nodes),
        Cell::from(group.network.to_string()),
    ];
    cells.extend(options.iter().map(|name| Cell::from(cell.options.get(name).cloned())));
    let counts = [group.runs, group.runs_broken].map(|count| Cell::from(count as u64));
    cells.push(Cell::from(cell.delay.as_str()));
    cells.extend(counts);
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
    cells.push(Cell::from(group.agrees));
    cells.push(Cell::from(Kept::unless(group.broken.is_some()).name()));
    cells
}

/// The configuration of the sweep: the options given.
pub(super) fn asked(args: &SweepArgs) -> Vec<(String, String)> {
    let common = [
        ("nodes", list(&args.nodes)),
        ("runs", format!("{} of each size, with seeds from {}", args.seeds, args.seed)),
        ("delay", list(&args.delay)),
        ("order", if args.fifo { "FIFO".to_owned() } else { String::new() }),
        ("network", args.topology.clone().unwrap_or_default()),
        ("part", args.shard.map_or(String::new(), |shard| shard.to_string())),
        ("bounds", list(&args.assert)),
    ];
    let common = common.map(|(name, value)| (name.to_owned(), value)).into_iter();
    let options = args.options.iter().map(|(name, value)| (name.replace('-', " "), value.clone()));
    let faults = args.faults.given().map(|(name, list)| (name.to_owned(), list.clone()));
    common.chain(options).chain(faults).filter(|(_, text)| !text.is_empty()).collect()
}

fn list(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
