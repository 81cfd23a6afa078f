//! The folder of a run: what it came to, and what happened.

use std::io::BufReader;
use std::path::PathBuf;

use konklave_report::folder::Folder;
use konklave_report::html::{Outcome, Report};
use konklave_report::table::Table;

use super::RunReport;
use crate::failure::Failure;
use crate::out;
use crate::site::Site;

/// Traces of more nodes would fill disks, and pictures of them nobody could read.
const NODES_MAX: u32 = 100;

const TRACE: &str = "trace.jsonl";

/// Where the trace is to be written, if it is.
pub(super) fn trace_path(folder: &Folder, site: &Site) -> Option<PathBuf> {
    (site.nodes() <= NODES_MAX).then(|| folder.file(TRACE))
}

/// Writes everything to the folder; where the report is.
pub(super) fn write(
    report: &RunReport<'_>,
    site: &Site,
    lines: &[String],
    folder: Folder,
) -> Result<String, Failure> {
    let title = format!("{} on a {}", report.algorithm, site.graph().describe());
    let outcome = match (report.verdict, report.ended.is_early()) {
        ("violated", _) => Outcome::Bad,
        (_, true) => Outcome::Open,
        _ => Outcome::Good,
    };
    let sentence = match report.violations.first() {
        Some(violation) => violation.broken.to_string(),
        None => format!("ended by {} at {}", report.ended, report.time),
    };
    let mut page = Report::new(&title)
        .verdict(outcome, report.verdict, &sentence)
        .command(&out::command())
        .section("What it came to")
        .preformatted(&out::plain(lines));
    let mut files = vec![("results.json", "all of this for programs")];
    let mut pictures = vec![out::kinds(&title, &report.messages.by_kind)];
    if let Some(path) = trace_path(&folder, site) {
        let trace = BufReader::new(std::fs::File::open(path)?);
        let account = out::account(trace, site.nodes() as usize)?;
        let mut drawn = out::pictures(site, &account)?;
        drawn.append(&mut pictures);
        pictures = drawn;
        files.push((TRACE, "every step: konklave replay and draw show it"));
    } else {
        page = page.text("There are too many nodes to keep every step; --trace FILE does.");
    }
    page = out::show(&folder, page.section("What happened"), &pictures)?;
    let mut table = Table::new(["kind", "messages"]);
    for (kind, count) in &report.messages.by_kind {
        table.push([kind.clone(), count.to_string()]);
    }
    folder.write("results.csv", table.csv())?;
    files.push(("results.csv", "messages of each kind"));
    folder.write_json("results.json", report)?;
    out::finish(folder, &page.table(&table, "Messages of each kind").files(files))
}
