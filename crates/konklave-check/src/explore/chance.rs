//! Convergence by chance, where nodes choose at random. That a system becomes legal cannot be
//! proved: some endless schedule of unlucky choices avoids it. But if no step leads out of a legal
//! state, and one can be reached from every state, then one is reached with probability one.

use std::collections::{BTreeMap, VecDeque};

use konklave::protocol::Broken;

use super::{Finding, Space, Watch, Way};
use crate::lookup::BROKEN;
use crate::meaning::ask;
use crate::report::{Bound, Counterexample};
use crate::seen::StateId;
use crate::successors::Successors;
use crate::system::CHANCE;

/// Every state, in the order of its distance from the first, and every step.
#[derive(Default)]
struct Graph {
    states: Vec<(StateId, u32)>,
    /// The places of those that are legal.
    legal: Vec<u32>,
    /// Where a step ends, and where it begins.
    steps: Vec<(u32, u32)>,
}

impl Graph {
    fn bytes(&self) -> usize {
        size_of_val(&self.states[..]) + size_of_val(&self.legal[..]) + size_of_val(&self.steps[..])
    }

    /// The first state from which no legal one can be reached. Steps are sorted.
    fn first_without_hope(&self) -> Option<usize> {
        let mut has_hope = vec![false; self.states.len()];
        let mut queue: VecDeque<u32> = self.legal.iter().copied().collect();
        self.legal.iter().for_each(|&place| has_hope[place as usize] = true);
        while let Some(place) = queue.pop_front() {
            let from = self.steps.partition_point(|(to, _)| *to < place);
            for &(_, before) in self.steps[from..].iter().take_while(|(to, _)| *to == place) {
                if !std::mem::replace(&mut has_hope[before as usize], true) {
                    queue.push_back(before);
                }
            }
        }
        has_hope.iter().position(|has_hope| !has_hope)
    }
}

impl Space<'_> {
    /// Adds a schedule to the nearest state from which no legal one can be reached, if convergence
    /// is a matter of chance and there is such a state.
    pub(super) fn lost_chance(
        &self,
        found: &mut Vec<Counterexample<Way>>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Bound> {
        if !self.is_wanted(CHANCE) || !ask(self.shared).converges_by_chance() {
            return Ok(());
        }
        let graph = self.graph(watch)?;
        let Some(place) = graph.first_without_hope() else { return Ok(()) };
        let (state, steps) = graph.states[place];
        let (_, row) = self.way_to(state, &mut Successors::new(self.shared))?;
        let detail = "no schedule and no choices lead to a legal state any more".to_owned();
        let broken = Broken { promise: CHANCE.to_owned(), detail, node: None };
        let finding = Finding { steps, state, row, successor: None, broken, is_cut: false };
        found.push(self.counterexample(finding)?);
        Ok(())
    }

    /// Every state once more, with all its steps.
    fn graph(&self, watch: &mut Watch<'_>) -> Result<Graph, Bound> {
        let mut successors = Successors::new(self.shared);
        let mut graph = Graph::default();
        let print = self.shape.print(&self.first);
        let first = self.seen.find(print, &self.first).ok_or(Bound::Collision)?;
        graph.states.push((first, 0));
        let mut places = BTreeMap::from([(first, 0_u32)]);
        let mut queue = VecDeque::from([(0_u32, self.first.clone())]);
        while let Some((place, row)) = queue.pop_front() {
            let rows = queue.len() * (size_of_val(&row[..]) + QUEUED);
            watch.look(place as usize, graph.bytes() + rows + places.len() * KNOWN)?;
            let (locals, packets) = (self.shape.locals(&row), self.shape.packets(&row));
            if ask(self.shared).illegality(locals, packets).is_none() {
                graph.legal.push(place);
            }
            let (_, depth) = graph.states[place as usize];
            for (successor, next) in self.steps(&row, &mut successors) {
                if successor.monitor == BROKEN {
                    continue;
                }
                let to = self.seen.find(successor.print, &next).ok_or(Bound::Collision)?;
                let fresh = graph.states.len() as u32;
                let to = *places.entry(to).or_insert_with(|| {
                    graph.states.push((to, depth + 1));
                    queue.push_back((fresh, next));
                    fresh
                });
                graph.steps.push((to, place));
            }
        }
        graph.steps.sort_unstable();
        graph.steps.dedup();
        Ok(graph)
    }
}

/// Roughly how many bytes it takes to know the place of a state.
const KNOWN: usize = 24;

/// Roughly how many bytes a state takes that waits, beside its row.
const QUEUED: usize = 48;
