//! The states that were seen: their fingerprints, and from where each was reached first.
//!
//! The table is split, so that threads rarely wait for each other.

use std::sync::{Mutex, MutexGuard};

use crate::pile::Pile;

/// The number of a state, in the order of discovery within its shard.
pub(crate) type StateId = u32;

/// The state before the first.
pub(crate) const NOBODY: StateId = StateId::MAX;

const SHARD_BITS: u32 = 5;
const SHARDS: usize = 1 << SHARD_BITS;

/// Which part of the table a state belongs to.
pub(crate) fn shard_of(print: u64) -> usize {
    (print >> (u64::BITS - SHARD_BITS)) as usize
}

/// The identity of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// By fingerprints of 64 bits: two of a billion states are taken for one with a probability of
    /// about 3 %, two of ten million with one of about 3 in a million.
    Fingerprint,
    /// By everything they consist of: never wrong, but takes several times the memory.
    Exact,
}

impl Identity {
    /// An upper bound on the probability that two of this many states have the same fingerprint, so
    /// that the successors of one were overlooked: half the square of their number in 2^64.
    pub(crate) fn collision_probability(self, states: u64) -> f64 {
        match self {
            Self::Fingerprint => (0.5 * (states as f64).powi(2) / 2_f64.powi(64)).min(1.0),
            Self::Exact => 0.0,
        }
    }
}

/// All states that were seen.
#[derive(Debug)]
pub(crate) struct Seen {
    shards: Vec<Mutex<Shard>>,
}

/// A part of the table.
#[derive(Debug)]
pub(crate) struct Shard {
    /// Places in the vectors below, by fingerprint; linear probing.
    slots: Vec<u32>,
    prints: Pile<u64>,
    parents: Pile<StateId>,
    /// How many edges lead to each state, as far as they were seen and not yet retraced.
    edges: Pile<u32>,
    exact: Option<ExactRows>,
    number: u32,
    /// The place of the first state that is further away than those which are expanded.
    next_layer: usize,
    /// Whether every edge has led to such a state.
    is_graded: bool,
}

/// Whole rows, if states are told apart by them.
#[derive(Debug, Default)]
struct ExactRows {
    data: Vec<u32>,
    ends: Vec<usize>,
}

impl ExactRows {
    fn row(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.data[start..self.ends[place]]
    }
}

const EMPTY: u32 = u32::MAX;

impl Seen {
    /// How many parts the table has.
    pub(crate) const SHARDS: usize = SHARDS;

    pub(crate) fn new(identity: Identity) -> Self {
        let shard = |number| {
            let exact = (identity == Identity::Exact).then(ExactRows::default);
            Mutex::new(Shard {
                slots: vec![EMPTY; 16],
                prints: Pile::default(),
                parents: Pile::default(),
                edges: Pile::default(),
                exact,
                number,
                next_layer: 0,
                is_graded: true,
            })
        };
        Self { shards: (0..SHARDS as u32).map(shard).collect() }
    }

    pub(crate) fn shard(&self, number: usize) -> MutexGuard<'_, Shard> {
        self.shards[number].lock().expect("no thread panics while it holds a shard")
    }

    /// From now on, states of the next layer are found.
    pub(crate) fn begin_layer(&self) {
        for number in 0..SHARDS {
            let mut shard = self.shard(number);
            shard.next_layer = shard.prints.len();
        }
    }

    /// Whether every edge leads from one layer to the next. Then there is no cycle.
    pub(crate) fn is_graded(&self) -> bool {
        (0..SHARDS).all(|number| self.shard(number).is_graded)
    }

    pub(crate) fn len(&self) -> u64 {
        (0..SHARDS).map(|number| self.shard(number).prints.len() as u64).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        (0..SHARDS).map(|number| self.shard(number).bytes()).sum()
    }

    /// From where a state was reached first.
    pub(crate) fn parent(&self, id: StateId) -> StateId {
        let (shard, place) = (id as usize % SHARDS, id as usize / SHARDS);
        self.shard(shard).parents.get(place)
    }

    /// The number of a state that was seen.
    pub(crate) fn find(&self, print: u64, row: &[u32]) -> Option<StateId> {
        let shard = self.shard(shard_of(print));
        let (_, place) = shard.probe(print, row);
        place.map(|place| shard.id(place))
    }

    /// One number for each state that the tables of a retrace can be indexed with: for each shard,
    /// how many states it has.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        (0..SHARDS).map(|number| self.shard(number).prints.len()).collect()
    }
}

impl Shard {
    fn id(&self, place: usize) -> StateId {
        (place * SHARDS) as u32 + self.number
    }

    /// Where in the vectors a state of this shard is.
    pub(crate) fn place(id: StateId) -> usize {
        id as usize / SHARDS
    }

    /// The slot where the state is or would be, and its place if it is there.
    fn probe(&self, print: u64, row: &[u32]) -> (usize, Option<usize>) {
        let mask = self.slots.len() - 1;
        let mut slot = print as usize & mask;
        loop {
            let place = self.slots[slot];
            if place == EMPTY {
                return (slot, None);
            }
            let place = place as usize;
            let is_same_row = |exact: &ExactRows| exact.row(place) == row;
            if self.prints.get(place) == print && self.exact.as_ref().is_none_or(is_same_row) {
                return (slot, Some(place));
            }
            slot = (slot + 1) & mask;
        }
    }

    /// An edge leads to this state: its number, and whether it is new.
    pub(crate) fn reach(&mut self, print: u64, row: &[u32], parent: StateId) -> (StateId, bool) {
        let (slot, place) = self.probe(print, row);
        if let Some(place) = place {
            *self.edges.get_mut(place) += 1;
            self.is_graded &= place >= self.next_layer;
            return (self.id(place), false);
        }
        let place = self.prints.len();
        self.slots[slot] = place as u32;
        self.prints.push(print);
        self.parents.push(parent);
        self.edges.push(1);
        if let Some(exact) = &mut self.exact {
            exact.data.extend_from_slice(row);
            exact.ends.push(exact.data.len());
        }
        if self.prints.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        (self.id(place), true)
    }

    /// An edge to a known state is retraced: its number, and whether it was the last one. If no
    /// such edge was seen, two states were taken for one.
    pub(crate) fn retrace(&mut self, print: u64, row: &[u32]) -> Option<(StateId, bool)> {
        let place = self.probe(print, row).1?;
        let edges = self.edges.get_mut(place);
        *edges = edges.checked_sub(1)?;
        let is_last = *edges == 0;
        Some((self.id(place), is_last))
    }

    /// The states that were never retraced to the end.
    pub(crate) fn left(&self) -> impl Iterator<Item = StateId> + '_ {
        let left = self.edges.iter().enumerate().filter(|(_, edges)| *edges > 0);
        left.map(|(place, _)| self.id(place))
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = Vec::new(); // Gone before the new one comes.
        let mut slots = vec![EMPTY; mask + 1];
        for (place, print) in self.prints.iter().enumerate() {
            let mut slot = print as usize & mask;
            while slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            slots[slot] = place as u32;
        }
        self.slots = slots;
    }

    fn bytes(&self) -> usize {
        let exact = self.exact.as_ref().map_or(0, |exact| {
            exact.data.capacity() * size_of::<u32>() + exact.ends.capacity() * size_of::<usize>()
        });
        let piles = self.prints.bytes() + self.parents.bytes() + self.edges.bytes();
        self.slots.len() * size_of::<u32>() + piles + exact
    }
}
