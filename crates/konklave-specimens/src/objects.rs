//! Shared objects gone wrong: what they answer cannot be explained.
//!
//! They are small versions of distributed ones. An anchor gives every operation a place in one
//! order and a cell; insertions put their element into the cell, removals get it from there, and
//! each of these messages travels for as long as it likes. What they answer is a [`History`].

use std::collections::{BTreeMap, HashMap};

use konklave_check::history::{History, Object, Operation, Queue, QueueOp, Stack, StackOp, write};
use serde::Serialize;

/// An object that is wrong, and a history of it that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenObject {
    /// Its name: the right object and the flaw.
    pub name: &'static str,
    /// The right object.
    pub of: &'static str,
    /// What is wrong, and why it matters.
    pub flaw: &'static str,
    /// Of the seeds from 0 on, the first that draws a history that is not sequentially consistent.
    pub seed: u64,
    /// How many of its operations are enough to see that.
    pub operations: usize,
    #[serde(skip)]
    slip: Slip,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// Nothing.
    None,
    /// A get that overtakes its put does not wait for it: it finds nothing.
    Overtaking,
    /// A cell is known by its position only, so that a get may find what a later put has brought.
    Reuse,
}

/// All of them.
pub const OBJECTS: [BrokenObject; 2] = [
    BrokenObject {
        name: "queue-get-overtakes-put",
        of: "queue",
        flaw: "A dequeue that comes to the place of its element before the element does finds \
               nothing, instead of waiting for it.",
        seed: 1,
        operations: 4,
        slip: Slip::Overtaking,
    },
    BrokenObject {
        name: "stack-reuses-position",
        of: "stack",
        flaw: "A place is known by its height alone, not by how often it was used before: a pop \
               may find what was pushed after it.",
        seed: 9,
        operations: 2,
        slip: Slip::Reuse,
    },
];

impl BrokenObject {
    /// The object with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OBJECTS.iter().find(|object| object.name == name)
    }

    /// One of its histories, in the form that is read. `below` draws a number below another.
    pub fn history(&self, below: &mut dyn FnMut(u64) -> u64) -> Vec<u8> {
        let mut text = Vec::new();
        let written = match self.slip {
            Slip::None | Slip::Overtaking => write(&queue(self.slip, below), &mut text),
            Slip::Reuse => write(&stack(self.slip, below), &mut text),
        };
        written.expect("memory can be written");
        text
    }
}

/// What an operation does at the anchor, and where its element is then.
#[derive(Clone, Copy, Debug)]
enum Request {
    Put { id: u64, cell: Cell },
    Get(Option<Cell>),
}

/// A position, and how often it had been used before.
type Cell = (u64, u64);

/// Messages to a cell in the order of their arrival: when, which operation, what it wants.
type Mail = Vec<(u64, usize, Request)>;

/// A history of twelve operations on a queue.
pub fn queue(slip: Slip, below: &mut dyn FnMut(u64) -> u64) -> History<Queue> {
    let (mut first, mut end) = (0, 0);
    let requests: Vec<(QueueOp, Request)> = (0..12)
        .map(|id| match below(2) {
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
    deliver(&requests, slip, below)
}

/// A history of twelve operations on a stack.
pub fn stack(slip: Slip, below: &mut dyn FnMut(u64) -> u64) -> History<Stack> {
    let mut uses: HashMap<u64, u64> = HashMap::new();
    let mut top: Vec<Cell> = Vec::new();
    let requests: Vec<(StackOp, Request)> = (0..12)
        .map(|id| match below(2) {
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
    deliver(&requests, slip, below)
}

/// Requests in the order of the anchor, one per tick, each by a random process of three, and how
/// long its message to the cell travels.
fn deliver<O: Object>(
    requests: &[(O::Op, Request)],
    slip: Slip,
    below: &mut dyn FnMut(u64) -> u64,
) -> History<O> {
    let mut operations: Vec<Operation<O::Op>> = Vec::new();
    let mut issued: HashMap<u32, u32> = HashMap::new();
    let mut cells: BTreeMap<Cell, Mail> = BTreeMap::new();
    for (index, &(op, request)) in requests.iter().enumerate() {
        let at = 2 * index as u64;
        let process = below(3) as u32;
        let seq = issued.entry(process).or_default();
        let arrives = at + 1 + below(12);
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
            let use_before = if slip == Slip::Reuse { 0 } else { use_before };
            cells.entry((position, use_before)).or_default().push((arrives, index, request));
        }
    }
    for (_, mut mail) in cells {
        mail.sort_by_key(|&(arrives, index, _)| (arrives, index));
        answer(&mut operations, &mail, slip);
    }
    History::new(operations).expect("a structure's history makes sense")
}

/// What happens in a cell: a put lies there until a get takes it, a get waits for a put.
fn answer<Op>(operations: &mut [Operation<Op>], mail: &Mail, slip: Slip) {
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
            Request::Get(_) if slip == Slip::Overtaking => {}
            Request::Get(_) => {
                operations[index].returned = None;
                operations[index].result = None;
                waiting.push(index);
            }
        }
    }
}
