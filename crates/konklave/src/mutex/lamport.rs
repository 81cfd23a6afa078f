//! Every node keeps a copy of the queue of all requests, ordered by logical clocks.
//!
//! L. Lamport: Time, clocks, and the ordering of events in a distributed system. Communications of
//! the ACM 21 (7), 1978.
//!
//! # Idea
//!
//! A node that wants to enter timestamps its request with its logical clock and sends it to all
//! others. Every node inserts the request into a queue ordered by timestamps and acknowledges it.
//! The requester enters when its request is first in its own queue and it has received a later
//! message from every other node: channels are FIFO, so no older request can still be in transit.
//! When it leaves it sends a release, and every node removes its request.
//!
//! All queues order the same requests in the same way, so nodes enter in the order of the
//! timestamps without any further agreement. This was the first use of logical clocks, and of a
//! replicated state machine.
//!
//! # Cost
//!
//! Messages: 3(n-1) per entry; lazy, 2(n-1) to 3(n-1). Each carries one time.
//!
//! With `lazy`, a node does not acknowledge a request that is older than its own: its own request,
//! in transit to the requester, serves as the later message. That saves one acknowledgement per
//! pair of concurrent requests, half of all acknowledgements if every node asks once and all
//! requests are concurrent. A request can be concurrent with several requests of one node, because
//! a later release counts as an acknowledgement as well; then it saves more.
//!
//! - Time: coordination delay T, waiting time 2T on an idle system.
//! - State: a clock and a queue of at most n requests.
//! - Fairness: first come, first served: a later request has a larger timestamp.
//!
//! # Assumes
//!
//! A complete network with reliable FIFO channels, and no crashes.
//!
//! - Loss: a lost acknowledgement blocks its receiver until the sender sends a later message, a
//!   lost release for ever. A lost request blocks its sender, or lets two nodes in if its receiver
//!   asks, too.
//! - Duplication: a duplicate acknowledgement is harmless. A duplicate request that arrives after
//!   its release blocks its receiver; a duplicate release that arrives late removes its sender's
//!   next request and can let two nodes in.
//! - Crash: a crashed node acknowledges nothing, so every later request starves.
//! - Order: an acknowledgement that overtakes an older request can let two nodes in.
//!
//! # Differs from the paper
//!
//! A node stores the set of nodes from which it has received a later message, instead of the latest
//! timestamp of every node. That is equivalent, because its request is younger than everything it
//! has received before.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Stamp};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages, each with its sender's clock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender wants to enter; the clock is its request's timestamp.
    Request(u64),
    /// The sender has queued the receiver's request.
    Ack(u64),
    /// The sender has left: remove its request.
    Release(u64),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// Which requests a node acknowledges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Acks {
    /// Every request.
    #[default]
    Eager,
    /// Every request but those to which its own, younger request serves as an acknowledgement.
    Lazy,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lamport {
    me: NodeId,
    nodes: u32,
    acks: Acks,
    /// Larger than the time of every message received, and at least that of every message sent.
    clock: u64,
    state: State,
    /// The requests that were not released yet, oldest first, at most one per node.
    queue: BTreeSet<Stamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Released,
    /// `mine` is in the queue; no later message has arrived from the nodes in `silent`.
    Wanted {
        mine: Stamp,
        silent: NodeSet,
    },
    Held,
}

impl Lamport {
    /// Node `me` of a complete network of `nodes` nodes.
    pub fn new(me: NodeId, nodes: u32, acks: Acks) -> Self {
        Self { me, nodes, acks, clock: 0, state: State::Released, queue: BTreeSet::new() }
    }
}

impl Protocol for Lamport {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, &self.state) {
            (Command::Acquire, State::Released) => {
                self.tick();
                let mine = Stamp { time: self.clock, node: self.me };
                let silent = NodeSet::all_but(self.me, self.nodes);
                for other in silent.iter() {
                    env.send(other, Msg::Request(self.clock));
                }
                self.queue.insert(mine);
                self.state = State::Wanted { mine, silent };
                self.enter_if_first_and_all_heard(env);
            }
            (Command::Release, State::Held) => {
                self.tick();
                self.state = State::Released;
                self.forget_request_of(self.me);
                for other in NodeId::all(self.nodes).filter(|&other| other != self.me) {
                    env.send(other, Msg::Release(self.clock));
                }
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let (Msg::Request(time) | Msg::Ack(time) | Msg::Release(time)) = msg;
        let theirs = Stamp { time, node: from };
        self.clock = self.clock.max(time);
        self.tick();
        if let State::Wanted { mine, silent } = &mut self.state
            && theirs > *mine
        {
            silent.remove(from);
        }
        match msg {
            Msg::Request(_) => {
                self.queue.insert(theirs);
                self.acknowledge_if_not_answered(theirs, env);
            }
            Msg::Ack(_) => {}
            Msg::Release(_) => self.forget_request_of(from),
        }
        self.enter_if_first_and_all_heard(env);
    }

