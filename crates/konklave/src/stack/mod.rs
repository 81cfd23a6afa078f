//! The distributed stack: processes lay elements on top, and take off the one on top.
//!
//! A process pushes an element or pops one; a pop of an empty stack is answered with nothing. A
//! process may invoke the next operation before the last has returned. The aim is a stack without a
//! bottleneck: as more processes use it, no node has more work, and none waits longer than the size
//! of the network demands.
//!
//! The witness of an operation is its place in the one order of all operations, from zero: the
//! number of operations that the stack carried out before.
//!
//! Promises:
//! - **sequentially consistent** (safety): all operations can be put in one order that agrees with
//!   the program order of each process, in which a single stack would have answered the same;
//! - **linearizable** (safety): and that order agrees with real time;
//! - **every operation returns** (liveness): every operation eventually returns, and only once;
//! - **joins and leaves end** (liveness): a process that wants to join or to leave eventually has.

pub mod central_stack;
pub mod skack;

use crate::object;
pub use crate::object::{Event, Stack, StackOp};

/// What a process asks for.
pub type Command = object::Command<StackOp>;
/// Watches that the promises are kept.
pub type Monitor = object::Monitor<Stack>;
