//! The width of the output, and text that fits it.

use std::io::{self, IsTerminal};
use std::ops::Range;

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

/// A table whose rows fit the columns: cells are wrapped, the widest first. If that is not enough,
/// the table comes in parts, each with the first column and some of the others. A part has the
/// lines of every row; those of an empty row, which separates others, are one empty line.
pub(crate) fn table(rows: &[Vec<String>], columns: usize) -> Vec<Vec<Vec<String>>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let natural: Vec<usize> =
        (0..count).map(|column| cells(column).map(|it| width(it)).max().unwrap_or(0)).collect();
    let word = |text: &String| words(text).into_iter().map(width).max().unwrap_or(0);
    let least: Vec<usize> =
        (0..count).map(|column| cells(column).map(word).max().unwrap_or(0)).collect();
    let part = |others: Range<usize>| {
        let pick = |all: &[usize]| -> Vec<usize> {
            all.iter().take(1).chain(&all[others.clone()]).copied().collect()
        };
        let widths = narrowed(&pick(&natural), &pick(&least), columns);
        let lines = |row: &Vec<String>| {
            let others = row.get(others.start..row.len().min(others.end)).unwrap_or_default();
            let cells: Vec<_> = row.iter().take(1).chain(others).collect();
            side_by_side(&cells, &widths)
        };
        rows.iter().map(lines).collect()
    };
    // A column without a head is part of the one before.
    let heads = rows.first().map_or(&[][..], Vec::as_slice);
    let nameless: Vec<_> =
        (0..count).map(|column| heads.get(column).is_some_and(String::is_empty)).collect();
    parts(&natural, &least, &nameless, columns).into_iter().map(part).collect()
}

/// The space between two columns.
const GAP: usize = 2;

/// The columns after the first, in as few ranges as fit beside the first if cells are wrapped; of
/// all such ranges, those that wrap the least. A column of `inseparable` stays with the one before.
fn parts(
    natural: &[usize],
    least: &[usize],
    inseparable: &[bool],
    columns: usize,
) -> Vec<Range<usize>> {
    let end = natural.len();
    if end < 2 {
        return std::iter::once(end..end).collect();
    }
    let taken = |widths: &[usize], range: &Range<usize>| {
        widths[0] + widths[range.clone()].iter().map(|width| GAP + width).sum::<usize>()
    };
    let can_begin = |column: usize| column == 1 || column == end || !inseparable[column];
    // What cannot be divided has to be somewhere, even if it does not fit.
    let is_least = |range: &Range<usize>| !(range.start + 1..range.end).any(can_begin);
    let fits = |range: &Range<usize>| is_least(range) || taken(least, range) <= columns;
    let wraps = |range: &Range<usize>| taken(natural, range).saturating_sub(columns);
    // For each column, how the columns from it to the last are best divided, and what that wraps.
    let mut best: Vec<Option<(usize, Vec<Range<usize>>)>> = vec![None; end];
    best.push(Some((0, Vec::new())));
    loop {
        let longer = |start: usize| {
            let ends = (start + 1..=end).rev().filter(|&end| can_begin(end));
            let whole = ends.map(|end| start..end).filter(fits).filter_map(|first| {
                let (wrapped, rest) = best[first.end].as_ref()?;
                let ranges = std::iter::once(first.clone()).chain(rest.iter().cloned()).collect();
                Some((wraps(&first) + wrapped, ranges))
            });
            whole.min_by_key(|(wrapped, _)| *wrapped)
        };
        let mut next: Vec<_> = std::iter::once(None).chain((1..end).map(longer)).collect();
        if let Some((_, ranges)) = next[1].take() {
            return ranges;
        }
        next.push(None);
        best = next;
    }
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

/// The lines of cells beside each other, each wrapped to its width; one empty line without any.
fn side_by_side(cells: &[&String], widths: &[usize]) -> Vec<String> {
    let wrap = |(cell, &width): (&&String, &usize)| wrapped(cell, width.max(1));
    let wrapped: Vec<Vec<String>> = cells.iter().zip(widths).map(wrap).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
    let line = |place: usize| {
        let mut line = String::new();
        for (cell, &wide) in wrapped.iter().zip(widths) {
            let text = cell.get(place).map_or("", String::as_str);
            line.push_str(text);
            line.push_str(&" ".repeat((wide + GAP).saturating_sub(width(text))));
        }
        line.trim_end().to_owned()
    };
    (0..height).map(line).collect()
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
            [[vec!["name  what it", "      is"], vec!["a     one two", "      three"]]]
        );
        assert_eq!(table(&rows, 40), [[vec!["name  what it is"], vec!["a     one two three"]]]);
    }

    #[test]
    fn columns_that_do_not_fit_are_a_table_below_with_the_names_again() {
        let rows = [row(&["name", "second", "third"]), row(&["1", "2", "3"])];
        assert_eq!(
            table(&rows, 13),
            [[["name  second"], ["1     2"]], [["name  third"], ["1     3"]]]
        );
        assert_eq!(table(&rows, 19), [[["name  second  third"], ["1     2       3"]]]);
    }

    #[test]
    fn a_table_in_parts_wraps_as_little_as_it_must() {
        let rows = [row(&["x", "a b c", "d e f", "12345678", "1234"])];
        // Two parts either way; the numbers leave no room for the second text.
        assert_eq!(table(&rows, 15), [[["x  a b c  d e f"]], [["x  12345678"]], [["x  1234"]]]);
        assert_eq!(table(&rows, 17), [[["x  a b c  d e f"]], [["x  12345678  1234"]]]);
    }

    #[test]
    fn a_column_without_a_head_stays_with_the_one_before() {
        let rows = [row(&["x", "abcd", "", "abcd"]), row(&["1", "2", "ok", "3"])];
        let parts = |columns| table(&rows, columns).len();
        assert_eq!((parts(17), parts(16), parts(11), parts(1)), (1, 2, 2, 2));
        assert_eq!(table(&rows, 11)[0], [["x  abcd"], ["1  2     ok"]]);
    }

    #[test]
    fn an_empty_row_is_an_empty_line() {
        let rows = [row(&["a", "b"]), row(&[]), row(&["c", "d"])];
        assert_eq!(table(&rows, 40), [[["a  b"], [""], ["c  d"]]]);
        assert_eq!(table(&[], 40), [Vec::<Vec<String>>::new()]);
    }

    #[test]
    fn whatever_can_fit_fits() {
        let words = "the quick brown fox jumps over the lazy dog";
        for columns in 20..90 {
            let rows: Vec<_> = (1..6).map(|count| vec![words.to_owned(); count]).collect();
            let parts = table(&rows, columns);
            let lines: Vec<_> = parts.concat().concat();
            assert!(lines.iter().all(|line| width(line) <= columns), "{columns}: {lines:?}");
            // The first column is in every part, the others are in one.
            let text: String = lines.concat().split_whitespace().collect();
            assert_eq!(text.matches("fox").count(), 10 + 5 * parts.len(), "{columns}");
        }
    }
}
