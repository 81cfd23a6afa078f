//! For all orders of up to six operations, the conditions say what a replay says.
//!
//! Enumerated are all sequences of at most six operations, the empty one included; the elements of
//! insertions are numbered as they come, and each removal returns nothing or an element that is
//! inserted somewhere in the sequence, before or after it, and that no other removal returns. For
//! heaps, also all orders of different priorities. That makes 1801 sequences, and 19 398 for heaps.

use konklave_check::history::{self, History, Object, Operation, check_conditions};
use konklave_check::history::{Heap, HeapOp, Queue, QueueOp, Stack, StackOp};

use super::conditions::{CONDITIONS, Condition, Discipline, Event, is_right, meets};

const OPERATIONS_MAX: u64 = 6;

/// All sequences; the priority of an element is its id.
fn sequences() -> Vec<Vec<Event>> {
    let mut all = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(sequence) = open.pop() {
        let inserted =
            sequence.iter().filter(|event| matches!(event, Event::Insert { .. })).count();
        let inserted = inserted as u64;
        let is_there = |event: &Event| !matches!(event, Event::Remove(Some(id)) if *id >= inserted);
        if sequence.iter().all(is_there) {
            all.push(sequence.clone());
        }
        if sequence.len() as u64 == OPERATIONS_MAX {
            continue;
        }
        let some = (0..OPERATIONS_MAX).map(|id| Event::Remove(Some(id)));
        let fresh = some.filter(|event| !sequence.contains(event));
        let insert = Event::Insert { id: inserted, priority: inserted };
        for event in fresh.chain([insert, Event::Remove(None)]) {
            open.push([sequence.clone(), vec![event]].concat());
        }
    }
    all
}

/// The sequence with all orders of priorities.
fn prioritised(sequence: &[Event]) -> Vec<Vec<Event>> {
    let mut all = vec![sequence.to_vec()];
    let places: Vec<usize> = (0..sequence.len())
        .filter(|&place| matches!(sequence[place], Event::Insert { .. }))
        .collect();
    for (chosen, &place) in places.iter().enumerate() {
        let swaps = |sequence: Vec<Event>| {
            let others = places[chosen..].to_vec();
            others.into_iter().map(move |other| swap_priorities(sequence.clone(), place, other))
        };
        all = all.into_iter().flat_map(swaps).collect();
    }
    all
}

fn swap_priorities(mut sequence: Vec<Event>, one: usize, other: usize) -> Vec<Event> {
    let (first, second) = (sequence[one], sequence[other]);
    if let (Event::Insert { id, priority }, Event::Insert { id: id2, priority: priority2 }) =
        (first, second)
    {
        sequence[one] = Event::Insert { id, priority: priority2 };
        sequence[other] = Event::Insert { id: id2, priority };
    }
    sequence
}

fn replays<O: Object>(sequence: &[Event], op: impl Fn(Event) -> O::Op) -> bool {
    let mut object = O::default();
    sequence.iter().all(|&event| {
        let answer = match event {
            Event::Insert { .. } => None,
            Event::Remove(answer) => answer,
        };
        object.accept(op(event), answer).is_ok()
    })
}

fn queue_op(event: Event) -> QueueOp {
    match event {
        Event::Insert { id, .. } => QueueOp::Enqueue(id),
        Event::Remove(_) => QueueOp::Dequeue,
    }
}

fn stack_op(event: Event) -> StackOp {
    match event {
        Event::Insert { id, .. } => StackOp::Push(id),
        Event::Remove(_) => StackOp::Pop,
    }
}

fn heap_op(event: Event) -> HeapOp {
    match event {
        Event::Insert { id, priority } => HeapOp::Insert { id, priority },
        Event::Remove(_) => HeapOp::DeleteMin,
    }
}

fn replay(sequence: &[Event], discipline: Discipline) -> bool {
    match discipline {
        Discipline::Queue => replays::<Queue>(sequence, queue_op),
        Discipline::Stack => replays::<Stack>(sequence, stack_op),
        Discipline::Heap => replays::<Heap>(sequence, heap_op),
    }
}

fn cases(discipline: Discipline) -> Vec<Vec<Event>> {
    match discipline {
        Discipline::Queue | Discipline::Stack => sequences(),
        Discipline::Heap => sequences().iter().flat_map(|it| prioritised(it)).collect(),
    }
}

const DISCIPLINES: [Discipline; 3] = [Discipline::Queue, Discipline::Stack, Discipline::Heap];

#[test]
fn the_conditions_are_those_of_a_replay() {
    for (discipline, count) in DISCIPLINES.into_iter().zip([1801, 1801, 19_398]) {
        let cases = cases(discipline);
        assert_eq!(cases.len(), count, "{discipline:?}");
        for case in cases {
            let (said, done) = (is_right(&case, discipline), replay(&case, discipline));
            assert_eq!(said, done, "{discipline:?}: {case:?}");
        }
    }
}

/// The operations in this order, which is also their witness: by one process, one after the other.
fn witnessed<O: Object>(sequence: &[Event], op: impl Fn(Event) -> O::Op) -> History<O> {
    let operation = |(place, &event): (usize, &Event)| Operation {
        process: 0,
        seq: place as u32,
        op: op(event),
        result: match event {
            Event::Insert { .. } => None,
            Event::Remove(answer) => Some(answer),
        },
        invoked: 2 * place as u64,
        returned: Some(2 * place as u64 + 1),
        witness: Some(vec![place as i64]),
    };
    let operations = sequence.iter().enumerate().map(operation).collect();
    History::new(operations).expect("it makes sense")
}

/// The second judge of `check-history` says of each condition what its definition says.
#[test]
fn the_second_judge_knows_each_condition() {
    fn agrees<O: Object>(discipline: Discipline, op: impl Fn(Event) -> O::Op) {
        for case in cases(discipline).iter().filter(|case| !case.is_empty()) {
            let judged = check_conditions(&witnessed::<O>(case, &op));
            let said = |wanted| judged.iter().find(|(it, _)| *it == wanted).expect("said").1;
            for (ours, theirs) in CONDITIONS.into_iter().zip([
                history::Condition::InsertedBefore,
                history::Condition::NothingWhileThere,
                history::Condition::NoneLeftBehind,
                history::Condition::NothingAfterLeft,
                history::Condition::PairsInOrder,
            ]) {
                let expected = meets(case, discipline, &[ours]);
                assert_eq!(said(theirs), expected, "{discipline:?} {ours:?}: {case:?}");
            }
        }
    }
    agrees::<Queue>(Discipline::Queue, queue_op);
    agrees::<Stack>(Discipline::Stack, stack_op);
    agrees::<Heap>(Discipline::Heap, heap_op);
}

#[test]
fn no_condition_can_be_left_out() {
    for discipline in DISCIPLINES {
        let cases = cases(discipline);
        for without in CONDITIONS {
            let others: Vec<Condition> =
                CONDITIONS.into_iter().filter(|&condition| condition != without).collect();
            let missed =
                |case: &&Vec<Event>| meets(case, discipline, &others) && !replay(case, discipline);
            assert!(cases.iter().any(|case| missed(&case)), "{discipline:?} without {without:?}");
        }
    }
}
