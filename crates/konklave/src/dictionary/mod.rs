//! The distributed dictionary: keys with a value each, spread over the members of a changing group.
//!
//! A process puts a value under a key, deletes it, or gets it. Processes join and leave while it
//! goes on, and what they store moves with them. Four requirements grade a way to place data:
//! *fairness* (a member with a share c of the capacity stores a share c of the data), *efficiency*
//! (little time and memory to decide where something is), *redundancy* (copies lie on different
//! members) and *adaptivity* (if shares change by c in total, O(c) of the data move).
//!
//! The witness of an operation is its place among those on the same key, from zero: the number of
//! operations on that key that were carried out before. See [`Replay`](crate::object::Replay) for
//! why this is enough.
//!
//! Promises:
//! - **sequentially consistent** (safety): all operations can be put in one order that agrees with
//!   the program order of each process, in which a single dictionary would have answered the same;
//! - **linearizable** (safety): and that order agrees with real time;
//! - **every operation returns** (liveness): every operation eventually returns, and only once;
//! - **joins and leaves end** (liveness): a process that wants to join or to leave eventually has;
//! - **monotone searchability** (safety): where it is promised, a process that has found a key
//!   finds it again, unless it is deleted, also while the network is repaired.

pub mod bounded_loads;
mod capacities;
#[cfg(test)]
mod chaos;
pub mod combine_split;
pub mod cone_dht;
mod copy;
pub mod placed;
pub mod prefix_dht;
#[cfg(test)]
mod pump;
pub mod server_dht;
pub mod share_dht;
pub mod skip_dht;
mod table;
mod tally;
pub mod two_choices;

use crate::NodeId;
use crate::circle::Arc;
use crate::object;
pub use crate::object::{Dictionary, DictionaryOp, Event};
use crate::protocol::Protocol;
pub use capacities::Capacities;
pub use copy::{Copied, Opening, Version};
use serde::{Deserialize, Serialize};
pub use table::Table;
pub use tally::Tally;

/// What a process asks for.
pub type Command = object::Command<DictionaryOp>;
/// Watches that the promises are kept.
pub type Monitor = object::Monitor<Dictionary>;

/// What is known about one key at the node that is responsible for it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Record {
    /// Its value, if it has one.
    pub value: object::Answer,
    /// How many operations on the key were carried out: the witness of the next.
    pub done: u64,
}

impl Record {
    /// Carries an operation on the key out. Returns its answer and its witness.
    pub fn carry_out(&mut self, op: DictionaryOp) -> (object::Answer, u64) {
        let witness = self.done;
        self.done += 1;
        match op {
            DictionaryOp::Put { value, .. } => self.value = Some(value),
            DictionaryOp::Delete(_) => self.value = None,
            DictionaryOp::Get(_) => return (self.value, witness),
        }
        (None, witness)
    }
}

impl DictionaryOp {
    /// The key that the operation is about.
    pub fn key(self) -> u64 {
        match self {
            Self::Put { key, .. } | Self::Delete(key) | Self::Get(key) => key,
        }
    }

    /// Whether it may change the value.
    pub fn is_write(self) -> bool {
        !matches!(self, Self::Get(_))
    }
}

/// What can be counted in the nodes of a dictionary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Census {
    /// How many keys with a value each member is responsible for.
    pub loads: Vec<u64>,
    /// The part of the circle that each member is responsible for, if there is a circle.
    pub arcs: Vec<Arc>,
    /// How many keys with a value were handed over because of joins and leaves.
    pub moved: u64,
    /// The share of the capacity that each member has; empty if they are equal.
    pub shares: Vec<f64>,
    /// The number of joins, leaves and other changes that made data move, if it was counted.
    pub changes: Option<u64>,
    /// How many keys with a value had to move because of them, if that is known.
    pub least_moved: Option<f64>,
    /// The part of the circle that no member covers, where members cover arcs.
    pub uncovered: Option<f64>,
    /// How many members beyond its home the search for each key asks, where that differs.
    pub probes: Vec<u32>,
    /// The number of multisets of members that cover a part of the circle.
    pub multisets: Option<u64>,
    /// How many keys have fewer copies than they should.
    pub under_replicated: u64,
    /// How many members each cell of the table lists, if there is a table.
    pub cells: Vec<u32>,
    /// What nodes have counted about requests and hand-overs, if requests travel from node to node.
    pub tally: Option<Tally>,
    /// How many operations the records know of, if nothing is in transit.
    pub known: Option<u64>,
    /// How many requests nodes handle, if requests are combined.
    pub handled: Option<combine_split::Handled>,
}

/// An operation and where to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Task {
    /// The process that invoked it.
    pub client: NodeId,
    /// How many operations it had invoked before.
    pub ticket: u32,
    /// What it asks for.
    pub op: DictionaryOp,
}

/// A dictionary whose nodes can be counted.
pub trait Storage: Protocol {
    /// Counts what these nodes, all of a system, hold.
    fn census(nodes: &[&Self]) -> Census;
}

/// A dictionary whose content can be looked at.
pub trait Contents: Protocol {
    /// The keys with a value that this node is responsible for, and their values.
    fn entries(&self) -> Vec<(u64, u64)>;
}

/// The keys with a value among these records, and their values.
fn with_values(records: &std::collections::BTreeMap<u64, Record>) -> Vec<(u64, u64)> {
    records.iter().filter_map(|(key, record)| Some((*key, record.value?))).collect()
}
