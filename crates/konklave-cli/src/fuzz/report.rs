//! The result of a fuzzing campaign, as text and as JSON.

use std::collections::BTreeSet;
use std::io;

use konklave_catalog::disorder::Disorder;
use konklave_catalog::entry::Entry;
use konklave_report::junit::{Case, Outcome, Suite};
use serde::Serialize;
use serde_json::{Value, json};

use super::command::words;
use super::faults::name;
use super::swarm::{Tally, Unfinished};
use super::{Example, Findings, FuzzArgs, GivenUp, Sizes};
use crate::out;
use crate::output::{self, counted, grouped};
use crate::schedule;
use crate::shrink::comparison;
use crate::told::Told;

/// The JSON report. The names of its fields are stable.
pub(super) fn for_machines(
    findings: &Findings,
    args: &FuzzArgs,
    entry: &Entry,
) -> io::Result<Told<impl Serialize>> {
    let Findings { tally, examples, given_up, .. } = findings;
    let failures: io::Result<Vec<Value>> = examples.iter().map(failure).collect();
    let report = json!({
        "algorithm": entry.name,
        "seed": args.seed,
        "shard": args.shard,
        "campaign": args.words(),
        "schedules": tally.schedules,
        "schedules_per_second": per_second(tally.schedules, tally),
        "deliveries": tally.deliveries,
        "deliveries_per_second": per_second(tally.deliveries, tally),
        "coverage": tally.coverage.0,
        "seconds": tally.seconds,
        "verdict": verdict(findings),
        "failures": failures?,
        "unfinished": given_up.iter().map(unfinished).collect::<Vec<_>>(),
        "trace_file": args.trace.as_ref().filter(|_| !examples.is_empty()),
    });
    let Sizes { least, most } = findings.sizes;
    Ok(Told::new(report, [("nodes".to_owned(), format!("{least}..{most}").into())]))
}

fn failure(example: &Example) -> io::Result<Value> {
    let shortened = &example.shortened;
    Ok(json!({
        "seed": example.failures.seed,
        "fault": name(example.disorder),
        "count": example.failures.count,
        "promise": example.failures.broken.promise,
        "detail": example.failures.broken.detail,
        "command": words(&example.drawn.args).join(" "),
        "nodes": shortened.site.nodes(),
        "steps": shortened.after.steps,
        "minimal": shortened.is_minimal(),
        "searched": shortened.searched,
        "trace": schedule::to_json(&shortened.schedule, &shortened.site)?,
    }))
}

fn unfinished(given_up: &GivenUp) -> Value {
    json!({
        "seed": given_up.unfinished.seed,
        "fault": name(given_up.disorder),
        "count": given_up.unfinished.count,
        "event_limit": given_up.drawn.args.event_limit,
        "command": words(&given_up.drawn.args).join(" "),
    })
}

/// A test case for each promise: whether a schedule within the assumptions broke it.
pub(super) fn suite(findings: &Findings, entry: &Entry) -> Suite {
    let within = |example: &&Example| example.disorder.is_none();
    let examples: Vec<_> = findings.examples.iter().filter(within).collect();
    let mut names: Vec<String> =
        (entry.problem.promises)().iter().map(|promise| promise.name.to_owned()).collect();
    // A lemma is not a promise of the problem.
    let others = examples.iter().map(|example| example.failures.broken.promise.to_string());
    names.extend(others.filter(|it| !names.contains(it)).collect::<BTreeSet<_>>());
    let outcome = |name: &str| {
        let broken = examples.iter().find(|it| it.failures.broken.promise == *name);
        match (broken, verdict(findings)) {
            (Some(example), _) => {
                let command = format!("{}\n", words(&example.drawn.args).join(" "));
                let steps = schedule::lines(&example.shortened.schedule).join("\n");
                Outcome::Failed(example.failures.broken.to_string(), command + &steps)
            }
            (None, Found::Interrupted | Found::Inconclusive) => {
                Outcome::Undecided(sentence(findings))
            }
            (None, Found::Ok | Found::Violated) => Outcome::Passed,
        }
    };
    let case = |name: String| {
        let outcome = outcome(&name);
        Case { about: entry.name.clone(), name, outcome }
    };
    let cases = names.into_iter().map(case).collect();
    Suite { name: out::command(), seconds: findings.tally.seconds, cases }
}

/// The verdict of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Found {
    /// No promise was broken within the assumptions.
    Ok,
    /// A promise was broken within the assumptions.
    Violated,
    /// The user interrupted the campaign before a promise was broken.
    Interrupted,
    /// No promise was broken, but schedules were cut off at the event limit, or parts are missing.
    Inconclusive,
}

