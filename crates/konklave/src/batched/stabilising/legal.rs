//! When an object is legal: all that is under way will come to its end, and nothing else is.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::Cell;
use super::orders::brought;
use super::{ABSURD, Anchor, Letter, Mended, Stabilising, Ticket};
use crate::NodeId;
use crate::batched::Op;
use crate::overlay::Member;
use crate::overlay::skip_plus::SkipPlus;
use crate::protocol::{Invariant, Snapshot};

type System<'a, S> = Snapshot<'a, Stabilising<S>>;

/// Says what a system lacks.
pub(super) fn judge<S: Mended>(
    overlay: &Invariant<Member<SkipPlus>>,
    system: &System<'_, S>,
) -> Result<(), String> {
    let members: Vec<_> = system.nodes.iter().map(|node| &node.member).collect();
    let all = system.messages.iter();
    let about = all.filter_map(|&(from, to, msg)| match &msg.letter {
        Letter::Overlay(msg) => Some((from, to, msg)),
        _ => None,
    });
    let messages: Vec<_> = about.collect();
    let verdict = overlay.judge(&Snapshot { nodes: &members, messages: &messages });
    verdict.map_err(|broken| broken.detail)?;
    let Some(view) = View::of(system)? else { return Ok(()) };
    view.requests()?;
    view.operations()?;
    view.elements()
}

/// A system in one epoch.
struct View<'a, S: Mended> {
    nodes: &'a [&'a Stabilising<S>],
    /// What is in transit in this epoch.
    letters: Vec<(NodeId, NodeId, &'a Letter<S>)>,
    anchor: &'a S,
}

