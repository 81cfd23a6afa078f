//! What is said about histories that no search gets to the end of, and how much of it is sure.

use konklave_check::history::Consistency::{Linearizable, LinearizableInProgramOrder, Sequential};
use konklave_check::history::DictionaryOp::{Get, Put};
use konklave_check::history::QueueOp::{Dequeue, Enqueue};
use konklave_check::history::StackOp::{Pop, Push};
use konklave_check::history::*;
use konklave_sim::random::{Random, Stream};

use super::hand::{Entry, told};

/// What is found about both kinds of consistency.
fn findings<O: Object>(history: &History<O>, budget: u64) -> [Finding; 2] {
    [Sequential, Linearizable].map(|kind| finding(history, kind, budget))
}

fn written<O: Object>(history: &History<O>) -> Vec<u8> {
    let mut text = Vec::new();
    write(history, &mut text).expect("memory can be written");
    text
}

/// What is found if only this kind is asked for.
fn finding<O: Object>(history: &History<O>, kind: Consistency, budget: u64) -> Finding {
    let mut judgement =
        check(&written(history)[..], &[kind], budget).expect("what was written can be read");
    let report = judgement.objects.pop().expect("it is about one object");
    report.findings.into_iter().next().expect("one was asked for")
}

/// The core, and why none of it can be next, in words.
fn reasons(finding: &Finding) -> (Vec<String>, Vec<String>) {
    let explanation = finding.explanation.as_ref().expect("a violation is explained");
    let core = explanation.core.iter().map(|it| it.what.clone());
    let stuck = explanation.stuck.iter().map(|(it, reason)| format!("{}: {reason}", it.what));
    (core.collect(), stuck.collect())
}

/// Many pushes at once: what comes after them has to be tried in every order of them.
fn hopeless(pops: &[Answer]) -> Vec<Entry<StackOp>> {
    let push = |process: u32| (process, Push(process.into()), None, 0, Some(9));
    let pop = |(answer, process): (&Answer, u32)| (process, Pop, *answer, 10, Some(11));
    (0..20).map(push).chain(pops.iter().zip(20..).map(pop)).collect()
}

const LITTLE: u64 = 20_000;

#[test]
fn an_answer_from_nowhere_is_a_violation() {
    let history = told::<Stack>(&hopeless(&[Some(3), Some(77)]));
    for finding in findings(&history, LITTLE) {
        assert_eq!((finding.verdict, finding.method), (HistoryVerdict::Violated, Method::Sources));
        let stuck = "pop -> 77: no operation inserts 77".to_owned();
        assert_eq!(reasons(&finding), (vec!["pop -> 77".to_owned()], vec![stuck]));
    }
    let history = told::<Dictionary>(&[
        (0, Put { key: 1, value: 5 }, None, 0, Some(1)),
        (1, Get(2), Some(5), 0, Some(1)),
    ]);
    for finding in findings(&history, BUDGET) {
        assert_eq!((finding.verdict, finding.method), (HistoryVerdict::Violated, Method::Sources));
        assert_eq!(reasons(&finding).0, ["get 2 -> 5"]);
    }
}

#[test]
fn an_element_that_two_got_is_a_violation() {
    let history = told::<Stack>(&hopeless(&[Some(3), Some(3)]));
    for finding in findings(&history, LITTLE) {
        assert_eq!((finding.verdict, finding.method), (HistoryVerdict::Violated, Method::Sources));
        let (core, stuck) = reasons(&finding);
        assert_eq!(core, ["push 3", "pop -> 3", "pop -> 3"]);
        assert_eq!(stuck, ["pop -> 3: the result would be nothing"]);
    }
}

