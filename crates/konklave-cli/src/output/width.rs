//! The width of the output, and text that fits it.

use std::io::{self, IsTerminal};

/// The number of columns of the output: that of COLUMNS, or of the terminal. Output to a file or a
/// pipe is as wide as it is, so that what reads it does not depend on a window.
pub(crate) fn columns() -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    given.or_else(of_terminal).filter(|&columns: &usize| columns >= NARROWEST)
}

/// In a narrower window nothing can be laid out, and lines are left to the terminal.
const NARROWEST: usize = 20;

#[cfg(unix)]
fn of_terminal() -> Option<usize> {
    let out = io::stdout();
    let size = out.is_terminal().then(|| rustix::termios::tcgetwinsize(&out).ok())??;
    Some(size.ws_col.into()).filter(|&columns| columns > 0)
}

#[cfg(not(unix))]
fn of_terminal() -> Option<usize> {
    io::stdout().is_terminal().then_some(80)
}

/// The number of columns that text takes, without the colours of a terminal.
pub(crate) fn width(text: &str) -> usize {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().chars().count();
    // A colour ends with its first `m`.
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest));
    first + rest.map(|part| part.chars().count()).sum::<usize>()
}

/// Breaks a line that is too long between its words. The lines below begin where its text does, or
/// its second column, as in `verdict  ok, ...`.
pub(crate) fn wrapped(line: &str, columns: usize) -> Vec<String> {
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let hang = " ".repeat(hang(line).min(columns / 2));
    let mut lines: Vec<String> = Vec::new();
    let indent = line.len() - line.trim_start_matches(' ').len();
    let mut current = line[..indent].to_owned();
    let mut is_begun = false;
    for word in words(&line[indent..]) {
        let space = usize::from(is_begun);
        if is_begun && width(&current) + space + width(word) > columns {
            lines.push(std::mem::replace(&mut current, hang.clone()).trim_end().to_owned());
        } else if is_begun {
            current.push(' ');
        }
        current.push_str(word);
        is_begun = true;
    }
    lines.push(current.trim_end().to_owned());
    lines
}

/// The pieces of a line between which it can be broken: words, but not the groups of digits of a
/// number.
fn words(line: &str) -> Vec<&str> {
    let is_digit = |char: Option<char>| char.is_some_and(|it| it.is_ascii_digit());
    let mut words = Vec::new();
    let mut start = 0;
    for (place, _) in line.match_indices(' ') {
        let (before, after) = (&line[start..place], &line[place + 1..]);
        let is_group = after.len() >= 3
            && after.bytes().take(3).all(|byte| byte.is_ascii_digit())
            && !is_digit(after.chars().nth(3));
        if !(is_group && is_digit(before.chars().next_back())) {
            words.push(before);
            start = place + 1;
        }
    }
    words.push(&line[start..]);
    words
}

/// The column at which the text of a line begins, behind a name and two spaces if there is one.
fn hang(line: &str) -> usize {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    let mark = if text.starts_with("- ") { 2 } else { 0 };
    let Some(gap) = text.find("  ") else { return indent + mark };
    let value = text[gap..].trim_start_matches(' ');
    match width(&text[..gap]) <= NAME_MAX {
        true => width(&line[..line.len() - value.len()]),
        false => indent + mark,
    }
}

/// The longest name of a field.
const NAME_MAX: usize = 24;

/// A table whose rows fit the columns: cells are wrapped, the widest first, and if that is not
/// enough, the last columns of each row continue on a line of their own. A row has as many lines.
pub(crate) fn table(rows: &[Vec<String>], columns: usize) -> Vec<Vec<String>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let natural: Vec<usize> =
        (0..count).map(|column| cells(column).map(|it| width(it)).max().unwrap_or(0)).collect();
    let word = |text: &String| words(text).into_iter().map(width).max().unwrap_or(0);
    let least: Vec<usize> =
        (0..count).map(|column| cells(column).map(word).max().unwrap_or(0)).collect();
    let bands = bands(&least, columns);
    let mut lines: Vec<Vec<String>> = vec![Vec::new(); rows.len()];
    for (place, band) in bands.iter().enumerate() {
        let indent = if place == 0 { 0 } else { INDENT };
        let widths = narrowed(&natural[band.clone()], &least[band.clone()], columns - indent);
        for (row, lines) in rows.iter().zip(&mut lines) {
            let cells = row.get(band.start..row.len().min(band.end)).unwrap_or_default();
            lines.extend(side_by_side(cells, &widths, indent));
        }
    }
    lines
}

