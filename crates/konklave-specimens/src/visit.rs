//! How a specimen's nodes are handed to whoever wants to run, check or watch them.

use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::Protocol;

use konklave::NodeId;

use crate::table::{elections, permissions, rings, tokens};
use crate::{Flaw, Ground};

/// Does something with the nodes of a specimen. `Flawed::new(right(me), flaw(me))` is the broken
/// node, `right(me)` the right one.
pub trait Visit {
    /// What comes of it.
    type Out;

    /// With the nodes of an algorithm for mutual exclusion.
    fn mutex<P, F>(self, right: impl Fn(NodeId) -> P, flaw: impl Fn(NodeId) -> F) -> Self::Out
    where
        P: Protocol<Command = mutex::Command, Event = mutex::Event>,
        F: Flaw<P>;

    /// With the nodes of an algorithm for elections, and who should win.
    fn election<P, F>(
        self,
        winner: Winner,
        right: impl Fn(NodeId) -> P,
        flaw: impl Fn(NodeId) -> F,
    ) -> Self::Out
    where
        P: Protocol<Command = election::Command, Event = election::Event>,
        F: Flaw<P>;
}

/// Hands the nodes of the specimen with this name to a visitor; nothing if there is none. They are
/// built on any ground that suits the right algorithm.
pub fn visit<V: Visit>(name: &str, ground: &Ground, visitor: V) -> Option<V::Out> {
    permissions::visit(name, ground, visitor)
        .or_else(|visitor| tokens::visit(name, ground, visitor))
        .or_else(|visitor| rings::visit(name, ground, visitor))
        .or_else(|visitor| elections::visit(name, ground, visitor))
        .ok()
}