/// Eight processes that wait for their answers, and a queue that takes its time, but not more than
/// this: each operation has its effect at some time between its invocation and its return.
fn busy(seed: u64, patience: u64) -> Vec<Entry<QueueOp>> {
    let mut random = Random::new(seed, Stream::Workload);
    let mut queue = Vec::new();
    let mut free = [0; 8];
    let mut entries = Vec::new();
    let mut time = 0;
    while entries.len() < 144 {
        time += 10;
        let process = random.below(8) as usize;
        if free[process] >= time {
            continue;
        }
        let invoked = free[process] + 1 + random.below(time - free[process]);
        let returned = time + random.below(patience);
        free[process] = returned;
        let (op, answer) = match random.below(2) {
            0 => (Enqueue(time), None),
            _ if queue.is_empty() => (Dequeue, None),
            _ => (Dequeue, Some(queue.remove(0))),
        };
        if let Enqueue(id) = op {
            queue.push(id);
        }
        entries.push((process as u32, op, answer, invoked, Some(returned)));
    }
    entries
}

/// Whether the search alone decides this.
fn is_hopeless<O: Object>(history: &History<O>, kind: Consistency, budget: u64) -> bool {
    search(history, kind, budget) == SearchedOrder::Undecided
}

/// Fine in time, as the first two overlap, but not in the order in which a process issued them.
const SWAPPED: [Entry<QueueOp>; 4] = [
    (8, Enqueue(1), None, 90_000, Some(90_009)),
    (8, Enqueue(2), None, 90_001, Some(90_009)),
    (9, Dequeue, Some(2), 90_010, Some(90_011)),
    (9, Dequeue, Some(1), 90_012, Some(90_013)),
];

/// An order that respects time respects the order of each process that waits for its answers.
#[test]
fn what_is_linearizable_is_sequentially_consistent() {
    let mut hard = 0;
    for seed in 0..200 {
        let history = told::<Queue>(&busy(seed, 150));
        let is_hard = is_hopeless(&history, Sequential, LITTLE);
        let is_easy = !is_hopeless(&history, Linearizable, LITTLE);
        hard += usize::from(is_hard && is_easy);
        if is_easy {
            let found = findings(&history, LITTLE).map(|finding| finding.verdict);
            assert_eq!(found, [HistoryVerdict::Consistent; 2], "seed {seed}");
        }
    }
    assert!(hard > 10, "only {hard} need the one to know the other");
}

/// A process that does not wait may find its operations swapped: then nothing follows.
#[test]
fn of_overlapping_operations_nothing_is_concluded() {
    let mut hard = 0;
    for seed in 0..200 {
        let mut entries = busy(seed, 150);
        // Nothing is left in the queue for those who come last.
        let is_taken = |id| entries.iter().any(|it| it.1 == Dequeue && it.2 == Some(id));
        let left = entries.iter().filter_map(|it| match it.1 {
            Enqueue(id) if !is_taken(id) => Some(id),
            _ => None,
        });
        let left: Vec<_> = left.collect();
        entries.extend(
            left.into_iter().zip(80_000..).map(|(id, at)| (10, Dequeue, Some(id), at, Some(at))),
        );
        entries.extend(SWAPPED);
        let history = told::<Queue>(&entries);
        let [sequential, linearizable] = findings(&history, LITTLE).map(|finding| finding.verdict);
        assert_ne!(sequential, HistoryVerdict::Consistent, "seed {seed}");
        assert_ne!(linearizable, HistoryVerdict::Violated, "seed {seed}");
        let verdicts = (sequential, linearizable);
        hard += usize::from(verdicts == (HistoryVerdict::Undecided, HistoryVerdict::Consistent));
    }
    assert!(hard > 10, "only {hard} could be concluded wrongly");
}

/// Nobody can get the 5 of key 2 before somebody puts it there, who wants to get it first. But key
/// 1 alone is too much for a search that takes each key by itself.
#[test]
fn what_is_not_sequentially_consistent_is_not_linearizable() {
    let mut entries = Vec::new();
    for process in 0..14 {
        entries.push((process, Get(2), Some(5), 0, Some(1)));
        entries.push((process, Put { key: 1, value: process.into() }, None, 2, Some(9)));
    }
    entries.push((20, Get(1), None, 10, Some(11)));
    entries.push((21, Get(2), Some(5), 0, Some(1)));
    entries.push((21, Put { key: 2, value: 5 }, None, 2, Some(3)));
    entries.extend([0, 1].map(|at| (22, Put { key: 2, value: at }, None, at, Some(at))));
    let history = told::<Dictionary>(&entries);
    assert!(is_hopeless(&history, Linearizable, LITTLE));
    let finding = finding(&history, Linearizable, LITTLE);
    assert_eq!((finding.consistency, finding.verdict), (Linearizable, HistoryVerdict::Violated));
    assert_eq!(reasons(&finding).0, ["get 2 -> 5", "put key 2 value 5"]);

    // Without waiting for the answer, it may put the 5 there and get it after that.
    let late = entries.iter_mut().find(|it| it.1 == Put { key: 2, value: 5 });
    late.expect("it is there").3 = 0;
    let history = told::<Dictionary>(&entries);
    let verdicts = findings(&history, LITTLE).map(|finding| finding.verdict);
    assert_eq!(verdicts, [HistoryVerdict::Violated, HistoryVerdict::Undecided]);
}

