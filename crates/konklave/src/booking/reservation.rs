//! Ask all nodes for an interval; only nodes whose own interval overlaps it deny or defer.
//!
//! After G. Ricart, A. K. Agrawala: An optimal algorithm for mutual exclusion in computer networks.
//! Communications of the ACM 24 (1), 1981.
//!
//! # Idea
//!
//! A token protects one resource that was known when the token was created. Here the request names
//! the resource: the court, from ten to twelve. Permissions still work, because the safety argument
//! of Ricart and Agrawala is pairwise: replace "both nodes want to enter" by "their intervals
//! overlap". A request carries its interval and a timestamp. A receiver without a conflicting claim
//! answers yes; a receiver whose own older request overlaps it defers its answer.
//!
//! With `block`, an interval is for use now. A node that holds an overlapping interval defers its
//! answer until it gives the interval back, so the requester waits. With `deny`, an interval is for
//! later, and no request waits for use: a node that holds an overlapping interval answers no, and a
//! node with an older pending request answers as soon as that is decided: no if it was granted, yes
//! if it was denied. A single no denies the request.
//!
//! # Cost
//!
//! Messages: 2(n-1) per attempt, granted or denied. None if the node itself holds an overlapping
//! interval. Giving an interval back costs nothing with `deny`; with `block` it sends the deferred
//! answers. A request carries a time and an interval.
//!
//! - Time: 2T until the answer if no intervals overlap; with `deny`, at most n T more.
//! - State: a clock, a set of nodes, and the intervals held.
//!
//! # Assumes
//!
//! A complete network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost request or answer starves its requester, and all requesters whose answer is
//!   deferred until that request is decided. Safety holds.
//! - Duplication: a duplicate is harmless: an answer names its request.
//! - Crash: a crashed node never answers, so every later request starves.
//!
//! # Differs from the paper
//!
//! The intervals, and the denials.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Form, Interval};
use crate::mutex::Stamp;
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A request with this time for this interval.
    Request(u64, Interval),
    /// The sender's permission for the request of this time.
    Ok(u64),
    /// The sender's denial of the request of this time.
    Deny(u64),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reservation {
    me: NodeId,
    nodes: u32,
    form: Form,
    /// At least the time of every request sent or received.
    clock: u64,
    pending: Option<Pending>,
    /// The intervals held, no two of which overlap. With `block`, at most one, and none while a
    /// request is pending.
    booked: BTreeSet<Interval>,
    /// The deferred requests: they overlap ours, and wait until it is decided or, with `block`,
    /// given back.
    deferred: BTreeSet<Stamp>,
}

/// A request that some nodes have not answered yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pending {
    mine: Stamp,
    interval: Interval,
    missing: NodeSet,
    is_denied: bool,
}

impl Reservation {
    /// Node `me` of a complete network of `nodes` nodes.
    pub fn new(me: NodeId, nodes: u32, form: Form) -> Self {
        Self {
            me,
            nodes,
            form,
            clock: 0,
            pending: None,
            booked: BTreeSet::new(),
            deferred: BTreeSet::new(),
        }
    }
}

impl Protocol for Reservation {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Reserve(_) if self.pending.is_some() => {} // Out of turn.
            Command::Reserve(_) if self.form == Form::Block && !self.booked.is_empty() => {} // Too.
            Command::Reserve(interval) if self.is_booked(interval) => env.emit(Event::Denied),
            Command::Reserve(interval) => {
                self.clock = self.clock.saturating_add(1);
                let mine = Stamp { time: self.clock, node: self.me };
                let missing = NodeSet::all_but(self.me, self.nodes);
                for other in missing.iter() {
                    env.send(other, Msg::Request(mine.time, interval));
                }
                self.pending = Some(Pending { mine, interval, missing, is_denied: false });
                self.decide_if_all_answered(env);
            }
            Command::Release(interval) => {
                let was_booked = self.booked.remove(&interval);
                if was_booked && self.form == Form::Block {
                    self.answer_deferred(Msg::Ok, env);
                }
            }
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(time, interval) => {
                let theirs = Stamp { time, node: from };
                self.clock = self.clock.max(time);
                if self.is_booked(interval) && self.form == Form::Deny {
                    env.send(from, Msg::Deny(time));
                } else if self.is_booked(interval) || self.is_wanted_before(theirs, interval) {
                    self.deferred.insert(theirs);
                } else {
                    env.send(from, Msg::Ok(time));
                }
            }
            Msg::Ok(time) => self.on_answer(from, time, false, env),
            Msg::Deny(time) => self.on_answer(from, time, true, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        self.pending.as_ref().map_or_else(NodeSet::new, |pending| pending.missing.clone())
    }
}

