//! Whether an order explains a history, decided without any code that is being tested.

use konklave_check::history::*;

use super::conditions::{Discipline, Event, is_right};
use super::draw::Drawn;

/// An object whose orders can be judged without it.
pub(super) trait Judged: Drawn {
    /// Whether each operation, in this order, has the right answer.
    fn is_right(order: &[(Self::Op, Answer)]) -> bool;
}

/// Every read finds what the last write before it wrote.
fn last_write_wins<O: Object>(order: &[(O::Op, Answer)]) -> bool {
    order.iter().enumerate().all(|(place, &(op, answer))| match O::nature(op) {
        Nature::Read(key) => {
            let writes = order[..place].iter().rev().filter_map(|&(op, _)| match O::nature(op) {
                Nature::Write(written, value) if written == key => Some(value),
                _ => None,
            });
            writes.take(1).next().flatten() == answer
        }
        _ => true,
    })
}

fn meets<Op: Copy>(
    order: &[(Op, Answer)],
    discipline: Discipline,
    inserts: impl Fn(Op) -> Option<(u64, u64)>,
) -> bool {
    let event = |&(op, answer): &(Op, Answer)| match inserts(op) {
        Some((id, priority)) => Event::Insert { id, priority },
        None => Event::Remove(answer),
    };
    is_right(&order.iter().map(event).collect::<Vec<_>>(), discipline)
}

impl Judged for Register {
    fn is_right(order: &[(RegisterOp, Answer)]) -> bool {
        last_write_wins::<Self>(order)
    }
}

impl Judged for Dictionary {
    fn is_right(order: &[(DictionaryOp, Answer)]) -> bool {
        last_write_wins::<Self>(order)
    }
}

/// A key is there if the last of the operations before that add or discard it adds it.
impl Judged for OrderedSet {
    fn is_right(order: &[(OrderedSetOp, Answer)]) -> bool {
        order.iter().enumerate().all(|(place, &(op, answer))| {
            let is_there = |key: &u64| {
                let (add, discard) = (OrderedSetOp::Insert(*key), OrderedSetOp::Delete(*key));
                let mut before = order[..place].iter().rev().map(|&(op, _)| op);
                before.find(|op| *op == add || *op == discard) == Some(add)
            };
            match op {
                OrderedSetOp::Insert(_) | OrderedSetOp::Delete(_) => true,
                OrderedSetOp::Contains(key) => answer == Some(key).filter(is_there),
                OrderedSetOp::Successor(key) => answer == (key..4).find(is_there),
                OrderedSetOp::Predecessor(key) => answer == (0..=key).rev().find(is_there),
                OrderedSetOp::LongestPrefix(key) => {
                    let shared = |other: u64| {
                        (0..64).take_while(move |bit| (key ^ other) >> (63 - bit) == 0)
                    };
                    let best = (0..4).filter(is_there).map(|it| shared(it).count()).max();
                    answer.iter().all(is_there) && answer.map(|it| shared(it).count()) == best
                }
                OrderedSetOp::Count { key, free } => {
                    let is_alike = |other: &u64| {
                        (0..64).skip(free.into()).all(|bit| (key ^ other) >> bit & 1 == 0)
                    };
                    answer == Some((0..4).filter(is_there).filter(is_alike).count() as u64)
                }
            }
        })
    }
}

impl Judged for Queue {
    fn is_right(order: &[(QueueOp, Answer)]) -> bool {
        meets(order, Discipline::Queue, |op| match op {
            QueueOp::Enqueue(id) => Some((id, 0)),
            QueueOp::Dequeue => None,
        })
    }
}

impl Judged for Stack {
    fn is_right(order: &[(StackOp, Answer)]) -> bool {
        meets(order, Discipline::Stack, |op| match op {
            StackOp::Push(id) => Some((id, 0)),
            StackOp::Pop => None,
        })
    }
}

impl Judged for Heap {
    fn is_right(order: &[(HeapOp, Answer)]) -> bool {
        meets(order, Discipline::Heap, |op| match op {
            HeapOp::Insert { id, priority } => Some((id, priority)),
            HeapOp::DeleteMin => None,
        })
    }
}

/// Whether `after` may not stand before `before`.
pub(super) fn must_precede<Op: Copy>(
    before: &Operation<Op>,
    after: &Operation<Op>,
    consistency: Consistency,
) -> bool {
    let in_program = before.process == after.process && before.seq < after.seq;
    // At the same tick, a process knows what it has waited for.
    let in_time = before
        .returned
        .is_some_and(|it| if in_program { it <= after.invoked } else { it < after.invoked });
    match consistency {
        Consistency::Sequential => in_program,
        Consistency::Linearizable => in_time,
        Consistency::LinearizableInProgramOrder => in_program || in_time,
    }
}

/// Whether an order has every answered operation once, breaks no rule, and explains the answers.
/// A pending removal in it may have taken anything.
pub(super) fn explains<O: Judged>(
    history: &History<O>,
    order: &[usize],
    consistency: Consistency,
) -> bool {
    let operations = history.operations();
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let has_all = sorted.len() == order.len()
        && (0..operations.len()).all(|it| operations[it].is_pending() || order.contains(&it));
    let keeps_order = order.iter().enumerate().all(|(place, &late)| {
        let earlier = &order[..place];
        !earlier.iter().any(|&it| must_precede(&operations[late], &operations[it], consistency))
    });
    has_all && keeps_order && is_right_somehow(history, order, &mut Vec::new())
}

/// Tries all answers that pending operations may have had.
fn is_right_somehow<O: Judged>(
    history: &History<O>,
    order: &[usize],
    answered: &mut Vec<(O::Op, Answer)>,
) -> bool {
    let operations = history.operations();
    let Some(&index) = order.get(answered.len()) else { return O::is_right(answered) };
    let operation = &operations[index];
    let mut answers = vec![operation.answer()];
    if operation.is_pending() && O::nature(operation.op).asks() {
        answers.extend(operations.iter().map(|operation| O::nature(operation.op).value(None)));
    }
    answers.into_iter().any(|answer| {
        answered.push((operation.op, answer));
        let is_right = is_right_somehow(history, order, answered);
        answered.pop();
        is_right
    })
}
