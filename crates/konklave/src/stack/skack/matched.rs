//! Batches in which pushes and pops are matched wherever they meet.
//!
//! The order of a wave is that of the tree: a process, all below its first child, all below its
//! second. A pop is matched with the last push before it that is not, as brackets are. What remains
//! of any part is so many pops, and then so many pushes.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::Anchor;
use crate::batched::pieces::{Direction, Piece, take};
use crate::batched::{Place, Service};
use crate::circle::{Mixer, Point};
use crate::object::{Stack, StackOp};

/// The anchor, which gives positions to a run of pops and a run of pushes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Matched<A> {
    anchor: A,
    /// How many operations have a place in the order.
    done: u64,
    /// How many of them were matched.
    matched: u64,
    /// The most pieces of positions in a wave so far.
    segments_max: u64,
}

impl<A: Anchor> Matched<A> {
    /// How it gives positions.
    pub fn anchor(&self) -> &A {
        &self.anchor
    }

    /// How many operations were matched.
    pub fn matched(&self) -> u64 {
        self.matched
    }

    /// The most pieces of positions in a wave so far.
    pub fn segments_max(&self) -> u64 {
        self.segments_max
    }
}

/// Operations in the order of the tree, without those that are matched.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Word {
    /// The pops that are not matched, all before the first such push.
    pops: u32,
    /// The pushes that are not.
    pushes: u32,
    /// The pushes that are, each with a pop.
    pairs: u32,
}

impl Word {
    fn of(op: StackOp) -> Self {
        match op {
            StackOp::Push(_) => Self { pushes: 1, ..Self::default() },
            StackOp::Pop => Self { pops: 1, ..Self::default() },
        }
    }

    fn operations(self) -> u32 {
        self.pops + self.pushes + 2 * self.pairs
    }

    /// The next part: its first pops meet the last pushes.
    fn append(&mut self, next: Self) {
        let met = self.pushes.min(next.pops);
        self.pops += next.pops - met;
        self.pushes = self.pushes - met + next.pushes;
        self.pairs += next.pairs + met;
    }
}

/// What the anchor, or a process where they met, says about the operations of a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Met<T> {
    /// The positions of the pops, from above; one beyond finds the stack empty.
    pops: Vec<Piece<T>>,
    /// The positions of the pushes.
    pushes: Vec<Piece<T>>,
    /// The positions at which pairs meet.
    pairs: Piece<T>,
    /// The place of its first operation in the order of all.
    witness: u64,
}

impl<A: Anchor> Service for Matched<A> {
    type Object = Stack;
    type Key = A::Key;
    type Batch = Word;
    type Assignment = Met<A::Stamp>;

    const BARRIER: bool = A::BARRIER;

    fn build(ops: impl Iterator<Item = StackOp>) -> Word {
        let mut word = Word::default();
        ops.for_each(|op| word.append(Word::of(op)));
        word
    }

    fn combine(batch: &mut Word, next: &Word) {
        batch.append(*next);
    }

    fn is_empty(batch: &Word) -> bool {
        batch.operations() == 0
    }

    fn runs(batch: &Word) -> usize {
        [batch.pops, batch.pushes, batch.pairs].iter().filter(|count| **count > 0).count()
    }

    fn assign(&mut self, &batch: &Word) -> Self::Assignment {
        self.anchor.begin();
        let pops = self.anchor.pop(batch.pops);
        let pushes = Some(batch.pushes).filter(|pushes| *pushes > 0);
        let pushes: Vec<_> = pushes.map(|pushes| self.anchor.push(pushes)).into_iter().collect();
        let pairs = self.anchor.end(batch.pairs);
        let witness = self.done;
        self.done += u64::from(batch.operations());
        self.matched += 2 * u64::from(batch.pairs);
        self.segments_max = self.segments_max.max((pops.len() + pushes.len()) as u64);
        Met { pops, pushes, pairs, witness }
    }

    /// A part alone: nothing in it meets anything.
    fn decompose(assignment: &mut Self::Assignment, first: &Word) -> Self::Assignment {
        let Met { pops, pushes, pairs, witness } = assignment;
        let met = Met {
            pops: take(pops, first.pops, Direction::Down),
            pushes: take(pushes, first.pushes, Direction::Up),
            pairs: take_pairs(pairs, first.pairs),
            witness: *witness,
        };
        *witness += u64::from(first.operations());
        met
    }

    fn split(mut assignment: Self::Assignment, parts: &[&Word]) -> SmallVec<[Self::Assignment; 3]> {
        // What each part does not get from above, because it meets another part.
        let mut met: Vec<(Vec<_>, Vec<_>)> = vec![Default::default(); parts.len()];
        // Parts with pushes that nothing has met yet, and how many.
        let mut open: Vec<(usize, u32)> = Vec::new();
        for (part, word) in parts.iter().enumerate() {
            let mut pops = word.pops;
            while pops > 0
                && let Some((below, pushes)) = open.last_mut()
            {
                let count = pops.min(*pushes);
                let pairs = take_pairs(&mut assignment.pairs, count);
                // Pushes take them upwards, so those that are popped first are last.
                met[*below].1.insert(0, pairs);
                let last = pairs.from + u64::from(count) - 1;
                met[part].0.push(Piece { from: last, ..pairs });
                (pops, *pushes) = (pops - count, *pushes - count);
                if *pushes == 0 {
                    open.pop();
                }
            }
            open.extend(Some((part, word.pushes)).filter(|_| word.pushes > 0));
        }
        let mut with_met = |word: &Word, pops: Vec<Piece<A::Stamp>>, pushes: Vec<_>| {
            let is = |pieces: &[Piece<A::Stamp>]| pieces.iter().map(|it| it.length).sum::<u32>();
            let rest = Word {
                pops: word.pops - is(&pops),
                pushes: word.pushes - is(&pushes),
                pairs: word.pairs,
            };
            let mut part = Self::decompose(&mut assignment, &rest);
            assignment.witness += u64::from(word.operations() - rest.operations());
            part.pops.splice(0..0, pops); // They come before those that nothing has met.
            part.pushes.extend(pushes);
            part
        };
        let parts = parts.iter().zip(met);
        parts.map(|(word, (pops, pushes))| with_met(word, pops, pushes)).collect()
    }

    fn start(
        assignment: Self::Assignment,
        ops: impl Iterator<Item = StackOp>,
    ) -> SmallVec<[Place<A::Key>; 2]> {
        let words: Vec<Word> = ops.map(Word::of).collect();
        let parts = Self::split(assignment, &words.iter().collect::<Vec<_>>());
        let place = |part: Met<A::Stamp>| {
            let piece = part.pops.first().or(part.pushes.first());
            let key = piece.map(|piece| A::key(piece.from, piece.label));
            Place { key, witness: part.witness }
        };
        parts.into_iter().map(place).collect()
    }

    fn point(mixer: Mixer, key: A::Key) -> Point {
        A::point(mixer, key)
    }

    fn sought(key: A::Key) -> RangeInclusive<A::Key> {
        A::sought(key)
    }
}

/// Takes positions for this many pairs.
fn take_pairs<T: Copy>(pairs: &mut Piece<T>, count: u32) -> Piece<T> {
    let taken = Piece { length: count, ..*pairs };
    pairs.from += u64::from(count);
    pairs.length -= count;
    taken
}
