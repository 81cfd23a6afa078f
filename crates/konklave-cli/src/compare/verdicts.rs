//! The verdicts of a comparison as test cases.

use konklave_report::junit::{Case, Outcome, Suite};

use super::Task;
use super::measure::{Agreement, Row};
use crate::out;
use crate::output::short;

/// A test case for each row: whether its promises were kept and its formula agrees.
pub(super) fn suite(task: &Task, rows: &[Row]) -> Suite {
    let case = |row: &Row| {
        let main = task.problem.main_quantity().words();
        let outcome = match (row.agreement, &row.expected) {
            (Agreement::Ok, _) => Outcome::Passed,
            (Agreement::Violated, _) => {
                let first = row.violations.first().cloned().unwrap_or_default();
                Outcome::Failed(first, row.violations.join("\n"))
            }
            (Agreement::Differs, Some(expected)) => {
                let found = row.main.map_or_else(|| "nothing".to_owned(), short);
                Outcome::Failed(format!("{main}: {found}, not {expected}"), String::new())
            }
            (Agreement::Differs | Agreement::Unknown, _) => {
                Outcome::Undecided("there is no formula to compare with".to_owned())
            }
        };
        Case { about: task.problem.name.to_owned(), name: row.full_name(), outcome }
    };
    Suite { name: out::command(), seconds: 0.0, cases: rows.iter().map(case).collect() }
}
