//! Chang-Roberts in numbered rounds: the next round repairs what loss or a crash broke in the last.
//!
//! E. Chang, R. Roberts: An improved algorithm for decentralized extrema-finding in circular
//! configurations of processes. Communications of the ACM 22 (5), 1979. The rounds are ours.
//!
//! # Idea
//!
//! As before, an id travels round the ring until it meets a larger one, and a node that is reached
//! by a smaller one competes. But every message carries the number of its round, and a higher round
//! overrides all lower ones: no stale message and no stale state can block an election.
//!
//! An id passes every node at most once per round. A node that sees an id for the second time knows
//! that its owner did not take it off the ring, so the owner has crashed, and the node begins the
//! next round. A new round also begins when the successor is lost or found, when a smaller leader
//! is announced, and when a round does not end in time.
//!
//! # Cost
//!
//! Messages: n + d per round with one initiator, and n to announce. d is the distance from it to
//! the largest id; at most n(n+1)/2 if all nodes start at once. Every crash, restart or loss can
//! cost another round.
//!
//! - State: an id and a number, and the list of successors.
//!
//! # Assumes
//!
//! A directed ring of nodes with unique ids. Each node knows its next successors, near ones first,
//! at least one of which is up, and is told which of them are lost and found. Channels may reorder
//! messages. The patience of nodes should exceed the time of an election, 3n-1 hops; with less,
//! elections can restart for ever. A node that is falsely suspected can lead together with its
//! replacement until a message of the next round reaches it; no timeout can prevent that.
//!
//! - Loss: a lost message costs another round, after the patience of a voting node ends. Every
//!   promise holds.
//! - Duplication: a duplicate is harmless: a proposal looks like one whose owner has crashed, and
//!   costs another round.
//! - Crash: a crash or restart costs another round. At no time do two nodes that are up lead.
//!
//! # Differs from the paper
//!
//! The paper has one election and no failures.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Protocol};
use crate::{NodeId, NodeSet};

/// The messages from each node to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Proposes, in this round, the node with this id as leader.
    Propose(u32, Id),
    /// Announces that, in this round, the node with this id was elected.
    Elected(u32, Id),
}

const _: () = assert!(size_of::<Msg>() <= 12);

/// The only timer: the round does not end in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Watchdog;

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChangRobertsNumbered {
    me: Id,
    /// The nodes that follow on the ring, near ones first, and this node at the end.
    successors: Vec<NodeId>,
    lost: NodeSet,
    patience: Duration,
    round: u32,
    state: State,
}

/// The phase of a node in its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// No proposal has arrived yet.
    Idle,
    /// The largest id proposed here so far: our own or a larger one.
    Voting(Id),
    /// Another node leads: the one with this id.
    Following(Id),
    Leading,
}

impl ChangRobertsNumbered {
    /// The node with id `me` at `address`, followed on the ring by `successors`. A round that takes
    /// longer than `patience` is given up.
    pub fn new(me: Id, address: NodeId, mut successors: Vec<NodeId>, patience: Duration) -> Self {
        successors.push(address);
        Self { me, successors, lost: NodeSet::new(), patience, round: 0, state: State::Idle }
    }

    /// The receiver of our messages: the nearest successor that is not lost.
    pub fn successor(&self) -> NodeId {
        let up = |node: &NodeId| !self.lost.contains(*node);
        self.successors.iter().copied().find(up).expect("we are up, and the last of the list")
    }
}

impl Protocol for ChangRobertsNumbered {
    type Msg = Msg;
    type Timer = Watchdog;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        let successor = self.successor();
        match command {
            Command::Start => {
                if !matches!(self.state, State::Voting(_)) {
                    self.begin_round(env);
                }
            }
            Command::Lost(node) => {
                if self.successors.split_last().is_some_and(|(_, others)| others.contains(&node)) {
                    self.lost.insert(node);
                }
            }
            Command::Found(node) => {
                self.lost.remove(node);
            }
        }
        // Messages to a lost successor are lost with it, and a new successor knows no round.
        if self.successor() != successor {
            self.begin_round(env);
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let (Msg::Propose(round, _) | Msg::Elected(round, _)) = msg;
        if round < self.round {
            return;
        }
        if round > self.round {
            self.enter(round, env);
        }
        match msg {
            Msg::Propose(_, id) => self.on_propose(id, env),
            Msg::Elected(_, id) => self.on_elected(id, env),
        }
    }

