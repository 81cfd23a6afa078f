//! One thread of the second pass.

use std::sync::Mutex;

use super::{Ledger, Ready};
use crate::application::Standing;
use crate::explore::held::Share;
use crate::explore::worker::{Batches, Edge};
use crate::explore::{Costs, Space};
use crate::lookup::BROKEN;
use crate::seen::{Identity, NOBODY, Shard, StateId};
use crate::successors::{Action, Successor, Successors, is_end};

/// One thread of the second pass.
pub(super) struct Retracer<'a> {
    space: &'a Space<'a>,
    share: Share<'a>,
    ledgers: &'a [Mutex<Ledger>],
    /// How many nodes take turns.
    turns: usize,
    successors: Successors<'a>,
    batches: Batches,
    found: Vec<Successor>,
    fresh: Vec<(Edge, StateId)>,
    scratch: Vec<u32>,
    awaited_then: Vec<u8>,
    pub(super) next: Ready,
    /// The messages of the cheapest schedule.
    pub(super) least: Option<u32>,
    /// The messages of the costliest schedule, and its final state.
    pub(super) costliest: Option<(u32, StateId)>,
    /// The maximum number of services of other nodes while one waits.
    pub(super) awaited: u8,
    /// How many edges lead to where none did: two states were taken for one.
    pub(super) strays: u32,
}

impl<'a> Retracer<'a> {
    pub(super) fn new(space: &'a Space<'a>, ledgers: &'a [Mutex<Ledger>], turns: usize) -> Self {
        Self {
            space,
            share: Share::new(&space.held),
            ledgers,
            turns,
            successors: Successors::new(space.shared),
            batches: Batches::new(),
            found: Vec::new(),
            fresh: Vec::new(),
            scratch: Vec::new(),
            awaited_then: vec![0; turns],
            next: Ready::default(),
            least: None,
            costliest: None,
            awaited: 0,
            strays: 0,
        }
    }

    /// Retraces all edges from a state.
    pub(super) fn expand(&mut self, frontier: &Ready, index: usize) {
        let rows = &frontier.rows;
        let mut found = std::mem::take(&mut self.found);
        let print = rows.print(index);
        self.successors.of(rows.row(index), print, &mut |successor| found.push(successor));
        if is_end(&found) {
            let (least, most) = (frontier.least[index], frontier.most[index]);
            self.least = Some(self.least.map_or(least, |other| other.min(least)));
            self.costliest = self.costliest.max(Some((most, rows.id(index))));
        }
        // A step that breaks a promise leads nowhere.
        for successor in found.drain(..).filter(|successor| successor.monitor != BROKEN) {
            if let Some(shard) = self.batches.add(Edge { row: index as u32, successor }) {
                self.flush(frontier, shard);
            }
        }
        self.found = found;
    }

    pub(super) fn flush_all(&mut self, frontier: &Ready) {
        for shard in self.batches.shards() {
            self.flush(frontier, shard);
        }
    }

    fn flush(&mut self, frontier: &Ready, shard: usize) {
        let edges = self.batches.take(shard);
        let mut fresh = std::mem::take(&mut self.fresh);
        let is_exact = self.space.options.identity == Identity::Exact;
        let mut table = self.space.seen.shard(shard);
        let mut ledger = self.ledgers[shard].lock().expect("no thread panics meanwhile");
        for &edge in &edges {
            let row = frontier.rows.row(edge.row as usize);
            if is_exact {
                self.successors.write(row, edge.successor, &mut self.scratch);
            }
            let Some((id, is_last)) = table.retrace(edge.successor.print, &self.scratch) else {
                self.strays += 1;
                continue;
            };
            self.enter(frontier, edge, Shard::place(id), &mut ledger);
            if is_last {
                fresh.push((edge, id));
            }
        }
        drop(table);
        self.batches.give_back(shard, edges);
        for (Edge { row, successor }, id) in fresh.drain(..) {
            let row = frontier.rows.row(row as usize);
            self.successors.write(row, successor, &mut self.scratch);
            self.next.rows.push(&self.scratch, id, successor.print);
            let place = Shard::place(id);
            self.next.least.push(ledger.least[place]);
            self.next.most.push(ledger.most[place]);
            let turns = place * self.turns..(place + 1) * self.turns;
            self.next.awaited.extend_from_slice(&ledger.awaited[turns]);
        }
        self.fresh = fresh;
        self.share.say(self.next.bytes() + self.successors.lookup.bytes());
    }

    /// Enters what an edge costs into the ledger of the shard that it leads to.
    fn enter(&mut self, frontier: &Ready, edge: Edge, place: usize, ledger: &mut Ledger) {
        let index = edge.row as usize;
        let messages = self.successors.messages(edge.successor);
        let least = frontier.least[index].saturating_add(messages);
        let most = frontier.most[index].saturating_add(messages);
        ledger.least[place] = ledger.least[place].min(least);
        if self.space.options.costs == Costs::Worst
            && (most > ledger.most[place] || ledger.before[place] == NOBODY)
        {
            ledger.before[place] = frontier.rows.id(index);
        }
        ledger.most[place] = ledger.most[place].max(most);
        if self.turns > 0 {
            self.count_turns(frontier, edge);
            let turns = &mut ledger.awaited[place * self.turns..(place + 1) * self.turns];
            for (old, new) in turns.iter_mut().zip(&self.awaited_then) {
                *old = (*old).max(*new);
                self.awaited = self.awaited.max(*new);
            }
        }
    }

    /// How often others were served while each node waits, after an edge.
    fn count_turns(&mut self, frontier: &Ready, edge: Edge) {
        let Edge { row: index, successor } = edge;
        let index = index as usize;
        let before = &frontier.awaited[index * self.turns..(index + 1) * self.turns];
        self.awaited_then.copy_from_slice(before);
        let row = frontier.rows.row(index);
        if let Action::Crash { node, .. } = successor.action {
            self.awaited_then[usize::from(node)] = 0;
        }
        let Some((node, ..)) = self.successors.input(row, successor.action) else { return };
        let shared = self.space.shared;
        let lookup = &mut self.successors.lookup;
        let local = lookup.outcome(successor.outcome).local;
        let was = lookup.traits(shared, row[node.index()]).standing;
        let is = lookup.traits(shared, local).standing;
        if is != Standing::Waiting || was != Standing::Waiting {
            self.awaited_then[node.index()] = 0;
        }
        if is == Standing::Served && was != Standing::Served {
            for (other, count) in self.awaited_then.iter_mut().enumerate() {
                let standing = lookup.traits(shared, row[other]).standing;
                if other != node.index() && standing == Standing::Waiting {
                    *count = count.saturating_add(1);
                }
            }
        }
    }
}
