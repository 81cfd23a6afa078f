//! A representative serves each cluster, and the representatives compete with each other.
//!
//! A scheme rather than one algorithm, as surveyed by M. Singhal, N. G. Shivaratri: Advanced
//! Concepts in Operating Systems. McGraw-Hill, 1994.
//!
//! # Idea
//!
//! Node i belongs to the cluster of node i mod m, its representative: the representatives are the
//! nodes 0 to m-1. Within a cluster the representative is a central coordinator with a queue.
//! Before it grants a request, it acquires the right of its cluster by another algorithm G, the
//! option `--variant`, which runs between the representatives only. With the right it serves up to
//! B of its clients (`--bound`) before it gives the right back, even if more clients wait;
//! otherwise they would starve the other clusters.
//!
//! # Cost
//!
//! Messages: 3 per entry in the cluster, and G(m)/batch between clusters. An entry of a
//! representative takes none in the cluster. G(m) is the cost of the algorithm between m
//! representatives, shared by the entries of one batch, at most B.
//!
//! - Time: coordination delay 2T within a batch, plus that of G between two clusters.
//! - State: the queue of the cluster, and the state of G.
//! - Fairness: no starvation, but no bound on overtaking: it would grow with the
//!   size of clusters, and with the entries in one go.
//!
//! # Assumes
//!
//! A complete network with reliable channels, which may reorder messages if G allows it, and no
//! crashes.
//!
//! - Loss: a lost request starves its client; any other lost message blocks at least its cluster.
//!   Safety holds as far as it holds for G.
//! - Duplication: a duplicate request blocks all nodes eventually. A duplicate grant or release is
//!   ignored, unless it arrives after its client has asked again: then it can let two nodes in.
//! - Crash: the crash of a representative blocks its cluster, and other clusters as far as G does.
//!   The crash of a client that is inside or waits blocks all nodes eventually; the crash of an
//!   idle client is harmless.
//!
//! # Differs from the paper
//!
//! Nothing.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Phase};
use crate::protocol::{Env, Hosts, Invariant, Lifts, Protocol};
use crate::{NodeId, NodeSet};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg<M> {
    /// May I enter? To the representative.
    Request,
    /// You may.
    Grant,
    /// I have left. To the representative.
    Release,
    /// Between representatives.
    Global(M),
}

/// One node of the algorithm. `G` runs between the representatives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hierarchical<G> {
    me: NodeId,
    phase: Phase,
    role: Role<G>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Role<G> {
    /// Of the cluster with this representative.
    Client(NodeId),
    Representative(Representative<G>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Representative<G> {
    global: G,
    /// How many clients are served in one go.
    bound: u32,
    /// The nodes that wait in this cluster, first come first.
    queue: VecDeque<NodeId>,
    right: Right,
}

/// Where the right of a cluster is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Right {
    /// Elsewhere. The queue is empty.
    Absent,
    /// Elsewhere, and asked for.
    Asked,
    /// Here, and lent to this client, the last of this many.
    Lent { client: NodeId, served: u32 },
}

impl<G> Hierarchical<G> {
    /// Node `me` of a system with `clusters` representatives, at least one. Each serves at most
    /// `bound` clients in one go, at least one; `global` builds its part among representatives.
    pub fn new(me: NodeId, clusters: u32, bound: u32, global: impl FnOnce(NodeId) -> G) -> Self {
        let clusters = clusters.max(1);
        let role = if me.0 < clusters {
            let (queue, right) = (VecDeque::new(), Right::Absent);
            let (global, bound) = (global(me), bound.max(1));
            Role::Representative(Representative { global, bound, queue, right })
        } else {
            Role::Client(NodeId(me.0 % clusters))
        };
        Self { me, phase: Phase::Idle, role }
    }
}

impl<G: Protocol<Command = Command, Event = Event>> Protocol for Hierarchical<G> {
    type Msg = Msg<G::Msg>;
    type Timer = G::Timer;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.run(env, |global, env| global.on_start(env));
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.phase) {
            (Command::Acquire, Phase::Idle) => {
                self.phase = Phase::Waiting;
                match self.role {
                    Role::Client(representative) => env.send(representative, Msg::Request),
                    Role::Representative(_) => self.on_request(self.me, env),
                }
            }
            (Command::Release, Phase::Inside) => {
                self.phase = Phase::Idle;
                match self.role {
                    Role::Client(representative) => env.send(representative, Msg::Release),
                    Role::Representative(_) => self.on_release(self.me, env),
                }
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg<G::Msg>, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request => self.on_request(from, env),
            Msg::Grant => self.enter_if_waiting(env),
            Msg::Release => self.on_release(from, env),
            Msg::Global(msg) => self.run(env, |global, env| global.on_message(from, msg, env)),
        }
    }

    fn on_timer(&mut self, timer: G::Timer, env: &mut impl Env<Self>) {
        self.run(env, |global, env| global.on_timer(timer, env));
    }

    fn waits_for(&self) -> NodeSet {
        let whom = match &self.role {
            Role::Client(own) => Some(*own).filter(|_| self.phase == Phase::Waiting),
            Role::Representative(own) => match own.right {
                Right::Absent | Right::Asked => return own.global.waits_for(),
                Right::Lent { client, .. } => Some(client).filter(|&client| client != self.me),
            },
        };
        whom.into_iter().collect()
    }

    /// The lemmas of G hold between the representatives: that there is one token, say.
    fn invariants(&self) -> Vec<Invariant<Self>> {
        let Role::Representative(own) = &self.role else { return Vec::new() };
        own.global.invariants().into_iter().map(Self::lift).collect()
    }
}

