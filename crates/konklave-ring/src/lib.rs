//! Elections between threads: a ring of workers with one-slot mailboxes.
//!
//! Each worker runs one node of an election [`Protocol`](konklave::protocol::Protocol) in a thread
//! of its own; which one is not known here. What the node sends is handed over by a second thread,
//! the worker's *courier*: it waits until the receiver has taken the message, while the worker goes
//! on taking messages itself, so that workers who all send at once do not wait for each other in a
//! circle. A neighbour that does not take its message in time is presumed dead: the message goes to
//! the next one on the ring at once, and the node is told
//! [`Command::Lost`](konklave::election::Command::Lost).
//!
//! Everything that happens is written into one journal, in one order, where the problem's
//! [`Monitor`](konklave::election::Monitor) judges it.

mod courier;
mod elections;
mod journal;
mod mailbox;
mod notice;
mod rest;
mod ring;
mod worker;

pub use elections::{Initiator, Moment, Outcome, Plan, hold};
pub use mailbox::{Delivery, Mailbox, Next};
pub use notice::{Ended, Kind, Level, Notice, Summary, Vote, What};
pub use ring::{Ring, Setup};

use konklave::NodeId;

/// What the one who runs the ring is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Nothing is under way at the moment.
    Rest,
    /// Somebody wants the ring to end.
    Stop,
    /// Somebody wants this worker to die.
    Kill(NodeId),
    /// Somebody wants this worker to come back.
    Revive(NodeId),
}
