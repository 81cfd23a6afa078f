//! Bounds that a user writes, such as `messages <= 2*n*log2(n)+n`, and whether results keep them.
//!
//! There are numbers, `n`, the names of what was measured, `+ - * / ^`, parentheses, and the
//! functions `ln log2 log10 sqrt floor ceil H` of one value (`H(n)` is the harmonic number
//! 1 + 1/2 + ... + 1/n) and `min max` of two or more. Powers are taken first and from the right,
//! then signs, then products, then sums. There is one comparison: `<= < >= > ==`.
//!
//! Values that differ by less than a billionth of their size count as equal, so that rounding
//! breaks no bound.

mod formula;
mod parse;
mod token;

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use formula::Formula;

/// What was measured, by name; the number of nodes is `n`.
pub type Assignment = BTreeMap<String, f64>;

/// A comparison of two formulas.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    text: String,
    left: Formula,
    comparison: Comparison,
    right: Formula,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    AtMost,
    Below,
    AtLeast,
    Above,
    Equal,
}

impl Comparison {
    fn holds(self, left: f64, right: f64) -> bool {
        let is_equal = (left - right).abs() <= 1e-9 * left.abs().max(right.abs());
        match self {
            Self::AtMost => left <= right || is_equal,
            Self::Below => left < right && !is_equal,
            Self::AtLeast => left >= right || is_equal,
            Self::Above => left > right && !is_equal,
            Self::Equal => is_equal,
        }
    }
}

/// A bound that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundError {
    /// All of it.
    pub text: String,
    /// The character at fault, counted from zero; the length of the text if something is missing
    /// at its end.
    pub at: usize,
    /// What is wrong there, and what would be right.
    pub problem: String,
}

impl Display for BoundError {
    /// The text, and below it a mark with the problem.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line: String =
            self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        write!(f, "{line}\n{:at$}^ {}", "", self.problem, at = self.at)
    }
}

impl std::error::Error for BoundError {}

/// The first row that breaks a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Its place among the rows, from zero.
    pub row: usize,
    /// The number of nodes there, if it is known.
    pub n: Option<f64>,
    /// The value of the left formula.
    pub left: f64,
    /// The value of the right formula.
    pub right: f64,
}

impl Bound {
    /// Understands a bound on measured quantities with these names. `n` need not be among them.
    ///
    /// # Errors
    ///
    /// If it is not a bound: with the place, and what would be right.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, BoundError> {
        let error = |(at, problem)| BoundError { text: text.to_owned(), at, problem };
        let (left, comparison, right) = parse::bound(text, names).map_err(error)?;
        Ok(Self { text: text.to_owned(), left, comparison, right })
    }

    /// Whether a row keeps the bound, with the values of both sides.
    ///
    /// # Errors
    ///
    /// If the row lacks a quantity, or a side has no value, such as 1/0.
    pub fn check(&self, row: &Assignment) -> Result<(bool, f64, f64), String> {
        let side = |formula: &Formula| match formula.value(row) {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(format!("'{}' has no value{}", self.text, place(row))),
            Err(name) => Err(format!("'{name}' was not measured{}", place(row))),
        };
        let (left, right) = (side(&self.left)?, side(&self.right)?);
        Ok((self.comparison.holds(left, right), left, right))
    }

    /// Whether a side that depends only on the number of nodes has a value for this many.
    ///
    /// # Errors
    ///
    /// If it has none, such as 1/(n-10) for ten nodes: then no measurement can decide.
    pub fn check_size(&self, n: f64) -> Result<(), String> {
        let row = Assignment::from([("n".to_owned(), n)]);
        let has_none = |side: &Formula| side.value(&row).is_ok_and(|value| !value.is_finite());
        match [&self.left, &self.right].into_iter().any(has_none) {
            true => Err(format!("'{}' has no value{}", self.text, place(&row))),
            false => Ok(()),
        }
    }

    /// The first row that breaks the bound, if one does.
    ///
    /// # Errors
    ///
    /// As for [`Self::check`], if a row before it cannot be decided.
    pub fn first_violation(&self, rows: &[Assignment]) -> Result<Option<Violation>, String> {
        for (place, row) in rows.iter().enumerate() {
            let (holds, left, right) = self.check(row)?;
            if !holds {
                return Ok(Some(Violation { row: place, n: row.get("n").copied(), left, right }));
            }
        }
        Ok(None)
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim())
    }
}

fn place(row: &Assignment) -> String {
    row.get("n").map_or_else(String::new, |n| format!(" for n = {n}"))
}

#[cfg(test)]
mod tests;
