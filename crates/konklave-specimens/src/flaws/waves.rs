//! Flaws of objects in waves: services that assign wrongly, elements that are not waited for, and
//! waves that nobody wakes.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use konklave::batched::{Msg, OwnPlaces, Place, Service, waves};
use konklave::circle::{Mixer, Point};
use konklave::object::{Queue, QueueOp};
use konklave::protocol::{Effect, Input};
use konklave::queue::skueue::{Fifo, Run, Skueue};
use serde::{Deserialize, Serialize};

use crate::{Flaw, flawed::probe};

type Runs = Vec<Run>;

/// How the places of a queue are assigned wrongly.
pub trait Misassign: Clone + Ord + Hash + Debug + Default + Send + Sync + 'static {
    /// The operations of one process.
    fn build(ops: Vec<QueueOp>) -> Vec<u32> {
        Fifo::build(ops.into_iter())
    }

    /// Takes what belongs to the first operations out of a run.
    fn take(run: &mut Run, length: u32) -> Run {
        let positions = length.min(run.positions);
        let part = Run { positions, ..*run };
        run.position += u64::from(positions);
        run.positions -= positions;
        run.witness += u64::from(length);
        part
    }

    /// The run that an operation belongs to, if the last one belongs to this run.
    fn run_of(at: usize, op: QueueOp) -> usize {
        at + usize::from(at % 2 != usize::from(op == QueueOp::Dequeue))
    }
}

/// The positions of a queue, assigned wrongly.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Misassigned<M>(Fifo, PhantomData<M>);

impl<M: Misassign> Service for Misassigned<M> {
    type Object = Queue;
    type Key = u64;
    type Batch = Vec<u32>;
    type Assignment = Runs;

    fn build(ops: impl Iterator<Item = QueueOp>) -> Vec<u32> {
        M::build(ops.collect())
    }

    fn combine(batch: &mut Vec<u32>, next: &Vec<u32>) {
        Fifo::combine(batch, next);
    }

    fn is_empty(batch: &Vec<u32>) -> bool {
        Fifo::is_empty(batch)
    }

    fn runs(batch: &Vec<u32>) -> usize {
        Fifo::runs(batch)
    }

    fn assign(&mut self, batch: &Vec<u32>) -> Runs {
        self.0.assign(batch)
    }

    fn decompose(assignment: &mut Runs, first: &Vec<u32>) -> Runs {
        let take = |(run, &length): (&mut Run, &u32)| M::take(run, length);
        assignment.iter_mut().zip(first).map(take).collect()
    }

    fn start(mut runs: Runs, ops: impl Iterator<Item = QueueOp>) -> OwnPlaces<u64> {
        let mut at = 0;
        let place = |op| {
            at = M::run_of(at, op);
            let run = M::take(runs.get_mut(at)?, 1);
            let key = (run.positions > 0).then_some(run.position);
            Some(Place { key, witness: run.witness })
        };
        ops.map_while(place).collect()
    }

    fn point(mixer: Mixer, position: u64) -> Point {
        Fifo::point(mixer, position)
    }
}

/// A batch has two counts, one of enqueues and one of dequeues, instead of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Counts;

impl Misassign for Counts {
    fn build(mut ops: Vec<QueueOp>) -> Vec<u32> {
        ops.sort_by_key(|op| *op == QueueOp::Dequeue);
        Fifo::build(ops.into_iter())
    }

    fn run_of(_at: usize, op: QueueOp) -> usize {
        usize::from(op == QueueOp::Dequeue)
    }
}

/// A dequeue that finds nothing has no place of its own in the order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoRank;

impl Misassign for NoRank {
    fn take(run: &mut Run, length: u32) -> Run {
        let positions = length.min(run.positions);
        let part = Run { positions, ..*run };
        run.position += u64::from(positions);
        run.positions -= positions;
        run.witness += u64::from(positions);
        part
    }
}

/// A request for an element that has not come yet is answered: there is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Impatient;

impl Flaw<Skueue> for Impatient {
    fn effects(
        &mut self,
        _node: &Skueue,
        input: &Input<Skueue>,
        effects: Vec<Effect<Skueue>>,
    ) -> Vec<Effect<Skueue>> {
        match input {
            Input::Message { msg: Msg::Get(task), .. } if effects.is_empty() => {
                let msg = Msg::Stored { ticket: task.ticket }; // It returns without an element.
                vec![Effect::Send { to: task.process, msg }]
            }
            _ => effects,
        }
    }
}

/// A wake-up that comes before the batch is gone is dropped, instead of added to the batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DropsWakeUps;

impl Flaw<Skueue> for DropsWakeUps {
    fn inputs(&mut self, node: &Skueue, input: Input<Skueue>) -> Vec<Input<Skueue>> {
        let is_wake_up =
            matches!(&input, Input::Message { msg: Msg::Wave(waves::Msg::Wake { .. }), .. });
        match is_wake_up && probe(node, input.clone()).1.is_empty() {
            true => Vec::new(),
            false => vec![input],
        }
    }
}
