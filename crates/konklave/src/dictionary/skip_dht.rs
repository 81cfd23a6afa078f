//! Processes that form a Skip+ graph share a dictionary without a server.
//!
//! R. Jacob, A. Richa, C. Scheideler, S. Schmid, H. Täubig: SKIP+: A Self-Stabilizing Skip Graph.
//! Journal of the ACM 61 (6), 2014. The placement is that of consistent hashing (Karger et al.,
//! STOC 1997).
//!
//! # Idea
//!
//! Nodes and keys have positions on a circle, and a node is responsible from its position up to its
//! successor's. The Skip+ graph brings a request there in O(log n) hops. But the overlay only says
//! where data *should* be, and while nodes join and leave, it says different things at different
//! nodes. So with `--placement owned`, it does not decide which node may answer: every position is
//! *owned*, either by exactly one node or by exactly one message that hands it over. Only the owner
//! of a key answers for it. A node whose successor changes hands over what it should not own any
//! more; a node that leaves first hands over everything. A request that comes to the responsible
//! node before the range does waits for it there.
//!
//! With `--placement copied`, nothing is owned. Every record moves towards its responsible node,
//! hop by hop: a node keeps it until the next has acknowledged it. That is self-stabilising:
//! records find their places from any state. But a copy on its way can be older than what it meets,
//! so records have versions, which the responsible node assigns, and deletions leave tombstones. It
//! promises less: once the system is legal and nobody joins or leaves, it is linearizable.
//!
//! Theorem 6.2: in a legal state, put, delete and get cost O(log n) messages in expectation, since
//! every hop gets closer on the circle and, in expectation, climbs or descends a level of O(log n).
//! A join or leave changes O(log n) neighbourhoods in expectation, and moves one arc. It is
//! linearizable under any churn: an operation takes effect when its owner carries it out; at any
//! time a key has at most one owner, and what the next owner knows, it was handed by the last. As
//! each process has one operation under way, it is sequentially consistent.
//!
//! # Cost
//!
//! Messages: at most log2 n + 2 per operation, with high probability, beside upkeep. A hand-over is
//! two.
//!
//! - Time: as many T as messages; operations of one process wait for each other.
//! - State: O(log n) addresses and the records of the node.
//!
//! # Assumes
//!
//! Reliable channels in any order, which return messages to nodes that have left; a contact that
//! stays until the process that joins has joined. A network that is connected.
//!
//! - Loss: a lost hand-over loses its part of the circle, and operations on it wait for ever, but
//!   with owned ranges no answer is wrong.
//! - Duplication: a duplicate request is carried out twice, a duplicate hand-over makes two owners.
//! - Crash: operations on the keys of a crashed node wait for ever.
//!
//! # Differs from the paper
//!
//! The paper is about the graph alone. With owned ranges, a node has its turn in the overlay only
//! if what it knows has changed since the last: what an unchanged node would say, its neighbours
//! have heard. So a system that nobody joins or leaves is silent, and the overlay is no longer
//! self-stabilising; with copied placement, it is. The largest node that learns a larger one tells
//! it of the smallest, and one that does not know the smallest looks for it: that node is silent,
//! and would not ask. A hand-over is acknowledged, and so is a request that a leaving node passes
//! on, since what it has sent comes back only to a node that is still there. A search that was sent
//! from the smallest node to the largest does not turn again, so it cannot circulate while the ends
//! of the network do not know each other.

