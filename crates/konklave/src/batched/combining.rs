//! Combining: requests for places in one order meet on the way to the anchor, and go on as one.
//!
//! # Idea
//!
//! Without waves, nobody waits for all others. A process collects what arrives until its timeout:
//! its own operations and the requests of other processes. Then it sends all of that on towards the
//! anchor as one request, with a number of its own, and remembers under this number which parts it
//! was combined from. The anchor assigns places to a request when it arrives. A process that gets
//! the answer splits it, in the order in which the parts were combined, and forgets the request. It
//! may have several requests under way, since it does not wait before it passes others on. If
//! nobody asks, no timer runs and nothing is sent.
//!
//! Its *own* operations do wait: while some of them are under way, later ones are kept back. Two
//! requests of one process may overtake each other, and then the later operations would get the
//! earlier places. Counts of enqueues and of dequeues, sent for themselves, have that defect even
//! in one request: so a batch is made of runs, as in waves.
//!
//! Theorem: the order of places keeps the program order of each process and agrees with real time.
//! For a process sends its next batch when the last one has its places, and the parts of one
//! request keep their runs (induction over the way). An operation that has returned was assigned
//! before; whatever is invoked later reaches the anchor later.
//!
//! # Cost
//!
//! A lone operation at distance d from the anchor takes d messages up and d back. If all processes
//! of a tree ask at the same time, and messages take equal times, requests from the same depth meet
//! at every node, those from different depths do not: a node below the anchor sends one request for
//! each level of its subtree, and gets as many answers. In waves it would be one.
//!
//! What ways lead to the anchor, a host says; they have to form a tree, or requests go in circles.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::waves::Placed;
use super::{Op, Service};
use crate::protocol::{Env, Protocol};
use crate::{NodeId, NodeSet};

/// What processes on a way send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<B, A> {
    /// Towards the anchor: operations that need places.
    Request {
        /// How many requests the sender has sent before.
        id: u32,
        /// The operations.
        batch: B,
    },
    /// Back: their places.
    Answer {
        /// The number of the request.
        id: u32,
        /// What the anchor says about it.
        assignment: A,
    },
}

/// A process has collected for long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timeout;

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Combining<S: Service> {
    upwards: Upwards<S>,
    /// How long it collects.
    period: Duration,
    /// The operations without a place: those of a request that is under way come first.
    ops: VecDeque<Op<S>>,
    /// How many of them are under way.
    sent: u32,
    /// How many operations have got their places: the ticket of the first of `ops`.
    placed: u32,
    /// The requests that have arrived since the last timeout.
    collected: Vec<Part<S::Batch>>,
    /// What each of its requests was combined from.
    requests: BTreeMap<u32, Vec<Part<S::Batch>>>,
    /// How many it has sent.
    count: u32,
}

/// What is above a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Upwards<S> {
    /// The next process on the way.
    Process(NodeId),
    /// The process is the anchor.
    Anchor(S),
}

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part<B> {
    /// The operations of this process that are under way.
    Own,
    /// A request of another process.
    Of { process: NodeId, id: u32, batch: B },
}

impl<S: Service> Combining<S> {
    /// A process that collects for this long, and this one next on the way to the anchor; the
    /// anchor, if there is none.
    pub fn new(next: Option<NodeId>, period: Duration) -> Self {
        Self {
            upwards: next.map_or_else(|| Upwards::Anchor(S::default()), Upwards::Process),
            period,
            ops: VecDeque::new(),
            sent: 0,
            placed: 0,
            collected: Vec::new(),
            requests: BTreeMap::new(),
            count: 0,
        }
    }

    /// What the anchor knows; `None` at all others.
    pub fn anchor(&self) -> Option<&S> {
        match &self.upwards {
            Upwards::Anchor(service) => Some(service),
            Upwards::Process(_) => None,
        }
    }

    /// How many requests it has sent.
    pub fn requests(&self) -> u32 {
        self.count
    }

