//! The bounds of `--assert`, before and after the runs.

use konklave_report::bound::{Bound, Row};

use super::SweepArgs;
use super::summary::Group;
use crate::entry::Family;
use crate::failure::Failure;
use crate::output::short;

/// What is measured about every run.
const COMMON: [&str; 7] = ["messages", "bytes", "time", "depth", "load_max", "load_mean", "gini"];
const MUTEX: [&str; 8] = [
    "messages_per_entry",
    "waiting",
    "waiting_p50",
    "waiting_p99",
    "response",
    "coordination",
    "throughput",
    "overtakings",
];
const BOOKING: [&str; 3] = ["messages_per_entry", "waiting", "throughput"];
const ELECTION: [&str; 2] = ["time_to_elect", "messages_to_elect"];

/// Understands the bounds. What cannot be decided whatever is measured is refused before anything
/// is run.
pub(super) fn parse(args: &SweepArgs, family: Family) -> Result<Vec<Bound>, Failure> {
    let of_family: &[&str] = match family {
        Family::Mutex => &MUTEX,
        Family::Booking => &BOOKING,
        Family::Election => &ELECTION,
    };
    let names = [&COMMON[..], of_family].concat();
    let parse = |text: &String| {
        let bound = Bound::parse(text, &names);
        // On a line of its own, so that the mark below it is in the right place.
        let bound = bound.map_err(|error| Failure::bad(format!("--assert:\n{error}")))?;
        for &nodes in &args.nodes {
            bound
                .check_size(f64::from(nodes))
                .map_err(|problem| Failure::bad(format!("--assert: {problem}")))?;
        }
        Ok(bound)
    };
    args.assert.iter().map(parse).collect()
}

/// What came of a bound.
pub(super) struct Judged {
    pub(super) bound: String,
    pub(super) verdict: Judgement,
}

pub(super) enum Judgement {
    Holds,
    /// How it is broken first.
    Broken(String),
    /// Why it cannot be decided.
    Open(String),
}

impl Judged {
    /// Compares the means with the bound. One that breaks it outweighs any that cannot be compared.
    pub(super) fn new(bound: &Bound, groups: &[Group]) -> Self {
        let mut verdict = match groups {
            [] => Judgement::Open(format!("{bound}: nothing was measured")),
            _ => Judgement::Holds,
        };
        for group in groups {
            match bound.check(&row(group)) {
                Ok((true, ..)) => {}
                Ok((false, left, right)) => {
                    let (left, right) = (short(left), short(right));
                    let (algorithm, nodes) = (&group.cell.algorithm, group.cell.nodes);
                    verdict = Judgement::Broken(format!(
                        "{bound}: with {algorithm} of {nodes} nodes, {left} against {right}"
                    ));
                    break;
                }
                Err(problem) => {
                    let algorithm = &group.cell.algorithm;
                    verdict = Judgement::Open(format!("{bound}: {problem}, with {algorithm}"));
                }
            }
        }
        Self { bound: bound.to_string(), verdict }
    }
}

/// The means of a group, as bounds see them.
fn row(group: &Group) -> Row {
    let means = group.measured.iter().map(|(name, summary)| (name.clone(), summary.mean));
    let nodes = ("n".to_owned(), f64::from(group.cell.nodes));
    std::iter::once(nodes).chain(means).collect()
}
