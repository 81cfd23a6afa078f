//! All operations of a wave at once: the anchor splits the range of priorities, not the wave.
//!
//! A. Aho, J. Hopcroft, J. Ullman: The Design and Analysis of Computer Algorithms. Addison-Wesley,
//! 1974.
//!
//! # Idea
//!
//! Where inserts and deletes have phases of their own, a process that alternates between them ends
//! two operations per cycle. Here a process contributes all its operations to a wave, as runs of
//! inserts and deletes in turn, and the runs of all processes are added up. To know what each run
//! of deletes takes out is the offline minimum problem, and it need not be solved run by run.
//!
//! Let the elements be split by a pivot. The low ones are always preferred, so the numbers of low
//! elements that each run inserts tell how many deletes of each run they are for. Then the low
//! elements with these deletes, and the high ones with the others, are problems of their own. The
//! anchor of the aggregation tree drives all open problems together: one round draws a pivot for
//! each, one counts. A problem is closed when numbers tell its fate: nothing is deleted, all
//! elements go to one run, or there is one element only.
//!
//! Elements that are taken out travel to buckets, one for each closed problem, and every delete
//! knows the bucket of its element and its place there. The others travel to random processes.
//!
//! The order of runs keeps the program order of each process, so the heap is sequentially
//! consistent; it is linearizable, since an operation returns after all processes have contributed
//! to its wave. Waves sleep while nobody asks.
//!
//! # Cost
//!
//! Messages: O(log n) per operation and 2(n-1) per round, O(log m) rounds per wave.
//!
//! - Time: O(log n log m) per wave, however operations alternate.
//! - State: about m/n of m elements, and the operations of a wave.
//!
//! # Assumes
//!
//! Reliable channels in any order between all processes; members do not change.
//!
//! - Loss: a lost message stops all waves. Safety holds.
//! - Duplication: a duplicate that arrives late can bring an element back that was taken out, or
//!   let a process reply too early.
//! - Crash: the crash of a process stops all waves, and its elements are lost.
//!
//! # Differs from the paper
//!
//! The book solves the problem for one processor. Here many do, with a message of k numbers for
//! each open problem of a wave of k runs; there are at most twice as many of them as deletes.

mod offline;
mod questions;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::desk::Desk;
use super::store::{self, Bucket, Place, Store, bucket_of};
use super::{Command, Event, HeapOp};
use crate::circle::{Mixer, Salt};
use crate::object::Answer;
use crate::overlay::ldb::Ldb;
use crate::protocol::{Env, Hosts, Never, Protocol};
use crate::rounds::{self, Rounds};
use crate::selection::Key;
use crate::selection::candidates::Between;
use crate::{NodeId, NodeSet};
pub use offline::Lot;
use offline::within;
pub use questions::{Anchor, Ask, Given, Questions, Reply, Share};

/// What processes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// About a round.
    Round(rounds::Msg<Ask, Reply>),
    /// About an element.
    Store(store::Msg),
}

const _: () = assert!(size_of::<Msg>() <= 72);

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HeapOffline {
    rounds: Rounds<Questions>,
    store: Store,
    desk: Desk<Reply>,
    /// The operations of this wave.
    wave: Vec<(u32, HeapOp)>,
    /// The elements that this process inserts in this wave, sorted, with their runs.
    fresh: Vec<(Key, usize)>,
    /// The deletes of this wave that have no element yet, with their places in the order.
    deletes: BTreeMap<u32, u64>,
    /// At the anchor: what it knows.
    anchor: Option<Box<Anchor>>,
}

/// Draws pivots.
const HASH: Salt = Salt(35);

/// The run of an operation behind one of this run: those with an even number are inserts.
fn run_of(at: usize, op: HeapOp) -> usize {
    let parity = usize::from(op == HeapOp::DeleteMin);
    at + usize::from(at % 2 != parity)
}

