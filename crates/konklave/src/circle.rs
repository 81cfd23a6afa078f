//! Positions on a circle: where consistent hashing and overlays place nodes and data.
//!
//! The circle is [0, 1), and a position x is the integer ⌊x·2^64⌋, so all arithmetic is exact and
//! wraps around by itself. All hash functions of a system come from one [`Mixer`], told apart by
//! their salt; they are functions of the number of a node or of a key, so a receiver recomputes
//! them instead of believing what a message says.

use std::fmt::{self, Debug, Display};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::NodeId;

/// 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The number of positions.
const POSITIONS: u128 = 1 << 64;

/// The finaliser of SplitMix64: bijective, and every bit of the result depends on every bit of `x`.
const fn finalise(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Which of the independent hash functions of a system is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salt(pub u64);

impl Salt {
    /// The position of a node.
    pub const NODE: Self = Self(1);
    /// The position of a key.
    pub const KEY: Self = Self(2);
    /// The random bit string of a node, in overlays with levels.
    pub const BITS: Self = Self(3);
}

/// The hash functions of one system.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Mixer {
    seed: u64,
}

impl Mixer {
    /// The functions that belong to the seed of a run.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The value of the function with this salt: a bijection of the 64-bit numbers, so different
    /// nodes, and different keys, never collide.
    pub const fn mix(self, x: u64, salt: Salt) -> u64 {
        let key = finalise(self.seed.wrapping_add(salt.0.wrapping_mul(GOLDEN)));
        finalise(x.wrapping_add(1).wrapping_mul(GOLDEN) ^ key)
    }

    /// The value of that function of a pair.
    pub const fn mix_pair(self, x: u64, y: u64, salt: Salt) -> u64 {
        self.mix(x ^ self.mix(y, Salt(salt.0 ^ GOLDEN)), salt)
    }

    /// The position of a node, h(v).
    pub const fn node(self, node: NodeId) -> Point {
        Point(self.mix(node.0 as u64, Salt::NODE))
    }

    /// The position of a key, g(k).
    pub const fn key(self, key: u64) -> Point {
        Point(self.mix(key, Salt::KEY))
    }
}

/// A position on the circle.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(pub u64);

impl Point {
    /// How far it is clockwise to `other`; zero if they are the same.
    pub const fn distance_to(self, other: Self) -> u64 {
        other.0.wrapping_sub(self.0)
    }

    /// In which of `cells` cells of equal size it lies.
    pub const fn cell(self, cells: u32) -> u32 {
        ((self.0 as u128 * cells as u128) >> 64) as u32
    }

    /// The position just before it.
    pub const fn before(self) -> Self {
        Self(self.0.wrapping_sub(1))
    }

    /// As a fraction of the circle, for people.
    pub fn fraction(self) -> f64 {
        self.0 as f64 / POSITIONS as f64
    }
}

/// Sixteen hexadecimal digits: the leading ones tell where it is.
impl Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// A string where people or browsers read it: these round integers to 53 bits.
impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return u64::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        let read = u64::from_str_radix(&text, 16).ok().filter(|_| text.len() == 16);
        read.map(Self).ok_or_else(|| D::Error::custom("a position has 16 hexadecimal digits"))
    }
}

/// The positions from one to another, clockwise, both included. So no arc is empty, and the whole
/// circle is the arc from any position to the one just before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Arc {
    first: Point,
    last: Point,
}

impl Arc {
    /// The whole circle.
    pub const WHOLE: Self = Self { first: Point(0), last: Point(u64::MAX) };

    /// From `first` to `last`, both included.
    pub const fn new(first: Point, last: Point) -> Self {
        Self { first, last }
    }

    /// From `first` to just before `next`, as a node is responsible up to its successor; the whole
    /// circle if they are the same.
    pub const fn up_to(first: Point, next: Point) -> Self {
        Self { first, last: next.before() }
    }

    /// The first position.
    pub const fn first(self) -> Point {
        self.first
    }

    /// The last position.
    pub const fn last(self) -> Point {
        self.last
    }

    /// How many positions there are: 1 to 2^64.
    pub const fn length(self) -> u128 {
        self.first.distance_to(self.last) as u128 + 1
    }

    /// Its share of the circle, for people.
    pub fn share(self) -> f64 {
        self.length() as f64 / POSITIONS as f64
    }