impl Reservation {
    fn on_answer(&mut self, from: NodeId, time: u64, is_no: bool, env: &mut impl Env<Self>) {
        let Some(pending) = &mut self.pending else { return }; // Duplicate.
        if pending.mine.time != time {
            return; // A duplicate: it answers an earlier request.
        }
        pending.missing.remove(from);
        pending.is_denied |= is_no;
        self.decide_if_all_answered(env);
    }

    fn is_booked(&self, interval: Interval) -> bool {
        self.booked.iter().any(|held| held.overlaps(interval))
    }

    /// Whether our own pending request overlaps the interval and is older.
    fn is_wanted_before(&self, theirs: Stamp, interval: Interval) -> bool {
        let pending = self.pending.as_ref();
        pending.is_some_and(|ours| ours.interval.overlaps(interval) && ours.mine < theirs)
    }

    fn decide_if_all_answered(&mut self, env: &mut impl Env<Self>) {
        let decided = self.pending.take_if(|pending| pending.missing.is_empty());
        let Some(Pending { interval, is_denied, .. }) = decided else { return };
        if is_denied {
            env.emit(Event::Denied);
            self.answer_deferred(Msg::Ok, env);
        } else {
            self.booked.insert(interval);
            env.emit(Event::Granted);
            if self.form == Form::Deny {
                self.answer_deferred(Msg::Deny, env);
            }
        }
    }

