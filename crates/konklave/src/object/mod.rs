//! Shared objects, each by its sequential specification: what it answers if one operation follows
//! the other.
//!
//! A distributed object is right if its answers can be explained by such a sequence. So these
//! specifications serve the monitor of the nodes that implement an object ([`Replay`]), the checker
//! of recorded histories, and a single server that simply is the object
//! ([`Central`](central::Central)). What processes that share an object ask for and are told is the
//! same for all objects ([`Command`], [`Event`]), and so are the promises ([`Monitor`]).
//!
//! Every object is empty at first, and everything in it is a number. In JSON, operations are
//! written as here:
//!
//! | object | operations |
//! |---|---|
//! | [`Register`] | `{"write":VALUE}`, `"read"` with answer |
//! | [`Dictionary`] | `{"put":{"key":K,"value":V}}`, `{"delete":K}`, `{"get":K}` with answer |
//! | [`OrderedSet`] | `{"insert":K}`, `{"delete":K}`, `{"contains":K}` with answer, the key |
//! | | `{"successor":K}`, `{"predecessor":K}`, `{"longest_prefix":K}` with answer, a key |
//! | | `{"count":{"key":K,"free":BITS}}` with answer, a number of keys |
//! | [`Queue`] | `{"enqueue":ID}`, `"dequeue"` with answer |
//! | [`Stack`] | `{"push":ID}`, `"pop"` with answer |
//! | [`Heap`] | `{"insert":{"id":ID,"priority":P}}`, `"delete_min"` with answer, an id |

mod afresh;
pub mod central;
mod dictionary;
mod explained;
mod heap;
mod one_by_one;
mod ordered_set;
mod queue;
mod register;
mod replay;
mod shared;
mod stack;

use std::fmt::Debug;
use std::hash::Hash;

pub use dictionary::{Dictionary, DictionaryOp};
pub use heap::{Heap, HeapOp};
pub use one_by_one::OneByOne;
pub use ordered_set::{OrderedSet, OrderedSetOp};
pub use queue::{Queue, QueueOp};
pub use register::{Register, RegisterOp};
pub use replay::{Fault, Places, Replay, Returned};
pub use shared::{Command, Event, Monitor};
pub use stack::{Stack, StackOp};

use crate::protocol::Data;

/// What an operation that asks for something gets: a number, or nothing.
pub type Answer = Option<u64>;

/// An object that does one operation after the other, empty at first.
pub trait Object: Clone + Debug + Default + Eq + Hash + Send + 'static {
    /// Its name in histories and options.
    const NAME: &'static str;
    /// What can be asked of it.
    type Op: Copy + Data;

    /// Carries `op` out if `answer` is a right one: an object may have several. Otherwise nothing
    /// changes, and a right answer is returned. The answer to an operation that asks for nothing
    /// does not matter.
    fn accept(&mut self, op: Self::Op, answer: Answer) -> Result<(), Answer>;

    /// Carries `op` out, and answers.
    fn apply(&mut self, op: Self::Op) -> Answer {
        let right = self.accept(op, None).err().flatten();
        if right.is_some() {
            let accepted = self.accept(op, right);
            debug_assert_eq!(accepted, Ok(()), "{} says so itself", Self::NAME);
        }
        right
    }

    /// Which element is removed first, if it holds elements.
    const DISCIPLINE: Option<Discipline> = None;

    /// How `op` is connected with others.
    fn nature(op: Self::Op) -> Nature;

    /// The [part](Nature::part) of the object that `op` is about.
    fn part(op: Self::Op) -> u64 {
        Self::nature(op).part()
    }

    /// The priority of the element that `op` inserts, where elements have one.
    fn priority(_op: Self::Op) -> u64 {
        0
    }

    /// How many numbers the object holds.
    fn size(&self) -> usize;
}

/// Which of its elements an object gives first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// The one that was inserted first.
    Fifo,
    /// The one that was inserted last.
    Lifo,
    /// One with the smallest priority.
    Priority,
}

/// What kind of operation it is, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Brings the element with this id, which no other operation brings.
    Insert(u64),
    /// Asks for an element and takes it out.
    Remove,
    /// Lets the key have this value, or none.
    Write(u64, Answer),
    /// Asks for the value of the key.
    Read(u64),
    /// Lets the key be among the keys.
    Add(u64),
    /// Lets the key be among the keys no longer.
    Discard(u64),
    /// Asks for one of the keys, and its answer may depend on all of them.
    Look,
}

impl Nature {
    /// Whether the operation has an answer.
    pub fn asks(self) -> bool {
        matches!(self, Self::Remove | Self::Read(_) | Self::Look)
    }

    /// The part of the object that the operation is about: operations on different parts do not
    /// depend on each other. Most objects have one part only.
    pub fn part(self) -> u64 {
        match self {
            Self::Write(key, _) | Self::Read(key) => key,
            _ => 0,
        }
    }

    /// What the operation puts there or finds there.
    pub fn value(self, answer: Answer) -> Answer {
        match self {
            Self::Insert(number) | Self::Add(number) => Some(number),
            Self::Write(_, value) => value,
            Self::Discard(_) => None,
            Self::Remove | Self::Read(_) | Self::Look => answer,
        }
    }

    /// The part, and what of it the operation has to do with. Without all operations that have to
    /// do with the same, all others keep their answers.
    pub fn subject(self, answer: Answer) -> (u64, Answer) {
        match self {
            Self::Discard(key) => (0, Some(key)),
            _ => (self.part(), self.value(answer)),
        }
    }
}

/// Accepts the answer to a question that changes nothing.
fn compare(right: Answer, answer: Answer) -> Result<(), Answer> {
    if right == answer { Ok(()) } else { Err(right) }
}