    fn on_timer(&mut self, Watchdog: Watchdog, env: &mut impl Env<Self>) {
        if matches!(self.state, State::Voting(_)) {
            self.begin_round(env);
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Voting(_) => [self.successor()].into_iter().collect(),
            _ => NodeSet::new(),
        }
    }
}

impl ChangRobertsNumbered {
    fn on_propose(&mut self, id: Id, env: &mut impl Env<Self>) {
        match self.state {
            State::Idle if id == self.me => self.begin_round(env), // From before our restart.
            State::Idle => self.vote(id.max(self.me), env),
            State::Voting(best) if id == self.me && best == self.me => {
                self.state = State::Leading;
                env.cancel_timer(Watchdog);
                env.emit(Event::Elected);
                env.emit(Event::Knows(self.me));
                env.send(self.successor(), Msg::Elected(self.round, self.me));
            }
            State::Voting(best) if id > best => self.vote(id, env),
            State::Voting(best) if id == best => self.begin_round(env), // Its owner crashed.
            State::Voting(_) => {}                                      // It cannot win.
            State::Following(_) | State::Leading => {}                  // Decided.
        }
    }

    fn on_elected(&mut self, id: Id, env: &mut impl Env<Self>) {
        match self.state {
            State::Leading => {} // Our announcement is back.
            State::Following(leader) if id == leader => self.begin_round(env), // Crashed.
            State::Following(_) => {}
            // A smaller leader was elected while we were down; or it was us, before our restart.
            State::Idle | State::Voting(_) if id <= self.me => self.begin_round(env),
            State::Idle | State::Voting(_) => {
                self.state = State::Following(id);
                env.cancel_timer(Watchdog);
                env.emit(Event::Knows(id));
                env.send(self.successor(), Msg::Elected(self.round, id));
            }
        }
    }

    /// Forwards the largest id so far.
    fn vote(&mut self, id: Id, env: &mut impl Env<Self>) {
        self.state = State::Voting(id);
        env.set_timer(Watchdog, self.patience);
        env.send(self.successor(), Msg::Propose(self.round, id));
    }

    fn begin_round(&mut self, env: &mut impl Env<Self>) {
        self.enter(self.round.saturating_add(1), env);
        env.emit(Event::Started);
        self.vote(self.me, env);
    }

