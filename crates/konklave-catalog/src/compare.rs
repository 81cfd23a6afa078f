//! How the algorithms of a problem are put beside each other.

use crate::needs::Needs;

/// One way to run every algorithm of a problem: a row of the comparison for each of them.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What tells it from the others: the name of a column, and what stands in it.
    pub labels: Vec<(&'static str, &'static str)>,
    /// The same in a sentence: `all nodes start, ids ascending`. Empty if there is only one.
    pub sentence: String,
    /// The options of its runs.
    pub options: Vec<(&'static str, String)>,
    /// How many runs are averaged.
    pub runs: Runs,
    /// Whether an algorithm with these needs can take part.
    pub suits: fn(&Needs) -> bool,
}

/// How many runs are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// One: it is long enough.
    One,
    /// As many as the user says, or enough for a good mean.
    Many,
}
