//! Nodes that have left, messages that come back, and networks that have fallen apart.

use konklave::NodeId;
use konklave_stage::Status;

use super::{Action, NONE, Successor, Successors};
use crate::meaning::ask;

impl Successors<'_> {
    /// Whether all nodes have started.
    pub(crate) fn are_awake(&mut self, row: &[u32]) -> bool {
        // They start one after the other.
        self.traits(row[self.shape.nodes - 1]).status != Status::Asleep
    }

    /// Whether the nodes are connected, if they repair themselves.
    pub(crate) fn is_connected(&self, row: &[u32]) -> bool {
        let (locals, packets) = (self.shape.locals(row), self.shape.packets(row));
        !self.stabilises || ask(self.shared).disconnection(locals, packets).is_none()
    }

    pub(super) fn has_left(&mut self, row: &[u32], node: NodeId) -> bool {
        self.traits(row[node.index()]).status == Status::Gone
    }

    /// The message at this place cannot be delivered any more: its sender gets it back, or no node
    /// does, if the sender is gone, too.
    pub(super) fn come_back(
        &mut self,
        row: &[u32],
        print: u64,
        place: usize,
        found: &mut impl FnMut(Successor),
    ) {
        let packet = self.shape.packets(row)[place];
        let sender = self.shape.codes.sender(packet);
        let place = place as u16;
        if self.traits(row[sender.index()]).status != Status::Up {
            let (action, monitor) = (Action::Miss { place }, self.shape.monitor(row));
            found(Successor { print, action, outcome: NONE, monitor });
            return;
        }
        let code = ask(self.shared).returned(packet);
        self.step(row, print, sender.index(), code, Action::Back { place }, found);
    }
}
