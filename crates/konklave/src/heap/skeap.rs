//! Processes ask in waves for positions in a queue for each priority.
//!
//! M. Feldmann, C. Scheideler: Skeap & Seap: Scalable Distributed Priority Queues for Constant and
//! Arbitrary Priorities. SPAA, 2019.
//!
//! # Idea
//!
//! If there are only a few priorities, a heap is a queue for each of them. The anchor of the
//! aggregation tree knows the ends of all these queues. In a wave it gets batches of pairs: how
//! many elements with each priority are inserted, and how many are deleted after that. An insert
//! gets the next position of its priority; deletions take the oldest positions of the smallest
//! priorities. An element lies where the hash of its priority and position is.
//!
//! So elements of one priority leave in the order in which they came. All inserts and deletions of
//! a wave get their places at once, also those of a process that alternates between them: that is
//! where heaps with many priorities have to work harder.
//!
//! An operation costs O(log n) messages in expectation, beside the waves, and takes O(log n) time,
//! however many operations there are. The heap is sequentially consistent and linearizable for the
//! reasons for which a queue in waves is.
//!
//! # Cost
//!
//! Messages: O(log n) per operation and 2(n-1) per wave, larger with each priority.
//!
//! - Time: twice the height of the tree per wave, O(log n), and O(log n) for the element.
//! - State: six addresses, two batches, and about m/n of m elements; at the anchor the priorities.
//!
//! # Assumes
//!
//! Reliable channels in any order between all processes; members do not change. Any priority can be
//! asked for, but a batch names each that occurs in it.
//!
//! - Loss: a lost batch or assignment stops all waves; a lost element or request for one blocks its
//!   process. Safety holds.
//! - Duplication: a duplicate is harmless: batches carry the number of their wave, and positions
//!   are used once.
//! - Crash: the crash of a process stops all waves, and what it has stored is lost.
//!
//! # Differs from the paper
//!
//! The three virtual nodes of a process act in one step. Waves sleep while nobody asks. Priorities
//! that do not occur are not sent. Processes cannot join or leave.

mod priorities;

use crate::batched::Batched;
pub use crate::batched::Msg;
pub use priorities::{Key, Pair, Places, Priorities};

/// One process.
pub type Skeap = Batched<Priorities>;

#[cfg(test)]
mod tests;
