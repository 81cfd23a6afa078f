//! Processes ask for positions of the stack together, in waves, and store elements in a dictionary.
//!
//! M. Feldmann, C. Scheideler, A. Setzer: Skueue: A Scalable and Sequentially Consistent
//! Distributed Queue. IPDPS, 2018.
//!
//! # Idea
//!
//! As in the queue of the paper, an element has a position and lies where its hash is, and the
//! anchor of the aggregation tree gives positions to all operations of a wave. But positions near
//! the top come and go, so two elements could get the same one, and the one that is stored later
//! could be taken first. There are two ways out.
//!
//! - `intervals`: a position is never used again. A push gets the next one; the anchor remembers
//!   which positions hold elements, as a list of intervals. It grows with the holes that pops
//!   leave: up to linearly in the elements. A get that arrives before its put waits for it.
//! - `rounds`: the anchor knows the top, and the number of the wave, the *round*. Within a round it
//!   counts runs of pushes, the *time*, from 2, and an element is stored under its position, round
//!   and time. A pop of an element of this round knows its time. All others have time 1: the pop
//!   takes the last element with its position from an earlier round. So gets must not begin before
//!   all puts are stored: the *barrier*, once more up and down the tree.
//!
//! Theorem 6.6: an operation costs O(log n) messages in expectation, beside the waves. Why a pop
//! with time 1 finds its push: the anchor gives a position to pushes and pops in turn, so a pop
//! belongs to the push before it, its partner. If the partner is of an earlier round, it is the
//! last push of that position in any earlier round; by the barrier it is stored. No other get takes
//! it: one with its own time takes only that, and one of a later round finds a later push there. A
//! round with k runs that are not empty has at most 3k/2 pieces of positions with the same time.
//!
//! With `--matching tree`, a process where batches meet matches the last pushes of one with the
//! first pops of the next: each pair meets at a position of its own, and the anchor sees one run of
//! pops and one of pushes. The order of a wave is that of the tree. A push and a pop behind it
//! leave the stack as it is, whatever it holds, so the pair can be anywhere. For a queue that is
//! wrong: a dequeue behind an enqueue takes the oldest element, not this one.
//!
//! # Cost
//!
//! Messages: O(log n) per operation and 2(n-1) per wave, 4(n-1) with rounds.
//!
//! - Time: twice the height of the tree per wave, O(log n), and O(log n) for the element. With
//!   rounds, four times the height and the ways of the puts between them.
//! - State: six addresses, two batches, and about m/n of m elements; at the anchor the intervals.
//!
//! # Assumes
//!
//! Reliable channels in any order between all processes; members do not change.
//!
//! - Loss: a lost batch or assignment stops all waves; a lost element or request for one blocks its
//!   process. Safety holds.
//! - Duplication: with intervals, a duplicate is harmless: batches carry the number of their wave,
//!   and each position is used once. With rounds, a duplicate get can take an older element of its
//!   position, whose own get is under way and then waits for ever.
//! - Crash: the crash of a process stops all waves, and what it has stored is lost.
//!
//! # Differs from the paper
//!
//! The three virtual nodes of a process act in one step. Waves sleep while nobody asks. Processes
//! cannot join or leave, and do not match their own operations before the wave is assigned.

mod alternating;
mod intervals;
mod matched;
mod rounds;

use std::ops::RangeInclusive;

use crate::batched::Batched;
pub use crate::batched::Msg;
use crate::batched::pieces::Piece;
use crate::circle::{Mixer, Point};
use crate::protocol::Data;
pub use alternating::{Alternating, Run};
pub use intervals::Intervals;
pub use matched::{Matched, Met, Word};
pub use rounds::{Key, Rounds, Stamp};

/// One process, in a stack whose anchor gives positions in this way.
pub type Skack<A> = Batched<Alternating<A>>;

/// The same, with operations that are matched in the tree.
pub type MatchedSkack<A> = Batched<Matched<A>>;

/// How an anchor gives positions to runs of pushes and pops. Pushes take positions upwards, pops
/// downwards.
pub trait Anchor: Data + Default {
    /// What positions that were given together have in common.
    type Stamp: Copy + Default + Data;
    /// Under what an element is stored.
    type Key: Copy + Data;

    /// Whether all elements of a wave have to be stored before any is taken out.
    const BARRIER: bool;

    /// A wave begins.
    fn begin(&mut self);

    /// Gives positions for elements to come.
    fn push(&mut self, length: u32) -> Piece<Self::Stamp>;

    /// Gives the topmost positions, from above; fewer than that if there are no more elements.
    fn pop(&mut self, length: u32) -> Vec<Piece<Self::Stamp>>;

    /// A wave ends. Returns positions for this many elements that never lie on the stack: those
    /// that matched operations hand over.
    fn end(&mut self, pairs: u32) -> Piece<Self::Stamp>;

    /// The number of elements.
    fn held(&self) -> u64;

    /// How many intervals it remembers, at most so far.
    fn intervals_max(&self) -> u64;

    /// The key of a position.
    fn key(position: u64, stamp: Self::Stamp) -> Self::Key;

    /// Where the element with this key is stored.
    fn point(mixer: Mixer, key: Self::Key) -> Point;

    /// A pop with this key takes the last element whose key is among these.
    fn sought(key: Self::Key) -> RangeInclusive<Self::Key>;
}

#[cfg(test)]
mod tests;
