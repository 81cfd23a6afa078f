use super::arrows::{Arrow, Ending, arrows};
use super::history::{EventId, EventKind, History};
use super::layout::Layout;
use super::paint::{self, SMALL, SpanKind};
use super::selection::{Filter, Selection};
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::places::Room;
use crate::svg::{Anchor, Font};
use crate::text::{self, Area};

/// A picture of a history, or of a part of it.
#[derive(Clone, Debug)]
pub struct Diagram<'a> {
    history: &'a History,
    title: String,
    filter: Filter,
    is_proportional: bool,
    notes: Vec<String>,
}

impl<'a> Diagram<'a> {
    /// A picture of everything.
    pub fn new(title: impl Into<String>, history: &'a History) -> Self {
        let (filter, notes) = (Filter::default(), Vec::new());
        Self { history, title: title.into(), filter, is_proportional: false, notes }
    }

    /// Leaves out what happened before a time.
    pub fn from(mut self, time: u64) -> Self {
        self.filter.from = Some(time);
        self
    }

    /// Leaves out what happened after a time.
    pub fn to(mut self, time: u64) -> Self {
        self.filter.to = Some(time);
        self
    }

    /// Leaves out all other nodes, and messages to and from them.
    pub fn nodes_only(mut self, nodes: impl IntoIterator<Item = usize>) -> Self {
        self.filter.nodes = Some(nodes.into_iter().collect());
        self
    }

    /// Leaves out what cannot have led to an event: everything but [`History::past`].
    ///
    /// # Panics
    ///
    /// [`Self::svg`] does, if there is no such event.
    pub fn causal(mut self, event: EventId) -> Self {
        self.filter.causal = Some(event);
        self
    }

    /// Draws only the first of the events that are not left out already.
    pub fn first(mut self, events: usize) -> Self {
        self.filter.first = Some(events);
        self
    }

    /// Draws only the last of the events that are not left out already.
    pub fn last(mut self, events: usize) -> Self {
        self.filter.last = Some(events);
        self
    }

    /// Places events by time, and not just in order.
    pub fn proportional(mut self) -> Self {
        self.is_proportional = true;
        self
    }

    /// Adds a sentence below the picture.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The diagram as an SVG picture.
    pub fn svg(&self) -> String {
        let selection = self.filter.apply(self.history);
        // The width follows from the events, the height of the title from the width.
        let width = Layout::new(self.history, &selection, 0.0, self.is_proportional).right;
        let repeats_labels = width > 1500.0;
        let right = if repeats_labels { width + 60.0 } else { width };
        let mut page = Page::new(&self.title, right + MARGIN);
        for &EventId(event) in &selection.events {
            let event = &self.history.events[event];
            if event.kind == EventKind::Violation {
                let text = format!("Broken at time {}: {}", event.time, event.label);
                page.lines(&text, Font::ALARM);
            }
        }
        let top = page.y + if self.history.shades.is_empty() { 10.0 } else { 26.0 };
        let layout = Layout::new(self.history, &selection, top, self.is_proportional);
        let scene = Scene { diagram: self, selection, layout };
        scene.draw(page, repeats_labels)
    }
}

/// A diagram with everything in its place.
struct Scene<'a> {
    diagram: &'a Diagram<'a>,
    selection: Selection,
    layout: Layout,
}

