//! Checkers that cannot fail prove nothing: here they have to catch structures that are wrong.
//!
//! The structures are small versions of distributed ones. An anchor gives every operation a place
//! in one order and a cell; insertions put their element into the cell, removals get it from there,
//! and each of these messages travels for as long as it likes.

use std::collections::{BTreeMap, HashMap};

use konklave_check::history::*;
use konklave_sim::random::{Random, Stream};

const KINDS: [Consistency; 2] = [Consistency::Sequential, Consistency::Linearizable];

/// What an operation does at the anchor, and where its element is then.
#[derive(Clone, Copy, Debug)]
enum Request {
    Put { id: u64, cell: Cell },
    Get(Option<Cell>),
}

/// A position, and how often it had been used before.
type Cell = (u64, u64);

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// A get that overtakes its put does not wait for it: it finds nothing.
    Overtaking,
    /// A cell is known by its position only, so that a get may find what a later put has brought.
    Reuse,
}

/// Messages to a cell in the order of their arrival: when, which operation, what it wants.
type Mail = Vec<(u64, usize, Request)>;

/// Requests in the order of the anchor, one per tick, each by a random process of three, and how
/// long its message to the cell travels.
fn deliver<O: Object>(
    requests: &[(O::Op, Request)],
    flaw: Flaw,
    random: &mut Random,
) -> History<O> {
    let mut operations: Vec<Operation<O::Op>> = Vec::new();
    let mut issued: HashMap<u32, u32> = HashMap::new();
    let mut cells: BTreeMap<Cell, Mail> = BTreeMap::new();
    for (index, &(op, request)) in requests.iter().enumerate() {
        let at = 2 * index as u64;
        let process = random.below(3) as u32;
        let seq = issued.entry(process).or_default();
        let arrives = at + 1 + random.below(12);
        let (cell, returned) = match request {
            Request::Put { cell, .. } | Request::Get(Some(cell)) => (Some(cell), arrives),
            Request::Get(None) => (None, at),
        };
        operations.push(Operation {
            process,
            seq: *seq,
            op,
            result: O::nature(op).asks().then_some(None),
            invoked: at,
            returned: Some(returned),
            witness: Some(vec![index as i64]),
        });
        *seq += 1;
        if let Some((position, use_before)) = cell {
            let use_before = if flaw == Flaw::Reuse { 0 } else { use_before };
            cells.entry((position, use_before)).or_default().push((arrives, index, request));
        }
    }
    for (_, mut mail) in cells {
        mail.sort_by_key(|&(arrives, index, _)| (arrives, index));
        answer(&mut operations, &mail, flaw);
    }
    History::new(operations).expect("a structure's history makes sense")
}

/// What happens in a cell: a put lies there until a get takes it, a get waits for a put.
fn answer<Op>(operations: &mut [Operation<Op>], mail: &Mail, flaw: Flaw) {
    let mut lying: Vec<u64> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for &(arrives, index, request) in mail {
        match request {
            Request::Put { id, .. } if waiting.is_empty() => lying.push(id),
            Request::Put { id, .. } => {
                let get = waiting.remove(0);
                operations[get].result = Some(Some(id));
                operations[get].returned = Some(arrives);
            }
            Request::Get(_) if !lying.is_empty() => {
                operations[index].result = Some(lying.pop());
            }
            Request::Get(_) if flaw == Flaw::Overtaking => {}
            Request::Get(_) => {
                operations[index].returned = None;
                operations[index].result = None;
                waiting.push(index);
            }
        }
    }
}

fn queue(seed: u64, flaw: Flaw) -> History<Queue> {
    let mut random = Random::new(seed, Stream::Workload);
    let (mut first, mut end) = (0, 0);
    let requests: Vec<(QueueOp, Request)> = (0..12)
        .map(|id| match random.below(2) {
            0 => {
                end += 1;
                (QueueOp::Enqueue(id), Request::Put { id, cell: (end - 1, 0) })
            }
            _ if first == end => (QueueOp::Dequeue, Request::Get(None)),
            _ => {
                first += 1;
                (QueueOp::Dequeue, Request::Get(Some((first - 1, 0))))
            }
        })
        .collect();
    deliver(&requests, flaw, &mut random)
}