/// Where there is something wrong, in words.
fn demand(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

impl<'a, S: Mended> View<'a, S> {
    /// One epoch, one anchor.
    fn of(system: &'a System<'_, S>) -> Result<Option<Self>, String> {
        let Some(first) = system.nodes.first() else { return Ok(None) };
        let epoch = first.epoch;
        let later = |it: u64| it > epoch && it < ABSURD;
        let is_one = epoch < ABSURD && system.nodes.iter().all(|node| node.epoch == epoch);
        demand(is_one && !system.messages.iter().any(|it| later(it.2.epoch)), || {
            "there are several epochs".to_owned()
        })?;
        let letters: Vec<_> = (system.messages.iter())
            .filter(|it| it.2.epoch == epoch)
            .map(|&(from, to, msg)| (from, to, &msg.letter))
            .collect();
        let is_handed = letters.iter().any(|it| matches!(it.2, Letter::Hand(_)));
        let mut anchors = system.nodes.iter().filter_map(|node| match &node.anchor {
            Anchor::State(service) => Some((node, service)),
            Anchor::Nothing(_) => None,
        });
        match (anchors.next(), anchors.next()) {
            (Some((node, anchor)), None) if !is_handed && node.towards_anchor().is_none() => {
                Ok(Some(Self { nodes: system.nodes, letters, anchor }))
            }
            _ => Err("there is not one anchor".to_owned()),
        }
    }

    fn node(&self, node: NodeId) -> Option<&'a Stabilising<S>> {
        self.nodes.get(node.index()).copied()
    }

    fn is_sent(&self, is_it: impl Fn(NodeId, NodeId, &Letter<S>) -> bool) -> bool {
        self.letters.iter().any(|&(from, to, letter)| is_it(from, to, letter))
    }

    fn is_answered(&self, by: NodeId, to: NodeId, number: u32) -> bool {
        self.is_sent(|from, receiver, letter| {
            (from, receiver) == (by, to)
                && matches!(letter, Letter::Answer { id, .. } if *id == number)
        })
    }

    /// Whether that node waits for this one to answer its request.
    fn is_traced(&self, process: NodeId, by: NodeId, id: u32) -> bool {
        let trace = self.node(process).and_then(|node| node.requests.get(&id));
        trace.is_some_and(|request| request.to == by)
    }

    /// Problem 5: every trace has its record, and the reverse.
    fn requests(&self) -> Result<(), String> {
        for node in self.nodes {
            let me = node.me();
            for (&id, request) in &node.requests {
                let to = request.to;
                let is_on_its_way = self.is_sent(|from, receiver, letter| {
                    (from, receiver) == (me, to)
                        && matches!(letter, Letter::Request { id: it, .. } if *it == id)
                });
                let is_remembered = self.node(to).is_some_and(|it| it.remembers(me, id));
                let is_answered = self.is_answered(to, me, id);
                demand(is_on_its_way || is_remembered || is_answered, || {
                    format!("request {id} of node {me} is lost")
                })?;
                demand(is_answered || !request.is_denied(), || {
                    format!("node {me} takes request {id} for lost")
                })?;
            }
            for (process, id) in node.parts().filter_map(|part| part.request()) {
                demand(self.is_traced(process, me, id), || {
                    format!("node {me} remembers request {id} of node {process}, which does not")
                })?;
            }
            demand(node.has_own_part() == (node.sent > 0), || {
                format!("operations of node {me} are in no request")
            })?;
        }
        self.letters.iter().try_for_each(|&(from, to, letter)| {
            let is_right = match letter {
                Letter::Request { id, .. } => self.is_traced(from, to, *id),
                Letter::Answer { id, .. } => self.is_traced(to, from, *id),
                Letter::Nack { id } => {
                    !self.is_traced(to, from, *id) || self.is_answered(from, to, *id)
                }
                _ => true,
            };
            demand(is_right, || format!("nodes {from} and {to} disagree about a request"))
        })
    }

    /// Problem 6: what travels arrives, and nobody inserts anything anew.
    fn operations(&self) -> Result<(), String> {
        for node in self.nodes {
            let me = node.me();
            let tickets = node.ops.iter().map(|it| it.0).chain(node.travelling.keys().copied());
            let mut anew = tickets.filter(|ticket| matches!(ticket, Ticket::Anew(_)));
            demand(anew.next().is_none(), || format!("node {me} inserts an element anew"))?;
            for (ticket, travelling) in &node.travelling {
                let is_it = |process: NodeId, other: &Ticket| (process, other) == (me, ticket);
                let is_on_its_way = self.is_sent(|_, to, letter| match letter {
                    Letter::Put { task, .. } | Letter::Get(task) => {
                        is_it(task.process, &task.ticket)
                    }
                    Letter::Done { ticket, .. } => is_it(to, ticket),
                    _ => false,
                });
                let waits = self.nodes.iter().any(|other| {
                    matches!(other.cells.get(&travelling.key),
                        Some(Cell::Awaited { process, ticket, .. }) if is_it(*process, ticket))
                });
                demand(is_on_its_way || waits, || format!("{ticket:?} of node {me} is lost"))?;
            }
        }
        Ok(())
    }

    /// Whether the process still waits for this operation, on this key.
    fn is_wanted(&self, process: NodeId, ticket: Ticket, key: S::Key) -> bool {
        let waits = self.node(process).and_then(|node| node.travelling.get(&ticket));
        waits.is_some_and(|travelling| travelling.key == key)
    }

    /// Whether the anchor will send somebody to this key.
    fn is_held(&self, key: S::Key) -> bool {
        self.anchor.has_given(key) && self.anchor.clone().claim(key)
    }

    /// Whether the key was given out, and nobody will be sent to it any more.
    fn is_over(&self, key: S::Key) -> bool {
        self.anchor.has_given(key) && !self.is_held(key)
    }

    /// Problems 1, 2 and 4: an element is where it belongs, and somebody will come for it.
    fn elements(&self) -> Result<(), String> {
        let (coming, taken) = self.keys()?;
        let is_awaited = |key: S::Key| self.is_held(key) || taken.contains(&key);
        for &key in coming.keys() {
            demand(self.anchor.has_given(key) && is_awaited(key), || {
                format!("an element is to be stored with the key {key:?}")
            })?;
        }
        for node in self.nodes {
            for (&key, cell) in &node.cells {
                let is_new = coming.contains_key(&key);
                let is_right = match cell {
                    Cell::Element(op) => {
                        let is_given = self.anchor.has_given(key) && is_awaited(key);
                        let is_same = coming.get(&key).is_none_or(|it| *it == Some(*op));
                        node.owns(key) && is_given && is_same
                    }
                    Cell::Awaited { process, ticket, .. } => {
                        self.is_wanted(*process, *ticket, key) || self.is_over(key) && !is_new
                    }
                    Cell::Marker(_) => self.is_over(key) && !is_new,
                };
                demand(is_right, || format!("node {} has {cell:?} at {key:?}", node.me()))?;
            }
            let doubted = node.doubts.keys().find(|key| self.is_held(**key));
            demand(doubted.is_none(), || format!("node {} doubts {doubted:?}", node.me()))?;
        }
        self.letters.iter().try_for_each(|&(from, to, letter)| {
            let is_right = match letter {
                Letter::Put { task, .. } => self.is_wanted(task.process, task.ticket, task.key),
                Letter::Get(task) => {
                    let is_wanted = self.is_wanted(task.process, task.ticket, task.key);
                    is_wanted || self.is_over(task.key) && !coming.contains_key(&task.key)
                }
                Letter::Orphan { key } => !self.is_held(*key),
                Letter::Move { .. } => false,
                _ => true,
            };
            demand(is_right, || format!("{letter:?} is on its way from node {from} to {to}"))
        })
    }

    /// The keys of elements that are brought, with the operation if it travels already, and the
    /// keys that operations were sent to: each of them once.
    #[allow(clippy::type_complexity)]
    fn keys(&self) -> Result<(BTreeMap<S::Key, Option<Op<S>>>, BTreeSet<S::Key>), String> {
        let (mut coming, mut taken) = (Vec::new(), Vec::new());
        for &(_, _, letter) in &self.letters {
            match letter {
                Letter::Answer { assignment, .. } => {
                    let [brought, sought] = S::keys(assignment);
                    coming.extend(brought.into_iter().map(|key| (key, None)));
                    taken.extend(sought);
                }
                Letter::Put { task, op } => coming.push((task.key, Some(*op))),
                _ => {}
            }
        }
        let travelling = self.nodes.iter().flat_map(|node| node.travelling.values());
        taken.extend(travelling.filter(|it| brought::<S>(it.op).is_none()).map(|it| it.key));
        let counts = (coming.len(), taken.len());
        let (coming, taken): (BTreeMap<_, _>, BTreeSet<_>) =
            (coming.into_iter().collect(), taken.into_iter().collect());
        demand((coming.len(), taken.len()) == counts, || "a key was given out twice".to_owned())?;
        Ok((coming, taken))
    }
}
