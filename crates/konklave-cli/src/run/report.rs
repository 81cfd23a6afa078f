//! The report of a run as text.

use konklave_catalog::quantity::{Measured, Measures, Value};
use konklave_catalog::site::Site;
use konklave_sim::metrics::ByCause;
use konklave_sim::workload::{Distribution, Spread};
use konklave_sim::{Ended, LAST_TICK, Stabilisation, Violation, Waiting};

use super::{RunSummary, is_fifo};
use crate::args::{FaultArgs, RunArgs};
use crate::output::{self, counted, grouped, short};

/// The report as lines of text.
pub(super) fn for_people(report: &RunSummary<'_>, args: &RunArgs, site: &Site) -> Vec<String> {
    let order = if is_fifo(args, site) { ", FIFO channels" } else { "" };
    let links = if args.reliable { ", reliable links" } else { "" };
    let faults = if site.entry().flaw.is_some() { told_faults(args) } else { String::new() };
    let mut lines = vec![
        format!(
            "{} on a {}, seed {}, delay {}{order}{links}{faults}",
            output::bold(report.algorithm),
            site.graph().describe(),
            report.seed,
            args.delay
        ),
        String::new(),
    ];
    let messages = report.messages;
    let kinds: Vec<_> = messages
        .by_kind
        .iter()
        .map(|(kind, count)| format!("{} {kind}", grouped(*count)))
        .collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let mut fields = vec![
        ("verdict", verdict(report)),
        ("messages", format!("{}{kinds}", grouped(messages.total))),
        ("bytes", grouped(messages.bytes)),
        (
            "load per node",
            format!(
                "mean {}, busiest {}, Gini {:.2}",
                short(messages.mean_per_node),
                grouped(messages.max_per_node.into()),
                messages.gini
            ),
        ),
        ("in flight", format!("{} at most", grouped(messages.in_flight_peak))),
        ("causal depth", grouped(report.causal_depth.into())),
    ];
    fields.extend(messages.by_cause.map(|ByCause { command, tick }| {
        let [command, tick] = [command, tick].map(grouped);
        ("caused", format!("{command} by commands, {tick} by turns of nodes"))
    }));
    fields.splice(1..1, stuck(report.waiting));
    fields.extend(report.rounds.map(|rounds| ("rounds", grouped(rounds))));
    fields.extend(report.stabilisation.map(|it| ("stabilisation", stabilised(it))));
    fields.extend(of_problem(report.problem.measures));
    fields.push(("digest", report.digest.to_owned()));
    fields.push((
        "speed",
        format!(
            "{} deliveries in {:.2} s, {:.1} M/s",
            grouped(report.deliveries),
            report.wall_seconds,
            report.deliveries_per_second / 1e6
        ),
    ));
    lines.extend(output::fields(&fields));
    lines
}

/// Whether the run kept its promises, and why it ended.
fn verdict(report: &RunSummary<'_>) -> String {
    match (report.violations.first(), report.ended.is_early()) {
        (Some(violation), _) => {
            let Violation { time, broken } = violation;
            format!("{}  at {time}: {broken}", output::red("violated"))
        }
        (None, true) => {
            let reason = match report.ended {
                Ended::TimeLimit if report.time == LAST_TICK => "where the clock ends,",
                Ended::TimeLimit => "by the time limit",
                Ended::EventLimit => "by the event limit",
                Ended::RoundLimit => "by the round limit",
                _ => "by the user",
            };
            format!("ok so far, stopped {reason} at {}", report.time)
        }
        (None, false) => {
            format!("{}  ended by {} at {}", output::green("ok"), report.ended, report.time)
        }
    }
}

/// The faults of a specimen, as options: what it needs may not be on the command line.
fn told_faults(args: &RunArgs) -> String {
    let FaultArgs { duplicate, reorder, crash, .. } = &args.faults;
    let duplicate = duplicate.map(|it| format!(", --duplicate {it}"));
    let reorder = reorder.map(|it| format!(", --reorder {it}"));
    let crashes = crash.iter().map(|it| format!(", --crash {it}"));
    duplicate.into_iter().chain(reorder).chain(crashes).collect()
}

/// The nodes that are stuck and the nodes that they wait for, a line each.
fn stuck(waiting: &[Waiting]) -> impl Iterator<Item = (&'static str, String)> + '_ {
    waiting.iter().map(|Waiting { node, waits_for }| {
        let shown: Vec<_> = waits_for.iter().take(8).map(|node| node.to_string()).collect();
        let more = if waits_for.len() > 8 { ", ..." } else { "" };
        ("stuck", format!("node {node} waits for {}{more}", shown.join(", ")))
    })
}

/// When the system became legal, what that took, and what it takes to stay so.
fn stabilised(it: Stabilisation) -> String {
    let messages = short(it.messages_per_node);
    let way = match it.rounds {
        Some(rounds) => format!(
            "legal after {}, {messages} messages per node; since then {} per node and round",
            counted(rounds, "round", "rounds"),
            short(it.maintenance_per_node_and_round)
        ),
        None => format!("not legal yet, after {messages} messages per node"),
    };
    let relapse = if it.closure { "" } else { "; it was legal before, and was left" };
    let parted = if it.connected { "" } else { "; the nodes were not always connected" };
    format!("{way}{relapse}{parted}")
}

/// The quantities that the problem measures, a line each.
fn of_problem(measures: &Measures) -> impl Iterator<Item = (&'static str, String)> + '_ {
    let shown = measures.iter().filter(|it| !it.quantity.label.is_empty());
    shown.map(|it| (it.quantity.label, it.text.clone().unwrap_or_else(|| tell(it))))
}

/// A value with its unit.
fn tell(Measured { quantity, value, .. }: &Measured) -> String {
    let unit = if quantity.unit.is_empty() { "" } else { &format!(" {}", quantity.unit) };
    match *value {
        Value::Missing => "none".to_owned(),
        // Singular: 1 message.
        Value::Count(1) => format!("1{}", unit.trim_end_matches('s')),
        Value::Count(count) => format!("{}{unit}", grouped(count)),
        Value::Number(number) => format!("{}{unit}", short(number)),
        Value::Spread(Spread { mean, max }) => {
            format!("{}{unit} on average, at most {}", short(mean), short(max))
        }
        Value::Distribution(Distribution { mean, p50, p99, max }) => format!(
            "{}{unit} on average, median {}, 99 % up to {}, at most {}",
            short(mean),
            short(p50),
            short(p99),
            short(max)
        ),
    }
}
