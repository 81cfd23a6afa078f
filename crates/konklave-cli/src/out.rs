//! What the folders of `--out` have in common.

use std::collections::BTreeMap;
use std::io::BufRead;

use konklave_draw::Axis;
use konklave_draw::chart::{Distribution, Load, Stacked};
use konklave_report::account::{Account, SpanKind, labels, read};
use konklave_report::folder::Folder;
use konklave_report::html::Report;
use konklave_report::network::{Roles, picture};
use konklave_report::spacetime;

use crate::failure::Failure;
use crate::site::Site;

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

/// The command line that was given, for people who want to do it again.
pub(crate) fn command() -> String {
    let words =
        std::env::args().skip(1).map(|word| match word.contains([' ', '*', '(', '"', '<']) {
            true => format!("'{}'", word.replace('\'', "'\\''")),
            false => word,
        });
    format!("konklave {}", words.collect::<Vec<_>>().join(" "))
}

/// Writes pictures to their files and into the page.
pub(crate) fn show(
    folder: &Folder,
    mut page: Report,
    pictures: &[Picture],
) -> Result<Report, Failure> {
    for picture in pictures {
        folder.write(&picture.name, &picture.svg)?;
        page = page.picture(&picture.svg, &picture.caption);
    }
    Ok(page)
}

/// Finishes the folder; where the report is.
pub(crate) fn finish(folder: Folder, page: &Report) -> Result<String, Failure> {
    Ok(folder.finish(page)?.report.display().to_string())
}

/// What happened in a trace, header and all.
pub(crate) fn account(trace: impl BufRead, nodes: usize) -> Result<Account, Failure> {
    let recorded = read(trace).map_err(|error| Failure::bad(error.to_string()))?;
    let nodes = recorded.nodes().unwrap_or(nodes);
    Account::new(&recorded.lines, nodes).map_err(|error| Failure::bad(error.to_string()))
}

/// The names of a site's nodes.
pub(crate) fn names(site: &Site) -> Vec<String> {
    let ids: Vec<u32> = site.ids().iter().map(|id| id.0).collect();
    labels(site.nodes() as usize, Some(&ids[..]).filter(|ids| !ids.is_empty()))
}

/// The pictures of what happened.
pub(crate) fn pictures(site: &Site, account: &Account) -> Result<Vec<Picture>, Failure> {
    let title = format!("{} on a {}", site.entry().name, site.graph().describe());
    let options = spacetime::Options { labels: names(site), ..spacetime::Options::default() };
    let diagram = spacetime::picture(&title, account, &options).map_err(Failure::bad)?;
    let topology = &site.setup().topology;
    let network = picture(&title, site.graph(), topology, &Roles::at_the_end(account));
    let mut all = vec![
        Picture::new(
            "spacetime.svg",
            "What happened: a line per node, time to the right.",
            diagram,
        ),
        Picture::new("network.svg", "The network, and what nodes were at the end.", network),
    ];
    all.extend(waiting(&title, account));
    all.push(load(&title, account));
    Ok(all)
}

/// How long nodes waited, if any did.
fn waiting(title: &str, account: &Account) -> Option<Picture> {
    let mut times: BTreeMap<u64, u64> = BTreeMap::new();
    for span in account.spans.iter().filter(|span| span.kind == SpanKind::Waiting) {
        if let Some(to) = span.to {
            let time = account.events[to].at - account.events[span.from].at;
            *times.entry(time).or_default() += 1;
        }
    }
    let sample: Vec<_> = times.into_iter().map(|(time, count)| (time as f64, count)).collect();
    (!sample.is_empty()).then(|| {
        let chart = Distribution::new(title).x("waiting time, in ticks", Axis::Auto);
        let chart = chart.sample("all nodes", sample);
        Picture::new("waiting.svg", "How long nodes waited to enter.", chart.svg())
    })
}

/// How many messages each node sent and received.
fn load(title: &str, account: &Account) -> Picture {
    let mut loads = vec![0.0; account.nodes];
    for message in &account.messages {
        loads[message.from] += 1.0;
        loads[message.to] += 1.0;
    }
    let chart = Load::new(title, "messages sent and received", loads);
    Picture::new("load.svg", "The load of each node, the busiest first.", chart.svg())
}

/// Messages of each kind, in one bar.
pub(crate) fn kinds(title: &str, by_kind: &BTreeMap<String, u64>) -> Picture {
    let chart = Stacked::new(title, by_kind.keys().cloned().collect::<Vec<_>>())
        .label("messages")
        .bar("all nodes", by_kind.values().map(|count| *count as f64).collect::<Vec<_>>());
    Picture::new("kinds.svg", "Messages of each kind.", chart.svg())
}
