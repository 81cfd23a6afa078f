//! Where the elements of a heap are: spread over all processes, or in buckets on their way out.
//!
//! An element that is inserted travels to the process that is responsible for the hash of its
//! number in a linearised de Bruijn network, which keeps it with others, sorted. Elements that
//! are to be taken out travel to buckets, which are at the processes that are responsible for the
//! hashes of their numbers. When all are there, an element is taken out by its place in its bucket.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::circle::{Mixer, Point, Salt};
use crate::dictionary::Tally;
use crate::overlay::ldb::{Ldb, Way};
use crate::protocol::{Env, Never, Protocol};
use crate::selection::Key;
use crate::selection::candidates::Limit;

/// A bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bucket {
    /// The cycle in which its elements are taken out.
    pub cycle: u32,
    /// Its number among the buckets of the cycle.
    pub number: u32,
}

/// Where an element travels to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// Into the heap.
    Heap,
    /// Into a bucket.
    Bucket(Bucket),
}

/// What processes send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// An element travels to its place.
    Put {
        /// The process that it comes from.
        process: NodeId,
        /// The element.
        key: Key,
        /// Where it goes.
        place: Place,
        /// Its way there.
        way: Way,
    },
    /// An operation travels to the element that it takes out.
    Get {
        /// The process that invoked it, and how many operations that had invoked before.
        task: (NodeId, u32),
        /// The bucket.
        bucket: Bucket,
        /// The place of the element in the bucket, from 0.
        index: u32,
        /// Its way there.
        way: Way,
    },
    /// To a process: one of its elements is at its place.
    Stored,
    /// To a process: the element that it takes out.
    Element {
        /// The operation that takes it out.
        ticket: u32,
        /// The element.
        key: Key,
    },
}

const _: () = assert!(size_of::<Msg>() <= 64);

/// What a host asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// Let an element travel.
    Put(Key, Place),
    /// Take an element out of a bucket.
    Get {
        /// The operation.
        ticket: u32,
        /// The bucket.
        bucket: Bucket,
        /// The place of the element in the bucket, from 0.
        index: u32,
    },
}

/// What a host is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// An element of this process is at its place.
    Stored,
    /// An operation of this process has its element.
    Taken {
        /// The operation.
        ticket: u32,
        /// The element.
        key: Key,
    },
}

/// The ranks at which buckets of these sizes end.
pub fn ends(counts: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut end = 0_u64;
    let mut add = |count| {
        end = end.saturating_add(count);
        end
    };
    counts.map(&mut add).collect()
}

/// The bucket of the element with this rank, and its place in there, from 0.
pub fn bucket_of(ends: &[u64], rank: u64) -> (u32, u32) {
    let bucket = ends.partition_point(|end| *end <= rank);
    let begin = bucket.checked_sub(1).map_or(0, |before| ends[before]);
    (bucket as u32, (rank - begin) as u32)
}

/// Where elements of the heap are.
const ELEMENT: Salt = Salt(97);
/// Where buckets are.
const BUCKET: Salt = Salt(98);

/// What one process keeps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Store {
    ldb: Ldb,
    mixer: Mixer,
    /// The elements of the heap that are here, sorted.
    elements: Vec<Key>,
    /// The buckets that are here: their elements, sorted, and how many were taken out.
    buckets: BTreeMap<Bucket, (Vec<Key>, usize)>,
    tally: Tally,
}

impl Store {
    /// A process at its place in the network, whose hash functions are these.
    pub fn new(ldb: Ldb, mixer: Mixer) -> Self {
        let (elements, buckets) = (Vec::new(), BTreeMap::new());
        Self { ldb, mixer, elements, buckets, tally: Tally::default() }
    }

    /// Its place in the network.
    pub fn ldb(&self) -> &Ldb {
        &self.ldb
    }

    /// The elements of the heap that are here, sorted.
    pub fn elements(&self) -> &[Key] {
        &self.elements
    }

    /// What it has counted about what has travelled here.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Whether all that were on their way out are out.
    pub fn is_tidy(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The elements of the heap that are here up to a limit.
    pub fn up_to(&self, limit: Limit) -> &[Key] {
        let count = self.elements.partition_point(|key| Limit::At(*key) <= limit);
        &self.elements[..count]
    }

    /// Takes some of the elements out of the heap.
    pub fn remove(&mut self, is_removed: impl Fn(&Key) -> bool) {
        self.elements.retain(|key| !is_removed(key));
    }

    fn put(
        &mut self,
        (process, key, place): (NodeId, Key, Place),
        mut way: Way,
        env: &mut impl Env<Self>,
    ) {
        let target = match place {
            Place::Heap => Point(self.mixer.mix(key.id, ELEMENT)),
            Place::Bucket(bucket) => self.point(bucket),
        };
        if let Some(to) = self.ldb.next(target, &mut way) {
            return env.send(to, Msg::Put { process, key, place, way });
        }
        self.tally.carry_out(way.hops);
        let keys = match place {
            Place::Heap => &mut self.elements,
            Place::Bucket(bucket) => &mut self.buckets.entry(bucket).or_default().0,
        };
        if let Err(at) = keys.binary_search(&key) {
            keys.insert(at, key);
        } // Else a duplicate.
        match process == self.ldb.me() {
            true => env.emit(Event::Stored),
            false => env.send(process, Msg::Stored),
        }
    }

    fn point(&self, bucket: Bucket) -> Point {
        Point(self.mixer.mix_pair(bucket.cycle.into(), bucket.number.into(), BUCKET))
    }

    fn get(
        &mut self,
        task: (NodeId, u32),
        (bucket, index): (Bucket, u32),
        mut way: Way,
        env: &mut impl Env<Self>,
    ) {
        if let Some(to) = self.ldb.next(self.point(bucket), &mut way) {
            return env.send(to, Msg::Get { task, bucket, index, way });
        }
        self.tally.carry_out(way.hops);
        let Some((keys, taken)) = self.buckets.get_mut(&bucket) else { return };
        let Some(&key) = keys.get(index as usize) else { return };
        *taken += 1;
        if *taken == keys.len() {
            self.buckets.remove(&bucket);
        }
        let (process, ticket) = task;
        match process == self.ldb.me() {
            true => env.emit(Event::Taken { ticket, key }),
            false => env.send(process, Msg::Element { ticket, key }),
        }
    }
}

impl Protocol for Store {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        let (me, way) = (self.ldb.me(), self.ldb.set_out());
        match command {
            Command::Put(key, place) => self.put((me, key, place), way, env),
            Command::Get { ticket, bucket, index } => {
                self.get((me, ticket), (bucket, index), way, env);
            }
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Put { process, key, place, way } => self.put((process, key, place), way, env),
            Msg::Get { task, bucket, index, way } => self.get(task, (bucket, index), way, env),
            Msg::Stored => env.emit(Event::Stored),
            Msg::Element { ticket, key } => env.emit(Event::Taken { ticket, key }),
        }
    }
}
