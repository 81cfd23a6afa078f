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

use serde::{Deserialize, Serialize};

use super::{Command, Event, Queue, QueueOp};
use crate::object::{Answer, Object, OneByOne};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between the processes and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To the server: the sender invokes an operation.
    Request {
        /// How many operations the sender had invoked before.
        ticket: u32,
        /// The operation.
        op: QueueOp,
    },
    /// From the server: an operation of the receiver was carried out.
    Done {
        /// Which.
        ticket: u32,
        /// Its answer.
        answer: Answer,
        /// How many operations were carried out before.
        witness: u64,
    },
}

const _: () = assert!(size_of::<Msg>() <= 40);

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CentralQueue {
    me: NodeId,
    server: NodeId,
    operations: OneByOne<QueueOp>,
    /// At the server: the queue.
    queue: Queue,
    /// At the server: how many operations were carried out.
    done: u64,
}

impl CentralQueue {
    /// Node `me` of a system with this server.
    pub fn new(me: NodeId, server: NodeId) -> Self {
        let (operations, queue) = (OneByOne::default(), Queue::default());
        Self { me, server, operations, queue, done: 0 }
    }

    /// How many elements this node holds.
    pub fn held(&self) -> usize {
        self.queue.size()
    }

    /// Begins the next operations of this process; those of the server end at once.
    fn begin(&mut self, env: &mut impl Env<Self>) {
        while let Some((ticket, op)) = self.operations.under_way() {
            if self.me != self.server {
                return env.send(self.server, Msg::Request { ticket, op });
            }
            let (answer, witness) = self.carry_out(op);
            self.operations.finish(ticket);
            env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
        }
    }

    fn carry_out(&mut self, op: QueueOp) -> (Answer, u64) {
        let witness = self.done;
        self.done += 1;
        (self.queue.apply(op), witness)
    }
}

impl Protocol for CentralQueue {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Invoke(op) => {
                let is_next = self.operations.invoke(op).is_some();
                if is_next {
                    self.begin(env);
                }
            }
            // The server serves every node, so nothing has to change.
            Command::Join { .. } => env.emit(Event::Joined),
            Command::Leave => env.emit(Event::Left),
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request { ticket, op } if self.me == self.server => {
                let (answer, witness) = self.carry_out(op);
                env.send(from, Msg::Done { ticket, answer, witness });
            }
            Msg::Done { ticket, answer, witness } if self.operations.finish(ticket) => {
                env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
                self.begin(env);
            }
            _ => {} // A duplicate, or not for clients.
        }
    }

    fn waits_for(&self) -> NodeSet {
        let is_waiting = self.operations.under_way().is_some();
        Some(self.server).filter(|_| is_waiting).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    const SERVER: NodeId = NodeId(0);

    fn node(me: u32) -> (CentralQueue, Recorder<CentralQueue>) {
        (CentralQueue::new(NodeId(me), SERVER), Recorder::default())
    }

    fn enqueue(id: u64) -> Command {
        Command::Invoke(QueueOp::Enqueue(id))
    }

    const DEQUEUE: Command = Command::Invoke(QueueOp::Dequeue);

    #[test]
    fn a_process_has_one_operation_under_way() {
        let (mut node, mut env) = node(1);
        node.on_command(enqueue(7), &mut env);
        node.on_command(DEQUEUE, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request { ticket: 0, op: Enqueue(7) }"]);
        node.on_message(SERVER, Msg::Done { ticket: 0, answer: None, witness: 4 }, &mut env);
        assert_eq!(
            env.lines(),
            [
                "! Returned { ticket: 0, answer: None, witness: Some(4) }",
                "-> 0 Request { ticket: 1, op: Dequeue }",
            ]
        );
        node.on_message(SERVER, Msg::Done { ticket: 0, answer: None, witness: 4 }, &mut env);
        assert!(env.lines().is_empty(), "a duplicate answer");
        assert_eq!(node.waits_for().iter().collect::<Vec<_>>(), [SERVER]);
    }

    #[test]
    fn the_server_answers_in_the_order_of_arrival() {
        let (mut server, mut env) = node(0);
        let request = |ticket, op| Msg::Request { ticket, op };
        server.on_message(NodeId(1), request(0, QueueOp::Enqueue(7)), &mut env);
        server.on_message(NodeId(2), request(0, QueueOp::Enqueue(8)), &mut env);
        assert_eq!((server.held(), env.take().len()), (2, 2));
        for (answer, witness) in [("Some(7)", 2), ("Some(8)", 3), ("None", 4)] {
            server.on_message(NodeId(2), request(1, QueueOp::Dequeue), &mut env);
            let done = format!("-> 2 Done {{ ticket: 1, answer: {answer}, witness: {witness} }}");
            assert_eq!(env.lines(), [done]);
        }
    }

    #[test]
    fn the_server_needs_no_message_for_itself() {
        let (mut server, mut env) = node(0);
        server.on_command(enqueue(7), &mut env);
        server.on_command(DEQUEUE, &mut env);
        assert_eq!(
            env.lines(),
            [
                "! Returned { ticket: 0, answer: None, witness: Some(0) }",
                "! Returned { ticket: 1, answer: Some(7), witness: Some(1) }",
            ]
        );
    }

    #[test]
    fn a_client_carries_nothing_out() {
        let (mut client, mut env) = node(1);
        let before = client.clone();
        let request = Msg::Request { ticket: 0, op: QueueOp::Enqueue(7) };
        client.on_message(NodeId(2), request, &mut env);
        assert_eq!(client, before);
        assert!(env.lines().is_empty());
    }
}
