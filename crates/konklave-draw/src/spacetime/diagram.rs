use super::arrows::{Arrow, arrows};
use super::history::{EventId, EventKind, History, SpanLook};
use super::key;
use super::labels::{self, Crowd};
use super::layout::Layout;
use super::paint::{self, SMALL};
use super::selection::{Filter, Selection};
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
    has_numbers: bool,
    is_in_steps: bool,
    width: f64,
    notes: Vec<String>,
}

/// A diagram is at most this wide, if nothing else is asked for: it fits a screen, and a page.
const WIDTH: f64 = 1600.0;
/// The room for the times below a row.
const BELOW: f64 = 24.0;

impl<'a> Diagram<'a> {
    /// A picture of everything.
    pub fn new(title: impl Into<String>, history: &'a History) -> Self {
        Self {
            history,
            title: title.into(),
            filter: Filter::default(),
            is_proportional: false,
            has_numbers: false,
            is_in_steps: false,
            width: WIDTH,
            notes: Vec::new(),
        }
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

    /// Writes the number of each event beside it, where there is room.
    pub fn numbers(mut self) -> Self {
        self.has_numbers = true;
        self
    }

    /// Labels the axis as steps, not as time.
    pub fn in_steps(mut self) -> Self {
        self.is_in_steps = true;
        self
    }

    /// Breaks the diagram into rows that make it at most this wide, as far as an event or two fit.
    pub fn width(mut self, pixels: u32) -> Self {
        self.width = f64::from(pixels);
        self
    }

    /// Adds a sentence below the picture.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// How many events and arrows there are in the picture.
    pub fn size(&self) -> (usize, usize) {
        let selection = self.filter.apply(self.history);
        (selection.events.len(), selection.count_messages(self.history, self.keeps_cut()))
    }

    /// How many nodes have lines in the picture.
    pub fn lines(&self) -> usize {
        self.filter.apply(self.history).nodes.len()
    }

    /// Says what is left out, if anything is.
    pub fn left_out(&self) -> Option<String> {
        self.filter.apply(self.history).note(self.history)
    }

    /// Whether messages are drawn that come from what is left out, or go there. What leads to an
    /// event does not come from elsewhere, and where else its causes lead is not asked for.
    fn keeps_cut(&self) -> bool {
        self.filter.causal.is_none()
    }

    /// The name of what runs from left to right.
    fn time(&self) -> &'static str {
        if self.is_in_steps { "step" } else { "time" }
    }

    /// The diagram as an SVG picture.
    pub fn svg(&self) -> String {
        let selection = self.filter.apply(self.history);
        let limit = self.width - MARGIN;
        let rows = Layout::rows(self.history, &selection, limit, self.is_proportional);
        let width = rows.iter().map(|row| row.right).fold(0.0, f64::max) + MARGIN;
        // What cannot be broken may be wider than a row.
        let mut page = Page::new(&self.title, width).at_most(self.width);
        for &EventId(event) in &selection.events {
            if let Some(promise) = self.history.events[event].broken() {
                let (name, time) = (self.time(), self.history.events[event].time);
                page.lines(&format!("Broken at {name} {time}: {promise}"), Font::ALARM);
            }
        }
        let mut drawn = Drawn::default();
        let mut scenes = Vec::new();
        let mut top = page.y;
        for row in rows {
            top += if self.history.shades.is_empty() { 10.0 } else { 26.0 };
            let layout = row.below(top);
            top = layout.bottom + BELOW;
            let (arrows, left_out) = arrows(self.history, &layout, self.keeps_cut());
            drawn.left_out += left_out;
            scenes.push(Scene { diagram: self, nodes: &selection.nodes, layout, arrows });
        }
        let crowd = Crowd::new(scenes.iter().flat_map(|scene| &scene.arrows));
        for scene in scenes {
            scene.draw(&mut page, &crowd, &mut drawn);
            drawn.arrows.extend(scene.arrows);
        }
        page.y = top;
        self.finish(page, &selection, drawn)
    }

    /// Adds the legend and the notes.
    fn finish(&self, page: Page, selection: &Selection, drawn: Drawn) -> String {
        let mut notes = self.notes.clone();
        notes.extend(selection.note(self.history));
        if drawn.left_out > 0 {
            let left_out = drawn.left_out;
            notes.push(format!("Messages left out because their other end is: {left_out}."));
        }
        if drawn.unlabelled > 0 {
            let unlabelled = drawn.unlabelled;
            notes.push(format!("Arrows without a label (hover to see it): {unlabelled}."));
        }
        if selection.events.is_empty() {
            notes.push("There is nothing to show.".to_owned());
        }
        let legend = key::legend(self.history, selection, &drawn.arrows, &drawn.spans);
        let (events, nodes) = (selection.events.len(), selection.nodes.len());
        let count = selection.count_messages(self.history, self.keeps_cut());
        let desc =
            format!("Space-time diagram: {events} events of {nodes} nodes, {count} messages.");
        page.finish(&legend, &notes, &desc)
    }
}

