//! Every algorithm of a family, one after the other.

use konklave_check::{Extremes, Verdict as Found};
use serde_json::{Value, json};

use super::{CheckArgs, carry_out_check, plan, site_for};
use crate::Verdict;
use crate::drive::Checked;
use crate::entry::Family;
use crate::failure::Failure;
use crate::output::{self, grouped};
use crate::progress;
use crate::table::TABLE;

/// What came of one algorithm.
struct Row {
    algorithm: &'static str,
    network: String,
    checked: Box<Checked>,
}

/// Checks all of them, and shows a table.
pub(super) fn check_family(args: &CheckArgs, family: Family) -> Result<Verdict, Failure> {
    if args.trace.is_some() || args.worst.is_some() || args.out.is_some() {
        return Err(Failure::bad(
            "--trace, --worst and --out keep what one algorithm does: name one instead of a family",
        ));
    }
    let mut rows = Vec::new();
    let mut left_out = Vec::new();
    let mut not_begun: Vec<&str> = Vec::new();
    for entry in TABLE.iter().filter(|entry| entry.family == family) {
        if progress::is_interrupted() {
            not_begun.push(&entry.name);
            continue;
        }
        match site_for(args, entry) {
            Ok(site) => {
                let checked = carry_out_check(&site, &plan(args, &site))?;
                let network = site.graph().describe();
                rows.push(Row { algorithm: &entry.name, network, checked });
            }
            Err(Failure::Bad(reason)) => left_out.push(reason),
            Err(failure) => return Err(failure),
        }
    }
    if rows.is_empty() {
        let reason = left_out.first().map_or("", String::as_str);
        return Err(Failure::bad(format!("no algorithm of the family can be checked: {reason}")));
    }
    match args.json {
        true => output::json(&json!({
            "family": family,
            "rows": rows.iter().map(for_machines).collect::<Vec<_>>(),
            "left_out": left_out,
            "not_begun": not_begun,
        }))?,
        false => {
            let head = ["algorithm", "network", "states", "verdict", "messages", "waiting", "time"];
            let head = head.map(str::to_owned).to_vec();
            let cells: Vec<_> = std::iter::once(head).chain(rows.iter().map(for_people)).collect();
            let mut lines = match args.markdown {
                true => output::markdown(&cells),
                false => output::table(&cells),
            };
            lines.extend(left_out.iter().map(|reason| format!("left out: {reason}")));
            if !not_begun.is_empty() {
                lines.push(format!("stopped by hand before {}", not_begun.join(", ")));
            }
            output::lines(&lines)?;
        }
    }
    let verdicts = || rows.iter().map(|row| row.checked.verdict);
    Ok(match verdicts().any(|verdict| verdict == Found::Violated) {
        true => Verdict::Broken,
        false if !not_begun.is_empty() => Verdict::Inconclusive,
        false if verdicts().all(|verdict| verdict == Found::Exhausted) => Verdict::Fine,
        false => Verdict::Inconclusive,
    })
}

fn for_people(row: &Row) -> Vec<String> {
    let checked = &row.checked;
    let verdict = match (checked.verdict, checked.bound, &checked.counterexample) {
        (Found::Violated, _, Some(found)) => format!("violated: {}", found.broken.promise),
        (_, Some(bound), _) => format!("bounded by {bound}"),
        _ => "exhausted".to_owned(),
    };
    let messages = checked.messages.map_or(String::new(), |Extremes { min, max }| match max {
        Some(max) if max == min => min.to_string(),
        Some(max) => format!("{min} to {max}"),
        None => format!("{min} or more"),
    });
    vec![
        row.algorithm.to_owned(),
        row.network.clone(),
        grouped(checked.unique),
        verdict,
        messages,
        checked.overtaken.map_or(String::new(), |count| count.to_string()),
        format!("{:.1} s", checked.seconds),
    ]
}

fn for_machines(row: &Row) -> Value {
    let checked = &row.checked;
    json!({
        "algorithm": row.algorithm,
        "network": row.network,
        "states": checked.states,
        "unique": checked.unique,
        "depth": checked.depth,
        "verdict": checked.verdict,
        "bound": checked.bound,
        "violation": checked.counterexample.as_ref().map(|found| &found.broken),
        "messages": checked.messages,
        "overtaken": checked.overtaken,
        "seconds": checked.seconds,
    })
}