    fn waits_for(&self) -> NodeSet {
        let State::Wanted { mine, silent } = &self.state else { return NodeSet::new() };
        let older = self.queue.iter().filter(|theirs| *theirs < mine).map(|theirs| theirs.node);
        silent.iter().chain(older).collect()
    }
}

impl Lamport {
    fn tick(&mut self) {
        self.clock = self.clock.saturating_add(1);
    }

    fn forget_request_of(&mut self, node: NodeId) {
        let request = self.queue.iter().find(|request| request.node == node).copied();
        if let Some(request) = request {
            self.queue.remove(&request);
        }
    }

    fn acknowledge_if_not_answered(&mut self, theirs: Stamp, env: &mut impl Env<Self>) {
        match (&self.state, self.acks) {
            // Our request is in transit to the requester and is the later message it waits for.
            (State::Wanted { mine, .. }, Acks::Lazy) if *mine > theirs => {}
            _ => env.send(theirs.node, Msg::Ack(self.clock)),
        }
    }

    fn enter_if_first_and_all_heard(&mut self, env: &mut impl Env<Self>) {
        if let State::Wanted { mine, silent } = &self.state
            && self.queue.first() == Some(mine)
            && silent.is_empty()
        {
            self.state = State::Held;
            env.emit(Event::Granted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// Node 1 of three.
    fn node(acks: Acks) -> (Lamport, Recorder<Lamport>) {
        (Lamport::new(NodeId(1), 3, acks), Recorder::default())
    }

    #[test]
    fn enters_when_everyone_was_heard_and_tells_everyone_when_it_leaves() {
        let (mut node, mut env) = node(Acks::Eager);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1)", "-> 2 Request(1)"]);
        node.on_message(NodeId(0), Msg::Ack(2), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(2), Msg::Ack(2), &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Release(5)", "-> 2 Release(5)"]);
    }

    #[test]
    fn an_older_request_goes_first() {
        let (mut node, mut env) = node(Acks::Eager);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), Msg::Request(1), &mut env);
        node.on_message(NodeId(0), Msg::Ack(2), &mut env);
        env.lines();
        node.on_message(NodeId(2), Msg::Ack(2), &mut env);
        assert!(env.lines().is_empty(), "same time, smaller number: older");
        node.on_message(NodeId(0), Msg::Release(5), &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn a_younger_request_tells_as_much_as_an_acknowledgement() {
        let (mut node, mut env) = node(Acks::Eager);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), Msg::Ack(2), &mut env);
        env.lines();
        node.on_message(NodeId(2), Msg::Request(1), &mut env);
        assert_eq!(env.lines(), ["-> 2 Ack(4)", "! Granted"], "same time, larger number: younger");
    }

    #[test]
    fn an_old_message_tells_nothing() {
        let (mut node, mut env) = node(Acks::Eager);
        node.on_message(NodeId(0), Msg::Release(6), &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(8)", "-> 2 Request(8)"]);
        node.on_message(NodeId(0), Msg::Ack(7), &mut env);
        node.on_message(NodeId(2), Msg::Ack(9), &mut env);
        assert!(env.lines().is_empty(), "node 0 sent its message before it saw the request");
    }

    #[test]
    fn lazy_acknowledges_only_what_its_own_request_does_not() {
        let (mut node, mut env) = node(Acks::Lazy);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), Msg::Request(1), &mut env);
        assert!(env.lines().is_empty(), "our younger request is in transit");
        node.on_message(NodeId(2), Msg::Request(1), &mut env);
        assert_eq!(env.lines(), ["-> 2 Ack(3)"]);
    }

    #[test]
    fn alone_it_enters_at_once() {
        let (mut node, mut env) = (Lamport::new(NodeId(0), 1, Acks::Lazy), Recorder::default());
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn a_clock_at_its_end_does_not_panic() {
        let (mut node, mut env) = node(Acks::Eager);
        node.on_message(NodeId(0), Msg::Request(u64::MAX), &mut env);
        node.on_command(Command::Acquire, &mut env);
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) = node(Acks::Eager);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
    }
}
