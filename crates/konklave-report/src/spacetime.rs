//! A trace as a space-time diagram.

use konklave::trace::Line;
use konklave_draw::spacetime::{self, Diagram, EventId, EventKind, History, SpanLook};
use konklave_stage::erased::Erased;

use crate::account::{
    Account, Event, Fate, Message, SpanKind, TraceError, Vocabulary, What, labels,
};

/// The maximum number of events of an excerpt.
pub const EVENTS: usize = 300;
/// The maximum number of arrows of an excerpt: more of them become one block.
pub const ARROWS: usize = 400;

/// The maximum number of nodes of an excerpt: more lines do not fit a screen.
pub const NODES: usize = 100;

/// What is drawn. Nothing set means everything, up to [`EVENTS`] events, [`ARROWS`] arrows and
/// [`NODES`] nodes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Leaves out what happened before this time.
    pub from: Option<u64>,
    /// Leaves out what happened after this time.
    pub to: Option<u64>,
    /// Leaves out all other nodes.
    pub nodes_only: Option<Vec<usize>>,
    /// Leaves out what cannot have led to the event of this step.
    pub causal: Option<usize>,
    /// The names of the nodes; their numbers if it is empty.
    pub labels: Vec<String>,
    /// Places events by time, and not just in order.
    pub proportional: bool,
    /// Writes the numbers of steps beside events.
    pub numbers: bool,
    /// Breaks the diagram into rows that make it at most this wide.
    pub width: Option<u32>,
}

impl Options {
    /// Whether certain events are asked for, so that none of them may be left out.
    fn is_window(&self) -> bool {
        self.from.is_some() || self.to.is_some() || self.causal.is_some()
    }

