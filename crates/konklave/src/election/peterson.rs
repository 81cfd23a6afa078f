//! Values move along the ring from active node to active node, and only local maxima survive.
//!
//! G. L. Peterson: An O(n log n) unidirectional algorithm for the circular extrema problem. ACM
//! Transactions on Programming Languages and Systems 4 (4), 1982.
//!
//! # Idea
//!
//! Every active node holds a temporary id `tid`, initially its own. In the `basic` variant it sends
//! its tid, learns that of its active predecessor (`ntid`), sends the larger of the two, and learns
//! the larger of the two before it. If ntid is the largest of these, the node takes it over and
//! stays active; otherwise it becomes a relay. A tid that returns to its holder is the only one
//! left.
//!
//! The `alternating` variant sends one value per phase. In odd phases a value survives if it is
//! larger than that of the next active node, to which it moves; in even phases if it is larger than
//! that of the active predecessor, and it stays. The active nodes of a phase are at least as many
//! as those of the next two phases together, hence the Fibonacci numbers.
//!
//! In the `original` variant a node, active or not, is elected as soon as its own id returns to it.
//! This ends the basic variant earlier. It must not be combined with the alternating one: there an
//! id that stays active can be relayed past its owner, though it is not the largest.
//!
//! # Cost
//!
//! Messages: at most 2n floor(log2 n) + n, alternating 1.44 n log2 n + n, and n to announce. That
//! is with every node an initiator. The basic variant needs exactly as many as the algorithm of
//! Dolev, Klawe and Rodeh; `original` ends earlier, and needs fewer. Alternating: at most n(r+1),
//! where r is the largest number with F(r+2) <= n, attained by some ring for each n. A message
//! carries one id.
//!
//! - State: three ids.
//!
//! # Assumes
//!
//! A directed ring of nodes with unique ids and reliable FIFO channels, and no crashes. The nodes
//! need not know n. The largest id among the initiators wins.
//!
//! - Loss: a lost message can leave the ring without a leader; alternating, it can also elect a
//!   wrong node.
//! - Duplication: a duplicate can elect a wrong node in all variants, because a value does not
//!   carry its phase, or leave values circulating for ever.
//! - Crash: a crashed node stops all values, so no node is elected.
//! - Order: reordered messages can elect a wrong node in all variants, or leave the ring without a
//!   leader.
//!
//! # Differs from the paper
//!
//! The winner is announced. The variants `basic` and `alternating` compare a value with the tid,
//! not with the node's own id, to detect that it has returned.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// The messages from each node to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A temporary id, or the larger of two, for the next active node.
    Value(Id),
    /// Announces the winner: the node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// How values are compared, and how termination is detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Two values per phase; a tid that returns to its holder is the only one left.
    #[default]
    Basic,
    /// Two values per phase; an id that returns to its owner is the largest.
    Original,
    /// One value per phase; a tid that returns to its holder is the only one left.
    Alternating,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Peterson {
    me: Id,
    next: NodeId,
    variant: Variant,
    state: State,
}

const _: () = assert!(size_of::<Peterson>() <= 24);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// Active, in the first step of a phase: waits for the tid of its active predecessor.
    First {
        tid: Id,
    },
    /// Active, in the second step: the predecessor's tid is `ntid`; waits for the larger of the two
    /// before it.
    Second {
        tid: Id,
        ntid: Id,
    },
    /// Active, alternating: larger values move on.
    Odd {
        tid: Id,
    },
    /// Active, alternating: larger values stay.
    Even {
        tid: Id,
    },
    /// Only relays values.
    Relay,
    /// The leader is known here.
    Decided,
}

impl Peterson {
    /// The node with id `me`, before the node `next` on the ring.
    pub fn new(me: Id, next: NodeId, variant: Variant) -> Self {
        Self { me, next, variant, state: State::Asleep }
    }
}

impl Protocol for Peterson {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            let tid = self.me;
            self.state = match self.variant {
                Variant::Basic | Variant::Original => State::First { tid },
                Variant::Alternating => State::Odd { tid },
            };
            env.send(self.next, Msg::Value(tid));
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            _ if self.state == State::Decided => {} // The announcement is back, or late.
            Msg::Value(value) if self.has_come_round(value) => self.announce(value, env),
            Msg::Value(value) => self.on_value(value, env),
            Msg::Elected(leader) => self.announce(leader, env),
        }
    }
}

impl Peterson {
    /// Whether the value has returned, so that no other can win.
    fn has_come_round(&self, value: Id) -> bool {
        match (self.variant, self.state) {
            (Variant::Original, _) => value == self.me,
            (_, State::First { tid } | State::Odd { tid } | State::Even { tid }) => value == tid,
            _ => false,
        }
    }

