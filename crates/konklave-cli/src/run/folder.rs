//! The folder of a run: its report, pictures, figures and trace.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use konklave_catalog::quantity::{Chain, Formation, Series, Tie};
use konklave_catalog::site::Site;
use konklave_draw::formation::{self, List};
use konklave_report::folder::Folder;
use konklave_report::html::{HtmlReport, Mark};
use konklave_report::network::{self, Roles};
use konklave_report::over_time::{self, Window};
use konklave_report::table::{Cell, Table};
use konklave_report::{convergence, stored};
use serde_json::Value;

use super::summary::RunSummary;
use super::{RunOutcome, is_fifo, told};
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::out::{self, Picture};

/// Traces of more nodes fill the disk, and their pictures are illegible.
const NODES_MAX: u32 = 100;
/// Pictures of networks with more nodes are illegible.
const NETWORK_MAX: u32 = 400;
/// Files of networks with more edges fill the disk.
const EDGES_MAX: u64 = 100_000;

/// The largest number of windows in which a run is shown over time.
const WINDOWS: u64 = 50;

const TRACE: &str = "trace.jsonl";

/// The path of the trace, if one is written.
pub(super) fn trace_path(folder: &Folder, site: &Site) -> Option<PathBuf> {
    (site.nodes() <= NODES_MAX).then(|| folder.file(TRACE))
}

/// Writes the report, its pictures and its data to the folder; returns the path of the report.
pub(super) fn write(
    report: &RunSummary<'_>,
    args: &RunArgs,
    site: &Site,
    lines: &[String],
    trace: Option<&Path>,
    folder: Folder,
) -> Result<String, Failure> {
    let title = format!("{} on a {}", report.algorithm, site.graph().describe());
    let mut page = begin(report, args, site, lines, &title);
    let mut files = vec![
        ("results.csv", "one row with every figure"),
        ("results.json", "the same for programs"),
    ];
    let mut pictures = match trace.filter(|path| site.nodes() <= NODES_MAX && !out::is_output(path))
    {
        Some(path) => {
            let trace =
                File::open(path).map_err(|it| Failure::file("read the trace", path, &it))?;
            let account = out::account(BufReader::new(trace), site)?;
            let t = args.delay.mean();
            let windows = over_time::windows(&account, WINDOWS);
            folder.write("over_time.csv", over_time::table(&windows, t).csv())?;
            files.push(("over_time.csv", "the run in windows of time"));
            let mut pictures = out::pictures(site, &account)?;
            pictures.extend(plots_over_time(&title, &windows, t));
            pictures
        }
        None => without_trace(report, site, &title),
    };
    pictures.extend(report.problem.measures.series.iter().map(|it| developed(&title, it)));
    pictures
        .extend(report.problem.measures.formation.iter().flat_map(|it| formed(&title, site, it)));
    pictures.extend(converged(report, &title, &folder, &mut files)?);
    pictures.extend(kept(report, &title, &folder, &mut files)?);
    pictures.push(out::load(&title, &report.messages.per_node));
    pictures.push(out::kinds(&title, &report.messages.by_kind));
    match (trace, &args.trace) {
        (Some(_), None) => {
            files.push((TRACE, "every step, for `konklave replay` and `konklave draw`"))
        }
        (_, Some(path)) if out::is_output(path) => {}
        (_, Some(path)) => page = page.text(&format!("Every step is in {}.", path.display())),
        (None, None) => {
            page = page.text(
                "There are too many nodes to keep every step here: --trace FILE writes them all.",
            );
        }
    }
    page = out::show(&folder, page.section("What happened"), &pictures)?;
    if site.graph().edges() <= EDGES_MAX {
        folder.write("network.dot", site.graph().to_dot())?;
        folder.write("network.graphml", site.graph().to_graphml())?;
        files.push(("network.dot", "the network for Graphviz, and for --topology file:"));
        files.push(("network.graphml", "the network for yEd, Gephi, NetworkX and others"));
    }
    let mut table = Table::new(["kind", "messages"]);
    for (kind, count) in &report.messages.by_kind {
        table.push([Cell::from(kind.as_str()), Cell::from(*count)]);
    }
    folder.write("results.csv", figures(report)?.csv())?;
    folder.write_json("results.json", &told(report, args, site))?;
    out::finish(folder, &page.table(&table, "Messages of each kind").files(files))
}

