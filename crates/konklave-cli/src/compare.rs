//! `konklave compare`: all algorithms of a family on the same task, measured beside formula.

mod args;
mod election;
mod folder;
mod mutex;

use konklave_report::folder::Folder;
use konklave_report::table::Table;
use serde_json::Value;

use crate::Verdict;
use crate::entry::{Entry, Family};
use crate::failure::Failure;
use crate::out::Picture;
use crate::output;
use crate::table::{self, TABLE};
pub use args::CompareArgs;

/// Compares and prints.
///
/// # Errors
///
/// If the family or an algorithm is not there, or the output cannot be written.
pub fn compare(args: &CompareArgs) -> Result<Verdict, Failure> {
    let family = Family::find(&args.family)?;
    let foreign = match family {
        Family::Mutex => {
            given(&[("topology", args.topology.is_some()), ("runs", args.runs.is_some())])
        }
        Family::Election => given(&[
            ("load", args.load.is_some()),
            ("entries", args.entries.is_some()),
            ("cs", args.cs.is_some()),
        ]),
        Family::Booking => {
            return Err(Failure::bad(format!(
                "there is no comparison of {family}: write mutex or election"
            )));
        }
    };
    if let Some(option) = foreign {
        return Err(Failure::bad(format!("--{option} means nothing to a comparison of {family}")));
    }
    let entries: Vec<&'static Entry> = match args.only.is_empty() {
        true => TABLE.iter().filter(|entry| entry.family == family).collect(),
        false => args.only.iter().map(|name| table::find(name)).collect::<Result<_, _>>()?,
    };
    if let Some(entry) = entries.iter().find(|entry| entry.family != family) {
        return Err(Failure::bad(format!("{} is not of the family {family}", entry.name)));
    }
    match family {
        Family::Election => election::compare(args, &entries),
        _ => mutex::compare(args, entries),
    }
}

fn given(options: &[(&'static str, bool)]) -> Option<&'static str> {
    options.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option)
}

/// What a comparison has found, in every form in which it is told.
struct Findings {
    title: String,
    /// What was asked.
    asked: Vec<(&'static str, String)>,
    judged: Vec<Judged>,
    /// Whether nobody has stopped it.
    is_whole: bool,
    /// The table for people: its head, and the same cells for the terminal and for the page.
    head: &'static [&'static str],
    cells: Vec<Vec<String>>,
    shown: Table,
    /// What the columns of that table mean.
    meaning: String,
    /// What is told on the terminal, table and all.
    lines: Vec<String>,
    /// Every row with every digit.
    results: Table,
    pictures: Vec<Picture>,
    /// What a crash does to each algorithm, if that is known.
    crashes: Vec<(String, String)>,
    json: Value,
}

/// How one row came out.
struct Judged {
    name: String,
    /// As [`agreement`] says it.
    agreement: &'static str,
    /// The promise that was broken.
    violation: Option<String>,
}

impl Findings {
    /// Writes the folder, if there is one, prints in the form that the user asks for, and judges.
    fn conclude(self, args: &CompareArgs, folder: Option<Folder>) -> Result<Verdict, Failure> {
        let written = folder.map(|folder| folder::write(&self, folder)).transpose()?;
        let data = as_data(args, self.head, &self.cells);
        match (args.json, data) {
            (true, _) => output::json(&self.json)?,
            (false, Some(lines)) => output::lines(&lines)?,
            (false, None) => {
                let mut lines = self.lines;
                if !self.is_whole {
                    lines.push("stopped by hand: the rest is missing".to_owned());
                }
                lines.extend(written.iter().map(|path| format!("\nreport: {path}")));
                output::lines(&lines)?;
            }
        }
        let is_bad = |judged: &Judged| ["violated", "differs"].contains(&judged.agreement);
        Ok(match (self.judged.iter().any(is_bad), self.is_whole) {
            (true, _) => Verdict::Broken,
            (false, true) => Verdict::Fine,
            (false, false) => Verdict::Inconclusive,
        })
    }
}

/// What a table says about a measurement beside its formula.
fn agreement(verdict: &str, within: Option<bool>) -> &'static str {
    match (verdict, within) {
        ("violated", _) => "violated",
        (_, Some(true)) => "ok",
        (_, Some(false)) => "differs",
        (_, None) => "",
    }
}

/// The table in the form for programs that the user asks for, if it is one.
fn as_data(args: &CompareArgs, head: &[&str], rows: &[Vec<String>]) -> Option<Vec<String>> {
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    let table = std::iter::once(&head).chain(rows);
    if args.markdown {
        Some(output::markdown(&table.cloned().collect::<Vec<_>>()))
    } else if args.csv {
        let quote = |cell: &String| match cell.contains([',', '"']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        Some(table.map(|row| row.iter().map(quote).collect::<Vec<_>>().join(",")).collect())
    } else {
        None
    }
}

/// The table for people, aligned, its head in bold.
fn as_table(head: &[&str], rows: Vec<Vec<String>>) -> Vec<String> {
    let head = head.iter().map(ToString::to_string).collect();
    let table: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let mut lines = output::table(&table);
    lines[0] = output::bold(&lines[0]);
    lines
}
