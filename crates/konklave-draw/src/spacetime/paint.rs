//! Draws the parts of a space-time diagram.

use super::arrows::{Arrow, Ending};
use super::history::{EventKind, SpanLook};
use crate::style::{self, Look};
use crate::svg::{Canvas, Font, Px};
use crate::text::Area;

/// Labels inside the diagram.
pub(super) const SMALL: Font = Font { size: 10, class: "k-ink k-halo" };

/// Colours of messages, then of spans: those that lie far apart come first, and a diagram with few
/// kinds has none in common.
const MESSAGES: [usize; 8] = [0, 1, 3, 6, 5, 7, 2, 4];
const SPANS: [usize; 8] = [2, 4, 5, 3, 7, 0, 1, 6];

fn shuffled(order: [usize; 8], n: usize) -> Look {
    Look(order[n % order.len()] + n / order.len() * order.len())
}

/// The look of the `n`th kind of messages.
pub(super) fn message_look(n: usize) -> Look {
    shuffled(MESSAGES, n)
}

/// The class of the `n`th kind of messages: the first is solid.
fn message_line(n: usize) -> String {
    match n {
        0 => message_look(n).line(),
        _ => format!("{} {}", message_look(n).line(), style::formula_dash(n - 1)),
    }
}

/// The name of a kind of spans, and how it is drawn.
pub(super) type SpanKind = (String, SpanLook);

/// The colour of the `n`th of all kinds of spans; only some have one.
fn span_look(kinds: &[SpanKind], n: usize) -> Look {
    let has_colour = |kind: &&SpanKind| matches!(kind.1, SpanLook::Holds | SpanLook::Waits);
    shuffled(SPANS, kinds[..n].iter().filter(has_colour).count())
}

/// An arrow with its head, its cross, or neither.
pub(super) fn draw_arrow(canvas: &mut Canvas, arrow: &Arrow) {
    let class = message_line(arrow.kind);
    let heading = arrow.heading();
    // The tip touches the event's dot, not its middle.
    let back = if arrow.ending == Ending::Head { 4.0 } else { 0.0 };
    let end = (arrow.to.0 - back * heading.0, arrow.to.1 - back * heading.1);
    match arrow.ending {
        Ending::Fade => {
            let mut from = arrow.from;
            for (part, fade) in [(0.4, ""), (0.6, "k-fade1"), (0.8, "k-fade2"), (1.0, "k-fade3")] {
                let to = arrow.at(part);
                canvas.line(format!("{class} k-thin {fade}").trim_end(), from, to);
                from = to;
            }
            return;
        }
        _ if arrow.bend == 0.0 => canvas.line(&format!("{class} k-thin"), arrow.from, end),
        _ => {
            let ((x1, y1), (x2, y2), (cx, cy)) = (arrow.from, end, arrow.control());
            let data =
                format!("M{} {}Q{} {} {} {}", Px(x1), Px(y1), Px(cx), Px(cy), Px(x2), Px(y2));
            canvas.put(format_args!(r#"<path class="{class} k-thin" d="{data}"/>"#));
        }
    }
    match arrow.ending {
        Ending::Head => draw_head(canvas, arrow.kind, end, heading),
        _ => draw_cross(canvas, &message_look(arrow.kind).line(), end, 4.5),
    }
}

fn draw_head(canvas: &mut Canvas, kind: usize, (x, y): (f64, f64), (dx, dy): (f64, f64)) {
    let (length, half) = (8.0, 3.2);
    let base = (x - length * dx, y - length * dy);
    let wings = [
        (base.0 - half * dy, base.1 + half * dx),
        (x, y),
        (base.0 + half * dy, base.1 - half * dx),
    ];
    let class = message_look(kind).fill();
    canvas.put(format_args!(r#"<path class="{class}" d="{}Z"/>"#, crate::svg::route(&wings)));
}

fn draw_cross(canvas: &mut Canvas, class: &str, (x, y): (f64, f64), reach: f64) {
    let class = format!("{class} k-bold");
    canvas.line(&class, (x - reach, y - reach), (x + reach, y + reach));
    canvas.line(&class, (x - reach, y + reach), (x + reach, y - reach));
}

/// The symbol of an event.
pub(super) fn draw_event(canvas: &mut Canvas, kind: EventKind, at: (f64, f64)) {
    let (x, y) = at;
    let polygon = style::polygon;
    match kind {
        EventKind::Step => canvas.circle("k-ink", at, 3.0),
        EventKind::Command => polygon(canvas, "k-ink", style::DOWN, at, 5.0),
        EventKind::Timer => polygon(canvas, "k-hollow", style::SQUARE, at, 4.5),
        EventKind::Crash => draw_cross(canvas, "k-ink-line", at, 5.0),
        EventKind::Restart => canvas.circle("k-hollow", at, 5.0),
        EventKind::Pause => {
            canvas.line("k-ink-line k-bold", (x - 2.5, y - 6.0), (x - 2.5, y + 6.0));
            canvas.line("k-ink-line k-bold", (x + 2.5, y - 6.0), (x + 2.5, y + 6.0));
        }
        EventKind::Resume => {
            polygon(canvas, "k-hollow", &[(-0.8, -1.1), (1.2, 0.0), (-0.8, 1.1)], at, 5.0);
        }
        EventKind::Missed => {}
        EventKind::Mark => polygon(canvas, "k-hollow", style::DIAMOND, at, 4.5),
        EventKind::Violation => {
            let spikes: Vec<_> = (0..20)
                .map(|spike| {
                    let angle = f64::from(spike) * std::f64::consts::PI / 10.0;
                    let reach = if spike % 2 == 0 { 1.0 } else { 0.6 };
                    (reach * libm::sin(angle), -reach * libm::cos(angle))
                })
                .collect();
            polygon(canvas, "k-alarm k-rim", &spikes, at, 10.0);
        }
    }
}

/// What an event's symbol means; nothing for those that need no explanation.
pub(super) fn event_name(kind: EventKind) -> Option<&'static str> {
    match kind {
        EventKind::Step | EventKind::Missed | EventKind::Mark => None,
        EventKind::Command => Some("command"),
        EventKind::Timer => Some("timer"),
        EventKind::Crash => Some("crash"),
        EventKind::Restart => Some("restart"),
        EventKind::Pause => Some("pause"),
        EventKind::Resume => Some("resume"),
        EventKind::Violation => Some("broken promise"),
    }
}

/// A stretch of a node's line, of the `n`th of all kinds.
pub(super) fn draw_span(canvas: &mut Canvas, kinds: &[SpanKind], n: usize, area: Area) {
    let colour = span_look(kinds, n);
    match kinds[n].1 {
        SpanLook::Holds => {
            canvas.rect(&colour.fill(), area, 2.0);
        }
        SpanLook::Waits => {
            canvas.rect(&colour.tint(), area, 2.0);
            let class = format!("{} k-thin k-d2", colour.line());
            canvas.line(&class, (area.left, area.top), (area.right, area.top));
            canvas.line(&class, (area.left, area.bottom), (area.right, area.bottom));
        }
        SpanLook::Crashed => {
            canvas.rect("k-dead", area, 0.0);
            let strokes = style::hatch(1, area);
            canvas.put(format_args!(r#"<path class="k-edge" d="{strokes}"/>"#));
        }
        SpanLook::Paused => canvas.rect("k-hollow k-thin k-d2", area, 0.0),
    }
}
