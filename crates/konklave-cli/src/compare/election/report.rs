//! A comparison of elections, in every form in which it is told.

use konklave_report::table::{Cell, Table};
use serde_json::json;

use super::super::{CompareArgs, Findings, Judged, agreement, as_table};
use super::{INITIATORS, ORDERS, Row};
use crate::entry::Expected;
use crate::out::{self, Picture};
use crate::output::{self, counted, short};
use crate::setup::Setup;

/// Everything that there is to tell.
pub(super) fn findings(args: &CompareArgs, base: &Setup, rows: &[Row], is_whole: bool) -> Findings {
    let (nodes, topology, seed) = (base.nodes, &base.topology, args.seed);
    let title = format!("Elections compared: {nodes} nodes, {topology}");
    let delay = args.delay.to_string();
    let cells: Vec<_> = rows.iter().map(cells).collect();
    Findings {
        json: json!({
            "family": "election", "nodes": nodes, "topology": topology, "seed": seed,
            "delay": delay, "complete": is_whole, "rows": rows,
        }),
        asked: vec![
            ("nodes", nodes.to_string()),
            ("network", topology.clone()),
            ("delay", delay),
            ("runs", args.runs.map_or_else(|| "enough for good means".to_owned(), per_row)),
            ("seed", seed.to_string()),
        ],
        judged: rows.iter().map(judge).collect(),
        is_whole,
        head: &HEAD,
        shown: shown(rows),
        meaning: MEANING.replace('\n', " "),
        lines: for_people(args, base, rows, cells.clone()),
        cells,
        results: results(rows),
        pictures: pictures(&title, rows),
        crashes: Vec::new(),
        title,
    }
}

fn per_row(runs: u32) -> String {
    format!("{runs} for each row")
}

fn judge(row: &Row) -> Judged {
    Judged {
        name: format!("{} ({} start, ids {})", name(row), row.initiators, row.ids),
        agreement: agreement(row.verdict, row.within),
        violation: row.violations.first().cloned(),
    }
}

/// Messages beside their formula: a picture for each way to start and order of ids.
fn pictures(title: &str, rows: &[Row]) -> Vec<Picture> {
    let mut pictures = Vec::new();
    let all = in_order(rows).into_iter().map(|place| &rows[place]).collect::<Vec<_>>();
    for group in all.chunk_by(|a, b| (a.initiators, a.ids) == (b.initiators, b.ids)) {
        let Row { initiators, ids, .. } = group[0];
        let start = match *initiators {
            "all" => "all nodes start".to_owned(),
            number => format!("{number} node starts"),
        };
        let title = format!("{title}; {start}, ids {ids}");
        let measured = group.iter().map(|row| {
            let (mean, margin) = (row.messages_to_elect, row.messages_margin.unwrap_or(0.0));
            (name(row), (mean - margin, mean, mean + margin), row.expected.as_ref())
        });
        let caption = format!("Messages to elect if {start} and ids are {ids}, and the formula.");
        let svg = out::comparison(&title, "messages to elect", measured);
        pictures.push(Picture::new(&format!("{initiators}-{ids}.svg"), caption, svg));
    }
    pictures
}

/// Every row with every digit.
fn results(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "algorithm",
        "variant",
        "year",
        "initiators",
        "ids",
        "runs",
        "messages_to_elect",
        "messages_margin",
        "formula",
        "formula_low",
        "formula_high",
        "agrees",
        "messages_to_announce",
        "time_to_elect",
        "busiest_over_mean",
        "bytes_per_message",
    ]);
    for place in in_order(rows) {
        let row = &rows[place];
        let expected = row.expected.as_ref();
        table.push([
            Cell::from(row.algorithm.as_str()),
            row.variant.into(),
            row.year.into(),
            row.initiators.into(),
            row.ids.into(),
            row.runs.into(),
            row.messages_to_elect.into(),
            row.messages_margin.into(),
            expected.map(|it| it.formula.as_str()).into(),
            expected.map(|it| it.low).into(),
            expected.map(|it| it.high).into(),
            agreement(row.verdict, row.within).into(),
            row.messages_to_announce.into(),
            row.time_to_elect.into(),
            row.busiest_over_mean.into(),
            row.bytes_per_message.into(),
        ]);
    }
    table
}

