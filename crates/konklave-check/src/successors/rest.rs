//! States in which nothing more has to happen.

use super::{Action, Successor, Successors, is_end};
use crate::application::Standing;

impl Successors<'_> {
    /// Whether a state with these successors is at rest: nothing more has to happen. Nodes may
    /// crash, the network may be cut, and applications may ask for something, if any has before:
    /// a promise to answer is not broken where no application has asked.
    pub(crate) fn is_at_rest(&mut self, row: &[u32], successors: &[Successor]) -> bool {
        let is_optional = |action: Action| match action {
            Action::Own { node, index } => {
                u32::from(index) < self.traits(row[usize::from(node)]).wishes
            }
            _ => action.is_optional_fault(),
        };
        if !successors.iter().map(|successor| successor.action).all(is_optional) {
            return false;
        }
        let mut locals = self.shape.locals(row).iter();
        is_end(successors) || locals.any(|&local| self.traits(local).standing != Standing::Idle)
    }

    /// Whether no notice is pending.
    pub(super) fn is_all_noticed(&mut self, row: &[u32]) -> bool {
        (0..self.shape.nodes).all(|node| self.traits(row[node]).notices == 0)
    }
}
