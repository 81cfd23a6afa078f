//! What is served in waves.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::circle::{Mixer, Point, Salt};
use crate::object::{Object, Places};
use crate::protocol::Data;

/// What processes ask a service for.
pub type Op<S> = <<S as Service>::Object as Object>::Op;

/// Places positions.
const POSITION: Salt = Salt(99);

/// What is served in waves: a service gives each element that comes a key of its own, and each
/// operation that takes one out the key of that element. Its value is what the anchor knows.
pub trait Service: Data + Default {
    /// What all operations together are to be explained by.
    type Object: Object;
    /// Under what an element is stored.
    type Key: Copy + Data;
    /// Operations of several processes, as the anchor has to know them.
    type Batch: Data;
    /// What the anchor says about a batch.
    type Assignment: Data;

    /// Whether all elements of a wave are stored before one of its operations takes any out. That
    /// costs one more traversal of the tree, up and down. If no key is ever used twice, an
    /// operation may as well wait where its element is to be stored.
    const BARRIER: bool = false;

    /// Which operations share a dense order of witnesses.
    const PLACES: Places = Places::OfAll;

    /// The operations of one process, in program order.
    fn build(ops: impl Iterator<Item = Op<Self>>) -> Self::Batch;

    /// Appends the batch of the next part of the tree.
    fn combine(batch: &mut Self::Batch, next: &Self::Batch);

    /// Whether there is no operation.
    fn is_empty(batch: &Self::Batch) -> bool;

    /// How many runs of equal operations a batch consists of, for reports: its size as a message.
    fn runs(batch: &Self::Batch) -> usize;

    /// Carries the operations out, at the anchor.
    fn assign(&mut self, batch: &Self::Batch) -> Self::Assignment;

    /// Takes what belongs to the first part of the tree, with this batch, out of an assignment.
    fn decompose(assignment: &mut Self::Assignment, first: &Self::Batch) -> Self::Assignment;

    /// Takes an assignment apart, for all parts of the tree in the order in which their batches
    /// were combined.
    fn split(
        mut assignment: Self::Assignment,
        parts: &[&Self::Batch],
    ) -> SmallVec<[Self::Assignment; 3]> {
        parts.iter().map(|part| Self::decompose(&mut assignment, part)).collect()
    }

    /// The places of the operations that a batch was built from.
    fn start(
        assignment: Self::Assignment,
        ops: impl Iterator<Item = Op<Self>>,
    ) -> OwnPlaces<Self::Key>;

    /// Where the element with this key is stored.
    fn point(mixer: Mixer, key: Self::Key) -> Point;

    /// An operation with this key takes the last element whose key is among these.
    fn sought(key: Self::Key) -> RangeInclusive<Self::Key> {
        key..=key
    }
}

/// The places of the operations of a process; it rarely has more than two in a wave.
pub type OwnPlaces<Key> = SmallVec<[Place<Key>; 2]>;

/// What the anchor says about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place<Key> {
    /// The key of its element; `None` if there is nothing to take out.
    pub key: Option<Key>,
    /// Its place in the order of all operations.
    pub witness: u64,
}

/// Where the element at a position is stored.
pub fn point_of(mixer: Mixer, position: u64) -> Point {
    Point(mixer.mix(position, POSITION))
}
