//! Mutual exclusion: at most one node at a time is inside its critical section.
//!
//! The application requests entry with [`Command::Acquire`], learns from [`Event::Granted`] that
//! its node is inside, and leaves with [`Command::Release`]. A command out of turn (a second
//! `Acquire`, a `Release` from outside) is ignored.
//!
//! Promises:
//! - **mutual exclusion** (safety): at no time are two nodes that are up in the critical section;
//! - **grants on demand** (safety): a node is granted entry only if its application asked for it,
//!   and once per request;
//! - **no starvation** (liveness): every request of a node that stays up is eventually granted, if
//!   every node that is inside eventually leaves;
//! - **bounded overtaking** (safety), where the algorithm states a bound: while a node waits, no
//!   other node overtakes it more than a fixed number of times, with requests that it issues while
//!   no message is in transit. If that number is zero, requests are served first come, first
//!   served; an algorithm without a bound promises no starvation, and no more.

pub mod cao_singhal;
pub mod carvalho_roucairol;
pub mod central;
pub mod hierarchical;
pub mod lamport;
pub mod maekawa;
pub mod naimi_trehel;
pub mod overtaking;
pub mod perpetuum;
pub mod quorum;
pub mod raymond;
pub mod ricart_agrawala;
pub mod ricart_agrawala_token;
pub mod ring_chase;
pub mod sanders;
pub mod singhal;
pub mod suzuki_kasami;
mod token;
pub mod token_graph;
pub mod token_search;

use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::protocol::{self, Broken, Promise};
use overtaking::{BOUNDED_OVERTAKING, Overtaking};

/// A command of the application to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// Request entry to the critical section.
    Acquire,
    /// Leave the critical section.
    Release,
}

/// An event that a node reports to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// The node is inside the critical section, until its application's [`Command::Release`].
    Granted,
}

/// The phase of a node between the commands of its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// No request is pending.
    Idle,
    /// A request is pending: it has not been granted yet.
    Waiting,
    /// The node is inside the critical section.
    Inside,
}

/// The timestamp of a request, in Lamport's total order: the smaller is older and has priority.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// The requester's logical clock.
    pub time: u64,
    /// The requester; its number breaks ties.
    pub node: NodeId,
}

impl Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.time, self.node)
    }
}

/// All nodes but `me`, in cyclic order of their numbers, starting after `me`.
fn others_after(me: NodeId, nodes: usize) -> impl Iterator<Item = NodeId> {
    (me.0 + 1..nodes as u32).chain(0..me.0).map(NodeId)
}

/// Checks the promises of mutual exclusion in one run of any algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    inside: Option<NodeId>,
    phases: Vec<Phase>,
    /// The order of requests, if a bound on overtaking is watched.
    order: Option<Overtaking>,
}

impl Monitor {
    /// A monitor for `nodes` nodes, all idle.
    pub fn new(nodes: u32) -> Self {
        Self { inside: None, phases: vec![Phase::Idle; nodes as usize], order: None }
    }

    /// The same, for an algorithm in which a node overtakes a waiting node at most `bound` times.
    pub fn with_bound(nodes: u32, bound: u32) -> Self {
        Self { order: Some(Overtaking::new(nodes, bound)), ..Self::new(nodes) }
    }

    /// The phase of `node` that its commands and events imply.
    pub fn phase(&self, node: NodeId) -> Phase {
        self.phases[node.index()]
    }

    fn hear(&mut self, node: NodeId, command: &Command, in_silence: bool) {
        let phase = &mut self.phases[node.index()];
        match (command, *phase) {
            (Command::Acquire, Phase::Idle) => {
                *phase = Phase::Waiting;
                if let Some(order) = &mut self.order {
                    order.on_request(node, in_silence);
                }
            }
            (Command::Release, Phase::Inside) => {
                *phase = Phase::Idle;
                self.inside = None;
            }
            _ => {} // Out of turn: every algorithm ignores it.
        }
    }

