//! What applications may ask for.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use konklave::NodeId;
use konklave::protocol::Data;

/// The application of one node. It is part of the state that a search explores, so its supply of
/// commands is finite there.
pub trait Application: Clone + Eq + Hash + Debug + Send + 'static {
    /// What it asks for.
    type Command: Data;
    /// What it is told.
    type Event: Data;

    /// Whether applications wait for each other's turns to end, so that some can overtake others.
    const TAKES_TURNS: bool;

    /// Everything that it may ask for now; it need not.
    fn commands(&self) -> Vec<Self::Command>;

    /// What the outside has to tell the node: about crashes, say.
    fn notices(&self) -> Vec<Self::Command> {
        Vec::new()
    }

    /// Whether it may ask for this now, or be told this. More than it will by itself, where the
    /// order of its wishes does not matter.
    fn may(&self, command: &Self::Command) -> bool {
        self.commands().contains(command) || self.notices().contains(command)
    }

    /// It asks for this, or the outside has told this.
    fn on_command(&mut self, command: &Self::Command);

    /// It is told this.
    fn on_event(&mut self, event: &Self::Event);

    /// Another node has crashed.
    fn on_crash(&mut self, _node: NodeId) {}

    /// Another node is back.
    fn on_restart(&mut self, _node: NodeId) {}

    /// Its own node is back, after a crash that has taken everything from it but its wishes.
    fn revive(&mut self);

    /// The applications of this many nodes that may give all of these commands.
    fn supply(nodes: u32, commands: &[(NodeId, Self::Command)]) -> Vec<Self>;

    /// The same command where nodes have other numbers; none if it is about a node that is gone.
    fn renamed(
        command: &Self::Command,
        _place: &dyn Fn(NodeId) -> Option<NodeId>,
    ) -> Option<Self::Command> {
        Some(command.clone())
    }

    /// Where it stands.
    fn standing(&self) -> Standing;
}

/// The commands of one node among those of all.
pub fn of_node<C>(
    node: NodeId,
    commands: &[(NodeId, C)],
) -> impl DoubleEndedIterator<Item = &C> + Clone {
    commands.iter().filter(move |(other, _)| *other == node).map(|(_, command)| command)
}

/// Where an application stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It wants nothing.
    Idle,
    /// It has asked and was not answered.
    Waiting,
    /// It has what it asked for.
    Served,
}

/// An application that may ask for anything at any time, and asks for nothing by itself: for runs
/// that are told from outside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unrestricted<C, E>(PhantomData<fn() -> (C, E)>);

impl<C, E> Default for Unrestricted<C, E> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<C: Data, E: Data> Application for Unrestricted<C, E> {
    type Command = C;
    type Event = E;

    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<C> {
        Vec::new()
    }

    fn may(&self, _command: &C) -> bool {
        true
    }

    fn on_command(&mut self, _command: &C) {}

    fn on_event(&mut self, _event: &E) {}

    fn revive(&mut self) {}

    fn supply(nodes: u32, _commands: &[(NodeId, C)]) -> Vec<Self> {
        vec![Self::default(); nodes as usize]
    }

    fn standing(&self) -> Standing {
        Standing::Idle
    }
}
