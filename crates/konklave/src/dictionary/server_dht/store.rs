//! What a process stores: the parts of the circle that it owns, their records, and copies for
//! others.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Move, Msg, SERVER, ServerDht};
use crate::NodeId;
use crate::circle::{Arc, Arcs, Mixer};
use crate::dictionary::{Event, Record, Table, Task, with_values};
use crate::protocol::Env;

/// The storage of a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Store {
    me: NodeId,
    mixer: Mixer,
    phase: Phase,
    own: Arcs,
    records: BTreeMap<u64, Record>,
    /// What it will be handed, by the number of the move.
    expected: BTreeMap<u32, Arc>,
    /// Moves that arrived before they were announced.
    early: BTreeSet<u32>,
    /// What it has to hand over as soon as it owns it, and its copies are settled.
    due: Vec<Move>,
    /// Operations on keys that it does not own yet, or will not own soon.
    buffered: VecDeque<Task>,
    copying: Copying,
    /// What it keeps for others, by owner and key.
    copies: BTreeMap<(NodeId, u64), Record>,
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

/// Where the copies of its records are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Copying {
    holders: Box<[NodeId]>,
    /// The holders that the server has chosen since, and the number of its choice.
    chosen: Option<Box<[NodeId]>>,
    turn: u32,
    /// What has to be acknowledged.
    batches: BTreeMap<u32, Batch>,
    /// The number of the next batch.
    next: u32,
}

/// Something that holders were told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Batch {
    /// How many of them have not acknowledged it.
    missing: u32,
    /// The answer that waits for it.
    answer: Option<(NodeId, Msg)>,
}

impl Store {
    pub(super) fn new(me: NodeId, members: &Table, copies: u32) -> Self {
        let is_member = members.has(me);
        let mut own = Arcs::default();
        let mut copying = Copying::default();
        if is_member {
            own.add(members.arc(me));
            copying.holders = members.successors(me, copies as usize - 1).into();
        }
        Self {
            me,
            mixer: members.mixer(),
            phase: if is_member { Phase::Member } else { Phase::Outside },
            own,
            records: BTreeMap::new(),
            expected: BTreeMap::new(),
            early: BTreeSet::new(),
            due: Vec::new(),
            buffered: VecDeque::new(),
            copying,
            copies: BTreeMap::new(),
            moved: 0,
        }
    }

    pub(super) fn join(&mut self, env: &mut impl Env<ServerDht>) {
        match self.phase {
            Phase::Outside => {
                self.phase = Phase::Joining;
                env.send(SERVER, Msg::Join);
            }
            Phase::Member => env.emit(Event::Joined),
            Phase::Joining | Phase::Leaving | Phase::Gone => {} // A process joins once only.
        }
    }

    pub(super) fn leave(&mut self, env: &mut impl Env<ServerDht>) {
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

    pub(super) fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<ServerDht>) {
        match msg {
            Msg::Do(task) => self.carry_out_if_owned(task, env),
            Msg::HandOver(order) => {
                self.due.push(order);
                self.settle(env);
            }
            Msg::Expect { number, arc } => self.expect(number, arc),
            Msg::Items { number, arc, records } => self.take_over(number, arc, &records, env),
            Msg::Holders { turn, nodes } if turn > self.copying.turn => {
                self.copying.turn = turn;
                self.copying.chosen = Some(nodes).filter(|_| self.phase != Phase::Gone);
                self.settle(env);
            }
            Msg::Copy { batch, records } => {
                self.keep(from, &records);
                env.send(from, Msg::Copied { batch });
            }
            Msg::Forget { batch, arc } => {
                let mixer = self.mixer;
                let is_meant = |owner, key| owner == from && arc.contains(mixer.key(key));
                self.copies.retain(|&(owner, key), _| !is_meant(owner, key));
                env.send(from, Msg::Copied { batch });
            }
            Msg::Copied { batch } => self.finish_batch(batch, env),
            _ => {} // Older than what is known, or for the server.
        }
    }

