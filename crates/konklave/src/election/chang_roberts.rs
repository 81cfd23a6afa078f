//! Every id travels round the ring until it meets a larger one; only the largest returns.
//!
//! E. Chang, R. Roberts: An improved algorithm for decentralized extrema-finding in circular
//! configurations of processes. Communications of the ACM 22 (5), 1979.
//!
//! # Idea
//!
//! A candidate proposes its own id to its successor. A node that receives a larger id forwards it
//! and is no longer a candidate; it discards a smaller id, which cannot win. An id that returns to
//! its owner was forwarded by every other node, so it is the largest: its owner is elected and
//! announces itself.
//!
//! A node that is asleep when the first proposal reaches it wakes up in one of three ways
//! ([`Wake`]): it competes, it competes only if its id is larger, or it only relays.
//!
//! # Cost
//!
//! Messages: n H_n on average, n(n+1)/2 at worst, and n to announce. H_n = 1 + 1/2 + ... + 1/n, and
//! the average is over all orders of the ids, with every node a candidate; the best order,
//! ascending along the ring, takes 2n-1, the worst is descending. The count does not depend on the
//! schedule. One initiator, suppressing: n + d, d the distance from it to the largest id. Relaying,
//! k initiators at random places: n H_k on average. A message carries one id.
//!
//! - Time: n to 2n-1 to elect, n to announce.
//! - State: one id.
//!
//! # Assumes
//!
//! A directed ring of nodes with unique ids and reliable channels, and no crashes. The nodes need
//! not know n.
//!
//! A node that was made [`ready_again`](ChangRoberts::ready_again) falls asleep when the
//! announcement passes, and any node can start the next election at once; the leader steps down on
//! the first proposal that reaches it. On FIFO channels the proposals of one election run ahead of
//! its winner's, and those of the next behind its announcement.
//!
//! - Loss: a lost proposal of the largest id leaves the ring without a leader.
//! - Duplication: a duplicate is harmless: only a candidate is elected, and only once. But one that
//!   arrives in the next election belongs to it, and a wrong node can win.
//! - Crash: a crashed node stops proposals and leaves the ring without a leader; if the ring closes
//!   around the crashed owner of the largest id, its proposal circles for ever.
//! - Order: a single election tolerates reordering. Repeated elections need FIFO channels: a node
//!   that still takes part in the last election discards a proposal that overtakes the
//!   announcement.
//!
//! # Differs from the paper
//!
//! The winner announces itself, and nodes may wake up late.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id, Winner};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// The messages from each node to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Proposes the node with this id as leader.
    Propose(Id),
    /// Announces the winner: the node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// What a node that is asleep does when the first proposal reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wake {
    /// It becomes a candidate: the largest id of all wins.
    #[default]
    All,
    /// It becomes a candidate only if its own id is larger: the largest id of all wins.
    Suppress,
    /// It forwards every id: the largest id among the initiators wins.
    Relay,
}

impl Wake {
    /// The node that wins under this rule.
    pub fn winner(self) -> Winner {
        match self {
            Self::All | Self::Suppress => Winner::Largest,
            Self::Relay => Winner::LargestInitiator,
        }
    }
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChangRoberts {
    me: Id,
    next: NodeId,
    wake: Wake,
    after: After,
    state: State,
}

const _: () = assert!(size_of::<ChangRoberts>() <= 16);

/// The state of a node after the announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum After {
    /// It keeps the result for ever.
    Rest,
    /// It is ready to take part in the next election.
    Readiness,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// Our own proposal is in transit.
    Candidate,
    /// A larger id has passed: we cannot win.
    Lost,
    /// Woken late: forwards all ids, smaller ones too.
    Relay,
    Leader,
}

impl ChangRoberts {
    /// The node with id `me`, before the node `next` on the ring.
    pub fn new(me: Id, next: NodeId, wake: Wake) -> Self {
        Self { me, next, wake, after: After::Rest, state: State::Asleep }
    }

    /// The same node, but ready for the next election once the last one is announced.
    pub fn ready_again(self) -> Self {
        Self { after: After::Readiness, ..self }
    }
}

impl Protocol for ChangRoberts {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start {
            self.resign_if_ready(env);
            if self.state != State::Asleep {
                return; // It takes part in an election already.
            }
            env.emit(Event::Started);
            self.become_candidate(env);
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Propose(id) => {
                self.resign_if_ready(env);
                if self.state == State::Asleep {
                    self.wake_up(id, env);
                }
                if id > self.me || self.state == State::Relay {
                    if self.state == State::Candidate {
                        self.state = State::Lost;
                    }
                    env.send(self.next, Msg::Propose(id));
                } else if id == self.me && self.state == State::Candidate {
                    self.state = State::Leader;
                    env.emit(Event::Elected);
                    env.emit(Event::Knows(self.me));
                    env.send(self.next, Msg::Elected(self.me));
                }
                // Else the id is smaller, or a duplicate of our own: it is discarded.
            }
            Msg::Elected(id) if id == self.me => {} // The announcement is back.
            Msg::Elected(id) => {
                self.state = match self.after {
                    After::Rest => State::Lost,
                    After::Readiness => State::Asleep,
                };
                env.emit(Event::Knows(id));
                env.send(self.next, Msg::Elected(id));
            }
        }
    }
}