impl<G: Protocol<Command = Command, Event = Event>> Hierarchical<G> {
    fn on_request(&mut self, client: NodeId, env: &mut impl Env<Self>) {
        let Role::Representative(own) = &mut self.role else { return };
        own.queue.push_back(client);
        if own.right == Right::Absent {
            own.right = Right::Asked;
            self.run(env, |global, env| global.on_command(Command::Acquire, env));
        }
    }

    fn on_release(&mut self, from: NodeId, env: &mut impl Env<Self>) {
        let Role::Representative(own) = &mut self.role else { return };
        match own.right {
            Right::Lent { client, served } if client == from => self.lend_or_give_back(served, env),
            _ => {} // A duplicate: another client may have the right now.
        }
    }

    /// The right is here and unused, and this many clients were served in this go.
    fn lend_or_give_back(&mut self, served: u32, env: &mut impl Env<Self>) {
        let Role::Representative(own) = &mut self.role else { return };
        let client = if served < own.bound { own.queue.pop_front() } else { None };
        if let Some(client) = client {
            own.right = Right::Lent { client, served: served + 1 };
            match client == self.me {
                true => self.enter_if_waiting(env),
                false => env.send(client, Msg::Grant),
            }
            return;
        }
        let is_wanted_again = !own.queue.is_empty();
        own.right = if is_wanted_again { Right::Asked } else { Right::Absent };
        self.run(env, |global, env| global.on_command(Command::Release, env));
        if is_wanted_again {
            self.run(env, |global, env| global.on_command(Command::Acquire, env));
        }
    }

    fn enter_if_waiting(&mut self, env: &mut impl Env<Self>) {
        if self.phase == Phase::Waiting {
            self.phase = Phase::Inside;
            env.emit(Event::Granted);
        }
    }
}

impl<G: Protocol<Command = Command, Event = Event>> Hosts<G> for Hierarchical<G> {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut G> {
        match &mut self.role {
            Role::Client(_) => None,
            Role::Representative(own) => Some(&mut own.global),
        }
    }

    fn wrap_msg((): &(), msg: G::Msg) -> Msg<G::Msg> {
        Msg::Global(msg)
    }

    fn wrap_timer((): &(), timer: G::Timer) -> G::Timer {
        timer
    }

    fn on_part(&mut self, (): &(), event: Event, env: &mut impl Env<Self>) {
        let Event::Granted = event;
        self.lend_or_give_back(0, env);
    }
}

impl<G: Protocol<Command = Command, Event = Event>> Lifts<G> for Hierarchical<G> {
    fn slots(_nodes: &[&Self]) -> Vec<()> {
        vec![()]
    }

    /// The representatives are the first nodes.
    fn seen(&self, (): &()) -> Option<&G> {
        match &self.role {
            Role::Client(_) => None,
            Role::Representative(own) => Some(&own.global),
        }
    }

