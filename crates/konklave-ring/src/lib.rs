//! Elections between threads: a ring of workers with one-slot mailboxes.
//!
//! Each worker runs one node of an election [`Protocol`](konklave::protocol::Protocol) in its own
//! thread; this crate does not depend on the algorithm. A second thread, the worker's *courier*,
//! delivers the messages that the node sends: it waits until the receiver has taken a message,
//! while the worker itself continues to take messages. So workers that all send at once do not
//! deadlock in a circular wait. A neighbour that does not take a message in time is suspected to
//! have crashed: the courier sends the message to the next worker on the ring at once, and tells
//! the node [`Command::Lost`](konklave::election::Command::Lost).
//!
//! All notices go into one journal, in a total order, where the
//! [`Monitor`](konklave::election::Monitor) of the problem checks its promises.

mod courier;
mod elections;
mod journal;
mod mailbox;
mod notice;
mod rest;
mod ring;
mod worker;

pub use elections::{ElectionPlan, ElectionResults, Initiator, Moment, hold};
pub use mailbox::{Delivery, Mailbox, Next};
pub use notice::{Ended, Kind, Level, Notice, Summary, Vote, What};
pub use ring::{Ring, Setup};

use konklave::NodeId;

/// A signal to the thread that runs the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The ring is at rest: no message is in transit and no timer is set.
    Rest,
    /// Stop the ring.
    Stop,
    /// Kill this worker.
    Kill(NodeId),
    /// Restart this worker.
    Revive(NodeId),
}
