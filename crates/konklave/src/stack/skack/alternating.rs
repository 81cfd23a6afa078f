//! Batches as runs of pushes and pops, in turn.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::Anchor;
use crate::batched::pieces::{Direction, Piece, positions, take};
use crate::batched::{Place, Service, runs};
use crate::circle::{Mixer, Point};
use crate::object::{Stack, StackOp};

/// The anchor, which gives positions to one run after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Alternating<A> {
    anchor: A,
    /// How many operations have a place in the order.
    done: u64,
    /// The most pieces of positions in a wave so far.
    segments_max: u64,
}

impl<A: Anchor> Alternating<A> {
    /// How it gives positions.
    pub fn anchor(&self) -> &A {
        &self.anchor
    }

    /// The most pieces of positions in a wave so far.
    pub fn segments_max(&self) -> u64 {
        self.segments_max
    }
}

/// What the anchor says about a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Run<T> {
    /// The positions of its operations; a pop beyond finds the stack empty.
    pieces: Vec<Piece<T>>,
    /// The place of its first operation in the order of all.
    witness: u64,
}

impl<T: Copy> Run<T> {
    /// Takes what belongs to the first operations out of it.
    fn take(&mut self, index: usize, length: u32) -> Self {
        let pieces = take(&mut self.pieces, length, direction(index));
        let witness = self.witness;
        self.witness += u64::from(length); // Also of those that find nothing.
        Self { pieces, witness }
    }
}

/// Pushes take positions upwards.
fn direction(index: usize) -> Direction {
    if index.is_multiple_of(2) { Direction::Up } else { Direction::Down }
}

impl<A: Anchor> Service for Alternating<A> {
    type Object = Stack;
    type Key = A::Key;
    type Batch = Vec<u32>;
    type Assignment = Vec<Run<A::Stamp>>;

    const BARRIER: bool = A::BARRIER;

    fn build(ops: impl Iterator<Item = StackOp>) -> Vec<u32> {
        runs::build::<Self>(ops)
    }

    fn combine(batch: &mut Vec<u32>, next: &Vec<u32>) {
        runs::combine(batch, next);
    }

    fn is_empty(batch: &Vec<u32>) -> bool {
        batch.is_empty()
    }

    fn runs(batch: &Vec<u32>) -> usize {
        batch.len()
    }

    fn assign(&mut self, batch: &Vec<u32>) -> Self::Assignment {
        self.anchor.begin();
        let (mut segments, mut filled) = (0, 0);
        let mut assign = |(index, &length): (usize, &u32)| {
            let witness = self.done;
            self.done += u64::from(length);
            let pieces = match (length, direction(index)) {
                (0, _) => Vec::new(),
                (_, Direction::Up) => vec![self.anchor.push(length)],
                (_, Direction::Down) => self.anchor.pop(length),
            };
            filled += u64::from(length > 0);
            segments += pieces.len() as u64;
            Run { pieces, witness }
        };
        let assignment = batch.iter().enumerate().map(&mut assign).collect();
        // Every run of pushes makes one segment, and every run of pops splits at most one. Without
        // rounds, intervals of earlier waves count, too.
        assert!(!A::BARRIER || segments <= 3 * filled / 2, "{segments} segments of {filled} runs");
        self.segments_max = self.segments_max.max(segments);
        self.anchor.end(0);
        assignment
    }

    fn decompose(assignment: &mut Self::Assignment, first: &Vec<u32>) -> Self::Assignment {
        let parts = assignment.iter_mut().enumerate().zip(first);
        parts.map(|((index, run), &length)| run.take(index, length)).collect()
    }

    fn start(
        mut assignment: Self::Assignment,
        ops: impl Iterator<Item = StackOp>,
    ) -> SmallVec<[Place<A::Key>; 2]> {
        let mut at = 0;
        let place = |op| {
            while at % 2 != runs::parity::<Stack>(op) {
                at += 1;
            }
            let run = assignment[at].take(at, 1);
            debug_assert!(positions(&run.pieces) <= 1);
            let key = run.pieces.first().map(|piece| A::key(piece.from, piece.label));
            Place { key, witness: run.witness }
        };
        ops.map(place).collect()
    }

    fn point(mixer: Mixer, key: A::Key) -> Point {
        A::point(mixer, key)
    }

    fn sought(key: A::Key) -> RangeInclusive<A::Key> {
        A::sought(key)
    }
}