/// The indentation of the columns of a table that continue below.
const INDENT: usize = 2;
/// The space between two columns.
const GAP: usize = 2;

/// Ranges of columns that fit beside each other if their cells are wrapped.
fn bands(least: &[usize], columns: usize) -> Vec<std::ops::Range<usize>> {
    let mut bands = Vec::new();
    let (mut start, mut used) = (0, 0);
    for (column, width) in least.iter().enumerate() {
        let more = width + if column > start { GAP } else { 0 };
        if column > start && used + more > columns {
            bands.push(start..column);
            (start, used) = (column, INDENT + width);
        } else {
            used += more;
        }
    }
    bands.push(start..least.len());
    bands
}

/// The widths of columns that fit: the widest gives way until all fit, or none can.
fn narrowed(natural: &[usize], least: &[usize], columns: usize) -> Vec<usize> {
    let mut widths = natural.to_vec();
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > columns {
        let can = (0..widths.len()).filter(|&column| widths[column] > least[column]);
        let Some(widest) = can.max_by_key(|&column| widths[column]) else { break };
        widths[widest] -= 1;
    }
    widths
}

/// The lines of cells beside each other, each wrapped to its width.
fn side_by_side(cells: &[String], widths: &[usize], indent: usize) -> Vec<String> {
    let wrap = |(cell, &width): (&String, &usize)| wrapped(cell, width.max(1));
    let wrapped: Vec<Vec<String>> = cells.iter().zip(widths).map(wrap).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let line = |place: usize| {
        let mut line = " ".repeat(indent);
        for (cell, &wide) in wrapped.iter().zip(widths) {
            let text = cell.get(place).map_or("", String::as_str);
            line.push_str(text);
            line.push_str(&" ".repeat((wide + GAP).saturating_sub(width(text))));
        }
        line.trim_end().to_owned()
    };
    (0..height).map(line).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn a_long_line_continues_below_its_text() {
        let line = "  verdict  no promise was broken so far";
        assert_eq!(wrapped(line, 26), ["  verdict  no promise was", "           broken so far"]);
        assert_eq!(wrapped("- a list of words", 11), ["- a list of", "  words"]);
        assert_eq!(wrapped("    text that goes on", 14), ["    text that", "    goes on"]);
        assert_eq!(wrapped("short", 20), ["short"]);
        assert_eq!(wrapped("up to 6 930 431, or", 12), ["up to", "6 930 431,", "or"]);
        assert_eq!(wrapped("node 12 1234 56", 8), ["node 12", "1234 56"]);
        assert_eq!(wrapped("unbreakable_and_long x", 10), ["unbreakable_and_long", "x"]);
        let green = "\x1b[32mok\x1b[0m  and more";
        assert_eq!(width(green), 12);
        assert_eq!(wrapped(green, 12), [green]);
    }

    #[test]
    fn the_widest_column_gives_way() {
        let rows = [row(&["name", "what it is"]), row(&["a", "one two three"])];
        assert_eq!(
            table(&rows, 14),
            [vec!["name  what it", "      is"], vec!["a     one two", "      three"]]
        );
        assert_eq!(table(&rows, 40), [vec!["name  what it is"], vec!["a     one two three"]]);
    }

    #[test]
    fn columns_that_do_not_fit_continue_below() {
        let rows = [row(&["first", "second", "third"]), row(&["1", "2", "3"])];
        assert_eq!(table(&rows, 13), [vec!["first  second", "  third"], vec!["1      2", "  3"]]);
    }

    #[test]
    fn whatever_can_fit_fits() {
        let words = "the quick brown fox jumps over the lazy dog";
        for columns in 20..90 {
            let rows: Vec<_> = (1..6).map(|count| vec![words.to_owned(); count]).collect();
            let lines: Vec<_> = table(&rows, columns).concat();
            assert!(lines.iter().all(|line| width(line) <= columns), "{columns}: {lines:?}");
            let text: String = lines.concat().split_whitespace().collect();
            assert_eq!(text.matches("fox").count(), 15, "nothing is lost");
        }
    }
}
