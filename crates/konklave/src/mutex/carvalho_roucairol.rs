//! A permission lasts until it is given away: ask only the nodes whose permission is missing.
//!
//! O. S. F. Carvalho, G. Roucairol: On mutual exclusion in computer networks. Communications of the
//! ACM 26 (2), 1983.
//!
//! # Idea
//!
//! As in the algorithm of Ricart and Agrawala, a node enters with the permission of all other
//! nodes, and a node that is inside or whose request is older defers its reply. But a reply is more
//! than the answer to one request: it hands over the one permission that the two nodes share. The
//! holder keeps it, and enters again without asking, until the other node requests it.
//!
//! A waiting node may have to give away a permission that it kept from an earlier entry. It then
//! needs that permission back, and sends its request, with the same timestamp, behind the reply.
//!
//! # Cost
//!
//! Messages: 0 to 2(n-1) per entry; n-1 under light load, 2(n-1) under heavy. An entry costs two
//! messages for each node that has entered since the requester's own last entry; so n on average if
//! no node enters twice in a row. The first entry of a node takes 2(n-1), or, with `ordered`
//! permissions, as many as if all nodes had entered before, the smallest number last. A request
//! carries one timestamp.
//!
//! - Time: coordination delay T, waiting time 2T on an idle system.
//! - State: a clock and two sets of nodes.
//! - Fairness: each node overtakes a waiting one at most once: a node that
//!   has a permission does not ask for it, and the one that gave it does not know of the request.
//!
//! # Assumes
//!
//! A complete network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost request or reply starves its requester, and then the other node as soon as it
//!   asks. Safety holds.
//! - Duplication: a duplicate reply, or the reply to a duplicate request, can stand for a
//!   permission that was given away meanwhile and let two nodes in.
//! - Crash: a node that lacks the permission of a crashed node starves; a node that holds it can
//!   still enter.
//!
//! # Differs from the paper
//!
//! Initially no node holds a permission, so that all nodes start alike and the first entry of each
//! asks all others. The variant `ordered` gives the permission of each pair to the node with the
//! smaller number, which saves half of these messages.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Stamp};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};

/// The messages between nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender asks for the permission that it shares with the receiver.
    Request(Stamp),
    /// The sender hands this permission over, until it requests it again.
    Reply,
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// Which node of a pair holds their permission initially.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Neither: each has to ask the other first.
    Symmetric,
    /// The node with the smaller number.
    Ordered,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CarvalhoRoucairol {
    me: NodeId,
    nodes: u32,
    /// At least the time of every request sent or received.
    clock: u64,
    state: State,
    /// The nodes whose permission is missing here. While wanted, all of them have been asked.
    missing: NodeSet,
    /// The nodes whose replies are deferred until this node leaves. Empty while released.
    deferred: NodeSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Released,
    Wanted { mine: Stamp },
    Held,
}

impl CarvalhoRoucairol {
    /// Node `me` of a complete network of `nodes` nodes.
    pub fn new(me: NodeId, nodes: u32, variant: Variant) -> Self {
        let missing = match variant {
            Variant::Symmetric => NodeSet::all_but(me, nodes),
            Variant::Ordered => NodeId::all(me.0).collect(),
        };
        let deferred = NodeSet::new();
        Self { me, nodes, clock: 0, state: State::Released, missing, deferred }
    }
}