/// The history with witnesses made from the places of its operations.
fn witnessed<O: Object>(entries: &[Entry<O::Op>], witness: impl Fn(i64) -> i64) -> History<O> {
    let mut operations = told::<O>(entries).operations().to_vec();
    for (place, operation) in operations.iter_mut().enumerate() {
        operation.witness = Some(vec![witness(place as i64)]);
    }
    History::new(operations).expect("it makes sense")
}

/// The order that is claimed is wrong. That is no proof that no other is right, unless already what
/// it is wrong about cannot be explained.
#[test]
fn a_broken_witness_is_no_proof() {
    let history = witnessed::<Stack>(&hopeless(&[None]), |place| place);
    assert!(is_hopeless(&history, Linearizable, LITTLE));
    let proven = finding(&history, Linearizable, LITTLE);
    assert!(proven.broken_witness.is_some());
    assert_eq!((proven.verdict, proven.method), (HistoryVerdict::Violated, Method::Search));
    let (core, stuck) = reasons(&proven);
    assert_eq!(core, ["push 19", "pop -> nothing"]);
    assert_eq!(stuck, ["pop -> nothing: the result would be 19"]);

    let history = witnessed::<Queue>(&busy(0, 200), |place| -place);
    for finding in findings(&history, LITTLE) {
        assert_eq!((finding.verdict, finding.method), (HistoryVerdict::Undecided, Method::Search));
        assert!(finding.broken_witness.is_some() && finding.explanation.is_none());
    }
}

/// The process invokes its dequeue before its enqueue has returned. In real time the two may be
/// swapped, so nothing is found; in program order they may not.
#[test]
fn a_process_that_pipelines_may_be_linearizable_only() {
    let entries = [(0, Enqueue(1), None, 0, Some(5)), (0, Dequeue, None, 1, Some(3))];
    let history = told::<Queue>(&entries);
    assert_eq!(history.pipelining(), 1);
    let verdicts = findings(&history, BUDGET).map(|finding| finding.verdict);
    assert_eq!(verdicts, [HistoryVerdict::Violated, HistoryVerdict::Consistent]);
    let both = finding(&history, LinearizableInProgramOrder, BUDGET);
    assert_eq!(both.verdict, HistoryVerdict::Violated);
}

/// A process that pipelines writes 1, then 2, and after both have returned, another one reads 1.
/// Program order explains it if the read comes early, real time if the writes are swapped.
#[test]
fn two_conditions_may_need_two_orders() {
    use RegisterOp::{Read, Write};
    let write = |value, invoked, returned| (0, Write(value), None, invoked, Some(returned));
    for (found, is_one_order) in [(1, HistoryVerdict::Violated), (2, HistoryVerdict::Consistent)] {
        let entries = [write(1, 0, 5), write(2, 1, 4), (1, Read, Some(found), 6, Some(7))];
        let text = written(&told::<Register>(&entries));
        let reports = check(&text[..], &[Sequential, Linearizable], BUDGET).unwrap();
        let [report] = &reports.objects[..] else { panic!("it is about one object") };
        assert_eq!(report.pipelining, 1);
        let found: Vec<_> = report.findings.iter().map(|it| (it.consistency, it.verdict)).collect();
        let expected = [
            (Sequential, HistoryVerdict::Consistent),
            (Linearizable, HistoryVerdict::Consistent),
            (LinearizableInProgramOrder, is_one_order),
        ];
        assert_eq!(found, expected);
    }
}
