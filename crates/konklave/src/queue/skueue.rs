//! Processes ask for positions of the queue together, in waves, and store elements in a dictionary.
//!
//! M. Feldmann, C. Scheideler, A. Setzer: Skueue: A Scalable and Sequentially Consistent
//! Distributed Queue. IPDPS, 2018.
//!
//! # Idea
//!
//! An element has a position, and lies at the process that is responsible for the hash of that
//! position in a linearised de Bruijn network. An enqueue gets the next free position and puts its
//! element there; a dequeue gets the oldest taken one and fetches the element. Only the anchor of
//! the aggregation tree knows which positions these are, but it is not asked by each process: in a
//! wave, processes add up what they want on the way to the anchor, and split on the way back what
//! it has assigned. So its work does not depend on the number of operations, and all elements of a
//! wave travel at the same time.
//!
//! A process sends the lengths of its runs of enqueues and dequeues, so no operation overtakes an
//! earlier one of its process. A get that arrives before its put waits for it: positions are never
//! used again, and a position is asked for only after it was assigned. An enqueue returns when its
//! element is stored.
//!
//! Theorem 6.5: an operation costs O(log n) messages in expectation, beside the waves, and takes
//! O(log n) time, however many operations there are. It is sequentially consistent, and also
//! linearizable: an operation returns after its wave was assigned, and then every process has given
//! its batch, so whatever is invoked later is in a later wave.
//!
//! # Cost
//!
//! Messages: O(log n) per operation and 2(n-1) per wave. The way of an element takes about 2.6 log2
//! n of them, and its answer one. To wake a wave costs at most one message per process.
//!
//! - Time: twice the height of the tree per wave, O(log n), and O(log n) for the element.
//! - State: six addresses, two batches, and about m/n of m elements.
//!
//! # Assumes
//!
//! Reliable channels in any order between all processes; members do not change.
//!
//! - Loss: a lost batch or assignment stops all waves; a lost element or request for one blocks its
//!   process. Safety holds.
//! - Duplication: a duplicate is harmless: batches carry the number of their wave, and positions
//!   are used once.
//! - Crash: the crash of a process stops all waves, and what it has stored is lost.
//!
//! # Differs from the paper
//!
//! The three virtual nodes of a process act in one step. Waves sleep while nobody asks; in the
//! paper empty ones circulate. Processes cannot join or leave.

mod fifo;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::waves::{self, Placed, Waves};
use super::{Command, Event, QueueOp};
use crate::circle::{Mixer, Point, Salt};
use crate::dictionary::Tally;
use crate::object::Answer;
use crate::overlay::ldb::{Ldb, Way};
use crate::protocol::{Env, Hosts, Never, Protocol};
use crate::{NodeId, NodeSet};
pub use fifo::{Fifo, Place, Run};

/// What processes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// About waves.
    Wave(waves::Msg<Vec<u32>, Vec<Run>>),
    /// An element travels to its position.
    Put {
        /// The operation that enqueues it.
        task: Task,
        /// The element.
        element: u64,
    },
    /// A dequeue travels to the position of its element.
    Get(Task),
    /// To a process: its element is stored.
    Stored {
        /// The operation that enqueues it.
        ticket: u32,
    },
    /// To a process: the element that it dequeues.
    Element {
        /// The operation that dequeues it.
        ticket: u32,
        /// The element.
        element: u64,
    },
}

/// An operation that travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Task {
    /// The process that invoked it.
    process: NodeId,
    /// How many operations it had invoked before.
    ticket: u32,
    /// Where it goes.
    position: u64,
    /// Its way there.
    way: Way,
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// Places the positions of the queue.
const POSITION: Salt = Salt(99);

/// What is at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Cell {
    Element(u64),
    /// A dequeue waits for the element: a process and a ticket.
    Awaited(NodeId, u32),
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Skueue {
    ldb: Ldb,
    mixer: Mixer,
    waves: Waves<Fifo>,
    /// The operations of this process that have a position, with their places in the order.
    travelling: BTreeMap<u32, u64>,
    cells: BTreeMap<u64, Cell>,
    tally: Tally,
}

