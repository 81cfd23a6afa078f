//! What each object does if one operation follows the other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What an operation that asks for something gets: a number, or nothing.
pub type Answer = Option<u64>;

/// An object that does one operation after the other, empty at first.
pub trait Object: Clone + Debug + Default + Eq + Hash {
    /// What a history calls it.
    const NAME: &'static str;
    /// What can be asked of it.
    type Op: Copy + Debug + Eq + Serialize + DeserializeOwned;

    /// Carries `op` out if `answer` is a right one. Otherwise nothing changes, and a right answer
    /// is returned. The answer to an operation that asks for nothing does not matter.
    fn apply(&mut self, op: Self::Op, answer: Answer) -> Result<(), Answer>;

    /// How `op` is connected with others.
    fn nature(op: Self::Op) -> Nature;

    /// How many numbers the object holds.
    fn size(&self) -> usize;
}

/// What kind of operation it is, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Brings the element with this id.
    Insert(u64),
    /// Asks for an element and takes it out.
    Remove,
    /// Lets the key have this value, or none.
    Write(u64, Answer),
    /// Asks for the value of the key.
    Read(u64),
}

impl Nature {
    /// Whether the operation has an answer.
    pub fn asks(self) -> bool {
        matches!(self, Self::Remove | Self::Read(_))
    }

    /// The key that the operation is about; objects without keys have one.
    pub fn key(self) -> u64 {
        match self {
            Self::Insert(_) | Self::Remove => 0,
            Self::Write(key, _) | Self::Read(key) => key,
        }
    }

    /// What the operation puts there or finds there.
    pub fn value(self, answer: Answer) -> Answer {
        match self {
            Self::Insert(id) => Some(id),
            Self::Write(_, value) => value,
            Self::Remove | Self::Read(_) => answer,
        }
    }
}

fn compare(right: Answer, answer: Answer) -> Result<(), Answer> {
    if right == answer { Ok(()) } else { Err(right) }
}

/// A value that is written and read; nothing at first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Register(Answer);

/// What can be asked of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegisterOp {
    /// Have this value from now on.
    Write(u64),
    /// Which value is it?
    Read,
}

impl Object for Register {
    const NAME: &'static str = "register";
    type Op = RegisterOp;

    fn apply(&mut self, op: RegisterOp, answer: Answer) -> Result<(), Answer> {
        match op {
            RegisterOp::Write(value) => self.0 = Some(value),
            RegisterOp::Read => compare(self.0, answer)?,
        }
        Ok(())
    }

    fn nature(op: RegisterOp) -> Nature {
        match op {
            RegisterOp::Write(value) => Nature::Write(0, Some(value)),
            RegisterOp::Read => Nature::Read(0),
        }
    }

    fn size(&self) -> usize {
        1
    }
}

/// Keys with a value each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dictionary(BTreeMap<u64, u64>);

/// What can be asked of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DictionaryOp {
    /// Let the key have this value.
    Put {
        /// Which key.
        key: u64,
        /// Its value.
        value: u64,
    },
    /// Let this key have no value.
    Delete(u64),
    /// Which value has this key?
    Get(u64),
}

impl Object for Dictionary {
    const NAME: &'static str = "dictionary";
    type Op = DictionaryOp;

    fn apply(&mut self, op: DictionaryOp, answer: Answer) -> Result<(), Answer> {
        match op {
            DictionaryOp::Put { key, value } => _ = self.0.insert(key, value),
            DictionaryOp::Delete(key) => _ = self.0.remove(&key),
            DictionaryOp::Get(key) => compare(self.0.get(&key).copied(), answer)?,
        }
        Ok(())
    }

    fn nature(op: DictionaryOp) -> Nature {
        match op {
            DictionaryOp::Put { key, value } => Nature::Write(key, Some(value)),
            DictionaryOp::Delete(key) => Nature::Write(key, None),
            DictionaryOp::Get(key) => Nature::Read(key),
        }
    }

    fn size(&self) -> usize {
        2 * self.0.len()
    }
}

/// First in, first out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Queue(VecDeque<u64>);

/// What can be asked of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueOp {
    /// Append this element.
    Enqueue(u64),
    /// Take out the element that has waited longest.
    Dequeue,
}

impl Object for Queue {
    const NAME: &'static str = "queue";
    type Op = QueueOp;

    fn apply(&mut self, op: QueueOp, answer: Answer) -> Result<(), Answer> {
        match op {
            QueueOp::Enqueue(id) => self.0.push_back(id),
            QueueOp::Dequeue => {
                compare(self.0.front().copied(), answer)?;
                self.0.pop_front();
            }
        }
        Ok(())
    }

    fn nature(op: QueueOp) -> Nature {
        match op {
            QueueOp::Enqueue(id) => Nature::Insert(id),
            QueueOp::Dequeue => Nature::Remove,
        }
    }

    fn size(&self) -> usize {
        self.0.len()
    }
}

/// Last in, first out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stack(Vec<u64>);

/// What can be asked of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StackOp {
    /// Lay this element on top.
    Push(u64),
    /// Take off the element on top.
    Pop,
}

impl Object for Stack {
    const NAME: &'static str = "stack";
    type Op = StackOp;

    fn apply(&mut self, op: StackOp, answer: Answer) -> Result<(), Answer> {
        match op {
            StackOp::Push(id) => self.0.push(id),
            StackOp::Pop => {
                compare(self.0.last().copied(), answer)?;
                self.0.pop();
            }
        }
        Ok(())
    }

    fn nature(op: StackOp) -> Nature {
        match op {
            StackOp::Push(id) => Nature::Insert(id),
            StackOp::Pop => Nature::Remove,
        }
    }

    fn size(&self) -> usize {
        self.0.len()
    }
}

/// The smallest priority first; among equals, any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Heap(BTreeSet<(u64, u64)>);

/// What can be asked of a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeapOp {
    /// Add an element.
    Insert {
        /// Which element.
        id: u64,
        /// Small ones go first.
        priority: u64,
    },
    /// Take out an element that no other is before.
    DeleteMin,
}

impl Object for Heap {
    const NAME: &'static str = "heap";
    type Op = HeapOp;

    fn apply(&mut self, op: HeapOp, answer: Answer) -> Result<(), Answer> {
        match op {
            HeapOp::Insert { id, priority } => _ = self.0.insert((priority, id)),
            HeapOp::DeleteMin => match (self.0.first().copied(), answer) {
                (None, None) => {}
                (Some((least, _)), Some(id)) if self.0.remove(&(least, id)) => {}
                (first, _) => return Err(first.map(|(_, id)| id)),
            },
        }
        Ok(())
    }

    fn nature(op: HeapOp) -> Nature {
        match op {
            HeapOp::Insert { id, .. } => Nature::Insert(id),
            HeapOp::DeleteMin => Nature::Remove,
        }
    }

    fn size(&self) -> usize {
        2 * self.0.len()
    }
}
