//! Combining on a self-stabilising overlay: an object that recovers from any of six problems.
//!
//! # Idea
//!
//! Processes form a Skip+ graph. A process without a left neighbour is the anchor. In its turn, a
//! process combines what it has collected, and sends it to its farthest left neighbour, as in
//! [combining](super::combining); elements lie at the processes that are responsible for the hashes
//! of their keys. The overlay stabilises by itself; the rest may begin in a wrong state:
//!
//! 1. *Several elements with one key.* An element that lies at the wrong process moves on until the
//!    right one has it. Of two with the same key, one is kept, the other is inserted anew.
//! 2. *A key without an element.* An operation that is sent there returns nothing: an empty
//!    element.
//! 3. *Several anchors.* A process that has a left neighbour hands what it knows as an anchor to
//!    it, and is none any more. If two states meet at one process, neither is believed: the object
//!    begins anew, in a new *epoch*. Every message tells its epoch. A process that hears of a later
//!    one forgets what places it has been told, asks again, and inserts its elements anew, in the
//!    order of their keys. What is left of earlier epochs is ignored.
//! 4. *An anchor with a wrong state.* A process claims its elements in turn, one at a time. The
//!    anchor believes that elements exist: it goes on behind the largest key. An element that it
//!    sends nobody to any more is inserted anew, once nobody can be on the way to it.
//! 5. *An operation waits for ever for its place.* A request leaves a trace: who passed it on keeps
//!    the next process, and asks there from time to time whether it is remembered. If not, the
//!    parts of the request are told, and whoever invoked the operations asks again.
//! 6. *An operation waits for ever for its element.* After some turns it returns nothing, and
//!    leaves a marker. If the element comes after all, it is inserted anew. Markers vanish in time.
//!    If the operation itself was lost, its process sends it again.
//!
//! What is told of in 4, 5 and 6 may be under way. So nobody acts at once: for so many turns as a
//! message may need to arrive, with all that follows from it, a process waits.
//!
//! Theorem: from any state in which processes are connected, the object becomes legal; what is
//! invoked afterwards is sequentially consistent, beginning with some content, in which elements
//! may be empty. For the overlay becomes legal, then there is one anchor, so at most one more epoch
//! begins, whose requests all have traces. In a legal state no rule changes anything: each acts on
//! something that is not legal, or on something under way for longer than it can be.

mod cells;
mod legal;
mod letters;
mod orders;
pub mod problem;

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;

use super::{Op, Service};
use crate::derived::Derived;
use crate::object::{self, Event};
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{self, Member, Overlay, Side};
use crate::protocol::{Env, Hosts, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};
use cells::Cell;
pub use letters::Msg;
use letters::{Letter, Task, Ticket};
use orders::{Part, Request, Travelling};
use problem::Problem;

/// A service whose state at the anchor can be wrong.
pub trait Mended: Service {
    /// There is an element with this key. Learns that, if the key is beyond all that were given
    /// out; tells whether an operation will be sent to it, as far as is known.
    fn claim(&mut self, key: Self::Key) -> bool;

    /// Whether the key was given out.
    fn has_given(&self, key: Self::Key) -> bool;

    /// Whether an assignment can be that of a batch.
    fn fits(assignment: &Self::Assignment, batch: &Self::Batch) -> bool;

    /// The keys in an assignment: those of elements that are brought, and those of elements that
    /// are taken out.
    fn keys(assignment: &Self::Assignment) -> [Vec<Self::Key>; 2];

    /// An element out of nowhere, by these choices, and a key.
    fn any(choose: &mut dyn FnMut(u32) -> u32) -> (Self::Key, Op<Self>);

    /// Any state of an anchor.
    fn garbled(choose: &mut dyn FnMut(u32) -> u32) -> Self;
}

/// An epoch that no run can reach: it is not believed.
const ABSURD: u64 = 1 << 62;

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stabilising<S: Mended> {
    member: Member<SkipPlus>,
    /// In how many turns a message arrives, with all that follows from it.
    patience: u32,
    epoch: u64,
    anchor: Anchor<S>,
    /// How many operations its application has invoked.
    invoked: u32,
    /// The operations without a place: those of a request that is under way come first.
    ops: VecDeque<(Ticket, Op<S>)>,
    /// How many of them are under way.
    sent: u32,
    /// The requests that have arrived since the last turn.
    collected: Vec<Part<S::Batch>>,
    /// Its own requests: their traces.
    requests: BTreeMap<u32, Request<S::Batch>>,
    /// How many requests it has sent.
    count: u32,
    /// Its operations with a key that have not ended.
    travelling: BTreeMap<Ticket, Travelling<S>>,
    cells: BTreeMap<S::Key, Cell<Op<S>>>,
    /// Elements that nobody will be sent to, and for how many turns it has known that.
    doubts: BTreeMap<S::Key, u32>,
    /// The key that it has claimed last.
    claimed: Option<S::Key>,
    /// What it has repaired.
    repairs: Derived<Repairs>,
    /// A problem that it begins with.
    opening: Option<Problem>,
}

