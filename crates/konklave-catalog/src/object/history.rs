//! The history of a run, as `check-history` reads it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use konklave::object::{Object, Places};
use konklave_check::history::{History, Operation, write};

/// A history as text. Witnesses of parts are made places of one order of all operations; if there
/// is no such order, the history has no witnesses.
pub(super) fn text<O: Object>(places: Places, mut operations: Vec<Operation<O::Op>>) -> String {
    if places != Places::OfAll {
        let order = match places {
            Places::OfChanges => order_of_changes::<O>(&operations),
            Places::OfAll | Places::OfPart => one_order::<O>(&operations),
        };
        let mut witnesses = vec![None; operations.len()];
        for (place, index) in (0..).zip(order.unwrap_or_default()) {
            witnesses[index] = Some(vec![place]);
        }
        let all = operations.iter_mut().zip(witnesses);
        all.for_each(|(operation, witness)| operation.witness = witness);
    }
    let history = History::<O>::new(operations);
    let mut text = Vec::new();
    // What a run has recorded is well formed, and memory takes everything.
    let written = history.map(|history| write(&history, &mut text));
    written
        .ok()
        .and_then(Result::ok)
        .and_then(|()| String::from_utf8(text).ok())
        .unwrap_or_default()
}

/// The order of the operations that have returned, where those that ask have seen so many changes:
/// before the next one, in the order in which they were invoked.
fn order_of_changes<O: Object>(operations: &[Operation<O::Op>]) -> Option<Vec<usize>> {
    let done = (0..operations.len()).filter(|index| operations[*index].returned.is_some());
    let place = |index: usize| {
        let operation = &operations[index];
        let witness = *operation.witness.as_ref()?.first()?;
        Some(((witness, !O::nature(operation.op).asks(), operation.invoked), index))
    };
    let mut places: Vec<_> = done.map(place).collect::<Option<_>>()?;
    places.sort_unstable();
    Some(places.into_iter().map(|(_, index)| index).collect())
}

/// An order of the operations that have returned which agrees with the order of each part, with
/// program order and with real time: a topological sort, which takes what was invoked first.
fn one_order<O: Object>(operations: &[Operation<O::Op>]) -> Option<Vec<usize>> {
    let done: Vec<usize> =
        (0..operations.len()).filter(|index| operations[*index].returned.is_some()).collect();
    let mut parts: BTreeMap<u64, BTreeMap<i64, usize>> = BTreeMap::new();
    let mut processes: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for &index in &done {
        let operation = &operations[index];
        let place = *operation.witness.as_ref()?.first()?;
        let part = parts.entry(O::part(operation.op)).or_default();
        if part.insert(place, index).is_some() {
            return None;
        }
        processes.entry(operation.process).or_default().insert(operation.seq, index);
    }
    // What each operation waits for: the one before it in its part, and in its process.
    let mut missing = vec![0_u8; operations.len()];
    let mut next = vec![Vec::new(); operations.len()];
    let of_parts = parts.values().map(|part| part.values().copied().collect::<Vec<_>>());
    let of_processes = processes.values().map(|it| it.values().copied().collect::<Vec<_>>());
    for row in of_parts.chain(of_processes) {
        for pair in row.windows(2) {
            next[pair[0]].push(pair[1]);
            missing[pair[1]] += 1;
        }
    }
    let key = |index: usize| Reverse((operations[index].invoked, index));
    let mut ready: BinaryHeap<_> =
        done.iter().filter(|index| missing[**index] == 0).map(|index| key(*index)).collect();
    let mut by_return = done.clone();
    by_return.sort_by_key(|index| operations[*index].returned);
    let mut by_return = by_return.into_iter().peekable();
    let mut is_placed = vec![false; operations.len()];
    let mut order = Vec::new();
    while let Some(Reverse((invoked, index))) = ready.pop() {
        while by_return.next_if(|index| is_placed[*index]).is_some() {}
        let earliest = by_return.peek().and_then(|index| operations[*index].returned);
        if earliest.is_some_and(|returned| returned < invoked) {
            return None; // It had returned before any that could be next was invoked.
        }
        is_placed[index] = true;
        order.push(index);
        for &later in &next[index] {
            missing[later] -= 1;
            if missing[later] == 0 {
                ready.push(key(later));
            }
        }
    }
    (order.len() == done.len()).then_some(order)
}

#[cfg(test)]
mod tests {
    use konklave::object::{Dictionary, DictionaryOp};

    use super::*;

    type Line = (u32, u32, DictionaryOp, Option<u64>, [u64; 3]);

    fn operations(lines: &[Line]) -> Vec<Operation<DictionaryOp>> {
        let line = |&(process, seq, op, answer, [invoked, returned, witness]): &Line| Operation {
            process,
            seq,
            op,
            result: matches!(op, DictionaryOp::Get(_)).then_some(answer),
            invoked,
            returned: Some(returned),
            witness: Some(vec![witness as i64]),
        };
        lines.iter().map(line).collect()
    }

    const PUT: DictionaryOp = DictionaryOp::Put { key: 1, value: 5 };
    const OTHER: DictionaryOp = DictionaryOp::Put { key: 2, value: 6 };

    #[test]
    fn places_of_parts_become_one_order() {
        let lines = [
            (0, 0, PUT, None, [0, 9, 0]),
            (1, 0, DictionaryOp::Get(1), Some(5), [1, 4, 1]),
            (1, 1, OTHER, None, [5, 6, 0]),
        ];
        assert_eq!(one_order::<Dictionary>(&operations(&lines)), Some(vec![0, 1, 2]));
        let text = text::<Dictionary>(Places::OfPart, operations(&lines));
        assert!(text.lines().nth(3).unwrap().contains("\"witness\":[2]"), "{text}");
    }

    /// Each key has an order, but together with the program order there is none.
    #[test]
    fn there_is_no_order_if_keys_disagree() {
        let lines = [
            (0, 0, PUT, None, [0, 9, 1]),
            (0, 1, OTHER, None, [0, 9, 0]),
            (1, 0, DictionaryOp::Get(2), Some(6), [0, 9, 1]),
            (1, 1, DictionaryOp::Get(1), None, [0, 9, 0]),
        ];
        assert_eq!(one_order::<Dictionary>(&operations(&lines)), None);
    }
}