/// The beginning of the page: what came of the run.
fn begin(
    report: &RunSummary<'_>,
    args: &RunArgs,
    site: &Site,
    lines: &[String],
    title: &str,
) -> HtmlReport {
    let mark = match report.verdict {
        RunOutcome::Violated => Mark::Bad,
        RunOutcome::Inconclusive => Mark::Open,
        RunOutcome::Ok => Mark::Good,
    };
    let sentence = match report.violations.first() {
        Some(violation) => violation.broken.to_string(),
        None => format!("ended by {} at {}", report.ended, report.time),
    };
    HtmlReport::new(title)
        .verdict(mark, report.verdict.name(), &sentence)
        .asked(asked(args, site))
        .command(&out::command())
        .section("Results")
        .preformatted(&out::plain(lines))
}

/// The configuration of the run: the options given, and the defaults that they imply.
fn asked(args: &RunArgs, site: &Site) -> Vec<(String, String)> {
    let faults = &args.faults;
    let text = |it: Option<&dyn ToString>| it.map_or(String::new(), ToString::to_string);
    let common = [
        ("algorithm", site.entry().name.clone()),
        ("network", site.graph().describe()),
        ("seed", site.setup().seed.to_string()),
        ("delay", args.delay.to_string()),
        ("order", if is_fifo(args, site) { "FIFO" } else { "any" }.to_owned()),
    ];
    let options = args.options.iter().map(|(name, value)| (name.replace('-', " "), value.clone()));
    let wrong = [
        ("loss", text(faults.loss.as_ref().map(|it| it as _))),
        ("duplicates", text(faults.duplicate.as_ref().map(|it| it as _))),
        ("reordering", text(faults.reorder.as_ref().map(|it| it as _))),
        ("crashes", list(&faults.crash)),
        ("pauses", list(&faults.pause)),
        ("partitions", list(&faults.partition)),
        ("corruption", list(&faults.corrupt)),
    ];
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    let mut asked: Vec<_> =
        common.map(owned).into_iter().chain(options).chain(wrong.map(owned)).collect();
    asked.retain(|(_, text)| !text.is_empty());
    asked
}

