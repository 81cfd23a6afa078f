//! What the event queue holds.

use konklave::NodeId;
use konklave::protocol::Protocol;

/// Something that will happen.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence<P: Protocol> {
    /// To whom; [`NOBODY`] for a fault. Always in the same place, to be fetched ahead.
    pub(crate) node: NodeId,
    /// What.
    pub(crate) what: What<P>,
}

/// The node of faults, which are no node's affair.
pub(crate) const NOBODY: NodeId = NodeId(u32::MAX);

/// The label of a forged message.
pub(crate) const FORGED: u32 = u32::MAX;

/// What can happen.
#[derive(Clone, Debug)]
pub(crate) enum What<P: Protocol> {
    /// A message arrives.
    Message {
        /// Its sender.
        from: NodeId,
        /// How many messages led to it, itself included; while a trace is written, its number
        /// there, from which the recording knows that. One field, to keep occurrences small.
        label: u32,
        /// Its content.
        msg: P::Msg,
    },
    /// An application gives a command.
    Command {
        /// Which.
        command: P::Command,
        /// The number of the plan: what was planned before a crash is void after it.
        plan: u32,
    },
    /// A timer runs out, unless it was cancelled or restarted since.
    Timer {
        /// Which.
        timer: P::Timer,
        /// Which of its starts this is.
        start: u32,
    },
    /// A planned fault begins or ends: its place in the plan.
    Fault(u32),
}
