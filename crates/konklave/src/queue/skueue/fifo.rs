//! Positions of a queue, served in waves: the anchor knows two ends, and how often it was asked.
//!
//! A batch tells the lengths of [runs]: so many enqueues, so many dequeues, and so on.

use serde::{Deserialize, Serialize};

use crate::batched::stabilising::Mended;
use crate::batched::{OwnPlaces, Place, Service, point_of, runs};
use crate::circle::{Mixer, Point};
use crate::object::{Queue, QueueOp};

/// The ends of the queue, at the anchor.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fifo {
    /// The position of the oldest element.
    first: u64,
    /// The position of the next element: `first..next` are taken.
    next: u64,
    /// How many operations have a place in the order.
    done: u64,
}

impl Fifo {
    /// How many elements have been enqueued and not been dequeued.
    pub fn held(&self) -> u64 {
        self.next - self.first
    }
}

/// What the anchor says about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Run {
    /// The position of its first operation.
    pub position: u64,
    /// For how many operations there are positions; a dequeue beyond finds the queue empty.
    pub positions: u32,
    /// The place of its first operation in the order of all.
    pub witness: u64,
}

impl Service for Fifo {
    type Object = Queue;
    type Key = u64;
    type Batch = Vec<u32>;
    type Assignment = Vec<Run>;

    fn build(ops: impl Iterator<Item = QueueOp>) -> Vec<u32> {
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

    fn assign(&mut self, batch: &Vec<u32>) -> Vec<Run> {
        let mut assign = |(index, &length): (usize, &u32)| {
            let witness = self.done;
            self.done += u64::from(length);
            if index % 2 == 0 {
                let position = self.next;
                self.next += u64::from(length);
                return Run { position, positions: length, witness };
            }
            let position = self.first;
            let positions = u64::from(length).min(self.held());
            self.first += positions;
            Run { position, positions: positions as u32, witness }
        };
        batch.iter().enumerate().map(&mut assign).collect()
    }

    fn decompose(assignment: &mut Vec<Run>, first: &Vec<u32>) -> Vec<Run> {
        let cut = |(run, &length): (&mut Run, &u32)| take(run, length);
        assignment.iter_mut().zip(first).map(cut).collect()
    }

    fn start(mut assignment: Vec<Run>, ops: impl Iterator<Item = QueueOp>) -> OwnPlaces<u64> {
        let mut at = 0;
        let place = |op| {
            while at % 2 != runs::parity::<Queue>(op) {
                at += 1;
            }
            let run = take(assignment.get_mut(at)?, 1);
            let key = (run.positions > 0).then_some(run.position);
            Some(Place { key, witness: run.witness })
        };
        ops.map_while(place).collect()
    }

    fn point(mixer: Mixer, position: u64) -> Point {
        point_of(mixer, position)
    }
}

/// Takes what belongs to the first operations out of a run.
fn take(run: &mut Run, length: u32) -> Run {
    let positions = length.min(run.positions);
    let part = Run { positions, ..*run };
    run.position += u64::from(positions);
    run.positions -= positions;
    run.witness += u64::from(length); // Also of those that find nothing.
    part
}

/// A position that no run can reach: an element there is not believed.
const ABSURD: u64 = 1 << 62;

impl Mended for Fifo {
    fn claim(&mut self, position: u64) -> bool {
        if position < ABSURD {
            self.next = self.next.max(position + 1);
        }
        self.first <= position && self.has_given(position)
    }

    fn has_given(&self, position: u64) -> bool {
        position < self.next
    }

    fn fits(assignment: &Vec<Run>, batch: &Vec<u32>) -> bool {
        let of_batch = |(index, (run, &length)): (usize, (&Run, &u32))| {
            run.positions == length || index % 2 == 1 && run.positions < length
        };
        assignment.len() == batch.len() && assignment.iter().zip(batch).enumerate().all(of_batch)
    }

    fn keys(assignment: &Vec<Run>) -> [Vec<u64>; 2] {
        [0, 1].map(|parity| {
            let runs = assignment.iter().skip(parity).step_by(2);
            runs.flat_map(|run| run.position..run.position + u64::from(run.positions)).collect()
        })
    }

