//! The common parts of the folders of `--out`.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use konklave_catalog::expected::Expected;
use konklave_catalog::problem::About;
use konklave_catalog::site::Site;
use konklave_draw::Axis;
use konklave_draw::chart::{Comparison, Distribution, Load, Stacked};
use konklave_report::account::{Account, SpanKind, Vocabulary, labels, read};
use konklave_report::folder::{Finished, Folder};
use konklave_report::html::HtmlReport;
use konklave_report::network::{self, Roles};
use konklave_report::spacetime;

use crate::failure::Failure;
use crate::input;

/// A picture, the name of its file, and what it shows.
pub(crate) struct Picture {
    pub(crate) name: String,
    pub(crate) caption: String,
    pub(crate) svg: String,
}

impl Picture {
    pub(crate) fn new(name: &str, caption: impl Into<String>, svg: String) -> Self {
        Self { name: name.to_owned(), caption: caption.into(), svg }
    }
}

/// The command line of this process, to reproduce the report.
pub(crate) fn command() -> String {
    format!("konklave {}", arguments())
}

/// The arguments of this process, quoted for a shell.
pub(crate) fn arguments() -> String {
    line(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()))
}

/// A line of these words, quoted for a shell.
pub(crate) fn line(words: impl Iterator<Item = String>) -> String {
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

/// Opens a file to write; `-` is standard output.
pub(crate) fn create(path: &Path) -> io::Result<Box<dyn Write>> {
    Ok(match is_output(path) {
        true => Box::new(io::stdout()),
        false => Box::new(File::create(path)?),
    })
}

/// Whether a path means standard output.
pub(crate) fn is_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Opens a trace, from standard input if its name is `-`; with its size in bytes, if that is known.
pub(crate) fn open_trace(path: &Path) -> Result<(Box<dyn BufRead>, Option<u64>), Failure> {
    if is_output(path) {
        return Ok((Box::new(input::lined(io::stdin().lock())), None));
    }
    let file = File::open(path).map_err(|error| Failure::file("read the trace", path, &error))?;
    // A pipe has no length.
    let length = file.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len());
    Ok((Box::new(input::lined(file)), length))
}

/// Refuses a file of this option and a JSON report that would both be written to standard output.
pub(crate) fn refuse_two_on_output(
    name: &str,
    path: Option<&Path>,
    is_json: bool,
) -> Result<(), Failure> {
    match is_json && path.is_some_and(is_output) {
        false => Ok(()),
        true => Err(Failure::bad(format!(
            "--{name} - and --json both write to standard output: write the {name} to a file"
        ))),
    }
}

/// Refuses options that would write to the same file, where the last would be all that is left.
pub(crate) fn refuse_shared(files: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let mut taken: Vec<(&str, PathBuf)> = Vec::new();
    for (name, path) in files {
        let Some(path) = path else { continue };
        let file = if is_output(path) { path.to_path_buf() } else { resolved(path) };
        if let Some((other, _)) = taken.iter().find(|(_, it)| *it == file) {
            return Err(Failure::bad(format!(
                "--{other} and --{name} both write to {}: give each a file of its own",
                path.display()
            )));
        }
        taken.push((name, file));
    }
    Ok(())
}

/// The file that a path leads to, also by links; a file that does not exist yet lies in its folder.
fn resolved(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_path_buf())
}

/// Checks that a file can be written, without changing its content or leaving an empty file.
///
/// # Errors
///
/// If the file cannot be written. `doing` describes the purpose, as in `write the schedule`.
pub(crate) fn ensure_writable(doing: &str, path: &Path) -> Result<(), Failure> {
    if is_output(path) {
        return Ok(());
    }
    let is_new = !path.exists();
    let opened = File::options().append(true).create(true).open(path);
    opened.map_err(|error| Failure::file(doing, path, &error))?;
    if is_new {
        let _ = fs::remove_file(path); // If it cannot be removed, it is empty.
    }
    Ok(())
}

