//! What commands and events mean to a reader who does not know the problem.
//!
//! Every problem of this crate is about operations: an application asks for something, is granted
//! or answered it, and may have to give it back. Waiting times, spans in a diagram, the number of
//! requests that a schedule needs and histories all follow from that.

/// The part that a command or an event plays in an operation of its node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sense {
    /// The operation begins.
    Ask(Operation),
    /// The operation is answered, and what it asked for is held from now on.
    Grant(Operation),
    /// The operation is answered, and over.
    Answer(Operation),
    /// The node learns a result that is the same for all nodes, whether it asked or not; an
    /// operation that asked for it is over. Nodes learn it from each other.
    Learn(Operation),
    /// What was held is given back.
    Return(Operation),
    /// Something else.
    Other,
}

/// The name of an operation among those of its node, for people: the interval that is booked, say.
/// Empty where a node has one operation at a time; then it means the one that is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation(pub String);

impl Operation {
    /// The only operation that is under way at its node.
    pub fn only() -> Self {
        Self::default()
    }
}