    /// The operations that are under way.
    fn under_way(&self) -> impl Iterator<Item = Op<S>> + '_ {
        self.ops.iter().copied().take(self.sent as usize)
    }

    /// Whether there is something to send at the next timeout: then its timer runs.
    fn has_work(&self) -> bool {
        !self.collected.is_empty() || self.has_own_work()
    }

    fn has_own_work(&self) -> bool {
        self.sent == 0 && !self.ops.is_empty()
    }

    /// Something happens that may give it something to send.
    fn observe<E: Env<Self>>(&mut self, env: &mut E, happens: impl FnOnce(&mut Self, &mut E)) {
        let had_work = self.has_work();
        happens(self, env);
        if self.has_work() && !had_work {
            env.set_timer(Timeout, self.period);
        }
    }

    /// At the anchor, a request has its answer at once.
    fn assign(&mut self, batch: &S::Batch) -> Option<S::Assignment> {
        match &mut self.upwards {
            Upwards::Anchor(service) => Some(service.assign(batch)),
            Upwards::Process(_) => None,
        }
    }

    fn place_own(&mut self, assignment: S::Assignment, env: &mut impl Env<Self>) {
        let places = S::start(assignment, self.under_way());
        self.sent = 0;
        for place in places {
            let op = self.ops.pop_front().expect("as many places as operations");
            env.emit(Placed { ticket: self.placed, op, place });
            self.placed += 1;
        }
    }

    fn batch(&self, part: &Part<S::Batch>) -> S::Batch {
        match part {
            Part::Own => S::build(self.under_way()),
            Part::Of { batch, .. } => batch.clone(),
        }
    }

    /// Everybody whose operations were in a request gets their part of the answer.
    fn split(&mut self, id: u32, mut assignment: S::Assignment, env: &mut impl Env<Self>) {
        let Some(parts) = self.requests.remove(&id) else { return }; // A duplicate.
        for part in parts {
            let share = S::decompose(&mut assignment, &self.batch(&part));
            match part {
                Part::Own => self.place_own(share, env),
                Part::Of { process, id, .. } => {
                    env.send(process, Msg::Answer { id, assignment: share });
                }
            }
        }
    }
}

impl<S: Service> Protocol for Combining<S> {
    type Msg = Msg<S::Batch, S::Assignment>;
    type Timer = Timeout;
    type Command = Op<S>;
    type Event = Placed<Op<S>, S::Key>;

    fn on_command(&mut self, op: Op<S>, env: &mut impl Env<Self>) {
        if let Some(assignment) = self.assign(&S::build(std::iter::once(op))) {
            self.ops.push_back(op);
            self.sent = 1;
            return self.place_own(assignment, env);
        }
        self.observe(env, |it, _| it.ops.push_back(op));
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request { id, batch } => match self.assign(&batch) {
                Some(assignment) => env.send(from, Msg::Answer { id, assignment }),
                None => self.observe(env, |it, _| {
                    it.collected.push(Part::Of { process: from, id, batch });
                }),
            },
            Msg::Answer { id, assignment } => {
                self.observe(env, |it, env| it.split(id, assignment, env));
            }
        }
    }

    fn on_timer(&mut self, Timeout: Timeout, env: &mut impl Env<Self>) {
        let Upwards::Process(next) = self.upwards else { return };
        let own = self.has_own_work().then_some(Part::Own);
        if own.is_some() {
            self.sent = self.ops.len() as u32;
        }
        let parts: Vec<_> = own.into_iter().chain(std::mem::take(&mut self.collected)).collect();
        let combined = parts.iter().map(|part| self.batch(part)).reduce(|mut batch, next| {
            S::combine(&mut batch, &next);
            batch
        });
        let Some(batch) = combined else { return };
        let id = self.count;
        self.count += 1;
        self.requests.insert(id, parts);
        env.send(next, Msg::Request { id, batch });
    }

    fn waits_for(&self) -> NodeSet {
        match self.upwards {
            Upwards::Process(next) if !self.requests.is_empty() => NodeSet::from_iter([next]),
            _ => NodeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests;
