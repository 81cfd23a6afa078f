//! What a process stores, and how it makes room and fills holes.

use std::collections::BTreeMap;

use super::{BoundedLoads, LoadFactor, Msg, Outcome, Part, SERVER, Task};
use crate::NodeId;
use crate::circle::{Arc, Mixer, Point};
use crate::dictionary::{DictionaryOp, Event, Table};
use crate::protocol::Env;

/// The storage of a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Member {
    me: NodeId,
    mixer: Mixer,
    phase: Phase,
    /// The next member on the circle.
    next: NodeId,
    /// The most keys that it may store.
    bound: u32,
    /// The keys whose home it is, and how many operations on them were carried out.
    counts: BTreeMap<u64, u64>,
    /// The keys that it stores, with their values.
    items: BTreeMap<u64, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Outside,
    Joining,
    Member,
    Leaving,
    Gone,
}

impl Member {
    pub(super) fn new(me: NodeId, members: &Table, factor: LoadFactor) -> Self {
        let is_member = members.has(me);
        let next = || members.successors(me, 1).first().copied();
        Self {
            me,
            mixer: members.mixer(),
            phase: if is_member { Phase::Member } else { Phase::Outside },
            next: Some(me).filter(|_| !is_member).or_else(next).unwrap_or(me),
            bound: factor.bound(0, members.count()),
            counts: BTreeMap::new(),
            items: BTreeMap::new(),
        }
    }

    pub(super) fn join(&mut self, env: &mut impl Env<BoundedLoads>) {
        match self.phase {
            Phase::Outside => {
                self.phase = Phase::Joining;
                env.send(SERVER, Msg::Join);
            }
            Phase::Member => env.emit(Event::Joined),
            Phase::Joining | Phase::Leaving | Phase::Gone => {} // A process joins once only.
        }
    }

    pub(super) fn leave(&mut self, env: &mut impl Env<BoundedLoads>) {
        match self.phase {
            Phase::Member => {
                self.phase = Phase::Leaving;
                env.send(SERVER, Msg::Leave);
            }
            Phase::Outside | Phase::Gone => env.emit(Event::Left),
            Phase::Joining | Phase::Leaving => {} // It is on its way.
        }
    }

    pub(super) fn is_changing(&self) -> bool {
        matches!(self.phase, Phase::Joining | Phase::Leaving)
    }

