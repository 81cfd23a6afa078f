//! What a search says about nodes that repair themselves.
//!
//! A state in which the nodes are not connected has no successors: nothing can repair it, so it is
//! no state to start from. All others stay connected, no step of a node leads from a legal state to
//! one that is not (closure), and no state that is not legal is at rest, or on a fair cycle
//! (convergence); where that is a matter of chance, `chance.rs` decides it. Commands are no steps
//! of the algorithm: a node that joins makes any network illegal.

use konklave::protocol::Broken;

use super::{Finding, Worker};
use crate::meaning::ask;
use crate::rows::Rows;
use crate::successors::{Action, Successor};
use crate::system::{CLOSURE, CONVERGENCE};

impl Worker<'_> {
    /// Judges a state in which all nodes are awake, and its successors.
    pub(super) fn judge_legality(&mut self, frontier: &Rows, index: usize, found: &[Successor]) {
        let row = frontier.row(index);
        if !self.successors.is_connected(row) {
            return;
        }
        let fault = self.illegality(row);
        if found.is_empty()
            && let Some(fault) = &fault
            && !ask(self.space.shared).converges_by_chance()
        {
            let detail = format!("nothing more happens, and {}", fault.detail);
            self.find(frontier, index, None, CONVERGENCE, detail);
        }
        let mut next = Vec::new();
        for &successor in found {
            self.successors.write(row, successor, &mut next);
            if !self.successors.is_connected(&next) {
                let (locals, packets) = self.parts(&next);
                let broken = ask(self.space.shared).disconnection(locals, packets);
                let Broken { promise, detail, .. } = broken.expect("it is not connected");
                self.find(frontier, index, Some(successor), &promise, detail);
            } else if fault.is_none()
                && !self.is_command(row, successor.action)
                && let Some(fault) = self.illegality(&next)
            {
                self.find(frontier, index, Some(successor), CLOSURE, fault.detail);
            }
        }
    }

    fn parts<'r>(&self, row: &'r [u32]) -> (&'r [u32], &'r [u32]) {
        (self.space.shape.locals(row), self.space.shape.packets(row))
    }

    fn illegality(&self, row: &[u32]) -> Option<Broken> {
        let (locals, packets) = self.parts(row);
        ask(self.space.shared).illegality(locals, packets)
    }

    fn is_command(&mut self, row: &[u32], action: Action) -> bool {
        let Action::Own { node, index } = action else { return false };
        let traits = self.successors.lookup.traits(self.space.shared, row[usize::from(node)]);
        u32::from(index) < traits.free + traits.notices
    }

    fn find(
        &mut self,
        frontier: &Rows,
        index: usize,
        successor: Option<Successor>,
        promise: &str,
        detail: String,
    ) {
        let row = frontier.row(index).to_vec();
        let actor = successor.and_then(|it| self.successors.input(&row, it.action));
        let node = actor.map(|(node, ..)| node);
        let broken = Broken { promise: promise.to_owned(), detail, node };
        let (steps, state) = (self.depth + u32::from(successor.is_some()), frontier.id(index));
        self.findings.add(Finding { steps, state, row, successor, broken, is_cut: false });
    }
}