    /// It will be handed a part of the circle, unless that has come already.
    fn expect(&mut self, number: u32, arc: Arc) {
        if !self.early.remove(&number) {
            self.expected.insert(number, arc);
        }
    }

    /// Carries an operation out, unless the key is on its way here, or will go elsewhere as soon as
    /// what was begun is acknowledged. What is about another's key is for the server.
    fn carry_out_if_owned(&mut self, task: Task, env: &mut impl Env<ServerDht>) {
        let point = self.mixer.key(task.op.key());
        let is_winding_up = !self.due.is_empty() || self.copying.chosen.is_some();
        if !self.own.contains(point) {
            return match self.expected.values().any(|arc| arc.contains(point)) {
                true => self.buffered.push_back(task),
                false => env.send(SERVER, Msg::Misplaced(task)),
            };
        }
        if is_winding_up && !self.copying.batches.is_empty() {
            return self.buffered.push_back(task);
        }
        let key = task.op.key();
        let record = self.records.entry(key).or_default();
        let (answer, witness) = record.carry_out(task.op);
        let (record, done) = (*record, Msg::Done { ticket: task.ticket, answer, witness });
        match task.op.is_write() && !self.copying.holders.is_empty() {
            true => {
                let holders = self.copying.holders.clone();
                self.copy(&holders, &[(key, record)], Some((task.client, done)), env);
            }
            false => env.send(task.client, done),
        }
    }

    /// A part of the circle arrives.
    fn take_over(
        &mut self,
        number: u32,
        arc: Arc,
        records: &[(u64, Record)],
        env: &mut impl Env<ServerDht>,
    ) {
        if self.expected.remove(&number).is_none() {
            self.early.insert(number);
        }
        self.own.add(arc);
        self.records.extend(records.iter().copied());
        let holders = self.copying.holders.clone();
        self.copy(&holders, records, None, env);
        if self.phase == Phase::Joining {
            self.phase = Phase::Member;
            env.emit(Event::Joined);
        }
        self.settle(env);
    }

    /// Does what had to wait, as far as it can be done now.
    fn settle(&mut self, env: &mut impl Env<ServerDht>) {
        if self.copying.batches.is_empty() {
            self.change_holders_if_chosen(env);
        }
        while self.copying.batches.is_empty()
            && let Some(place) = self.due.iter().position(|order| self.can_hand_over(*order))
        {
            let order = self.due.remove(place);
            self.hand_over(order, env);
        }
        for task in std::mem::take(&mut self.buffered) {
            self.carry_out_if_owned(task, env);
        }
    }

    /// Whether it owns what it is to hand over. If that is the part that begins at its own
    /// position, then it leaves: it first hands over what it owes to others.
    fn can_hand_over(&self, order: Move) -> bool {
        let is_farewell = order.arc.first() == self.mixer.node(self.me);
        self.own.covers(order.arc) && (!is_farewell || self.own.is_only(order.arc))
    }

    fn hand_over(&mut self, Move { number, arc, to }: Move, env: &mut impl Env<ServerDht>) {
        let mixer = self.mixer;
        let (records, rest): (BTreeMap<_, _>, _) =
            self.records.iter().partition(|(key, _)| arc.contains(mixer.key(**key)));
        self.records = rest;
        self.moved += records.values().filter(|it| it.value.is_some()).count() as u64;
        self.own.remove(arc);
        env.send(to, Msg::Items { number, arc, records: records.into_iter().collect() });
        let holders = self.copying.holders.clone();
        self.forget(&holders, arc, env);
        if arc.first() == mixer.node(self.me) {
            self.phase = Phase::Gone;
            self.copying.holders = Box::default();
            self.copying.chosen = None;
            self.copies.clear();
            env.emit(Event::Left);
        }
    }