    fn unwrap_msg(msg: &Msg<G::Msg>) -> Option<((), &G::Msg)> {
        match msg {
            Msg::Global(msg) => Some(((), msg)),
            Msg::Request | Msg::Grant | Msg::Release => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ricart_agrawala::{self, RicartAgrawala};
    use super::*;
    use crate::Recorder;

    type Node = Hierarchical<RicartAgrawala>;

    /// Node `me` of two clusters, 0 and 1, which serve two clients in one go.
    fn node(me: u32) -> (Node, Recorder<Node>) {
        let global = |me| RicartAgrawala::new(me, 2);
        (Hierarchical::new(NodeId(me), 2, 2, global), Recorder::default())
    }

    const REPLY: Msg<ricart_agrawala::Msg> = Msg::Global(ricart_agrawala::Msg::Reply);

    #[test]
    fn a_client_asks_its_representative() {
        let (mut client, mut env) = node(5);
        client.on_command(Command::Acquire, &mut env);
        client.on_message(NodeId(1), Msg::Grant, &mut env);
        client.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 1 Request", "! Granted", "-> 1 Release"]);
    }

    #[test]
    fn a_representative_acquires_the_right_once_for_all() {
        let (mut representative, mut env) = node(1);
        representative.on_message(NodeId(3), Msg::Request, &mut env);
        representative.on_message(NodeId(5), Msg::Request, &mut env);
        assert_eq!(env.lines(), ["-> 0 Global(Request(1@1))"]);
        representative.on_message(NodeId(0), REPLY, &mut env);
        assert_eq!(env.lines(), ["-> 3 Grant"]);
        representative.on_message(NodeId(3), Msg::Release, &mut env);
        assert_eq!(env.lines(), ["-> 5 Grant"]);
    }

    #[test]
    fn the_bound_gives_other_clusters_their_turn() {
        let (mut representative, mut env) = node(1);
        for client in [3, 5, 7] {
            representative.on_message(NodeId(client), Msg::Request, &mut env);
        }
        representative.on_message(NodeId(0), REPLY, &mut env);
        representative.on_message(NodeId(3), Msg::Release, &mut env);
        env.lines();
        representative.on_message(NodeId(5), Msg::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Global(Request(2@1))"], "node 7 has to wait");
    }

    #[test]
    fn a_representative_serves_itself_without_messages() {
        let global = |me| RicartAgrawala::new(me, 1);
        let mut node = Hierarchical::new(NodeId(0), 1, 4, global);
        let mut env = Recorder::default();
        for _ in 0..2 {
            node.on_command(Command::Acquire, &mut env);
            assert_eq!(env.lines(), ["! Granted"]);
            node.on_command(Command::Release, &mut env);
            assert!(env.lines().is_empty());
        }
    }

    #[test]
    fn only_the_client_that_has_the_right_gives_it_back() {
        let (mut representative, mut env) = node(1);
        for client in [3, 5] {
            representative.on_message(NodeId(client), Msg::Request, &mut env);
        }
        representative.on_message(NodeId(0), REPLY, &mut env);
        representative.on_message(NodeId(3), Msg::Release, &mut env);
        env.lines();
        let theirs = crate::mutex::Stamp { time: 9, node: NodeId(0) };
        let request = Msg::Global(ricart_agrawala::Msg::Request(theirs));
        representative.on_message(NodeId(0), request, &mut env);
        representative.on_message(NodeId(3), Msg::Release, &mut env); // Duplicated, and late.
        assert!(env.lines().is_empty(), "node 5 is inside");
        representative.on_message(NodeId(5), Msg::Release, &mut env);
        assert_eq!(env.lines(), ["-> 0 Global(Reply)"]);
    }

    #[test]
    fn duplicates_and_messages_out_of_turn_are_ignored() {
        let (mut representative, mut env) = node(1);
        representative.on_message(NodeId(3), Msg::Release, &mut env);
        representative.on_message(NodeId(3), Msg::Grant, &mut env);
        representative.on_command(Command::Release, &mut env);
        assert!(env.lines().is_empty());
        let (mut client, mut env) = node(3);
        client.on_message(NodeId(1), Msg::Grant, &mut env);
        client.on_message(NodeId(5), Msg::Request, &mut env);
        client.on_message(NodeId(0), REPLY, &mut env);
        assert!(env.lines().is_empty());
    }
}