    /// Whether it holds this position.
    pub const fn contains(self, point: Point) -> bool {
        self.first.distance_to(point) <= self.first.distance_to(self.last)
    }

    /// Whether it holds all positions of the other arc.
    pub const fn covers(self, other: Self) -> bool {
        self.length() == POSITIONS
            || self.contains(other.first)
                && self.first.distance_to(other.first) <= self.first.distance_to(other.last)
                && self.contains(other.last)
    }

    /// Whether they have a position in common.
    pub const fn meets(self, other: Self) -> bool {
        self.contains(other.first) || other.contains(self.first)
    }

    /// The positions that both hold: nothing, or one arc or two.
    pub fn common(self, other: Self) -> impl Iterator<Item = Self> {
        let firsts = [
            other.contains(self.first).then_some(self.first),
            self.contains(other.first).then_some(other.first).filter(|it| *it != self.first),
        ];
        firsts.into_iter().flatten().map(move |first| {
            let length = first.distance_to(self.last).min(first.distance_to(other.last));
            Self { first, last: Point(first.0.wrapping_add(length)) }
        })
    }

    /// What is left of it without an arc that it covers: nothing, or one arc or two. The whole
    /// circle without an arc is one arc.
    pub fn without(self, other: Self) -> impl Iterator<Item = Self> {
        debug_assert!(self.covers(other), "{other:?} is not a part of {self:?}");
        let next = Point(other.last.0.wrapping_add(1));
        let is_whole = self.length() == POSITIONS;
        let rest = POSITIONS - other.length();
        let around = (is_whole && rest > 0).then(|| Self::up_to(next, other.first));
        let before =
            (!is_whole && self.first != other.first).then(|| Self::up_to(self.first, other.first));
        let after =
            (!is_whole && self.last != other.last).then_some(Self { first: next, last: self.last });
        [around, before, after].into_iter().flatten()
    }
}

impl Debug for Arc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.first, self.last)
    }
}

/// Arcs that do not overlap. Equal sets are equal values: arcs that touch are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Arcs(Vec<Arc>);

impl From<Arc> for Arcs {
    /// One arc, and no room for more: a large system has many of these.
    fn from(arc: Arc) -> Self {
        let mut arcs = Self(Vec::with_capacity(1));
        arcs.add(arc);
        arcs
    }
}

impl Arcs {
    /// The arcs, by their first positions.
    pub fn iter(&self) -> impl Iterator<Item = Arc> + '_ {
        self.0.iter().copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this position is in one of them.
    pub fn contains(&self, point: Point) -> bool {
        self.0.iter().any(|arc| arc.contains(point))
    }

    /// Whether all of this arc is in them.
    pub fn covers(&self, arc: Arc) -> bool {
        self.0.iter().any(|own| own.covers(arc))
    }

    /// Whether they are this arc and nothing else.
    pub fn is_only(&self, arc: Arc) -> bool {
        let length: u128 = self.0.iter().map(|own| own.length()).sum();
        self.covers(arc) && length == arc.length()
    }

    /// Adds an arc that overlaps none of them.
    pub fn add(&mut self, mut arc: Arc) {
        debug_assert!(!self.iter().any(|own| own.meets(arc)), "{arc:?} is a part of {self:?}");
        let mut is_whole = false;
        self.0.retain(|own| {
            let is_before = own.last == arc.first.before();
            let is_behind = arc.last == own.first.before();
            is_whole |= is_before && is_behind;
            arc.first = if is_before { own.first } else { arc.first };
            arc.last = if is_behind { own.last } else { arc.last };
            !is_before && !is_behind
        });
        is_whole |= arc.length() == POSITIONS;
        self.0.push(if is_whole { Arc::WHOLE } else { arc });
        self.0.sort_unstable();
    }

    /// Removes an arc that they cover.
    pub fn remove(&mut self, arc: Arc) {
        let Some(place) = self.0.iter().position(|own| own.covers(arc)) else {
            debug_assert!(false, "{arc:?} is not a part of {self:?}");
            return;
        };
        let own = self.0.swap_remove(place);
        self.0.extend(own.without(arc));
        self.0.sort_unstable();
    }
}

#[cfg(test)]
mod tests;