    /// The nodes with a pending request, in ascending order.
    pub fn waiting(&self) -> impl Iterator<Item = NodeId> + '_ {
        NodeId::all(self.phases.len() as u32).filter(|&node| self.phase(node) == Phase::Waiting)
    }
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, command: &Command) -> Result<(), Broken> {
        self.hear(node, command, false);
        Ok(())
    }

    fn on_command_in_silence(&mut self, node: NodeId, command: &Command) -> Result<(), Broken> {
        self.hear(node, command, true);
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        let Event::Granted = event;
        if let Some(other) = self.inside {
            let detail = format!("node {node} enters while node {other} is inside");
            return Broken::by(node, "mutual exclusion", detail);
        }
        if self.phase(node) != Phase::Waiting {
            let detail = format!("node {node} is granted what it did not ask for");
            return Broken::by(node, "grants on demand", detail);
        }
        self.phases[node.index()] = Phase::Inside;
        self.inside = Some(node);
        self.order.as_mut().map_or(Ok(()), |order| order.on_grant(node))
    }

    /// A crashed node occupies the critical section no longer, and its request is void.
    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
        self.phases[node.index()] = Phase::Idle;
        if self.inside == Some(node) {
            self.inside = None;
        }
        self.on_fault();
        Ok(())
    }

    /// The order is promised only as long as nothing goes wrong.
    fn on_fault(&mut self) {
        self.order = None;
    }

    fn promises() -> &'static [Promise] {
        const {
            &[
                Promise::safety("mutual exclusion"),
                Promise::safety("grants on demand"),
                Promise::liveness("no starvation"),
                Promise::safety(BOUNDED_OVERTAKING),
            ]
        }
    }

    fn watches(&self, promise: &str) -> bool {
        promise != BOUNDED_OVERTAKING || self.order.is_some()
    }

    fn at_rest(&self) -> Result<(), Broken> {
        let mut waiting = self.waiting();
        let Some(first) = waiting.next() else { return Ok(()) };
        let detail = match waiting.count() {
            0 => format!("node {first} waits for ever"),
            1 => format!("node {first} and one other wait for ever"),
            others => format!("node {first} and {others} others wait for ever"),
        };
        Broken::by(first, "no starvation", detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Monitor as _;

    fn asked(nodes: &[u32]) -> Monitor {
        let mut monitor = Monitor::new(3);
        for &node in nodes {
            monitor.on_command(NodeId(node), &Command::Acquire).unwrap();
        }
        monitor
    }

    #[test]
    fn one_after_the_other_is_fine() {
        let mut monitor = asked(&[0, 1]);
        for node in [NodeId(1), NodeId(0)] {
            monitor.on_event(node, &Event::Granted).unwrap();
            assert_eq!(monitor.phase(node), Phase::Inside);
            monitor.on_command(node, &Command::Release).unwrap();
        }
        monitor.at_rest().unwrap();
        assert_eq!(monitor, Monitor::new(3), "all nodes are idle again");
    }

    #[test]
    fn two_inside_break_mutual_exclusion() {
        let mut monitor = asked(&[0, 1]);
        monitor.on_event(NodeId(0), &Event::Granted).unwrap();
        let broken = monitor.on_event(NodeId(1), &Event::Granted).unwrap_err();
        assert_eq!(broken.to_string(), "mutual exclusion: node 1 enters while node 0 is inside");
        assert_eq!(broken.node, Some(NodeId(1)));
    }

    #[test]
    fn a_grant_that_nobody_asked_for_is_noticed() {
        let broken = asked(&[]).on_event(NodeId(2), &Event::Granted).unwrap_err();
        assert_eq!((&broken.promise[..], broken.node), ("grants on demand", Some(NodeId(2))));
    }

    #[test]
    fn waiting_at_rest_is_starvation() {
        let broken = asked(&[1, 2]).at_rest().unwrap_err();
        assert_eq!(broken.to_string(), "no starvation: node 1 and one other wait for ever");
        assert_eq!(broken.node, Some(NodeId(1)));
    }

    #[test]
    fn a_crash_frees_the_resource_and_ends_the_wait() {
        let mut monitor = asked(&[0, 1, 2]);
        monitor.on_event(NodeId(0), &Event::Granted).unwrap();
        monitor.on_crash(NodeId(0)).unwrap();
        monitor.on_event(NodeId(1), &Event::Granted).unwrap();
        monitor.on_command(NodeId(1), &Command::Release).unwrap();
        monitor.on_crash(NodeId(2)).unwrap();
        monitor.at_rest().unwrap();
    }
}