/// Quotes a word for a shell, if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./:,=@+%".contains(it);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Joins lines for a terminal to one text without colours.
pub(crate) fn plain(lines: &[String]) -> String {
    let text = lines.join("\n");
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    // A colour ends with its first `m`.
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// Writes pictures to their files and into the page.
pub(crate) fn show(
    folder: &Folder,
    mut page: HtmlReport,
    pictures: &[Picture],
) -> Result<HtmlReport, Failure> {
    for picture in pictures {
        folder.write(&picture.name, &picture.svg)?;
        page = page.picture(&picture.svg, &picture.caption);
    }
    Ok(page)
}

/// Finishes the folder; returns the path of the report.
pub(crate) fn finish(folder: Folder, page: &HtmlReport) -> Result<String, Failure> {
    let Finished { report, foreign, .. } = folder.finish(page)?;
    if let Some(path) = foreign {
        eprintln!("{} is no link to a report, and was left as it is", path.display());
    }
    Ok(report.display().to_string())
}

/// Reads the account of a trace of a site, with its header.
pub(crate) fn account(trace: impl BufRead, site: &Site) -> Result<Account, Failure> {
    let recorded = read(trace).map_err(|error| Failure::bad(error.to_string()))?;
    let nodes = recorded.nodes().unwrap_or(site.nodes() as usize);
    Account::new(&recorded.lines, nodes, vocabulary(site.entry().problem))
        .map_err(|error| Failure::bad(error.to_string()))
}

/// The terms of a problem that pictures use.
pub(crate) fn vocabulary(problem: &About) -> Vocabulary {
    Vocabulary {
        command: problem.senses.command,
        event: problem.senses.event,
        held: problem.words.held,
        is_exclusive: problem.words.is_exclusive,
    }
}

/// The names of a site's nodes.
pub(crate) fn names(site: &Site) -> Vec<String> {
    let ids: Vec<u32> = site.ids().iter().map(|id| id.0).collect();
    labels(site.nodes() as usize, Some(&ids[..]).filter(|ids| !ids.is_empty()))
}

/// The algorithm and its network.
pub(crate) fn title(site: &Site) -> String {
    format!("{} on a {}", site.entry().name, site.graph().describe())
}

/// The space-time diagram of a run, in a file of this name.
pub(crate) fn diagram(name: &str, site: &Site, account: &Account) -> Result<Picture, Failure> {
    let options = spacetime::Options { labels: names(site), ..spacetime::Options::default() };
    let drawn = spacetime::picture(&title(site), account, &options).map_err(Failure::bad)?;
    let what = "Space-time diagram: a line per node, time to the right.";
    let caption = drawn.cut.map_or_else(|| what.to_owned(), |cut| format!("{what} {cut}"));
    Ok(Picture::new(name, caption, drawn.svg))
}

/// The network, with the final role of each node.
pub(crate) fn network(site: &Site, account: &Account) -> Picture {
    let mut roles = Roles::at_the_end(account);
    if !site.ids().is_empty() {
        roles.labels = names(site);
    }
    let svg = network::picture(&format!("At the end: {}", title(site)), site.graph(), &roles);
    Picture::new("network.svg", "The network, and the final role of each node.", svg)
}

/// The pictures of a run whose steps are known.
pub(crate) fn pictures(site: &Site, account: &Account) -> Result<Vec<Picture>, Failure> {
    let title = title(site);
    let mut all = vec![diagram("spacetime.svg", site, account)?, network(site, account)];
    all.extend(waiting(&title, site, account));
    Ok(all)
}

/// The distribution of waiting times, if any node waited.
fn waiting(title: &str, site: &Site, account: &Account) -> Option<Picture> {
    let mut times: BTreeMap<u64, u64> = BTreeMap::new();
    for span in account.spans.iter().filter(|span| span.kind == SpanKind::Waiting) {
        if let Some(to) = span.to {
            let time = account.events[to].at - account.events[span.from].at;
            *times.entry(time).or_default() += 1;
        }
    }
    let sample: Vec<_> = times.into_iter().map(|(time, count)| (time as f64, count)).collect();
    (!sample.is_empty()).then(|| waiting_picture(title, "waiting time, in ticks", site, sample))
}

/// The distribution of these waiting times.
pub(crate) fn waiting_picture(
    title: &str,
    label: &str,
    site: &Site,
    times: Vec<(f64, u64)>,
) -> Picture {
    let chart = Distribution::new(title).x(label, Axis::Auto).sample("all nodes", times);
    let caption = format!("How long nodes waited {}.", site.entry().problem.words.waits);
    Picture::new("waiting.svg", caption, chart.svg())
}

/// How many messages each node sent and received.
pub(crate) fn load(title: &str, loads: &[u32]) -> Picture {
    let loads = loads.iter().map(|load| f64::from(*load));
    let chart = Load::new(title, "messages sent and received", loads);
    Picture::new("load.svg", "The load of each node, the busiest first.", chart.svg())
}

/// A chart with a row for each algorithm: the mean with its confidence interval, and the formula,
/// if there is one.
pub(crate) fn comparison<'a>(
    title: &str,
    label: &str,
    rows: impl IntoIterator<Item = (String, (f64, f64, f64), Option<&'a Expected>)>,
) -> String {
    let mut chart = Comparison::new(title).label(label, Axis::Auto);
    for (name, measured, expected) in rows {
        let ends = |it: &Expected| it.value().map_or((it.low, it.high), |value| (value, value));
        chart = chart.row(name, measured, expected.map(ends));
    }
    chart.svg()
}

/// Messages of each kind, in one bar.
pub(crate) fn kinds(title: &str, by_kind: &BTreeMap<String, u64>) -> Picture {
    let chart = Stacked::new(title, by_kind.keys().cloned().collect::<Vec<_>>())
        .label("messages")
        .bar("all nodes", by_kind.values().map(|count| *count as f64).collect::<Vec<_>>());
    Picture::new("kinds.svg", "Messages of each kind.", chart.svg())
}

/// A sentence begins with a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_given_to_a_shell() {
        assert_eq!(quoted("uniform:1..10"), "uniform:1..10");
        assert_eq!(quoted("out/first"), "out/first");
        assert_eq!(quoted("messages>=n"), "'messages>=n'");
        assert_eq!(quoted("$HOME;x"), "'$HOME;x'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn pages_have_no_colours_of_terminals() {
        let lines = ["\x1b[32mok\x1b[0m  ended".to_owned(), "\x1b[1mmaekawa\x1b[0m".to_owned()];
        assert_eq!(plain(&lines), "ok  ended\nmaekawa");
        assert_eq!(plain(&["some minimum".to_owned()]), "some minimum");
    }
}
