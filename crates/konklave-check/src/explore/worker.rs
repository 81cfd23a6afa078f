//! One thread of the search.

mod legality;

use konklave::NodeId;

use super::held::Share;
use super::{Finding, Findings, Space};
use crate::application::Standing;
use crate::lookup::BROKEN;
use crate::meaning::ask;
use crate::report::Reached;
use crate::rows::Rows;
use crate::seen::{Identity, Seen, StateId, shard_of};
use crate::successors::{Successor, Successors, is_end};

/// How many edges to one shard are gathered before it is locked for them.
const BATCH: usize = 64;

/// An edge of the graph: the row that it starts from, and where it leads.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) row: u32,
    pub(crate) successor: Successor,
}

/// Edges by the shard that they lead to.
pub(crate) struct Batches(Vec<Vec<Edge>>);

impl Batches {
    pub(crate) fn new() -> Self {
        Self((0..Seen::SHARDS).map(|_| Vec::new()).collect())
    }

    /// Adds an edge; its shard, if it is time to look at it.
    pub(crate) fn add(&mut self, edge: Edge) -> Option<usize> {
        let shard = shard_of(edge.successor.print);
        self.0[shard].push(edge);
        (self.0[shard].len() >= BATCH).then_some(shard)
    }

    /// The edges to a shard. The vector comes back empty, by [`Self::give_back`].
    pub(crate) fn take(&mut self, shard: usize) -> Vec<Edge> {
        std::mem::take(&mut self.0[shard])
    }

    pub(crate) fn give_back(&mut self, shard: usize, mut edges: Vec<Edge>) {
        edges.clear();
        self.0[shard] = edges;
    }

    pub(crate) fn shards(&self) -> std::ops::Range<usize> {
        0..self.0.len()
    }
}

/// One thread of the search.
pub(crate) struct Worker<'a> {
    space: &'a Space<'a>,
    share: Share<'a>,
    successors: Successors<'a>,
    has_invariants: bool,
    batches: Batches,
    found: Vec<Successor>,
    fresh: Vec<(Edge, StateId)>,
    scratch: Vec<u32>,
    /// The depth of the layer that is expanded.
    pub(crate) depth: u32,
    pub(crate) next: Rows,
    pub(super) findings: Findings,
    pub(crate) states: u64,
    pub(crate) ends: u64,
    pub(crate) reached: Reached,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(space: &'a Space<'a>) -> Self {
        Self {
            successors: Successors::new(space.shared),
            has_invariants: ask(space.shared).has_invariants(),
            share: Share::new(&space.held),
            space,
            batches: Batches::new(),
            found: Vec::new(),
            fresh: Vec::new(),
            scratch: Vec::new(),
            depth: 0,
            next: Rows::default(),
            findings: Findings::default(),
            states: 0,
            ends: 0,
            reached: Reached::default(),
        }
    }

    /// Looks at everything that can happen in a state.
    pub(crate) fn expand(&mut self, frontier: &Rows, index: usize) {
        let row = frontier.row(index);
        self.note(row);
        let mut found = std::mem::take(&mut self.found);
        self.successors.of(row, frontier.print(index), &mut |successor| found.push(successor));
        self.states += found.len() as u64;
        self.ends += u64::from(is_end(&found));
        if self.successors.is_at_rest(row, &found) {
            self.rest(frontier, index);
        }
        if self.successors.stabilises && self.successors.are_awake(row) {
            self.judge_legality(frontier, index, &found);
        }
        for successor in found.drain(..) {
            if successor.monitor == BROKEN {
                self.broken(frontier, index, successor);
            } else if let Some(shard) = self.batches.add(Edge { row: index as u32, successor }) {
                self.flush(frontier, shard);
            }
        }
        self.found = found;
    }

    /// Notes what there is to see in a state.
    fn note(&mut self, row: &[u32]) {
        if self.reached.served && self.reached.contention {
            return;
        }
        let mut contending = 0;
        for &local in self.space.shape.locals(row) {
            let traits = self.successors.lookup.traits(self.space.shared, local);
            contending += u32::from(traits.contends);
            self.reached.served |= traits.standing == Standing::Served;
        }
        self.reached.contention |= contending > 1;
    }

    /// Nothing more has to happen: would that be a good end?
    fn rest(&mut self, frontier: &Rows, index: usize) {
        let monitor = self.space.shape.monitor(frontier.row(index));
        let verdict = ask(self.space.shared).at_rest(monitor);
        if let Err(broken) = verdict {
            let (state, row) = (frontier.id(index), frontier.row(index).to_vec());
            let (steps, successor, is_cut) = (self.depth, None, false);
            self.findings.add(Finding { steps, state, row, successor, broken, is_cut });
        }
    }

    fn broken(&mut self, frontier: &Rows, index: usize, successor: Successor) {
        let row = frontier.row(index);
        let news = self.successors.news(row, successor);
        let monitor = self.space.shape.monitor(row);
        let mut meaning = ask(self.space.shared);
        let broken = meaning.judge(monitor, news).expect_err("it was broken before").clone();
        let (state, row) = (frontier.id(index), row.to_vec());
        let (steps, successor, is_cut) = (self.depth + 1, Some(successor), true);
        self.findings.add(Finding { steps, state, row, successor, broken, is_cut });
    }

    /// Looks at all edges that were gathered and not looked at.
    pub(crate) fn flush_all(&mut self, frontier: &Rows) {
        for shard in self.batches.shards() {
            self.flush(frontier, shard);
        }
    }

    fn flush(&mut self, frontier: &Rows, shard: usize) {
        let edges = self.batches.take(shard);
        let mut fresh = std::mem::take(&mut self.fresh);
        let is_exact = self.space.options.identity == Identity::Exact;
        let mut table = self.space.seen.shard(shard);
        for &edge in &edges {
            let row = edge.row as usize;
            if is_exact {
                self.successors.write(frontier.row(row), edge.successor, &mut self.scratch);
            }
            let print = edge.successor.print;
            let (id, is_new) = table.reach(print, &self.scratch, frontier.id(row));
            if is_new {
                fresh.push((edge, id));
            }
        }
        drop(table);
        self.batches.give_back(shard, edges);
        for (Edge { row, successor }, id) in fresh.drain(..) {
            let row = frontier.row(row as usize);
            self.successors.write(row, successor, &mut self.scratch);
            debug_assert_eq!(self.space.shape.print(&self.scratch), successor.print);
            if self.has_invariants {
                let actor = self.successors.input(row, successor.action).map(|input| input.0);
                self.check_invariants(id, actor);
            }
            self.next.push(&self.scratch, id, successor.print);
        }
        self.fresh = fresh;
        self.share.say(self.next.bytes() + self.successors.lookup.bytes());
    }

    /// Checks the new state that was just written, after a step of this node.
    fn check_invariants(&mut self, state: StateId, actor: Option<NodeId>) {
        let shape = self.space.shape;
        let (locals, packets) = (shape.locals(&self.scratch), shape.packets(&self.scratch));
        let all = ask(self.space.shared).broken_invariants(locals, packets);
        for mut broken in all {
            broken.node = broken.node.or(actor);
            let (steps, row, is_cut) = (self.depth + 1, self.scratch.clone(), false);
            self.findings.add(Finding { steps, state, row, successor: None, broken, is_cut });
        }
    }
}