    pub(super) fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<BoundedLoads>) {
        match msg {
            Msg::Do { task, room } => {
                let count = self.counts.entry(task.op.key()).or_default();
                *count += 1;
                let witness = *count - 1;
                self.carry_out_if_here(task, witness, room, env);
            }
            Msg::Walk { task, witness, room } => self.carry_out_if_here(task, witness, room, env),
            Msg::Settle { bound } => self.settle(bound, env),
            Msg::Pull { hole, beyond, moved } => self.give_if_possible(hole, beyond, moved, env),
            Msg::Give { key, value, moved } => {
                self.items.insert(key, value);
                env.send(from, Msg::Fill { moved });
            }
            Msg::Fill { moved } => self.pull(moved, env),
            Msg::Push { key, value } => match self.is_full() {
                true => env.send(self.next, Msg::Push { key, value }),
                false => {
                    self.items.insert(key, value);
                    env.send(SERVER, Msg::Settled { moved: 1 });
                }
            },
            Msg::Split { next } => self.split(next, env),
            Msg::Merge { into } => self.merge(into, env),
            Msg::Items(part) => self.take_over(*part, env),
            _ => {} // For the server.
        }
    }

    /// Carries an operation out if its key is stored here, or cannot be further on by invariant B.
    fn carry_out_if_here(
        &mut self,
        task: Task,
        witness: u64,
        room: bool,
        env: &mut impl Env<BoundedLoads>,
    ) {
        let Task { client, ticket, op } = task;
        let key = op.key();
        let stored = self.items.get(&key).copied();
        if stored.is_none() && self.is_full() {
            return env.send(self.next, Msg::Walk { task, witness, room });
        }
        let (answer, outcome) = match op {
            DictionaryOp::Get(_) => (stored, Outcome::Read),
            DictionaryOp::Put { .. } if stored.is_none() && !room => {
                return env.send(SERVER, Msg::NoRoom { task, witness });
            }
            DictionaryOp::Put { value, .. } => match self.items.insert(key, value) {
                Some(_) => (None, Outcome::Kept),
                None => (None, Outcome::Inserted),
            },
            DictionaryOp::Delete(_) => match self.items.remove(&key) {
                Some(_) => (None, Outcome::Deleted),
                None => (None, Outcome::Kept),
            },
        };
        env.send(client, Msg::Done { ticket, answer, witness });
        env.send(SERVER, Msg::Finished(outcome));
    }

    /// One step towards a load that suits the bound: pushes a key, or pulls one. A member that was
    /// not full before the bound changed has nothing to pull: by invariant B no key passes it.
    fn settle(&mut self, bound: u32, env: &mut impl Env<BoundedLoads>) {
        let has_changed = self.bound != bound;
        let was_full = self.is_full();
        self.bound = bound;
        if self.load() > bound as usize {
            let latest = self.items.keys().copied().min_by_key(|key| self.way_behind(*key));
            if let Some((key, value)) = latest.and_then(|key| self.items.remove_entry(&key)) {
                env.send(self.next, Msg::Push { key, value });
            }
        } else if self.is_full() || has_changed && !was_full {
            env.send(SERVER, Msg::Settled { moved: 0 });
        } else {
            self.pull(0, env);
        }
    }

    /// How far it is from a key to the end of its own part of the circle: the farther, the earlier
    /// the home of the key.
    fn way_behind(&self, key: u64) -> u64 {
        self.mixer.key(key).distance_to(self.mixer.node(self.next))
    }

    fn pull(&self, moved: u32, env: &mut impl Env<BoundedLoads>) {
        match self.next == self.me {
            true => env.send(SERVER, Msg::Settled { moved }),
            false => {
                let beyond = self.mixer.node(self.next);
                env.send(self.next, Msg::Pull { hole: self.me, beyond, moved });
            }
        }
    }

    /// Gives the key with the earliest home to a member that has a hole, if that home is there or
    /// before. If it has none and is not full, then no key passes it.
    fn give_if_possible(
        &mut self,
        hole: NodeId,
        beyond: Point,
        moved: u32,
        env: &mut impl Env<BoundedLoads>,
    ) {
        if hole == self.me {
            return env.send(SERVER, Msg::Settled { moved }); // Once around.
        }
        let between = Arc::up_to(beyond, self.mixer.node(self.next));
        let passes = |key: &u64| !between.contains(self.mixer.key(*key));
        let earliest =
            self.items.keys().copied().filter(passes).max_by_key(|key| self.way_behind(*key));
        match earliest.and_then(|key| self.items.remove_entry(&key)) {
            Some((key, value)) => env.send(hole, Msg::Give { key, value, moved: moved + 1 }),
            None if self.is_full() => env.send(self.next, Msg::Pull { hole, beyond, moved }),
            None => env.send(SERVER, Msg::Settled { moved }),
        }
    }

    /// A process joins behind this member: it begins with the keys whose home it is, as far as they
    /// were here. The others were behind it all along.
    fn split(&mut self, joiner: NodeId, env: &mut impl Env<BoundedLoads>) {
        let next = std::mem::replace(&mut self.next, joiner);
        let arc = Arc::up_to(self.mixer.node(joiner), self.mixer.node(next));
        let mixer = self.mixer;
        let take = |map: &mut BTreeMap<u64, u64>| {
            let (taken, rest): (BTreeMap<_, _>, _) =
                std::mem::take(map).into_iter().partition(|(key, _)| arc.contains(mixer.key(*key)));
            *map = rest;
            taken.into_iter().collect()
        };
        let (counts, items) = (take(&mut self.counts), take(&mut self.items));
        env.send(joiner, Msg::Items(Box::new(Part { next, bound: self.bound, counts, items })));
    }

    /// It is dismissed, with nothing stored any more.
    fn merge(&mut self, into: NodeId, env: &mut impl Env<BoundedLoads>) {
        self.phase = Phase::Gone;
        let counts = std::mem::take(&mut self.counts).into_iter().collect();
        let items = std::mem::take(&mut self.items).into_iter().collect();
        let part = Part { next: self.next, bound: self.bound, counts, items };
        env.send(into, Msg::Items(Box::new(part)));
        env.emit(Event::Left);
    }

    fn take_over(&mut self, part: Part, env: &mut impl Env<BoundedLoads>) {
        let moved = part.items.len() as u32;
        self.next = part.next;
        self.counts.extend(part.counts);
        self.items.extend(part.items);
        if self.phase == Phase::Joining {
            self.phase = Phase::Member;
            self.bound = part.bound;
            env.emit(Event::Joined);
        }
        env.send(SERVER, Msg::Settled { moved });
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.items.keys().copied()
    }

    pub(super) fn load(&self) -> usize {
        self.items.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.load() >= self.bound as usize
    }
}
