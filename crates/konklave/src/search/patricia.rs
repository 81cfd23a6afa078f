//! The nodes of a trie lie in a dictionary under their labels, so a binary search finds its way.
//!
//! S. Kniesburges, C. Scheideler: Hashed Patricia Trie: Efficient Longest Prefix Matching in
//! Peer-to-Peer Systems. WALCOM 2011.
//!
//! # Idea
//!
//! A trie has a node for each prefix of a key, its label. In a Patricia trie nodes with one child
//! are left out, so that inserts and deletes change a constant number of nodes; but a search still
//! goes down node by node. If nodes lie in a dictionary under their labels, a search can look for a
//! prefix of any length at once. A binary search for the length of the longest prefix of x that
//! some key has would take log W steps, but a label that is not there says nothing: it may lie
//! inside an edge. So there is one more node on each edge, its *msd node*, at the length where a
//! binary search would look first between the two ends: the number in between with the most zeros
//! at its end.
//!
//! The answer to a search is a key below the deepest node whose label is a prefix of x. Every inner
//! node holds one key that begins with its label, and every key is held by one inner node: there
//! are as many of both, thanks to a leaf for infinity behind all keys. So a search need not go down
//! to a leaf. Leaves are linked in their order, and inner nodes know the first and the last key
//! below them: so the next larger and smaller keys are one entry away.
//!
//! The node that holds an entry is found by the dictionary, whatever that is. Inserts and deletes
//! are carried out by one member, the *sequencer*, one after the other. It counts them in an entry
//! of its own, the *version*: odd while it writes. A question reads the version before and
//! afterwards, and begins again if it has changed. So it has seen one state of the trie, and the
//! version says which.
//!
//! With `--variant patricia` there are no msd nodes and no links, and a search goes down from the
//! root; with `--variant trie` there is a node for every prefix.
//!
//! Theorem: a search reads at most ⌊log2(W+1)⌋ + 5 entries, and one for the successor one more. An
//! insert or delete changes at most 10 entries beside those of the links; the ends of the nodes
//! above it change as long as the key is the first or last below them.
//!
//! # Cost
//!
//! Messages: O(log W) requests to the dictionary per search.
//!
//! - Time: its requests follow each other. An entry is several words, each a request of its own: a
//!   header, and a word for each label in it that is not a prefix of its own.
//! - State: up to 4n entries of n keys in the dictionary; at a process, what its operation has
//!   read.
//!
//! # Assumes
//!
//! What the dictionary assumes; keys of at most 64 bits, of which the last W count; members do not
//! change. Different words have different 64-bit hash values: with n words the probability of an
//! exception is below n²/2^65.
//!
//! - Loss: a lost message leaves its operation without an end; a lost answer to the sequencer stops
//!   all updates, and the questions that wait for them. Safety holds.
//! - Duplication: a duplicate update is carried out twice, and the order has a place that no
//!   operation has.
//! - Crash: the crash of the sequencer stops all updates; otherwise as in the dictionary.
//!
//! # Differs from the paper
//!
//! The lecture's second phase goes on from the length that the binary search has reached, which can
//! be inside an edge; here it goes on from the label of the node that was found. An edge whose msd
//! label is that of its lower end needs no msd node. The paper says nothing about concurrency: the
//! sequencer and its version are ours, as are links and ends. The leaf of the plain trie is not
//! reached: the next inner node holds an answer. A search reads no entry twice.

mod costs;
mod question;
mod sequencer;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Form, Label, OrderedSetOp, Record, Words};
use crate::circle::Mixer;
use crate::dictionary::{self, DictionaryOp};
use crate::object::{Answer, OneByOne};
use crate::protocol::{Data, Env, Hosts, Protocol};
use crate::{NodeId, NodeSet};
pub use costs::Costs;
use question::Question;
use sequencer::{Job, Sequencer};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<M> {
    /// Of the dictionary.
    Dictionary(M),
    /// To the sequencer: the sender invokes an update.
    Update {
        /// How many operations it had invoked before.
        ticket: u32,
        /// What it asks for.
        op: OrderedSetOp,
    },
    /// From the sequencer: an update was carried out.
    Updated {
        /// Which.
        ticket: u32,
        /// The number of updates before it.
        witness: u64,
    },
    /// To the sequencer: the sender has met a change of this version, and waits for the next.
    Await {
        /// The version that it has seen.
        version: u64,
    },
    /// From the sequencer: this version was complete.
    Settled {
        /// Which.
        version: u64,
    },
}

/// What all nodes of a trie know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Which nodes the trie has.
    pub form: Form,
    /// The number of bits of a key, 1 to 64.
    pub width: u32,
    /// The member that carries out updates.
    pub sequencer: NodeId,
    /// The functions that draw the keys of entries.
    pub mixer: Mixer,
}

impl Plan {
    fn words(self) -> Words {
        Words::new(self.mixer)
    }

    /// The nodes of the trie whose words these are, from the root down.
    pub fn records(self, words: &BTreeMap<u64, u64>) -> BTreeMap<Label, Record> {
        let (mut records, mut open) = (BTreeMap::new(), vec![Label::root()]);
        while let Some(label) = open.pop() {
            let record = self.words().find(&label, |key| words.get(&key).copied());
            match &record {
                Some(Record::Inner(inner)) => open.extend(inner.children.iter().flatten().cloned()),
                Some(Record::Support { child, .. }) if child.len() > label.len() => {
                    open.push(child.clone());
                }
                _ => {}
            }
            records.extend(record.map(|record| (label, record)));
        }
        records
    }

