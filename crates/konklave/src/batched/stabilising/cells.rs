//! Where elements lie, and what becomes of those that are misplaced, doubled or forgotten.

use std::ops::Bound;

use super::orders::brought;
use super::{Anchor, Letter, Mended, Stabilising, Task, Ticket};
use crate::NodeId;
use crate::batched::Op;
use crate::object::Answer;
use crate::overlay::{Hop, Overlay};
use crate::protocol::Env;

/// What belongs to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cell<Op> {
    /// The element that this operation has brought.
    Element(Op),
    /// An operation waits for the element, for so many turns.
    Awaited { process: NodeId, ticket: Ticket, age: u32 },
    /// An operation has waited in vain, so many turns ago.
    Marker(u32),
}

impl<Op> Cell<Op> {
    /// The process that is to be answered.
    pub(super) fn process(&self) -> Option<NodeId> {
        match self {
            Self::Awaited { process, .. } => Some(*process),
            Self::Element(_) | Self::Marker(_) => None,
        }
    }
}

/// For how much longer than an operation waits there is a marker.
const MARKED: u32 = 4;

impl<S: Mended> Stabilising<S> {
    /// The next process on the way to a key; none if this one is responsible.
    fn next(&self, key: S::Key, has_turned: &mut bool) -> Option<NodeId> {
        let overlay = self.member.overlay();
        match overlay.next_once(S::point(overlay.place().mixer, key), has_turned) {
            Hop::Here => None,
            Hop::To(to) => Some(to),
        }
    }

    /// Whether this process is responsible for a key.
    pub(super) fn owns(&self, key: S::Key) -> bool {
        self.next(key, &mut false).is_none()
    }

    fn tell(&mut self, process: NodeId, ticket: Ticket, answer: Answer, env: &mut impl Env<Self>) {
        match process == self.me() {
            true => self.finish(ticket, answer, env),
            false => self.send(process, Letter::Done { ticket, answer }, env),
        }
    }

    pub(super) fn put(&mut self, mut task: Task<S::Key>, op: Op<S>, env: &mut impl Env<Self>) {
        match self.next(task.key, &mut task.has_turned) {
            Some(to) => self.send(to, Letter::Put { task, op }, env),
            None => {
                self.store(task.key, op, env);
                self.tell(task.process, task.ticket, None, env);
            }
        }
    }

    /// An element comes to its place, or closer to it. Problem 1: of two, the first one is kept.
    pub(super) fn store(&mut self, key: S::Key, op: Op<S>, env: &mut impl Env<Self>) {
        let cell = match self.cells.remove(&key) {
            None => Cell::Element(op),
            Some(Cell::Element(other)) if other == op => Cell::Element(op), // A duplicate.
            Some(Cell::Element(other)) => {
                self.insert_anew(other.max(op));
                Cell::Element(other.min(op))
            }
            Some(Cell::Awaited { process, ticket, .. }) => {
                return self.tell(process, ticket, brought::<S>(op), env);
            }
            Some(Cell::Marker(_)) => return self.insert_anew(op), // It comes too late.
        };
        self.cells.insert(key, cell);
    }

    pub(super) fn get(&mut self, mut task: Task<S::Key>, env: &mut impl Env<Self>) {
        if let Some(to) = self.next(task.key, &mut task.has_turned) {
            return self.send(to, Letter::Get(task), env);
        }
        let Task { process, ticket, key, .. } = task;
        match self.cells.get(&key) {
            None => _ = self.cells.insert(key, Cell::Awaited { process, ticket, age: 0 }),
            Some(Cell::Element(op)) => {
                let element = brought::<S>(*op);
                self.cells.remove(&key);
                self.tell(process, ticket, element, env);
            }
            Some(Cell::Awaited { process: other, ticket: its, .. })
                if (*other, *its) == (process, ticket) => {} // It sets out again.
            // Somebody else was sent here, too.
            Some(Cell::Awaited { .. } | Cell::Marker(_)) => self.tell(process, ticket, None, env),
        }
    }

    /// Its turn: what waits grows older, elements move on, and one of them is claimed.
    pub(super) fn keep_cells(&mut self, env: &mut impl Env<Self>) {
        self.grow_older(env);
        for (&key, cell) in &self.cells {
            if let (Cell::Element(op), Some(to)) = (cell, self.next(key, &mut false)) {
                self.send(to, Letter::Move { key, op: *op }, env);
            }
        }
        self.give_up_doubted();
        let after = self.claimed.map_or(Bound::Unbounded, Bound::Excluded);
        let is_element = |(_, cell): &(&S::Key, &Cell<Op<S>>)| matches!(cell, Cell::Element(_));
        let mut rest = self.cells.range((after, Bound::Unbounded)).filter(is_element);
        let next = rest.next().or_else(|| self.cells.iter().find(is_element));
        self.claimed = next.map(|(key, _)| *key);
        if let Some(key) = self.claimed {
            self.on_claim(self.me(), key, env);
        }
    }

    /// Problem 6: an operation does not wait for ever for its element.
    fn grow_older(&mut self, env: &mut impl Env<Self>) {
        let mut in_vain = Vec::new();
        self.cells.retain(|_, cell| match cell {
            Cell::Element(_) => true,
            Cell::Awaited { process, ticket, age } => {
                *age += 1;
                if *age > self.patience {
                    in_vain.push((*process, *ticket));
                    *cell = Cell::Marker(0);
                }
                true
            }
            Cell::Marker(age) => {
                *age += 1;
                *age <= self.patience.saturating_mul(MARKED)
            }
        });
        for (process, ticket) in in_vain {
            self.tell(process, ticket, None, env);
        }
    }

    /// The next process has stored an element that does not belong here.
    pub(super) fn drop_if_moved(&mut self, key: S::Key, op: Op<S>) {
        if self.cells.get(&key) == Some(&Cell::Element(op)) && !self.owns(key) {
            self.cells.remove(&key);
        }
    }

    /// Problem 4: an element is claimed on the way to the anchor.
    pub(super) fn on_claim(&mut self, process: NodeId, key: S::Key, env: &mut impl Env<Self>) {
        if let Some(left) = self.towards_anchor() {
            return self.send(left, Letter::Claim { process, key }, env);
        }
        let Anchor::State(service) = &mut self.anchor else { return };
        match service.claim(key) {
            true => {}
            false if process == self.me() => self.doubt(key),
            false => self.send(process, Letter::Orphan { key }, env),
        }
    }

    pub(super) fn doubt(&mut self, key: S::Key) {
        if matches!(self.cells.get(&key), Some(Cell::Element(_))) {
            self.doubts.entry(key).or_insert(0);
        }
    }

    /// By now, an operation that was sent to such an element would have arrived.
    fn give_up_doubted(&mut self) {
        let mut doubts = std::mem::take(&mut self.doubts);
        doubts.retain(|key, turns| {
            let Some(Cell::Element(op)) = self.cells.get(key).copied() else { return false };
            *turns += 1;
            let is_orphan = *turns > self.patience;
            if is_orphan {
                self.cells.remove(key);
                self.insert_anew(op);
            }
            !is_orphan
        });
        self.doubts = doubts;
    }
}
