//! A server that holds an object and carries out the operations of all processes.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Event, Object, OneByOne};
use crate::protocol::{Data, Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between the processes and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<Op> {
    /// To the server: the sender invokes an operation.
    Request {
        /// How many operations the sender had invoked before.
        ticket: u32,
        /// The operation.
        op: Op,
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

/// One node of a system in which a server holds the object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Central<O: Object> {
    me: NodeId,
    server: NodeId,
    operations: OneByOne<O::Op>,
    /// At the server: the object.
    object: O,
    /// At the server: how many operations were carried out.
    done: u64,
}

impl<O: Object> Central<O>
where
    Msg<O::Op>: Data,
    Command<O::Op>: Data,
{
    /// Node `me` of a system with this server.
    pub fn new(me: NodeId, server: NodeId) -> Self {
        let (operations, object) = (OneByOne::default(), O::default());
        Self { me, server, operations, object, done: 0 }
    }

    /// The object, at the server.
    pub fn object(&self) -> &O {
        &self.object
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

    fn carry_out(&mut self, op: O::Op) -> (Answer, u64) {
        let witness = self.done;
        self.done += 1;
        (self.object.apply(op), witness)
    }
}

impl<O: Object> Protocol for Central<O>
where
    Msg<O::Op>: Data,
    Command<O::Op>: Data,
{
    type Msg = Msg<O::Op>;
    type Timer = Never;
    type Command = Command<O::Op>;
    type Event = Event;

    fn on_command(&mut self, command: Self::Command, env: &mut impl Env<Self>) {
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

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
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
    use crate::object::{Queue, QueueOp};

    type Node = Central<Queue>;

    const SERVER: NodeId = NodeId(0);

    fn node(me: u32) -> (Node, Recorder<Node>) {
        (Central::new(NodeId(me), SERVER), Recorder::default())
    }

    fn enqueue(id: u64) -> Command<QueueOp> {
        Command::Invoke(QueueOp::Enqueue(id))
    }

    const DEQUEUE: Command<QueueOp> = Command::Invoke(QueueOp::Dequeue);

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