fn list(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Plots of a run over time, if it takes any.
fn plots_over_time(title: &str, windows: &[Window], t: f64) -> Vec<Picture> {
    let Some(Window { from, to, .. }) = windows.first().filter(|_| windows.len() > 1) else {
        return Vec::new();
    };
    let window = crate::output::counted(to - from, "tick", "ticks");
    let crowd =
        format!("Messages in transit, and nodes that wait, averaged over windows of {window}.");
    let mut all = vec![Picture::new("over_time.svg", crowd, over_time::crowd(title, windows))];
    if windows.iter().any(|window| window.granted > 0) {
        let rate = format!("Requests granted per T, in windows of {window}.");
        all.push(Picture::new("rate.svg", rate, over_time::rate(title, windows, t)));
    }
    all
}

/// How a quantity developed.
fn developed(title: &str, Series { quantity, over, values }: &Series) -> Picture {
    let (name, words) = (format!("{}.svg", quantity.name), quantity.words());
    let svg = over_time::series(title, (over, &format!("{words}, in {}", quantity.unit)), values);
    Picture::new(&name, format!("{words}, {over} by {over}."), svg)
}

/// A file of the folder, and what it holds.
type Listed = (&'static str, &'static str);

/// How a self-stabilising system became legal, and the data of that.
fn converged(
    report: &RunSummary<'_>,
    title: &str,
    folder: &Folder,
    files: &mut Vec<Listed>,
) -> Result<Option<Picture>, Failure> {
    if report.course.is_empty() {
        return Ok(None);
    }
    folder.write("rounds.csv", convergence::table(report.course).csv())?;
    files.push(("rounds.csv", "what nodes knew and sent in each round"));
    let caption = "How the system became legal, round by round.";
    let svg = convergence::picture(title, report.course);
    Ok(Some(Picture::new("convergence.svg", caption, svg)))
}

/// What members store in the end, and the data of that.
fn kept(
    report: &RunSummary<'_>,
    title: &str,
    folder: &Folder,
    files: &mut Vec<Listed>,
) -> Result<Option<Picture>, Failure> {
    let kept = report.problem.measures.stored.iter();
    let kept: Vec<_> = kept.map(|it| (it.keys, it.share)).collect();
    if kept.is_empty() {
        return Ok(None);
    }
    folder.write("stored.csv", stored::table(&kept).csv())?;
    files.push(("stored.csv", "the keys of each member in the end, and its share"));
    let caption = "The keys that each member stores in the end, beside its share of all keys.";
    Ok(Some(Picture::new("stored.svg", caption, stored::picture(title, &kept))))
}

/// The network that the nodes have formed, and its levels, if it has any.
fn formed(title: &str, site: &Site, formation: &Formation) -> Vec<Picture> {
    let Formation { places, ties, levels } = formation;
    let index: BTreeMap<_, _> = places.iter().map(|(node, _)| *node).zip(0..).collect();
    let labels = || places.iter().map(|(node, _)| node.to_string());
    let mut picture =
        formation::Formation::new(title, places.iter().map(|(_, place)| *place)).labels(labels());
    for (a, b, tie) in ties {
        picture = picture.ties(drawn(*tie), [(index[a], index[b])]);
    }
    let name = format!("{}.svg", site.entry().problem.name);
    let caption = "Which nodes know each other in the end, at their positions on the circle.";
    let mut pictures = vec![Picture::new(&name, caption, picture.svg())];
    if !levels.is_empty() {
        let list = |chain: &Chain| List {
            name: chain.name.clone(),
            nodes: chain.nodes.iter().map(|node| index[node]).collect(),
            ties: chain.ties.iter().map(|tie| drawn(*tie)).collect(),
        };
        let rows: Vec<Vec<List>> =
            levels.iter().map(|chains| chains.iter().map(list).collect()).collect();
        let caption = "The list of each prefix, one row a level, the nodes in their order.";
        pictures.push(Picture::new("levels.svg", caption, picture.levels(&rows)));
    }
    pictures
}

fn drawn(tie: Tie) -> formation::Tie {
    match tie {
        Tie::Legal => formation::Tie::Legal,
        Tie::Surplus => formation::Tie::Surplus,
        Tie::Missing => formation::Tie::Missing,
    }
}

/// The pictures of a run whose steps were not kept.
fn without_trace(report: &RunSummary<'_>, site: &Site, title: &str) -> Vec<Picture> {
    let mut pictures = Vec::new();
    if site.nodes() <= NETWORK_MAX {
        let holders = report.problem.measures.holders.iter().map(|node| node.index());
        let held = site.entry().problem.words.held;
        let roles = Roles { held, holders: holders.collect(), ..Roles::default() };
        let svg = network::picture(title, site.graph(), &roles);
        pictures.push(Picture::new("network.svg", "The network.", svg));
    }
    for (quantity, histogram) in &report.problem.measures.histograms {
        if !histogram.is_empty() {
            let label = format!("{}, in {}", quantity.words(), quantity.unit);
            pictures.push(out::waiting_picture(title, &label, site, histogram.clone()));
        }
    }
    pictures
}

/// One row with every figure; nested fields are named `outer.inner`.
fn figures(report: &RunSummary<'_>) -> Result<Table, Failure> {
    let mut all = Vec::new();
    let value = serde_json::to_value(report).map_err(std::io::Error::from)?;
    collect("", &value, &mut all);
    let (names, cells): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    Ok(Table::new(names).row(cells))
}

fn collect(name: &str, value: &Value, all: &mut Vec<(String, Cell)>) {
    let cell = match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let within = if name.is_empty() { String::new() } else { format!("{name}.") };
                collect(&format!("{within}{field}"), value, all);
            }
            return;
        }
        // Lists, such as waiting nodes and violations, are only in the JSON.
        Value::Array(_) => return,
        Value::Null => Cell::Empty,
        Value::Bool(is) => Cell::from(is.to_string()),
        Value::String(text) => Cell::from(text.as_str()),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => Cell::from(whole),
            (None, number) => Cell::from(number),
        },
    };
    all.push((name.to_owned(), cell));
}