/// What a process has as an anchor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Anchor<S> {
    /// Nothing; for how many turns it has had no left neighbour, either.
    Nothing(u32),
    State(S),
}

/// What a process has repaired.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repairs {
    /// How often it has begun a new epoch for all.
    pub resets: u64,
    /// How many elements it has inserted anew.
    pub anew: u64,
    /// How many operations have found an empty element.
    pub empty: u64,
}

impl<S: Mended> Stabilising<S> {
    /// A process with this part in the overlay, which waits for so many turns before it repairs
    /// what may be under way. The object is new: one process is the anchor of all.
    pub fn new(member: Member<SkipPlus>, patience: u32, is_anchor: bool) -> Self {
        Self {
            member,
            patience: patience.max(1),
            epoch: 0,
            anchor: if is_anchor { Anchor::State(S::default()) } else { Anchor::Nothing(0) },
            invoked: 0,
            ops: VecDeque::new(),
            sent: 0,
            collected: Vec::new(),
            requests: BTreeMap::new(),
            count: 0,
            travelling: BTreeMap::new(),
            cells: BTreeMap::new(),
            doubts: BTreeMap::new(),
            claimed: None,
            repairs: Derived::default(),
            opening: None,
        }
    }

    /// What it knows as the anchor.
    pub fn anchor(&self) -> Option<&S> {
        match &self.anchor {
            Anchor::State(service) => Some(service),
            Anchor::Nothing(_) => None,
        }
    }

    /// What it has repaired.
    pub fn repairs(&self) -> Repairs {
        *self.repairs
    }

    /// How many elements it stores.
    pub fn held(&self) -> usize {
        self.cells.values().filter(|cell| matches!(cell, Cell::Element(_))).count()
    }

    fn me(&self) -> NodeId {
        self.member.overlay().place().me
    }

    /// The next process on the way to the anchor; none if this one has no left neighbour.
    fn towards_anchor(&self) -> Option<NodeId> {
        self.member.overlay().neighbours(Side::Left).last()
    }

    fn send(&self, to: NodeId, letter: Letter<S>, env: &mut impl Env<Self>) {
        env.send(to, Msg { epoch: self.epoch, letter });
    }

    /// In its turn a process without left neighbours is the anchor; any other hands over what it
    /// knows as one.
    fn keep_anchor(&mut self, env: &mut impl Env<Self>) {
        match (&mut self.anchor, self.member.overlay().neighbours(Side::Left).last()) {
            (Anchor::State(_), None) => {}
            (Anchor::State(service), Some(left)) => {
                let letter = Letter::Hand(Box::new(std::mem::take(service)));
                self.anchor = Anchor::Nothing(0);
                self.send(left, letter, env);
            }
            (Anchor::Nothing(turns), None) if *turns < self.patience => *turns += 1,
            (Anchor::Nothing(_), None) => self.reset(),
            (Anchor::Nothing(turns), Some(_)) => *turns = 0,
        }
    }

    /// What another process knew as an anchor arrives.
    fn take_over(&mut self, service: Box<S>, env: &mut impl Env<Self>) {
        match (self.towards_anchor(), &self.anchor) {
            (Some(left), _) => self.send(left, Letter::Hand(service), env),
            (None, Anchor::Nothing(_)) => self.anchor = Anchor::State(*service),
            (None, Anchor::State(_)) => self.reset(), // Which of them is right?
        }
    }

    /// Begins a new epoch, as its anchor.
    fn reset(&mut self) {
        self.repairs.resets += 1;
        self.begin(self.epoch + 1);
        self.anchor = Anchor::State(S::default());
    }

    /// Forgets what it was told about places in earlier epochs: asks again, and inserts its
    /// elements anew.
    fn begin(&mut self, epoch: u64) {
        self.epoch = epoch;
        self.anchor = Anchor::Nothing(0);
        self.ask_all_again();
        let cells = std::mem::take(&mut self.cells);
        for cell in cells.into_values() {
            if let Cell::Element(op) = cell {
                self.insert_anew(op);
            }
        }
        self.doubts.clear();
        self.claimed = None;
    }