impl Scene<'_> {
    fn draw(&self, mut page: Page, repeats_labels: bool) -> String {
        let history = self.diagram.history;
        let keeps_cut = self.diagram.filter.causal.is_none();
        let (arrows, kinds, left_out) = arrows(history, &self.layout, keeps_cut);
        let layout = &self.layout;
        let mut room = Room::new(Area::new(layout.left, layout.top, layout.right, layout.bottom));
        self.draw_shades(&mut page);
        self.draw_lines(&mut page, repeats_labels);
        let span_kinds = self.draw_spans(&mut page, &mut room);
        self.draw_violations(&mut page);
        for arrow in &arrows {
            page.canvas.open("k-msg", &arrow.tip);
            paint::draw_arrow(&mut page.canvas, arrow);
            page.canvas.close();
        }
        self.draw_events(&mut page, &mut room);
        room.avoid(arrows.iter().flat_map(Arrow::lines));
        self.label_events(&mut page, &mut room);
        let unlabelled = label_arrows(&mut page, &mut room, &arrows);
        self.draw_times(&mut page);

        let mut notes = self.diagram.notes.clone();
        notes.extend(self.selection.note(history));
        if left_out > 0 {
            notes.push(format!("Messages left out because their other end is: {left_out}."));
        }
        if unlabelled > 0 && arrows.len() > unlabelled {
            notes.push(format!("Arrows without room for a label, to be pointed at: {unlabelled}."));
        }
        if self.selection.events.is_empty() {
            notes.push("There is nothing to show.".to_owned());
        }
        let legend = self.legend(&arrows, &kinds, &span_kinds);
        let (events, nodes) = (self.selection.events.len(), self.selection.nodes.len());
        let count = arrows.len();
        let desc =
            format!("Space-time diagram: {events} events of {nodes} nodes, {count} messages.");
        page.finish(&legend, &notes, &desc)
    }

    /// Shaded stretches of time, with their labels above the lines.
    fn draw_shades(&self, page: &mut Page) {
        let Layout { top, bottom, .. } = self.layout;
        let mut free_from = 0.0;
        for shade in &self.diagram.history.shades {
            let Some((from, to)) = self.layout.stretch(shade.ends) else { continue };
            page.canvas.open("k-partition", &shade.label);
            page.canvas.rect("k-shade", Area::new(from, top, to, bottom), 0.0);
            let width = text::width(&shade.label, SMALL);
            let x = (from + 3.0).min(self.layout.right - width);
            if x > free_from {
                page.canvas.text(SMALL, Anchor::Start, (x, top - 5.0), &shade.label);
                free_from = x + width + 6.0;
            }
            page.canvas.close();
        }
    }

    fn draw_lines(&self, page: &mut Page, repeats_labels: bool) {
        let Layout { left, right, .. } = self.layout;
        for &node in &self.selection.nodes {
            let Some(y) = self.layout.y(node) else { continue };
            let full = &self.diagram.history.nodes[node];
            let label = text::shorten(full, Font::LABEL, left - MARGIN - 8.0);
            page.canvas.open("k-node", full);
            page.canvas.line("k-axis", (left, y), (right, y));
            page.canvas.text(Font::LABEL, Anchor::End, (left - 8.0, y + 4.0), &label);
            if repeats_labels {
                let label = text::shorten(full, Font::LABEL, 52.0);
                page.canvas.text(Font::LABEL, Anchor::Start, (right + 8.0, y + 4.0), &label);
            }
            page.canvas.close();
        }
    }

    /// Draws bars on the nodes' lines, and returns the kinds in order of appearance.
    fn draw_spans(&self, page: &mut Page, room: &mut Room) -> Vec<SpanKind> {
        let mut kinds: Vec<SpanKind> = Vec::new();
        let mut drawn: Vec<(usize, f64, f64)> = Vec::new();
        // What ends with the event that it began with took no time, and has no length.
        let spans = self.diagram.history.spans.iter();
        for span in spans.filter(|span| span.ends.0.is_none() || span.ends.0 != span.ends.1) {
            let Some(y) = self.layout.y(span.node) else { continue };
            let stretch = match self.diagram.filter.causal {
                Some(_) => self.layout.stretch_of_past(span.node, span.ends),
                None => self.layout.stretch(span.ends),
            };
            let Some((from, to)) = stretch else { continue };
            let name = (span.kind.clone(), span.look);
            let kind = kinds.iter().position(|kind| *kind == name).unwrap_or_else(|| {
                kinds.push(name);
                kinds.len() - 1
            });
            let to = to.max(from + 4.0);
            // A bar that overlaps others lies above them.
            let overlaps = drawn.iter().filter(|d| d.0 == span.node && d.1 < to && from < d.2);
            let y = y - 10.0 * overlaps.count().min(2) as f64;
            drawn.push((span.node, from, to));
            let area = Area::new(from, y - 5.0, to, y + 5.0);
            page.canvas.open("k-span", format!("{} {}", span.kind, span.label).trim());
            paint::draw_span(&mut page.canvas, &kinds, kind, area);
            page.canvas.close();
            room.take(area);
            if !span.label.is_empty() {
                let at = ((from + to) / 2.0, y + 15.0);
                if let Some(at) = room.place(&span.label, SMALL, [at, (at.0, y - 8.0)]) {
                    page.canvas.text(SMALL, Anchor::Middle, at, &span.label);
                }
            }
        }
        kinds
    }

    fn draw_violations(&self, page: &mut Page) {
        for &id in &self.selection.events {
            if let (EventKind::Violation, Some(x)) =
                (self.diagram.history.events[id.0].kind, self.layout.x(id))
            {
                let (top, bottom) = (self.layout.top, self.layout.bottom);
                page.canvas.line("k-alarm-line k-d1", (x, top), (x, bottom));
            }
        }
    }

    fn draw_events(&self, page: &mut Page, room: &mut Room) {
        for &id in &self.selection.events {
            let event = &self.diagram.history.events[id.0];
            let y = match event.node {
                Some(node) => self.layout.y(node),
                None => (event.kind == EventKind::Violation).then_some(self.layout.top),
            };
            let Some((x, y)) = self.layout.x(id).zip(y) else { continue };
            let tip = format!("event {} at {}: {}", id.0, event.time, event.label);
            page.canvas.open("k-event", tip.trim_end_matches(": "));
            if self.diagram.filter.causal == Some(id) {
                page.canvas.circle("k-alarm-line", (x, y), 9.0);
            }
            paint::draw_event(&mut page.canvas, event.kind, (x, y));
            page.canvas.close();
            room.take(Area::around((x, y), 6.0));
        }
        for &node in &self.selection.nodes {
            let Some(y) = self.layout.y(node) else { continue };
            room.take(Area::new(self.layout.left, y - 2.0, self.layout.right, y + 2.0));
        }
    }

    /// Writes the labels of events above or below them, if there is room.
    fn label_events(&self, page: &mut Page, room: &mut Room) {
        for &id in &self.selection.events {
            let event = &self.diagram.history.events[id.0];
            let place = event.node.and_then(|node| self.layout.y(node)).zip(self.layout.x(id));
            let Some((y, x)) = place else { continue };
            if event.label.is_empty() || event.kind == EventKind::Violation {
                continue;
            }
            let label = text::shorten(&event.label, SMALL, 110.0);
            let half = text::width(&label, SMALL) / 2.0;
            let places = [
                (x, y - 9.0),
                (x, y + 17.0),
                (x + half * 0.7, y - 9.0),
                (x - half * 0.7, y - 9.0),
                (x + half * 0.7, y + 17.0),
                (x - half * 0.7, y + 17.0),
            ];
            if let Some(at) = room.place(&label, SMALL, places) {
                page.canvas.text(SMALL, Anchor::Middle, at, &label);
            }
        }
    }

    /// The times of the columns, below the lines.
    fn draw_times(&self, page: &mut Page) {
        let bottom = self.layout.bottom;
        let mut free_from = self.layout.left - 20.0;
        let mut last = None;
        for &(x, time) in &self.layout.columns {
            let label = time.to_string();
            let area = Area::of_text(&label, Font::TICK, Anchor::Middle, (x, bottom + 16.0));
            if last != Some(time) && area.left > free_from {
                page.canvas.line("k-axis", (x, bottom), (x, bottom + 4.0));
                page.canvas.text(Font::TICK, Anchor::Middle, (x, bottom + 16.0), &label);
                free_from = area.right + 6.0;
                last = Some(time);
            }
        }
        page.canvas.text(Font::TICK, Anchor::Start, (MARGIN, bottom + 16.0), "time");
        page.y = bottom + 24.0;
    }

    fn legend(&self, arrows: &[Arrow], kinds: &[String], spans: &[SpanKind]) -> Legend {
        let mut legend = Legend::default();
        let sample = |ending: Ending, kind: usize| {
            move |canvas: &mut crate::svg::Canvas, x: f64, y: f64| {
                let (label, tip) = (String::new(), String::new());
                let cross = if ending == Ending::Cross { 6.0 } else { 0.0 };
                let (from, to) = ((x, y), (x + SAMPLE - cross, y));
                let arrow = Arrow { from, to, bend: 0.0, ending, kind, label, tip };
                paint::draw_arrow(canvas, &arrow);
            }
        };
        for (kind, name) in kinds.iter().enumerate() {
            legend.add(name, sample(Ending::Head, kind));
        }
        for (ending, name) in [(Ending::Cross, "lost or missed"), (Ending::Fade, "under way")] {
            if let Some(arrow) = arrows.iter().find(|arrow| arrow.ending == ending) {
                legend.add(name, sample(ending, arrow.kind));
            }
        }
        for (kind, (name, _)) in spans.iter().enumerate() {
            let spans = spans.to_vec();
            legend.add(name, move |canvas, x, y| {
                let area = Area::new(x, y - 5.0, x + SAMPLE, y + 5.0);
                paint::draw_span(canvas, &spans, kind, area);
            });
        }
        let mut seen: Vec<EventKind> = Vec::new();
        for &EventId(event) in &self.selection.events {
            let kind = self.diagram.history.events[event].kind;
            if let Some(name) = paint::event_name(kind)
                && !seen.contains(&kind)
            {
                seen.push(kind);
                legend.add(name, move |canvas, x, y| {
                    paint::draw_event(canvas, kind, (x + SAMPLE / 2.0, y));
                });
            }
        }
        legend
    }
}

/// Writes the kinds of messages along their arrows, and returns for how many there was no room.
fn label_arrows(page: &mut Page, room: &mut Room, arrows: &[Arrow]) -> usize {
    let mut unlabelled = 0;
    for arrow in arrows {
        let parts = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
        let places = parts.map(|part| {
            let (x, y) = arrow.at(part);
            (x, if arrow.bend == 0.0 { y + 3.5 } else { y - 2.0 })
        });
        match room.place(&arrow.label, SMALL, places) {
            Some(at) => page.canvas.text(SMALL, Anchor::Middle, at, &arrow.label),
            None => unlabelled += 1,
        }
    }
    unlabelled
}