pub mod copied;
mod ranges;
mod upkeep;

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::{Command, DictionaryOp, Event, Record, Tally, Task};
use crate::circle::{Arc, Arcs};
use crate::derived::Derived;
use crate::object::{Answer, OneByOne};
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{self, Hop, Member, Overlay, Place};
use crate::protocol::{Env, Hosts, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// About the overlay.
    Overlay(overlay::Msg),
    /// An operation travels to the owner of its key.
    Request {
        /// The operation.
        task: Task,
        /// The number of messages since it was invoked or last waited, this one included.
        hops: u32,
        /// Whether it was sent from the smallest node to the largest.
        has_turned: bool,
        /// Whether the sender waits for [`Taken`](Self::Taken), as it is about to leave.
        is_registered: bool,
    },
    /// To a process: its operation was carried out.
    Done {
        /// Which.
        ticket: u32,
        /// Its answer.
        answer: Answer,
        /// Its place among the operations on its key.
        witness: u64,
    },
    /// The receiver owns this part of the circle from now on.
    HandOver {
        /// The part.
        arc: Arc,
        /// Its keys and what is known about them.
        records: Box<[(u64, Record)]>,
    },
    /// A hand-over or a registered request has arrived.
    Taken,
    /// The largest node looks for the smallest.
    Seek,
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// One node, with owned ranges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkipDht {
    member: Member<SkipPlus>,
    phase: Phase,
    /// Whether what it knows has changed since its last turn in the overlay.
    has_news: bool,
    operations: OneByOne<DictionaryOp>,
    own: Arcs,
    /// Whether it hands over nothing of that as long as it owns and knows the same: so a turn of a
    /// node in a calm network looks at little.
    is_settled: Derived<bool>,
    records: BTreeMap<u64, Record>,
    /// Requests for which this node is responsible, but whose range has not come.
    waiting: VecDeque<Task>,
    /// How many of its messages are to be confirmed before it can leave.
    unconfirmed: u32,
    tally: Tally,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Outside,
    /// It takes part in the overlay, but has not owned anything yet.
    Joining,
    Inside,
    Leaving,
    Gone,
}

impl SkipDht {
    /// A node with this part in the overlay that owns these arcs; a legal network has no news.
    pub fn new(member: Member<SkipPlus>, own: Option<Arcs>, has_news: bool) -> Self {
        Self {
            member,
            phase: if own.is_some() { Phase::Inside } else { Phase::Outside },
            has_news,
            operations: OneByOne::default(),
            own: own.unwrap_or_default(),
            is_settled: Derived(false),
            records: BTreeMap::new(),
            waiting: VecDeque::new(),
            unconfirmed: 0,
            tally: Tally::default(),
        }
    }

    fn place(&self) -> Place {
        self.member.overlay().place()
    }

    /// Begins the next operations of this process; those on its own keys end at once.
    fn begin(&mut self, env: &mut impl Env<Self>) {
        while let Some((ticket, op)) = self.operations.under_way() {
            let task = Task { client: self.place().me, ticket, op };
            if !self.own.contains(self.place().mixer.key(op.key())) {
                return self.handle(task, 0, false, env);
            }
            let (answer, witness) = self.carry_out(task, 0);
            self.operations.finish(ticket);
            env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
        }
    }

    fn finish(&mut self, ticket: u32, answer: Answer, witness: u64, env: &mut impl Env<Self>) {
        if self.operations.finish(ticket) {
            env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
            self.begin(env);
        } // Else a duplicate.
    }

    fn carry_out(&mut self, task: Task, hops: u32) -> (Answer, u64) {
        self.tally.carry_out(hops);
        self.records.entry(task.op.key()).or_default().carry_out(task.op)
    }

    /// Carries an operation out, passes it on, or lets it wait for its range.
    fn handle(&mut self, task: Task, hops: u32, mut has_turned: bool, env: &mut impl Env<Self>) {
        let point = self.place().mixer.key(task.op.key());
        if self.own.contains(point) {
            let (answer, witness) = self.carry_out(task, hops);
            return match task.client == self.place().me {
                true => self.finish(task.ticket, answer, witness, env),
                false => {
                    env.send(task.client, Msg::Done { ticket: task.ticket, answer, witness });
                }
            };
        }
        match self.member.overlay().next_once(point, &mut has_turned) {
            Hop::To(to) => self.pass_on(to, task, hops, has_turned, env),
            Hop::Here => self.waiting.push_back(task),
        }
    }