    fn any(choose: &mut dyn FnMut(u32) -> u32) -> (u64, QueueOp) {
        (choose(8).into(), QueueOp::Enqueue(1_000_000 + u64::from(choose(2))))
    }

    fn garbled(choose: &mut dyn FnMut(u32) -> u32) -> Self {
        let first = u64::from(choose(3));
        Self { first, next: first + u64::from(choose(3)), done: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEQUEUE: QueueOp = QueueOp::Dequeue;
    const ENQUEUE: QueueOp = QueueOp::Enqueue(0);

    /// Positions as in the paper, which counts from 1.
    fn intervals(runs: &[Run]) -> Vec<Option<(u64, u64)>> {
        let interval = |run: &Run| {
            let last = run.position + u64::from(run.positions);
            (run.positions > 0).then_some((run.position + 1, last))
        };
        runs.iter().map(interval).collect()
    }

    /// The elements `first..=last` are in the queue.
    fn holding(first: u64, last: u64) -> Fifo {
        Fifo { first: first - 1, next: last, done: 0 }
    }

    #[test]
    fn runs_keep_the_program_order() {
        let ops = [DEQUEUE, ENQUEUE, ENQUEUE, DEQUEUE, ENQUEUE, DEQUEUE, DEQUEUE, ENQUEUE];
        assert_eq!(Fifo::build(ops.into_iter()), [0, 1, 2, 1, 1, 2, 1]);
        assert_eq!(Fifo::build([ENQUEUE].into_iter()), [1]);
        assert!(Fifo::is_empty(&Fifo::build([].into_iter())));
    }

    #[test]
    fn the_anchor_assigns_one_run_after_the_other() {
        let batch = vec![0, 1, 2, 1, 1, 2, 1];
        let mut empty = holding(1, 0);
        let expected =
            [None, None, Some((1, 2)), Some((1, 1)), Some((3, 3)), Some((2, 3)), Some((4, 4))];
        assert_eq!(intervals(&empty.assign(&batch)), expected);
        assert_eq!(empty, Fifo { done: 8, ..holding(4, 4) });
        let mut filled = holding(5, 7);
        let expected = [
            None,
            Some((5, 5)),
            Some((8, 9)),
            Some((6, 6)),
            Some((10, 10)),
            Some((7, 8)),
            Some((11, 11)),
        ];
        assert_eq!(intervals(&filled.assign(&batch)), expected);
        assert_eq!(filled, Fifo { done: 8, ..holding(9, 11) });
    }

    #[test]
    fn each_part_gets_its_own() {
        let (one, two) = (vec![2, 1], vec![1, 3]);
        let mut batch = one.clone();
        Fifo::combine(&mut batch, &two);
        assert_eq!(batch, [3, 4]);
        let mut assignment = holding(1, 1).assign(&batch);
        let first = Fifo::decompose(&mut assignment, &one);
        let second = Fifo::decompose(&mut assignment, &two);
        assert_eq!(intervals(&first), [Some((2, 3)), Some((1, 1))]);
        assert_eq!(intervals(&second), [Some((4, 4)), Some((2, 4))]);
        let witnesses = |runs: &[Run]| runs.iter().map(|run| run.witness).collect::<Vec<_>>();
        assert_eq!((witnesses(&first), witnesses(&second)), (vec![0, 3], vec![2, 4]));
    }

    #[test]
    fn a_dequeue_that_finds_nothing_has_a_place_in_the_order() {
        let ops = [DEQUEUE, DEQUEUE, DEQUEUE, ENQUEUE, DEQUEUE];
        let assignment = holding(1, 1).assign(&Fifo::build(ops.into_iter()));
        let places = Fifo::start(assignment, ops.into_iter());
        let found: Vec<_> = places.iter().map(|it| (it.key, it.witness)).collect();
        assert_eq!(found, [(Some(0), 0), (None, 1), (None, 2), (Some(1), 3), (Some(1), 4)]);
    }
}
