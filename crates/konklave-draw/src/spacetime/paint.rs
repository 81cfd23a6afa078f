//! Draws the parts of a space-time diagram.

use super::arrows::{Arrow, Ending};
use super::history::{EventKind, Origin, SpanLook};
use crate::style::{self, kind_look};
use crate::svg::{Canvas, Font, Px};
use crate::text::Area;

/// Labels inside the diagram.
pub(super) const SMALL: Font = Font { size: 10, class: "k-ink k-halo" };

/// Numbers of events.
pub(super) const NUMBER: Font = Font { size: 8, class: "k-soft k-halo" };

/// The class of the `n`th kind of messages: the first is solid.
fn message_line(n: usize) -> String {
    match n {
        0 => kind_look(n).line(),
        _ => format!("{} {}", kind_look(n).line(), style::formula_dash(n - 1)),
    }
}

/// An arrow with its head, its cross, or neither.
pub(super) fn draw_arrow(canvas: &mut Canvas, arrow: &Arrow) {
    let class = message_line(arrow.kind);
    let heading = arrow.heading();
    // The tip touches the event's dot, not its middle.
    let back = if arrow.ending == Ending::Head { 4.0 } else { 0.0 };
    let end = (arrow.to.0 - back * heading.0, arrow.to.1 - back * heading.1);
    match arrow.ending {
        // Dots, whatever the kind: it is nowhere yet.
        Ending::Open => {
            let class = format!("{} k-open k-d2", kind_look(arrow.kind).line());
            draw_way(canvas, &class, arrow, end);
        }
        Ending::Onward => draw_whole_way(canvas, &class, arrow, end),
        Ending::Head => {
            draw_whole_way(canvas, &class, arrow, end);
            draw_head(canvas, arrow.kind, end, heading);
        }
        Ending::Cross => {
            draw_whole_way(canvas, &class, arrow, end);
            draw_cross(canvas, &kind_look(arrow.kind).line(), end, 4.5);
        }
    }
}

/// The line of a message, or the two of a duplicate.
fn draw_whole_way(canvas: &mut Canvas, class: &str, arrow: &Arrow, end: (f64, f64)) {
    match arrow.origin {
        Origin::Sender => draw_way(canvas, &format!("{class} k-thin"), arrow, end),
        Origin::Duplication => {
            draw_way(canvas, &format!("{class} k-wide"), arrow, end);
            draw_way(canvas, "k-core", arrow, end);
        }
    }
}

/// The line of an arrow, up to its end.
fn draw_way(canvas: &mut Canvas, class: &str, arrow: &Arrow, end: (f64, f64)) {
    if arrow.bend == 0.0 {
        return canvas.line(class, arrow.from, end);
    }
    let ((x1, y1), (x2, y2), (cx, cy)) = (arrow.from, end, arrow.control());
    let data = format!("M{} {}Q{} {} {} {}", Px(x1), Px(y1), Px(cx), Px(cy), Px(x2), Px(y2));
    canvas.put(format_args!(r#"<path class="{class}" d="{data}"/>"#));
}

fn draw_head(canvas: &mut Canvas, kind: usize, (x, y): (f64, f64), (dx, dy): (f64, f64)) {
    let (length, half) = (8.0, 3.2);
    let base = (x - length * dx, y - length * dy);
    let wings = [
        (base.0 - half * dy, base.1 + half * dx),
        (x, y),
        (base.0 + half * dy, base.1 - half * dx),
    ];
    let class = kind_look(kind).fill();
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
        EventKind::Violation => draw_star(canvas, at),
    }
}

/// Here a promise breaks.
pub(super) fn draw_star(canvas: &mut Canvas, at: (f64, f64)) {
    let spike = |spike: u32| {
        let angle = f64::from(spike) * std::f64::consts::PI / 10.0;
        let reach = if spike.is_multiple_of(2) { 1.0 } else { 0.6 };
        (reach * libm::sin(angle), -reach * libm::cos(angle))
    };
    let spikes: Vec<_> = (0..20).map(spike).collect();
    style::polygon(canvas, "k-alarm k-rim", &spikes, at, 11.0);
}

/// What an event's symbol means; nothing for those that need no explanation here.
pub(super) fn event_name(kind: EventKind) -> Option<&'static str> {
    match kind {
        EventKind::Step | EventKind::Missed | EventKind::Mark | EventKind::Violation => None,
        EventKind::Command => Some("command"),
        EventKind::Timer => Some("timer"),
        EventKind::Crash => Some("crash"),
        EventKind::Restart => Some("restart"),
        EventKind::Pause => Some("pause"),
        EventKind::Resume => Some("resume"),
    }
}

/// A stretch of a node's line.
pub(super) fn draw_span(canvas: &mut Canvas, look: SpanLook, area: Area) {
    match look {
        SpanLook::Holds => canvas.rect(&style::HOLDS.fill(), area, 2.0),
        SpanLook::Waits => {
            canvas.rect(&style::WAITS.tint(), area, 2.0);
            let class = format!("{} k-thin k-d2", style::WAITS.line());
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