    fn answer_deferred(&mut self, answer: fn(u64) -> Msg, env: &mut impl Env<Self>) {
        for Stamp { time, node } in std::mem::take(&mut self.deferred) {
            env.send(node, answer(time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// Node 1 of three.
    fn node(form: Form) -> (Reservation, Recorder<Reservation>) {
        (Reservation::new(NodeId(1), 3, form), Recorder::default())
    }

    fn reserve(start: u32, end: u32) -> Command {
        Command::Reserve(Interval { start, end })
    }

    fn release(start: u32, end: u32) -> Command {
        Command::Release(Interval { start, end })
    }

    fn request(time: u64, start: u32, end: u32) -> Msg {
        Msg::Request(time, Interval { start, end })
    }

    /// Node 1, which holds this interval since time 1.
    fn holder(form: Form, start: u32, end: u32) -> (Reservation, Recorder<Reservation>) {
        let (mut node, mut env) = node(form);
        node.on_command(reserve(start, end), &mut env);
        node.on_message(NodeId(0), Msg::Ok(1), &mut env);
        node.on_message(NodeId(2), Msg::Ok(1), &mut env);
        assert_eq!(env.lines().last().unwrap(), "! Granted");
        (node, env)
    }

    #[test]
    fn asks_everyone_and_is_granted_with_the_last_yes() {
        let (mut node, mut env) = node(Form::Deny);
        node.on_command(reserve(10, 12), &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1, 10..12)", "-> 2 Request(1, 10..12)"]);
        node.on_message(NodeId(0), Msg::Ok(1), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(2), Msg::Ok(1), &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn one_no_is_enough_but_all_answers_are_awaited() {
        let (mut node, mut env) = node(Form::Deny);
        node.on_command(reserve(10, 12), &mut env);
        env.lines();
        node.on_message(NodeId(0), Msg::Deny(1), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(2), Msg::Ok(1), &mut env);
        assert_eq!(env.lines(), ["! Denied"]);
    }

    #[test]
    fn what_does_not_overlap_is_answered_at_once() {
        for form in [Form::Block, Form::Deny] {
            let (mut node, mut env) = holder(form, 10, 12);
            node.on_message(NodeId(2), request(1, 12, 13), &mut env);
            assert_eq!(env.lines(), ["-> 2 Ok(1)"], "{form:?}");
        }
    }

    #[test]
    fn what_is_held_waits_or_is_denied() {
        let (mut node, mut env) = holder(Form::Block, 10, 12);
        node.on_message(NodeId(2), request(3, 11, 13), &mut env);
        assert!(env.lines().is_empty());
        node.on_command(release(10, 12), &mut env);
        assert_eq!(env.lines(), ["-> 2 Ok(3)"]);

        let (mut node, mut env) = holder(Form::Deny, 10, 12);
        node.on_message(NodeId(2), request(3, 11, 13), &mut env);
        assert_eq!(env.lines(), ["-> 2 Deny(3)"]);
        node.on_command(release(10, 12), &mut env);
        node.on_message(NodeId(2), request(4, 11, 13), &mut env);
        assert_eq!(env.lines(), ["-> 2 Ok(4)"], "giving back needs no message");
    }

    #[test]
    fn the_older_request_decides_the_younger() {
        let granted = (Msg::Ok(1), ["! Granted", "-> 2 Deny(1)"]);
        let denied = (Msg::Deny(1), ["! Denied", "-> 2 Ok(1)"]);
        for (answer, expected) in [granted, denied] {
            let (mut node, mut env) = node(Form::Deny);
            node.on_command(reserve(10, 12), &mut env);
            env.lines();
            node.on_message(NodeId(2), request(1, 11, 13), &mut env);
            assert!(env.lines().is_empty(), "same time, larger number: younger");
            node.on_message(NodeId(0), request(1, 11, 13), &mut env);
            assert_eq!(env.lines(), ["-> 0 Ok(1)"], "same time, smaller number: older");
            node.on_message(NodeId(2), Msg::Ok(1), &mut env);
            node.on_message(NodeId(0), answer, &mut env);
            assert_eq!(env.lines(), expected);
        }
    }

    #[test]
    fn an_overlap_with_its_own_interval_is_denied_without_a_message() {
        let (mut node, mut env) = holder(Form::Deny, 10, 12);
        node.on_command(reserve(11, 13), &mut env);
        assert_eq!(env.lines(), ["! Denied"]);
        node.on_command(reserve(12, 13), &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(2, 12..13)", "-> 2 Request(2, 12..13)"]);
    }

    #[test]
    fn an_answer_to_an_earlier_request_is_ignored() {
        let (mut node, mut env) = holder(Form::Block, 10, 12);
        node.on_message(NodeId(0), Msg::Deny(1), &mut env);
        node.on_command(release(10, 12), &mut env);
        node.on_command(reserve(10, 12), &mut env);
        let before = node.clone();
        node.on_message(NodeId(0), Msg::Ok(1), &mut env);
        assert_eq!(node, before);
    }

    #[test]
    fn alone_it_is_granted_at_once() {
        let mut env = Recorder::default();
        let mut node = Reservation::new(NodeId(0), 1, Form::Block);
        node.on_command(reserve(0, 1), &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = holder(Form::Block, 10, 12);
        let before = node.clone();
        node.on_command(reserve(1, 2), &mut env);
        node.on_command(release(1, 2), &mut env);
        assert_eq!(node, before);
        node.on_command(release(10, 12), &mut env);
        node.on_command(reserve(1, 2), &mut env);
        env.lines();
        node.on_command(reserve(3, 4), &mut env);
        node.on_command(release(1, 2), &mut env);
        assert!(env.lines().is_empty());
    }
}
