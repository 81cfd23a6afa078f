//! What a run came to, for people.

use konklave_sim::workload::Distribution;
use konklave_sim::{Ended, Violation, Waiting};

use super::RunReport;
use crate::args::RunArgs;
use crate::drive::Problem;
use crate::output::{self, counted, grouped, short};
use crate::site::Site;

/// Lines for people.
pub(super) fn for_people(report: &RunReport<'_>, args: &RunArgs, site: &Site) -> Vec<String> {
    let is_fifo = args.fifo || (site.needs_fifo() && !args.beyond);
    let order = if is_fifo { ", first in first out" } else { "" };
    let mut lines = vec![
        format!(
            "{} on a {}, seed {}, delay {}{order}",
            output::bold(report.algorithm),
            site.graph().describe(),
            report.seed,
            args.delay
        ),
        String::new(),
    ];
    let verdict = match (report.violations.first(), report.ended.is_early()) {
        (Some(violation), _) => {
            let Violation { time, broken } = violation;
            format!("{}  at {time}: {broken}", output::red("violated"))
        }
        (None, true) => {
            let reason = match report.ended {
                Ended::TimeLimit => "by the time limit",
                Ended::EventLimit => "by the event limit",
                _ => "by hand",
            };
            format!("ok so far, stopped {reason} at {}", report.time)
        }
        (None, false) => {
            format!("{}  ended by {} at {}", output::green("ok"), report.ended, report.time)
        }
    };
    let messages = report.messages;
    let kinds: Vec<_> = messages
        .by_kind
        .iter()
        .map(|(kind, count)| format!("{} {kind}", grouped(*count)))
        .collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let mut fields = vec![
        ("verdict", verdict),
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
    fields.splice(1..1, stuck(report.waiting));
    fields.extend(of_problem(report.problem, report.nodes));
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

/// Who waits for whom, a line each.
fn stuck(waiting: &[Waiting]) -> impl Iterator<Item = (&'static str, String)> + '_ {
    waiting.iter().map(|Waiting { node, waits_for }| {
        let shown: Vec<_> = waits_for.iter().take(8).map(|node| node.to_string()).collect();
        let more = if waits_for.len() > 8 { ", ..." } else { "" };
        ("stuck", format!("node {node} waits for {}{more}", shown.join(", ")))
    })
}

fn of_problem(problem: &Problem, nodes: u32) -> Vec<(&'static str, String)> {
    let none = || "none".to_owned();
    let spread = |distribution: &Option<Distribution>| match distribution {
        Some(Distribution { mean, p50, p99, max }) => format!(
            "{} T on average, median {}, 99 % up to {}, at most {}",
            short(*mean),
            short(*p50),
            short(*p99),
            short(*max)
        ),
        None => none(),
    };
    let per_t = |rate: f64| format!("{rate:.4} entries per T");
    match problem {
        Problem::Mutex(mutex) => {
            let delay = mutex.coordination_delay.map(|delay| {
                format!("{} T on average, at most {}", short(delay.mean), short(delay.max))
            });
            vec![
                ("entries", grouped(mutex.entries)),
                ("messages/entry", mutex.messages_per_entry.map_or_else(none, short)),
                ("coordination", delay.unwrap_or_else(none)),
                ("waiting", spread(&mutex.waiting_time)),
                ("response", spread(&mutex.response_time)),
                ("throughput", mutex.throughput.map_or_else(none, per_t)),
                ("overtakings", format!("{} at most", mutex.overtakings_max)),
            ]
        }
        Problem::Booking(booking) => vec![
            ("attempts", grouped(booking.attempts)),
            ("entries", grouped(booking.entries)),
            ("denials", grouped(booking.denials)),
            ("messages/attempt", booking.messages_per_attempt.map_or_else(none, short)),
            ("inside at once", format!("{} at most", booking.inside_at_once_max)),
            ("waiting", spread(&booking.waiting_time)),
            ("throughput", booking.throughput.map_or_else(none, per_t)),
        ],
        Problem::Election(election) => {
            let leader = match (election.leader, election.leader_node) {
                (Some(id), Some(node)) => format!("id {id} at node {node}"),
                _ => none(),
            };
            let known = match election.known_by == nodes {
                true => "every node".to_owned(),
                false => {
                    let nodes = counted(nodes.into(), "node", "nodes");
                    format!("{} of {nodes}", grouped(election.known_by.into()))
                }
            };
            let time = election.time_to_elect.map(|time| format!("{} T", short(time)));
            vec![
                ("elections", grouped(election.elections.into())),
                ("leader", leader),
                ("known by", known),
                ("initiators", grouped(election.initiators.into())),
                ("to elect", counted(election.messages_to_elect, "message", "messages")),
                ("to announce", counted(election.messages_to_announce, "message", "messages")),
                ("time to elect", time.unwrap_or_else(none)),
            ]
        }
    }
}
