//! What is in the picture, and what it means.

use super::arrows::{Arrow, Ending};
use super::history::{EventId, EventKind, History, Origin, SpanLook};
use super::paint;
use super::selection::Selection;
use crate::legend::{Legend, SAMPLE};
use crate::svg::Canvas;
use crate::text::Area;

/// An entry for each kind of messages, fates, spans and events that are drawn.
pub(super) fn legend(
    history: &History,
    selection: &Selection,
    arrows: &[Arrow],
    spans: &[(String, SpanLook)],
) -> Legend {
    let mut legend = Legend::default();
    for (kind, name) in history.kinds().into_iter().enumerate() {
        if arrows.iter().any(|arrow| arrow.kind == kind) {
            legend.add(name, sample(Ending::Head, kind, Origin::Sender));
        }
    }
    if let Some(arrow) = arrows.iter().find(|arrow| arrow.origin == Origin::Duplication) {
        legend.add("duplicate", sample(Ending::Head, arrow.kind, Origin::Duplication));
    }
    for (ending, name) in [(Ending::Cross, "lost or missed"), (Ending::Open, "in transit")] {
        if let Some(arrow) = arrows.iter().find(|arrow| arrow.ending == ending) {
            legend.add(name, sample(ending, arrow.kind, Origin::Sender));
        }
    }
    for (name, look) in spans {
        let look = *look;
        legend.add(name, move |canvas, x, y| {
            paint::draw_span(canvas, look, Area::new(x, y - 5.0, x + SAMPLE, y + 5.0));
        });
    }
    let mut seen: Vec<EventKind> = Vec::new();
    for &EventId(event) in &selection.events {
        let kind = history.events[event].kind;
        if let Some(name) = paint::event_name(kind)
            && !seen.contains(&kind)
        {
            seen.push(kind);
            legend.add(name, move |canvas, x, y| {
                paint::draw_event(canvas, kind, (x + SAMPLE / 2.0, y));
            });
        }
    }
    if selection.events.iter().any(|id| history.events[id.0].broken().is_some()) {
        legend.add("broken promise", |canvas, x, y| {
            paint::draw_star(canvas, (x + SAMPLE / 2.0, y));
        });
    }
    legend
}

fn sample(ending: Ending, kind: usize, origin: Origin) -> impl Fn(&mut Canvas, f64, f64) {
    move |canvas, x, y| {
        let cross = if ending == Ending::Cross { 6.0 } else { 0.0 };
        let (from, to) = ((x, y), (x + SAMPLE - cross, y));
        let (bend, labels, tip) = (0.0, Vec::new(), String::new());
        paint::draw_arrow(canvas, &Arrow { from, to, bend, ending, kind, origin, labels, tip });
    }
}
