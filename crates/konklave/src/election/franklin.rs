//! In each round, only nodes whose id is larger than those of both active neighbours stay active.
//!
//! W. R. Franklin: On an improved algorithm for decentralized extrema finding in circular
//! configurations of processors. Communications of the ACM 25 (5), 1982.
//!
//! # Idea
//!
//! An active node sends its id in both directions and waits for the ids of the nearest active nodes
//! on its left and on its right. If its own is larger than both, it enters the next round;
//! otherwise it becomes passive and relays. Of two active neighbours at most one stays active, so a
//! round halves their number. A node that receives its own id is the only active one left and is
//! elected.
//!
//! Nodes need not be in the same round. A neighbour can be one round ahead, so the ids from one
//! side are queued until one arrives from the other side; a node that becomes passive forwards the
//! ids left in its queue.
//!
//! # Cost
//!
//! Messages: at most 2n (floor(log2 n) + 1), and n to announce. That is with every node an
//! initiator: each round takes 2n, and some ring attains the bound for each n. About
//! 2n (log3 n + 1) on average over all orders of the ids; 4n on a sorted ring of two nodes or more.
//! A message carries one id.
//!
//! - State: one id, and up to two in the queue.
//!
//! # Assumes
//!
//! A bidirectional ring of nodes with unique ids and reliable FIFO channels, and no crashes. The
//! nodes need not know n. The largest id among the initiators wins.
//!
//! - Loss: a lost message can leave the ring without a leader: the next active node waits for it
//!   for ever.
//! - Duplication: a duplicate is taken for an id of the next round, and the bound does not hold. No
//!   wrong node wins: an id returns to its owner only when all other nodes are passive, and the
//!   largest never is.
//! - Crash: a crashed node stops all ids, so no node is elected.
//! - Order: FIFO channels keep the ids from both sides in the same round. With reordering the bound
//!   does not hold, but no wrong node wins.
//!
//! # Differs from the paper
//!
//! The winner announces itself. As in the paper, the order of messages numbers the rounds
//! implicitly; the paper leaves open how early ids are stored.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::heading::{Heading, Neighbours};
use super::{Command, Event, Id};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The id of an active node, for the next active node in this direction.
    Active(Id, Heading),
    /// Announces the winner: the node with this id leads. Travels to the right.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Franklin {
    me: Id,
    ring: Neighbours,
    state: State,
}

const _: () = assert!(size_of::<Franklin>() <= 48);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// Competes in the current round.
    Active {
        /// Ids from one side that wait for their match from the other: that of this round, and
        /// perhaps that of the next.
        queue: SmallVec<[(Id, Heading); 2]>,
    },
    /// Only relays ids.
    Passive,
    /// The leader is known here.
    Decided,
}

impl Franklin {
    /// The node with id `me`, between these neighbours on the ring.
    pub fn new(me: Id, ring: Neighbours) -> Self {
        Self { me, ring, state: State::Asleep }
    }
}

impl Protocol for Franklin {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            self.state = State::Active { queue: SmallVec::new() };
            self.begin_round(env);
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Active(id, heading) => self.on_active(id, heading, env),
            Msg::Elected(_) if self.state == State::Decided => {} // The announcement is back.
            Msg::Elected(leader) => self.announce(leader, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        let State::Active { queue } = &self.state else { return NodeSet::new() };
        match queue.first() {
            Some(&(_, heading)) => [self.ring.towards(heading)].into_iter().collect(),
            None => [self.ring.left, self.ring.right].into_iter().collect(),
        }
    }
}

impl Franklin {
    fn on_active(&mut self, id: Id, heading: Heading, env: &mut impl Env<Self>) {
        match &mut self.state {
            State::Asleep | State::Passive => {
                self.state = State::Passive;
                self.pass(id, heading, env);
            }
            State::Active { queue } => match queue.first() {
                Some(&(other, its_heading)) if its_heading != heading => {
                    queue.remove(0);
                    self.compare(id, other, env);
                }
                _ => queue.push((id, heading)),
            },
            State::Decided => {} // Late.
        }
    }

    /// The ids of the nearest active nodes on both sides have arrived.
    fn compare(&mut self, a: Id, b: Id, env: &mut impl Env<Self>) {
        if a == self.me || b == self.me {
            env.emit(Event::Elected);
            self.announce(self.me, env);
        } else if a.max(b) < self.me {
            self.begin_round(env);
        } else {
            self.become_passive(env);
        }
    }