    fn pass_on(
        &mut self,
        to: NodeId,
        task: Task,
        hops: u32,
        has_turned: bool,
        env: &mut impl Env<Self>,
    ) {
        let is_registered = self.phase == Phase::Leaving;
        self.unconfirmed += u32::from(is_registered);
        env.send(to, Msg::Request { task, hops: hops + 1, has_turned, is_registered });
    }

    /// Whether it owns nothing and owes nothing, so that it can go.
    fn is_free(&self) -> bool {
        self.own.is_empty()
            && self.waiting.is_empty()
            && self.unconfirmed == 0
            && self.operations.is_idle()
    }
}

impl Protocol for SkipDht {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.run(env, |it, env| it.on_start(env));
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.phase) {
            (Command::Invoke(op), _) => {
                let is_next = self.operations.invoke(op).is_some();
                if is_next {
                    self.begin(env);
                }
            }
            (Command::Join { contact }, Phase::Outside) => {
                self.phase = Phase::Joining;
                let join = overlay::Command::Join { contact };
                self.observe(env, |it, env| it.run(env, |part, env| part.on_command(join, env)));
            }
            (Command::Leave, Phase::Joining | Phase::Inside) => {
                if self.phase == Phase::Joining {
                    env.emit(Event::Joined);
                }
                self.phase = Phase::Leaving;
                self.run(env, |it, env| it.on_command(overlay::Command::Leave, env));
            }
            (Command::Join { .. }, Phase::Inside) => env.emit(Event::Joined),
            (Command::Leave, Phase::Outside) => env.emit(Event::Left),
            _ => {} // It is on its way.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Overlay(msg) => self.observe(env, |it, env| {
                it.run(env, |part, env| part.on_message(from, msg, env));
            }),
            Msg::Request { task, hops, has_turned, is_registered } => {
                if is_registered {
                    env.send(from, Msg::Taken);
                }
                self.handle(task, hops, has_turned, env);
            }
            Msg::Done { ticket, answer, witness } => self.finish(ticket, answer, witness, env),
            Msg::HandOver { arc, records } => {
                env.send(from, Msg::Taken);
                self.take_over(arc, &records, env);
            }
            Msg::Taken => self.unconfirmed = self.unconfirmed.saturating_sub(1),
            Msg::Seek => self.seek(env),
        }
    }

    fn ticks(&self) -> bool {
        true
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        match self.phase {
            Phase::Outside | Phase::Gone => {}
            Phase::Joining | Phase::Inside => {
                self.tell_news(env);
                if !*self.is_settled || !self.waiting.is_empty() {
                    self.settle(env);
                }
            }
            Phase::Leaving => {
                self.hand_everything_over(env);
                let is_free = self.is_free();
                self.run(env, |it, env| it.bid_farewell(is_free, env));
            }
        }
    }

    /// The receiver has left. What it was to own, this node owns again, until it knows better.
    fn on_returned(&mut self, to: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        self.observe(env, |it, env| match msg {
            Msg::Overlay(msg) => it.run(env, |part, env| part.on_returned(to, msg, env)),
            msg => {
                it.member.bury(to);
                it.take_back(msg, env);
            }
        });
    }

    fn waits_for(&self) -> NodeSet {
        let is_waiting = self.operations.under_way().is_some() || self.phase == Phase::Leaving;
        self.member.successor().filter(|_| is_waiting).into_iter().collect()
    }

    /// Also the processes of requests that wait here, which will be answered.
    fn knows(&self) -> Option<Vec<NodeId>> {
        let mut known = self.member.knows()?;
        known.extend(self.waiting.iter().map(|task| task.client));
        Some(known)
    }

    fn tells(&self, msg: &Msg) -> Vec<NodeId> {
        match msg {
            Msg::Overlay(msg) => self.member.tells(msg),
            // Its process is answered.
            Msg::Request { task, .. } => vec![task.client],
            _ => Vec::new(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![Invariant::new("every position has one owner", ranges::one_owner)]
    }
}

#[cfg(test)]
mod tests;
