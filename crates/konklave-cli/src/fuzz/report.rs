//! What many schedules have shown, for people and for machines.

use std::io;

use serde::Serialize;
use serde_json::{Value, json};

use super::command::words;
use super::faults::Disorder;
use super::swarm::Tally;
use super::{Example, FuzzArgs, Sizes};
use crate::entry::Entry;
use crate::output::{self, grouped};
use crate::shrink::comparison;

/// One JSON object. The names of its fields do not change.
pub(super) fn for_machines(
    tally: &Tally,
    examples: &[Example],
    args: &FuzzArgs,
) -> io::Result<impl Serialize> {
    let failures: io::Result<Vec<Value>> = examples.iter().map(failure).collect();
    Ok(json!({
        "algorithm": args.algorithm,
        "seed": args.seed,
        "schedules": tally.schedules,
        "schedules_per_second": per_second(tally.schedules, tally),
        "deliveries": tally.deliveries,
        "deliveries_per_second": per_second(tally.deliveries, tally),
        "coverage": tally.coverage.0,
        "seconds": tally.seconds,
        "verdict": verdict(tally, examples),
        "failures": failures?,
        "trace_file": args.trace.as_ref().filter(|_| has_schedule(examples)),
    }))
}

fn failure(example: &Example) -> io::Result<Value> {
    let shortened = example.shortened.as_ref();
    let trace = shortened.map(|it| it.told.to_json(&it.site)).transpose()?;
    Ok(json!({
        "seed": example.failures.seed,
        "fault": example.disorder,
        "count": example.failures.count,
        "promise": example.failures.broken.promise,
        "detail": example.failures.broken.detail,
        "command": words(&example.drawn.args).join(" "),
        "steps": shortened.map(|it| it.after.steps),
        "trace": trace,
    }))
}

/// How it came out, in a word.
pub(super) fn verdict(tally: &Tally, examples: &[Example]) -> &'static str {
    let is_broken = examples.iter().any(|example| example.disorder == Disorder::None);
    match (is_broken, tally.is_interrupted) {
        (true, _) => "violated",
        (false, true) => "interrupted",
        (false, false) => "ok",
    }
}

/// How it came out, in a sentence.
pub(super) fn sentence(tally: &Tally, examples: &[Example]) -> String {
    let broken = examples.iter().find(|example| example.disorder == Disorder::None);
    match (broken, tally.is_interrupted) {
        (Some(example), _) => example.failures.broken.to_string(),
        (None, true) => "fine so far, but stopped by hand".to_owned(),
        (None, false) if examples.is_empty() => "nothing broke".to_owned(),
        (None, false) => "nothing broke within the assumptions".to_owned(),
    }
}

fn has_schedule(examples: &[Example]) -> bool {
    examples.iter().any(|example| example.shortened.is_some())
}

fn per_second(count: u64, tally: &Tally) -> f64 {
    count as f64 / tally.seconds.max(1e-9)
}

/// Lines for people.
pub(super) fn for_people(
    tally: &Tally,
    examples: &[Example],
    args: &FuzzArgs,
    entry: &Entry,
) -> Vec<String> {
    let assumptions = if args.beyond { "beyond" } else { "within" };
    let mut lines = vec![format!(
        "{} with {} nodes, seeds from {}, {assumptions} what it assumes",
        output::bold(&entry.name),
        sizes(args),
        args.seed,
    )];
    for example in examples {
        lines.push(String::new());
        lines.extend(describe(example));
    }
    lines.push(String::new());
    if args.beyond && !examples.is_empty() {
        lines.extend(what_breaks(examples));
        lines.push(String::new());
    }
    let sentence = sentence(tally, examples);
    let verdict = match verdict(tally, examples) {
        "violated" => output::red("violated"),
        "interrupted" => sentence,
        _ => format!("{}  {sentence}", output::green("ok")),
    };
    let fields: Vec<_> = std::iter::once(("verdict", verdict)).chain(counts(tally)).collect();
    lines.extend(output::fields(&fields));
    if let Some(path) = args.trace.as_ref().filter(|_| has_schedule(examples)) {
        lines.push(String::new());
        lines.push(format!("the schedule is in {}: konklave replay shows it", path.display()));
    }
    lines
}

/// From how many nodes to how many.
pub(super) fn sizes(args: &FuzzArgs) -> String {
    let Sizes { least, most } = args.nodes;
    match least == most {
        true => most.to_string(),
        false => format!("{least} to {most}"),
    }
}

/// How much was tried.
pub(super) fn counts(tally: &Tally) -> Vec<(&'static str, String)> {
    let rate = |count| grouped(per_second(count, tally).round() as u64);
    let (states, is_full) = tally.coverage;
    let more = if is_full { "more than " } else { "" };
    let (schedules, deliveries) = (tally.schedules, tally.deliveries);
    vec![
        (
            "schedules",
            format!("{} in {:.2} s, {} /s", grouped(schedules), tally.seconds, rate(schedules)),
        ),
        ("deliveries", format!("{}, {} /s", grouped(deliveries), rate(deliveries))),
        ("coverage", format!("{more}{} different states of the monitor", grouped(states as u64))),
    ]
}

/// The seed of an example, and what it breaks by what.
pub(super) fn heading(example: &Example) -> String {
    let promise = &example.failures.broken.promise;
    format!("Seed {}{}: {promise}", example.failures.seed, cause(example))
}

fn cause(example: &Example) -> String {
    match example.disorder {
        Disorder::None => String::new(),
        disorder => format!(" by {disorder}"),
    }
}

fn describe(example: &Example) -> Vec<String> {
    let broken = &example.failures.broken;
    let (seed, cause) = (example.failures.seed, cause(example));
    let mut lines = vec![
        format!("Seed {seed}{cause}: {}  {broken}", output::red("violated")),
        format!("  {}", words(&example.drawn.args).join(" ")),
    ];
    if let Some(shortened) = &example.shortened {
        lines.push("As short as it gets:".to_owned());
        lines.extend(shortened.told.text_lines());
        lines.extend(comparison(shortened));
    }
    lines
}

/// Which promises break by what, and how often.
fn what_breaks(examples: &[Example]) -> Vec<String> {
    let mut rows = vec![["fault", "promise", "broken", "first seed"].map(str::to_owned).to_vec()];
    rows.extend(examples.iter().map(|example| {
        vec![
            example.disorder.to_string(),
            example.failures.broken.promise.clone(),
            format!("{} times", grouped(example.failures.count)),
            example.failures.seed.to_string(),
        ]
    }));
    output::table(&rows).into_iter().map(|row| format!("  {row}")).collect()
}
