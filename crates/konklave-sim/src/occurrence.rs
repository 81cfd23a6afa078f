//! What the event queue holds.

use konklave::NodeId;
use konklave::protocol::Protocol;

use crate::rounds::Cause;

/// Something that will happen.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence<P: Protocol> {
    /// To whom; [`NOBODY`] for a fault. Always in the same place, to be fetched ahead.
    pub(crate) node: NodeId,
    /// What.
    pub(crate) what: What<P>,
}

impl<P: Protocol> Occurrence<P> {
    /// The message that is in transit, if it is one: its sender, its receiver, its content.
    pub(crate) fn in_transit(&self) -> Option<(NodeId, NodeId, &P::Msg)> {
        match &self.what {
            What::Message { from, msg, .. } => Some((from.node(), self.node, msg)),
            What::Returned { to, msg, .. } => Some((to.node(), self.node, msg)), // On its way back.
            _ => None,
        }
    }
}

/// The node at the other end of a message, and in the highest bit what the message descends from:
/// one field, to keep occurrences small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer(u32);

impl Peer {
    const TURN: u32 = 1 << 31;

    #[inline(always)]
    pub(crate) fn new(node: NodeId, cause: Cause) -> Self {
        debug_assert!(node.0 < Self::TURN, "so many nodes fit into no memory");
        Self(node.0 | u32::from(cause == Cause::Turn) << 31)
    }

    #[inline(always)]
    pub(crate) fn node(self) -> NodeId {
        NodeId(self.0 & !Self::TURN)
    }

    #[inline(always)]
    pub(crate) fn cause(self) -> Cause {
        if self.0 & Self::TURN == 0 { Cause::Request } else { Cause::Turn }
    }
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
        from: Peer,
        /// How many messages led to it, itself included; while a trace is written, its number
        /// there, from which the recording knows that. One field, to keep occurrences small.
        label: u32,
        /// Its content.
        msg: P::Msg,
    },
    /// A message comes back to its sender: its receiver has left.
    Returned {
        /// The receiver.
        to: Peer,
        /// See above.
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
    /// The nodes whose turn it is act by themselves, once all else of this moment has happened.
    Turns,
    /// A planned fault begins or ends: its place in the plan.
    Fault(u32),
}
