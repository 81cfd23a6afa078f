//! All processes insert, then all delete: the anchor finds the largest element to be taken out.
//!
//! M. Feldmann, C. Scheideler: Skeap & Seap: Scalable Distributed Priority Queues for Constant and
//! Arbitrary Priorities. SPAA, 2019.
//!
//! # Idea
//!
//! Priorities are arbitrary, so there are too many for the anchor to know what there is of each.
//! Elements are spread over all processes at random, and inserts and deletes have phases of their
//! own, in turn. The anchor of the aggregation tree drives them by questions to all processes.
//!
//! In an insert phase, elements travel to their processes. In a delete phase, processes tell how
//! many elements they want: j in all. The anchor selects the j-th smallest element (see
//! `k-select`), and all elements up to it are taken out. They travel to buckets, each for a range
//! of priorities, whose sizes the anchor learns; so an interval of ranks that is split among all
//! deletes tells each of them the bucket of its element and its place there.
//!
//! A process contributes the longest prefix of its operations that consists of inserts to an insert
//! phase, and of deletes to a delete phase. So no operation overtakes an earlier one of its
//! process, and the heap is sequentially consistent. It is linearizable as well: an operation
//! returns after all processes have contributed to its phase, so what is invoked later is in a
//! later phase.
//!
//! With the free rule (`--rule free`) a process contributes all its inserts, and all its deletes.
//! More operations end in a cycle, if they alternate; but an operation may overtake an earlier one
//! of the other kind, and sequential consistency is lost. What is kept: some order explains all
//! answers and agrees with the real time between the return of one operation and the invocation of
//! another.
//!
//! Phases sleep while nobody asks: after a cycle without operations, the first process with one
//! wakes the anchor.
//!
//! # Cost
//!
//! Messages: O(log n) per operation and 2(n-1) per round, O(log n) rounds per cycle.
//!
//! - Time: O(log² n) per cycle, with high probability; a process with alternating operations ends
//!   two of them in each.
//! - State: about m/n of m elements, and the operations of a cycle.
//!
//! # Assumes
//!
//! Reliable channels in any order between all processes; members do not change.
//!
//! - Loss: a lost message stops all phases. Safety holds.
//! - Duplication: a duplicate that arrives late can bring an element back that was taken out, or
//!   let a process reply too early.
//! - Crash: the crash of a process stops all phases, and its elements are lost.
//!
//! # Differs from the paper
//!
//! Elements that are taken out are sorted into about √j buckets, so a list of √j sizes travels to
//! all processes. In the paper they get positions in the order of the tree, with messages of O(log
//! n) bits; then nobody knows the rank of an element, and so the place of its delete in one order
//! of all operations. Acknowledgements are part of the replies of a round. Phases sleep.

mod phases;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::desk::Desk;
use super::store::{self, Bucket, Place, Store, bucket_of};
use super::{Command, Event, HeapOp};
use crate::object::Answer;
use crate::overlay::ldb::Ldb;
use crate::protocol::{Env, Hosts, Never, Protocol};
use crate::rounds::{self, Rounds};
use crate::selection::Key;
use crate::selection::candidates::{self, Candidates, sample};
use crate::selection::search::Plan;
use crate::{NodeId, NodeSet};
pub use phases::{Anchor, Ask, Given, Phases, Reply, Topic};

/// Which operations a process contributes to a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The longest prefix of its operations that suits the phase.
    #[default]
    Prefix,
    /// All that suit the phase.
    Free,
}

/// What processes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// About a round.
    Round(rounds::Msg<Ask, Reply>),
    /// About an element.
    Store(store::Msg),
}

const _: () = assert!(size_of::<Msg>() <= 88);

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seap {
    rule: Rule,
    rounds: Rounds<Phases>,
    store: Store,
    candidates: Candidates,
    desk: Desk<Reply>,
    /// The inserts of this cycle that have not returned.
    inserts: Vec<u32>,
    /// The deletes of this cycle that have no element yet, with their places in the order.
    deletes: BTreeMap<u32, u64>,
    /// At the anchor: what it knows.
    anchor: Option<Box<Anchor>>,
}

