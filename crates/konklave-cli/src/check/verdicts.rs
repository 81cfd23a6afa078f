//! The verdicts of a search as test cases.

use konklave_catalog::system::Checked;
use konklave_check::Counterexample;
use konklave_report::junit::{Case, Outcome};

use super::promises::up_to;
use crate::schedule::{self, Schedule};

/// A test case for each promise of the algorithm, and for whatever else is broken.
pub(super) fn cases(checked: &Checked, algorithm: &str) -> Vec<Case> {
    let case =
        |name: &str, outcome| Case { about: algorithm.to_owned(), name: name.to_owned(), outcome };
    let broken = |found: &Counterexample<Schedule>| {
        let steps = schedule::lines(&found.schedule).join("\n");
        case(&found.broken.promise, Outcome::Failed(found.broken.to_string(), steps))
    };
    let undecided = || match checked.bound {
        Some(bound) => format!("the search was stopped by {bound}"),
        None => "the search did not decide it".to_owned(),
    };
    let mut left: Vec<_> = checked.counterexamples.iter().collect();
    let mut cases = Vec::new();
    for property in &checked.properties {
        let name = &property.name;
        let found = left.iter().position(|found| found.broken.promise == *name);
        cases.push(match (found, property.holds) {
            (Some(place), _) => broken(left.remove(place)),
            (None, Some(true)) if property.until.is_empty() => case(name, Outcome::Passed),
            (None, Some(true)) => {
                let until = up_to(&property.until);
                let reason = format!("it holds {until}, and no schedule was followed any further");
                case(name, Outcome::Undecided(reason))
            }
            (None, _) => case(name, Outcome::Undecided(undecided())),
        });
    }
    cases.extend(left.into_iter().map(broken));
    cases
}
