//! The table of faults, as text, as JSON and as a folder.

use std::collections::BTreeMap;

use konklave_check::Counterexample;
use konklave_report::folder::Folder;
use konklave_report::html::{HtmlReport, Mark};
use konklave_report::junit::{Case, Outcome, Suite};
use konklave_report::table::Table;
use serde_json::{Map, Value, json};

use super::super::CheckArgs;
use super::super::report::keep;
use super::{Cell, FAULTS, Fate, Matrix, Row};
use crate::args::Format;
use crate::failure::Failure;
use crate::out;
use crate::output;
use crate::schedule::{self, Schedule};
use crate::told::{Told, effective};

/// Prints the table, and keeps the schedules in the folder.
pub(super) fn show(
    matrix: &Matrix,
    args: &CheckArgs,
    folder: Option<Folder>,
) -> Result<(), Failure> {
    let lines = for_people(matrix, args.markdown);
    let written = folder.map(|folder| write(matrix, &lines, folder)).transpose()?;
    match (args.format, args.json) {
        (Some(Format::Junit), _) => output::text(&as_tests(matrix).xml())?,
        (None, true) => output::json(&for_machines(matrix))?,
        (None, false) => {
            output::lines(&lines)?;
            let report = written.iter().map(|path| format!("\nreport: {path}"));
            output::lines(&report.collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

/// A test case for safety and for liveness under each fault: whether it is as claimed.
fn as_tests(matrix: &Matrix) -> Suite {
    let mut cases = Vec::new();
    for row in &matrix.rows {
        for cell in row.cells.iter().filter(|cell| cell.safety != Fate::Inapplicable) {
            for kind in cell.kinds() {
                let undecided = || match cell.bound() {
                    Some(bound) => format!("the search was stopped by {bound}"),
                    None => "the search did not decide it".to_owned(),
                };
                let outcome = match kind.fate {
                    Fate::Breaks if kind.is_claimed => contradiction(row, cell),
                    Fate::Undecided => Outcome::Undecided(undecided()),
                    Fate::Until => Outcome::Undecided(UNTIL.to_owned()),
                    _ => Outcome::Passed,
                };
                let name = format!("{} as claimed under {}", kind.name, cell.fault.name());
                cases.push(Case { about: row.site.entry().name.clone(), name, outcome });
            }
        }
    }
    let seconds = matrix.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.seconds).sum();
    Suite { name: out::command(), seconds, cases }
}

fn contradiction(row: &Row, cell: &Cell) -> Outcome {
    let broken: Vec<_> = cell.schedules().map(|found| found.broken.to_string()).collect();
    let steps = cell.schedules().flat_map(|found| schedule::lines(&found.schedule));
    let mut details = vec![row.system.clone(), cell.command.clone()];
    details.extend(steps);
    Outcome::Failed(broken.join("; "), details.join("\n"))
}

/// One JSON object. The names of its fields do not change.
fn for_machines(matrix: &Matrix) -> Told<Value> {
    let cell = |row: &Row, cell: &Cell| {
        let schedule = |found: &Counterexample<Schedule>| {
            json!({ "promise": found.broken.promise, "detail": found.broken.detail,
                    "trace_file": file(row, cell, &found.broken.promise, "jsonl") })
        };
        json!({
            "fault": cell.fault,
            "claim": cell.claim,
            "contradicted": cell.is_contradicted(),
            "safety": cell.safety,
            "liveness": cell.liveness,
            "violations": cell.schedules().map(schedule).collect::<Vec<_>>(),
            "bound": cell.bound(),
            "command": cell.command,
            "seconds": cell.seconds,
        })
    };
    let row = |row: &Row| {
        json!({
            "algorithm": row.site.entry().name,
            "nodes": row.site.nodes(),
            "network": row.site.graph().describe(),
            "system": row.system,
            "options": effective(&row.site).into_iter().collect::<Map<_, _>>(),
            "cells": row.cells.iter().map(|it| cell(row, it)).collect::<Vec<_>>(),
        })
    };
    Told::plain(json!({
        "faults": FAULTS,
        "rows": matrix.rows.iter().map(row).collect::<Vec<_>>(),
        "left_out": matrix.left_out,
        "not_begun": matrix.not_begun,
    }))
}

/// The name of the file of a schedule.
fn file(row: &Row, cell: &Cell, promise: &str, form: &str) -> String {
    let name = &row.site.entry().name;
    format!("{name}-{}-{}.{form}", cell.fault.name(), promise.replace(' ', "-"))
}

fn for_people(matrix: &Matrix, is_markdown: bool) -> Vec<String> {
    let head = std::iter::once("algorithm").chain(FAULTS.iter().map(|fault| fault.name()));
    let mut cells = vec![head.map(str::to_owned).collect::<Vec<_>>()];
    for row in &matrix.rows {
        let name = std::iter::once(row.site.entry().name.clone());
        cells.push(name.chain(row.cells.iter().map(in_short)).collect());
    }
    let mut lines = vec![heading(&matrix.rows), String::new()];
    lines.extend(match is_markdown {
        true => output::markdown(&cells),
        false => output::table(&cells),
    });
    lines.push(String::new());
    lines.push(MEANING.to_owned());
    if matrix.rows.iter().flat_map(|row| &row.cells).any(Cell::is_cut) {
        lines.push(format!("(yes): {UNTIL}"));
    }
    let mut bounds = matrix.rows.iter().flat_map(|row| &row.cells).filter_map(Cell::bound);
    if let Some(bound) = bounds.next() {
        lines.push(format!("?: {OPEN} {bound}"));
    }
    lines.push(String::new());
    let mut notes = match &matrix.rows[..] {
        [row] => commands(row),
        rows => broken(rows),
    };
    notes.extend(contradictions(matrix));
    notes.extend(matrix.left_out.iter().map(|reason| format!("left out: {reason}")));
    if !matrix.not_begun.is_empty() {
        notes.push(format!("interrupted before {}", matrix.not_begun.join(", ")));
    }
    let bullet = if is_markdown { "- " } else { "" };
    lines.extend(notes.iter().map(|note| format!("{bullet}{note}")));
    lines
}

/// What the cells say, and do not say.
const MEANING: &str = "safety/liveness: whether every schedule of this system with one such fault \
                       keeps its promises; a larger system or another variant may not";

/// What the brackets mean.
const UNTIL: &str = "kept until another promise is broken: no schedule was followed any further";

/// What a question mark means.
const OPEN: &str = "undecided: nothing was broken yet when the search was stopped by";

/// The systems that were searched.
fn heading(rows: &[Row]) -> String {
    let mut systems: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        let name = row.site.entry().name.as_str();
        match systems.iter_mut().find(|(system, _)| *system == row.system) {
            Some((_, names)) => names.push(name),
            None => systems.push((&row.system, vec![name])),
        }
    }
    systems.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let others = systems.iter().skip(1);
    let others = others.map(|(system, names)| format!("; {system}: {}", names.join(", ")));
    let usual = systems.first().map_or("", |(system, _)| system);
    let variant = match rows {
        [row] => choices(row),
        _ => String::new(),
    };
    format!("One fault of each kind: {usual}{variant}{}", others.collect::<String>())
}

/// The variant of an algorithm that was searched.
fn choices(row: &Row) -> String {
    let entry = row.site.entry();
    let choice = |name: &str| format!(" --{name} {}", row.site.choice(name));
    entry.choices.iter().map(|it| choice(it.name)).collect()
}

fn in_short(cell: &Cell) -> String {
    let word = |fate| match fate {
        Fate::Survives => "yes",
        Fate::Until => "(yes)",
        Fate::Breaks => "no",
        Fate::Undecided => "?",
        Fate::Inapplicable => "-",
    };
    match cell.safety {
        Fate::Inapplicable => word(cell.safety).to_owned(),
        _ => format!("{}/{}", word(cell.safety), word(cell.liveness)),
    }
}

/// What one algorithm breaks, and the command that shows it.
fn commands(row: &Row) -> Vec<String> {
    let mut lines = Vec::new();
    for cell in &row.cells {
        let names: Vec<_> = cell.schedules().map(|it| it.broken.promise.as_str()).collect();
        let what = match (names.is_empty(), cell.bound()) {
            (false, _) => format!("breaks {}", names.join(", ")),
            (true, Some(bound)) => format!("undecided, stopped by {bound}"),
            (true, None) => continue,
        };
        lines.push(format!("{}: {what}", cell.fault.name()));
        lines.push(format!("  {}", cell.command));
    }
    lines
}

/// For each promise and fault, the algorithms that break it.
fn broken(rows: &[Row]) -> Vec<String> {
    let mut broken: BTreeMap<(&str, usize), Vec<&str>> = BTreeMap::new();
    for row in rows {
        for (column, cell) in row.cells.iter().enumerate() {
            for found in cell.schedules() {
                let names = broken.entry((&found.broken.promise, column)).or_default();
                names.push(&row.site.entry().name);
            }
        }
    }
    let line = |((promise, column), names): ((&str, usize), Vec<&str>)| {
        format!("{} breaks {promise}: {}", FAULTS[column].name(), names.join(", "))
    };
    broken.into_iter().map(line).collect()
}

fn contradictions(matrix: &Matrix) -> Vec<String> {
    let cells = matrix.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
    let line = |(row, cell): (&Row, &Cell)| {
        let fault = cell.fault.name();
        let text = format!("{} claims to survive {fault}, and does not", row.site.entry().name);
        output::red(&text)
    };
    cells.filter(|(_, cell)| cell.is_contradicted()).map(line).collect()
}

/// Writes the report with every schedule and its picture; returns its path.
fn write(matrix: &Matrix, lines: &[String], folder: Folder) -> Result<String, Failure> {
    let cells = || matrix.rows.iter().flat_map(|row| &row.cells);
    let (mark, badge) = if cells().any(Cell::is_contradicted) {
        (Mark::Bad, "contradicted")
    } else if cells().any(Cell::is_undecided) {
        (Mark::Open, "undecided")
    } else {
        (Mark::Good, "as claimed")
    };
    let mut page = HtmlReport::new("What survives a fault")
        .verdict(mark, badge, &heading(&matrix.rows))
        .command(&out::command());
    let mut table =
        Table::new(std::iter::once("algorithm").chain(FAULTS.iter().map(|fault| fault.name())));
    for row in &matrix.rows {
        let name = std::iter::once(row.site.entry().name.clone());
        table.push(name.chain(row.cells.iter().map(in_short)));
    }
    page = page.table(&table, "Safety and liveness").preformatted(&out::plain(lines));
    let mut files = vec![("results.json".to_owned(), "the same for programs".to_owned())];
    for row in &matrix.rows {
        for cell in &row.cells {
            for found in cell.schedules() {
                let promise = &found.broken.promise;
                let name = file(row, cell, promise, "jsonl");
                let account = keep(&found.schedule, &name, &row.site, &folder)?;
                let picture = file(row, cell, promise, "svg");
                let picture = out::diagram(&picture, &row.site, &account)?;
                let fault = cell.fault.name();
                let heading = format!("{}, {fault}: breaks {promise}", row.site.entry().name);
                page = out::show(&folder, page.section(&heading), &[picture])?;
                files.push((name, format!("{heading}; show it with `konklave replay`")));
            }
        }
    }
    folder.write_json("results.json", &for_machines(matrix))?;
    folder.write("results.csv", table.csv())?;
    files.push(("results.csv".to_owned(), "the table".to_owned()));
    let files = files.iter().map(|(name, what)| (name.as_str(), what.as_str()));
    out::finish(folder, &page.files(files))
}
