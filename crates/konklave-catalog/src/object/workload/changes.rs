//! Who joins and leaves in a simulation, and when.

use konklave::NodeId;
use konklave::object::Command;
use konklave_sim::workload::Agenda;

use super::plan::Amount;
use super::{Ask, Service, Users};

/// A process comes or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    Join(NodeId),
    Leave,
}

impl<S: Service> Users<S> {
    /// Draws after how many operations each join and leave has its turn: not before all items are
    /// there.
    pub(super) fn draw_changes(&mut self, agenda: &mut Agenda<'_, Ask<S>>) {
        let (first, last) = (self.plan.items, self.plan.operations() + self.plan.items);
        let joins = self.plan.joiners.iter().map(|node| Change::Join(*node));
        let leaves = (0..self.plan.leaves).map(|_| Change::Leave);
        let all: Vec<Change> = joins.chain(leaves).collect();
        let timed = all.into_iter().map(|it| (agenda.random().between(first, last), it));
        self.changes = timed.collect();
        self.changes.sort_by_key(|(after, _)| u64::MAX - after);
    }

    /// A process asks for nothing more. Returns for how much it still would have.
    pub(super) fn stop(&mut self, node: NodeId) -> u64 {
        let left = std::mem::take(&mut self.processes[node.index()].left);
        match self.plan.amount {
            Amount::Ops(_) => left,
            Amount::Until(_) => {
                self.asking -= usize::from(left > 0);
                0
            }
        }
    }

    /// Whether no client goes on, although there may still be changes that wait for operations.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.plan.amount, Amount::Until(_)) && self.asking == 0
    }

    pub(super) fn change_if_due(&mut self, agenda: &mut Agenda<'_, Ask<S>>) {
        while let Some((after, change)) = self.changes.last().copied()
            && (after <= self.invoked || self.is_over())
        {
            self.changes.pop();
            match change {
                Change::Join(node) => {
                    let place = agenda.random().below(self.members.len() as u64);
                    let contact = self.members[place as usize];
                    self.joining.insert(node, contact);
                    agenda.after(0, node, Command::Join { contact });
                }
                Change::Leave => {
                    self.postponed += 1;
                    self.dismiss_if_possible(agenda);
                }
            }
        }
    }

    /// Members leave that were to leave earlier, as long as one stays. A member that others need in
    /// order to join is not asked to.
    pub(super) fn dismiss_if_possible(&mut self, agenda: &mut Agenda<'_, Ask<S>>) {
        while self.postponed > 0 && self.members.len() > 1 {
            let place = agenda.random().below(self.members.len() as u64);
            let is_needed = |node: &NodeId| self.joining.values().any(|contact| contact == node);
            let free = self.members.iter().cycle().skip(place as usize).take(self.members.len());
            let Some(node) = free.copied().find(|node| !is_needed(node)) else { return };
            self.postponed -= 1;
            self.members.retain(|other| *other != node);
            self.leaving.insert(node);
            self.processes[node.index()].is_leaving = true;
            let left = self.stop(node);
            let place = agenda.random().below(self.members.len() as u64);
            let heir = self.members[place as usize];
            self.processes[heir.index()].left += left;
            self.leave_if_idle(node, agenda);
            self.plan_operations(heir, agenda);
        }
    }

    pub(super) fn leave_if_idle(&mut self, node: NodeId, agenda: &mut Agenda<'_, Ask<S>>) {
        let process = &mut self.processes[node.index()];
        if process.is_leaving && process.planned == process.returned {
            process.planned += 1; // So that it leaves once only.
            agenda.after(0, node, Command::Leave);
        }
    }
}
