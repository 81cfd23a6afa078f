//! Checking the order that the object claims to have followed. Takes O(N log N), so it suits long
//! histories.

use std::collections::HashMap;

use super::search::found;
use super::{Answer, Consistency, History, Nature, Object, Operation};

/// The flaw of an order. Operations are named by their places in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// Two operations have the same witness.
    SamePlace(usize, usize),
    /// In this order the operation has another result: this one.
    WrongAnswer(usize, Answer),
    /// The first precedes the second, which the same process invoked earlier.
    OutOfSequence(usize, usize),
    /// The first precedes the second, which had returned when the first was invoked.
    AgainstTime(usize, usize),
}

/// What is wrong with an order, for each purpose that it may serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaints {
    /// The results differ.
    pub answers: Option<Complaint>,
    /// The program order of a process is violated.
    pub sequence: Option<Complaint>,
    /// The real-time order is violated.
    pub time: Option<Complaint>,
}

impl Complaints {
    /// What keeps the order from proving this consistency.
    pub fn about(&self, consistency: Consistency) -> Option<Complaint> {
        let sequence = self.sequence.filter(|_| consistency.keeps_program_order());
        let time = self.time.filter(|_| consistency.keeps_time());
        self.answers.or(sequence).or(time)
    }
}

/// The operations in the order of their witnesses, without pending ones that have none.
pub(super) fn witness_order<O: Object>(history: &History<O>) -> Vec<usize> {
    let operations = history.operations();
    let witness = |index: usize| operations[index].witness.as_deref();
    let mut order: Vec<usize> = (0..operations.len()).collect();
    order.retain(|&index| witness(index).is_some());
    order.sort_by_key(|&index| witness(index));
    order
}

/// Checks the order of the witnesses. A pending operation without one is left out; a pending
/// removal with one takes what is there.
pub fn check_witness<O: Object>(history: &History<O>) -> Complaints {
    let operations = history.operations();
    let witness = |index: usize| operations[index].witness.as_deref();
    let order = witness_order(history);
    let same = order.windows(2).find(|pair| witness(pair[0]) == witness(pair[1]));
    Complaints {
        answers: same
            .map(|pair| Complaint::SamePlace(pair[0], pair[1]))
            .or_else(|| wrong_answer::<O>(operations, &order)),
        sequence: out_of_sequence(operations, &order),
        time: against_time(operations, &order),
    }
}

fn wrong_answer<O: Object>(operations: &[Operation<O::Op>], order: &[usize]) -> Option<Complaint> {
    let found = found::<O>(operations, order);
    let mut object = O::default();
    for (place, &index) in order.iter().enumerate() {
        let operation = &operations[index];
        let wrong = object.accept(operation.op, operation.answer()).err();
        match (wrong, operation.returned) {
            (None, _) => {}
            (Some(right), Some(_)) => return Some(Complaint::WrongAnswer(index, right)),
            (Some(there), None) if O::nature(operation.op) == Nature::Remove => {
                // Of several that are there, it took one that no other operation got.
                let before = order[..place].iter().map(|&it| O::nature(operations[it].op));
                let mut ids = there.into_iter().chain(before.filter_map(|it| it.value(None)));
                let taken = ids.find(|&id| {
                    !found.contains(&(0, Some(id))) && object.accept(operation.op, Some(id)).is_ok()
                });
                if taken.is_none() {
                    return Some(Complaint::WrongAnswer(index, there));
                }
            }
            (Some(_), None) => {} // A pending read.
        }
    }
    None
}

pub(super) fn out_of_sequence<Op>(
    operations: &[Operation<Op>],
    order: &[usize],
) -> Option<Complaint> {
    let mut last: HashMap<u32, usize> = HashMap::new();
    order.iter().find_map(|&index| {
        let before = last.insert(operations[index].process, index)?;
        let swapped = operations[before].seq > operations[index].seq;
        swapped.then_some(Complaint::OutOfSequence(before, index))
    })
}

/// From the end to the beginning: whatever stands behind an operation must not have returned
/// before it was invoked, and the one that returned first is the one to compare with: of all, and
/// of those of its own process.
pub(super) fn against_time<Op: Copy>(
    operations: &[Operation<Op>],
    order: &[usize],
) -> Option<Complaint> {
    let end =
        |index: usize| (operations[index].returned.unwrap_or(u64::MAX), operations[index].seq);
    let mut first: Option<usize> = None;
    let mut own: HashMap<u32, usize> = HashMap::new();
    for &index in order.iter().rev() {
        let operation = &operations[index];
        let behind = first.into_iter().chain(own.get(&operation.process).copied());
        if let Some(early) = behind.into_iter().find(|&it| operations[it].precedes(operation)) {
            return Some(Complaint::AgainstTime(index, early));
        }
        if first.is_none_or(|first| end(index) < end(first)) {
            first = Some(index);
        }
        let own = own.entry(operation.process).or_insert(index);
        if end(index) < end(*own) {
            *own = index;
        }
    }
    None
}
