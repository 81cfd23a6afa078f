//! The verdicts of a sweep as test cases.

use konklave_report::junit::{Case, Outcome, Suite};

use super::bounds::{Judged, Judgement};
use super::summary::{Group, Summary};
use crate::out;

/// A test case for the promises of each group of runs, one for its formula if it can be compared,
/// and one for each bound.
pub(super) fn suite(summary: &Summary) -> Suite {
    let groups = summary.groups.iter().flat_map(|group| of_group(group, summary));
    let cases = groups.chain(summary.bounds.iter().map(of_bound)).collect();
    Suite { name: out::command(), seconds: 0.0, cases }
}

fn of_group(group: &Group, summary: &Summary) -> Vec<Case> {
    let cell = &group.cell;
    let options = cell.options.iter().map(|(name, value)| format!(", {name} {value}"));
    let options: String = options.collect();
    let case = |what: &str, outcome| Case {
        about: cell.algorithm.clone(),
        name: format!("{what}: {} nodes{options}, delay {}", cell.nodes, cell.delay),
        outcome,
    };
    let promises = match &group.broken {
        None => Outcome::Passed,
        Some((promise, seed)) => Outcome::Failed(format!("{promise}, seed {seed}"), String::new()),
    };
    let mut cases = vec![case("promises", promises)];
    if let Some((expected, agrees)) = group.expected.as_ref().zip(group.agrees) {
        let found = group.measured.get(summary.quantity.name).map_or(f64::NAN, |it| it.mean);
        let differs = || Outcome::Failed(format!("{found}, not {expected}"), String::new());
        cases.push(case("formula", if agrees { Outcome::Passed } else { differs() }));
    }
    cases
}

fn of_bound(Judged { bound, verdict }: &Judged) -> Case {
    let outcome = match verdict {
        Judgement::Holds => Outcome::Passed,
        Judgement::Broken(how) => Outcome::Failed(how.clone(), String::new()),
        Judgement::Open(why) => Outcome::Undecided(why.clone()),
    };
    Case { about: "bounds".to_owned(), name: bound.clone(), outcome }
}