impl Skueue {
    /// A process at its place in the network, whose hash functions are these.
    pub fn new(ldb: Ldb, mixer: Mixer) -> Self {
        let waves = Waves::new(ldb.parent(), ldb.children());
        let (travelling, cells) = (BTreeMap::new(), BTreeMap::new());
        Self { ldb, mixer, waves, travelling, cells, tally: Tally::default() }
    }

    /// Its place in the network.
    pub fn ldb(&self) -> &Ldb {
        &self.ldb
    }

    /// Its part in the waves.
    pub fn waves(&self) -> &Waves<Fifo> {
        &self.waves
    }

    /// How many elements it stores.
    pub fn held(&self) -> usize {
        self.cells.values().filter(|cell| matches!(cell, Cell::Element(_))).count()
    }

    /// What it has counted about the operations whose positions are here.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The process that a task goes to next; `None` if this one is responsible.
    fn next(&self, task: &mut Task) -> Option<NodeId> {
        let target = Point(self.mixer.mix(task.position, POSITION));
        self.ldb.next(target, &mut task.way)
    }

    fn put(&mut self, mut task: Task, element: u64, env: &mut impl Env<Self>) {
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

    fn get(&mut self, mut task: Task, env: &mut impl Env<Self>) {
        if let Some(to) = self.next(&mut task) {
            return env.send(to, Msg::Get(task));
        }
        self.tally.carry_out(task.way.hops);
        match self.cells.remove(&task.position) {
            Some(Cell::Element(element)) => {
                self.tell(task.process, Msg::Element { ticket: task.ticket, element }, env);
            }
            // If one waits already, this is a duplicate.
            _ => {
                let awaited = Cell::Awaited(task.process, task.ticket);
                self.cells.insert(task.position, awaited);
            }
        }
    }

    /// Tells a process, which may be this one, that its operation has ended.
    fn tell(&mut self, process: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            msg if process != self.ldb.me() => env.send(process, msg),
            Msg::Stored { ticket } => self.finish(ticket, None, env),
            Msg::Element { ticket, element } => self.finish(ticket, Some(element), env),
            _ => {} // Tells of no end.
        }
    }

    fn finish(&mut self, ticket: u32, answer: Answer, env: &mut impl Env<Self>) {
        if let Some(witness) = self.travelling.remove(&ticket) {
            env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
        } // Else a duplicate.
    }
}

impl Protocol for Skueue {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Invoke(op) => self.run(env, |waves, env| waves.on_command(op, env)),
            Command::Join { .. } | Command::Leave => {} // Members do not change.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Wave(msg) => self.run(env, |waves, env| waves.on_message(from, msg, env)),
            Msg::Put { task, element } => self.put(task, element, env),
            Msg::Get(task) => self.get(task, env),
            Msg::Stored { ticket } => self.finish(ticket, None, env),
            Msg::Element { ticket, element } => self.finish(ticket, Some(element), env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        self.waves.waits_for()
    }
}

impl Hosts<Waves<Fifo>> for Skueue {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Waves<Fifo>> {
        Some(&mut self.waves)
    }

    fn wrap_msg((): &(), msg: waves::Msg<Vec<u32>, Vec<Run>>) -> Msg {
        Msg::Wave(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, (): &(), placed: Placed<QueueOp, Place>, env: &mut impl Env<Self>) {
        let Placed { ticket, op, place: Place { position, witness } } = placed;
        self.travelling.insert(ticket, witness);
        let Some(position) = position else { return self.finish(ticket, None, env) };
        let task = Task { process: self.ldb.me(), ticket, position, way: self.ldb.set_out() };
        match op {
            QueueOp::Enqueue(element) => self.put(task, element, env),
            QueueOp::Dequeue => self.get(task, env),
        }
    }
}

#[cfg(test)]
mod tests;
