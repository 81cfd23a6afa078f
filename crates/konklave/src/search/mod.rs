//! A distributed search structure: keys, and which of them are near a given one.
//!
//! Keys are strings of bits. A process inserts a key or deletes one, and asks for a key that shares
//! the longest prefix with another, for the next larger or smaller one, or how many begin with the
//! same bits. The entries of the structure lie in a distributed dictionary, so what matters is how
//! many of them an operation reads and writes.
//!
//! The witness of an insert or delete is the number of those before it, and the witness of a
//! question is the number of inserts and deletes that it has seen:
//! [`Places::OfChanges`](crate::object::Places::OfChanges).
//!
//! Promises:
//! - **sequentially consistent** (safety): all operations can be put in one order that agrees with
//!   the program order of each process, in which a single ordered set would have answered the same;
//! - **linearizable** (safety): and that order agrees with real time;
//! - **every operation returns** (liveness): every operation eventually returns, and only once;
//! - **joins and leaves end** (liveness): a process that wants to join or to leave eventually has.

mod label;
pub mod patricia;
mod record;
mod session;
mod task;
mod trie;
mod update;
mod view;
mod words;

use crate::object;
pub use crate::object::{Event, OrderedSet, OrderedSetOp};
pub use label::Label;
pub use record::{Inner, Leaf, Record};
pub use task::{Ask, Change, Task, Turn};
pub use trie::Trie;
pub use words::Words;

/// What a process asks for.
pub type Command = object::Command<OrderedSetOp>;
/// Watches that the promises are kept.
pub type Monitor = object::Monitor<OrderedSet>;

/// Which nodes a trie has beside those of the Patricia trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Support {
    /// One at every length: the plain trie.
    Every,
    /// None: the Patricia trie.
    None,
    /// One on each edge, where a binary search would look first: the hashed Patricia trie.
    Msd,
}

/// How a trie is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Which nodes there are.
    pub support: Support,
    /// Whether leaves know their neighbours, and inner nodes the first and last key below them.
    pub is_linked: bool,
}

impl Form {
    /// The plain trie.
    pub const TRIE: Self = Self { support: Support::Every, is_linked: false };
    /// The Patricia trie.
    pub const PATRICIA: Self = Self { support: Support::None, is_linked: false };
    /// The hashed Patricia trie, with linked neighbours.
    pub const HASHED: Self = Self { support: Support::Msd, is_linked: true };

    /// The most entries that a search for a key with this many bits reads. A binary search reads
    /// the key itself, the root, one entry for each power of two up to the length, and two to get
    /// to the answer; otherwise it is one at each length, up to that of the longest key.
    pub fn bound(self, len: u32) -> u32 {
        match self.support {
            Support::Msd => len.ilog2() + 5,
            Support::Every | Support::None => len + 1,
        }
    }
}

impl Support {
    /// The lengths of the labels of support nodes between two consecutive nodes of the Patricia
    /// trie, ascending.
    fn between(self, upper: u32, lower: u32) -> impl Iterator<Item = u32> {
        let lengths = match self {
            Self::Every => upper + 1..lower,
            Self::None => lower..lower,
            Self::Msd => match msd_length(upper, lower) {
                length if length < lower => length..length + 1,
                _ => lower..lower,
            },
        };
        lengths.into_iter()
    }
}

/// The number in (upper, lower] with the most zeros at its end: the first that a binary search for
/// a length looks at. It is `lower` without all bits below the highest one in which they differ.
pub fn msd_length(upper: u32, lower: u32) -> u32 {
    let place = (upper ^ lower).ilog2();
    lower >> place << place
}
