//! Requests for the same key meet on their way, and go on as one.
//!
//! A. Gottlieb, B. D. Lubachevsky, L. Rudolph: Basic Techniques for the Efficient Coordination of
//! Very Large Numbers of Cooperating Sequential Processors. ACM TOPLAS 5 (2), 1983. A. G. Ranade:
//! How to Emulate Shared Memory. FOCS 1987.
//!
//! # Idea
//!
//! If many processes ask for one key at a time, its owner drowns in requests, however well keys are
//! spread. But the requests travel along the same last hops: a node that has passed on a request
//! for a key holds further ones back (combine) until the answer comes, and then answers all of them
//! (split).
//!
//! With `--variant strict`, those that are held back form the next request. A request is a pair:
//! whether it wants the old value, and what it writes, if anything. Pairs compose: the first one's
//! question stays if it comes before any write, and the last write wins. That is associative, so a
//! node can combine what others have combined, and the owner carries one pair out in one step. The
//! answer is the old value; each part gets the value that the parts before it have left. So the
//! parts have consecutive places in the order of the key, and it is linearizable.
//!
//! With `--variant eager`, the rule of the lecture, all that are held back are answered by the
//! answer that is already under way: a get with a value that was read before it was invoked, and a
//! put as if it had happened just before the one that is under way. That is right while nobody
//! writes. Otherwise not even a process that reads what it has written can rely on it, so these
//! answers claim no place in any order: `check-history` judges them.
//!
//! Theorem 6.4: if every process has one request, a node handles at most (deg + 1) · D requests,
//! where D is the number of different keys on the ways through it. For each neighbour passes on at
//! most one request for a key, as it holds the others back, and so does the node itself. The proof
//! overlooks stragglers: a neighbour that was answered before the last request reached it passes on
//! another one. At any time, the bound holds for the requests under way; in total it holds if
//! answers are kept, as they can be if nobody writes: `--variant kept`.
//!
//! # Cost
//!
//! Messages: at most 2 log2 n per operation, with high probability. Those that meet share them.
//!
//! - Time: 2h T at h hops from the owner; a request that is held back at every node on its strict
//!   way waits for an answer at each, up to 2^(h+1) T.
//! - State: the neighbours, the records of the node, and what it holds back.
//!
//! # Assumes
//!
//! Reliable channels in any order, and a network that does not change, in which the ways to a key
//! form a tree: if two nodes passed on requests for the same key to each other, each would hold the
//! other's back for ever.
//!
//! - Loss: a lost message leaves all operations that it stands for without an answer.
//! - Duplication: a duplicate request is carried out twice; a duplicate answer is ignored.
//! - Crash: operations whose way leads over a crashed node wait for ever.
//!
//! # Differs from the paper
//!
//! The papers combine in a butterfly or an omega network, in lockstep. Here requests meet on the
//! search paths of a Skip+ graph, or of a sorted list, which has a constant degree, as the theorem
//! asks.

mod counts;
mod eager;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Command, DictionaryOp, Event, Record};
use crate::NodeId;
use crate::NodeSet;
use crate::object::{Answer, OneByOne};
use crate::overlay::{Hop, Overlay};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use counts::Counts;
pub use counts::Handled;
use eager::{Eager, Kind};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Strict: requests for a key, combined.
    Ask {
        /// The key.
        key: u64,
        /// What is asked.
        pair: Pair,
    },
    /// Strict: a pair was carried out.
    Answer {
        /// The key.
        key: u64,
        /// The value before, if the pair wanted it.
        old: Answer,
        /// The place of its first part among the operations on the key.
        first: u64,
    },
    /// Eager: an operation that stands for all of its kind that are held back.
    Request(DictionaryOp),
    /// Eager: it was carried out.
    Reply {
        /// The key.
        key: u64,
        /// The kind of operation.
        kind: Kind,
        /// Its answer.
        answer: Answer,
    },
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// Operations on one key, combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pair {
    /// How many there are.
    pub count: u32,
    /// Whether the value before them is wanted.
    pub wants: bool,
    /// What they write in the end: a value or none, if they write at all.
    pub write: Option<Answer>,
}

