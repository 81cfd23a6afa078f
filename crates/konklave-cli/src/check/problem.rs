//! Checks every algorithm of a problem, and shows a table.

use std::collections::BTreeMap;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::option::Verb;
use konklave_catalog::problem::About;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Checked};
use konklave_check::{Extremes, Verdict as Found};
use konklave_report::junit::Suite;
use serde_json::{Value, json};

use super::beyond::{beyond, excuse};
use super::promises::{narrowed, up_to};
use super::verdicts::cases;
use super::{CheckArgs, carry_out_check, plan, site_for};
use crate::Exit;
use crate::args::Format;
use crate::failure::Failure;
use crate::out;
use crate::output::{self, grouped};
use crate::progress;
use crate::told::{Told, of_problem};

/// The result for one algorithm.
struct Row {
    algorithm: &'static str,
    site: Site,
    plan: CheckPlan,
    checked: Checked,
}

/// Checks every algorithm of the problem, and prints a row for each.
pub(super) fn check_problem(
    args: &CheckArgs,
    problem: &'static About,
    catalog: &'static Catalog,
) -> Result<Exit, Failure> {
    if args.trace.is_some() || args.worst.is_some() || args.out.is_some() {
        return Err(Failure::bad(
            "--trace, --worst and --out need one algorithm: name an algorithm instead of a problem",
        ));
    }
    let overview = Overview::check(args, problem, catalog)?;
    overview.tell(args, problem)?;
    let Overview { rows, not_begun, .. } = &overview;
    let verdicts = || rows.iter().map(|row| row.checked.verdict);
    Ok(match verdicts().any(|verdict| verdict == Found::Violated) {
        true => Exit::Broken,
        false if !not_begun.is_empty() => Exit::Inconclusive,
        false if verdicts().all(|verdict| verdict == Found::Exhausted) => Exit::Fine,
        false => Exit::Inconclusive,
    })
}

/// The results for all algorithms of a problem.
#[derive(Default)]
struct Overview {
    rows: Vec<Row>,
    /// Why others were left out.
    left_out: Vec<String>,
    /// The algorithms whose turn had not come when the user interrupted.
    not_begun: Vec<&'static str>,
}

impl Overview {
    fn check(
        args: &CheckArgs,
        problem: &About,
        catalog: &'static Catalog,
    ) -> Result<Self, Failure> {
        let mut overview = Self::default();
        let Self { rows, left_out, not_begun } = &mut overview;
        for entry in catalog.entries_of(problem) {
            if progress::is_interrupted() {
                not_begun.push(&entry.name);
                continue;
            }
            let planned = site_for(args, entry, catalog).and_then(|site| {
                let plan = narrowed(args, &site, plan(args, &site))?;
                Ok((site, plan))
            });
            match planned {
                Ok((site, plan)) => {
                    let checked = carry_out_check(&site, &plan)?;
                    rows.push(Row { algorithm: &entry.name, site, plan, checked });
                }
                Err(Failure::Bad(reason)) => left_out.push(reason),
                Err(failure) => return Err(failure),
            }
        }
        if rows.is_empty() {
            let reason = left_out.first().map_or("", String::as_str);
            return Err(Failure::bad(format!(
                "no algorithm of the problem can be checked: {reason}"
            )));
        }
        Ok(overview)
    }

    fn tell(&self, args: &CheckArgs, problem: &'static About) -> Result<(), Failure> {
        let Self { rows, left_out, not_begun } = self;
        match (args.format, args.json) {
            (Some(Format::Junit), _) => {
                let cases =
                    rows.iter().flat_map(|row| cases(&row.checked, row.algorithm)).collect();
                let seconds = rows.iter().map(|row| row.checked.seconds).sum();
                output::text(&Suite { name: out::command(), seconds, cases }.xml())?;
            }
            (None, true) => {
                let report = json!({
                    "family": problem,
                    "rows": rows.iter().map(for_machines).collect::<Vec<_>>(),
                    "left_out": left_out,
                    "not_begun": not_begun,
                });
                let options = of_problem(problem, &args.options, Verb::Check);
                output::json(&Told::new(report, options))?;
            }
            (None, false) => {
                let head =
                    ["algorithm", "network", "states", "verdict", "messages", "awaited", "time"];
                let head = head.map(str::to_owned).to_vec();
                let cells: Vec<_> =
                    std::iter::once(head).chain(rows.iter().map(for_people)).collect();
                let mut lines = match args.markdown {
                    true => output::markdown(&cells),
                    false => output::table(&cells),
                };
                lines.extend(left_out.iter().map(|reason| format!("left out: {reason}")));
                lines.extend(excuses(rows));
                if !not_begun.is_empty() {
                    lines.push(format!("interrupted before {}", not_begun.join(", ")));
                }
                output::lines(&lines)?;
            }
        }
        Ok(())
    }
}

/// For each violated assumption, the algorithms that do not promise to survive it.
fn excuses(rows: &[Row]) -> Vec<String> {
    let mut excused: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.checked.verdict == Found::Violated) {
        if let Some(excuse) = excuse(&row.site, row.plan.world) {
            excused.entry(excuse).or_default().push(row.algorithm);
        }
    }
    let line = |(excuse, names): (String, Vec<&str>)| {
        format!("not promised to survive {excuse}: {}", names.join(", "))
    };
    excused.into_iter().map(line).collect()
}

fn for_people(row: &Row) -> Vec<String> {
    let checked = &row.checked;
    let names = |holds| {
        let such = checked.properties.iter().filter(|property| property.holds == holds);
        such.map(|property| property.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let verdict = match (checked.verdict, checked.bound) {
        (Found::Violated, _) => format!("violated: {}", names(Some(false))),
        (Found::Undecided, _) => format!("undecided: {}", names(None)),
        (Found::Bounded, Some(bound)) => format!("bounded by {bound}"),
        (Found::Exhausted, _) if !checked.cuts.is_empty() => {
            format!("exhausted {}", up_to(&checked.cuts))
        }
        (Found::Bounded | Found::Exhausted, _) => "exhausted".to_owned(),
    };
    let messages = checked.messages.map_or(String::new(), |Extremes { min, max }| match max {
        Some(max) if max == min => min.to_string(),
        Some(max) => format!("{min} to {max}"),
        None => format!("{min} or more"),
    });
    vec![
        row.algorithm.to_owned(),
        row.site.graph().describe(),
        grouped(checked.unique),
        verdict,
        messages,
        checked.awaited.map_or(String::new(), |count| count.to_string()),
        format!("{:.1} s", checked.seconds),
    ]
}

fn for_machines(row: &Row) -> Value {
    let checked = &row.checked;
    json!({
        "algorithm": row.algorithm,
        "nodes": row.site.nodes(),
        "network": row.site.graph().describe(),
        "states": checked.states,
        "unique": checked.unique,
        "depth": checked.depth,
        "verdict": checked.verdict,
        "bound": checked.bound,
        "violation": checked.counterexample().map(|found| &found.broken),
        "violations": checked.counterexamples.iter().map(|it| &it.broken).collect::<Vec<_>>(),
        "beyond": beyond(&row.site, row.plan.world),
        "properties": checked.properties,
        "cuts": checked.cuts,
        "messages": checked.messages,
        "awaited": checked.awaited,
        "seconds": checked.seconds,
    })
}