impl Seap {
    /// A process at its place in the network. The plan is that of selections.
    pub fn new(ldb: Ldb, plan: Plan, rule: Rule) -> Self {
        let rounds = Rounds::new(ldb.parent(), ldb.children());
        let anchor = ldb.parent().is_none().then(|| Box::new(Anchor::new(plan)));
        Self {
            rule,
            rounds,
            store: Store::new(ldb, plan.mixer),
            candidates: Candidates::default(),
            desk: Desk::default(),
            inserts: Vec::new(),
            deletes: BTreeMap::new(),
            anchor,
        }
    }

    /// What the anchor knows; `None` at all others.
    pub fn anchor(&self) -> Option<&Anchor> {
        self.anchor.as_deref()
    }

    /// Its elements.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// How many rounds have begun here.
    pub fn rounds(&self) -> u32 {
        self.rounds.count()
    }

    /// Takes the operations of a phase out of those that wait.
    fn contribute(&mut self, suits: impl Fn(HeapOp) -> bool) -> Vec<(u32, HeapOp)> {
        match self.rule {
            Rule::Prefix => self.desk.take_prefix(suits),
            Rule::Free => self.desk.take_all(suits),
        }
    }

    /// Another cycle does not come by itself if all processes have contributed nothing.
    fn wake_if_left_out(&mut self, env: &mut impl Env<Self>) {
        if self.desk.is_left_out() {
            self.command(rounds::Command::Wake, env);
        }
    }

    fn command(&mut self, command: rounds::Command<Ask, Reply>, env: &mut impl Env<Self>) {
        Hosts::<Rounds<Phases>>::run(self, env, |rounds, env| rounds.on_command(command, env));
    }

    /// Lets elements travel, and replies when all have arrived.
    fn travel(
        &mut self,
        commands: impl ExactSizeIterator<Item = store::Command>,
        reply: Reply,
        env: &mut impl Env<Self>,
    ) {
        self.desk.expect(commands.len(), reply);
        for command in commands {
            Hosts::<Store>::run(self, env, |store, env| store.on_command(command, env));
        }
        self.reply_if_arrived(env);
    }

    fn reply_if_arrived(&mut self, env: &mut impl Env<Self>) {
        if let Some(reply) = self.desk.reply() {
            self.command(rounds::Command::Reply(reply), env);
        }
    }

    /// One of the elements that this process waits for has arrived.
    fn arrive(&mut self, env: &mut impl Env<Self>) {
        self.desk.arrive();
        self.reply_if_arrived(env);
    }

    fn finish(&mut self, ticket: u32, answer: Answer, witness: u64, env: &mut impl Env<Self>) {
        env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
    }

    /// This process is asked.
    fn on_asked(&mut self, ask: Ask, env: &mut impl Env<Self>) {
        match ask {
            Ask::Inserts => self.insert(env),
            Ask::Deletes { witness } => self.want(witness, env),
            Ask::Select(ask) => {
                let reply = self.candidates.reply(self.store.elements(), &ask);
                self.command(rounds::Command::Reply(Reply::Select(reply)), env);
            }
            Ask::Sample { most, salt, share } => {
                let keys = candidates::Reply::Keys(sample(self.store.up_to(most), salt, share));
                self.command(rounds::Command::Reply(Reply::Select(keys)), env);
            }
            Ask::Place { cycle, most, dividers } => {
                let keys = self.store.up_to(most).to_vec();
                self.store.remove(|key| keys.binary_search(key).is_ok());
                let bucket = |key: &Key| dividers.partition_point(|divider| divider < key);
                let mut counts = vec![0; dividers.len() + 1];
                keys.iter().for_each(|key| counts[bucket(key)] += 1);
                let put = |key: &Key| {
                    let bucket = Bucket { cycle, number: bucket(key) as u32 };
                    store::Command::Put(*key, Place::Bucket(bucket))
                };
                self.travel(keys.iter().map(put), Reply::Placed(counts), env);
            }
            Ask::Give(given) => self.take(&given, env),
        }
    }

    /// The insert phase.
    fn insert(&mut self, env: &mut impl Env<Self>) {
        let inserts = self.contribute(|op| matches!(op, HeapOp::Insert { .. }));
        self.desk.open();
        self.inserts = inserts.iter().map(|(ticket, _)| *ticket).collect();
        let put = |(_, op): (u32, HeapOp)| match op {
            HeapOp::Insert { id, priority } => Some(Key { priority, id }),
            HeapOp::DeleteMin => None,
        };
        let keys: Vec<Key> = inserts.into_iter().filter_map(put).collect();
        let reply = Reply::Inserted(keys.len() as u64);
        let put = |key| store::Command::Put(key, Place::Heap);
        self.travel(keys.into_iter().map(put), reply, env);
    }

