//! What the event queue holds.

use konklave::NodeId;
use konklave::protocol::Protocol;

/// The number of a message that nobody sent.
pub(crate) const FORGED: u32 = u32::MAX;

/// Something that will happen.
#[derive(Clone, Debug)]
pub(crate) enum Occurrence<P: Protocol> {
    /// A message arrives.
    Message {
        /// Its sender.
        from: NodeId,
        /// Its receiver.
        to: NodeId,
        /// How many messages led to it, itself included.
        depth: u32,
        /// Its number in the trace.
        number: u32,
        /// Its content.
        msg: P::Msg,
    },
    /// An application gives a command.
    Command {
        /// To whom.
        node: NodeId,
        /// Which.
        command: P::Command,
    },
    /// A timer runs out, unless it was cancelled or restarted since.
    Timer {
        /// Whose.
        node: NodeId,
        /// Which.
        timer: P::Timer,
        /// Which of its starts this is.
        start: u32,
    },
    /// A planned fault begins or ends: its place in the plan.
    Fault(u32),
}

impl<P: Protocol> Occurrence<P> {
    /// The node it happens to, if it is one.
    #[inline]
    pub(crate) fn node(&self) -> Option<NodeId> {
        match self {
            Self::Message { to: node, .. }
            | Self::Command { node, .. }
            | Self::Timer { node, .. } => Some(*node),
            Self::Fault(_) => None,
        }
    }
}
