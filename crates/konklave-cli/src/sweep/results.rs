//! The results of the runs of a sweep, and what has none.

use std::collections::BTreeMap;

use super::log::Key;
use super::runs::{Cell, Ran, Task};

/// What came of all runs.
pub(super) struct Results {
    pub(super) ran: Vec<Ran>,
    /// Whether no run is missing that was asked for.
    pub(super) is_whole: bool,
    /// The parts of a merged sweep of which runs are missing.
    pub(super) missing: Vec<String>,
    /// The size from which on a series hits the event limit.
    too_long: BTreeMap<Cell, u32>,
    /// Why runs cannot be built.
    impossible: BTreeMap<Key, String>,
}

impl Default for Results {
    fn default() -> Self {
        Self {
            ran: Vec::new(),
            is_whole: true,
            missing: Vec::new(),
            too_long: BTreeMap::new(),
            impossible: BTreeMap::new(),
        }
    }
}

impl Results {
    /// The results of earlier runs.
    pub(super) fn of(ran: Vec<Ran>) -> Self {
        Self { ran, ..Self::default() }
    }

    /// A run of this cell has hit the event limit.
    pub(super) fn too_long(&mut self, cell: &Cell) {
        let least = self.too_long.entry(cell.series()).or_insert(cell.nodes);
        *least = cell.nodes.min(*least);
    }

    /// A run cannot be built.
    pub(super) fn impossible(&mut self, cell: &Cell, seed: u64, reason: &str) {
        self.impossible.insert((cell.clone(), seed), reason.to_owned());
    }

    /// Whether a run has no result for a reason that is known.
    pub(super) fn is_left_out(&self, task: &Task) -> bool {
        self.is_too_long(&task.cell) || self.impossible.contains_key(&task.key())
    }

    fn is_too_long(&self, cell: &Cell) -> bool {
        self.too_long.get(&cell.series()).is_some_and(|least| cell.nodes >= *least)
    }

    /// Drops the short runs of a size that hit the limit: they would be a biased sample.
    pub(super) fn without_bias(mut self) -> Self {
        let ran = std::mem::take(&mut self.ran);
        self.ran = ran.into_iter().filter(|ran| !self.is_too_long(&ran.cell)).collect();
        self
    }

    /// The runs that were left out, with the reasons.
    pub(super) fn left_out(&self) -> Vec<String> {
        let too_long = self.too_long.iter().map(|(series, least)| {
            let options = series.options.values();
            let parts = std::iter::once(&series.algorithm).chain(options).chain([&series.delay]);
            let name = parts.cloned().collect::<Vec<_>>().join(", ");
            format!("{name} from {least} nodes on: too many events, --event-limit allows more")
        });
        let impossible = self.impossible.iter().map(|((cell, seed), reason)| {
            format!("{}, {} nodes, seed {seed}: {reason}", cell.algorithm, cell.nodes)
        });
        too_long.chain(impossible).chain(self.missing.iter().cloned()).collect()
    }
}
