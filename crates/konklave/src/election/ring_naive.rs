//! Every node sends a probe once round the ring and learns from it which id is the largest.
//!
//! Folklore, simplified from G. Le Lann: Distributed systems: towards a formal approach. IFIP
//! Congress, 1977.
//!
//! # Idea
//!
//! A node that wakes up, by its application or by the first probe that arrives, sends a probe of
//! its own to its successor. Every node forwards the probes of the others, and replaces the maximum
//! in a probe by its own id if that is larger. A probe that has returned to its origin has visited
//! every node: its origin knows the largest id, and leads if this is its own.
//!
//! # Cost
//!
//! Messages: n^2, and none to announce. The count does not depend on the schedule or on the
//! initiators. A probe carries two ids.
//!
//! - Time: n if all nodes start together, at most 2n-1 otherwise.
//! - State: one id.
//!
//! # Assumes
//!
//! A directed ring of nodes with unique ids and reliable channels, which may reorder messages, and
//! no crashes. The nodes need not know n.
//!
//! - Loss: a lost probe leaves its origin without a result, and the ring without a leader if its
//!   origin has the largest id.
//! - Duplication: a duplicate is harmless: a probe that returns a second time is ignored.
//! - Crash: a crashed node stops every probe, so no node learns a result.
//!
//! # Differs from the paper
//!
//! This algorithm has no paper: it is the simplest election, for comparison. Le Lann's candidates
//! collect ids where this probe collects the maximum, and only initiators send one.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// The only message, from each node to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A probe with the largest id from its origin up to here.
    Probe {
        /// The id of its origin.
        origin: Id,
        /// The largest id so far.
        max: Id,
    },
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RingNaive {
    me: Id,
    next: NodeId,
    state: State,
}

const _: () = assert!(size_of::<RingNaive>() <= 12);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// Our own probe is in transit.
    Probing,
    /// Our own probe has returned: the leader is known.
    Decided,
}

impl RingNaive {
    /// The node with id `me`, before the node `next` on the ring.
    pub fn new(me: Id, next: NodeId) -> Self {
        Self { me, next, state: State::Asleep }
    }
}

impl Protocol for RingNaive {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            self.wake_up(env);
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let Msg::Probe { origin, max } = msg;
        if self.state == State::Asleep {
            self.wake_up(env);
        }
        if origin != self.me {
            env.send(self.next, Msg::Probe { origin, max: max.max(self.me) });
        } else if self.state == State::Probing {
            self.state = State::Decided;
            if max == self.me {
                env.emit(Event::Elected);
            }
            env.emit(Event::Knows(max));
        } // Else a duplicate of our own probe.
    }
}

impl RingNaive {
    fn wake_up(&mut self, env: &mut impl Env<Self>) {
        self.state = State::Probing;
        env.send(self.next, Msg::Probe { origin: self.me, max: self.me });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node() -> (RingNaive, Recorder<RingNaive>) {
        (RingNaive::new(Id(5), NodeId(1)), Recorder::default())
    }

    fn receive(node: &mut RingNaive, origin: u32, max: u32) -> Vec<String> {
        let mut env = Recorder::default();
        node.on_message(NodeId(0), Msg::Probe { origin: Id(origin), max: Id(max) }, &mut env);
        env.lines()
    }

    #[test]
    fn a_start_sends_a_probe_and_a_second_start_none() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 Probe { origin: 5, max: 5 }"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn the_first_probe_wakes_a_node_up_but_makes_it_no_initiator() {
        let (mut node, mut env) = node();
        let both = ["-> 1 Probe { origin: 5, max: 5 }", "-> 1 Probe { origin: 3, max: 5 }"];
        assert_eq!(receive(&mut node, 3, 3), both);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late");
    }

    #[test]
    fn the_larger_id_stays_in_a_passing_probe() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        assert_eq!(receive(&mut node, 3, 4), ["-> 1 Probe { origin: 3, max: 5 }"]);
        assert_eq!(receive(&mut node, 3, 9), ["-> 1 Probe { origin: 3, max: 9 }"]);
    }

    #[test]
    fn the_own_probe_tells_who_leads_once() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        let mut leader = node.clone();
        assert_eq!(receive(&mut node, 5, 9), ["! Knows(9)"]);
        assert!(receive(&mut node, 5, 9).is_empty(), "a duplicate");
        assert_eq!(receive(&mut leader, 5, 5), ["! Elected", "! Knows(5)"]);
    }
}
