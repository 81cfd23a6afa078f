//! What the runs of a sweep come to.

use std::collections::BTreeMap;

use konklave_report::bound::{Bound, Row, Violation};
use konklave_report::growth::Growth;
use konklave_report::statistics::{self, summary};

use super::SweepArgs;
use super::runs::{Cell, Ran};
use crate::entry::{Conditions, Expected, Family};
use crate::failure::Failure;
use crate::output::short;
use crate::table;

/// The runs that differ only in their seeds.
pub(super) struct Group {
    pub(super) cell: Cell,
    /// What was measured, by name.
    pub(super) measured: BTreeMap<String, statistics::Summary>,
    /// The mean number of messages of each kind.
    pub(super) kinds: BTreeMap<String, f64>,
    /// What the formula says about the main quantity.
    pub(super) expected: Option<Expected>,
    /// The first broken promise, and its seed.
    pub(super) broken: Option<(String, u64)>,
}

/// How the main quantity grows, for one algorithm, load and delay.
pub(super) struct Law {
    pub(super) algorithm: String,
    pub(super) load: String,
    pub(super) delay: String,
    pub(super) growth: Growth,
}

/// Everything.
pub(super) struct Summary {
    /// The quantity that formulas are about.
    pub(super) quantity: &'static str,
    pub(super) groups: Vec<Group>,
    pub(super) laws: Vec<Law>,
    /// Bounds, and how each is broken first.
    pub(super) bounds: Vec<(String, Option<String>)>,
}

impl Summary {
    pub(super) fn new(args: &SweepArgs, ran: &[Ran], bounds: &[Bound]) -> Result<Self, Failure> {
        let mut cells: BTreeMap<Cell, Vec<&Ran>> = BTreeMap::new();
        for one in ran {
            cells.entry(one.cell.clone()).or_default().push(one);
        }
        for ran in cells.values_mut() {
            ran.sort_by_key(|one| one.seed); // Sums depend on the order, and runs end in any.
        }
        let groups: Vec<_> = cells
            .into_iter()
            .map(|(cell, ran)| group(args, cell, &ran))
            .collect::<Result<_, _>>()?;
        let is_election = groups.iter().all(|group| group.cell.load.is_empty());
        let quantity = if is_election { "messages_to_elect" } else { "messages_per_entry" };
        let rows: Vec<Row> = groups.iter().map(row).collect();
        let check = |bound: &Bound| match bound.first_violation(&rows) {
            Ok(violation) => {
                Ok((bound.to_string(), violation.map(|it| describe(bound, &it, &groups))))
            }
            Err(problem) => Err(Failure::bad(format!("--assert {bound}: {problem}"))),
        };
        let bounds = bounds.iter().map(check).collect::<Result<_, _>>()?;
        Ok(Self { quantity, laws: laws(&groups, quantity), groups, bounds })
    }

    /// Whether a promise or a bound was broken.
    pub(super) fn is_broken(&self) -> bool {
        self.groups.iter().any(|group| group.broken.is_some())
            || self.bounds.iter().any(|(_, violation)| violation.is_some())
    }
}

fn group(args: &SweepArgs, cell: Cell, ran: &[&Ran]) -> Result<Group, Failure> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut kinds: BTreeMap<String, f64> = BTreeMap::new();
    for one in ran {
        for (name, value) in &one.measured {
            values.entry(name.clone()).or_default().push(*value);
        }
        for (kind, count) in &one.kinds {
            *kinds.entry(kind.clone()).or_default() += *count as f64 / ran.len() as f64;
        }
    }
    let measured =
        values.into_iter().filter_map(|(name, values)| Some((name, summary(&values)?))).collect();
    let mut broken: Vec<_> = ran.iter().filter(|one| one.verdict != "ok").collect();
    broken.sort_by_key(|one| one.seed);
    let broken = broken.first().map(|one| (one.verdict.clone(), one.seed));
    Ok(Group { expected: expected(args, &cell)?, measured, kinds, broken, cell })
}

/// What the formula of the algorithm says.
fn expected(args: &SweepArgs, cell: &Cell) -> Result<Option<Expected>, Failure> {
    let entry = table::find(&cell.algorithm)?;
    let all = super::tasks(&SweepArgs { seeds: 1, ..super::copy(args) }, &[entry]);
    let Some(task) = all.iter().find(|task| task.cell == *cell) else { return Ok(None) };
    let site = task.site()?;
    let run = task.args();
    let load = run.mutex.load.unwrap_or(konklave_sim::workload::mutex::Demand::Heavy);
    // Only the steady state under regular load has a formula, and a sweep measures whole runs.
    let is_regular = matches!(run.delay, konklave_sim::Delay::Constant(_));
    let initiators = match (entry.family, &args.election.initiators) {
        (Family::Election, None) if entry.needs.one_initiator.is_some() => 1,
        (Family::Election, None) => site.nodes(),
        (Family::Election, Some(_)) => return Ok(None),
        _ => 0,
    };
    Ok((entry.expected)(&site, Conditions { load, is_regular, initiators }))
}

/// How a bound is broken, for people.
fn describe(bound: &Bound, violation: &Violation, groups: &[Group]) -> String {
    let cell = &groups[violation.row].cell;
    let Violation { left, right, .. } = violation;
    format!(
        "{bound}: with {} of {} nodes, {} against {}",
        cell.algorithm,
        cell.nodes,
        short(*left),
        short(*right)
    )
}

/// The means of a group, as bounds see them.
fn row(group: &Group) -> Row {
    let means = group.measured.iter().map(|(name, summary)| (name.clone(), summary.mean));
    let nodes = ("n".to_owned(), f64::from(group.cell.nodes));
    std::iter::once(nodes).chain(means).collect()
}

fn laws(groups: &[Group], quantity: &str) -> Vec<Law> {
    let mut points: BTreeMap<(String, String, String), Vec<(f64, f64)>> = BTreeMap::new();
    for Group { cell, measured, .. } in groups {
        let key = (cell.algorithm.clone(), cell.load.clone(), cell.delay.clone());
        if let Some(summary) = measured.get(quantity) {
            points.entry(key).or_default().push((f64::from(cell.nodes), summary.mean));
        }
    }
    let law = |((algorithm, load, delay), points): (_, Vec<_>)| Law {
        algorithm,
        load,
        delay,
        growth: Growth::new(&points),
    };
    points.into_iter().map(law).collect()
}
