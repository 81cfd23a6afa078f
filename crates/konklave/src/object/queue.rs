//! First in, first out.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Answer, Discipline, Nature, Object, compare};

/// First in, first out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Queue(VecDeque<u64>);

/// What can be asked of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueOp {
    /// Append this element.
    Enqueue(u64),
    /// Take out the element that has waited longest.
    Dequeue,
}

impl Object for Queue {
    const NAME: &'static str = "queue";
    const DISCIPLINE: Option<Discipline> = Some(Discipline::Fifo);
    type Op = QueueOp;

    fn accept(&mut self, op: QueueOp, answer: Answer) -> Result<(), Answer> {
        match op {
            QueueOp::Enqueue(id) => self.0.push_back(id),
            QueueOp::Dequeue => {
                compare(self.0.front().copied(), answer)?;
                self.0.pop_front();
            }
        }
        Ok(())
    }

    fn nature(op: QueueOp) -> Nature {
        match op {
            QueueOp::Enqueue(id) => Nature::Insert(id),
            QueueOp::Dequeue => Nature::Remove,
        }
    }

    fn size(&self) -> usize {
        self.0.len()
    }
}
