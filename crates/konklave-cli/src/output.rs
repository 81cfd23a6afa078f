//! Text output: aligned, and coloured only on a terminal.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

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

/// Prints one JSON object and nothing else.
pub(crate) fn json(value: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")
}

/// Prints lines.
pub(crate) fn lines(lines: &[String]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

/// Names and values below each other, the values aligned.
pub(crate) fn fields(fields: &[(&str, String)]) -> Vec<String> {
    let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    fields.iter().map(|(name, value)| format!("  {name:width$}  {value}")).collect()
}

/// A table with its columns aligned; the first row is its head.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
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
