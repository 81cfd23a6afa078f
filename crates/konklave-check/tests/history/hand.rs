//! Histories whose verdicts are known, and what is said about them.

use konklave_check::history::Consistency::{Linearizable, LinearizableInProgramOrder, Sequential};
use konklave_check::history::DictionaryOp::{Delete, Get, Put};
use konklave_check::history::QueueOp::{Dequeue, Enqueue};
use konklave_check::history::RegisterOp::{Read, Write};
use konklave_check::history::*;

use super::draw::{Drawn, Patience, Shape, history, replay, seeds};

/// Who asked what, from when until when, and the answer. Without an end it is pending.
pub(super) type Entry<Op> = (u32, Op, Answer, u64, Option<u64>);

/// The history of these entries; each process issues its own in the order in which they stand.
pub(super) fn told<O: Object>(entries: &[Entry<O::Op>]) -> History<O> {
    let mut operations: Vec<Operation<O::Op>> = Vec::new();
    for &(process, op, answer, invoked, returned) in entries {
        let seq = operations.iter().filter(|it| it.process == process).count() as u32;
        let result = (O::nature(op).asks() && returned.is_some()).then_some(answer);
        let witness = None;
        operations.push(Operation { process, seq, op, result, invoked, returned, witness });
    }
    History::new(operations).expect("it makes sense")
}

/// Whether it is sequentially consistent, and whether it is linearizable.
fn verdicts<O: Object>(entries: &[Entry<O::Op>]) -> [bool; 2] {
    [Sequential, Linearizable].map(|kind| match search::<O>(&told(entries), kind, BUDGET) {
        SearchedOrder::Explained(_) => true,
        SearchedOrder::Unexplained(_) => false,
        SearchedOrder::Undecided => panic!("too hard"),
    })
}

#[test]
fn an_old_value_may_be_read_late_but_not_in_real_time() {
    let stale = [(0, Write(1), None, 0, Some(1)), (1, Read, None, 2, Some(3))];
    assert_eq!(verdicts::<Register>(&stale), [true, false]);
    let at_once = [(0, Write(1), None, 0, Some(2)), (1, Read, None, 2, Some(3))];
    assert_eq!(verdicts::<Register>(&at_once), [true, true], "what touches overlaps");
    let back = [
        (0, Write(1), None, 0, Some(9)),
        (1, Read, Some(1), 1, Some(2)),
        (1, Read, None, 3, Some(4)),
    ];
    assert_eq!(verdicts::<Register>(&back), [false, false], "from the new value to the old");
}

/// Each process writes its own key and does not see the other's: every key alone is fine.
#[test]
fn sequential_consistency_is_not_local() {
    let both = [
        (0, Put { key: 1, value: 7 }, None, 0, Some(1)),
        (0, Get(2), None, 2, Some(3)),
        (1, Put { key: 2, value: 7 }, None, 0, Some(1)),
        (1, Get(1), None, 2, Some(3)),
    ];
    assert_eq!(verdicts::<Dictionary>(&both), [false, false]);
    assert_eq!(verdicts::<Dictionary>(&[both[0], both[3]]), [true, false]);
    assert_eq!(verdicts::<Dictionary>(&[both[1], both[2]]), [true, false]);
}

/// A process that does not wait has told nobody in which order its operations shall be done.
#[test]
fn overlapping_operations_of_one_process_may_be_swapped_in_real_time() {
    let swapped = [
        (0, Enqueue(1), None, 0, Some(9)),
        (0, Enqueue(2), None, 1, Some(9)),
        (1, Dequeue, Some(2), 10, Some(11)),
        (1, Dequeue, Some(1), 12, Some(13)),
    ];
    assert_eq!(verdicts::<Queue>(&swapped), [false, true]);
}

