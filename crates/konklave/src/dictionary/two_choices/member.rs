//! What a process stores: as the home of keys, and as the alternate of others.

use std::collections::{BTreeMap, VecDeque};

use super::balance::Checks;
use super::{Entry, Msg, Place, Return, SERVER, Task, TwoChoices};
use crate::NodeId;
use crate::circle::{Arc, Arcs, Mixer};
use crate::dictionary::{DictionaryOp, Event, Table};
use crate::object::Answer;
use crate::protocol::Env;

/// The storage of a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Member {
    pub(super) me: NodeId,
    mixer: Mixer,
    pub(super) phase: Phase,
    /// The part of the circle that it is the home of.
    own: Arcs,
    /// The keys whose home it is.
    pub(super) entries: BTreeMap<u64, Entry>,
    /// What is under way about them.
    pub(super) busy: BTreeMap<u64, Busy>,
    /// The keys that it stores as their alternate, with their values.
    pub(super) held: BTreeMap<u64, u64>,
    /// A part of the circle that it has to hand over, and to whom.
    due: Option<(Arc, NodeId)>,
    pub(super) checks: Checks,
    /// How many keys with a value it has handed over.
    moved: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Outside,
    Joining,
    Member,
    Leaving,
    Gone,
}

/// Something is under way about a key, and what else its home was asked waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Busy {
    pub(super) with: Matter,
    waiting: VecDeque<Ask>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Matter {
    /// It was offered to its alternate.
    Offer,
    /// Its alternate carries an operation out.
    Forward(Task, u64),
    /// Its alternate returns it.
    Return,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ask {
    Task(Task, NodeId),
    Return(Return),
}

impl Member {
    pub(super) fn new(me: NodeId, members: &Table) -> Self {
        let mut own = Arcs::default();
        if members.has(me) {
            own.add(members.arc(me));
        }
        Self {
            me,
            mixer: members.mixer(),
            phase: if members.has(me) { Phase::Member } else { Phase::Outside },
            own,
            entries: BTreeMap::new(),
            busy: BTreeMap::new(),
            held: BTreeMap::new(),
            due: None,
            checks: Checks::default(),
            moved: 0,
        }
    }

    pub(super) fn join(&mut self, env: &mut impl Env<TwoChoices>) {
        match self.phase {
            Phase::Outside => {
                self.phase = Phase::Joining;
                env.send(SERVER, Msg::Join);
            }
            Phase::Member => env.emit(Event::Joined),
            Phase::Joining | Phase::Leaving | Phase::Gone => {} // A process joins once only.
        }
    }

    pub(super) fn leave(&mut self, env: &mut impl Env<TwoChoices>) {
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

    pub(super) fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<TwoChoices>) {
        match msg {
            Msg::Do { task, alternate } => self.ask(Ask::Task(task, alternate), env),
            Msg::WantMove(order) => self.ask(Ask::Return(order), env),
            Msg::Forward { op } => {
                let answer = self.carry_out_for_home(op);
                env.send(from, Msg::Reply { key: op.key(), answer });
            }
            Msg::Reply { key, answer } => self.answer(key, answer, env),
            Msg::Offer { key, value, load } => match self.is_lighter(load) {
                true => {
                    self.held.insert(key, value);
                    env.send(from, Msg::Taken { key });
                    self.check_next_in_turn(env);
                }
                false => env.send(from, Msg::Declined { key }),
            },
            Msg::Taken { key } => self.end_offer(key, Some(from), env),
            Msg::Declined { key } => self.end_offer(key, None, env),
            Msg::MayMove { key, home } => {
                if let Some(value) = self.held.remove(&key) {
                    self.moved += u64::from(self.phase == Phase::Leaving);
                    env.send(home, Msg::Hand { key, value });
                    self.end_check(key, true, env);
                } // Else a duplicate.
            }
            Msg::Stay { key } => self.end_check(key, false, env),
            Msg::Hand { key, value } => {
                let is_due = self.busy.get(&key).is_some_and(|it| it.with == Matter::Return);
                if is_due {
                    self.set_place(key, Place::Here(value));
                    self.resume(key, env);
                    self.check_next_in_turn(env);
                } // Else a duplicate.
            }
            Msg::HandOver { arc, to } if self.own.covers(arc) => {
                self.due = Some((arc, to));
                self.hand_over_if_still(env);
            }
            Msg::Items { arc, entries } if !self.own.iter().any(|own| own.meets(arc)) => {
                self.take_over(arc, &entries, env);
            }
            _ => {} // A duplicate, or for the server.
        }
    }

    /// Does what the home of a key is asked, now or later. What it is no longer the home of, or not
    /// for long, is for the server.
    fn ask(&mut self, ask: Ask, env: &mut impl Env<TwoChoices>) {
        let key = match ask {
            Ask::Task(task, _) => task.op.key(),
            Ask::Return(order) => order.key,
        };
        let point = self.mixer.key(key);
        let is_due = self.due.is_some_and(|(arc, _)| arc.contains(point));
        match (self.busy.get_mut(&key), ask) {
            _ if is_due || !self.own.contains(point) => env.send(
                SERVER,
                match ask {
                    Ask::Task(task, _) => Msg::Misplaced(task),
                    Ask::Return(order) => Msg::WantMove(order),
                },
            ),
            (Some(busy), ask) => busy.waiting.push_back(ask),
            (None, Ask::Task(task, alternate)) => self.carry_out(task, alternate, env),
            (None, Ask::Return(order)) => self.allow_return_if_lighter(order, env),
        }
    }

    fn carry_out(&mut self, task: Task, alternate: NodeId, env: &mut impl Env<TwoChoices>) {
        let Task { client, ticket, op } = task;
        let key = op.key();
        let fresh = Entry { done: 0, place: Place::Nowhere, alternate };
        let entry = self.entries.entry(key).or_insert(fresh);
        let witness = entry.done;
        entry.done += 1;
        entry.alternate = alternate;
        let before = entry.place;
        let answer = match (op, before) {
            (_, Place::There(holder)) => {
                self.occupy(key, Matter::Forward(task, witness));
                return env.send(holder, Msg::Forward { op });
            }
            (DictionaryOp::Get(_), Place::Here(value)) => Some(value),
            (DictionaryOp::Get(_), Place::Nowhere) => None,
            (DictionaryOp::Put { value, .. }, _) => {
                entry.place = Place::Here(value);
                None
            }
            (DictionaryOp::Delete(_), _) => {
                entry.place = Place::Nowhere;
                None
            }
        };
        env.send(client, Msg::Done { ticket, answer, witness });
        if before == Place::Nowhere && matches!(op, DictionaryOp::Put { .. }) {
            self.checks.due.push_back(key);
            self.check_next_in_turn(env);
        }
    }

    fn carry_out_for_home(&mut self, op: DictionaryOp) -> Answer {
        match op {
            DictionaryOp::Get(key) => self.held.get(&key).copied(),
            DictionaryOp::Delete(key) => {
                self.held.remove(&key);
                None
            }
            DictionaryOp::Put { key, value } => {
                self.held.insert(key, value);
                None
            }
        }
    }

    /// The alternate has carried an operation out.
    fn answer(&mut self, key: u64, answer: Answer, env: &mut impl Env<TwoChoices>) {
        let Some(Busy { with: Matter::Forward(task, witness), .. }) = self.busy.get(&key) else {
            return; // A duplicate.
        };
        let (Task { client, ticket, op }, witness) = (*task, *witness);
        env.send(client, Msg::Done { ticket, answer, witness });
        if matches!(op, DictionaryOp::Delete(_)) {
            self.set_place(key, Place::Nowhere);
        }
        self.resume(key, env);
    }

    pub(super) fn occupy(&mut self, key: u64, with: Matter) {
        self.busy.insert(key, Busy { with, waiting: VecDeque::new() });
    }

    pub(super) fn set_place(&mut self, key: u64, place: Place) {
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.place = place;
        }
    }

    /// Nothing is under way about a key any more: what waited for that has its turn.
    pub(super) fn resume(&mut self, key: u64, env: &mut impl Env<TwoChoices>) {
        let waiting = self.busy.remove(&key).map(|busy| busy.waiting).unwrap_or_default();
        waiting.into_iter().for_each(|ask| self.ask(ask, env));
        self.hand_over_if_still(env);
    }

    /// Hands a part of the circle over when nothing is under way about its keys. A member that
    /// leaves first returns all keys that it stores as their alternate.
    pub(super) fn hand_over_if_still(&mut self, env: &mut impl Env<TwoChoices>) {
        let Some((arc, to)) = self.due else { return };
        let mixer = self.mixer;
        let is_leaving = self.own.is_only(arc);
        if is_leaving && self.checks.current.is_some() {
            return;
        }
        if let Some((&key, _)) = self.held.first_key_value().filter(|_| is_leaving) {
            self.checks.current = Some(key);
            let order = Return { key, holder: self.me, load: None };
            return env.send(SERVER, Msg::WantMove(order));
        }
        if self.busy.keys().any(|key| arc.contains(mixer.key(*key))) {
            return;
        }
        self.due = None;
        self.own.remove(arc);
        let (entries, rest): (BTreeMap<_, _>, _) = std::mem::take(&mut self.entries)
            .into_iter()
            .partition(|(key, _)| arc.contains(mixer.key(*key)));
        self.entries = rest;
        let entries: Box<[(u64, Entry)]> = entries.into_iter().collect();
        let here = entries.iter().filter(|(_, it)| matches!(it.place, Place::Here(_)));
        self.moved += here.count() as u64;
        env.send(to, Msg::Items { arc, entries });
        if is_leaving {
            self.phase = Phase::Gone;
            env.emit(Event::Left);
        }
    }

    /// It is the home of a part of the circle from now on. It may store some of its keys already.
    fn take_over(&mut self, arc: Arc, entries: &[(u64, Entry)], env: &mut impl Env<TwoChoices>) {
        self.own.add(arc);
        self.entries.extend(entries.iter().copied());
        for (key, entry) in entries {
            if entry.place == Place::There(self.me)
                && let Some(value) = self.held.remove(key)
            {
                self.set_place(*key, Place::Here(value));
                // If it has asked to return the key, the answer does not matter any more: a leave
                // must not wait for it, since the server holds the question until the leave ends.
                self.checks.current.take_if(|current| current == key);
            }
        }
        if self.phase == Phase::Joining {
            self.phase = Phase::Member;
            env.emit(Event::Joined);
        }
        env.send(SERVER, Msg::Moved);
        self.check_next_in_turn(env);
    }

    /// How many keys it stores, with those that it will be returned.
    pub(super) fn load(&self) -> u32 {
        let here = self.entries.values().filter(|it| matches!(it.place, Place::Here(_)));
        let coming = self.busy.values().filter(|busy| busy.with == Matter::Return);
        (here.count() + self.held.len() + coming.count()) as u32
    }

    pub(super) fn held(&self) -> impl Iterator<Item = u64> + '_ {
        self.held.keys().copied()
    }

    /// The keys whose home it is and about which nothing is under way, and where they are.
    pub(super) fn settled(&self) -> impl Iterator<Item = (u64, Place)> + '_ {
        let still = self.entries.iter().filter(|(key, _)| !self.busy.contains_key(key));
        still.map(|(key, entry)| (*key, entry.place))
    }

    pub(super) fn moved(&self) -> u64 {
        self.moved
    }
}
