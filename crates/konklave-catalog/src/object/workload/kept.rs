//! What is kept of operations beyond their number: a history, and what clients have found before
//! they go on.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave_check::history::Operation;
use konklave_sim::workload::Agenda;

use super::{Ask, Users};
use crate::object::{Service, history};

/// Clients go on once the system is legal.
#[derive(Clone, Debug, Default)]
pub(super) struct Again {
    /// How many operations each of them has to ask for then.
    ops: u32,
    /// How many all of them have been given.
    pub(super) given: u64,
    /// What was found, and how often something was found again.
    found: BTreeSet<u64>,
    pub(super) found_again: u64,
}

impl Again {
    pub(super) fn find(&mut self, element: u64) {
        self.found_again += u64::from(!self.found.insert(element));
    }
}

impl<S: Service> Users<S> {
    /// The same, who go on once the system is legal, with so many operations each.
    #[must_use]
    pub(in crate::object) fn going_on(self, ops: u32) -> Self {
        Self { again: Some(Again { ops, ..Again::default() }), ..self }
    }

    pub(super) fn go_on(&mut self, agenda: &mut Agenda<'_, Ask<S>>) {
        let Some(again) = &mut self.again else { return };
        let ops = u64::from(std::mem::take(&mut again.ops));
        if ops == 0 {
            return; // They have gone on.
        }
        let clients: Vec<NodeId> = self.plan.clients.clone();
        let clients: Vec<_> = clients.into_iter().filter(|it| self.members.contains(it)).collect();
        again.given = ops * clients.len() as u64;
        for node in clients {
            self.processes[node.index()].left += ops;
            self.plan_operations(node, agenda);
        }
    }

    pub(super) fn history(&self) -> Option<String> {
        let done = self.history.as_ref()?.iter().cloned();
        let pending = self.pending.iter().map(|(&(node, seq), it)| Operation {
            process: node.0,
            seq,
            op: it.op,
            result: None,
            invoked: it.clock,
            returned: None,
            witness: None,
        });
        Some(history::text::<S::Object>(S::PLACES, done.chain(pending).collect()))
    }
}
