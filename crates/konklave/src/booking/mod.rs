//! Booking: of intervals that overlap, at most one is held at a time.
//!
//! The resource is a tennis court, say, and the intervals are hours of play that are not known in
//! advance. The application requests an interval with [`Command::Reserve`], learns the answer from
//! [`Event::Granted`] or [`Event::Denied`], and gives it back with [`Command::Release`]. A command
//! out of turn (a second `Reserve` before the first is answered, a `Release` of an interval that is
//! not held) is ignored.
//!
//! The problem has two forms. In the blocking form an application uses one interval at a time and
//! waits for it if necessary: it is never denied, and a `Reserve` while it holds one is out of
//! turn. In the denying form it holds any number of intervals and is answered at once.
//!
//! Promises:
//! - **no overlap** (safety): at no time do nodes that are up hold two intervals that overlap;
//! - **answers on demand** (safety): a node is answered only if its application asked, and once per
//!   request;
//! - **no groundless denial** (safety): a denied interval overlaps one that was held between the
//!   request and its answer; in the blocking form no request is denied;
//! - **no starvation** (liveness): every request of a node that stays up is eventually answered; in
//!   the blocking form, if every node that holds an interval eventually gives it back.

pub mod reservation;

use std::collections::BTreeSet;
use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::protocol::{self, Broken, Promise};

/// A command of the application to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// Request this interval.
    Reserve(Interval),
    /// Give this interval back.
    Release(Interval),
}

/// An event that a node reports to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// The node holds the interval, until its application's [`Command::Release`].
    Granted,
    /// The request is denied: the interval overlaps one that is held.
    Denied,
}

/// What happens to a request for an interval that overlaps one that is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// The request waits.
    #[default]
    Block,
    /// The request is denied.
    Deny,
}

/// The half-open interval from `start` to `end`: adjacent intervals do not overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Interval {
    /// The first moment of the interval.
    pub start: u32,
    /// The first moment after the interval.
    pub end: u32,
}

impl Interval {
    /// Whether the two intersect: the conflict predicate.
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

impl From<(u32, u32)> for Interval {
    fn from((start, end): (u32, u32)) -> Self {
        Self { start, end }
    }
}

impl From<Interval> for (u32, u32) {
    fn from(Interval { start, end }: Interval) -> Self {
        (start, end)
    }
}

impl Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// Checks the promises of booking in one run of any algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    form: Form,
    /// The pending request of each node.
    attempts: Vec<Option<Attempt>>,
    held: BTreeSet<(NodeId, Interval)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Attempt {
    interval: Interval,
    /// Whether an overlapping interval was held at any time since the request.
    can_be_denied: bool,
}

impl Monitor {
    /// A monitor for `nodes` nodes, none of which holds an interval.
    pub fn new(nodes: u32, form: Form) -> Self {
        Self { form, attempts: vec![None; nodes as usize], held: BTreeSet::new() }
    }

    /// The intervals held now, each with its holder.
    pub fn held(&self) -> impl Iterator<Item = (NodeId, Interval)> + '_ {
        self.held.iter().copied()
    }

    /// A node that holds an overlapping interval, if any, and that interval.
    fn holder_of(&self, interval: Interval) -> Option<(NodeId, Interval)> {
        self.held().find(|(_, other)| other.overlaps(interval))
    }

