//! Batches of two kinds of operations, as the lengths of their runs.
//!
//! So many of the first kind, so many of the second, so many of the first, and so on. Two counts
//! alone would let an operation of the second kind overtake one of the first of its own process.

use super::Op;
use super::service::Service;
use crate::object::Object;

/// Which runs an operation belongs to: those with an even number bring elements.
pub fn parity<O: Object>(op: O::Op) -> usize {
    usize::from(O::nature(op).asks())
}

/// The runs of one process, in program order.
pub fn build<S: Service>(ops: impl Iterator<Item = Op<S>>) -> Vec<u32> {
    let mut runs = Vec::new();
    for op in ops {
        while runs.is_empty() || (runs.len() - 1) % 2 != parity::<S::Object>(op) {
            runs.push(0);
        }
        *runs.last_mut().expect("there is one now") += 1;
    }
    runs
}

/// Appends the runs of the next part of the tree: run by run.
pub fn combine(batch: &mut Vec<u32>, next: &[u32]) {
    batch.resize(batch.len().max(next.len()), 0);
    batch.iter_mut().zip(next).for_each(|(sum, run)| *sum += run);
}
