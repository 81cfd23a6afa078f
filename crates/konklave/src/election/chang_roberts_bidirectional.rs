//! Every id travels in a random direction until it reaches a node that has seen a larger one.
//!
//! E. Korach, D. Rotem, N. Santoro: A probabilistic algorithm for decentralized extrema-finding in
//! a circular configuration of processors. University of Waterloo, CS-81-19, 1981. Also H.
//! Bodlaender, J. van Leeuwen: New upperbounds for decentralized extrema-finding in a ring of
//! processors. STACS, 1986.
//!
//! # Idea
//!
//! As in the algorithm of Chang and Roberts, a node forwards only ids that can still win, and the
//! id that returns to its owner is the largest. But a node chooses at random in which direction to
//! send its own id, and compares with the largest id it has seen, not only with its own. So a
//! larger id that travels in the opposite direction stops a smaller one earlier.
//!
//! A node that is asleep when the first proposal reaches it competes, or competes only if its id is
//! larger ([`Wake`]).
//!
//! # Cost
//!
//! Messages: about 0.71 n H_n + 0.6 n on average, n(n+1)/2 at worst, and n to announce. H_n = 1 +
//! 1/2 + ... + 1/n, and 0.71 is half the square root of 2; the average is over all orders of the
//! ids and all directions, with every node a candidate, a simultaneous start and equal delays. If
//! the larger of two ids that arrive together is always handled first, it is at most 3/4 n (H_n +
//! 2/3 - 1/(3n)). The saving depends on timing: if smaller ids are always faster, there is none. A
//! message carries one id.
//!
//! - Time: n to 2n-1 to elect, n to announce.
//! - State: two ids.
//!
//! # Assumes
//!
//! A bidirectional ring of nodes with unique ids and reliable channels, which may reorder messages,
//! and no crashes. The nodes need not know n.
//!
//! - Loss: a lost proposal of the largest id leaves the ring without a leader.
//! - Duplication: a duplicate is harmless: it is not larger than the largest id seen.
//! - Crash: a crashed node stops the largest id and leaves the ring without a leader.
//!
//! # Differs from the paper
//!
//! The winner announces itself, and nodes may wake up late.

use serde::{Deserialize, Serialize};

use super::heading::{Heading, Neighbours};
use super::{Command, Event, Id};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Proposes the node with this id as leader; with its direction of travel.
    Propose(Id, Heading),
    /// Announces the winner: the node with this id leads. Travels to the right.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// What a node that is asleep does when the first proposal reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wake {
    /// It becomes a candidate.
    #[default]
    All,
    /// It becomes a candidate only if its own id is larger.
    Suppress,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChangRobertsBidirectional {
    me: Id,
    ring: Neighbours,
    wake: Wake,
    state: State,
}

const _: () = assert!(size_of::<ChangRobertsBidirectional>() <= 24);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    Awake {
        /// The largest id seen so far, including our own.
        imax: Id,
    },
    /// The leader is known here.
    Decided,
}

impl ChangRobertsBidirectional {
    /// The node with id `me`, between these neighbours on the ring.
    pub fn new(me: Id, ring: Neighbours, wake: Wake) -> Self {
        Self { me, ring, wake, state: State::Asleep }
    }
}

impl Protocol for ChangRobertsBidirectional {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            self.state = State::Awake { imax: self.me };
            self.propose(env);
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Propose(id, heading) => self.on_propose(id, heading, env),
            Msg::Elected(_) if self.state == State::Decided => {} // The announcement is back.
            Msg::Elected(leader) => self.announce(leader, env),
        }
    }
}

impl ChangRobertsBidirectional {
    fn on_propose(&mut self, id: Id, heading: Heading, env: &mut impl Env<Self>) {
        if self.state == State::Asleep {
            self.wake_up(id, env);
        }
        let State::Awake { imax } = self.state else { return }; // Decided.
        if id > imax {
            self.state = State::Awake { imax: id };
            env.send(self.ring.towards(heading), Msg::Propose(id, heading));
        } else if id == self.me && imax == self.me {
            env.emit(Event::Elected);
            self.announce(id, env);
        } // Else the id cannot win: it is discarded.
    }

