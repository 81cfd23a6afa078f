//! Where events and nodes lie.

use std::collections::BTreeSet;

use super::history::{EventId, History};
use super::selection::Selection;
use crate::page::MARGIN;
use crate::svg::Font;
use crate::text;

/// The places of what is drawn.
pub(super) struct Layout {
    /// For each event of the history, if it is drawn.
    x: Vec<Option<f64>>,
    /// For each node of the history, its last event that is drawn, and where.
    last: Vec<Option<(EventId, f64)>>,
    /// For each node of the history, if it is drawn.
    y: Vec<Option<f64>>,
    /// The columns from left to right, with their times.
    pub(super) columns: Vec<(f64, u64)>,
    /// Where the nodes' lines begin and end.
    pub(super) left: f64,
    pub(super) right: f64,
    /// The borders of the lines' area.
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// How far lines are apart.
    pub(super) row: f64,
    /// How far events are apart, if they are equally far apart.
    pub(super) pitch: f64,
}

impl Layout {
    pub(super) fn new(
        history: &History,
        selection: &Selection,
        top: f64,
        is_proportional: bool,
    ) -> Self {
        let (column_of, times) = columns(history, selection);
        let labels = selection.nodes.iter().map(|&node| history.nodes[node].as_str());
        let widest = labels.map(|label| text::width(label, Font::LABEL)).fold(0.0, f64::max);
        let left = MARGIN + widest.min(160.0) + 10.0;
        let pitch = (1000.0 / times.len().max(1) as f64).clamp(34.0, 76.0);
        let first = left + pitch * 0.6;
        let places = if is_proportional {
            by_time(&times, first, pitch)
        } else {
            (0..times.len()).map(|column| first + column as f64 * pitch).collect()
        };
        let right = places.last().copied().unwrap_or(left) + pitch * 0.9;
        let right = right.max(left + 420.0);
        let row = match selection.nodes.len() {
            0..=8 => 62.0,
            9..=16 => 48.0,
            17..=40 => 34.0,
            _ => 24.0,
        };
        let mut y = vec![None; history.nodes.len()];
        for (index, &node) in selection.nodes.iter().enumerate() {
            y[node] = Some(top + row * (index as f64 + 0.5));
        }
        let bottom = top + row * selection.nodes.len() as f64;
        let x: Vec<_> =
            column_of.iter().map(|column| column.map(|column| places[column])).collect();
        let mut last = vec![None; history.nodes.len()];
        for &id in &selection.events {
            if let Some(node) = history.events[id.0].node {
                last[node] = x[id.0].map(|x| (id, x));
            }
        }
        let columns = places.into_iter().zip(times).collect();
        Self { x, last, y, columns, left, right, top, bottom, row, pitch }
    }

    pub(super) fn x(&self, event: EventId) -> Option<f64> {
        self.x[event.0]
    }

    pub(super) fn y(&self, node: usize) -> Option<f64> {
        self.y[node]
    }

    /// Where a stretch of a node's line lies among the events that led to another: it does not
    /// begin after the node's last event, and ends soon after it.
    pub(super) fn stretch_of_past(
        &self,
        node: usize,
        ends: (Option<EventId>, Option<EventId>),
    ) -> Option<(f64, f64)> {
        let (last, x) = self.last[node]?;
        if ends.0.is_some_and(|id| id > last) {
            return None;
        }
        let (from, to) = self.stretch(ends)?;
        Some((from, to.min(x + self.pitch * 0.45)))
    }

    /// Where a stretch between two events begins and ends, as far as something of it is drawn. An
    /// end that is left out moves inwards to the next event that is not, or outwards to the border.
    pub(super) fn stretch(&self, ends: (Option<EventId>, Option<EventId>)) -> Option<(f64, f64)> {
        let first = ends.0.map_or(0, |id| id.0);
        let last = ends.1.map_or(self.x.len(), |id| id.0 + 1);
        let mut drawn = self.x.get(first..last)?.iter().flatten().copied();
        let (first, last) = (drawn.next()?, drawn.next_back());
        let begins_before = ends.0.is_none_or(|id| self.x[..=id.0].iter().all(Option::is_none));
        let ends_after = ends.1.is_none_or(|id| self.x[id.0..].iter().all(Option::is_none));
        let from = if begins_before { self.left } else { first };
        let to = if ends_after { self.right } else { last.unwrap_or(first) };
        Some((from, to))
    }
}

/// The column of each event and the time of each column. Simultaneous events of different nodes
/// share one, unless one causes the other.
fn columns(history: &History, selection: &Selection) -> (Vec<Option<usize>>, Vec<u64>) {
    let mut causes = vec![Vec::new(); history.events.len()];
    for message in &history.messages {
        if let (Some(from), Some(to)) = (message.from, message.fate.place()) {
            causes[to.0].push(from);
        }
    }
    let mut column_of = vec![None; history.events.len()];
    let mut times: Vec<u64> = Vec::new();
    let mut nodes = BTreeSet::new();
    for &id in &selection.events {
        let event = &history.events[id.0];
        let is_caused_here = times
            .len()
            .checked_sub(1)
            .is_some_and(|last| causes[id.0].iter().any(|cause| column_of[cause.0] == Some(last)));
        let fits = times.last() == Some(&event.time)
            && !is_caused_here
            && event.node.is_some_and(|node| !nodes.contains(&node));
        if !fits {
            times.push(event.time);
            nodes.clear();
        }
        match event.node {
            Some(node) => nodes.insert(node),
            // What concerns all has its column to itself.
            None => {
                nodes.extend(0..history.nodes.len());
                true
            }
        };
        column_of[id.0] = Some(times.len() - 1);
    }
    (column_of, times)
}

/// Places in proportion to time, but never so close that one event hides another.
fn by_time(times: &[u64], first: f64, pitch: f64) -> Vec<f64> {
    const NEAREST: f64 = 9.0;
    let (Some(&start), Some(&end)) = (times.first(), times.last()) else { return Vec::new() };
    let unit = pitch * times.len() as f64 / (end.saturating_sub(start)).max(1) as f64;
    let mut places: Vec<f64> = Vec::new();
    for &time in times {
        let wanted = first + time.saturating_sub(start) as f64 * unit;
        places.push(places.last().map_or(wanted, |before| wanted.max(before + NEAREST)));
    }
    places
}
