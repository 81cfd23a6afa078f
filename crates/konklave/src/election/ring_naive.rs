//! Every node sends a probe once round the ring, and learns from it which id is the largest.
//!
//! Folklore, simplified from G. Le Lann: Distributed systems: towards a formal approach. IFIP
//! Congress, 1977.
//!
//! # Idea
//!
//! A node that wakes up, by its application or by the first probe that comes by, sends a probe of
//! its own to its successor. Every node passes the probes of others on and leaves its own id in
//! them if that is larger. A probe that is back home has been everywhere: its owner knows the
//! largest id of all, and leads if it is its own.
//!
//! # Cost
//!
//! Messages: n^2, and none to announce. The schedule does not matter, nor who starts. Time: n if
//! all start together, at most 2n-1 otherwise. State: one id. Message: two ids.
//!
//! # Assumes
//!
//! A directed ring of nodes with unique ids and reliable channels in any order. The nodes need not
//! know how many they are. A probe that is lost leaves its owner without a result, and the ring
//! without a leader if that is the largest; doubled probes are harmless. No crashes: a node that is
//! down stops every probe, so nobody learns anything.
//!
//! # Differs from the paper
//!
//! There is none for this one: the simplest election, for comparison. Le Lann's candidates collect
//! ids where this probe collects the maximum, and only they send one.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// What a node sends to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The largest id from the node where it began up to here.
    Probe {
        /// The id of the node where it began.
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
    /// Our own probe is on its way.
    Probing,
    /// It is back: we know who leads.
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
        } // Else our own probe came back twice.
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
        assert!(receive(&mut node, 5, 9).is_empty(), "doubled");
        assert_eq!(receive(&mut leader, 5, 5), ["! Elected", "! Knows(5)"]);
    }
}