impl Protocol for CarvalhoRoucairol {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.state) {
            (Command::Acquire, State::Released) => {
                self.clock = self.clock.saturating_add(1);
                let mine = Stamp { time: self.clock, node: self.me };
                for other in self.missing.iter() {
                    env.send(other, Msg::Request(mine));
                }
                self.state = State::Wanted { mine };
                self.enter_if_nothing_is_missing(env);
            }
            (Command::Release, State::Held) => {
                self.state = State::Released;
                for other in std::mem::take(&mut self.deferred).iter() {
                    self.missing.insert(other);
                    env.send(other, Msg::Reply);
                }
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(theirs) => {
                self.clock = self.clock.max(theirs.time);
                match self.state {
                    State::Wanted { mine } if mine > theirs => {
                        env.send(from, Msg::Reply);
                        // If it was missing before, our request is already in transit.
                        if self.missing.insert(from) {
                            env.send(from, Msg::Request(mine));
                        }
                    }
                    State::Released => {
                        self.missing.insert(from);
                        env.send(from, Msg::Reply);
                    }
                    State::Wanted { .. } | State::Held => {
                        self.deferred.insert(from);
                    }
                }
            }
            Msg::Reply => {
                let State::Wanted { .. } = self.state else { return }; // Duplicate.
                self.missing.remove(from);
                self.enter_if_nothing_is_missing(env);
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Wanted { .. } => self.missing.clone(),
            State::Released | State::Held => NodeSet::new(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![Invariant::new("one permission per pair", one_permission)]
    }
}

impl CarvalhoRoucairol {
    fn enter_if_nothing_is_missing(&mut self, env: &mut impl Env<Self>) {
        if matches!(self.state, State::Wanted { .. }) && self.missing.is_empty() {
            self.state = State::Held;
            env.emit(Event::Granted);
        }
    }
}

/// Each pair of nodes shares one permission, so at most one of the two holds it.
fn one_permission(system: &Snapshot<'_, CarvalhoRoucairol>) -> Result<(), String> {
    for (place, node) in system.nodes.iter().enumerate() {
        for other in &system.nodes[..place] {
            if !node.missing.contains(other.me) && !other.missing.contains(node.me) {
                return Err(format!("nodes {} and {} both hold it", other.me, node.me));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn request(time: u64, node: u32) -> Msg {
        Msg::Request(Stamp { time, node: NodeId(node) })
    }

    /// Node 1 of three, which has entered and left once: it has both permissions.
    fn experienced() -> (CarvalhoRoucairol, Recorder<CarvalhoRoucairol>) {
        let (mut node, mut env) =
            (CarvalhoRoucairol::new(NodeId(1), 3, Variant::Symmetric), Recorder::default());
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), Msg::Reply, &mut env);
        node.on_message(NodeId(2), Msg::Reply, &mut env);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1@1)", "-> 2 Request(1@1)", "! Granted"]);
        (node, env)
    }

    #[test]
    fn enters_again_without_a_message() {
        let (mut node, mut env) = experienced();
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn asks_only_whom_it_gave_a_permission() {
        let (mut node, mut env) = experienced();
        node.on_message(NodeId(2), request(2, 2), &mut env);
        assert_eq!(env.lines(), ["-> 2 Reply"]);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 2 Request(3@1)"]);
        node.on_message(NodeId(2), Msg::Reply, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn a_permission_given_away_while_waiting_is_asked_back_with_the_same_stamp() {
        let (mut node, mut env) = experienced();
        node.on_message(NodeId(2), request(2, 2), &mut env);
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), request(1, 0), &mut env);
        assert_eq!(env.lines(), ["-> 0 Reply", "-> 0 Request(3@1)"]);
        node.on_message(NodeId(2), request(2, 2), &mut env);
        assert_eq!(env.lines(), ["-> 2 Reply"], "node 2 has been asked already");
        node.on_message(NodeId(2), Msg::Reply, &mut env);
        assert!(env.lines().is_empty(), "the permission of node 0 is missing");
        node.on_message(NodeId(0), Msg::Reply, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn inside_defers_and_leaving_gives_away() {
        let (mut node, mut env) = experienced();
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(0), request(1, 0), &mut env);
        assert!(env.lines().is_empty(), "even an older request waits while we are inside");
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Reply"]);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(3@1)"]);
    }

    #[test]
    fn a_younger_request_waits_for_us() {
        let (mut node, mut env) =
            (CarvalhoRoucairol::new(NodeId(1), 3, Variant::Symmetric), Recorder::default());
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_message(NodeId(2), request(1, 2), &mut env);
        assert!(env.lines().is_empty(), "same time, larger number: younger");
    }

    #[test]
    fn a_reply_that_nobody_waits_for_is_ignored() {
        let (mut node, mut env) =
            (CarvalhoRoucairol::new(NodeId(1), 3, Variant::Symmetric), Recorder::default());
        let before = node.clone();
        node.on_message(NodeId(2), Msg::Reply, &mut env);
        assert_eq!(node, before, "it would be a permission that node 2 does not know of");
    }

    #[test]
    fn in_order_only_smaller_numbers_are_asked() {
        let node = |me| CarvalhoRoucairol::new(NodeId(me), 3, Variant::Ordered);
        let mut env = Recorder::default();
        node(0).on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node(1).on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1@1)"]);
        node(2).on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Request(1@2)", "-> 1 Request(1@2)"]);
    }

    #[test]
    fn alone_it_enters_at_once() {
        let (mut node, mut env) =
            (CarvalhoRoucairol::new(NodeId(0), 1, Variant::Symmetric), Recorder::default());
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
    }

    #[test]
    fn commands_out_of_turn_do_nothing() {
        let (mut node, mut env) =
            (CarvalhoRoucairol::new(NodeId(0), 2, Variant::Symmetric), Recorder::default());
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Acquire, &mut env);
        env.lines();
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
    }
}
