//! What nodes know before anything happens.

use super::{Overlay, Place};
use crate::NodeId;

/// What a node knows when it starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// Nothing: it does not take part until it joins.
    Outside,
    /// Addresses, held without any thought or still on their way to it.
    Knowing {
        /// What its variables hold.
        held: Vec<NodeId>,
        /// The node that it takes for the one at the other end.
        end: Option<NodeId>,
        /// What messages in transit hold.
        mail: Vec<NodeId>,
    },
    /// Anything: its state is chosen, and so is a message in transit, if the node is to add one.
    Any {
        /// How many nodes there are.
        nodes: u32,
        /// Whether it adds a message.
        posts: bool,
    },
}

impl Start {
    /// The overlay of a node that holds these addresses, for hosts that do without membership.
    pub fn legal<O: Overlay>(&self, place: Place) -> O {
        let mut overlay = O::new(place);
        if let Self::Knowing { held, end, .. } = self {
            held.iter().for_each(|&node| _ = overlay.hold(node));
            end.iter().for_each(|&node| _ = overlay.hold_end(node));
        }
        overlay
    }
}
