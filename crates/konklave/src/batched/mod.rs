//! Objects whose operations are put in order in waves, and whose elements lie in a dictionary.
//!
//! M. Feldmann, C. Scheideler, A. Setzer: Skueue: A Scalable and Sequentially Consistent
//! Distributed Queue. IPDPS, 2018.
//!
//! Processes form a linearised de Bruijn network. On its aggregation tree they ask for places in
//! one order, all together ([`Waves`]): an operation gets its witness, and the key of the element
//! that it brings or takes out. On its cycle, the process that is responsible for the hash of a key
//! stores the element. Which keys there are, a [`Service`] says: everything else is the same for a
//! queue, a stack and a heap.
//!
//! An operation that takes an element out and arrives before it waits there. Processes join and
//! leave between two waves.

pub mod combining;
mod group;
mod longest;
mod named;
pub mod pieces;
pub mod runs;
mod service;
pub mod stabilising;
pub mod waves;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::circle::Mixer;
use crate::dictionary::Tally;
use crate::object::{self, Answer, Event, Object};
use crate::overlay::ldb::{Ldb, Way};
use crate::protocol::{Env, Hosts, Never, Protocol};
use crate::{NodeId, NodeSet};
use group::{Group, Standing};
pub use named::{Many, Named};
pub use service::{Op, OwnPlaces, Place, Service, point_of};
use waves::{Placed, Waves};

/// What processes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<B, A, K, S> {
    /// About waves.
    Wave(waves::Msg<B, A>),
    /// An element travels to its place.
    Put {
        /// The operation that brings it.
        task: Task<K>,
        /// The element.
        element: u64,
    },
    /// An operation travels to the element that it takes out.
    Get(Task<K>),
    /// To a process: its element is stored.
    Stored {
        /// The operation that brought it.
        ticket: u32,
    },
    /// To a process: the element that it takes out.
    Element {
        /// The operation that takes it out.
        ticket: u32,
        /// The element.
        element: u64,
    },
    /// About processes that join and leave.
    Group(group::Msg<K, S>),
}

/// An operation that travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Task<K> {
    /// The process that invoked it.
    pub process: NodeId,
    /// How many operations it had invoked before.
    pub ticket: u32,
    /// Where it goes: the key of its element.
    pub position: K,
    /// Its way there.
    way: Way,
}

const _: () = assert!(size_of::<Msg<Vec<u32>, Vec<u64>, u64, u64>>() <= 48);

/// What belongs to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Cell {
    Element(u64),
    /// An operation waits for the element: a process and a ticket.
    Awaited(NodeId, u32),
}

/// When an operation that brings an element returns. Both are linearizable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Returning {
    /// When its element is stored.
    #[default]
    Stored,
    /// When it has its place in the order; its element may still be on its way.
    Early,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Batched<S: Service> {
    ldb: Ldb,
    mixer: Mixer,
    waves: Waves<S>,
    /// The operations of this process whose elements are on their way, with their places in the
    /// order if they have not returned.
    travelling: BTreeMap<u32, Option<u64>>,
    returning: Returning,
    group: Group<S>,
    cells: BTreeMap<S::Key, Cell>,
    tally: Tally,
}

impl<S: Service> Batched<S> {
    /// A process at its place in the network, whose hash functions are these.
    pub fn new(ldb: Ldb, mixer: Mixer) -> Self {
        let waves = Waves::new(ldb.parent(), ldb.children());
        let (travelling, cells) = (BTreeMap::new(), BTreeMap::new());
        let (returning, tally) = (Returning::default(), Tally::default());
        let group = Group::new(Standing::Member);
        Self { ldb, mixer, waves, travelling, returning, group, cells, tally }
    }

    /// A process that is not a member yet.
    pub fn outside(me: NodeId, mixer: Mixer) -> Self {
        let alone = Ldb::hashed(mixer, [me]).remove(0);
        Self { group: Group::new(Standing::Outside), ..Self::new(alone, mixer) }
    }

    /// Whether it is a member.
    pub fn is_member(&self) -> bool {
        self.group.is_member()
    }

    /// How many changes of the group it has taken part in.
    pub fn changes(&self) -> u32 {
        self.group.changes()
    }

    /// The same, but for when operations return.
    #[must_use]
    pub fn returning(self, returning: Returning) -> Self {
        Self { returning, ..self }
    }

    /// Its place in the network.
    pub fn ldb(&self) -> &Ldb {
        &self.ldb
    }

    /// Its part in the waves.
    pub fn waves(&self) -> &Waves<S> {
        &self.waves
    }

    /// How many elements it stores.
    pub fn held(&self) -> usize {
        self.cells.values().filter(|cell| matches!(cell, Cell::Element(_))).count()
    }

    /// What it has counted about the operations whose elements are here.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The process that a task goes to next; `None` if this one is responsible.
    fn next(&self, task: &mut Task<S::Key>) -> Option<NodeId> {
        self.ldb.next(S::point(self.mixer, task.position), &mut task.way)
    }

