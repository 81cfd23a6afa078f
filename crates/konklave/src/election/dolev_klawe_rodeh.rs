//! Franklin's rounds on a directed ring: values move on, and only local maxima survive.
//!
//! D. Dolev, M. Klawe, M. Rodeh: An O(n log n) unidirectional distributed algorithm for extrema
//! finding in a circle. Journal of Algorithms 3, 1982.
//!
//! # Idea
//!
//! Every active node holds a value, initially its own id. In a round it learns the values of its
//! two nearest active predecessors: `One` brings the nearest, which it forwards as `Two` to the
//! next active node. If the nearest value is larger than its neighbours on both sides, the node
//! takes it over and stays active; otherwise it becomes passive and relays. Of two adjacent values
//! at most one is a local maximum, so a round halves their number.
//!
//! A node whose value returns as `One` is the only active one left. It announces the value; the
//! winner, the node with this id, learns from the announcement that it is elected.
//!
//! # Cost
//!
//! Messages: at most 2n floor(log2 n) + n, and n to announce. That is with every node an initiator,
//! and some ring attains it for each n; 3n on a sorted ring. It is n less than Franklin's algorithm
//! needs on the same ring: the rounds are the same, and the last one costs half. A message carries
//! one id.
//!
//! - State: three ids.
//!
//! # Assumes
//!
//! A directed ring of nodes with unique ids and reliable FIFO channels, and no crashes. The nodes
//! need not know n. The largest id among the initiators wins.
//!
//! - Loss: a lost message can leave the ring without a leader: the next active node waits for it
//!   for ever.
//! - Duplication: a duplicate that is out of turn is ignored; one that is taken for a message of
//!   the next round can leave the ring without a leader or elect a wrong node.
//! - Crash: a crashed node stops all values, so no node is elected.
//! - Order: reordered messages can leave the ring without a leader or elect a wrong node.
//!
//! # Differs from the paper
//!
//! The winner is announced. `One` and `Two` alternate on every channel, so an active node that
//! waits for one of them ignores the other as a duplicate. The paper's refinements, with 1.356 n
//! log2 n messages at best, are left out.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// The messages from each node to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The value of the nearest active predecessor.
    One(Id),
    /// The value of the active node before that one.
    Two(Id),
    /// Announces the winner: the node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DolevKlaweRodeh {
    me: Id,
    next: NodeId,
    state: State,
}

const _: () = assert!(size_of::<DolevKlaweRodeh>() <= 20);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// Active, with the value `cur`; waits for the nearest value.
    ExpectOne {
        cur: Id,
    },
    /// Active; the nearest value is `prev`; waits for the value before it.
    ExpectTwo {
        cur: Id,
        prev: Id,
    },
    /// Only relays values.
    Passive,
    /// The leader is known here.
    Decided,
}

impl DolevKlaweRodeh {
    /// The node with id `me`, before the node `next` on the ring.
    pub fn new(me: Id, next: NodeId) -> Self {
        Self { me, next, state: State::Asleep }
    }
}

impl Protocol for DolevKlaweRodeh {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            self.hold(self.me, env);
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match (self.state, msg) {
            (State::Decided, _) => {} // The announcement is back, or a duplicate.
            (_, Msg::Elected(leader)) => self.announce(leader, env),
            (State::Asleep | State::Passive, _) => {
                self.state = State::Passive;
                env.send(self.next, msg);
            }
            // The value has returned: no other is left.
            (State::ExpectOne { cur }, Msg::One(value)) if value == cur => self.announce(cur, env),
            (State::ExpectOne { cur }, Msg::One(prev)) => {
                self.state = State::ExpectTwo { cur, prev };
                env.send(self.next, Msg::Two(prev));
            }
            (State::ExpectTwo { cur, prev }, Msg::Two(value)) if prev > cur && prev > value => {
                self.hold(prev, env);
            }
            (State::ExpectTwo { .. }, Msg::Two(_)) => self.state = State::Passive,
            (State::ExpectOne { .. }, Msg::Two(_)) | (State::ExpectTwo { .. }, Msg::One(_)) => {}
        }
    }
}

impl DolevKlaweRodeh {
    /// Stays active, and begins the next round with this value.
    fn hold(&mut self, cur: Id, env: &mut impl Env<Self>) {
        self.state = State::ExpectOne { cur };
        env.send(self.next, Msg::One(cur));
    }

    fn announce(&mut self, leader: Id, env: &mut impl Env<Self>) {
        self.state = State::Decided;
        if leader == self.me {
            env.emit(Event::Elected);
        }
        env.emit(Event::Knows(leader));
        env.send(self.next, Msg::Elected(leader));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node() -> DolevKlaweRodeh {
        DolevKlaweRodeh::new(Id(5), NodeId(1))
    }

    /// A node that has started.
    fn active() -> DolevKlaweRodeh {
        let (mut node, mut env) = (node(), Recorder::default());
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 One(5)"]);
        node
    }

    fn receive(node: &mut DolevKlaweRodeh, msg: Msg) -> Vec<String> {
        let mut env = Recorder::default();
        node.on_message(NodeId(0), msg, &mut env);
        env.lines()
    }

    #[test]
    fn a_local_maximum_moves_on() {
        let mut node = active();
        assert_eq!(receive(&mut node, Msg::One(Id(9))), ["-> 1 Two(9)"]);
        assert_eq!(receive(&mut node, Msg::Two(Id(7))), ["-> 1 One(9)"]);
    }

    #[test]
    fn a_value_between_others_makes_the_node_a_relay() {
        for (nearest, second) in [(3, 1), (9, 12)] {
            let mut node = active();
            receive(&mut node, Msg::One(Id(nearest)));
            assert!(receive(&mut node, Msg::Two(Id(second))).is_empty());
            assert_eq!(receive(&mut node, Msg::One(Id(1))), ["-> 1 One(1)"]);
            assert_eq!(receive(&mut node, Msg::Two(Id(1))), ["-> 1 Two(1)"]);
        }
    }

    #[test]
    fn the_value_that_comes_round_is_announced_by_its_holder() {
        let mut holder = active();
        receive(&mut holder, Msg::One(Id(9)));
        receive(&mut holder, Msg::Two(Id(5)));
        assert_eq!(receive(&mut holder, Msg::One(Id(9))), ["! Knows(9)", "-> 1 Elected(9)"]);
        assert!(receive(&mut holder, Msg::Elected(Id(9))).is_empty(), "it is back");
    }

    #[test]
    fn the_winner_learns_it_from_the_announcement() {
        let mut winner = active();
        let elected = ["! Elected", "! Knows(5)", "-> 1 Elected(5)"];
        assert_eq!(receive(&mut winner, Msg::Elected(Id(5))), elected);
    }

    #[test]
    fn alone_the_holder_is_the_winner() {
        let elected = ["! Elected", "! Knows(5)", "-> 1 Elected(5)"];
        assert_eq!(receive(&mut active(), Msg::One(Id(5))), elected);
    }

    #[test]
    fn what_is_out_of_turn_is_ignored() {
        let mut node = active();
        assert!(receive(&mut node, Msg::Two(Id(9))).is_empty());
        receive(&mut node, Msg::One(Id(9)));
        assert!(receive(&mut node, Msg::One(Id(9))).is_empty());
        assert_eq!(receive(&mut node, Msg::Two(Id(7))), ["-> 1 One(9)"]);
    }

    #[test]
    fn a_node_that_wakes_up_late_relays() {
        let (mut node, mut env) = (node(), Recorder::default());
        assert_eq!(receive(&mut node, Msg::One(Id(3))), ["-> 1 One(3)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late");
    }
}
