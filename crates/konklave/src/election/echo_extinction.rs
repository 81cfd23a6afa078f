//! Every initiator starts an echo wave of its own; larger waves extinguish smaller ones.
//!
//! G. Tel: Introduction to Distributed Algorithms. Cambridge University Press, 1994. The wave: E.
//! J. H. Chang: Echo algorithms: depth parallel operations on general graphs. IEEE Transactions on
//! Software Engineering SE-8 (4), 1982.
//!
//! # Idea
//!
//! The [echo waves](crate::wave::echo) carry the ids of their initiators. A node takes part in the
//! largest wave that has reached it, starting afresh, and discards all messages of smaller ones. No
//! node obstructs the wave of the largest initiator, so it decides. A smaller wave never decides,
//! because that requires every node to take part, and the largest initiator does not.
//!
//! A node that is asleep when a smaller wave reaches it competes (`--wake all`), and the largest id
//! of all wins; or it takes part in that wave (`--wake relay`), and the largest initiator wins.
//!
//! # Cost
//!
//! Messages: at most 2km, k waves in the race, and n-1 to announce. m is the number of edges; a
//! single initiator that is relayed takes exactly 2m. A message carries one id.
//!
//! - State: a mark per edge.
//!
//! # Assumes
//!
//! A connected network with reliable channels, and no crashes. Channels may reorder messages,
//! because within a wave every edge carries one message in each direction.
//!
//! - Loss: a lost message blocks its wave, and the election if that is the largest wave.
//! - Duplication: a duplicate is harmless: a message counts once per edge and wave.
//! - Crash: a crash blocks the waves that need the node, and the election if the largest wave is
//!   one of them.
//!
//! # Differs from the paper
//!
//! Nothing.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id, Winner};
use crate::protocol::{Env, Hosts, Never, Protocol};
use crate::wave::echo;
use crate::{NodeId, NodeSet};

/// What neighbours send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Of the wave whose initiator has the id that it carries.
    Wave(echo::Msg<Id, Id>),
    /// The node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 12);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EchoExtinction {
    me: Id,
    winner: Winner,
    /// The largest wave that has reached us: it tells everybody its initiator, and collects it.
    wave: echo::Echo<Id, Id>,
    /// Once it was announced.
    leader: Option<Id>,
}

const _: () = assert!(size_of::<EchoExtinction>() <= 64);

impl EchoExtinction {
    /// The node with id `me` and these neighbours. If the largest id of all is to win, it wakes up
    /// as a rival of smaller ones.
    pub fn new(me: Id, neighbours: impl IntoIterator<Item = NodeId>, winner: Winner) -> Self {
        Self { me, winner, wave: echo::Echo::new(neighbours, me), leader: None }
    }

    fn begin(&mut self, env: &mut impl Env<Self>) {
        let start = echo::Command::Start(self.me);
        self.run(env, |wave, env| wave.on_command(start, env));
    }

    fn on_wave(&mut self, from: NodeId, msg: echo::Msg<Id, Id>, env: &mut impl Env<Self>) {
        let (echo::Msg::Explore(initiator) | echo::Msg::Echo(initiator)) = msg;
        let is_asleep = self.wave.information().is_none();
        if is_asleep && self.winner == Winner::Largest && self.me > initiator {
            self.begin(env);
        }
        match msg {
            echo::Msg::Explore(_) if self.wave.information() < Some(&initiator) => {
                self.wave.renew(initiator);
            }
            _ if self.wave.information() == Some(&initiator) => {}
            _ => return, // Extinct.
        }
        self.run(env, |wave, env| wave.on_message(from, msg, env));
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

impl Protocol for EchoExtinction {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.wave.information().is_none() {
            env.emit(Event::Started);
            self.begin(env);
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Wave(msg) => self.on_wave(from, msg, env),
            Msg::Elected(id) => self.learn(id, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        self.wave.waits_for()
    }
}

impl Hosts<echo::Echo<Id, Id>> for EchoExtinction {
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

    /// Only our own wave decides here.
    fn on_part(
        &mut self,
        (): &(),
        echo::Event::Decided(me): echo::Event<Id>,
        env: &mut impl Env<Self>,
    ) {
        self.learn(me, env);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// The node with id 5 between nodes 1 and 2.
    fn node(winner: Winner) -> (EchoExtinction, Recorder<EchoExtinction>) {
        (EchoExtinction::new(Id(5), [1, 2].map(NodeId), winner), Recorder::default())
    }

    fn explore(id: u32) -> Msg {
        Msg::Wave(echo::Msg::Explore(Id(id)))
    }

    fn echo(id: u32) -> Msg {
        Msg::Wave(echo::Msg::Echo(Id(id)))
    }

    const EXPLORERS: [&str; 2] = ["-> 1 Wave(Explore(5))", "-> 2 Wave(Explore(5))"];

    #[test]
    fn the_own_wave_elects() {
        let (mut node, mut env) = node(Winner::Largest);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), [&["! Started"], &EXPLORERS[..]].concat());
        node.on_message(NodeId(1), explore(3), &mut env);
        node.on_message(NodeId(1), echo(5), &mut env);
        assert!(env.lines().is_empty(), "the smaller wave is extinct");
        node.on_message(NodeId(2), explore(5), &mut env);
        assert_eq!(env.lines(), ["! Elected", "! Knows(5)", "-> 1 Elected(5)"]);
    }

    #[test]
    fn a_larger_wave_begins_from_anew() {
        let (mut node, mut env) = node(Winner::Largest);
        node.on_command(Command::Start, &mut env);
        node.on_message(NodeId(2), echo(5), &mut env);
        env.lines();
        node.on_message(NodeId(1), explore(8), &mut env);
        assert_eq!(env.lines(), ["-> 2 Wave(Explore(8))"]);
        node.on_message(NodeId(2), echo(5), &mut env);
        node.on_message(NodeId(2), explore(5), &mut env);
        assert!(env.lines().is_empty(), "our own wave is extinct");
        node.on_message(NodeId(2), echo(8), &mut env);
        assert_eq!(env.lines(), ["-> 1 Wave(Echo(8))"]);
        node.on_message(NodeId(1), Msg::Elected(Id(8)), &mut env);
        node.on_message(NodeId(1), Msg::Elected(Id(8)), &mut env);
        assert_eq!(env.lines(), ["! Knows(8)", "-> 2 Elected(8)"]);
    }

    #[test]
    fn a_larger_sleeper_competes_or_relays() {
        let (mut rival, mut env) = node(Winner::Largest);
        rival.on_message(NodeId(1), explore(3), &mut env);
        assert_eq!(env.lines(), EXPLORERS);
        rival.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "it takes part already");
        let (mut relay, mut env) = node(Winner::LargestInitiator);
        relay.on_message(NodeId(1), explore(3), &mut env);
        assert_eq!(env.lines(), ["-> 2 Wave(Explore(3))"]);
    }

    #[test]
    fn duplicate_messages_change_nothing() {
        let (mut node, mut env) = node(Winner::Largest);
        node.on_message(NodeId(1), explore(8), &mut env);
        env.lines();
        node.on_message(NodeId(1), explore(8), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(2), explore(8), &mut env);
        node.on_message(NodeId(2), explore(8), &mut env);
        assert_eq!(env.lines(), ["-> 1 Wave(Echo(8))"]);
    }

    #[test]
    fn a_node_alone_is_elected_at_once() {
        let mut node = EchoExtinction::new(Id(5), [], Winner::Largest);
        let mut env = Recorder::default();
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "! Elected", "! Knows(5)"]);
    }
}
