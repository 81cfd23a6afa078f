//! One initiator collects the largest id from all nodes by explorers and echoes, and announces it.
//!
//! E. J. H. Chang: Echo algorithms: depth parallel operations on general graphs. IEEE Transactions
//! on Software Engineering SE-8 (4), 1982.
//!
//! # Idea
//!
//! The initiator starts the [echo wave](crate::wave::echo): explorers flood the network, and echoes
//! carry the largest id back along the spanning tree that the explorers have built. The initiator,
//! which need not be the winner, announces it along the same tree.
//!
//! This wave has a single initiator. Where several nodes may start, use `echo-extinction`.
//!
//! # Cost
//!
//! Messages: 2m, and n-1 to announce. m is the number of edges. A message carries one id.
//!
//! - Time: 2e or 2e+1 to elect, e the distance from the initiator to the farthest node, with delays
//!   of T.
//! - State: a mark per edge.
//!
//! # Assumes
//!
//! A connected network with reliable channels, which may reorder messages, no crashes, and one
//! initiator: two would take each other's explorers for answers, and decide too early.
//!
//! - Loss: a lost message blocks the election, or leaves the nodes behind it without the result.
//! - Duplication: a duplicate is harmless: a message counts once per edge.
//! - Crash: a crash blocks the election, or leaves the nodes behind it without the result.
//!
//! # Differs from the paper
//!
//! The wave collects the largest id, and the winner is announced.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Hosts, Never, Protocol};
use crate::wave::echo;
use crate::{NodeId, NodeSet};

/// What neighbours send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Of the wave: explorers with the id of the initiator, echoes with the largest id.
    Wave(echo::Msg<Id, Id>),
    /// The node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 12);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Echo {
    me: Id,
    wave: echo::Echo<Id, Id>,
    /// Once it was announced.
    leader: Option<Id>,
}

const _: () = assert!(size_of::<Echo>() <= 64);

impl Echo {
    /// The node with id `me` and these neighbours.
    pub fn new(me: Id, neighbours: impl IntoIterator<Item = NodeId>) -> Self {
        Self { me, wave: echo::Echo::new(neighbours, me), leader: None }
    }

    fn learn(&mut self, leader: Id, env: &mut impl Env<Self>) {
        if self.leader.is_some() {
            return; // Doubled.
        }
        self.leader = Some(leader);
        if leader == self.me {
            env.emit(Event::Elected);
        }
        env.emit(Event::Knows(leader));
        for child in self.wave.children() {
            env.send(child, Msg::Elected(leader));
        }
    }
}

impl Protocol for Echo {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.wave.information().is_none() {
            env.emit(Event::Started);
            let start = echo::Command::Start(self.me);
            self.run(env, |wave, env| wave.on_command(start, env));
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Wave(msg) => self.run(env, |wave, env| wave.on_message(from, msg, env)),
            Msg::Elected(id) => self.learn(id, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        self.wave.waits_for()
    }
}

impl Hosts<echo::Echo<Id, Id>> for Echo {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut echo::Echo<Id, Id>> {
        Some(&mut self.wave)
    }

    fn wrap_msg((): &(), msg: echo::Msg<Id, Id>) -> Msg {
        Msg::Wave(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(
        &mut self,
        (): &(),
        echo::Event::Decided(largest): echo::Event<Id>,
        env: &mut impl Env<Self>,
    ) {
        self.learn(largest, env);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// The node with id 5 between nodes 1 and 2.
    fn node() -> (Echo, Recorder<Echo>) {
        (Echo::new(Id(5), [1, 2].map(NodeId)), Recorder::default())
    }

    #[test]
    fn the_initiator_announces_what_the_wave_has_found() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        node.on_command(Command::Start, &mut env);
        let explorers = ["-> 1 Wave(Explore(5))", "-> 2 Wave(Explore(5))"];
        assert_eq!(env.lines(), [&["! Started"], &explorers[..]].concat());
        node.on_message(NodeId(1), Msg::Wave(echo::Msg::Echo(Id(9))), &mut env);
        node.on_message(NodeId(2), Msg::Wave(echo::Msg::Explore(Id(5))), &mut env);
        assert_eq!(env.lines(), ["! Knows(9)", "-> 1 Elected(9)"]);
    }

    #[test]
    fn the_winner_need_not_be_the_initiator() {
        let (mut node, mut env) = node();
        node.on_message(NodeId(1), Msg::Wave(echo::Msg::Explore(Id(3))), &mut env);
        node.on_message(NodeId(2), Msg::Wave(echo::Msg::Echo(Id(4))), &mut env);
        assert_eq!(env.lines(), ["-> 2 Wave(Explore(3))", "-> 1 Wave(Echo(5))"]);
        node.on_message(NodeId(1), Msg::Elected(Id(5)), &mut env);
        node.on_message(NodeId(1), Msg::Elected(Id(5)), &mut env);
        assert_eq!(env.lines(), ["! Elected", "! Knows(5)", "-> 2 Elected(5)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late to start");
    }

    #[test]
    fn a_node_alone_is_elected_at_once() {
        let mut node = Echo::new(Id(5), []);
        let mut env = Recorder::default();
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "! Elected", "! Knows(5)"]);
    }
}
