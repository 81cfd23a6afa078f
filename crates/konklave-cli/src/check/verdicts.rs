//! The verdicts of a search as test cases.

use konklave_catalog::system::Checked;
use konklave_check::Verdict as Found;
use konklave_report::junit::{Case, Outcome};

use crate::schedule;

/// A test case for each promise of the algorithm, and one for the whole search if that broke
/// something else, such as a lemma.
pub(super) fn cases(checked: &Checked, algorithm: &str) -> Vec<Case> {
    let case =
        |name: &str, outcome| Case { about: algorithm.to_owned(), name: name.to_owned(), outcome };
    let broken = || match &checked.counterexample {
        Some(found) => {
            let steps = schedule::lines(&found.schedule).join("\n");
            Outcome::Failed(found.broken.to_string(), steps)
        }
        None => Outcome::Failed("a promise is broken".to_owned(), String::new()),
    };
    let undecided = || match checked.bound {
        Some(bound) => format!("the search was stopped by {bound}"),
        None => "the search did not decide it".to_owned(),
    };
    let properties = checked.properties.iter();
    let mut cases: Vec<_> = properties
        .map(|property| {
            let outcome = match property.holds {
                Some(true) => Outcome::Passed,
                Some(false) => broken(),
                None => Outcome::Undecided(undecided()),
            };
            case(&property.name, outcome)
        })
        .collect();
    let is_told = cases.iter().any(|case| matches!(case.outcome, Outcome::Failed(..)));
    if checked.verdict == Found::Violated && !is_told {
        let name =
            checked.counterexample.as_ref().map_or("promise", |it| it.broken.promise.as_str());
        cases.push(case(name, broken()));
    }
    cases
}