fn stack(seed: u64, flaw: Flaw) -> History<Stack> {
    let mut random = Random::new(seed, Stream::Workload);
    let mut uses: HashMap<u64, u64> = HashMap::new();
    let mut top: Vec<Cell> = Vec::new();
    let requests: Vec<(StackOp, Request)> = (0..12)
        .map(|id| match random.below(2) {
            0 => {
                let uses = uses.entry(top.len() as u64).or_default();
                let cell = (top.len() as u64, *uses);
                *uses += 1;
                top.push(cell);
                (StackOp::Push(id), Request::Put { id, cell })
            }
            _ => (StackOp::Pop, Request::Get(top.pop())),
        })
        .collect();
    deliver(&requests, flaw, &mut random)
}

fn is_violated<O: Object>(history: &History<O>, consistency: Consistency) -> bool {
    match search(history, consistency, BUDGET) {
        Outcome::Explained(_) => false,
        Outcome::Unexplained(_) => true,
        Outcome::Undecided => panic!("too hard"),
    }
}

/// Every history of the right structure is fine, by its witness and by search.
fn is_accepted<O: Object>(make: impl Fn(u64, Flaw) -> History<O>) {
    for seed in 0..200 {
        let history = make(seed, Flaw::None);
        for consistency in KINDS {
            let complaint = check_witness(&history).about(consistency);
            assert_eq!(complaint, None, "seed {seed}: {history:#?}");
            assert!(!is_violated(&history, consistency), "seed {seed}: {history:#?}");
        }
    }
}

/// How many of 200 histories break the witness order, and how many operations there are in the
/// cores of those that no order explains: for each number, how often.
fn cores<O: Object>(
    make: impl Fn(u64, Flaw) -> History<O>,
    flaw: Flaw,
    consistency: Consistency,
) -> (usize, BTreeMap<usize, usize>) {
    let mut broken = 0;
    let mut sizes = BTreeMap::new();
    for seed in 0..200 {
        let history = make(seed, flaw);
        let has_complaint = check_witness(&history).about(consistency).is_some();
        broken += usize::from(has_complaint);
        if is_violated(&history, consistency) {
            assert!(has_complaint, "seed {seed}: the witness explains what nothing explains");
            let core = shrink(&history, consistency, BUDGET);
            *sizes.entry(core.len()).or_default() += 1;
        }
    }
    (broken, sizes)
}

/// The shortest are an enqueue and a dequeue after it that finds nothing; others need a second
/// element that was found while the first was not.
#[test]
fn a_get_that_overtakes_its_put_is_caught() {
    is_accepted(queue);
    let sequential = cores(queue, Flaw::Overtaking, Consistency::Sequential);
    assert_eq!(sequential, (96, BTreeMap::from([(2, 35), (3, 34), (4, 8), (6, 2), (7, 1)])));
    let linearizable = cores(queue, Flaw::Overtaking, Consistency::Linearizable);
    assert_eq!(linearizable, (96, BTreeMap::from([(2, 24), (3, 33)])));
}

/// The shortest are a pop and a push after it whose element it found; in real time, a push and a
/// pop after it that found nothing. Most of the histories can be explained by another order than
/// that of the anchor, because the pop waits for the push.
#[test]
fn a_position_that_is_used_again_is_caught() {
    is_accepted(stack);
    let sequential = cores(stack, Flaw::Reuse, Consistency::Sequential);
    assert_eq!(sequential, (112, BTreeMap::from([(2, 36), (3, 4), (4, 3), (5, 2), (7, 1)])));
    let linearizable = cores(stack, Flaw::Reuse, Consistency::Linearizable);
    assert_eq!(linearizable, (112, BTreeMap::from([(2, 5), (3, 4)])));
}