impl HeapOffline {
    /// A process at its place in the network, whose hash functions are these.
    pub fn new(ldb: Ldb, mixer: Mixer) -> Self {
        let rounds = Rounds::new(ldb.parent(), ldb.children());
        let anchor = ldb.parent().is_none().then(|| Box::new(Anchor::new(mixer)));
        Self {
            rounds,
            store: Store::new(ldb, mixer),
            desk: Desk::default(),
            wave: Vec::new(),
            fresh: Vec::new(),
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

    fn command(&mut self, command: rounds::Command<Ask, Reply>, env: &mut impl Env<Self>) {
        Hosts::<Rounds<Questions>>::run(self, env, |rounds, env| rounds.on_command(command, env));
    }

    /// Another wave does not come by itself if all processes have contributed nothing.
    fn wake_if_left_out(&mut self, env: &mut impl Env<Self>) {
        if self.desk.is_left_out() {
            self.command(rounds::Command::Wake, env);
        }
    }

    /// Lets elements travel, and replies when all have arrived.
    fn travel(&mut self, commands: &[store::Command], reply: Reply, env: &mut impl Env<Self>) {
        self.desk.expect(commands.len(), reply);
        for command in commands {
            Hosts::<Store>::run(self, env, |store, env| store.on_command(*command, env));
        }
        self.reply_if_arrived(env);
    }

    fn reply_if_arrived(&mut self, env: &mut impl Env<Self>) {
        if let Some(reply) = self.desk.reply() {
            self.command(rounds::Command::Reply(reply), env);
        }
    }

    fn finish(&mut self, ticket: u32, answer: Answer, witness: u64, env: &mut impl Env<Self>) {
        env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
    }

    /// This process is asked.
    fn on_asked(&mut self, ask: Ask, env: &mut impl Env<Self>) {
        let reply = match ask {
            Ask::Runs => self.contribute(),
            Ask::Pivots { salt, ranges } => {
                let pivot = |range: &Between| self.least(*range, Mixer::new(salt));
                Reply::Pivots(ranges.iter().map(pivot).collect())
            }
            Ask::Count { runs, ranges } => {
                let counts = ranges.iter().map(|range| self.arrivals(*range, runs as usize));
                Reply::Counts(counts.collect())
            }
            Ask::Place { wave, lots } => return self.place(wave, &lots, env),
            Ask::Give(given) => return self.give(given, env),
        };
        self.command(rounds::Command::Reply(reply), env);
    }

    /// A wave begins: all operations of this process take part.
    fn contribute(&mut self) -> Reply {
        self.wave = self.desk.take_all(|_| true);
        self.desk.close(self.wave.is_empty());
        let (mut lengths, mut at) = (Vec::new(), 0);
        for (_, op) in &self.wave {
            at = run_of(at, *op);
            lengths.resize(at + 1, 0);
            lengths[at] += 1_u64;
            if let HeapOp::Insert { id, priority } = *op {
                self.fresh.push((Key { priority, id }, at / 2));
            }
        }
        self.fresh.sort_unstable();
        Reply::Runs { lengths, elements: self.store.elements().len() as u64 }
    }

    /// The elements of this process in a range, with their runs: what is there already arrives with
    /// the first.
    fn inside(&self, range: Between) -> impl Iterator<Item = (Key, usize)> {
        let stored = self.store.elements().iter().map(|key| (*key, 0));
        stored.chain(self.fresh.iter().copied()).filter(move |(key, _)| within(range, *key))
    }

    fn least(&self, range: Between, hash: Mixer) -> Option<(u64, Key)> {
        self.inside(range).map(|(key, _)| (hash.mix(key.id, HASH), key)).min()
    }

    /// How many elements in a range arrive with each of so many runs.
    fn arrivals(&self, range: Between, runs: usize) -> Vec<u64> {
        let own = self.fresh.iter().map(|(_, run)| run + 1).max().unwrap_or(1);
        let mut arrivals = vec![0; runs.max(own)];
        self.inside(range).for_each(|(_, run)| arrivals[run] += 1);
        arrivals
    }

    /// The fate of all elements is known.
    fn place(&mut self, wave: u32, lots: &[Lot], env: &mut impl Env<Self>) {
        let lot = |key: Key| lots.iter().position(|lot| lot.holds(key));
        let mut commands = Vec::new();
        let mut leave = |key: Key, number: usize| {
            let bucket = Bucket { cycle: wave, number: number as u32 };
            commands.push(store::Command::Put(key, Place::Bucket(bucket)));
        };
        for key in self.store.elements() {
            if let Some(number) = lot(*key) {
                leave(*key, number);
            }
        }
        self.store.remove(|key| lot(*key).is_some());
        let mut stay = Vec::new();
        for (key, _) in std::mem::take(&mut self.fresh) {
            match lot(key) {
                Some(number) => leave(key, number),
                None => stay.push(store::Command::Put(key, Place::Heap)),
            }
        }
        commands.append(&mut stay);
        self.travel(&commands, Reply::Done, env);
    }

    /// Every operation has its place, and every delete knows the rank of its element.
    fn give(&mut self, mut given: Given, env: &mut impl Env<Self>) {
        let mut gets = Vec::new();
        let mut at = 0;
        for (ticket, op) in std::mem::take(&mut self.wave) {
            at = run_of(at, op);
            let Some(run) = given.runs.get_mut(at) else { continue };
            let Share { witness, rank, found } = run.take(1);
            if found == 0 {
                self.finish(ticket, None, witness, env);
                continue;
            }
            self.deletes.insert(ticket, witness);
            let (number, index) = bucket_of(&given.ends, rank);
            let bucket = Bucket { cycle: given.wave, number };
            gets.push(store::Command::Get { ticket, bucket, index });
        }
        self.travel(&gets, Reply::Done, env);
    }

    /// One of the elements that this process waits for has arrived.
    fn on_arrived(&mut self, env: &mut impl Env<Self>) {
        self.desk.arrive();
        self.reply_if_arrived(env);
    }

    /// The anchor goes on.
    fn ask(&mut self, ask: Option<Ask>, env: &mut impl Env<Self>) {
        if let Some(ask) = ask {
            self.command(rounds::Command::Ask(ask), env);
        }
    }
}

impl Protocol for HeapOffline {
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
                Hosts::<Rounds<Questions>>::run(self, env, |it, env| it.on_message(from, msg, env));
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

impl Hosts<Rounds<Questions>> for HeapOffline {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Rounds<Questions>> {
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
                let ask = anchor.and_then(|anchor| anchor.next(reply));
                self.ask(ask, env);
            }
            rounds::Event::Woken => {
                let ask = anchor.and_then(|anchor| anchor.wake());
                self.ask(ask, env);
            }
        }
    }
}

impl Hosts<Store> for HeapOffline {
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
            store::Event::Stored => self.on_arrived(env),
            store::Event::Taken { ticket, key } => {
                if let Some(witness) = self.deletes.remove(&ticket) {
                    self.finish(ticket, Some(key.id), witness, env);
                    self.on_arrived(env);
                } // Else a duplicate.
            }
        }
    }
}

#[cfg(test)]
mod tests;