impl ChangRoberts {
    /// The leader steps down before the next election is decided, so that two never overlap.
    fn resign_if_ready(&mut self, env: &mut impl Env<Self>) {
        if self.state == State::Leader && self.after == After::Readiness {
            self.state = State::Asleep;
            env.emit(Event::SteppedDown);
        }
    }

    fn become_candidate(&mut self, env: &mut impl Env<Self>) {
        self.state = State::Candidate;
        env.send(self.next, Msg::Propose(self.me));
    }

    fn wake_up(&mut self, id: Id, env: &mut impl Env<Self>) {
        match self.wake {
            Wake::Suppress if id > self.me => self.state = State::Lost,
            Wake::All | Wake::Suppress => self.become_candidate(env),
            Wake::Relay => self.state = State::Relay,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node(wake: Wake) -> (ChangRoberts, Recorder<ChangRoberts>) {
        (ChangRoberts::new(Id(5), NodeId(1), wake), Recorder::default())
    }

    #[test]
    fn a_candidate_lets_only_larger_ids_pass() {
        let (mut node, mut env) = node(Wake::All);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 Propose(5)"]);
        node.on_message(NodeId(0), Msg::Propose(Id(3)), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(0), Msg::Propose(Id(9)), &mut env);
        assert_eq!(env.lines(), ["-> 1 Propose(9)"]);
    }

    #[test]
    fn the_own_id_back_home_elects_and_announces() {
        let (mut node, mut env) = node(Wake::All);
        node.on_command(Command::Start, &mut env);
        env.lines();
        node.on_message(NodeId(0), Msg::Propose(Id(5)), &mut env);
        assert_eq!(env.lines(), ["! Elected", "! Knows(5)", "-> 1 Elected(5)"]);
        node.on_message(NodeId(0), Msg::Elected(Id(5)), &mut env);
        assert!(env.lines().is_empty(), "the announcement ends where it began");
    }

    #[test]
    fn a_beaten_candidate_is_not_elected_by_a_duplicate_proposal() {
        let (mut node, mut env) = node(Wake::All);
        node.on_command(Command::Start, &mut env);
        node.on_message(NodeId(0), Msg::Propose(Id(9)), &mut env);
        env.lines();
        node.on_message(NodeId(0), Msg::Propose(Id(5)), &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn the_announcement_is_heard_and_passed_on() {
        let (mut node, mut env) = node(Wake::All);
        node.on_message(NodeId(0), Msg::Elected(Id(9)), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 1 Elected(9)"]);
    }

    #[test]
    fn waking_up_as_a_candidate() {
        let (mut node, mut env) = node(Wake::All);
        node.on_message(NodeId(0), Msg::Propose(Id(9)), &mut env);
        assert_eq!(env.lines(), ["-> 1 Propose(5)", "-> 1 Propose(9)"]);
    }

    #[test]
    fn waking_up_suppressed_by_a_larger_id_only() {
        let (mut loser, mut env) = node(Wake::Suppress);
        loser.on_message(NodeId(0), Msg::Propose(Id(9)), &mut env);
        assert_eq!(env.lines(), ["-> 1 Propose(9)"]);
        let (mut rival, mut env) = node(Wake::Suppress);
        rival.on_message(NodeId(0), Msg::Propose(Id(3)), &mut env);
        assert_eq!(env.lines(), ["-> 1 Propose(5)"]);
    }

    #[test]
    fn waking_up_as_a_relay_lets_smaller_ids_pass() {
        let (mut node, mut env) = node(Wake::Relay);
        node.on_message(NodeId(0), Msg::Propose(Id(3)), &mut env);
        node.on_message(NodeId(0), Msg::Propose(Id(9)), &mut env);
        assert_eq!(env.lines(), ["-> 1 Propose(3)", "-> 1 Propose(9)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late to become a candidate");
    }

    #[test]
    fn a_ready_ring_votes_again_and_its_leader_resigns() {
        let (node, mut env) = node(Wake::Suppress);
        let mut leader = node.ready_again();
        leader.on_command(Command::Start, &mut env);
        leader.on_message(NodeId(0), Msg::Propose(Id(5)), &mut env);
        env.lines();
        let mut by_start = leader.clone();
        by_start.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! SteppedDown", "! Started", "-> 1 Propose(5)"]);
        leader.on_message(NodeId(0), Msg::Propose(Id(3)), &mut env);
        assert_eq!(env.lines(), ["! SteppedDown", "-> 1 Propose(5)"]);
        leader.on_message(NodeId(0), Msg::Elected(Id(9)), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 1 Elected(9)"]);
        leader.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 Propose(5)"]);
    }

    #[test]
    fn starting_twice_proposes_once() {
        let (mut node, mut env) = node(Wake::All);
        node.on_command(Command::Start, &mut env);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 Propose(5)"]);
    }
}
