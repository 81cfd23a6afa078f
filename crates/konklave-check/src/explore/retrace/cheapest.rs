//! The least messages of a whole schedule, where some have no end: the second pass does not get
//! behind cycles.

use std::collections::BTreeMap;

use super::super::{Space, Watch};
use crate::lookup::BROKEN;
use crate::report::Bound;
use crate::rows::Rows;
use crate::seen::{Seen, Shard};
use crate::successors::{Successors, is_end};

impl Space<'_> {
    /// The least messages on a way to an end, if there is one. States are taken in the order of
    /// what it costs to reach them (E. Dijkstra, 1959), so the first end is the cheapest.
    pub(super) fn cheapest_end(&self, watch: &mut Watch<'_>) -> Result<Option<u32>, Bound> {
        let mut least: Vec<_> =
            self.seen.sizes().into_iter().map(|states| vec![u32::MAX; states]).collect();
        let mut successors = Successors::new(self.shared);
        let mut found = Vec::new();
        let mut row = Vec::new();
        let mut next = Vec::new();
        let mut done = 0;
        let mut waiting = BTreeMap::from([(0, self.first_rows()?)]);
        while let Some((cost, mut rows)) = waiting.pop_first() {
            let mut index = 0;
            // What costs nothing more is added behind.
            while index < rows.len() {
                let (id, print) = (rows.id(index), rows.print(index));
                row.clear();
                row.extend_from_slice(rows.row(index));
                index += 1;
                if least[id as usize % Seen::SHARDS][Shard::place(id)] < cost {
                    continue; // It was taken before.
                }
                done += 1;
                let bytes = waiting.values().map(Rows::bytes).sum::<usize>() + rows.bytes();
                watch.look(done, bytes + self.seen.len() as usize * size_of::<u32>())?;
                successors.of(&row, print, &mut |successor| found.push(successor));
                if is_end(&found) {
                    return Ok(Some(cost));
                }
                for successor in found.drain(..).filter(|it| it.monitor != BROKEN) {
                    let then = cost.saturating_add(successors.messages(successor));
                    successors.write(&row, successor, &mut next);
                    let id = self.seen.find(successor.print, &next).ok_or(Bound::Collision)?;
                    let least = &mut least[id as usize % Seen::SHARDS][Shard::place(id)];
                    if then < *least {
                        *least = then;
                        let behind = match then == cost {
                            true => &mut rows,
                            false => waiting.entry(then).or_default(),
                        };
                        behind.push(&next, id, successor.print);
                    }
                }
            }
        }
        Ok(None)
    }

    fn first_rows(&self) -> Result<Rows, Bound> {
        let print = self.shape.print(&self.first);
        let id = self.seen.find(print, &self.first).ok_or(Bound::Collision)?;
        let mut rows = Rows::default();
        rows.push(&self.first, id, print);
        Ok(rows)
    }
}
