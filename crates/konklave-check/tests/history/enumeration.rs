//! The search and the witness check against all orders of up to six operations.

use konklave_check::history::*;
use konklave_sim::random::{Random, Stream};

use super::draw::{Patience, Shape, history, replay, seeds};
use super::hand::{Entry, told};
use super::referee::{Judged, explains, must_precede};

const KINDS: [Consistency; 3] =
    [Consistency::Sequential, Consistency::Linearizable, Consistency::LinearizableInProgramOrder];

/// Whether any order explains the history.
pub(super) fn has_explanation<O: Judged>(history: &History<O>, consistency: Consistency) -> bool {
    let mut open = vec![Vec::new()];
    while let Some(order) = open.pop() {
        if explains(history, &order, consistency) {
            return true;
        }
        for next in (0..history.operations().len()).filter(|next| !order.contains(next)) {
            let next_operation = &history.operations()[next];
            let is_late =
                |&it: &usize| must_precede(next_operation, &history.operations()[it], consistency);
            if !order.iter().any(is_late) {
                open.push([order.clone(), vec![next]].concat());
            }
        }
    }
    false
}

/// Counts verdicts, to see that the drawn histories are not all of one kind.
#[derive(Debug, Default)]
struct Tally {
    consistent: usize,
    violated: usize,
    sequential_only: usize,
    /// Linearizable, but not in program order: a process pipelines.
    in_time_only: usize,
}

fn agree<O: Judged>(test: &str) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds() {
        let operations = 3 + (seed % 4) as u32;
        let patience = [Patience::AsksOn, Patience::Waits, Patience::Differs][seed as usize % 3];
        let history: History<O> = history(seed, Shape { processes: 3, operations, patience });
        let verdicts = KINDS.map(|consistency| {
            let expected = has_explanation(&history, consistency);
            let case = format!("{consistency}: {history:#?}\n{}", replay(seed, test));
            match search(&history, consistency, BUDGET) {
                SearchedOrder::Explained(order) => {
                    assert!(expected, "explained by mistake, {case}");
                    assert!(explains(&history, &order, consistency), "{order:?}, {case}");
                }
                SearchedOrder::Unexplained(_) => {
                    assert!(!expected, "unexplained by mistake, {case}")
                }
                SearchedOrder::Undecided => panic!("undecided, {case}"),
            }
            let mut text = Vec::new();
            write(&history, &mut text).expect("memory has room");
            let judgement = check(&text[..], &[consistency], BUDGET).expect("it was written so");
            let expected_verdict = match expected {
                true => HistoryVerdict::Consistent,
                false => HistoryVerdict::Violated,
            };
            assert_eq!(judgement.objects[0].findings[0].verdict, expected_verdict, "{case}");
            expected
        });
        match verdicts {
            [true, true, true] => tally.consistent += 1,
            [true, false, false] => tally.sequential_only += 1,
            [false, true, false] | [true, true, false] => tally.in_time_only += 1,
            [false, false, false] => tally.violated += 1,
            impossible => panic!("{impossible:?}: {history:#?}"),
        }
    }
    tally
}

#[test]
fn the_search_finds_an_order_whenever_there_is_one() {
    let test = "the_search_finds";
    let tallies = [
        agree::<Register>(test),
        agree::<Dictionary>(test),
        agree::<OrderedSet>(test),
        agree::<Queue>(test),
        agree::<Stack>(test),
        agree::<Heap>(test),
    ];
    for tally in tallies.iter().filter(|_| seeds().len() >= 1000) {
        let least = seeds().len() / 50;
        let counts = [tally.consistent, tally.violated, tally.sequential_only];
        assert!(counts.into_iter().all(|count| count >= least), "one-sided: {tally:?}");
    }
}

