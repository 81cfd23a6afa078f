//! Whom a node that leaves has to tell.

use crate::NodeId;

/// The farewell of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Leaving {
    /// The nodes that it knows, sorted, but for those that leave, too.
    pub(super) peers: Vec<NodeId>,
    /// Those of them that have not confirmed that it leaves, sorted.
    pub(super) untold: Vec<NodeId>,
    /// The last one that has told it of leaving: the only way out, if all of its peers have.
    pub(super) last: Option<NodeId>,
    /// For how many turns all have confirmed and nothing has arrived.
    pub(super) quiet: u32,
}

impl Leaving {
    pub(super) fn new(peers: Vec<NodeId>) -> Self {
        Self { untold: peers.clone(), peers, last: None, quiet: 0 }
    }

    pub(super) fn meet(&mut self, node: NodeId) {
        if insert(&mut self.peers, node) {
            insert(&mut self.untold, node);
        }
    }

    pub(super) fn lose(&mut self, node: NodeId) {
        self.quiet = 0;
        remove(&mut self.peers, node);
        remove(&mut self.untold, node);
        self.last.take_if(|last| *last == node);
    }
}

/// Inserts a node into a sorted list; whether it is new.
pub(super) fn insert(sorted: &mut Vec<NodeId>, node: NodeId) -> bool {
    let found = sorted.binary_search(&node);
    if let Err(index) = found {
        sorted.insert(index, node);
    }
    found.is_err()
}

/// Removes a node from a sorted list, if it is there.
pub(super) fn remove(sorted: &mut Vec<NodeId>, node: NodeId) {
    if let Ok(index) = sorted.binary_search(&node) {
        sorted.remove(index);
    }
}
