//! The distributed heap: processes insert elements, and take out one with the smallest priority.
//!
//! An element has a priority, a number that need not be its own: small ones go first. A process
//! inserts an element or deletes a minimum; with an empty heap, that is answered with nothing. A
//! process may invoke the next operation before the last has returned. The aim is a heap without a
//! bottleneck: as more processes use it, no node has more work, and none waits longer than the size
//! of the network demands.
//!
//! The witness of an operation is its place in the one order of all operations, from zero: the
//! number of operations that the heap carried out before.
//!
//! Promises:
//! - **sequentially consistent** (safety): all operations can be put in one order that agrees with
//!   the program order of each process, in which a single heap might have answered the same: among
//!   elements of the smallest priority, it may take any;
//! - **linearizable** (safety): and that order agrees with real time;
//! - **every operation returns** (liveness): every operation eventually returns, and only once;
//! - **joins and leaves end** (liveness): a process that wants to join or to leave eventually has.

pub mod central_heap;
pub mod desk;
pub mod heap_offline;
pub mod seap;
pub mod skeap;
pub mod store;
#[cfg(test)]
mod system;

use crate::object;
pub use crate::object::{Event, Heap, HeapOp};

/// What a process asks for.
pub type Command = object::Command<HeapOp>;
/// Watches that the promises are kept.
pub type Monitor = object::Monitor<Heap>;