/// The table of the page: the columns of the terminal, with numbers as numbers.
fn shown(rows: &[Row]) -> Table {
    let mut table = Table::new(HEAD);
    for place in in_order(rows) {
        let row = &rows[place];
        table.push([
            Cell::from(name(row)),
            row.year.into(),
            row.initiators.into(),
            row.ids.into(),
            row.messages_to_elect.into(),
            row.expected.as_ref().map(Expected::to_string).into(),
            agreement(row.verdict, row.within).into(),
            row.messages_to_announce.into(),
            row.time_to_elect.into(),
            row.busiest_over_mean.into(),
            row.bytes_per_message.into(),
        ]);
    }
    table
}

const HEAD: [&str; 11] = [
    "algorithm",
    "year",
    "start",
    "ids",
    "messages",
    "formula",
    "",
    "announce",
    "time",
    "load",
    "bytes",
];

/// The algorithm, and its variant if it is not the usual one.
fn name(row: &Row) -> String {
    match row.variant {
        Some(variant) if !row.is_default => format!("{} {variant}", row.algorithm),
        _ => row.algorithm.clone(),
    }
}

fn cells(row: &Row) -> Vec<String> {
    vec![
        name(row),
        row.year.map_or_else(String::new, |year| year.to_string()),
        row.initiators.to_owned(),
        row.ids.to_owned(),
        short(row.messages_to_elect),
        row.expected.as_ref().map_or_else(String::new, Expected::to_string),
        agreement(row.verdict, row.within).to_owned(),
        short(row.messages_to_announce),
        row.time_to_elect.map_or_else(|| "-".to_owned(), short),
        format!("{:.2}", row.busiest_over_mean),
        format!("{:.1}", row.bytes_per_message),
    ]
}

/// What the columns are, in lines for a terminal.
const MEANING: &str = "\
messages: to elect, the mean of up to 100 runs; formula: what the paper says, and whether it agrees
(a mean within four standard errors); announce: messages that tell the result; time: until the first
node knows it, in T; load: busiest node over mean; bytes: per message. Ids ascend, descend or lie at
random along the numbers of nodes.";

/// To which group a row belongs: one for each way to start and order of ids.
fn group(row: &Row) -> (Option<usize>, Option<usize>) {
    let start = INITIATORS.iter().position(|(name, _)| *name == row.initiators);
    (start, ORDERS.iter().position(|(name, _)| *name == row.ids))
}

/// Group by group, each sorted by messages.
fn in_order(rows: &[Row]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&rows[a], &rows[b]);
        group(a).cmp(&group(b)).then(a.messages_to_elect.total_cmp(&b.messages_to_elect))
    });
    order
}

fn for_people(
    args: &CompareArgs,
    base: &Setup,
    rows: &[Row],
    table: Vec<Vec<String>>,
) -> Vec<String> {
    let mut lines = vec![
        format!(
            "Election, {}, {}, delay {}, seed {}",
            counted(base.nodes.into(), "node", "nodes"),
            base.topology,
            args.delay,
            args.seed
        ),
        String::new(),
    ];
    let order = in_order(rows);
    let sorted = order.iter().map(|&row| table[row].clone()).collect();
    let mut body = as_table(&HEAD, sorted).into_iter();
    lines.extend(body.next());
    let mut last = None;
    for (line, &row) in body.zip(&order) {
        if last.is_some_and(|last| last != group(&rows[row])) {
            lines.push(String::new());
        }
        last = Some(group(&rows[row]));
        lines.push(line);
    }
    lines.push(String::new());
    lines.push(MEANING.to_owned());
    for row in rows.iter().filter(|row| !row.violations.is_empty()) {
        lines.push(format!(
            "{}  {}: {}",
            output::red("violated"),
            row.algorithm,
            row.violations[0]
        ));
    }
    lines
}
