//! A comparison of mutual exclusion, in every form in which it is told.

use konklave_report::table::{Cell, Table};
use konklave_sim::workload::mutex::Demand;
use serde_json::json;

use super::super::{CompareArgs, Findings, Judged, agreement, as_table};
use super::{Row, entries, inside, load};
use crate::entry::Expected;
use crate::out::{self, Picture};
use crate::output::{self, counted, short};

/// Everything that there is to tell.
pub(super) fn findings(args: &CompareArgs, rows: &[Row], is_whole: bool) -> Findings {
    let title = format!("Mutual exclusion compared: {} nodes, {} load", args.nodes, load(args));
    let (family, nodes, seed) = (&args.family, args.nodes, args.seed);
    let on_average = if load(args) == Demand::Light { ", on average" } else { "" };
    let (load, delay) = (load(args).to_string(), args.delay.to_string());
    let cells: Vec<_> = rows.iter().map(cells).collect();
    Findings {
        json: json!({
            "family": family, "nodes": nodes, "load": load, "seed": seed, "delay": delay,
            "complete": is_whole, "rows": rows,
        }),
        asked: vec![
            ("nodes", nodes.to_string()),
            ("load", load),
            ("entries", format!("{} of each node{on_average}", entries(args))),
            ("critical section", format!("{} ticks", inside(args))),
            ("delay", delay),
            ("seed", seed.to_string()),
        ],
        judged: rows.iter().map(judge).collect(),
        is_whole,
        head: &HEAD,
        shown: shown(rows),
        meaning: MEANING.replace('\n', " "),
        lines: for_people(args, rows, cells.clone()),
        cells,
        results: results(rows),
        pictures: pictures(&title, rows),
        crashes: crashes(rows).collect(),
        title,
    }
}

fn judge(row: &Row) -> Judged {
    Judged {
        name: row.name(),
        agreement: agreement(row.verdict, row.within),
        violation: row.violations.first().cloned(),
    }
}

/// Messages beside their formula, and times where there are any.
fn pictures(title: &str, rows: &[Row]) -> Vec<Picture> {
    type Quantity = fn(&Row) -> Option<f64>;
    let messages = rows.iter().filter_map(|row| {
        let mean = row.messages_per_entry?;
        Some((row.name(), (mean, mean, mean), row.expected.as_ref()))
    });
    let mut pictures = vec![Picture::new(
        "comparison.svg",
        "Messages per entry: measured, beside the formula where there is one.",
        out::comparison(title, "messages per entry", messages),
    )];
    let times: [(&str, &str, Quantity); 2] = [
        ("coordination.svg", "from a release to the next entry", |row| row.coordination_delay),
        ("waiting.svg", "from asking to entering", |row| row.waiting_time),
    ];
    for (file, span, quantity) in times {
        let measured = rows.iter().filter_map(|row| Some((row, quantity(row)?)));
        let mut measured = measured.peekable();
        if measured.peek().is_some() {
            let bars = measured.map(|(row, mean)| (row.name(), (mean, mean, mean), None));
            let svg = out::comparison(title, &format!("time {span}, in T"), bars);
            pictures.push(Picture::new(file, format!("Mean time {span}."), svg));
        }
    }
    pictures
}

/// Every row with every digit.
fn results(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "algorithm",
        "variant",
        "year",
        "network",
        "messages_per_entry",
        "formula",
        "formula_low",
        "formula_high",
        "agrees",
        "coordination_delay",
        "coordination_delay_max",
        "waiting_time",
        "waiting_time_p99",
        "response_time",
        "overtakings_max",
        "busiest_over_mean",
        "bytes_per_message",
    ]);
    for row in rows {
        let expected = row.expected.as_ref();
        table.push([
            Cell::from(row.algorithm.as_str()),
            row.variant.into(),
            row.year.into(),
            row.needs.network.to_string().into(),
            row.messages_per_entry.into(),
            expected.map(|it| it.formula.as_str()).into(),
            expected.map(|it| it.low).into(),
            expected.map(|it| it.high).into(),
            agreement(row.verdict, row.within).into(),
            row.coordination_delay.into(),
            row.coordination_delay_max.into(),
            row.waiting_time.into(),
            row.waiting_time_p99.into(),
            row.response_time.into(),
            row.overtakings_max.into(),
            row.busiest_over_mean.into(),
            row.bytes_per_message.into(),
        ]);
    }
    table
}

/// The table of the page: the columns of the terminal, with numbers as numbers.
fn shown(rows: &[Row]) -> Table {
    let mut table = Table::new(HEAD);
    for row in rows {
        table.push([
            Cell::from(row.name()),
            row.year.into(),
            row.needs.network.to_string().into(),
            row.messages_per_entry.into(),
            row.expected.as_ref().map(Expected::to_string).into(),
            agreement(row.verdict, row.within).into(),
            row.coordination_delay.into(),
            row.waiting_time.into(),
            row.waiting_time_p99.into(),
            row.overtakings_max.into(),
            row.busiest_over_mean.into(),
            row.bytes_per_message.into(),
        ]);
    }
    table
}

const HEAD: [&str; 12] = [
    "algorithm",
    "year",
    "network",
    "messages",
    "formula",
    "",
    "delay",
    "wait",
    "p99",
    "overtaken",
    "load",
    "bytes",
];

fn cells(row: &Row) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
    let formula = row.expected.as_ref().map_or_else(String::new, Expected::to_string);
    vec![
        row.name(),
        row.year.map_or_else(String::new, |year| year.to_string()),
        row.needs.network.to_string(),
        number(row.messages_per_entry),
        formula,
        agreement(row.verdict, row.within).to_owned(),
        number(row.coordination_delay),
        number(row.waiting_time),
        number(row.waiting_time_p99),
        row.overtakings_max.to_string(),
        format!("{:.2}", row.busiest_over_mean),
        format!("{:.1}", row.bytes_per_message),
    ]
}

/// What the columns are, in lines for a terminal.
const MEANING: &str = "\
messages: per entry; formula: what the paper says, and whether it agrees; delay: from a release to
the next entry, in T; wait: from asking to entering, in T, mean and 99th percentile; overtaken: most
entries of others during one wait; load: busiest node over mean; bytes: per message.";

/// What a crash does to each algorithm that says so.
fn crashes(rows: &[Row]) -> impl Iterator<Item = (String, String)> + '_ {
    let crashes = rows.iter().filter(|row| row.is_default);
    crashes.filter_map(|row| Some((row.algorithm.clone(), row.crash.clone()?)))
}

fn for_people(args: &CompareArgs, rows: &[Row], table: Vec<Vec<String>>) -> Vec<String> {
    let mut lines = vec![
        format!(
            "Mutual exclusion, {}, {} load, delay {}, seed {}",
            counted(args.nodes.into(), "node", "nodes"),
            load(args),
            args.delay,
            args.seed
        ),
        String::new(),
    ];
    lines.extend(as_table(&HEAD, table));
    lines.push(String::new());
    lines.push(MEANING.to_owned());
    lines.push(String::new());
    lines.push(output::bold("What a crash does"));
    lines.extend(crashes(rows).map(|(name, crash)| format!("  {name}: {crash}")));
    for row in rows.iter().filter(|row| !row.violations.is_empty()) {
        lines.push(format!("{}  {}: {}", output::red("violated"), row.name(), row.violations[0]));
    }
    lines
}
