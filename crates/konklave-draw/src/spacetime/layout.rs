//! Where events and nodes lie: in a row, or in several below each other if one would be too wide.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::history::{EventId, History};
use super::selection::Selection;
use crate::page::MARGIN;
use crate::svg::Font;
use crate::text;

/// The places of what is drawn in one row.
pub(super) struct Layout {
    /// The events of this row.
    pub(super) events: Vec<EventId>,
    all: Rc<Places>,
    /// How far this row is moved to the left of where it would lie in a single one.
    shift: f64,
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

/// Where everything would lie if there were one row only.
struct Places {
    /// For each event of the history, if it is drawn.
    x: Vec<Option<f64>>,
    /// For each node of the history, its last event that is drawn.
    last: Vec<Option<EventId>>,
    /// For each node of the history, if it is drawn, how far it is below the top of a row.
    y: Vec<Option<f64>>,
}

impl Layout {
    /// As few rows as there can be without one that ends to the right of `limit`.
    pub(super) fn rows(
        history: &History,
        selection: &Selection,
        limit: f64,
        is_proportional: bool,
    ) -> Vec<Self> {
        let (column_of, times) = columns(history, selection);
        let labels = selection.nodes.iter().map(|&node| history.nodes[node].as_str());
        let widest = labels.map(|label| text::width(label, Font::LABEL)).fold(0.0, f64::max);
        let left = MARGIN + widest.min(160.0) + 10.0;
        let pitch = (1000.0 / times.len().max(1) as f64).clamp(34.0, 76.0);
        let places = if is_proportional {
            by_time(&times, 0.0, pitch)
        } else {
            (0..times.len()).map(|column| column as f64 * pitch).collect()
        };
        let (before, after) = (pitch * 0.6, pitch * 0.9);
        let starts = starts(&places, limit - left - before - after);
        let ends = starts.iter().skip(1).copied().chain([places.len()]);
        let ranges: Vec<_> = starts.iter().copied().zip(ends).collect();
        let width_of = |&(start, end): &(usize, usize)| match places.get(start..end) {
            Some([first, .., last]) => last - first + before,
            _ => before,
        };
        // All rows are as wide as the widest.
        let right = left + ranges.iter().map(width_of).fold(0.0, f64::max) + after;
        let right = right.max(left + 420.0);
        let row = match selection.nodes.len() {
            0..=8 => 62.0,
            9..=16 => 48.0,
            17..=40 => 34.0,
            _ => 24.0,
        };
        let mut y = vec![None; history.nodes.len()];
        for (index, &node) in selection.nodes.iter().enumerate() {
            y[node] = Some(row * (index as f64 + 0.5));
        }
        let bottom = row * selection.nodes.len() as f64;
        let mut last = vec![None; history.nodes.len()];
        for &id in &selection.events {
            if let Some(node) = history.events[id.0].node {
                last[node] = Some(id);
            }
        }
        let x = column_of.iter().map(|column| column.map(|it| places[it])).collect();
        let all = Rc::new(Places { x, last, y });
        let lay_out = |&(start, end): &(usize, usize)| {
            let shift = places.get(start).copied().unwrap_or(0.0) - left - before;
            // Columns are in the order of events.
            let before = |column: usize| {
                selection.events.partition_point(|id| column_of[id.0] < Some(column))
            };
            Self {
                events: selection.events[before(start)..before(end)].to_vec(),
                all: Rc::clone(&all),
                shift,
                columns: (start..end).map(|it| (places[it] - shift, times[it])).collect(),
                left,
                right,
                top: 0.0,
                bottom,
                row,
                pitch,
            }
        };
        ranges.iter().map(lay_out).collect()
    }

    /// The same, further down.
    pub(super) fn below(mut self, top: f64) -> Self {
        self.top += top;
        self.bottom += top;
        self
    }

    /// Where an event of this row lies.
    pub(super) fn x(&self, event: EventId) -> Option<f64> {
        self.extended_x(event).filter(|_| self.events.binary_search(&event).is_ok())
    }

    /// Where an event of any row would lie if this row went on beyond its borders.
    pub(super) fn extended_x(&self, event: EventId) -> Option<f64> {
        self.all.x[event.0].map(|x| x - self.shift)
    }

    /// Whether this row shows some of the time between two events.
    pub(super) fn has_part(&self, from: EventId, to: EventId) -> bool {
        self.events.first().is_some_and(|first| *first <= to)
            && self.events.last().is_some_and(|last| from <= *last)
    }

    pub(super) fn y(&self, node: usize) -> Option<f64> {
        self.all.y[node].map(|y| self.top + y)
    }

    /// Where a stretch of a node's line lies among the events that led to another: it does not
    /// begin after the node's last event, and ends soon after it.
    pub(super) fn stretch_of_past(
        &self,
        node: usize,
        ends: (Option<EventId>, Option<EventId>),
    ) -> Option<(f64, f64)> {
        let last = self.all.last[node]?;
        if ends.0.is_some_and(|id| id > last) {
            return None;
        }
        let (from, to) = self.stretch(ends)?;
        let to = to.min(self.extended_x(last)? + self.pitch * 0.45);
        (from < to).then_some((from, to))
    }

    /// Where a stretch between two events begins and ends, as far as something of it is drawn. An
    /// end that is left out moves inwards to the next event that is not, or outwards to the border.
    pub(super) fn stretch(&self, ends: (Option<EventId>, Option<EventId>)) -> Option<(f64, f64)> {
        let first = ends.0.map_or(0, |id| id.0);
        let last = ends.1.map_or(self.all.x.len(), |id| id.0 + 1);
        let from = self.events.partition_point(|id| id.0 < first);
        let to = self.events.partition_point(|id| id.0 < last);
        let drawn = self.events.get(from..to).filter(|drawn| !drawn.is_empty())?;
        let place = |at: usize| self.x(drawn[at]);
        let begins_before = ends.0.is_none_or(|id| self.events[0] > id);
        let ends_after = ends.1.is_none_or(|id| self.events[self.events.len() - 1] < id);
        let from = if begins_before { self.left } else { place(0)? };
        let to = if ends_after { self.right } else { place(drawn.len() - 1)? };
        Some((from, to))
    }
}

/// The first column of each row: rows are about equally long, and none is longer than `limit`, if a
/// column fits at all.
fn starts(places: &[f64], limit: f64) -> Vec<usize> {
    let whole = places.last().map_or(0.0, |last| last - places[0]);
    if whole <= limit {
        return vec![0];
    }
    let fill = |length: f64| {
        let mut starts = vec![0];
        for (column, place) in places.iter().enumerate() {
            if place - places[starts[starts.len() - 1]] > length {
                starts.push(column);
            }
        }
        starts
    };
    // The shortest length, up to a pixel, with which there are no more rows than there have to be.
    let limit = limit.max(1.0);
    let rows = fill(limit).len();
    let (mut low, mut high) = (0.0, limit);
    while high - low > 1.0 {
        let middle = (low + high) / 2.0;
        if fill(middle).len() <= rows { high = middle } else { low = middle }
    }
    fill(high)
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
