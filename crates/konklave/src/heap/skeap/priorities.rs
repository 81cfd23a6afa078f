//! Positions in a queue for each priority: the anchor knows their ends.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::batched::pieces::{Direction, Piece, take};
use crate::batched::{Place, Service, point_of};
use crate::circle::{Mixer, Point, Salt};
use crate::object::{Heap, HeapOp};

/// The queues, at the anchor.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Priorities {
    /// For each priority that has occurred, the position of its oldest element and the next one.
    queues: BTreeMap<u64, (u64, u64)>,
    /// How many operations have a place in the order.
    done: u64,
}

impl Priorities {
    /// How many elements have been inserted and not been deleted.
    pub fn held(&self) -> u64 {
        self.queues.values().map(|(first, next)| next - first).sum()
    }

    /// How many priorities have occurred.
    pub fn priorities(&self) -> u64 {
        self.queues.len() as u64
    }

    fn insert(&mut self, &(priority, count): &(u64, u32)) -> Piece<u64> {
        let (_, next) = self.queues.entry(priority).or_default();
        let from = *next;
        *next += u64::from(count);
        Piece { from, length: count, label: priority }
    }

    fn delete(&mut self, mut count: u32) -> Vec<Piece<u64>> {
        let mut pieces = Vec::new();
        for (&label, (first, next)) in &mut self.queues {
            let length = u64::from(count).min(*next - *first) as u32;
            if length > 0 {
                pieces.push(Piece { from: *first, length, label });
            }
            *first += u64::from(length);
            count -= length;
        }
        pieces
    }
}

/// What an element is stored under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Its priority.
    pub priority: u64,
    /// Its position among those with the same.
    pub position: u64,
}

/// Inserts, and deletions after them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pair {
    /// How many elements of each priority, in ascending order.
    inserts: Vec<(u64, u32)>,
    /// How many deletions.
    deletes: u32,
}

impl Pair {
    fn insert(&mut self, priority: u64, count: u32) {
        match self.inserts.binary_search_by_key(&priority, |it| it.0) {
            Ok(at) => self.inserts[at].1 += count,
            Err(at) => self.inserts.insert(at, (priority, count)),
        }
    }

    fn inserted(&self) -> u32 {
        self.inserts.iter().map(|(_, count)| count).sum()
    }
}

/// What the anchor says about a pair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Places {
    /// The positions of inserts, by priority.
    inserts: Vec<Piece<u64>>,
    /// The place of the first insert in the order of all operations.
    inserts_witness: u64,
    /// The positions of deletions, by priority; one beyond finds the heap empty.
    deletes: Vec<Piece<u64>>,
    /// The place of the first deletion in the order of all operations.
    deletes_witness: u64,
}

impl Places {
    /// Takes what belongs to the first operations out of it.
    fn take(&mut self, first: &Pair) -> Self {
        let mut inserts = Vec::new();
        for &(priority, count) in &first.inserts {
            let at = self.inserts.iter_mut().find(|piece| piece.label == priority);
            let piece = at.expect("all that was asked for is assigned");
            inserts.push(Piece { length: count, ..*piece });
            piece.from += u64::from(count);
            piece.length -= count;
        }
        let part = Self {
            inserts,
            deletes: take(&mut self.deletes, first.deletes, Direction::Up),
            ..*self
        };
        self.inserts_witness += u64::from(first.inserted());
        self.deletes_witness += u64::from(first.deletes); // Also of those that find nothing.
        part
    }
}

/// The pair that an operation belongs to, if the last one has deletions or not.
fn goes_on(op: HeapOp, deletes: u32) -> bool {
    deletes == 0 || op == HeapOp::DeleteMin
}

impl Service for Priorities {
    type Object = Heap;
    type Key = Key;
    type Batch = Vec<Pair>;
    type Assignment = Vec<Places>;

    fn build(ops: impl Iterator<Item = HeapOp>) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = Vec::new();
        for op in ops {
            if pairs.last().is_none_or(|pair| !goes_on(op, pair.deletes)) {
                pairs.push(Pair::default());
            }
            let pair = pairs.last_mut().expect("there is one now");
            match op {
                HeapOp::Insert { priority, .. } => pair.insert(priority, 1),
                HeapOp::DeleteMin => pair.deletes += 1,
            }
        }
        pairs
    }

    fn combine(batch: &mut Vec<Pair>, next: &Vec<Pair>) {
        batch.resize(batch.len().max(next.len()), Pair::default());
        for (sum, pair) in batch.iter_mut().zip(next) {
            pair.inserts.iter().for_each(|(priority, count)| sum.insert(*priority, *count));
            sum.deletes += pair.deletes;
        }
    }

    fn is_empty(batch: &Vec<Pair>) -> bool {
        batch.is_empty()
    }

    fn runs(batch: &Vec<Pair>) -> usize {
        batch.iter().map(|it| it.inserts.len() + usize::from(it.deletes > 0)).sum()
    }

    fn assign(&mut self, batch: &Vec<Pair>) -> Vec<Places> {
        let mut assign = |pair: &Pair| {
            let inserts_witness = self.done;
            let deletes_witness = inserts_witness + u64::from(pair.inserted());
            self.done = deletes_witness + u64::from(pair.deletes);
            let inserts = pair.inserts.iter().map(|it| self.insert(it)).collect();
            let deletes = self.delete(pair.deletes);
            Places { inserts, inserts_witness, deletes, deletes_witness }
        };
        batch.iter().map(&mut assign).collect()
    }

    fn decompose(assignment: &mut Vec<Places>, first: &Vec<Pair>) -> Vec<Places> {
        assignment.iter_mut().zip(first).map(|(places, pair)| places.take(pair)).collect()
    }

    fn start(
        mut assignment: Vec<Places>,
        ops: impl Iterator<Item = HeapOp>,
    ) -> SmallVec<[Place<Key>; 2]> {
        let (mut at, mut deletes) = (0, 0);
        let place = |op| {
            if !goes_on(op, deletes) {
                (at, deletes) = (at + 1, 0);
            }
            let mut alone = Pair::default();
            match op {
                HeapOp::Insert { priority, .. } => alone.insert(priority, 1),
                HeapOp::DeleteMin => alone.deletes = 1,
            }
            deletes += alone.deletes;
            let places = assignment[at].take(&alone);
            let (pieces, witness) = match op {
                HeapOp::Insert { .. } => (places.inserts, places.inserts_witness),
                HeapOp::DeleteMin => (places.deletes, places.deletes_witness),
            };
            let key = |piece: &Piece<u64>| Key { priority: piece.label, position: piece.from };
            Place { key: pieces.first().map(key), witness }
        };
        ops.map(place).collect()
    }

    fn point(mixer: Mixer, Key { priority, position }: Key) -> Point {
        point_of(mixer, position.wrapping_add(mixer.mix(priority, PRIORITY)))
    }
}

/// Places the queues of priorities.
const PRIORITY: Salt = Salt(98);
