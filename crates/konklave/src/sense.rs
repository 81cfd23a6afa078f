//! The meaning of commands and events, independent of the problem.
//!
//! Every problem of this crate is about operations: an application invokes one, the operation is
//! granted or answered, and the application may have to give back what it holds. Waiting times,
//! spans in a diagram, the number of requests in a schedule, and histories follow from that.

/// The role of a command or an event in an operation of its node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sense {
    /// The operation begins.
    Ask(Operation),
    /// The operation is granted: the node holds the resource from now on.
    Grant(Operation),
    /// The operation is answered, and complete.
    Answer(Operation),
    /// The node learns a result that is the same for all nodes, whether it asked or not; an
    /// operation that asked for it is complete. Nodes learn it from each other.
    Learn(Operation),
    /// The resource is given back.
    Return(Operation),
    /// Not part of an operation.
    Other,
}

/// The name of an operation among those of its node, for display: the interval that is booked, say.
/// Empty where a node has one operation at a time; then it refers to the pending one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation(pub String);

impl Operation {
    /// The only pending operation of its node.
    pub fn only() -> Self {
        Self::default()
    }
}
