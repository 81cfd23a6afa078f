//! A trace as a space-time diagram.

use konklave::trace::Line;
use konklave_draw::spacetime::{self, Diagram, EventId, EventKind, History, SpanLook};
use konklave_sim::words::Words;

use crate::account::{Account, Fate, SpanKind, TraceError, What, labels};

/// So many events are drawn if nobody asks for certain ones.
pub const EVENTS: usize = 300;

/// What is drawn. Nothing set means everything, up to [`EVENTS`] events.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Leaves out what happened before this time.
    pub from: Option<u64>,
    /// Leaves out what happened after this time.
    pub to: Option<u64>,
    /// Leaves out all other nodes.
    pub nodes_only: Option<Vec<usize>>,
    /// Leaves out what cannot have led to this event, as numbered in pictures.
    pub causal: Option<usize>,
    /// The names of the nodes; their numbers if it is empty.
    pub labels: Vec<String>,
    /// Places events by time, and not just in order.
    pub proportional: bool,
}

impl Options {
    /// Whether certain events are asked for, so that none of them may be left out.
    fn is_window(&self) -> bool {
        self.from.is_some() || self.to.is_some() || self.causal.is_some()
    }
}

/// The history that an account tells. Events have the same numbers in both.
pub fn history(account: &Account, names: &[String]) -> History {
    let names = labels(account.nodes, None)
        .into_iter()
        .enumerate()
        .map(|(node, number)| names.get(node).cloned().unwrap_or(number));
    let mut history = History::new(names);
    for event in &account.events {
        let kind = match event.what {
            What::Start | What::Receive => EventKind::Step,
            What::Command => EventKind::Command,
            What::Timer => EventKind::Timer,
            What::Crash => EventKind::Crash,
            What::Restart => EventKind::Restart,
            What::Pause => EventKind::Pause,
            What::Resume => EventKind::Resume,
            What::Missed => EventKind::Missed,
            What::Spoilt | What::Turn => EventKind::Mark,
            What::Violation => EventKind::Violation,
        };
        match event.node {
            Some(node) => history.event(event.at, node, kind, &event.label),
            None => history.event_of_all(event.at, kind, &event.label),
        };
    }
    for message in &account.messages {
        let fate = match message.fate {
            Fate::Arrived(event) => spacetime::Fate::Arrived(EventId(event)),
            Fate::Missed(event) => spacetime::Fate::Missed(EventId(event)),
            Fate::Lost => spacetime::Fate::Lost,
            Fate::InFlight => spacetime::Fate::InFlight,
        };
        let (kind, text) = (&message.kind, &message.text);
        match (message.sent, message.fate) {
            (Some(sent), _) => history.message(EventId(sent), message.to, fate, kind, text),
            (None, Fate::Arrived(event)) => {
                history.forged(message.from, EventId(event), kind, text);
            }
            (None, _) => {}
        }
    }
    // Bars get their colours in order: so what is held looks the same in all pictures.
    let mut spans: Vec<_> = account.spans.iter().collect();
    spans.sort_by_key(|span| span.kind as u8);
    for span in spans {
        let look = match span.kind {
            SpanKind::Waiting => SpanLook::Waits,
            SpanKind::Inside | SpanKind::Booked | SpanKind::Leading => SpanLook::Holds,
            SpanKind::Crashed => SpanLook::Crashed,
            SpanKind::Paused => SpanLook::Paused,
        };
        let (from, to) = (Some(EventId(span.from)), span.to.map(EventId));
        // What is waited for stands in the command.
        let label = if span.kind == SpanKind::Waiting { "" } else { &span.label };
        history.span(span.node, from, to, look, span.kind.name(), label);
    }
    for shade in &account.shades {
        history.shade(Some(EventId(shade.from)), shade.to.map(EventId), &shade.label);
    }
    history
}

/// A space-time diagram as SVG. If it would be too long and no window is given, it shows the first
/// [`EVENTS`] events, or the last if a promise was broken, and says so.
///
/// # Errors
///
/// If there is no such event or node as the options ask for.
pub fn picture(title: &str, account: &Account, options: &Options) -> Result<String, String> {
    if let Some(event) = options.causal.filter(|event| *event >= account.events.len()) {
        return Err(match account.events.len() {
            0 => format!("there is no event {event}: nothing happened"),
            events => format!("there is no event {event}: they go from 0 to {}", events - 1),
        });
    }
    let wanted = options.nodes_only.iter().flatten();
    if let Some(node) = wanted.copied().find(|node| *node >= account.nodes) {
        let last = account.nodes.saturating_sub(1);
        return Err(format!("there is no node {node}: they go from 0 to {last}"));
    }
    let history = history(account, &options.labels);
    let mut diagram = Diagram::new(title, &history);
    if let Some(from) = options.from {
        diagram = diagram.from(from);
    }
    if let Some(to) = options.to {
        diagram = diagram.to(to);
    }
    if let Some(nodes) = &options.nodes_only {
        diagram = diagram.nodes_only(nodes.iter().copied());
    }
    if let Some(event) = options.causal {
        diagram = diagram.causal(EventId(event));
    }
    if options.proportional {
        diagram = diagram.proportional();
    }
    if account.end.is_none() {
        diagram = diagram.note("The trace was cut off: its end is missing.");
    }
    if !options.is_window() && account.events.len() > EVENTS {
        let is_broken = account.end.as_ref().is_some_and(|end| end.broken.is_some());
        diagram = if is_broken { diagram.last(EVENTS) } else { diagram.first(EVENTS) };
    }
    Ok(diagram.svg())
}

/// The same, straight from the lines of a trace.
///
/// # Errors
///
/// If a line speaks of a node that does not exist, or the options do, or of such an event.
pub fn diagram(
    title: &str,
    lines: &[Line<Words>],
    nodes: usize,
    options: &Options,
) -> Result<String, String> {
    let account = Account::new(lines, nodes).map_err(|error: TraceError| error.to_string())?;
    picture(title, &account, options)
}