/// What other processes do later does not change what a process has waited for.
#[test]
fn a_process_has_waited_also_if_another_one_pipelines() {
    let waited = [
        (0, StackOp::Pop, Some(1), 0, Some(3)),
        (0, StackOp::Push(1), None, 3, Some(4)),
        (1, StackOp::Push(2), None, 10, Some(17)),
        (1, StackOp::Push(3), None, 12, Some(13)),
    ];
    for count in [2, 4] {
        let history: History<Stack> = told(&waited[..count]);
        let found = search(&history, Consistency::Linearizable, BUDGET);
        assert!(matches!(found, SearchedOrder::Unexplained(_)), "{count} operations: {found:?}");
    }
}

/// A random order as witness; pending operations have one or not.
fn with_random_witness<O: Judged>(seed: u64, history: &History<O>) -> (History<O>, Vec<usize>) {
    let mut random = Random::new(seed, Stream::Choices);
    let mut operations = history.operations().to_vec();
    let mut order: Vec<usize> = (0..operations.len()).collect();
    order.sort_by_key(|&index| operations[index].invoked + random.below(4));
    order.retain(|&index| !operations[index].is_pending() || random.below(2) == 0);
    for (place, &index) in order.iter().enumerate() {
        let place = place as i64;
        operations[index].witness = Some(vec![place / 3 - 1, place % 3]);
    }
    (History::new(operations).expect("all answered operations have a witness"), order)
}

fn witness_agrees<O: Judged>(test: &str) {
    let mut counts = [0, 0];
    for seed in seeds() {
        let operations = 3 + (seed % 4) as u32;
        let shape = Shape { processes: 3, operations, patience: Patience::AsksOn };
        let (history, order) = with_random_witness(seed, &history::<O>(seed, shape));
        if order.is_empty() {
            continue; // Then there is no witness.
        }
        let complaints = check_witness(&history);
        for consistency in KINDS {
            let complaint = complaints.about(consistency);
            let expected = explains(&history, &order, consistency);
            let case = format!("{consistency}: {history:#?}\n{}", replay(seed, test));
            assert_eq!(complaint.is_none(), expected, "{complaint:?}, {case}");
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(seeds().len() < 1000 || counts.iter().all(|&it| it > 100), "one-sided: {counts:?}");
}

#[test]
fn a_witness_is_accepted_if_and_only_if_its_order_is_right() {
    let test = "a_witness_is_accepted";
    witness_agrees::<Register>(test);
    witness_agrees::<Dictionary>(test);
    witness_agrees::<OrderedSet>(test);
    witness_agrees::<Queue>(test);
    witness_agrees::<Stack>(test);
    witness_agrees::<Heap>(test);
}

/// A queue's history in which the operations have these places.
fn placed(entries: &[Entry<QueueOp>], places: &[i64]) -> Complaints {
    let history: History<Queue> = told(entries);
    let mut operations = history.operations().to_vec();
    for (operation, &place) in operations.iter_mut().zip(places) {
        operation.witness = Some(vec![place]);
    }
    check_witness(&History::<Queue>::new(operations).expect("all have a witness"))
}

#[test]
fn complaints_name_what_is_wrong() {
    let entries = [
        (0, QueueOp::Enqueue(1), None, 0, Some(4)),
        (0, QueueOp::Enqueue(2), None, 1, Some(2)),
        (1, QueueOp::Dequeue, Some(1), 3, Some(5)),
    ];
    let fine = Complaints { answers: None, sequence: None, time: None };
    assert_eq!(placed(&entries, &[1, 2, 3]), fine);
    assert_eq!(placed(&entries, &[1, 3, 2]).time, Some(Complaint::AgainstTime(2, 1)));
    assert_eq!(placed(&entries, &[1, 3, 2]).about(Consistency::Sequential), None);
    let swapped = placed(&entries, &[2, 1, 3]);
    assert_eq!(swapped.sequence, Some(Complaint::OutOfSequence(1, 0)));
    assert_eq!(swapped.answers, Some(Complaint::WrongAnswer(2, Some(2))));
    assert_eq!(placed(&entries, &[1, 2, 2]).answers, Some(Complaint::SamePlace(1, 2)));
}