    fn is_in_turn(&self, node: NodeId) -> bool {
        let holds_one = || self.held().any(|(holder, _)| holder == node);
        self.attempts[node.index()].is_none() && (self.form == Form::Deny || !holds_one())
    }
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, command: &Command) -> Result<(), Broken> {
        match *command {
            Command::Reserve(interval) => {
                if self.is_in_turn(node) {
                    let can_be_denied = self.holder_of(interval).is_some();
                    self.attempts[node.index()] = Some(Attempt { interval, can_be_denied });
                }
            }
            Command::Release(interval) => {
                self.held.remove(&(node, interval));
            }
        }
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        let Some(Attempt { interval, can_be_denied }) = self.attempts[node.index()].take() else {
            let detail = format!("node {node} is answered what it did not ask");
            return Broken::by(node, "answers on demand", detail);
        };
        match event {
            Event::Granted => {
                if let Some((holder, other)) = self.holder_of(interval) {
                    let detail =
                        format!("node {node} gets {interval:?} while node {holder} has {other:?}");
                    return Broken::by(node, "no overlap", detail);
                }
                self.held.insert((node, interval));
                for attempt in self.attempts.iter_mut().flatten() {
                    attempt.can_be_denied |= attempt.interval.overlaps(interval);
                }
            }
            Event::Denied if self.form == Form::Block => {
                let detail = format!("node {node} is denied {interval:?} instead of waiting");
                return Broken::by(node, "no groundless denial", detail);
            }
            Event::Denied if !can_be_denied => {
                let detail = format!("node {node} is denied {interval:?}, and nobody had it");
                return Broken::by(node, "no groundless denial", detail);
            }
            Event::Denied => {}
        }
        Ok(())
    }

    /// A crashed node holds its intervals no longer, and its request is void.
    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
        self.attempts[node.index()] = None;
        self.held.retain(|(holder, _)| *holder != node);
        Ok(())
    }

    fn promises() -> &'static [Promise] {
        const {
            &[
                Promise::safety("no overlap"),
                Promise::safety("answers on demand"),
                Promise::safety("no groundless denial"),
                Promise::liveness("no starvation"),
            ]
        }
    }

    fn at_rest(&self) -> Result<(), Broken> {
        let mut waiting = NodeId::all(self.attempts.len() as u32)
            .filter(|node| self.attempts[node.index()].is_some());
        let Some(first) = waiting.next() else { return Ok(()) };
        let detail = match waiting.count() {
            0 => format!("node {first} waits for ever"),
            1 => format!("node {first} and one other wait for ever"),
            others => format!("node {first} and {others} others wait for ever"),
        };
        Broken::by(first, "no starvation", detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Monitor as _;

    /// A monitor after these nodes have requested these intervals.
    fn asked(form: Form, attempts: &[(u32, (u32, u32))]) -> Monitor {
        let mut monitor = Monitor::new(3, form);
        for &(node, interval) in attempts {
            let command = Command::Reserve(interval.into());
            monitor.on_command(NodeId(node), &command).unwrap();
        }
        monitor
    }

    #[test]
    fn intervals_that_meet_do_not_overlap() {
        let overlap = |a: (u32, u32), b: (u32, u32)| {
            let (a, b) = (Interval::from(a), Interval::from(b));
            assert_eq!(a.overlaps(b), b.overlaps(a), "{a:?} and {b:?}");
            a.overlaps(b)
        };
        assert!(overlap((0, 10), (9, 12)));
        assert!(overlap((0, 10), (3, 4)));
        assert!(overlap((0, 10), (0, 10)));
        assert!(!overlap((0, 10), (10, 12)));
        assert!(!overlap((0, 1), (5, 6)));
    }

    #[test]
    fn intervals_apart_are_held_together() {
        let mut monitor = asked(Form::Block, &[(0, (0, 5)), (1, (5, 9))]);
        monitor.on_event(NodeId(1), &Event::Granted).unwrap();
        monitor.on_event(NodeId(0), &Event::Granted).unwrap();
        assert_eq!(monitor.held().count(), 2);
        monitor.on_command(NodeId(0), &Command::Release((0, 5).into())).unwrap();
        monitor.on_command(NodeId(1), &Command::Release((5, 9).into())).unwrap();
        monitor.at_rest().unwrap();
        assert_eq!(monitor, Monitor::new(3, Form::Block));
    }

    #[test]
    fn an_overlap_is_noticed() {
        let mut monitor = asked(Form::Deny, &[(0, (0, 6)), (1, (5, 9))]);
        monitor.on_event(NodeId(0), &Event::Granted).unwrap();
        let broken = monitor.on_event(NodeId(1), &Event::Granted).unwrap_err();
        assert_eq!(broken.to_string(), "no overlap: node 1 gets 5..9 while node 0 has 0..6");
    }

    #[test]
    fn an_overlap_of_one_node_with_itself_is_noticed() {
        let mut monitor = asked(Form::Deny, &[(0, (0, 6))]);
        monitor.on_event(NodeId(0), &Event::Granted).unwrap();
        monitor.on_command(NodeId(0), &Command::Reserve((2, 3).into())).unwrap();
        let broken = monitor.on_event(NodeId(0), &Event::Granted).unwrap_err();
        assert_eq!(broken.promise, "no overlap");
    }

    #[test]
    fn an_answer_without_a_request_is_noticed() {
        for event in [Event::Granted, Event::Denied] {
            let broken = asked(Form::Deny, &[]).on_event(NodeId(2), &event).unwrap_err();
            assert_eq!((&broken.promise[..], broken.node), ("answers on demand", Some(NodeId(2))));
        }
    }

    #[test]
    fn a_denial_needs_an_overlapping_interval_that_was_held() {
        let attempts = [(0, (0, 6)), (1, (5, 9)), (2, (6, 7))];
        let mut monitor = asked(Form::Deny, &attempts);
        let broken = monitor.clone().on_event(NodeId(1), &Event::Denied).unwrap_err();
        assert_eq!(
            broken.to_string(),
            "no groundless denial: node 1 is denied 5..9, and nobody had it"
        );
        assert_eq!(broken.node, Some(NodeId(1)));
        monitor.on_event(NodeId(0), &Event::Granted).unwrap();
        monitor.on_command(NodeId(0), &Command::Release((0, 6).into())).unwrap();
        monitor.on_event(NodeId(1), &Event::Denied).unwrap();
        monitor.on_event(NodeId(2), &Event::Denied).unwrap_err();
    }

    #[test]
    fn the_blocking_form_denies_nothing() {
        let mut monitor = asked(Form::Block, &[(0, (0, 6)), (1, (5, 9))]);
        monitor.on_event(NodeId(0), &Event::Granted).unwrap();
        let broken = monitor.on_event(NodeId(1), &Event::Denied).unwrap_err();
        assert_eq!((&broken.promise[..], broken.node), ("no groundless denial", Some(NodeId(1))));
    }

    #[test]
    fn the_blocking_form_holds_one_interval_at_a_time() {
        for (form, is_in_turn) in [(Form::Block, false), (Form::Deny, true)] {
            let mut monitor = asked(form, &[(0, (0, 6))]);
            monitor.on_event(NodeId(0), &Event::Granted).unwrap();
            monitor.on_command(NodeId(0), &Command::Reserve((7, 8).into())).unwrap();
            assert_eq!(monitor.at_rest().is_err(), is_in_turn, "{form:?}");
        }
    }

    #[test]
    fn waiting_at_rest_is_starvation() {
        let broken = asked(Form::Deny, &[(1, (0, 1)), (2, (0, 1))]).at_rest().unwrap_err();
        assert_eq!(broken.to_string(), "no starvation: node 1 and one other wait for ever");
        assert_eq!(broken.node, Some(NodeId(1)));
    }

    #[test]
    fn a_crash_frees_the_interval_and_ends_the_wait() {
        let mut monitor = asked(Form::Block, &[(0, (0, 6)), (1, (5, 9)), (2, (1, 2))]);
        monitor.on_event(NodeId(0), &Event::Granted).unwrap();
        monitor.on_crash(NodeId(0)).unwrap();
        monitor.on_event(NodeId(1), &Event::Granted).unwrap();
        monitor.on_crash(NodeId(2)).unwrap();
        monitor.at_rest().unwrap();
    }
}
