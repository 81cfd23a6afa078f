use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::account::{Account, Fate, Message, What};

/// The regular expression by which ShiViz takes the log apart: a line with the host and its vector
/// clock as JSON, then a line that tells the event.
pub const SHIVIZ: &str = r"(?<host>\S*) (?<clock>\{.*\})\n(?<event>.*)";

/// A log for ShiViz, <https://bestchai.bitbucket.io/shiviz/>: the file that its "Upload a log"
/// takes.
///
/// The first line is [`SHIVIZ`], the second, which would tell several executions apart, is empty,
/// and then come two lines per event. A clock has an entry for every node that is known of; a
/// node's own entry counts its events from one. Messages that reach crashed nodes cause nothing,
/// and events that do not belong to a single node are left out, except a broken promise beside the
/// event before it.
///
/// The log grows with the product of events and nodes, so it is written event by event; `go_on` is
/// told how many are done, and decides whether to go on.
///
/// # Errors
///
/// If the log cannot be written.
pub fn shiviz(
    account: &Account,
    out: &mut dyn Write,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> io::Result<()> {
    let mut arrivals: BTreeMap<usize, &Message> = BTreeMap::new();
    let mut sent: BTreeMap<usize, Vec<&Message>> = BTreeMap::new();
    for message in &account.messages {
        if let Fate::Arrived(event) = message.fate {
            arrivals.insert(event, message);
        }
        if let Some(event) = message.sent {
            sent.entry(event).or_default().push(message);
        }
    }
    let mut clocks: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); account.nodes];
    // The clocks that messages carry, kept until all of an event's messages have arrived.
    let mut carried: BTreeMap<usize, (BTreeMap<usize, u64>, usize)> = BTreeMap::new();
    writeln!(out, "{SHIVIZ}\n")?;
    // The last event, which a broken promise may still be added to.
    let mut last = String::new();
    for (index, event) in account.events.iter().enumerate() {
        if event.what == What::Violation && !last.is_empty() {
            last.push_str(&format!(" [broken: {}]", one_line(&event.label)));
        }
        if !go_on(index) {
            break;
        }
        let Some(node) = event.node.filter(|_| event.what != What::Missed) else { continue };
        let arrived = arrivals.get(&index).copied();
        if let Some(cause) = arrived.and_then(|message| message.sent) {
            hear(&mut clocks[node], &mut carried, cause);
        }
        *clocks[node].entry(node).or_default() += 1;
        let messages = sent.get(&index).map_or(&[][..], Vec::as_slice);
        let arriving = messages.iter().filter(|it| matches!(it.fate, Fate::Arrived(_))).count();
        if arriving > 0 {
            carried.insert(index, (clocks[node].clone(), arriving));
        }
        if !last.is_empty() {
            writeln!(out, "{last}")?;
        }
        let told = tell(event.what, &event.label, arrived, messages);
        last = format!("{} {}\n{}", host(node), clock(&clocks[node]), one_line(&told));
    }
    if !last.is_empty() {
        writeln!(out, "{last}")?;
    }
    out.flush()
}

/// Takes over what the sender knew when it sent.
fn hear(
    mine: &mut BTreeMap<usize, u64>,
    carried: &mut BTreeMap<usize, (BTreeMap<usize, u64>, usize)>,
    cause: usize,
) {
    let Some((theirs, left)) = carried.get_mut(&cause) else { return };
    for (&node, &count) in theirs.iter() {
        let entry = mine.entry(node).or_default();
        *entry = count.max(*entry);
    }
    *left -= 1;
    if *left == 0 {
        carried.remove(&cause);
    }
}

fn host(node: usize) -> String {
    format!("node{node}")
}

fn clock(entries: &BTreeMap<usize, u64>) -> String {
    let entry = |(node, count): (&usize, &u64)| format!("\"{}\":{count}", host(*node));
    format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
}

/// The event in words: what arrived or was asked, what was told, what was sent.
fn tell(what: What, label: &str, arrived: Option<&Message>, sent: &[&Message]) -> String {
    let name = match what {
        What::Start => "starts",
        What::Timer => "times out:",
        What::Crash => "crashes",
        What::Restart => "restarts",
        What::Pause => "pauses",
        What::Resume => "resumes",
        _ => "",
    };
    let mut parts = Vec::new();
    if let Some(message) = arrived {
        let forged = if message.sent.is_none() { " (forged)" } else { "" };
        parts.push(format!("receives {} from {}{forged}", message.text, message.from));
    }
    let label = [name, label].join(" ");
    parts.extend(Some(label.trim().to_owned()).filter(|label| !label.is_empty()));
    // Copies of a duplicated message are one message here.
    let mut last = None;
    for message in
        sent.iter().filter(|message| last.replace(message.number) != Some(message.number))
    {
        let lost = if message.fate == Fate::Lost { " (lost)" } else { "" };
        parts.push(format!("sends {} to {}{lost}", message.text, message.to));
    }
    parts.join("; ")
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
