//! The bounds of `--assert`, before and after the runs.

use std::collections::BTreeSet;

use konklave_catalog::problem::About;
use konklave_catalog::quantity::{Quantity, with_general};
use konklave_report::bound::{Assignment, Bound};

use super::SweepArgs;
use super::summary::Group;
use crate::failure::Failure;
use crate::output::short;

/// Parses the bounds. A bound that no measurement can decide is refused before anything is run.
pub(super) fn parse(args: &SweepArgs, problem: &About) -> Result<Vec<Bound>, Failure> {
    let names: Vec<String> = with_general(problem.quantities).flat_map(Quantity::names).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
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

/// The verdict about a bound.
pub(super) struct Judged {
    pub(super) bound: String,
    pub(super) verdict: Judgement,
}

pub(super) enum Judgement {
    Holds,
    /// The first violation.
    Broken(String),
    /// The reason why it cannot be decided.
    Open(String),
}

impl Judged {
    /// Compares the means with the bound. A violation outweighs means that cannot be compared.
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
                    let measured = meanings(&bound.to_string());
                    verdict = Judgement::Broken(format!(
                        "{bound}: with {algorithm} of {nodes} nodes, {left} against {right}\
                         {measured}"
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

/// What the names of a bound mean that are not about a single request.
fn meanings(bound: &str) -> String {
    let words = bound.split(|it: char| !it.is_alphanumeric() && it != '_');
    let words: BTreeSet<&str> = words.collect();
    let named = with_general(&[]).filter(|quantity| words.contains(quantity.name));
    named.map(|quantity| format!("; {}: {}", quantity.name, quantity.meaning)).collect()
}

/// The means of a group, as bounds see them.
fn row(group: &Group) -> Assignment {
    let means = group.measured.iter().map(|(name, summary)| (name.clone(), summary.mean));
    let nodes = ("n".to_owned(), f64::from(group.cell.nodes));
    std::iter::once(nodes).chain(means).collect()
}