impl Pair {
    /// One operation.
    pub fn of(op: DictionaryOp) -> Self {
        let write = match op {
            DictionaryOp::Put { value, .. } => Some(Some(value)),
            DictionaryOp::Delete(_) => Some(None),
            DictionaryOp::Get(_) => None,
        };
        Self { count: 1, wants: write.is_none(), write }
    }

    /// These operations, then others. What comes after a write does not want the old value.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        Self {
            count: self.count + later.count,
            wants: self.wants || self.write.is_none() && later.wants,
            write: later.write.or(self.write),
        }
    }
}

/// A part of a combined request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// An operation of this process.
    Own { ticket: u32, op: DictionaryOp },
    /// What a neighbour has combined.
    Of(NodeId, Pair),
}

impl Part {
    fn pair(self) -> Pair {
        match self {
            Self::Own { op, .. } => Pair::of(op),
            Self::Of(_, pair) => pair,
        }
    }
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CombineSplit<O> {
    overlay: O,
    rule: Rule,
    operations: OneByOne<DictionaryOp>,
    records: BTreeMap<u64, Record>,
    counts: Counts,
}

/// How requests are combined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Rule {
    Strict(BTreeMap<u64, Strict>),
    Eager(Eager),
}

/// A request for a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Strict {
    /// The parts of the one that is under way.
    out: Vec<Part>,
    /// What has arrived since.
    next: Vec<Part>,
}

/// Which rule combines requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// An answer serves those that were there before the request was passed on.
    Strict,
    /// An answer serves all that are held back.
    Eager,
    /// And all that come later: what is read is kept for ever.
    Kept,
}

impl<O: Overlay> CombineSplit<O> {
    /// A node of a legal network.
    pub fn new(overlay: O, variant: Variant) -> Self {
        let rule = match variant {
            Variant::Strict => Rule::Strict(BTreeMap::new()),
            Variant::Eager => Rule::Eager(Eager::default()),
            Variant::Kept => Rule::Eager(Eager::keeping()),
        };
        let (operations, records) = (OneByOne::default(), BTreeMap::new());
        Self { overlay, rule, operations, records, counts: Counts::default() }
    }

    fn me(&self) -> NodeId {
        self.overlay.place().me
    }

    /// The next node on the way to a key; none if this one is responsible.
    fn next(&self, key: u64) -> Option<NodeId> {
        match self.overlay.next(self.overlay.place().mixer.key(key)) {
            Hop::Here => None,
            Hop::To(to) => Some(to),
        }
    }

    /// Begins the next operations of this process; those on its own keys end at once.
    fn begin(&mut self, env: &mut impl Env<Self>) {
        while let Some((ticket, op)) = self.operations.under_way() {
            self.counts.own(op.key());
            let witness = self.records.get(&op.key()).map_or(0, |record| record.done);
            let Some(answer) = self.answer_if_known(op) else {
                return match &self.rule {
                    Rule::Strict(_) => self.combine(op.key(), Part::Own { ticket, op }, env),
                    Rule::Eager(_) => self.hold(None, op, env),
                };
            };
            self.operations.finish(ticket);
            env.emit(Event::Returned { ticket, answer, witness: self.told(witness) });
        }
    }

    /// The place of an operation, if its rule keeps one order.
    fn told(&self, witness: u64) -> Option<u64> {
        matches!(self.rule, Rule::Strict(_)).then_some(witness)
    }

    fn finish(
        &mut self,
        ticket: u32,
        answer: Answer,
        witness: Option<u64>,
        env: &mut impl Env<Self>,
    ) {
        if self.operations.finish(ticket) {
            env.emit(Event::Returned { ticket, answer, witness });
            self.begin(env);
        }
    }

    /// A part goes on as a request of its own, or waits for the one that is under way.
    fn combine(&mut self, key: u64, part: Part, env: &mut impl Env<Self>) {
        let next = self.next(key);
        let Rule::Strict(requests) = &mut self.rule else { return };
        match (next, requests.get_mut(&key)) {
            (Some(_), Some(request)) => request.next.push(part),
            (Some(to), None) => {
                requests.insert(key, Strict { out: vec![part], next: Vec::new() });
                env.send(to, Msg::Ask { key, pair: part.pair() });
            }
            (None, _) => {
                let (old, first) = self.carry_out(key, part.pair());
                if let Part::Of(node, _) = part {
                    env.send(node, Msg::Answer { key, old, first });
                }
            }
        }
    }

