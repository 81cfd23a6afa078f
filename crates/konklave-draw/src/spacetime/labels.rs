//! What is written beside events and along arrows, where there is room.

use std::collections::BTreeMap;

use super::arrows::Arrow;
use super::history::{EventKind, History};
use super::layout::Layout;
use super::paint::{NUMBER, SMALL};
use crate::page::Page;
use crate::places::Room;
use crate::svg::Anchor;
use crate::text;

/// Among more arrows than this, only those of rare kinds have labels: more are illegible, and
/// the legend tells the others apart.
const ARROWS: usize = 120;

/// How wide the label of an event may be.
const EVENT: f64 = 110.0;

/// Writes the labels of events above or below them.
pub(super) fn label_events(page: &mut Page, room: &mut Room, history: &History, layout: &Layout) {
    for &id in &layout.events {
        let event = &history.events[id.0];
        let place = event.node.and_then(|node| layout.y(node)).zip(layout.x(id));
        let Some((y, x)) = place else { continue };
        if event.label.is_empty() || event.kind == EventKind::Violation {
            continue;
        }
        let fits = text::width(&event.label, SMALL) <= EVENT;
        let label = if fits { &event.label } else { &event.brief };
        let label = text::shorten(label, SMALL, EVENT);
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

/// Writes the numbers of events below them, to the right.
pub(super) fn number_events(page: &mut Page, room: &mut Room, history: &History, layout: &Layout) {
    for &id in &layout.events {
        let event = &history.events[id.0];
        let place = event.node.and_then(|node| layout.y(node)).zip(layout.x(id));
        let Some((y, x)) = place else { continue };
        let number = event.number.to_string();
        let half = text::width(&number, NUMBER) / 2.0;
        let places = [(x + half + 7.0, y + 14.0), (x - half - 7.0, y + 14.0), (x, y + 15.0)];
        if let Some(at) = room.place(&number, NUMBER, places) {
            page.canvas.text(NUMBER, Anchor::Middle, at, &number);
        }
    }
}

/// How many arrows there are of each kind, in all rows.
pub(super) struct Crowd(BTreeMap<usize, usize>);

impl Crowd {
    pub(super) fn new<'a>(arrows: impl IntoIterator<Item = &'a Arrow>) -> Self {
        let mut alike = BTreeMap::new();
        arrows.into_iter().for_each(|arrow| *alike.entry(arrow.kind).or_default() += 1);
        Self(alike)
    }

    /// Whether arrows of a kind have labels.
    fn leaves_room_for(&self, kind: usize) -> bool {
        let all: usize = self.0.values().sum();
        all <= ARROWS || self.0[&kind] * 4 <= all
    }
}

/// Writes what messages are along their arrows, and returns how many have no label.
pub(super) fn label_arrows(
    page: &mut Page,
    room: &mut Room,
    arrows: &[Arrow],
    crowd: &Crowd,
) -> usize {
    let mut unlabelled = 0;
    for arrow in arrows {
        let parts = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
        let places = parts.map(|part| {
            let (x, y) = arrow.at(part);
            (x, if arrow.bend == 0.0 { y + 3.5 } else { y - 2.0 })
        });
        // What is longer than its arrow could be another one's.
        let ((x1, y1), (x2, y2)) = (arrow.from, arrow.to);
        let length = ((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1)).sqrt();
        let place = |label: &String| match text::width(label, SMALL) <= length {
            true => Some((room.place(label, SMALL, places)?, label.clone())),
            false => None,
        };
        let is_labelled = crowd.leaves_room_for(arrow.kind);
        match arrow.labels.iter().filter(|_| is_labelled).find_map(place) {
            Some((at, label)) => page.canvas.text(SMALL, Anchor::Middle, at, &label),
            None => unlabelled += 1,
        }
    }
    unlabelled
}
