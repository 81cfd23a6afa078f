//! The arrows of messages.

use super::history::{EventId, Fate, History, Message, Origin};
use super::layout::Layout;
use crate::places::Line;

/// How an arrow ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// In an arrowhead at an event.
    Head,
    /// In a cross, somewhere on the way.
    Cross,
    /// At the border: it has not ended when the picture does.
    Open,
    /// At the border: it continues in the next row.
    Onward,
}

/// A message in the picture.
#[derive(Clone, Debug)]
pub(super) struct Arrow {
    pub(super) from: (f64, f64),
    pub(super) to: (f64, f64),
    /// How far the middle is above a straight line.
    pub(super) bend: f64,
    pub(super) ending: Ending,
    /// The number of its kind among all of the history.
    pub(super) kind: usize,
    pub(super) origin: Origin,
    /// What to write along it, the best first.
    pub(super) labels: Vec<String>,
    pub(super) tip: String,
}

impl Arrow {
    /// The point that pulls the curve towards it.
    pub(super) fn control(&self) -> (f64, f64) {
        let ((x1, y1), (x2, y2)) = (self.from, self.to);
        ((x1 + x2) / 2.0, (y1 + y2) / 2.0 - 2.0 * self.bend)
    }

    /// The point at a part of the way.
    pub(super) fn at(&self, part: f64) -> (f64, f64) {
        let mix =
            |a: (f64, f64), b: (f64, f64)| (a.0 + part * (b.0 - a.0), a.1 + part * (b.1 - a.1));
        if self.bend == 0.0 {
            return mix(self.from, self.to);
        }
        let control = self.control();
        mix(mix(self.from, control), mix(control, self.to))
    }

    /// The arrow as straight lines, near enough.
    pub(super) fn lines(&self) -> Vec<Line> {
        let parts = if self.bend == 0.0 { 1 } else { 4 };
        let at = |part: u32| self.at(f64::from(part) / f64::from(parts));
        (0..parts).map(|part| (at(part), at(part + 1))).collect()
    }

    /// The direction in which the arrow ends, of length one.
    pub(super) fn heading(&self) -> (f64, f64) {
        let (x, y) = if self.bend == 0.0 { self.from } else { self.control() };
        let (dx, dy) = (self.to.0 - x, self.to.1 - y);
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        (dx / length, dy / length)
    }
}

/// The arrows of all messages that can be drawn, and how many messages are left out of whose ends
/// one is drawn.
pub(super) fn arrows(history: &History, layout: &Layout, keeps_cut: bool) -> (Vec<Arrow>, usize) {
    let kinds = history.kinds();
    let mut arrows = Vec::new();
    let mut left_out = 0;
    for message in &history.messages {
        let Some((from, to, ending)) = ends(layout, message, keeps_cut) else {
            left_out += usize::from(has_drawn_end(layout, message));
            continue;
        };
        let kind = kinds.binary_search(&message.kind.as_str()).expect("all kinds are there");
        // On one line an arc keeps clear of it; the more so the longer it is.
        let bend =
            if from.1 == to.1 { (layout.row * 0.3).min(8.0 + (to.0 - from.0) * 0.06) } else { 0.0 };
        let labels = [message.label.as_str(), message.short_kind()];
        let labels = labels.into_iter().filter(|it| !it.is_empty()).map(str::to_owned).collect();
        let (origin, tip) = (message.origin, tip(history, message));
        arrows.push(Arrow { from, to, bend, ending, kind, origin, labels, tip });
    }
    (arrows, left_out)
}

fn has_drawn_end(layout: &Layout, message: &Message) -> bool {
    [message.from, message.fate.place()]
        .into_iter()
        .flatten()
        .any(|event| layout.x(event).is_some())
}

type Ends = ((f64, f64), (f64, f64), Ending);

/// Where a message begins and ends. With `keeps_cut`, one that begins or ends at a time that is
/// left out comes from the border, or goes there.
fn ends(layout: &Layout, message: &Message, keeps_cut: bool) -> Option<Ends> {
    let (y1, y2) = (layout.y(message.from_node)?, layout.y(message.to_node)?);
    if let (Some(from), Some(to)) = (message.from, message.fate.place())
        && let (Some(x1), Some(x2)) = (layout.extended_x(from), layout.extended_x(to))
    {
        let ends = ((x1, y1), (x2, y2), ending_of(message.fate));
        return layout.has_part(from, to).then(|| within_row(layout, (from, to), ends));
    }
    let start = message.from.and_then(|from| layout.x(from));
    let arrival = message.fate.place();
    if let Some(x2) = arrival.and_then(|to| layout.x(to)) {
        let ending = ending_of(message.fate);
        let from = match (start, message.from) {
            (Some(x1), _) => (x1, y1),
            (None, Some(_)) if keeps_cut => (layout.left, y1),
            (None, Some(_)) => return None,
            // A forged message has no origin, but comes from the direction of its alleged sender.
            (None, None) => {
                let reach = (y1 - y2).clamp(-layout.row * 0.45, layout.row * 0.45);
                (x2 - layout.pitch * 0.7, y2 + reach)
            }
        };
        return Some((from, (x2, y2), ending));
    }
    let x1 = start?;
    if arrival.is_some() && !keeps_cut {
        return None;
    }
    if message.fate != Fate::Lost {
        return Some(((x1, y1), (layout.right, y2), Ending::Open));
    }
    // The receiver's line is not reached. Arrows that begin together part, because each goes the
    // same part of its way, if the way is not too long.
    let reach = 0.6 * (y2 - y1).clamp(-layout.row * 5.0, layout.row * 5.0);
    let end = (x1 + layout.pitch * 0.8).min(layout.right);
    Some(((x1, y1), (end, y1 + reach), Ending::Cross))
}

fn ending_of(fate: Fate) -> Ending {
    if matches!(fate, Fate::Missed(_)) { Ending::Cross } else { Ending::Head }
}

/// The part of an arrow between two events that lies in this row: what comes from the row before,
/// or goes to the next, crosses the border at the same height in both.
fn within_row(layout: &Layout, (from, to): (EventId, EventId), ends: Ends) -> Ends {
    let ((x1, y1), (x2, y2), ending) = ends;
    let height = |x: f64| y1 + ((x - x1) / (x2 - x1)).clamp(0.0, 1.0) * (y2 - y1);
    let border = |x: f64| (x, height(x));
    let start = layout.x(from).map_or_else(|| border(layout.left), |x| (x, y1));
    match layout.x(to) {
        Some(x) => (start, (x, y2), ending),
        None => (start, border(layout.right), Ending::Onward),
    }
}

fn tip(history: &History, message: &Message) -> String {
    let (from, to) = (&history.nodes[message.from_node], &history.nodes[message.to_node]);
    let time = |id: EventId| history.events[id.0].time;
    let sent = match message.from {
        Some(event) => format!("sent at {}", time(event)),
        None => "forged: no node sent it".to_owned(),
    };
    let fate = match message.fate {
        Fate::Arrived(event) => format!("arrived at {}", time(event)),
        Fate::Missed(event) => format!("missed at {} by a node that was down", time(event)),
        Fate::Lost => "lost".to_owned(),
        Fate::InFlight => "still in transit at the end".to_owned(),
    };
    let copy = match message.origin {
        Origin::Sender => "",
        Origin::Duplication => "duplicate of ",
    };
    format!("{copy}{} from {from} to {to}, {sent}, {fate}", message.tip)
}
