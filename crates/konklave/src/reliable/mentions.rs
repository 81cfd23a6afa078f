//! Which nodes the messages that are not acknowledged are about.

use std::collections::BTreeMap;

use crate::NodeId;

/// How many of these messages go to, or tell of, each node. Counted, because drivers ask before
/// every step, and there may be many messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions(BTreeMap<NodeId, u32>);

impl Mentions {
    /// One more message to a node tells of these.
    pub(super) fn add(&mut self, to: NodeId, told: Vec<NodeId>) {
        for node in told.into_iter().chain([to]) {
            *self.0.entry(node).or_default() += 1;
        }
    }

    /// One message less.
    pub(super) fn remove(&mut self, to: NodeId, told: Vec<NodeId>) {
        for node in told.into_iter().chain([to]) {
            if let Some(count) = self.0.get_mut(&node) {
                *count -= 1;
                if *count == 0 {
                    self.0.remove(&node);
                }
            }
        }
    }

    /// The nodes, in order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.0.keys().copied()
    }
}
