//! One node holds the queue and carries out the operations of all processes.
//!
//! Folklore: a server; see G. Coulouris, J. Dollimore, T. Kindberg: Distributed Systems: Concepts
//! and Design. Addison-Wesley, 1994.
//!
//! # Idea
//!
//! A process sends each operation to the server, which carries operations out in the order of their
//! arrival and answers. So the order of arrival is the order of the queue. The server can be a
//! client, too: its messages to itself are local calls and are not counted.
//!
//! The other queues are measured against this one. None needs fewer messages, but the server
//! carries all the load: as processes invoke more operations, it is the first to be overloaded.
//!
//! # Cost
//!
//! Messages: 2 per operation, none for the server: 2(n-1)/n on average.
//!
//! - Time: 2T; operations of one process wait for each other.
//! - State: the whole queue at the server, nothing elsewhere.
//!
//! # Assumes
//!
//! Reliable channels between the server and every other node. They may reorder messages, since a
//! process has one operation under way.
//!
//! - Loss: a lost message blocks its process for ever; the others go on. Safety holds.
//! - Duplication: a duplicate request is carried out twice, so an element can be there twice, or be
//!   taken out for nobody. A duplicate answer is ignored.
//! - Crash: the crash of the server blocks all processes; the crash of another process is harmless.
//!
//! # Differs from the paper
//!
//! A process lets its next operation wait until the last has returned, instead of relying on
//! channels that keep the order.

use super::{Queue, QueueOp};
use crate::object::central::Central;
pub use crate::object::central::Msg;

const _: () = assert!(size_of::<Msg<QueueOp>>() <= 40);

/// One node.
pub type CentralQueue = Central<Queue>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::QueueOp::{Dequeue, Enqueue};
    use crate::protocol::Protocol;
    use crate::{NodeId, Recorder};

    #[test]
    fn the_server_answers_in_the_order_of_arrival() {
        let (mut server, mut env) = (CentralQueue::new(NodeId(0), NodeId(0)), Recorder::default());
        let request = |ticket, op| Msg::Request { ticket, op };
        server.on_message(NodeId(1), request(0, Enqueue(7)), &mut env);
        server.on_message(NodeId(2), request(0, Enqueue(8)), &mut env);
        assert_eq!(env.take().len(), 2);
        for (answer, witness) in [("Some(7)", 2), ("Some(8)", 3), ("None", 4)] {
            server.on_message(NodeId(2), request(1, Dequeue), &mut env);
            let done = format!("-> 2 Done {{ ticket: 1, answer: {answer}, witness: {witness} }}");
            assert_eq!(env.lines(), [done]);
        }
    }
}