#[test]
fn pending_operations_may_have_had_their_effect_or_not() {
    let written = [(0, Write(1), None, 0, None), (1, Read, Some(1), 5, Some(6))];
    assert_eq!(verdicts::<Register>(&written), [true, true]);
    let unwritten = [(0, Write(1), None, 0, None), (1, Read, None, 5, Some(6))];
    assert_eq!(verdicts::<Register>(&unwritten), [true, true]);
    let early = [(1, Read, Some(1), 0, Some(1)), (0, Write(1), None, 5, None)];
    assert_eq!(verdicts::<Register>(&early), [true, false]);
    let deleted = [
        (0, Put { key: 1, value: 7 }, None, 0, Some(1)),
        (1, Delete(1), None, 2, None),
        (0, Get(1), None, 3, Some(4)),
    ];
    assert_eq!(verdicts::<Dictionary>(&deleted), [true, true]);

    let taken = [
        (0, Enqueue(1), None, 0, Some(1)),
        (1, Dequeue, None, 2, None),
        (0, Dequeue, None, 3, Some(4)),
    ];
    assert_eq!(verdicts::<Queue>(&taken), [true, true]);
    let taken_late = [taken[0], (1, Dequeue, None, 9, None), taken[2]];
    assert_eq!(verdicts::<Queue>(&taken_late), [true, false]);
    assert_eq!(verdicts::<Queue>(&[taken[0], taken[2]]), [false, false]);
}

#[test]
fn an_element_is_removed_once() {
    let twice = [
        (0, Enqueue(1), None, 0, Some(9)),
        (1, Dequeue, Some(1), 1, Some(9)),
        (2, Dequeue, Some(1), 1, Some(9)),
    ];
    assert_eq!(verdicts::<Queue>(&twice), [false, false]);
}

#[test]
fn among_equal_priorities_any_goes_first() {
    let insert = |id, priority| (0, HeapOp::Insert { id, priority }, None, id, Some(id));
    let delete = |id, time| (0, HeapOp::DeleteMin, Some(id), time, Some(time));
    let filled = [insert(1, 5), insert(2, 5), insert(3, 4)];
    let verdicts = |ids: [u64; 3]| {
        let [a, b, c] = ids;
        verdicts::<Heap>(&[&filled[..], &[delete(a, 7), delete(b, 8), delete(c, 9)]].concat())
    };
    assert_eq!(verdicts([3, 1, 2]), [true, true]);
    assert_eq!(verdicts([3, 2, 1]), [true, true]);
    assert_eq!(verdicts([1, 3, 2]), [false, false]);
}

#[test]
fn the_search_says_how_far_it_came() {
    let history = told::<Queue>(&[
        (0, Enqueue(1), None, 0, Some(1)),
        (0, Enqueue(2), None, 2, Some(3)),
        (1, Dequeue, Some(2), 4, Some(5)),
        (1, Dequeue, Some(1), 6, Some(7)),
    ]);
    let stuck = Stuck { order: vec![0, 1], next: vec![(2, Obstacle::Answer(Some(1)))] };
    assert_eq!(search(&history, Sequential, BUDGET), SearchedOrder::Unexplained(stuck));

    let late = told::<Register>(&[
        (0, Write(1), None, 0, Some(5)),
        (1, Read, None, 2, Some(9)),
        (2, Read, Some(2), 6, Some(9)),
    ]);
    let SearchedOrder::Unexplained(stuck) = search(&late, Linearizable, BUDGET) else {
        panic!("nobody wrote a 2");
    };
    assert_eq!(stuck.order, [1, 0]);
    assert_eq!(stuck.next, [(2, Obstacle::NoSource)]);
}

/// Many writes at once, and a value that nobody wrote: every order has to be tried.
fn hard(processes: u32) -> History<Stack> {
    let push = |process: u32| (process, StackOp::Push(process.into()), None, 0, Some(9));
    let mut entries: Vec<_> = (0..processes).map(push).collect();
    entries.push((processes, StackOp::Pop, None, 10, Some(11)));
    told(&entries)
}

#[test]
fn a_hopeless_search_ends() {
    assert_eq!(search(&hard(12), Linearizable, 10_000), SearchedOrder::Undecided);
    let outcome = search(&hard(5), Linearizable, 10_000);
    assert!(matches!(outcome, SearchedOrder::Unexplained(_)), "{outcome:?}");
}

