//! The way to a state.

use konklave::protocol::Broken;

use super::{Finding, Space};
use crate::lookup::BROKEN;
use crate::report::{Bound, Counterexample};
use crate::seen::{NOBODY, StateId};
use crate::successors::{Action, Successor, Successors};

/// A schedule.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) moves: Vec<Move>,
    /// The move from which on they can repeat for ever.
    pub(crate) repeats: Option<usize>,
    pub(crate) broken: Option<Broken>,
}

/// A step of a schedule: the row before it, what happens, and which of its reactions a node shows.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) row: Vec<u32>,
    pub(crate) action: Action,
    pub(crate) reaction: usize,
}

impl Successors<'_> {
    pub(super) fn a_move(&mut self, row: Vec<u32>, successor: Successor) -> Move {
        let reaction = self.reaction(&row, successor);
        Move { row, action: successor.action, reaction }
    }
}

impl Space<'_> {
    /// How a finding comes about. Every function here fails if two states were taken for one.
    pub(super) fn counterexample(&self, finding: Finding) -> Result<Counterexample<Way>, Bound> {
        let Finding { state, row: found, successor, broken, .. } = finding;
        let mut successors = Successors::new(self.shared);
        let (mut moves, row) = self.way_to(state, &mut successors)?;
        if row != found {
            return Err(Bound::Collision);
        }
        if let Some(Successor { action, print, .. }) = successor {
            // Found by another thread, whose outcomes have other places.
            let mut all = Vec::new();
            successors.of(&row, self.shape.print(&row), &mut |successor| all.push(successor));
            let successor = all.into_iter().find(|it| (it.action, it.print) == (action, print));
            moves.push(successors.a_move(row, successor.ok_or(Bound::Collision)?));
        }
        let schedule = Way { moves, repeats: None, broken: Some(broken.clone()) };
        Ok(Counterexample { broken, schedule, cycle: None })
    }

    /// The moves from the first state to this one, and its row.
    pub(super) fn way_to(
        &self,
        state: StateId,
        successors: &mut Successors<'_>,
    ) -> Result<(Vec<Move>, Vec<u32>), Bound> {
        let before = |state: &StateId| Some(self.seen.parent(*state)).filter(|it| *it != NOBODY);
        let mut states: Vec<_> = std::iter::successors(Some(state), before).collect();
        states.reverse();
        self.way_along(&states, successors)
    }

    /// The moves along these states, each of which follows from the one before.
    pub(super) fn way_along(
        &self,
        states: &[StateId],
        successors: &mut Successors<'_>,
    ) -> Result<(Vec<Move>, Vec<u32>), Bound> {
        let mut row = self.first.clone();
        let mut moves = Vec::new();
        for &next in &states[1..] {
            let (successor, next_row) = self.towards(&row, next, successors)?;
            moves.push(successors.a_move(row, successor));
            row = next_row;
        }
        Ok((moves, row))
    }

    /// What leads from a state to one that follows it, and the row of that.
    fn towards(
        &self,
        row: &[u32],
        next: StateId,
        successors: &mut Successors<'_>,
    ) -> Result<(Successor, Vec<u32>), Bound> {
        let mut all = Vec::new();
        successors.of(row, self.shape.print(row), &mut |successor| all.push(successor));
        let mut next_row = Vec::new();
        for successor in all {
            if successor.monitor == BROKEN {
                continue;
            }
            successors.write(row, successor, &mut next_row);
            if self.seen.find(successor.print, &next_row) == Some(next) {
                return Ok((successor, next_row));
            }
        }
        Err(Bound::Collision)
    }
}