impl Found {
    /// The name in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Violated => "violated",
            Self::Interrupted => "interrupted",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// The verdict of these findings.
pub(super) fn verdict(findings: &Findings) -> Found {
    let Findings { tally, examples, missing, .. } = findings;
    let is_broken = examples.iter().any(|example| example.disorder.is_none());
    match (is_broken, tally.is_interrupted, tally.unfinished.get(&None)) {
        (true, ..) => Found::Violated,
        (false, true, _) => Found::Interrupted,
        (false, false, _) if !missing.is_empty() => Found::Inconclusive,
        (false, false, Some(_)) => Found::Inconclusive,
        (false, false, None) => Found::Ok,
    }
}

/// The verdict as a sentence.
pub(super) fn sentence(findings: &Findings) -> String {
    let Findings { tally, examples, missing, .. } = findings;
    let broken = examples.iter().find(|example| example.disorder.is_none());
    match (broken, tally.is_interrupted, tally.unfinished.get(&None)) {
        (Some(example), ..) => example.failures.broken.to_string(),
        (None, true, _) => "no promise was broken so far, but the user interrupted it".to_owned(),
        (None, false, _) if !missing.is_empty() => {
            let parts: Vec<_> = missing.iter().map(ToString::to_string).collect();
            format!("no promise was broken so far, but parts are missing: {}", parts.join(", "))
        }
        (None, false, Some(Unfinished { count, .. })) => format!(
            "no promise was broken, but {} of {} were cut off at the event limit: \
             a larger --event-limit lets them end",
            grouped(*count),
            counted(tally.schedules, "schedule", "schedules")
        ),
        (None, false, None) if examples.is_empty() => "no promise was broken".to_owned(),
        (None, false, None) => "no promise was broken within the assumptions".to_owned(),
    }
}

fn per_second(count: u64, tally: &Tally) -> f64 {
    count as f64 / tally.seconds.max(1e-9)
}

/// The report as lines of text.
pub(super) fn for_people(findings: &Findings, args: &FuzzArgs, entry: &Entry) -> Vec<String> {
    let Findings { tally, examples, given_up, sizes, .. } = findings;
    let assumptions = if args.beyond { "beyond" } else { "within" };
    let mut lines = vec![format!(
        "{} with {sizes}, seeds from {}, {assumptions} its assumptions",
        output::bold(&entry.name),
        args.seed,
    )];
    for example in examples {
        lines.push(String::new());
        lines.extend(describe(example));
    }
    for given_up in given_up {
        lines.extend([String::new(), why_unfinished(given_up)]);
        lines.push(format!("  {}", words(&given_up.drawn.args).join(" ")));
    }
    lines.push(String::new());
    if args.beyond && !examples.is_empty() {
        lines.extend(what_breaks(examples));
        lines.push(String::new());
    }
    let sentence = sentence(findings);
    let verdict = match verdict(findings) {
        Found::Violated => output::red("violated"),
        Found::Interrupted => sentence,
        Found::Inconclusive => format!("inconclusive  {sentence}"),
        Found::Ok => format!("{}  {sentence}", output::green("ok")),
    };
    let fields: Vec<_> = std::iter::once(("verdict", verdict)).chain(counts(tally)).collect();
    lines.extend(output::fields(&fields));
    if let Some(path) = args.trace.as_ref().filter(|_| !examples.is_empty()) {
        lines.push(String::new());
        lines
            .push(format!("the schedule is in {}; show it with `konklave replay`", path.display()));
    }
    lines
}

/// The numbers of schedules, deliveries and monitor states.
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
        (
            "coverage",
            format!(
                "{more}{} distinct states of the monitor, which sees only requests and results",
                grouped(states as u64)
            ),
        ),
    ]
}

/// The seed of an example, the promise that it breaks and the fault that causes it.
pub(super) fn heading(example: &Example) -> String {
    let promise = &example.failures.broken.promise;
    format!("Seed {}{}: {promise}", example.failures.seed, cause(example.disorder))
}

/// A sentence about the schedules that were cut off: the first, and how many more.
pub(super) fn why_unfinished(given_up: &GivenUp) -> String {
    let GivenUp { disorder, unfinished: Unfinished { count, seed }, drawn } = given_up;
    let steps = grouped(drawn.args.event_limit.unwrap_or_default());
    let others = match count - 1 {
        0 => String::new(),
        others => format!(", as were {} more schedules", grouped(others)),
    };
    format!("Seed {seed}{}: cut off after {steps} steps{others}", cause(*disorder))
}

fn cause(disorder: Option<Disorder>) -> String {
    disorder.map_or_else(String::new, |disorder| format!(" by {disorder}"))
}

fn describe(example: &Example) -> Vec<String> {
    let broken = &example.failures.broken;
    let (seed, cause) = (example.failures.seed, cause(example.disorder));
    let mut lines = vec![
        format!("Seed {seed}{cause}: {}  {broken}", output::red("violated")),
        format!("  {}", words(&example.drawn.args).join(" ")),
    ];
    let is_minimal = example.shortened.is_minimal();
    let kind = if is_minimal { "minimal" } else { "shrunk" };
    lines.push(format!("The {kind} schedule:"));
    lines.extend(schedule::lines(&example.shortened.schedule));
    lines.extend(comparison(&example.shortened));
    lines
}

/// A table of faults, the promises that they break, and how often.
fn what_breaks(examples: &[Example]) -> Vec<String> {
    let mut rows = vec![["fault", "promise", "broken", "first seed"].map(str::to_owned).to_vec()];
    rows.extend(examples.iter().map(|example| {
        vec![
            name(example.disorder).to_owned(),
            example.failures.broken.promise.clone(),
            format!("{} times", grouped(example.failures.count)),
            example.failures.seed.to_string(),
        ]
    }));
    output::indented_table(&rows, 2)
}
