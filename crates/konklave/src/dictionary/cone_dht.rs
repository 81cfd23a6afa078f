//! Every member draws a waiting time for every key, the shorter the larger its capacity: the first
//! one stores the key.
//!
//! C. Schindelhauer, G. Schomaker: Weighted Distributed Hash Tables. SPAA 2005.
//!
//! # Idea
//!
//! Member v, with capacity c_v, is at the distance D_v(d) = -ln(1 - u)/c_v from key d, where u in
//! [0, 1) is the hash value of the two. The nearest member stores the key. (Plotted over u, the
//! distances of a member form a cone, and the lowest cone wins.)
//!
//! Theorem: the distances are exponentially distributed with rate c_v and independent, so the least
//! of them is that of v with probability c_v/Σc: exactly fair in expectation. A member that grows
//! wins keys from others, and no key moves between others: what moves is what has to, in
//! expectation, whatever changes.
//!
//! # Cost
//!
//! Messages: 3 per operation; a change has at most 2n+3, and 2 for each hand-over.
//!
//! - Time: 3T per operation, and longer while its key is being handed over; operations of one
//!   process wait for each other.
//! - State: the n members at the server, which looks at all of them for each operation; at a
//!   member, its records.
//!
//! # Assumes
//!
//! Reliable channels between all nodes, in any order.
//!
//! - Loss: a lost message leaves its operation, join or leave without an end, and a lost hand-over
//!   loses its data and holds all later changes.
//! - Duplication: a duplicate request is carried out twice, and a duplicate hand-over brings back
//!   an old value.
//! - Crash: operations on the keys of a crashed member wait for ever, and so does every change; all
//!   of them, if it is the server.
//!
//! # Differs from the paper
//!
//! This is the paper's double hashing: u is a hash value of key and member, not a distance on a
//! circle, so there are no parts of a circle that belong to a member, and a decision takes n steps.
//! The logarithm is computed in whole numbers, bit by bit, to the base 2, which changes all
//! distances by the same factor: all nodes agree about the nearest member. Changes happen one at a
//! time: each member reviews its own records.

use super::Capacities;
use super::placed::{Placed, Placement};
pub use super::share_dht::Msg;
use crate::NodeId;
use crate::circle::{Mixer, Salt};

/// A node of the dictionary.
pub type ConeDht = Placed<Cone>;

/// The hash value of a key and a member.
const VALUE: Salt = Salt(0x61);

/// The number of bits of a logarithm behind the point.
const BITS: u32 = 40;

/// The members at their distances.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cone {
    mixer: Mixer,
    members: Capacities,
}

impl Placement for Cone {
    type Rule = Mixer;

    fn new(mixer: Mixer, members: Capacities) -> Self {
        Self { mixer, members }
    }

    fn rule(&self) -> Mixer {
        self.mixer
    }

    fn members(&self) -> &Capacities {
        &self.members
    }

    fn place(&self, key: u64) -> NodeId {
        let mut members = self.members.iter();
        let (mut nearest, mut capacity) = members.next().expect("there are members");
        let mut height = self.height(key, nearest);
        for (node, other) in members {
            let its = self.height(key, node);
            // its/other < height/capacity, without a fraction.
            if u128::from(its) * u128::from(capacity) < u128::from(height) * u128::from(other) {
                (nearest, capacity, height) = (node, other, its);
            }
        }
        nearest
    }

    /// Its capacity, since the rest of the distance never changes.
    fn claim(&self, _key: u64, node: NodeId) -> u64 {
        self.members.of(node).into()
    }
}

impl Cone {
    /// The distance of a member of capacity one.
    fn height(&self, key: u64, node: NodeId) -> u64 {
        minus_log2(self.mixer.mix_pair(key, node.0.into(), VALUE))
    }
}

/// -log2((x + 1)/2^64), rounded up to a multiple of 2^-40, in units of it: zero for the largest x.
/// Squaring doubles a logarithm, and whether the square of a number in [1, 2) reaches 2 is the next
/// bit of it.
fn minus_log2(x: u64) -> u64 {
    let Some(value) = x.checked_add(1) else { return 0 };
    let whole = value.ilog2();
    let mut mantissa = value << (63 - whole); // In [1, 2), in units of 2^-63.
    let mut log = u64::from(whole);
    for _ in 0..BITS {
        let square = (u128::from(mantissa) * u128::from(mantissa)) >> 63;
        let is_two = square >> 64 != 0;
        mantissa = (square >> u32::from(is_two)) as u64;
        log = log << 1 | u64::from(is_two);
    }
    (64 << BITS) - log
}

#[cfg(test)]
mod tests;
