//! Results in rows and columns: for spreadsheets, for programs and for reports.

use serde_json::{Map, Value};

/// What stands in one place of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Words.
    Text(String),
    /// A whole number.
    Whole(i128),
    /// A measured number.
    Number(f64),
    /// Whether something is so.
    Truth(bool),
}

impl From<bool> for Cell {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

macro_rules! whole {
    ($($number:ty),*) => {
        $(impl From<$number> for Cell {
            fn from(number: $number) -> Self {
                Self::Whole(number as i128)
            }
        })*
    };
}

whole!(u32, u64, usize, i32, i64);

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Empty, Into::into)
    }
}

impl Cell {
    /// The exact value, for programs. Cells that are not numbers are left out.
    fn exact(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.clone(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) if number.is_finite() => number.to_string(),
            Self::Number(_) => String::new(),
            Self::Truth(truth) => truth.to_string(),
        }
    }

    /// For people: four significant digits, and thousands apart.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Whole(number) => grouped(&number.to_string()),
            Self::Number(number) if !number.is_finite() => "none".to_owned(),
            Self::Number(number) => significant(*number),
            other => other.exact(),
        }
    }

    /// Whether it is to stand at the right of its column.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Whole(_) | Self::Number(_))
    }

    fn json(&self) -> Value {
        match self {
            Self::Empty => Value::Null,
            Self::Text(text) => text.clone().into(),
            Self::Whole(number) => match i64::try_from(*number) {
                Ok(number) => number.into(),
                Err(_) => (*number as f64).into(),
            },
            Self::Number(number) => (*number).into(),
            Self::Truth(truth) => (*truth).into(),
        }
    }
}

/// Four significant digits, more before the point.
pub(crate) fn significant(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{number:.3e}");
    }
    let decimals = match size {
        s if s >= 1000.0 || s == 0.0 => 0,
        s if s >= 100.0 => 1,
        s if s >= 10.0 => 2,
        s if s >= 1.0 => 3,
        s => (3 - libm::floor(libm::log10(s)) as i32).max(0) as usize,
    };
    let text = format!("{number:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    grouped(text)
}

/// Thousands apart, by narrow spaces that do not break.
fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_once('.').map_or((number, None), |(w, r)| (w, Some(r)));
    let digits = whole.trim_start_matches('-');
    let mut text = if whole.starts_with('-') { "-".to_owned() } else { String::new() };
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    if let Some(rest) = rest {
        text.push('.');
        text.push_str(rest);
    }
    text
}

/// Rows of cells below the names of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new<C: Into<String>>(columns: impl IntoIterator<Item = C>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row. Cells that are missing are empty, and those beyond the last column are dropped.
    pub fn push<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let mut row: Vec<_> = cells.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), Cell::Empty);
        self.rows.push(row);
    }

    /// The same with one more row.
    pub fn row<C: Into<Cell>>(mut self, cells: impl IntoIterator<Item = C>) -> Self {
        self.push(cells);
        self
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As comma-separated values with a header line, after RFC 4180.
    pub fn csv(&self) -> String {
        let mut text = record(self.columns.iter().cloned());
        for row in &self.rows {
            text.push_str(&record(row.iter().map(Cell::exact)));
        }
        text
    }

    /// As a JSON array with an object per row. What is empty is `null`.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| -> Value {
            let cells = row.iter().map(Cell::json);
            self.columns.iter().cloned().zip(cells).collect::<Map<_, _>>().into()
        };
        self.rows.iter().map(object).collect()
    }
}

fn record(fields: impl Iterator<Item = String>) -> String {
    let quote = |field: String| match field.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    };
    let mut fields: Vec<_> = fields.map(quote).collect();
    // A lone empty field would be an empty line, which readers skip.
    if let [only] = fields.as_mut_slice()
        && only.is_empty()
    {
        only.push_str("\"\"");
    }
    fields.join(",") + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader after RFC 4180, and nothing else.
    fn read(text: &str) -> Vec<Vec<String>> {
        let (mut records, mut fields, mut field) = (Vec::new(), Vec::new(), String::new());
        let mut chars = text.chars().peekable();
        let mut is_quoted = false;
        while let Some(c) = chars.next() {
            match (c, is_quoted) {
                ('"', true) if chars.peek() == Some(&'"') => field.extend(chars.next()),
                ('"', true) => is_quoted = false,
                ('"', false) => {
                    assert!(field.is_empty(), "a quote inside a field that is not quoted");
                    is_quoted = true;
                }
                (',', false) => fields.push(std::mem::take(&mut field)),
                ('\r', false) => {
                    assert_eq!(chars.next(), Some('\n'), "records end with CRLF");
                    fields.push(std::mem::take(&mut field));
                    records.push(std::mem::take(&mut fields));
                }
                (c, _) => field.push(c),
            }
        }
        assert!(field.is_empty() && fields.is_empty(), "the last record ends with CRLF too");
        records
    }

    #[test]
    fn awkward_cells_survive_the_way_to_a_spreadsheet_and_back() {
        let awkward = ["", "a,b", "say \"yes\"", "two\nlines", "two\r\nlines", "\"", " x ", "é;"];
        let mut table = Table::new(["n,", "text"]);
        for (n, text) in awkward.iter().enumerate() {
            table.push([Cell::from(n), Cell::from(*text)]);
        }
        let records = read(&table.csv());
        assert_eq!(records[0], ["n,", "text"]);
        for (n, text) in awkward.iter().enumerate() {
            assert_eq!(records[n + 1], [n.to_string(), (*text).to_owned()]);
        }
        assert_eq!(Table::new(["x"]).row([""]).csv(), "x\r\n\"\"\r\n");
    }

    #[test]
    fn numbers_are_exact_for_programs_and_short_for_people() {
        let cells: [(Cell, &str, &str); 7] = [
            (1_234_567_u64.into(), "1234567", "1\u{202f}234\u{202f}567"),
            (0.1.into(), "0.1", "0.1"),
            (2.0_f64.sqrt().into(), "1.4142135623730951", "1.414"),
            (12345.678.into(), "12345.678", "12\u{202f}346"),
            (f64::NAN.into(), "", "none"),
            (Cell::from(None::<u32>), "", ""),
            (0.000_123_456.into(), "0.000123456", "0.0001235"),
        ];
        for (cell, exact, shown) in cells {
            assert_eq!((cell.exact().as_str(), cell.shown().as_str()), (exact, shown));
        }
    }

    #[test]
    fn json_has_an_object_per_row() {
        let table = Table::new(["n", "mean"]).row([Cell::from(3_u32), Cell::from(f64::NAN)]);
        assert_eq!(table.json().to_string(), r#"[{"mean":null,"n":3}]"#);
        let table = Table::new(["agrees"]).row([Cell::from(true)]).row([Cell::from(None::<bool>)]);
        assert_eq!(table.json().to_string(), r#"[{"agrees":true},{"agrees":null}]"#);
        // A lone empty cell is quoted, so that no line is empty.
        assert_eq!(table.csv(), "agrees\r\ntrue\r\n\"\"\r\n");
    }
}
