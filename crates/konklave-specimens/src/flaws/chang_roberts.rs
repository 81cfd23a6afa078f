//! Flaws of Chang and Roberts' algorithm: wrong winners, messages without end, wrong receivers.

use konklave::NodeId;
use konklave::election::chang_roberts::{ChangRoberts, Msg};
use konklave::election::{Event, Id};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

type Effects = Vec<Effect<ChangRoberts>>;

/// The winner crashes as soon as it has announced itself, and the ring closes around it: no node
/// takes its announcement off the ring.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CrashedWinner {
    next: NodeId,
    has_crashed: bool,
}

impl CrashedWinner {
    /// The flaw of a node, with its successor.
    pub fn new(next: NodeId) -> Self {
        Self { next, has_crashed: false }
    }
}

impl Flaw<ChangRoberts> for CrashedWinner {
    /// A crashed winner forwards all messages, as if the ring had closed around it.
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        effects: Effects,
    ) -> Effects {
        match input {
            Input::Message { msg, .. } if self.has_crashed => {
                vec![Effect::Send { to: self.next, msg: *msg }]
            }
            _ => {
                self.has_crashed |= effects.contains(&Effect::Emit(Event::Elected));
                effects
            }
        }
    }
}

/// Forwards every id, also smaller ones; every node whose id returns is elected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SwallowsNothing {
    me: Id,
    next: NodeId,
}

impl SwallowsNothing {
    /// The flaw of the node with this id and this successor.
    pub fn new(me: Id, next: NodeId) -> Self {
        Self { me, next }
    }
}

impl Flaw<ChangRoberts> for SwallowsNothing {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        mut effects: Effects,
    ) -> Effects {
        match input {
            Input::Message { msg: Msg::Propose(id), .. } if *id < self.me => {
                effects.push(Effect::Send { to: self.next, msg: Msg::Propose(*id) });
                effects
            }
            Input::Message { msg: Msg::Propose(id), .. } if *id == self.me => vec![
                Effect::Emit(Event::Elected),
                Effect::Emit(Event::Knows(self.me)),
                Effect::Send { to: self.next, msg: Msg::Elected(self.me) },
            ],
            _ => effects,
        }
    }
}

/// The winner announces itself and forwards its own id nevertheless.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WinnerPassesOn {
    me: Id,
    next: NodeId,
}

impl WinnerPassesOn {
    /// The flaw of the node with this id and this successor.
    pub fn new(me: Id, next: NodeId) -> Self {
        Self { me, next }
    }
}

impl Flaw<ChangRoberts> for WinnerPassesOn {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        mut effects: Effects,
    ) -> Effects {
        if let Input::Message { msg: Msg::Propose(id), .. } = input
            && *id == self.me
        {
            effects.push(Effect::Send { to: self.next, msg: Msg::Propose(*id) });
        }
        effects
    }
}

/// Declares itself leader when it receives an announcement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Usurper;

impl Flaw<ChangRoberts> for Usurper {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        mut effects: Effects,
    ) -> Effects {
        if matches!(input, Input::Message { msg: Msg::Elected(_), .. }) {
            effects.push(Effect::Emit(Event::Elected));
        }
        effects
    }
}

/// Sends to the node after its successor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkipsNode {
    beyond: NodeId,
}

impl SkipsNode {
    /// The flaw of a node, with the successor of its successor.
    pub fn new(beyond: NodeId) -> Self {
        Self { beyond }
    }
}

impl Flaw<ChangRoberts> for SkipsNode {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        _: &Input<ChangRoberts>,
        mut effects: Effects,
    ) -> Effects {
        for effect in &mut effects {
            if let Effect::Send { to, .. } = effect {
                *to = self.beyond;
            }
        }
        effects
    }
}
