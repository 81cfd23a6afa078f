//! The second pass: every edge once more, each state after all that lead to it. Then the least and
//! the most that schedules cost is known for every state; and states that are never reached in this
//! order lie on cycles or behind them.

mod cheapest;
mod retracer;

use std::sync::Mutex;

use super::threads::share_out;
use super::{Costs, Progress, Space, Tally, Watch, Way};
use crate::meaning::ask;
use crate::report::{Bound, Extremes};
use crate::rows::Rows;
use crate::seen::{NOBODY, Seen, Shard, StateId};
use crate::successors::Successors;
use retracer::Retracer;

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Retraced {
    /// Whether some states were left over.
    pub(super) has_cycles: bool,
    pub(super) messages: Option<Extremes>,
    pub(super) awaited: Option<u32>,
    /// The end of a schedule with the most messages, and from where each state is reached with the
    /// most.
    pub(super) worst: Option<Worst>,
}

/// A schedule with the most messages.
#[derive(Debug, Default)]
pub(super) struct Worst {
    end: StateId,
    before: Vec<Vec<StateId>>,
}

/// What schedules cost up to the states of a shard.
#[derive(Debug, Default)]
struct Ledger {
    least: Vec<u32>,
    most: Vec<u32>,
    /// From where the most comes, if that is asked for.
    before: Vec<StateId>,
    /// How often others were served at most while a node waits, for each node.
    awaited: Vec<u8>,
}

/// States that all edges were retraced to, and their costs.
#[derive(Default)]
struct Ready {
    rows: Rows,
    least: Vec<u32>,
    most: Vec<u32>,
    awaited: Vec<u8>,
}

impl Ready {
    fn append(&mut self, other: &mut Self) {
        self.rows.append(&mut other.rows);
        self.least.append(&mut other.least);
        self.most.append(&mut other.most);
        self.awaited.append(&mut other.awaited);
    }

    fn bytes(&self) -> usize {
        let costs = self.least.capacity() + self.most.capacity();
        self.rows.bytes() + costs * size_of::<u32>() + self.awaited.capacity()
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.least.clear();
        self.most.clear();
        self.awaited.clear();
    }
}

impl Space<'_> {
    /// Retraces all edges, unless a limit is reached.
    pub(super) fn retrace(
        &self,
        tally: &mut Tally,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Retraced, Bound> {
        let turns = if ask(self.shared).takes_turns() { self.shape.nodes } else { 0 };
        let keeps_worst = self.options.costs == Costs::Worst;
        let of_state =
            2 * size_of::<u32>() + turns + usize::from(keeps_worst) * size_of::<StateId>();
        let ledger_bytes = self.seen.len() as usize * of_state;
        tally.look(self, ledger_bytes, Some(0), go_on)?; // Before it is too late.
        let ledgers: Vec<_> = self
            .seen
            .sizes()
            .into_iter()
            .map(|states| {
                Mutex::new(Ledger {
                    least: vec![u32::MAX; states],
                    most: vec![0; states],
                    before: vec![NOBODY; if keeps_worst { states } else { 0 }],
                    awaited: vec![0; states * turns],
                })
            })
            .collect();
        let mut frontier = self.ready(turns)?;
        let mut workers: Vec<_> = (0..self.options.threads.max(1))
            .map(|_| Retracer::new(self, &ledgers, turns))
            .collect();
        let mut done = 0;
        while frontier.rows.len() > 0 {
            done += frontier.rows.len() as u64;
            let bytes = ledger_bytes + frontier.bytes();
            let mut looked = Ok(());
            let work = |worker: &mut Retracer<'_>, index| worker.expand(&frontier, index);
            share_out(&mut workers, frontier.rows.len(), work, &mut || {
                looked = tally.look(self, bytes, Some(done), go_on);
                looked.is_ok()
            });
            looked?;
            for worker in &mut workers {
                worker.flush_all(&frontier);
            }
            if workers.iter().any(|worker| worker.strays > 0) {
                return Err(Bound::Collision);
            }
            frontier.clear();
            for worker in &mut workers {
                frontier.append(&mut worker.next);
            }
        }
        let has_cycles = done < self.seen.len();
        let mut min = workers.iter().filter_map(|worker| worker.least).min();
        let costliest = workers.iter().filter_map(|worker| worker.costliest).max();
        let awaited = workers.iter().map(|worker| worker.awaited).max();
        drop(workers);
        let max = costliest.map(|(most, _)| most).filter(|_| !has_cycles);
        let worst = costliest.filter(|_| keeps_worst && !has_cycles).map(|(_, end)| {
            let ledgers = ledgers.into_iter().map(Mutex::into_inner);
            let before = ledgers.map(|ledger| ledger.expect("all threads ended well").before);
            Worst { end, before: before.collect() }
        });
        if has_cycles && tally.ends > 0 {
            min = self.cheapest_end(&mut Watch::new(self, tally, go_on))?;
        }
        Ok(Retraced {
            has_cycles,
            messages: min.map(|min| Extremes { min, max }),
            awaited: awaited.filter(|_| !has_cycles).map(u32::from),
            worst,
        })
    }

    /// The first state, which nothing leads to.
    fn ready(&self, turns: usize) -> Result<Ready, Bound> {
        let print = self.shape.print(&self.first);
        let shard = crate::seen::shard_of(print);
        let edge = self.seen.shard(shard).retrace(print, &self.first);
        let (id, is_last) = edge.ok_or(Bound::Collision)?;
        let mut ready = Ready::default();
        if is_last {
            ready.rows.push(&self.first, id, print);
            ready.least.push(0);
            ready.most.push(0);
            ready.awaited.resize(turns, 0);
        }
        Ok(ready)
    }

    /// A schedule with the most messages.
    pub(super) fn worst(&self, worst: Worst) -> Result<Way, Bound> {
        let Worst { end, before } = worst;
        let before = |state: &StateId| {
            let shard = *state as usize % Seen::SHARDS;
            Some(before[shard][Shard::place(*state)]).filter(|before| *before != NOBODY)
        };
        let mut states: Vec<_> = std::iter::successors(Some(end), before).collect();
        states.reverse();
        let mut successors = Successors::new(self.shared);
        let (moves, _) = self.way_along(&states, &mut successors)?;
        Ok(Way { moves, repeats: None, broken: None })
    }
}