/// What all rows together show.
#[derive(Default)]
struct Drawn {
    arrows: Vec<Arrow>,
    /// The kinds of bars, in order of appearance.
    spans: Vec<(String, SpanLook)>,
    /// How many messages are left out, and how many arrows have no label.
    left_out: usize,
    unlabelled: usize,
}

/// A row of a diagram with everything in its place.
struct Scene<'a> {
    diagram: &'a Diagram<'a>,
    nodes: &'a [usize],
    layout: Layout,
    arrows: Vec<Arrow>,
}

impl Scene<'_> {
    fn draw(&self, page: &mut Page, crowd: &Crowd, drawn: &mut Drawn) {
        let history = self.diagram.history;
        let (layout, arrows) = (&self.layout, &self.arrows);
        let mut room = Room::new(Area::new(layout.left, layout.top, layout.right, layout.bottom));
        self.draw_shades(page);
        self.draw_lines(page);
        self.draw_spans(page, &mut room, &mut drawn.spans);
        self.draw_violations(page);
        for arrow in arrows {
            page.canvas.open("k-msg", &arrow.tip);
            paint::draw_arrow(&mut page.canvas, arrow);
            page.canvas.close();
        }
        self.draw_events(page, &mut room);
        room.avoid(arrows.iter().flat_map(Arrow::lines));
        if self.diagram.has_numbers {
            labels::number_events(page, &mut room, history, layout);
        }
        labels::label_events(page, &mut room, history, layout);
        drawn.unlabelled += labels::label_arrows(page, &mut room, arrows, crowd);
        self.draw_times(page);
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

    fn draw_lines(&self, page: &mut Page) {
        let Layout { left, right, .. } = self.layout;
        for &node in self.nodes {
            let Some(y) = self.layout.y(node) else { continue };
            let full = &self.diagram.history.nodes[node];
            let label = text::shorten(full, Font::LABEL, left - MARGIN - 8.0);
            page.canvas.open("k-node", full);
            page.canvas.line("k-axis", (left, y), (right, y));
            page.canvas.text(Font::LABEL, Anchor::End, (left - 8.0, y + 4.0), &label);
            page.canvas.close();
        }
    }

    /// Draws bars on the nodes' lines, and adds their kinds in order of appearance.
    fn draw_spans(&self, page: &mut Page, room: &mut Room, kinds: &mut Vec<(String, SpanLook)>) {
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
            let kind = (span.kind.clone(), span.look);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
            let to = to.max(from + 4.0);
            // A bar that overlaps others lies above them.
            let overlaps = drawn.iter().filter(|d| d.0 == span.node && d.1 < to && from < d.2);
            let y = y - 10.0 * overlaps.count().min(2) as f64;
            drawn.push((span.node, from, to));
            let area = Area::new(from, y - 5.0, to, y + 5.0);
            page.canvas.open("k-span", format!("{} {}", span.kind, span.label).trim());
            paint::draw_span(&mut page.canvas, span.look, area);
            page.canvas.close();
            room.take(area);
            if !span.label.is_empty() {
                let at = ((from + to) / 2.0, y + 15.0);
                if let Some(at) = room.place(&span.label, SMALL, [at, (at.0, y - 8.0)]) {
                    page.canvas.text(SMALL, Anchor::Middle, at, &span.label);
                }
            }
        }
    }

    fn draw_violations(&self, page: &mut Page) {
        for &id in &self.layout.events {
            if let (Some(_), Some(x)) =
                (self.diagram.history.events[id.0].broken(), self.layout.x(id))
            {
                let (top, bottom) = (self.layout.top, self.layout.bottom);
                page.canvas.line("k-alarm-line k-d1", (x, top), (x, bottom));
            }
        }
    }

    fn draw_events(&self, page: &mut Page, room: &mut Room) {
        for &id in &self.layout.events {
            let event = &self.diagram.history.events[id.0];
            let y = match event.node {
                Some(node) => self.layout.y(node),
                None => (event.kind == EventKind::Violation).then_some(self.layout.top),
            };
            let Some((x, y)) = self.layout.x(id).zip(y) else { continue };
            page.canvas.open("k-event", &self.tip(id));
            if event.breaks.is_some() {
                paint::draw_star(&mut page.canvas, (x, y));
            }
            if self.diagram.filter.causal == Some(id) {
                page.canvas.circle("k-alarm-line", (x, y), 9.0);
            }
            paint::draw_event(&mut page.canvas, event.kind, (x, y));
            page.canvas.close();
            room.take(Area::around((x, y), 6.0));
        }
        for &node in self.nodes {
            let Some(y) = self.layout.y(node) else { continue };
            room.take(Area::new(self.layout.left, y - 2.0, self.layout.right, y + 2.0));
        }
    }

    fn tip(&self, id: EventId) -> String {
        let event = &self.diagram.history.events[id.0];
        let when = match self.diagram.is_in_steps {
            true => String::new(),
            false => format!(" at {}", event.time),
        };
        let tip = format!("step {}{when}: {}", event.number, event.label);
        tip.trim_end_matches(": ").to_owned()
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
        let name = self.diagram.time();
        page.canvas.text(Font::TICK, Anchor::Start, (MARGIN, bottom + 16.0), name);
    }
}
