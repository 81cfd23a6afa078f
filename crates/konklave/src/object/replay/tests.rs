//! Against a judge who sees everything at once: two processes that invoke two operations each, in
//! every interleaving of invocations and returns, with every witness order.

use std::collections::{BTreeSet, VecDeque};

use super::*;
use crate::object::{Dictionary, DictionaryOp, Queue, QueueOp};

/// The operations: process, number, what is asked.
const OPERATIONS: [(u32, u32, QueueOp); 4] = [
    (0, 0, QueueOp::Enqueue(1)),
    (0, 1, QueueOp::Dequeue),
    (1, 0, QueueOp::Dequeue),
    (1, 1, QueueOp::Enqueue(2)),
];

/// An operation is invoked, or returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Invoke(usize),
    Return(usize),
}

/// All interleavings: a process may invoke its second operation before the first has returned.
fn interleavings() -> Vec<Vec<Step>> {
    let (mut all, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(steps) = open.pop() {
        if steps.len() == 8 {
            all.push(steps);
            continue;
        }
        for (index, &(_, seq, _)) in OPERATIONS.iter().enumerate() {
            let has = |step| steps.contains(&step);
            let step = match has(Step::Invoke(index)) {
                false if seq == 1 && !has(Step::Invoke(index - 1)) => continue,
                false => Step::Invoke(index),
                true => Step::Return(index),
            };
            if !has(step) {
                open.push([steps.clone(), vec![step]].concat());
            }
        }
    }
    all
}

fn orders() -> Vec<[usize; 4]> {
    let digits = (0..256usize).map(|it| [it & 3, it >> 2 & 3, it >> 4 & 3, it >> 6]);
    digits.filter(|it| it.iter().collect::<BTreeSet<_>>().len() == 4).collect()
}

/// The answers if the operations happen in this order, `order[place]` being an operation.
fn answers(order: [usize; 4]) -> [Answer; 4] {
    let mut answers = [None; 4];
    let mut queue = VecDeque::new();
    for index in order {
        match OPERATIONS[index].2 {
            QueueOp::Enqueue(id) => queue.push_back(id),
            QueueOp::Dequeue => answers[index] = queue.pop_front(),
        }
    }
    answers
}

/// Which kinds of faults there are: answers, program order, real time.
fn judged(steps: &[Step], order: [usize; 4], is_spoilt: bool) -> [bool; 3] {
    let place = |index: usize| order.iter().position(|it| *it == index).unwrap();
    let time = |step| steps.iter().position(|it| *it == step).unwrap();
    let against_time = (0..4).any(|one| {
        (0..4).any(|other| {
            time(Step::Return(one)) < time(Step::Invoke(other)) && place(other) < place(one)
        })
    });
    [is_spoilt, place(0) > place(1) || place(2) > place(3), against_time]
}

#[test]
fn every_interleaving_is_judged_as_by_one_who_sees_all() {
    let interleavings = interleavings();
    assert_eq!(interleavings.len(), 70 * 3 * 3, "3 ways of each process, 70 to merge two");
    let mut seen = BTreeSet::new();
    let cases = interleavings.iter().flat_map(|it| orders().into_iter().map(move |o| (it, o)));
    for (steps, order) in cases {
        for spoilt in [None, Some(1), Some(2)] {
            let mut answers = answers(order);
            if let Some(spoilt) = spoilt {
                answers[spoilt] = Some(7);
            }
            let expected = judged(steps, order, spoilt.is_some());
            assert_eq!(replayed(steps, order, answers), expected, "{order:?}, {answers:?}");
            seen.insert(expected);
        }
    }
    assert_eq!(seen.len(), 8, "every combination occurs");
}

fn replayed(steps: &[Step], order: [usize; 4], answers: [Answer; 4]) -> [bool; 3] {
    let mut replay = Replay::<Queue>::new(Places::OfAll);
    let mut found = [false; 3];
    for &step in steps {
        let (Step::Invoke(index) | Step::Return(index)) = step;
        let (process, seq, op) = OPERATIONS[index];
        let process = NodeId(process);
        if step == Step::Invoke(index) {
            assert_eq!(replay.invoke(process, op), seq);
            continue;
        }
        let witness = order.iter().position(|it| *it == index).unwrap() as u64;
        let answer = answers[index];
        for fault in replay.finish(process, seq, answer, witness).expect("it is outstanding") {
            match fault {
                Fault::WrongAnswer(..) => found[0] = true,
                Fault::ProgramOrder(..) => found[1] = true,
                Fault::RealTime(..) => found[2] = true,
                other => panic!("{other}"),
            }
        }
    }
    assert_eq!((replay.outstanding().count(), replay.early.len(), replay.gap()), (0, 0, None));
    found
}

#[test]
fn only_what_waits_is_remembered() {
    let mut replay = Replay::<Queue>::new(Places::OfAll);
    let first = replay.invoke(NodeId(0), QueueOp::Enqueue(0));
    for seq in 0..100 {
        assert_eq!(replay.invoke(NodeId(1), QueueOp::Enqueue(1 + u64::from(seq))), seq);
        assert_eq!(replay.finish(NodeId(1), seq, None, u64::from(seq) + 1), Some(vec![]));
    }
    assert_eq!((replay.early.len(), replay.object().size()), (100, 0));
    assert_eq!(replay.finish(NodeId(0), first, None, 0), Some(vec![]));
    assert_eq!((replay.early.len(), replay.object().size()), (0, 101));
}

#[test]
fn a_place_is_taken_once_and_none_is_left_out() {
    let mut replay = Replay::<Queue>::new(Places::OfAll);
    for process in 0..4 {
        replay.invoke(NodeId(process), QueueOp::Enqueue(process.into()));
    }
    let mut finish = |process, witness| replay.finish(NodeId(process), 0, None, witness);
    assert_eq!(finish(0, 0), Some(vec![]));
    assert_eq!(finish(0, 1), None, "it has returned");
    assert!(matches!(finish(1, 0).unwrap()[..], [Fault::SamePlace(Returned { witness: 0, .. })]));
    assert_eq!(finish(2, 2), Some(vec![]));
    assert_eq!(replay.gap(), None, "node 3 may have place 1");
    assert_eq!(replay.finish(NodeId(3), 0, None, 3), Some(vec![]));
    assert_eq!(replay.gap(), Some(1));
}

/// Two processes, two operations each, on two keys or on one: places of parts find the same faults
/// as places of all, but for those of program order between different keys.
#[test]
fn places_of_parts_judge_each_part() {
    let put = |key, value| DictionaryOp::Put { key, value };
    let get = DictionaryOp::Get;
    let judge = |ops: [(u32, DictionaryOp, Answer, u64); 3]| {
        let mut replay = Replay::<Dictionary>::new(Places::OfPart);
        let seqs = ops.map(|(process, op, ..)| replay.invoke(NodeId(process), op));
        let faults = ops.iter().zip(seqs).flat_map(|(&(process, _, answer, witness), seq)| {
            replay.finish(NodeId(process), seq, answer, witness).unwrap()
        });
        faults.map(|fault| fault.to_string()).collect::<Vec<_>>()
    };
    // Both keys begin at 0.
    assert!(
        judge([(0, put(1, 5), None, 0), (0, put(2, 6), None, 0), (1, get(1), Some(5), 1)])
            .is_empty()
    );
    // The second operation of node 0 on key 1 stands before the first.
    let swapped = judge([(0, put(1, 5), None, 1), (0, get(1), None, 0), (1, get(2), None, 0)]);
    assert_eq!(swapped, ["operation 1 of node 0, Get(1), comes before operation 0 of its node"]);
    let wrong = judge([(0, put(1, 5), None, 0), (1, get(1), None, 1), (1, get(2), None, 0)]);
    assert_eq!(wrong, ["operation 0 of node 1, Get(1), returned nothing, not 5"]);
}

/// Questions that name the version that they have seen.
mod changes {
    use super::*;
    use crate::object::{OrderedSet, OrderedSetOp};

    const INSERT: OrderedSetOp = OrderedSetOp::Insert(7);
    const LOOK: OrderedSetOp = OrderedSetOp::Successor(0);

    /// One process inserts while another has a question under way, and a third asks afterwards.
    fn begun() -> Replay<OrderedSet> {
        let mut replay = Replay::new(Places::OfChanges);
        replay.invoke(NodeId(1), LOOK);
        replay.invoke(NodeId(0), INSERT);
        assert_eq!(replay.finish(NodeId(0), 0, None, 0), Some(vec![]));
        replay.invoke(NodeId(2), LOOK);
        replay
    }

    fn faults(
        replay: &mut Replay<OrderedSet>,
        process: u32,
        answer: Answer,
        witness: u64,
    ) -> usize {
        replay.finish(NodeId(process), 0, answer, witness).expect("it is outstanding").len()
    }

    #[test]
    fn an_overlapping_question_may_have_seen_either_version() {
        for (answer, witness, wrong) in
            [(None, 0, 0), (Some(7), 1, 0), (Some(7), 0, 1), (None, 1, 1)]
        {
            let mut replay = begun();
            let found = faults(&mut replay, 1, answer, witness);
            let later = faults(&mut replay, 2, Some(7), 1);
            assert_eq!(found + later, wrong, "{answer:?} in version {witness}");
            assert_eq!((replay.gap(), replay.object().size()), (None, 1));
        }
    }

    #[test]
    fn a_later_question_has_seen_the_change() {
        let mut replay = begun();
        let late = replay.finish(NodeId(2), 0, None, 0).expect("it is outstanding");
        assert!(matches!(late[..], [Fault::RealTime(..)]), "{late:?}");
        assert_eq!(faults(&mut replay, 1, None, 0), 0, "what it has seen is still judged");
    }

    #[test]
    fn a_version_must_have_been_there() {
        let mut replay = begun();
        assert_eq!(faults(&mut replay, 1, Some(7), 1), 0);
        assert_eq!(faults(&mut replay, 2, Some(7), 3), 0);
        assert_eq!(replay.gap(), Some(1), "only one change has happened");
    }
}