    fn enter(&mut self, round: u32, env: &mut impl Env<Self>) {
        if self.state == State::Leading {
            env.emit(Event::SteppedDown);
        }
        (self.round, self.state) = (round, State::Idle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    type Env = Recorder<ChangRobertsNumbered>;

    /// Node 0 with id 5, followed by nodes 1 and 2.
    fn node() -> (ChangRobertsNumbered, Env) {
        let successors = vec![NodeId(1), NodeId(2)];
        let patience = Duration::from_secs(1);
        let node = ChangRobertsNumbered::new(Id(5), NodeId(0), successors, patience);
        (node, Recorder::default())
    }

    fn receive(node: &mut ChangRobertsNumbered, msg: Msg, env: &mut Env) -> Vec<String> {
        node.on_message(NodeId(2), msg, env);
        env.lines()
    }

    fn order(node: &mut ChangRobertsNumbered, command: Command, env: &mut Env) -> Vec<String> {
        node.on_command(command, env);
        env.lines()
    }

    const FIRST: [&str; 3] = ["! Started", "set Watchdog 1s", "-> 1 Propose(1, 5)"];
    const SECOND: [&str; 3] = ["! Started", "set Watchdog 1s", "-> 1 Propose(2, 5)"];

    #[test]
    fn an_idle_node_joins_in_with_the_larger_id() {
        for (id, sent) in [(3, "-> 1 Propose(1, 5)"), (9, "-> 1 Propose(1, 9)")] {
            let (mut node, mut env) = node();
            let lines = receive(&mut node, Msg::Propose(1, Id(id)), &mut env);
            assert_eq!(lines, ["set Watchdog 1s", sent]);
        }
    }

    #[test]
    fn the_own_id_back_home_elects_and_the_announcement_ends_there() {
        let (mut node, mut env) = node();
        assert_eq!(order(&mut node, Command::Start, &mut env), FIRST);
        assert!(order(&mut node, Command::Start, &mut env).is_empty(), "it is voting");
        assert_eq!(
            receive(&mut node, Msg::Propose(1, Id(5)), &mut env),
            ["cancel Watchdog", "! Elected", "! Knows(5)", "-> 1 Elected(1, 5)"]
        );
        assert!(receive(&mut node, Msg::Elected(1, Id(5)), &mut env).is_empty());
        assert!(receive(&mut node, Msg::Propose(1, Id(5)), &mut env).is_empty(), "a duplicate");
    }

    #[test]
    fn an_id_that_passes_twice_begins_a_round() {
        let (mut node, mut env) = node();
        receive(&mut node, Msg::Propose(1, Id(9)), &mut env);
        assert!(receive(&mut node, Msg::Propose(1, Id(7)), &mut env).is_empty(), "it cannot win");
        assert_eq!(receive(&mut node, Msg::Propose(1, Id(9)), &mut env), SECOND);
    }

    #[test]
    fn an_announcement_that_passes_twice_begins_a_round() {
        let (mut node, mut env) = node();
        assert_eq!(
            receive(&mut node, Msg::Elected(1, Id(9)), &mut env),
            ["cancel Watchdog", "! Knows(9)", "-> 1 Elected(1, 9)"]
        );
        assert_eq!(receive(&mut node, Msg::Elected(1, Id(9)), &mut env), SECOND);
    }

    #[test]
    fn a_weaker_leader_is_not_accepted() {
        let (mut node, mut env) = node();
        assert_eq!(receive(&mut node, Msg::Elected(1, Id(3)), &mut env), SECOND);
    }

    #[test]
    fn a_higher_round_overrides_and_a_lower_one_is_void() {
        let (mut node, mut env) = node();
        order(&mut node, Command::Start, &mut env);
        receive(&mut node, Msg::Propose(1, Id(5)), &mut env);
        let lines = receive(&mut node, Msg::Propose(4, Id(3)), &mut env);
        assert_eq!(lines, ["! SteppedDown", "set Watchdog 1s", "-> 1 Propose(4, 5)"]);
        assert!(receive(&mut node, Msg::Elected(3, Id(9)), &mut env).is_empty());
    }

    #[test]
    fn a_lost_successor_is_skipped_and_a_found_one_is_back() {
        let (mut node, mut env) = node();
        assert!(order(&mut node, Command::Lost(NodeId(2)), &mut env).is_empty());
        let alone = ["! Started", "set Watchdog 1s", "-> 0 Propose(1, 5)"];
        assert_eq!(order(&mut node, Command::Lost(NodeId(1)), &mut env), alone);
        assert_eq!(order(&mut node, Command::Found(NodeId(1)), &mut env), SECOND);
    }

    #[test]
    fn the_watchdog_only_matters_while_voting() {
        let (mut node, mut env) = node();
        receive(&mut node, Msg::Propose(1, Id(9)), &mut env);
        let mut decided = node.clone();
        node.on_timer(Watchdog, &mut env);
        assert_eq!(env.lines(), SECOND);
        receive(&mut decided, Msg::Elected(1, Id(9)), &mut env);
        decided.on_timer(Watchdog, &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn an_own_proposal_from_before_a_restart_begins_a_round() {
        let (mut node, mut env) = node();
        assert_eq!(receive(&mut node, Msg::Propose(1, Id(5)), &mut env), SECOND);
    }

    #[test]
    fn an_own_announcement_from_before_a_restart_begins_a_round() {
        let (mut node, mut env) = node();
        assert_eq!(receive(&mut node, Msg::Elected(1, Id(5)), &mut env), SECOND);
    }
}