    fn wake_up(&mut self, id: Id, env: &mut impl Env<Self>) {
        self.state = State::Awake { imax: self.me };
        match self.wake {
            Wake::Suppress if id > self.me => {}
            Wake::All | Wake::Suppress => self.propose(env),
        }
    }

    fn propose(&mut self, env: &mut impl Env<Self>) {
        let heading = if env.choose(2) == 0 { Heading::Right } else { Heading::Left };
        env.send(self.ring.towards(heading), Msg::Propose(self.me, heading));
    }

    fn announce(&mut self, leader: Id, env: &mut impl Env<Self>) {
        self.state = State::Decided;
        env.emit(Event::Knows(leader));
        env.send(self.ring.right, Msg::Elected(leader));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node(wake: Wake) -> ChangRobertsBidirectional {
        let ring = Neighbours { left: NodeId(0), right: NodeId(2) };
        ChangRobertsBidirectional::new(Id(5), ring, wake)
    }

    /// A node that has started.
    fn candidate() -> ChangRobertsBidirectional {
        let (mut node, mut env) = (node(Wake::All), Recorder::choosing(&[1]));
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "choose 1 of 2", "-> 0 Propose(5, Left)"]);
        node
    }

    fn propose(node: &mut ChangRobertsBidirectional, id: u32, heading: Heading) -> Vec<String> {
        let mut env = Recorder::default();
        node.on_message(NodeId(0), Msg::Propose(Id(id), heading), &mut env);
        env.lines()
    }

    #[test]
    fn a_larger_id_keeps_its_direction_and_stops_what_is_between() {
        let mut node = candidate();
        assert!(propose(&mut node, 3, Heading::Right).is_empty());
        assert_eq!(propose(&mut node, 9, Heading::Left), ["-> 0 Propose(9, Left)"]);
        assert!(propose(&mut node, 7, Heading::Right).is_empty(), "9 has passed");
        assert_eq!(propose(&mut node, 12, Heading::Right), ["-> 2 Propose(12, Right)"]);
    }

    #[test]
    fn the_own_id_back_home_elects_once() {
        let mut node = candidate();
        let elected = ["! Elected", "! Knows(5)", "-> 2 Elected(5)"];
        assert_eq!(propose(&mut node, 5, Heading::Left), elected);
        assert!(propose(&mut node, 5, Heading::Left).is_empty(), "a duplicate");
        let mut env = Recorder::default();
        node.on_message(NodeId(0), Msg::Elected(Id(5)), &mut env);
        assert!(env.lines().is_empty(), "the announcement is back");
    }

    #[test]
    fn a_beaten_candidate_is_not_elected_by_its_own_id() {
        let mut node = candidate();
        propose(&mut node, 9, Heading::Left);
        assert!(propose(&mut node, 5, Heading::Left).is_empty());
    }

    #[test]
    fn the_announcement_is_heard_and_passed_on_once() {
        let (mut node, mut env) = (node(Wake::All), Recorder::default());
        node.on_message(NodeId(0), Msg::Elected(Id(9)), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 2 Elected(9)"]);
        node.on_message(NodeId(0), Msg::Elected(Id(9)), &mut env);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn waking_up_as_a_candidate() {
        let effects =
            ["choose 0 of 2", "-> 2 Propose(5, Right)", "-> 0 Propose(9, Left)"].map(str::to_owned);
        assert_eq!(propose(&mut node(Wake::All), 9, Heading::Left), effects);
        assert_eq!(propose(&mut node(Wake::All), 3, Heading::Left), effects[..2]);
    }

    #[test]
    fn waking_up_suppressed_by_a_larger_id_only() {
        let mut loser = node(Wake::Suppress);
        assert_eq!(propose(&mut loser, 9, Heading::Left), ["-> 0 Propose(9, Left)"]);
        let mut rival = node(Wake::Suppress);
        let effects = ["choose 0 of 2", "-> 2 Propose(5, Right)"];
        assert_eq!(propose(&mut rival, 3, Heading::Left), effects);
    }
}
