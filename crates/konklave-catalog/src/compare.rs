//! The scenarios in which the algorithms of a problem are compared.

use crate::needs::Needs;

/// One way to run every algorithm of a problem: a row of the comparison for each of them.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The columns that distinguish it from other scenarios: head and value.
    pub labels: Vec<(&'static str, String)>,
    /// A description: `all nodes start, ids ascending`. Empty if there is only one scenario.
    pub sentence: String,
    /// The options of its runs.
    pub options: Vec<(&'static str, String)>,
    /// The number of runs to average.
    pub runs: Runs,
    /// Whether an algorithm with these needs can take part.
    pub suits: fn(&Needs) -> bool,
}

/// The number of runs to average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// One long run.
    One,
    /// The number of --runs, or enough for a precise mean.
    Many,
}
