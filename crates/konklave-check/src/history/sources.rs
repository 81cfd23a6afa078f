//! Results without a source. They are detected in linear time, however long the history is.

use std::collections::HashMap;

use super::{Consistency, Nature, Object, Operation};

/// Operations without a valid order, because a result has no source: no operation inserts it, or
/// another has removed it; or, if time matters, it was there before the first of those that insert
/// it was invoked.
pub(super) fn without_source<O: Object>(
    operations: &[Operation<O::Op>],
    consistency: Consistency,
) -> Option<Vec<usize>> {
    let mut sources = HashMap::new();
    for (index, operation) in operations.iter().enumerate() {
        let nature = O::nature(operation.op);
        if !nature.asks() {
            let first = sources.entry((nature.part(), nature.value(None))).or_insert(index);
            if operation.invoked < operations[*first].invoked {
                *first = index;
            }
        }
    }
    let mut taken = HashMap::new();
    for (index, operation) in operations.iter().enumerate() {
        let nature = O::nature(operation.op);
        let (true, Some(found)) = (nature.asks(), operation.answer()) else { continue };
        let Some(&source) = sources.get(&(nature.part(), Some(found))) else {
            return Some(vec![index]);
        };
        // At equal ticks another one may be the source.
        let is_early = |returned| returned < operations[source].invoked;
        if consistency.keeps_time() && operation.returned.is_some_and(is_early) {
            return Some(vec![index, source]);
        }
        if nature == Nature::Remove
            && let Some(first) = taken.insert(found, index)
        {
            return Some(vec![source, first, index]);
        }
    }
    None
}

/// Whether some operation inserts the result of this one, if it has one.
pub(super) fn has_source<O: Object>(
    operations: &[Operation<O::Op>],
    asking: &Operation<O::Op>,
) -> bool {
    let key = O::nature(asking.op).part();
    let is_source = |nature: Nature| {
        !nature.asks() && nature.part() == key && nature.value(None) == asking.answer()
    };
    asking.answer().is_none() || operations.iter().any(|it| is_source(O::nature(it.op)))
}
