//! What came of a run.

use konklave_sim::{Ended, RunReport};

/// The promise that was broken, and how; `kept` if none was, and `endless` if nobody can tell.
pub(super) fn verdict<R>(report: &RunReport<R>) -> String {
    match &report.violations[..] {
        [] if report.ended == Ended::EventLimit => "endless".to_owned(),
        [] => "kept".to_owned(),
        [violation] => violation.broken.to_string(),
        more => panic!("{more:?}"),
    }
}

/// The name of the promise that was broken; `kept` if none was, and `endless` if nobody can tell.
pub(super) fn promise<R>(report: &RunReport<R>) -> String {
    verdict(report).split(':').next().unwrap_or_default().to_owned()
}