    fn handle(&mut self, from: NodeId, letter: Letter<S>, env: &mut impl Env<Self>) {
        match letter {
            Letter::Overlay(_) => {}
            Letter::Request { id, batch } => self.collect(from, id, batch),
            Letter::Answer { id, assignment } => self.on_answer(from, id, assignment, env),
            Letter::Check { id } if self.remembers(from, id) => {}
            Letter::Check { id } => self.send(from, Letter::Nack { id }, env),
            Letter::Nack { id } => self.deny(from, id),
            Letter::Hand(service) => self.take_over(service, env),
            Letter::Claim { process, key } => self.on_claim(process, key, env),
            Letter::Orphan { key } => self.doubt(key),
            Letter::Put { task, op } => self.put(task, op, env),
            Letter::Get(task) => self.get(task, env),
            Letter::Done { ticket, answer } => self.finish(ticket, answer, env),
            Letter::Move { key, op } => {
                self.store(key, op, env);
                self.send(from, Letter::Moved { key, op }, env);
            }
            Letter::Moved { key, op } => self.drop_if_moved(key, op),
        }
    }
}

impl<S: Mended> Protocol for Stabilising<S> {
    type Msg = Msg<S>;
    type Timer = Never;
    type Command = object::Command<Op<S>>;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.run_in(self.epoch, env, |it, env| it.on_start(env));
        if let Some(problem) = self.opening.take() {
            self.corrupt(problem, &mut |bound| env.choose(bound));
        }
    }

    fn on_command(&mut self, command: Self::Command, _env: &mut impl Env<Self>) {
        if let object::Command::Invoke(op) = command {
            self.ops.push_back((Ticket::Of(self.invoked), op));
            self.invoked += 1;
        } // Else: the members do not change.
    }

    fn on_message(&mut self, from: NodeId, msg: Msg<S>, env: &mut impl Env<Self>) {
        let Msg { epoch, letter } = msg;
        if epoch > self.epoch && epoch < ABSURD {
            self.begin(epoch);
        }
        match letter {
            Letter::Overlay(msg) => {
                self.run_in(self.epoch, env, |it, env| it.on_message(from, msg, env));
            }
            letter if epoch == self.epoch => self.handle(from, letter, env),
            _ => {} // Of another epoch.
        }
    }

    fn ticks(&self) -> bool {
        true
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        if self.epoch >= ABSURD {
            self.begin(0);
        }
        self.run_in(self.epoch, env, |it, env| it.on_tick(env));
        self.keep_anchor(env);
        self.check_traces(env);
        self.pass_on(env);
        self.remind(env);
        self.keep_cells(env);
    }

    fn waits_for(&self) -> NodeSet {
        self.requests.values().map(|request| request.to).collect()
    }

    /// Also those that it will answer, and that answer it.
    fn knows(&self) -> Option<Vec<NodeId>> {
        let mut known = self.member.knows()?;
        known.extend(self.requests.values().map(|request| request.to));
        known.extend(self.parts().filter_map(|part| part.request()).map(|it| it.0));
        known.extend(self.cells.values().filter_map(Cell::process));
        Some(known)
    }

    /// Also the process whose operation travels: it is answered, though its address is not kept.
    fn tells(&self, msg: &Msg<S>) -> Vec<NodeId> {
        match &msg.letter {
            Letter::Overlay(msg) => self.member.tells(msg),
            Letter::Put { task, .. } | Letter::Get(task) => vec![task.process],
            Letter::Claim { process, .. } => vec![*process],
            _ => Vec::new(),
        }
    }

    fn damages(&self) -> &'static [&'static str] {
        &["twins", "holes", "anchors", "ends", "traces", "gets"]
    }

    fn damage(&mut self, name: &str, choose: &mut dyn FnMut(u32) -> u32) {
        let problem = Problem::ALL.into_iter().find(|problem| problem.to_string() == name);
        if let Some(problem) = problem {
            self.corrupt(problem, choose);
        }
    }

    fn legality(&self) -> Option<Invariant<Self>> {
        let overlay = self.member.legality()?;
        Some(Invariant::new("legal", move |system| legal::judge(&overlay, system)))
    }
}

/// The slot is the epoch, which messages about the overlay carry to all.
impl<S: Mended> Hosts<Member<SkipPlus>> for Stabilising<S> {
    type Slot = u64;

    fn part(&mut self, _epoch: &u64) -> Option<&mut Member<SkipPlus>> {
        Some(&mut self.member)
    }

    fn wrap_msg(epoch: &u64, msg: overlay::Msg) -> Msg<S> {
        Msg { epoch: *epoch, letter: Letter::Overlay(msg) }
    }

    fn wrap_timer(_epoch: &u64, timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, _epoch: &u64, _event: overlay::Event, _env: &mut impl Env<Self>) {}
}

#[cfg(test)]
mod tests;
