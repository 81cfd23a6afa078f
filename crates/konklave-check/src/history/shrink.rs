//! A small part of an inconsistent history that is inconsistent by itself.

use std::collections::BTreeMap;

use super::search::{relevant, search_among};
use super::{Answer, Complaint, Consistency, History, Nature, Object, Operation, SearchedOrder};

/// Leaves operations out of an inconsistent history as long as it stays inconsistent, and returns
/// the places of those that are left. The budget is like that of [`search`](super::search()); once
/// it is spent, the part stays as small as it is by then.
///
/// What is left out is such that a consistent history would stay consistent: an element with
/// everyone who got it, a value with everyone who wrote or read it, a key with everyone who added,
/// discarded or found it, or an operation that only looked. So what is left is to blame, and not
/// what was left out.
pub fn shrink<O: Object>(
    history: &History<O>,
    consistency: Consistency,
    budget: u64,
) -> Vec<usize> {
    let all: Vec<usize> = (0..history.operations().len()).collect();
    shrink_among::<O>(history.operations(), &all, consistency, budget)
}

/// The same for some of the operations.
pub(super) fn shrink_among<O: Object>(
    operations: &[Operation<O::Op>],
    among: &[usize],
    consistency: Consistency,
    mut budget: u64,
) -> Vec<usize> {
    let mut part = relevant::<O>(operations, among);
    let mut units = units::<O>(operations, &part);
    let mut size = units.len();
    // One pass for each size will do: what had to stay has to stay in a smaller part, too.
    while size > 0 {
        units = leave_out::<O>(operations, consistency, units, size, &mut part, &mut budget);
        size /= 2;
    }
    relevant::<O>(operations, &part)
}

/// Tries to leave out `size` units at a time. Returns the units that had to stay.
fn leave_out<O: Object>(
    operations: &[Operation<O::Op>],
    consistency: Consistency,
    units: Vec<Vec<usize>>,
    size: usize,
    part: &mut Vec<usize>,
    budget: &mut u64,
) -> Vec<Vec<usize>> {
    let mut stay = Vec::new();
    for chunk in units.chunks(size) {
        let mut is_out = vec![false; operations.len()];
        chunk.iter().flatten().for_each(|&index| is_out[index] = true);
        let rest: Vec<usize> = part.iter().copied().filter(|&index| !is_out[index]).collect();
        *budget = budget.saturating_sub(operations.len() as u64);
        if rest.len() < part.len() {
            match search_among::<O>(operations, &rest, consistency, budget) {
                SearchedOrder::Unexplained(_) => *part = rest,
                SearchedOrder::Explained(_) | SearchedOrder::Undecided => {
                    stay.extend_from_slice(chunk)
                }
            }
        }
    }
    stay
}

/// The part of a history that is left if all is left out that has to do with neither of the
/// operations of a complaint, nor with the answer that one of them should have had.
pub(super) fn concerned<O: Object>(
    operations: &[Operation<O::Op>],
    complaint: Complaint,
) -> Vec<usize> {
    let subject = |index: usize, answer| O::nature(operations[index].op).subject(answer);
    let own = |index: usize| subject(index, operations[index].answer());
    let (named, subjects) = match complaint {
        Complaint::WrongAnswer(index, right) => ([index; 2], [own(index), subject(index, right)]),
        Complaint::SamePlace(one, other)
        | Complaint::OutOfSequence(one, other)
        | Complaint::AgainstTime(one, other) => ([one, other], [own(one), own(other)]),
    };
    let is_concerned = |&index: &usize| {
        let operation = &operations[index];
        let is_removal = O::nature(operation.op) == Nature::Remove;
        let stays = match is_removal && operation.answer().is_none() {
            true => operation.is_pending(),
            false => subjects.contains(&own(index)),
        };
        stays || named.contains(&index)
    };
    (0..operations.len()).filter(is_concerned).collect()
}

/// What can be left out together. Pending removals stay: to leave one out is to say that it had no
/// effect.
fn units<O: Object>(operations: &[Operation<O::Op>], part: &[usize]) -> Vec<Vec<usize>> {
    let mut subjects: BTreeMap<(u64, Answer), Vec<usize>> = BTreeMap::new();
    let mut looks = Vec::new();
    for &index in part {
        let operation = &operations[index];
        let nature = O::nature(operation.op);
        let answer = operation.answer();
        match nature {
            Nature::Remove if operation.is_pending() => continue,
            Nature::Read(_) | Nature::Look => looks.push(vec![index]),
            Nature::Remove if answer.is_none() => looks.push(vec![index]),
            _ => {}
        }
        subjects.entry(nature.subject(answer)).or_default().push(index);
    }
    subjects.into_values().chain(looks).collect()
}