    fn on_value(&mut self, value: Id, env: &mut impl Env<Self>) {
        let (state, answer) = match self.state {
            State::First { tid } => (State::Second { tid, ntid: value }, Some(tid.max(value))),
            State::Second { tid, ntid } if ntid >= tid.max(value) => {
                (State::First { tid: ntid }, Some(ntid))
            }
            State::Odd { tid } if value > tid => (State::Even { tid: value }, Some(value)),
            State::Even { tid } if value < tid => (State::Odd { tid }, Some(tid)),
            State::Second { .. } | State::Odd { .. } | State::Even { .. } => (State::Relay, None),
            State::Asleep | State::Relay => (State::Relay, Some(value)),
            State::Decided => return,
        };
        self.state = state;
        if let Some(value) = answer {
            env.send(self.next, Msg::Value(value));
        }
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

    fn node(variant: Variant) -> Peterson {
        Peterson::new(Id(5), NodeId(1), variant)
    }

    /// A node that has started.
    fn active(variant: Variant) -> Peterson {
        let (mut node, mut env) = (node(variant), Recorder::default());
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 Value(5)"]);
        node
    }

    fn receive(node: &mut Peterson, value: u32) -> Vec<String> {
        let mut env = Recorder::default();
        node.on_message(NodeId(0), Msg::Value(Id(value)), &mut env);
        env.lines()
    }

    #[test]
    fn a_local_maximum_moves_on() {
        let mut node = active(Variant::Basic);
        assert_eq!(receive(&mut node, 9), ["-> 1 Value(9)"]);
        assert_eq!(receive(&mut node, 9), ["-> 1 Value(9)"], "the node before has a smaller one");
        assert_eq!(receive(&mut node, 3), ["-> 1 Value(9)"], "the larger one of 9 and 3");
    }

    #[test]
    fn a_value_beside_a_larger_one_makes_the_node_a_relay() {
        for (nearest, larger, answer) in [(3, 3, 5), (9, 12, 9)] {
            let mut node = active(Variant::Basic);
            assert_eq!(receive(&mut node, nearest), [format!("-> 1 Value({answer})")]);
            assert!(receive(&mut node, larger).is_empty());
            assert_eq!(receive(&mut node, 1), ["-> 1 Value(1)"]);
        }
    }

    #[test]
    fn a_tid_that_comes_round_is_announced_by_its_holder() {
        let mut holder = active(Variant::Basic);
        receive(&mut holder, 9);
        receive(&mut holder, 9);
        assert_eq!(receive(&mut holder, 9), ["! Knows(9)", "-> 1 Elected(9)"]);
        let mut env = Recorder::default();
        holder.on_message(NodeId(0), Msg::Elected(Id(9)), &mut env);
        assert!(env.lines().is_empty(), "it is back");
        assert!(receive(&mut holder, 9).is_empty(), "late");
    }

    #[test]
    fn in_the_original_the_own_id_elects_even_a_relay() {
        let elected = ["! Elected", "! Knows(5)", "-> 1 Elected(5)"];
        for (variant, effects) in
            [(Variant::Original, &elected[..]), (Variant::Basic, &["-> 1 Value(5)"])]
        {
            let mut relay = active(variant);
            receive(&mut relay, 3);
            receive(&mut relay, 3);
            assert_eq!(receive(&mut relay, 5), effects, "{variant:?}");
        }
    }

    #[test]
    fn larger_values_move_on_in_odd_phases_and_stay_in_even_ones() {
        let mut node = active(Variant::Alternating);
        assert_eq!(receive(&mut node, 9), ["-> 1 Value(9)"]);
        assert_eq!(receive(&mut node, 7), ["-> 1 Value(9)"]);
        assert!(receive(&mut node, 8).is_empty(), "odd again, and 8 does not beat 9");
        assert_eq!(receive(&mut node, 5), ["-> 1 Value(5)"], "the own id passes a relay");
        let mut node = active(Variant::Alternating);
        receive(&mut node, 9);
        assert!(receive(&mut node, 12).is_empty(), "even, and 12 is larger");
    }

    #[test]
    fn the_winner_learns_it_from_the_announcement() {
        let (mut winner, mut env) = (active(Variant::Alternating), Recorder::default());
        winner.on_message(NodeId(0), Msg::Elected(Id(5)), &mut env);
        assert_eq!(env.lines(), ["! Elected", "! Knows(5)", "-> 1 Elected(5)"]);
    }

    #[test]
    fn a_node_that_wakes_up_late_relays() {
        let (mut node, mut env) = (node(Variant::Basic), Recorder::default());
        assert_eq!(receive(&mut node, 3), ["-> 1 Value(3)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late");
    }
}