    /// The owner carries a pair out in one step.
    fn carry_out(&mut self, key: u64, pair: Pair) -> (Answer, u64) {
        let record = self.records.entry(key).or_default();
        let (old, first) = (record.value, record.done);
        record.done += u64::from(pair.count);
        record.value = pair.write.unwrap_or(old);
        (old.filter(|_| pair.wants), first)
    }

    /// Every part gets the value that the parts before it have left. What has arrived meanwhile
    /// goes first, before operations that this process begins now.
    fn split(&mut self, key: u64, mut old: Answer, mut first: u64, env: &mut impl Env<Self>) {
        let next = self.next(key);
        let Rule::Strict(requests) = &mut self.rule else { return };
        let Some(Strict { out, next: arrived }) = requests.remove(&key) else { return };
        let combined = arrived.iter().map(|part| part.pair()).reduce(Pair::then);
        if let (Some(to), Some(pair)) = (next, combined) {
            requests.insert(key, Strict { out: arrived, next: Vec::new() });
            env.send(to, Msg::Ask { key, pair });
        }
        let mut own = Vec::new();
        for part in out {
            let pair = part.pair();
            let wanted = old.filter(|_| pair.wants);
            match part {
                Part::Of(node, _) => env.send(node, Msg::Answer { key, old: wanted, first }),
                Part::Own { ticket, .. } => own.push((ticket, wanted, first)),
            }
            old = pair.write.unwrap_or(old);
            first += u64::from(pair.count);
        }
        for (ticket, answer, witness) in own {
            self.finish(ticket, answer, Some(witness), env);
        }
    }
}

impl<O: Overlay> Protocol for CombineSplit<O> {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Invoke(op) => {
                if self.operations.invoke(op).is_some() {
                    self.begin(env);
                }
            }
            Command::Join { .. } => env.emit(Event::Joined), // The network does not change.
            Command::Leave => {}
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Ask { key, pair } => {
                self.counts.handle(key);
                self.combine(key, Part::Of(from, pair), env);
            }
            Msg::Answer { key, old, first } => self.split(key, old, first, env),
            Msg::Request(op) => {
                self.counts.handle(op.key());
                self.hold(Some(from), op, env);
            }
            Msg::Reply { key, kind, answer } => self.release(key, kind, answer, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        let keys: Vec<u64> = match &self.rule {
            Rule::Strict(requests) => requests.keys().copied().collect(),
            Rule::Eager(eager) => eager.keys().collect(),
        };
        keys.into_iter().filter_map(|key| self.next(key)).collect()
    }

    fn knows(&self) -> Option<Vec<NodeId>> {
        Some(self.overlay.known())
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![Invariant::new("one request per key and node", one_request)]
    }
}

/// A node that waits for the answer to a combined request has one under way: the request, its
/// answer, or a part of what the next node holds.
fn one_request<O: Overlay>(system: &Snapshot<'_, CombineSplit<O>>) -> Result<(), String> {
    for node in system.nodes {
        let Rule::Strict(requests) = &node.rule else { return Ok(()) };
        for &key in requests.keys() {
            let me = node.me();
            let sent = system.messages.iter().filter(|(from, to, msg)| match msg {
                Msg::Ask { key: other, .. } => *from == me && *other == key,
                Msg::Answer { key: other, .. } => *to == me && *other == key,
                _ => false,
            });
            let is_mine = |part: &&Part| matches!(part, Part::Of(node, _) if *node == me);
            let held = system.nodes.iter().filter_map(|other| match &other.rule {
                Rule::Strict(requests) => requests.get(&key),
                Rule::Eager(_) => None,
            });
            let held = held.flat_map(|it| it.out.iter().chain(&it.next)).filter(is_mine);
            let count = sent.count() + held.count();
            if count != 1 {
                return Err(format!("node {me} has {count} requests for key {key} under way"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