    /// These options, in words.
    fn words(&self) -> String {
        let nodes = self.nodes_only.as_ref().map(|nodes| {
            let nodes: Vec<_> = nodes.iter().map(usize::to_string).collect();
            format!("at nodes {}", nodes.join(", "))
        });
        let parts = [
            self.from.map(|from| format!("from {from} on")),
            self.to.map(|to| format!("up to {to}")),
            nodes,
            self.causal.map(|step| format!("that led to step {step}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// A picture, and what is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The picture.
    pub svg: String,
    /// A note about parts that were left out by default, and the options that show them.
    pub cut: Option<String>,
}

/// What an event looks like.
fn kind(what: What) -> EventKind {
    match what {
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
    }
}

/// The history that an account tells. Events have the same numbers in both.
pub fn history(account: &Account, names: &[String]) -> History {
    let names = labels(account.nodes, None)
        .into_iter()
        .enumerate()
        .map(|(node, number)| names.get(node).cloned().unwrap_or(number));
    let mut history = History::new(names);
    // What is some event's fault is told there, and not after it.
    let is_told = |event: &&Event| event.what == What::Violation && account.guilty.is_some();
    for event in account.events.iter().filter(|event| !is_told(event)) {
        let kind = kind(event.what);
        let id = match event.node {
            Some(node) => history.event(event.at, node, kind, &event.label),
            None => history.event_of_all(event.at, kind, &event.label),
        };
        history.number(id, event.number);
        history.brief(&event.brief);
    }
    let broken = account.end.as_ref().and_then(|end| end.broken.as_ref());
    if let (Some(event), Some(broken)) = (account.guilty, broken) {
        history.breaks(EventId(event), broken.to_string());
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
            (None, _) => continue,
        }
        history.label(&message.label);
        if message.is_duplicate {
            history.duplicate();
        }
    }
    // Bars get their colours in order: so what is held looks the same in all pictures.
    let mut spans: Vec<_> = account.spans.iter().collect();
    spans.sort_by_key(|span| span.kind as u8);
    for span in spans {
        let look = match span.kind {
            SpanKind::Waiting => SpanLook::Waits,
            SpanKind::Held => SpanLook::Holds,
            SpanKind::Crashed => SpanLook::Crashed,
            SpanKind::Paused => SpanLook::Paused,
        };
        let (from, to) = (Some(EventId(span.from)), span.to.map(EventId));
        // What is waited for stands in the command.
        let label = if span.kind == SpanKind::Waiting { "" } else { &span.label };
        history.span(span.node, from, to, look, account.vocabulary.name(span.kind), label);
    }
    for shade in &account.shades {
        history.shade(Some(EventId(shade.from)), shade.to.map(EventId), &shade.label);
    }
    history
}

/// A space-time diagram. If there is too much to be read and no window is given, it is an excerpt
/// and says so: what led to the event that broke a promise, or else the beginning, or else what led
/// to the first event at which a node got what it asked for.
///
/// # Errors
///
/// If there is no such step or node as the options ask for, or nothing at all.
pub fn picture(title: &str, account: &Account, options: &Options) -> Result<Picture, String> {
    let wanted = options.nodes_only.iter().flatten();
    if let Some(node) = wanted.copied().find(|node| *node >= account.nodes) {
        let last = account.nodes.saturating_sub(1);
        return Err(format!("there is no node {node}: nodes are numbered 0 to {last}"));
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
    if let Some(step) = options.causal {
        diagram = diagram.causal(EventId(numbered(account, step)?));
    }
    if options.proportional {
        diagram = diagram.proportional();
    }
    if options.numbers {
        diagram = diagram.numbers();
    }
    if let Some(width) = options.width {
        diagram = diagram.width(width);
    }
    if account.is_in_steps {
        diagram = diagram.in_steps();
    }
    if account.end.is_none() {
        diagram = diagram.note("The trace is truncated: its end is missing.");
    }
    if diagram.size().0 == 0 && !account.events.is_empty() {
        let times = account.events.iter().map(|event| event.at);
        let (first, last) = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
        let words = options.words();
        return Err(format!("there are no events {words}: the trace goes from {first} to {last}"));
    }
    Ok(match options.is_window() {
        true => Picture { svg: diagram.svg(), cut: None },
        false => excerpt(diagram, account),
    })
}

/// The event of a step.
fn numbered(account: &Account, step: usize) -> Result<usize, String> {
    account.numbered(step).ok_or_else(|| {
        let numbers = account.events.iter().filter(|event| event.node.is_some());
        match numbers.map(|event| event.number).max() {
            None => format!("there is no step {step}: the trace has no steps"),
            Some(last) if step > last => format!("there is no step {step}: the last is {last}"),
            Some(_) => format!("step {step} has no effects, so it has no causal past"),
        }
    })
}

/// As much of a diagram as can be read.
fn excerpt(whole: Diagram<'_>, account: &Account) -> Picture {
    let fits = |diagram: &Diagram<'_>| {
        let (events, arrows) = diagram.size();
        events <= EVENTS && arrows <= ARROWS && diagram.lines() <= NODES
    };
    if fits(&whole) {
        return Picture { svg: whole.svg(), cut: None };
    }
    let events = account.events.len();
    let beginning = |count: usize| whole.clone().first(count);
    let first = most_that_fit(events, |count| fits(&beginning(count)));
    let is_broken = account.end.as_ref().is_some_and(|end| end.broken.is_some());
    // A beginning without a message that arrives shows nothing of the algorithm.
    let arrives = |message: &Message| matches!(message.fate, Fate::Arrived(event) if event < first);
    let after = if account.messages.iter().any(arrives) { 0 } else { first };
    let goal = account.guilty.or_else(|| first_goal(account, after).filter(|_| !is_broken));
    let (part, what) = match goal {
        Some(goal) if account.guilty.is_some() || goal >= first => {
            let past = |count: usize| whole.clone().causal(EventId(goal)).last(count);
            let last = most_that_fit(events, |count| fits(&past(count)));
            let event = &account.events[goal];
            let about = if is_broken { "the broken promise" } else { event.label.as_str() };
            (past(last), format!("the causal past of {about} in step {}", event.number))
        }
        None if is_broken => {
            let end = |count: usize| whole.clone().last(count);
            (end(most_that_fit(events, |count| fits(&end(count)))), "the end".to_owned())
        }
        _ => (beginning(first), "the beginning".to_owned()),
    };
    let (shown, _) = part.size();
    let cut = format!(
        "This is {what}: {shown} of {events} events, because more could not be read. \
         konklave draw shows other parts: --from and --to, --nodes-only, --causal STEP."
    );
    Picture { svg: part.note(&cut).svg(), cut: Some(cut) }
}

/// The most events up to a limit that fit; one at least. The more events, the more arrows: so they
/// are found by halving.
fn most_that_fit(limit: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (1, limit.max(1));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// The first event from this one on at which a node got what it asked for.
fn first_goal(account: &Account, after: usize) -> Option<usize> {
    let held = account.spans.iter().filter(|span| span.kind == SpanKind::Held);
    held.map(|span| span.from).filter(|event| *event >= after).min()
}

/// The same, straight from the lines of a trace.
///
/// # Errors
///
/// If a line speaks of a node that does not exist, or the options do, or of such an event.
pub fn diagram(
    title: &str,
    lines: &[Line<Erased>],
    nodes: usize,
    vocabulary: Vocabulary,
    options: &Options,
) -> Result<Picture, String> {
    let account = Account::new(lines, nodes, vocabulary);
    let account = account.map_err(|error: TraceError| error.to_string())?;
    picture(title, &account, options)
}
