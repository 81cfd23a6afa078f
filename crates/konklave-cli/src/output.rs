//! How things are printed for people: aligned, and coloured only on a terminal.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

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

/// A heading on standard output.
pub(crate) fn bold(text: &str) -> String {
    paint(text, "1", io::stdout().is_terminal())
}

/// Good news on standard output.
pub(crate) fn green(text: &str) -> String {
    paint(text, "32", io::stdout().is_terminal())
}

/// Bad news on standard error or output.
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

/// The same as Markdown.
pub(crate) fn markdown(rows: &[Vec<String>]) -> Vec<String> {
    let mut lines: Vec<_> = rows.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
    let columns = rows.first().map_or(0, Vec::len);
    lines.insert(lines.len().min(1), format!("|{}", "---|".repeat(columns)));
    lines
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number of things, such as `1 node` and `2 nodes`.
pub(crate) fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { more })
}

/// A measured number with as many digits as are worth reading.
pub(crate) fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 1000.0 => grouped(number.round() as u64),
        size if size == size.round() => format!("{number:.0}"),
        _ => format!("{number:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(counted(1, "entry", "entries"), "1 entry");
        assert_eq!(counted(1000, "entry", "entries"), "1 000 entries");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(short(3.0), "3");
        assert_eq!(short(2.66666), "2.667");
        assert_eq!(short(12_345.678), "12 346");
    }

    #[test]
    fn columns_are_aligned() {
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        assert_eq!(table(&[row("a", "bb"), row("ccc", "d")]), ["a    bb", "ccc  d"]);
    }
}
