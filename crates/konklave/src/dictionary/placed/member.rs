//! What a process stores, and how it hands over what it stores no longer.

use std::collections::BTreeMap;

use super::{Msg, Placed, Placement, SERVER, Task};
use crate::NodeId;
use crate::dictionary::{Capacities, Event, Record};
use crate::protocol::Env;

/// The storage of a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Member<P: Placement> {
    me: NodeId,
    /// Its capacity; zero if it is a member no longer.
    capacity: u32,
    rule: P::Rule,
    phase: Phase,
    /// The last change that it has heard of.
    epoch: u32,
    records: BTreeMap<u64, Record>,
    /// How many keys with a value it had before that change. Before it hears of the next one, it
    /// may be handed some: how many of these.
    had: u32,
    early: u32,
    /// How many nodes have not acknowledged what it has handed over to them.
    unstored: u32,
    /// How many keys with a value it has handed over.
    moved: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Outside,
    Joining,
    Member,
    Leaving,
    Gone,
}

impl<P: Placement> Member<P> {
    pub(super) fn new(me: NodeId, capacity: u32, placement: &P) -> Self {
        let is_member = placement.members().of(me) > 0;
        Self {
            me,
            capacity,
            rule: placement.rule(),
            phase: if is_member { Phase::Member } else { Phase::Outside },
            epoch: 0,
            records: BTreeMap::new(),
            had: 0,
            early: 0,
            unstored: 0,
            moved: 0,
        }
    }

    pub(super) fn join(&mut self, env: &mut impl Env<Placed<P>>) {
        match self.phase {
            Phase::Outside => {
                self.phase = Phase::Joining;
                env.send(SERVER, Msg::Join { capacity: self.capacity });
            }
            Phase::Member => env.emit(Event::Joined),
            Phase::Joining | Phase::Leaving | Phase::Gone => {} // A process joins once only.
        }
    }

    pub(super) fn leave(&mut self, env: &mut impl Env<Placed<P>>) {
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

    pub(super) fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Placed<P>>) {
        match msg {
            Msg::Do { epoch, task } => self.carry_out_if_current(epoch, task, env),
            Msg::Change { epoch, members } if epoch > self.epoch => {
                let members: Capacities = members.into_iter().collect();
                if members.count() > 0 {
                    self.epoch = epoch;
                    self.hand_over(members, env);
                } // Else not from the server: a member stays.
            }
            Msg::Items { epoch, records } => {
                if epoch > self.epoch {
                    self.early += with_value(&records);
                }
                self.records.extend(records);
                env.send(from, Msg::Stored { epoch });
            }
            Msg::Stored { epoch } if epoch == self.epoch && self.unstored > 0 => {
                self.unstored -= 1;
                self.settle_if_stored(env);
            }
            _ => {} // A duplicate, or for the server.
        }
    }

    /// Carries an operation out, unless the server sent it before a change that this member has
    /// heard of: its record may be elsewhere by now.
    fn carry_out_if_current(&mut self, epoch: u32, task: Task, env: &mut impl Env<Placed<P>>) {
        if epoch < self.epoch {
            return env.send(SERVER, Msg::Misplaced(task));
        }
        let record = self.records.entry(task.op.key()).or_default();
        let (answer, witness) = record.carry_out(task.op);
        env.send(task.client, Msg::Done { ticket: task.ticket, answer, witness });
    }

    /// Sends every record whose place has changed to that place.
    fn hand_over(&mut self, members: Capacities, env: &mut impl Env<Placed<P>>) {
        if self.phase == Phase::Joining {
            self.phase = Phase::Member;
            env.emit(Event::Joined);
        }
        self.capacity = members.of(self.me);
        self.had = (self.load() as u32).saturating_sub(std::mem::take(&mut self.early));
        let mut bags: BTreeMap<NodeId, Vec<(u64, Record)>> = BTreeMap::new();
        if !self.records.is_empty() {
            let placement = P::new(self.rule, members);
            for (key, record) in std::mem::take(&mut self.records) {
                bags.entry(placement.place(key)).or_default().push((key, record));
            }
        }
        self.records = bags.remove(&self.me).into_iter().flatten().collect();
        self.unstored = bags.len() as u32;
        for (to, records) in bags {
            self.moved += u64::from(with_value(&records));
            env.send(to, Msg::Items { epoch: self.epoch, records: records.into() });
        }
        self.settle_if_stored(env);
    }

    fn settle_if_stored(&mut self, env: &mut impl Env<Placed<P>>) {
        if self.unstored > 0 {
            return;
        }
        env.send(SERVER, Msg::Settled { epoch: self.epoch, had: self.had });
        if self.phase == Phase::Leaving && self.capacity == 0 {
            self.phase = Phase::Gone;
            env.emit(Event::Left);
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.records.keys().copied()
    }

    /// How many keys with a value it stores.
    pub(super) fn load(&self) -> u64 {
        self.records.values().filter(|record| record.value.is_some()).count() as u64
    }

    pub(super) fn moved(&self) -> u64 {
        self.moved
    }
}

fn with_value(records: &[(u64, Record)]) -> u32 {
    records.iter().filter(|(_, record)| record.value.is_some()).count() as u32
}
