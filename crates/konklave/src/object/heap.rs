//! The smallest priority first.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Answer, Discipline, Nature, Object};

/// The smallest priority first; among equals, any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Heap(BTreeSet<(u64, u64)>);

/// What can be asked of a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeapOp {
    /// Add an element.
    Insert {
        /// Which element.
        id: u64,
        /// Small ones go first.
        priority: u64,
    },
    /// Take out an element that no other is before.
    DeleteMin,
}

impl Object for Heap {
    const NAME: &'static str = "heap";
    const DISCIPLINE: Option<Discipline> = Some(Discipline::Priority);
    type Op = HeapOp;

    fn accept(&mut self, op: HeapOp, answer: Answer) -> Result<(), Answer> {
        match op {
            HeapOp::Insert { id, priority } => _ = self.0.insert((priority, id)),
            HeapOp::DeleteMin => match (self.0.first().copied(), answer) {
                (None, None) => {}
                (Some((least, _)), Some(id)) if self.0.remove(&(least, id)) => {}
                (first, _) => return Err(first.map(|(_, id)| id)),
            },
        }
        Ok(())
    }

    fn nature(op: HeapOp) -> Nature {
        match op {
            HeapOp::Insert { id, .. } => Nature::Insert(id),
            HeapOp::DeleteMin => Nature::Remove,
        }
    }

    fn priority(op: HeapOp) -> u64 {
        match op {
            HeapOp::Insert { priority, .. } => priority,
            HeapOp::DeleteMin => 0,
        }
    }

    fn size(&self) -> usize {
        2 * self.0.len()
    }
}