    fn change_holders_if_chosen(&mut self, env: &mut impl Env<ServerDht>) {
        let Some(chosen) = self.copying.chosen.take() else { return };
        let old = std::mem::replace(&mut self.copying.holders, chosen.clone());
        let new: Vec<_> = chosen.iter().copied().filter(|node| !old.contains(node)).collect();
        let gone: Vec<_> = old.iter().copied().filter(|node| !chosen.contains(node)).collect();
        let records: Vec<_> = self.records.iter().map(|(key, record)| (*key, *record)).collect();
        self.copy(&new, &records, None, env);
        self.forget(&gone, Arc::WHOLE, env);
    }

    fn copy(
        &mut self,
        to: &[NodeId],
        records: &[(u64, Record)],
        answer: Option<(NodeId, Msg)>,
        env: &mut impl Env<ServerDht>,
    ) {
        if !records.is_empty() {
            let message = |batch| Msg::Copy { batch, records: records.into() };
            self.copying.tell(to, message, answer, env);
        }
    }

    fn forget(&mut self, to: &[NodeId], arc: Arc, env: &mut impl Env<ServerDht>) {
        self.copying.tell(to, |batch| Msg::Forget { batch, arc }, None, env);
    }

    /// Keeps copies, unless newer ones are there. A process that has left keeps nothing.
    fn keep(&mut self, owner: NodeId, records: &[(u64, Record)]) {
        if self.phase == Phase::Gone {
            return;
        }
        for &(key, record) in records {
            let copy = self.copies.entry((owner, key)).or_default();
            if record.done > copy.done {
                *copy = record;
            }
        }
    }

    fn finish_batch(&mut self, batch: u32, env: &mut impl Env<ServerDht>) {
        let Some(waiting) = self.copying.batches.get_mut(&batch) else { return }; // A duplicate.
        waiting.missing -= 1;
        if waiting.missing == 0 {
            let finished = self.copying.batches.remove(&batch);
            if let Some((client, done)) = finished.and_then(|batch| batch.answer) {
                env.send(client, done);
            }
            self.settle(env);
        }
    }

    pub(super) fn own(&self) -> &Arcs {
        &self.own
    }

    /// The keys with a value that it is responsible for, and their values.
    pub(super) fn entries(&self) -> Vec<(u64, u64)> {
        with_values(&self.records)
    }

    /// How many keys with a value it is responsible for.
    pub(super) fn load(&self) -> u64 {
        self.records.values().filter(|record| record.value.is_some()).count() as u64
    }

    pub(super) fn moved(&self) -> u64 {
        self.moved
    }

    /// How many of its keys with a value have fewer copies than they should.
    pub(super) fn under_replicated<'a>(
        &self,
        copies: u32,
        store: impl Fn(NodeId) -> Option<&'a Self>,
    ) -> u64 {
        let holders: Vec<_> = self.copying.holders.iter().filter_map(|node| store(*node)).collect();
        let has = |holder: &&&Self, key: u64, record: &Record| {
            holder.copies.get(&(self.me, key)).is_some_and(|copy| copy.value == record.value)
        };
        let with_value = self.records.iter().filter(|(_, record)| record.value.is_some());
        let lacking = with_value.filter(|(key, record)| {
            let copied = holders.iter().filter(|holder| has(holder, **key, record)).count();
            copied + 1 < copies as usize
        });
        lacking.count() as u64
    }
}

impl Copying {
    /// Tells these nodes something that each of them acknowledges.
    fn tell(
        &mut self,
        to: &[NodeId],
        message: impl Fn(u32) -> Msg,
        answer: Option<(NodeId, Msg)>,
        env: &mut impl Env<ServerDht>,
    ) {
        if to.is_empty() {
            return;
        }
        let batch = self.next;
        self.next += 1;
        self.batches.insert(batch, Batch { missing: to.len() as u32, answer });
        to.iter().for_each(|node| env.send(*node, message(batch)));
    }
}
