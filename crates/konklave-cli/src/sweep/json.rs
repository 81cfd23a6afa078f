//! The results of a sweep for programs.

use std::collections::BTreeMap;

use konklave_catalog::option::Verb;
use konklave_catalog::quantity::with_general;
use serde_json::{Value, json};

use super::SweepArgs;
use super::bounds::{Judged, Judgement};
use super::report::{Context, asked, table};
use super::summary::Summary;
use crate::run::Kept;
use crate::told::{Told, of_problem};

/// The JSON report. The names of its fields are stable.
pub(super) fn for_machines(
    args: &SweepArgs,
    summary: &Summary,
    context: &Context<'_>,
) -> Told<Value> {
    let laws: Vec<_> = summary
        .laws
        .iter()
        .map(|law| {
            let mut all = json!({
                "algorithm": law.series.algorithm,
                "delay": law.series.delay,
                "words": law.words(&summary.quantity.words()),
                "networks": law.networks(),
                "growth": law.growth,
            });
            law.series.options.iter().for_each(|(name, value)| all[name] = json!(value));
            all
        })
        .collect();
    let bounds: Vec<_> = summary
        .bounds
        .iter()
        .map(|Judged { bound, verdict }| match verdict {
            Judgement::Holds => json!({"bound": bound, "holds": true}),
            Judgement::Broken(how) => json!({"bound": bound, "holds": false, "violation": how}),
            Judgement::Open(why) => json!({"bound": bound, "holds": null, "undecided": why}),
        })
        .collect();
    let asked: serde_json::Map<_, _> =
        asked(args).into_iter().map(|(name, value)| (name, value.into())).collect();
    let report = json!({
        "asked": asked,
        "seeds": {"first": args.seed, "count": args.seeds},
        "units": units(summary),
        "swept": args.algorithm,
        "x": summary.x.name(),
        "shard": args.shard,
        "quantity": summary.quantity.name,
        "complete": context.is_whole,
        "rows": table(summary).json(),
        "laws": laws,
        "bounds": bounds,
        "left_out": context.left_out,
        "verdict": Kept::unless(summary.is_broken()),
    });
    Told::new(report, of_problem(summary.problem, &args.options, Verb::Sweep))
}

/// The units of quantities. T is the mean delay of a message.
fn units(summary: &Summary) -> BTreeMap<String, &'static str> {
    let all = with_general(summary.problem.quantities);
    let measured = all.filter(|quantity| !quantity.unit.is_empty());
    measured.flat_map(|it| it.names().map(|name| (name, it.unit))).collect()
}