    /// The insert phase is over, and all elements are at their places: the delete phase.
    fn want(&mut self, witness: u64, env: &mut impl Env<Self>) {
        let inserts = std::mem::take(&mut self.inserts);
        let deletes = self.contribute(|op| op == HeapOp::DeleteMin);
        self.desk.close(inserts.is_empty() && deletes.is_empty());
        // Their places in the order come with the elements.
        self.deletes = deletes.into_iter().map(|(ticket, _)| (ticket, 0)).collect();
        for (ticket, witness) in inserts.into_iter().zip(witness..) {
            self.finish(ticket, None, witness, env);
        }
        self.candidates.reply(self.store.elements(), &candidates::Ask::Activate);
        let elements = self.store.elements().len() as u64;
        let reply = Reply::Wanted { deletes: self.deletes.len() as u64, elements };
        self.wake_if_left_out(env);
        self.command(rounds::Command::Reply(reply), env);
    }

    /// Every delete knows the rank of its element.
    fn take(&mut self, given: &Given, env: &mut impl Env<Self>) {
        let mut gets = Vec::new();
        let mut empty = Vec::new();
        for ((ticket, place), offset) in self.deletes.iter_mut().zip(0..) {
            let rank = given.rank + offset;
            *place = given.witness + offset;
            if rank >= given.found {
                empty.push((*ticket, *place));
                continue;
            }
            let (number, index) = bucket_of(&given.ends, rank);
            let bucket = Bucket { cycle: given.cycle, number };
            gets.push(store::Command::Get { ticket: *ticket, bucket, index });
        }
        for (ticket, witness) in empty {
            self.deletes.remove(&ticket);
            self.finish(ticket, None, witness, env);
        }
        self.travel(gets.into_iter(), Reply::Given, env);
    }

    /// The anchor goes on.
    fn ask(&mut self, ask: Option<Ask>, env: &mut impl Env<Self>) {
        if let Some(ask) = ask {
            self.command(rounds::Command::Ask(ask), env);
        }
    }
}

impl Protocol for Seap {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        let Command::Invoke(op) = command else { return }; // Members do not change.
        self.desk.invoke(op);
        self.wake_if_left_out(env);
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Round(msg) => {
                Hosts::<Rounds<Phases>>::run(self, env, |it, env| it.on_message(from, msg, env));
            }
            Msg::Store(msg) => {
                Hosts::<Store>::run(self, env, |it, env| it.on_message(from, msg, env));
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        self.rounds.waits_for()
    }
}

impl Hosts<Rounds<Phases>> for Seap {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Rounds<Phases>> {
        Some(&mut self.rounds)
    }

    fn wrap_msg((): &(), msg: rounds::Msg<Ask, Reply>) -> Msg {
        Msg::Round(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, (): &(), event: rounds::Event<Ask, Reply>, env: &mut impl Env<Self>) {
        let anchor = self.anchor.as_mut();
        match event {
            rounds::Event::Asked(ask) => self.on_asked(ask, env),
            rounds::Event::Complete(reply) => {
                let ask = anchor.and_then(|it| it.next(reply, &mut |bound| env.choose(bound)));
                self.ask(ask, env);
            }
            rounds::Event::Woken => {
                let ask = anchor.and_then(|anchor| anchor.wake());
                self.ask(ask, env);
            }
        }
    }
}

impl Hosts<Store> for Seap {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Store> {
        Some(&mut self.store)
    }

    fn wrap_msg((): &(), msg: store::Msg) -> Msg {
        Msg::Store(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, (): &(), event: store::Event, env: &mut impl Env<Self>) {
        match event {
            store::Event::Stored => self.arrive(env),
            store::Event::Taken { ticket, key } => {
                if let Some(witness) = self.deletes.remove(&ticket) {
                    self.finish(ticket, Some(key.id), witness, env);
                    self.arrive(env);
                } // Else a duplicate.
            }
        }
    }
}

#[cfg(test)]
mod tests;