    fn put(&mut self, mut task: Task<S::Key>, element: u64, env: &mut impl Env<Self>) {
        if let Some(to) = self.next(&mut task) {
            return env.send(to, Msg::Put { task, element });
        }
        self.tally.carry_out(task.way.hops);
        match self.cells.remove(&task.position) {
            Some(Cell::Awaited(process, ticket)) => {
                self.tell(process, Msg::Element { ticket, element }, env);
            }
            // If there is one already, this is a duplicate.
            _ => _ = self.cells.insert(task.position, Cell::Element(element)),
        }
        self.tell(task.process, Msg::Stored { ticket: task.ticket }, env);
    }

    fn get(&mut self, mut task: Task<S::Key>, env: &mut impl Env<Self>) {
        if let Some(to) = self.next(&mut task) {
            return env.send(to, Msg::Get(task));
        }
        self.tally.carry_out(task.way.hops);
        match self.take(task.position) {
            Some(element) => {
                self.tell(task.process, Msg::Element { ticket: task.ticket, element }, env);
            }
            // If one waits already, this is a duplicate.
            None => {
                let awaited = Cell::Awaited(task.process, task.ticket);
                self.cells.insert(task.position, awaited);
            }
        }
    }

    /// Takes the element that an operation with this key is after, if it is there.
    fn take(&mut self, key: S::Key) -> Option<u64> {
        let mut cells = self.cells.range(S::sought(key)).rev();
        let (key, element) = cells.find_map(|(key, cell)| match cell {
            Cell::Element(element) => Some((*key, *element)),
            Cell::Awaited(..) => None,
        })?;
        self.cells.remove(&key);
        Some(element)
    }

    /// Tells a process, which may be this one, that its operation has ended.
    fn tell(&mut self, process: NodeId, msg: <Self as Protocol>::Msg, env: &mut impl Env<Self>) {
        match msg {
            msg if process != self.ldb.me() => env.send(process, msg),
            Msg::Stored { ticket } => self.on_stored(ticket, env),
            Msg::Element { ticket, element } => _ = self.finish(ticket, Some(element), env),
            _ => {} // Tells of no end.
        }
    }

    fn on_stored(&mut self, ticket: u32, env: &mut impl Env<Self>) {
        if self.finish(ticket, None, env) && S::BARRIER {
            self.run(env, |waves, env| waves.on_stored(env));
        }
    }

    /// An operation has ended, if it was under way: otherwise this is a duplicate.
    fn finish(&mut self, ticket: u32, answer: Answer, env: &mut impl Env<Self>) -> bool {
        let Some(witness) = self.travelling.remove(&ticket) else { return false };
        if witness.is_some() {
            env.emit(Event::Returned { ticket, answer, witness });
        }
        self.report_if_quiet(env);
        true
    }
}

impl<S: Service> Protocol for Batched<S> {
    type Msg = Msg<S::Batch, S::Assignment, S::Key, S>;
    type Timer = Never;
    type Command = object::Command<Op<S>>;
    type Event = Event;

    fn on_command(&mut self, command: Self::Command, env: &mut impl Env<Self>) {
        match command {
            object::Command::Invoke(op) if self.is_member() => {
                match self.group.is_changing() {
                    // Nobody may be woken before all have switched.
                    true => self.waves.keep(op),
                    false => self.run(env, |waves, env| waves.on_command(op, env)),
                }
                self.halt_if_held(env);
            }
            object::Command::Invoke(_) => {} // Only members are asked.
            object::Command::Join { contact } => self.join(contact, env),
            object::Command::Leave => self.leave(env),
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Wave(msg) => {
                self.run(env, |waves, env| waves.on_message(from, msg, env));
                self.halt_if_held(env);
            }
            Msg::Put { task, element } => self.put(task, element, env),
            Msg::Get(task) => self.get(task, env),
            Msg::Stored { ticket } => self.on_stored(ticket, env),
            Msg::Element { ticket, element } => _ = self.finish(ticket, Some(element), env),
            Msg::Group(msg) => self.on_group(from, msg, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        self.group.waits_for().unwrap_or_else(|| self.waves.waits_for())
    }
}

impl<S: Service> Hosts<Waves<S>> for Batched<S> {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Waves<S>> {
        Some(&mut self.waves)
    }

    fn wrap_msg((): &(), msg: waves::Msg<S::Batch, S::Assignment>) -> Self::Msg {
        Msg::Wave(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, (): &(), placed: Placed<Op<S>, S::Key>, env: &mut impl Env<Self>) {
        let Placed { ticket, op, place: Place { key, witness } } = placed;
        let brings = match S::Object::nature(op) {
            object::Nature::Insert(element) => Some(element),
            _ => None,
        };
        let is_early = brings.is_some() && self.returning == Returning::Early;
        if is_early {
            env.emit(Event::Returned { ticket, answer: None, witness: Some(witness) });
        }
        self.travelling.insert(ticket, Some(witness).filter(|_| !is_early));
        let Some(position) = key else {
            self.finish(ticket, None, env);
            return;
        };
        let task = Task { process: self.ldb.me(), ticket, position, way: self.ldb.set_out() };
        match brings {
            Some(element) => self.put(task, element, env),
            None => self.get(task, env),
        }
    }
}

#[cfg(test)]
pub(crate) mod system;
#[cfg(test)]
mod tests;
