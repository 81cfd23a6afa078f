//! Text output: aligned, and coloured only on a terminal.

mod width;

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use crate::out;
use crate::told::Told;

pub(crate) use konklave_catalog::words::{counted, grouped, short};

/// Whether standard output may be coloured.
fn is_coloured(is_terminal: bool) -> bool {
    is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn paint(text: &str, code: &str, is_terminal: bool) -> String {
    match is_coloured(is_terminal) {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    }
}

/// Paints a heading on standard output bold.
pub(crate) fn bold(text: &str) -> String {
    paint(text, "1", io::stdout().is_terminal())
}

/// Paints a good verdict on standard output green.
pub(crate) fn green(text: &str) -> String {
    paint(text, "32", io::stdout().is_terminal())
}

/// Paints a bad verdict on standard error or output red.
pub(crate) fn red(text: &str) -> String {
    paint(text, "31", io::stderr().is_terminal() && io::stdout().is_terminal())
}

/// Prints one JSON object and nothing else: a report that begins with the command that made it.
pub(crate) fn json(report: &Told<impl Serialize>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, report)?;
    out.write_all(b"\n")
}

/// Prints text as it is.
pub(crate) fn text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints lines, wrapped to the width of the terminal.
pub(crate) fn lines(lines: &[String]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let columns = width::columns();
    for line in lines.iter().flat_map(|text| text.split('\n')) {
        match columns {
            // A command that is copied from the screen must not have line breaks.
            Some(columns) if !line.trim_start().starts_with("konklave ") => {
                let mut parts = width::wrapped(line, columns).into_iter();
                parts.try_for_each(|part| writeln!(out, "{part}"))?;
            }
            _ => writeln!(out, "{line}")?,
        }
    }
    out.flush()
}

/// Whether lines are wrapped to the width of a terminal.
pub(crate) fn is_narrow() -> bool {
    width::columns().is_some()
}

/// The widest text that is easy to read.
const PARAGRAPH: usize = 100;

/// The lines of a text, no wider than the terminal.
pub(crate) fn paragraph(text: &str) -> Vec<String> {
    width::wrapped(text, width::columns().map_or(PARAGRAPH, |columns| columns.min(PARAGRAPH)))
}

/// Prints a report: to standard error if the trace goes to standard output.
pub(crate) fn report(lines: &[String], trace: Option<&Path>) -> io::Result<()> {
    if !trace.is_some_and(out::is_output) {
        return self::lines(lines);
    }
    let mut err = io::stderr().lock();
    lines.iter().try_for_each(|line| writeln!(err, "{line}"))
}

/// Names and values below each other, the values aligned.
pub(crate) fn fields(fields: &[(&str, String)]) -> Vec<String> {
    let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    fields.iter().map(|(name, value)| format!("  {name:width$}  {value}")).collect()
}

/// The lines of a table, its columns aligned; the first row is its head.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    aligned(rows, 0, true)
}

/// The same, `indent` columns to the right.
pub(crate) fn indented_table(rows: &[Vec<String>], indent: usize) -> Vec<String> {
    aligned(rows, indent, true)
}

/// The lines of names and what they mean, in columns without a head.
pub(crate) fn list(rows: &[Vec<String>]) -> Vec<String> {
    aligned(rows, 0, false)
}

/// The parts of a table that is too wide are below each other, each with its head.
fn aligned(rows: &[Vec<String>], indent: usize, has_head: bool) -> Vec<String> {
    let columns = width::columns().unwrap_or(usize::MAX / 2).saturating_sub(indent);
    let mut lines = Vec::new();
    for part in width::table(rows, columns) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        for (place, row) in part.into_iter().enumerate() {
            let paint = |line: String| match place {
                0 if has_head => bold(&line),
                _ => line,
            };
            lines.extend(row.into_iter().map(|line| " ".repeat(indent) + &paint(line)));
        }
    }
    lines
}

/// A table in Markdown; the first row is its head.
pub(crate) fn markdown(rows: &[Vec<String>]) -> Vec<String> {
    let mut lines: Vec<_> = rows.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
    let columns = rows.first().map_or(0, Vec::len);
    lines.insert(lines.len().min(1), format!("|{}", "---|".repeat(columns)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        assert_eq!(table(&[row("a", "bb"), row("ccc", "d")]), ["a    bb", "ccc  d"]);
    }
}