    fn label(self, key: u64) -> Label {
        Label::number(key, self.width)
    }
}

/// Whose request to the dictionary it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Purpose {
    Question,
    Update,
}

/// One node, a part of which is a node of a dictionary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Patricia<D> {
    me: NodeId,
    plan: Plan,
    dictionary: D,
    /// How many requests the dictionary has had.
    asked: u32,
    /// Those that have not been answered, by their tickets.
    outstanding: Vec<(u32, Purpose)>,
    /// Answers that have just come.
    answers: Vec<(Purpose, Answer)>,
    operations: OneByOne<OrderedSetOp>,
    question: Option<Question>,
    sequencer: Sequencer,
    reads: Costs,
    repeats: u64,
}

/// A dictionary that a trie can use.
pub trait Host: Protocol<Command = dictionary::Command, Event = Event, Msg: Data> {}

impl<D: Protocol<Command = dictionary::Command, Event = Event>> Host for D {}

impl<D: Host> Patricia<D> {
    /// Node `me`, with its part of the dictionary.
    pub fn new(me: NodeId, plan: Plan, dictionary: D) -> Self {
        Self {
            me,
            plan,
            dictionary,
            asked: 0,
            outstanding: Vec::new(),
            answers: Vec::new(),
            operations: OneByOne::default(),
            question: None,
            sequencer: Sequencer::default(),
            reads: Costs::default(),
            repeats: 0,
        }
    }

    /// The entries that its searches have read.
    pub fn reads(&self) -> Costs {
        self.reads
    }

    /// The entries that updates have changed, at the sequencer.
    pub fn writes(&self) -> Costs {
        self.sequencer.writes()
    }

    /// How often its questions have met a change.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Its part of the dictionary.
    pub fn dictionary(&self) -> &D {
        &self.dictionary
    }

    fn request(&mut self, purpose: Purpose, op: DictionaryOp, env: &mut impl Env<Self>) {
        self.outstanding.push((self.asked, purpose));
        self.asked += 1;
        let command = dictionary::Command::Invoke(op);
        self.run(env, |dictionary, env| dictionary.on_command(command, env));
    }

    /// Reacts to the answers of the dictionary, which may come at once.
    fn go_on(&mut self, env: &mut impl Env<Self>) {
        while let Some((purpose, answer)) = self.answers.pop() {
            match purpose {
                Purpose::Question => self.on_word(answer, env),
                Purpose::Update => self.on_update_word(answer, env),
            }
        }
    }

    /// Begins the operation of this process that is next.
    fn begin(&mut self, env: &mut impl Env<Self>) {
        let Some((ticket, op)) = self.operations.under_way() else { return };
        match op {
            OrderedSetOp::Insert(_) | OrderedSetOp::Delete(_) if self.me == self.plan.sequencer => {
                self.accept(Job { client: self.me, ticket, op }, env);
            }
            OrderedSetOp::Insert(_) | OrderedSetOp::Delete(_) => {
                env.send(self.plan.sequencer, Msg::Update { ticket, op });
            }
            _ => {
                self.question = Some(Question::Opening);
                self.request(Purpose::Question, DictionaryOp::Get(self.version_key()), env);
            }
        }
    }

    fn version_key(&self) -> u64 {
        self.plan.words().version()
    }

    fn finish(&mut self, ticket: u32, answer: Answer, witness: u64, env: &mut impl Env<Self>) {
        if self.operations.finish(ticket) {
            env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
            self.begin(env);
        } // Else a duplicate.
    }
}

impl<D: Host> Protocol for Patricia<D> {
    type Msg = Msg<D::Msg>;
    type Timer = D::Timer;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.run(env, |dictionary, env| dictionary.on_start(env));
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Invoke(op) => {
                if self.operations.invoke(op).is_some() {
                    self.begin(env);
                    self.go_on(env);
                }
            }
            Command::Join { .. } | Command::Leave => {} // Members do not change.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Dictionary(msg) => {
                self.run(env, |dictionary, env| dictionary.on_message(from, msg, env));
            }
            Msg::Update { ticket, op } => self.accept(Job { client: from, ticket, op }, env),
            Msg::Updated { ticket, witness } => self.finish(ticket, None, witness, env),
            Msg::Await { version } => self.settle_or_keep(from, version, env),
            Msg::Settled { version } => self.on_settled(version, env),
        }
        self.go_on(env);
    }

    fn on_timer(&mut self, timer: D::Timer, env: &mut impl Env<Self>) {
        self.run(env, |dictionary, env| dictionary.on_timer(timer, env));
        self.go_on(env);
    }

    fn waits_for(&self) -> NodeSet {
        let is_waiting = self.operations.under_way().is_some() && self.outstanding.is_empty();
        let sequencer = is_waiting.then_some(self.plan.sequencer);
        self.dictionary.waits_for().iter().chain(sequencer).collect()
    }
}

impl<D: Host> Hosts<D> for Patricia<D> {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut D> {
        Some(&mut self.dictionary)
    }

    fn wrap_msg((): &(), msg: D::Msg) -> Msg<D::Msg> {
        Msg::Dictionary(msg)
    }

    fn wrap_timer((): &(), timer: D::Timer) -> D::Timer {
        timer
    }

    fn on_part(&mut self, (): &(), event: Event, _env: &mut impl Env<Self>) {
        let Event::Returned { ticket, answer, .. } = event else { return };
        if let Some(place) = self.outstanding.iter().position(|(it, _)| *it == ticket) {
            let (_, purpose) = self.outstanding.remove(place);
            self.answers.push((purpose, answer));
        }
    }
}

#[cfg(test)]
mod tests;
