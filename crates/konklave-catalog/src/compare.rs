//! The scenarios in which the algorithms of a problem are compared.

use konklave_sim::Delay;

use crate::needs::Needs;
use crate::option::{Opt, Verb};
use crate::setup::Setup;

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

impl Scenario {
    /// The only scenario of a comparison; its heading names these options.
    pub fn only(setup: &Setup, delay: Delay, options: &[&'static Opt], runs: Runs) -> Self {
        let value = |option: &&'static Opt| named(option, setup, delay);
        let options = options.iter().filter_map(value).collect();
        Self { labels: Vec::new(), sentence: String::new(), options, runs, suits: |_| true }
    }
}

/// An option of a scenario: as given, or the default of a comparison.
pub(crate) fn named(
    option: &'static Opt,
    setup: &Setup,
    delay: Delay,
) -> Option<(&'static str, String)> {
    Some((option.name, option.value(setup, Verb::Compare, delay)?))
}

/// The number of runs to average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// One long run.
    One,
    /// The number of --runs, or enough for a precise mean.
    Many,
}
