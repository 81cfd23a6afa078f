//! The election of a new root among the remaining nodes, by echo waves with extinction.

use super::levels::Levels;
use super::{Msg, Patience, State, VirtualTree};
use crate::NodeId;
use crate::election::echo_extinction::EchoExtinction;
use crate::election::repeated::Repeated;
use crate::election::{Command, Event, Id, Winner};
use crate::protocol::{Env, Hosts, Never, Protocol};

/// Its number is that of the term which its winner begins.
pub(super) type Election = Repeated<EchoExtinction>;

/// A node in the election that makes the root of this term. Any winner will do.
pub(super) fn election(term: u32, id: Id, levels: &Levels) -> Election {
    Repeated::since(term, EchoExtinction::new(id, levels.up(), Winner::Anyone))
}

impl VirtualTree {
    pub(super) fn on_ballot(
        &mut self,
        from: NodeId,
        msg: <Election as Protocol>::Msg,
        env: &mut impl Env<Self>,
    ) {
        if msg.election() > self.term() {
            self.enter(msg.election(), env);
        }
        if msg.election() == self.term() && self.state == State::Electing {
            self.run(env, |election, env| election.on_message(from, msg, env));
        } // Else it is over.
    }

    /// An election that was hit by a crash may wait for ever, and one that a node has missed by
    /// coming back makes it wait.
    pub(super) fn elect_if_electing(&mut self, env: &mut impl Env<Self>) {
        if self.state == State::Electing {
            self.elect(env);
        }
    }

    pub(super) fn elect(&mut self, env: &mut impl Env<Self>) {
        self.enter(self.levels.newest_term().saturating_add(1), env);
        env.emit(Event::Started);
        self.run(env, |election, env| election.on_command(Command::Start, env));
    }

    /// Takes part in an election. Nobody wins it before we have, so we must not lead any more.
    fn enter(&mut self, term: u32, env: &mut impl Env<Self>) {
        if self.levels.is_root() {
            env.emit(Event::SteppedDown);
        }
        self.levels.enter(term); // The election reaches all neighbours; they need not be told.
        self.election = election(term, self.id, &self.levels);
        self.state = State::Electing;
    }
}

impl Hosts<Election> for VirtualTree {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Election> {
        Some(&mut self.election)
    }

    fn wrap_msg((): &(), msg: <Election as Protocol>::Msg) -> Msg {
        Msg::Ballot(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Patience {
        match timer {}
    }

    /// The winner is known by its place in the tree.
    fn on_part(&mut self, (): &(), event: Event, env: &mut impl Env<Self>) {
        if event == Event::Elected {
            self.lead(env);
        }
    }
}