    fn begin_round(&mut self, env: &mut impl Env<Self>) {
        for heading in [Heading::Left, Heading::Right] {
            self.pass(self.me, heading, env);
        }
    }

    /// The ids left in the queue belong to the next round: the next active node needs them.
    fn become_passive(&mut self, env: &mut impl Env<Self>) {
        if let State::Active { queue } = std::mem::replace(&mut self.state, State::Passive) {
            for (id, heading) in queue {
                self.pass(id, heading, env);
            }
        }
    }

    fn pass(&self, id: Id, heading: Heading, env: &mut impl Env<Self>) {
        env.send(self.ring.towards(heading), Msg::Active(id, heading));
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

    fn node() -> Franklin {
        Franklin::new(Id(5), Neighbours { left: NodeId(0), right: NodeId(2) })
    }

    const ROUND: [&str; 2] = ["-> 0 Active(5, Left)", "-> 2 Active(5, Right)"];

    /// A node that has started.
    fn active() -> Franklin {
        let (mut node, mut env) = (node(), Recorder::default());
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", ROUND[0], ROUND[1]]);
        node
    }

    fn receive(node: &mut Franklin, id: u32, heading: Heading) -> Vec<String> {
        let mut env = Recorder::default();
        node.on_message(NodeId(0), Msg::Active(Id(id), heading), &mut env);
        env.lines()
    }

    fn waits_for(node: &Franklin) -> Vec<u32> {
        node.waits_for().iter().map(|node| node.0).collect()
    }

    #[test]
    fn a_local_maximum_goes_into_the_next_round() {
        let mut node = active();
        assert_eq!(waits_for(&node), [0, 2]);
        assert!(receive(&mut node, 3, Heading::Right).is_empty());
        assert_eq!(waits_for(&node), [2]);
        assert_eq!(receive(&mut node, 4, Heading::Left), ROUND);
        assert_eq!(waits_for(&node), [0, 2]);
    }

    #[test]
    fn a_larger_neighbour_makes_it_passive() {
        for (left, right) in [(3, 9), (9, 3), (9, 12)] {
            let mut node = active();
            receive(&mut node, left, Heading::Right);
            assert!(receive(&mut node, right, Heading::Left).is_empty());
            assert_eq!(receive(&mut node, 1, Heading::Left), ["-> 0 Active(1, Left)"]);
            assert_eq!(receive(&mut node, 1, Heading::Right), ["-> 2 Active(1, Right)"]);
        }
    }

    #[test]
    fn an_id_of_the_next_round_waits() {
        let mut node = active();
        receive(&mut node, 3, Heading::Right);
        assert!(receive(&mut node, 1, Heading::Right).is_empty(), "the left is a round ahead");
        assert_eq!(receive(&mut node, 4, Heading::Left), ROUND);
        assert_eq!(receive(&mut node, 2, Heading::Left), ROUND, "the second round is complete");
    }

    #[test]
    fn a_node_that_becomes_passive_forwards_early_ids() {
        let mut node = active();
        receive(&mut node, 3, Heading::Left);
        receive(&mut node, 4, Heading::Left);
        assert_eq!(receive(&mut node, 9, Heading::Right), ["-> 0 Active(4, Left)"]);
    }

    #[test]
    fn the_own_id_elects_once() {
        let mut node = active();
        receive(&mut node, 5, Heading::Right);
        let elected = ["! Elected", "! Knows(5)", "-> 2 Elected(5)"];
        assert_eq!(receive(&mut node, 5, Heading::Left), elected);
        assert!(receive(&mut node, 5, Heading::Left).is_empty());
        let mut env = Recorder::default();
        node.on_message(NodeId(0), Msg::Elected(Id(5)), &mut env);
        assert!(env.lines().is_empty(), "the announcement is back");
    }

    #[test]
    fn a_node_that_wakes_up_late_relays_and_is_told() {
        let (mut node, mut env) = (node(), Recorder::default());
        assert_eq!(receive(&mut node, 3, Heading::Left), ["-> 0 Active(3, Left)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late");
        node.on_message(NodeId(0), Msg::Elected(Id(3)), &mut env);
        assert_eq!(env.lines(), ["! Knows(3)", "-> 2 Elected(3)"]);
    }
}