#[test]
fn long_histories_do_not_overflow_the_stack() {
    let mut entries = Vec::new();
    for id in 0..20_000 {
        entries.push((0, Enqueue(id), None, 4 * id, Some(4 * id + 1)));
        entries.push((1, Dequeue, Some(id), 4 * id + 2, Some(4 * id + 3)));
    }
    let operations: Vec<_> = entries
        .iter()
        .map(|&(process, op, answer, invoked, returned)| Operation {
            process,
            seq: (invoked / 4) as u32,
            op,
            result: (op == Dequeue).then_some(answer),
            invoked,
            returned,
            witness: None,
        })
        .collect();
    let history: History<Queue> = History::new(operations).expect("it makes sense");
    for consistency in [Sequential, Linearizable] {
        let SearchedOrder::Explained(order) = search(&history, consistency, BUDGET) else {
            panic!("it can be explained");
        };
        assert!(order.into_iter().eq(0..40_000));
    }
}

/// The history without some of its operations.
fn without<O: Object>(history: &History<O>, out: impl Fn(&Operation<O::Op>) -> bool) -> History<O> {
    let mut operations: Vec<Operation<O::Op>> = Vec::new();
    for operation in history.operations().iter().filter(|operation| !out(operation)) {
        let before = operations.iter().filter(|it| it.process == operation.process).count();
        operations.push(Operation { seq: before as u32, ..operation.clone() });
    }
    History::new(operations).expect("a part makes sense")
}

/// The history without each thing that may be left out: an element or a value with all that have to
/// do with it, or an operation that only looked.
fn lessened<O: Object>(history: &History<O>) -> Vec<History<O>> {
    let is_removing = |it: &Operation<O::Op>| it.is_pending() && O::nature(it.op).asks();
    let subject = |it: &Operation<O::Op>| O::nature(it.op).subject(it.answer());
    let mut parts = Vec::new();
    for operation in history.operations().iter().filter(|it| !is_removing(it)) {
        parts.push(without(history, |it| !is_removing(it) && subject(it) == subject(operation)));
        let is_read = matches!(O::nature(operation.op), Nature::Read(_) | Nature::Look);
        if is_read || O::nature(operation.op).asks() && operation.answer().is_none() {
            parts.push(without(history, |it| it == operation));
        }
    }
    parts
}

/// Both halves of what is said about the core: it is inconsistent, as small as possible, and it is
/// to blame: nothing that is left out makes a consistent history inconsistent.
fn shrinks_well<O: Drawn>(test: &str) {
    let (mut cores, mut others) = (0, 0);
    for seed in seeds() {
        let patience = if seed % 2 == 0 { Patience::AsksOn } else { Patience::Waits };
        let shape = Shape { processes: 3, operations: 9, patience };
        let history: History<O> = history(seed, shape);
        for kind in [Sequential, Linearizable, LinearizableInProgramOrder] {
            let is_fine = |history: &History<O>| {
                matches!(search(history, kind, BUDGET), SearchedOrder::Explained(_))
            };
            let case = format!("{kind}: {history:#?}\n{}", replay(seed, test));
            if is_fine(&history) {
                assert!(lessened(&history).iter().all(is_fine), "a part is worse, {case}");
                others += 1;
                continue;
            }
            let kept = shrink(&history, kind, BUDGET);
            let is_kept = |it: &Operation<O::Op>| {
                kept.iter().any(|&index| history.operations()[index] == *it)
            };
            let core = without(&history, |it| !is_kept(it));
            assert!(!is_fine(&core), "the core is fine: {core:#?}, {case}");
            assert!(lessened(&core).iter().all(is_fine), "not minimal: {core:#?}, {case}");
            cores += 1;
        }
    }
    assert!(seeds().len() < 1000 || cores > 100 && others > 100, "one-sided: {cores}, {others}");
}

#[test]
fn the_core_is_minimal_and_to_blame() {
    let test = "the_core_is_minimal";
    shrinks_well::<Register>(test);
    shrinks_well::<Dictionary>(test);
    shrinks_well::<OrderedSet>(test);
    shrinks_well::<Queue>(test);
    shrinks_well::<Stack>(test);
    shrinks_well::<Heap>(test);
}
