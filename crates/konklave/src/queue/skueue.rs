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
//! Reliable channels in any order between all processes. A process leaves when its operations have
//! returned.
//!
//! - Loss: a lost batch or assignment stops all waves; a lost element or request for one blocks its
//!   process. Safety holds.
//! - Duplication: a duplicate is harmless while nobody joins or leaves: batches carry the number of
//!   their wave, and positions are used once.
//! - Crash: the crash of a process stops all waves, and what it has stored is lost.
//!
//! # Differs from the paper
//!
//! The three virtual nodes of a process act in one step. Waves sleep while nobody asks; in the
//! paper empty ones circulate. A change of the group goes up and down the tree three times; those
//! that leave tell their neighbours, and everybody works out the new neighbourhoods from that.

mod fifo;

use crate::batched::Batched;
pub use crate::batched::Msg;
pub use fifo::{Fifo, Run};

/// One process.
pub type Skueue = Batched<Fifo>;

#[cfg(test)]
mod tests;
