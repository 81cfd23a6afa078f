//! A small part of an inconsistent history that is inconsistent by itself.

use std::collections::BTreeMap;

use super::search::{relevant, search_among};
use super::{Answer, Consistency, History, Nature, Object, Operation, Outcome};

/// Leaves operations out of an inconsistent history as long as it stays inconsistent, and returns
/// the places of those that are left. The budget is like that of [`search`](super::search()); once
/// it is spent, the part stays as small as it is by then.
///
/// What is left out is such that a consistent history would stay consistent: an element with
/// everyone who got it, a value with everyone who wrote or read it, or an operation that only
/// looked. So what is left is to blame, and not what was left out.
pub fn shrink<O: Object>(
    history: &History<O>,
    consistency: Consistency,
    mut budget: u64,
) -> Vec<usize> {
    let operations = history.operations();
    let all: Vec<usize> = (0..operations.len()).collect();
    let mut part = relevant::<O>(operations, &all);
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
                Outcome::Unexplained(_) => *part = rest,
                Outcome::Explained(_) | Outcome::Undecided => stay.extend_from_slice(chunk),
            }
        }
    }
    stay
}

/// What can be left out together. Pending removals stay: to leave one out is to say that it had no
/// effect.
fn units<O: Object>(operations: &[Operation<O::Op>], part: &[usize]) -> Vec<Vec<usize>> {
    let mut subjects: BTreeMap<(u64, Answer), Vec<usize>> = BTreeMap::new();
    let mut looks = Vec::new();
    for &index in part {
        let operation = &operations[index];
        let nature = O::nature(operation.op);
        let value = nature.value(operation.answer());
        match nature {
            Nature::Remove if operation.is_pending() => continue,
            Nature::Read(_) => looks.push(vec![index]),
            Nature::Remove if value.is_none() => looks.push(vec![index]),
            _ => {}
        }
        subjects.entry((nature.key(), value)).or_default().push(index);
    }
    subjects.into_values().chain(looks).collect()
}
