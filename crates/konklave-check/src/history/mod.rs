//! Histories of a shared object, and whether they can be explained.
//!
//! A history is a list of operations: who asked what and when, and what was answered and when. It
//! is *consistent* if all operations can be put in one order in which the object, doing one after
//! the other, would have given the same answers. Two kinds of consistency differ in which orders
//! are allowed ([`Consistency`]).
//!
//! # Form
//!
//! On disk a history is JSON Lines. The first line names the form and the object:
//!
//! ```text
//! {"konklave_history":1,"object":"queue"}
//! ```
//!
//! Each other line is an [`Operation`], in any order:
//!
//! ```text
//! {"process":0,"seq":0,"op":{"enqueue":5},"invoked":3,"returned":9,"witness":[1,0,2]}
//! {"process":1,"seq":0,"op":"dequeue","result":5,"invoked":4,"returned":12,"witness":[1,0,3]}
//! ```
//!
//! [`konklave::object`] lists the objects and their operations. An operation that asks for
//! something has a `result`, `null` if there is nothing. Everything is a whole number. Elements of
//! queues, stacks and heaps are unique: none is inserted twice. Among elements of the same
//! priority, a heap may give any.
//!
//! A history may be about several objects. Then the first line names them, each operation says
//! which it is about, and `seq` counts the operations of a process on all of them:
//!
//! ```text
//! {"konklave_history":1,"objects":{"jobs":"queue","done":"ordered_set"}}
//! {"object":"jobs","process":0,"seq":0,"op":{"enqueue":5},"invoked":3,"returned":9}
//! ```
//!
//! Each object is judged by itself, and then all together. If each is linearizable, so are all
//! together, unless a process went from one to another at a single tick; of sequential consistency
//! this is not true.
//!
//! # Pipelining
//!
//! Operations of one process may overlap: it invokes the next before the last has returned. In the
//! textbooks a process waits, so that real time implies program order, and every linearizable
//! history is sequentially consistent. Of a process that pipelines this is not true: real time
//! leaves the order of its overlapping operations open, its program order does not. So there is a
//! third condition, that one order agrees with both ([`Consistency`]).
//!
//! # Equal ticks
//!
//! An operation that returns at the tick at which another is invoked overlaps it: which came first
//! is unknown. But of one process it came first, as the process knows what it has waited for.
//!
//! # Pending operations
//!
//! An operation that has not returned may have had its effect or not, so an order may have it or
//! leave it out. That includes removals: a pending one may have taken an element that no process
//! got.

mod case;
mod conditions;
mod joint;
mod lanes;
mod read;
mod report;
mod search;
mod shrink;
mod sources;
mod witness;

pub use conditions::{Condition, check_conditions};
pub use read::{Malformed, OBJECTS, VERSION, write};
pub use report::{
    BUDGET, Explanation, Finding, HistoryReport, HistoryVerdict, Judged, Judgement, Method, Shown,
    check,
};
pub use search::{Obstacle, SearchedOrder, Stuck, search};
pub use shrink::shrink;
pub use witness::{Complaint, Complaints, check_witness};

use std::fmt::{self, Display};

pub use konklave::object::{Answer, Nature, Object};
pub use konklave::object::{Dictionary, Heap, OrderedSet, Queue, Register, Stack};
pub use konklave::object::{DictionaryOp, HeapOp, OrderedSetOp, QueueOp, RegisterOp, StackOp};
use serde::{Deserialize, Deserializer, Serialize};

/// Which orders of the operations are allowed as an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Consistency {
    /// Those in which the operations of each process stand as it issued them.
    Sequential,
    /// Those in which an operation that returned before another was invoked stands before it; of
    /// one process also if that was at the same tick.
    /// Operations of one process may overlap, and those that do may stand in any order.
    Linearizable,
    /// Those that are both. They differ from the linearizable ones only if a process pipelines.
    LinearizableInProgramOrder,
}

impl Consistency {
    /// Whether the operations of a process must stand as it issued them.
    fn keeps_program_order(self) -> bool {
        self != Self::Linearizable
    }

    /// Whether what does not overlap must stand as it happened.
    fn keeps_time(self) -> bool {
        self != Self::Sequential
    }
}

impl Display for Consistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sequential => "sequentially consistent",
            Self::Linearizable => "linearizable",
            Self::LinearizableInProgramOrder => "linearizable in program order",
        })
    }
}

/// One operation of a history, as it stands on its line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation<Op> {
    /// The process that asked.
    pub process: u32,
    /// How many operations the process had issued before.
    pub seq: u32,
    /// What was asked.
    pub op: Op,
    /// What was answered. Stands on every operation that asks for something and has returned.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Answer>,
    /// When it was asked.
    pub invoked: u64,
    /// When the answer was there; none if it is still pending at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<u64>,
    /// Its place in the order that the object claims to have followed; lists are compared from
    /// the left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Vec<i64>>,
}

/// A field that is there, even if it is `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Answer>, D::Error> {
    Answer::deserialize(deserializer).map(Some)
}

impl<Op: Copy> Operation<Op> {
    /// Whether the answer is still missing at the end.
    pub fn is_pending(&self) -> bool {
        self.returned.is_none()
    }

    /// What was answered: something or nothing.
    pub fn answer(&self) -> Answer {
        self.result.flatten()
    }

    /// Whether it had returned before `other` was invoked; at the very tick, if its process has
    /// waited for it.
    pub fn precedes(&self, other: &Self) -> bool {
        let is_earlier = self.process == other.process && self.seq < other.seq;
        self.returned.is_some_and(|returned| {
            returned < other.invoked || (is_earlier && returned == other.invoked)
        })
    }
}

/// A well-formed history of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<O: Object> {
    operations: Vec<Operation<O::Op>>,
}

impl<O: Object> History<O> {
    /// All operations, as they were given.
    pub fn operations(&self) -> &[Operation<O::Op>] {
        &self.operations
    }

    /// How many processes pipeline: they invoke an operation before the last one has returned. To
    /// invoke it at the very tick of the return is to have waited.
    pub fn pipelining(&self) -> usize {
        pipelining(&self.operations)
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        processes(&self.operations)
    }

    /// Whether it says in which order the object claims to have followed.
    pub fn has_witness(&self) -> bool {
        self.operations.iter().any(|operation| operation.witness.is_some())
    }
}

fn pipelining<Op>(operations: &[Operation<Op>]) -> usize {
    let waits = |last: &Operation<Op>, next: &Operation<Op>| {
        last.returned.is_some_and(|returned| returned <= next.invoked)
    };
    let mut order: Vec<&Operation<Op>> = operations.iter().collect();
    order.sort_unstable_by_key(|operation| (operation.process, operation.seq));
    let of_one = order.chunk_by(|one, other| one.process == other.process);
    of_one.filter(|it| it.windows(2).any(|pair| !waits(pair[0], pair[1]))).count()
}

fn processes<Op>(operations: &[Operation<Op>]) -> usize {
    let mut processes: Vec<u32> = operations.iter().map(|o| o.process).collect();
    processes.sort_unstable();
    processes.dedup();
    processes.len()
}
