//! Members of unequal capacity are assigned arcs in proportion, which overlap; a key picks one of
//! those above it.
//!
//! A. Brinkmann, K. Salzwedel, C. Scheideler: Compact, Adaptive Placement Schemes for Non-Uniform
//! Requirements. SPAA 2002.
//!
//! # Idea
//!
//! Member v has the share c_v of the capacity. In the first stage it is assigned an arc of length
//! s·c_v that begins at its hash value, so that a position is covered s times on average; an arc
//! longer than the circle covers some positions several times. In the second stage a key picks one
//! of the members that cover its position, each as often as it covers it, uniformly: by rendezvous
//! hashing (`hrw`: the copy with the largest hash value of key and copy) or by consistent hashing
//! (`ch`: the copy whose hash value precedes that of the key). The 2n ends of arcs cut the circle
//! into at most 2n + 1 parts, each with a multiset of members; a table of cells finds the part.
//!
//! Theorem: with s = Θ(log n) a member stores a share c_v of the data in expectation: it covers the
//! key with probability s·c_v and is picked among about s. And if the shares change by c in total,
//! then an expected share c of the data moves, at most twice what is unavoidable: arcs change by
//! s·c, and a key that a change concerns decides anew with probability 1/s, since the functions of
//! the second stage are the same for all multisets. Copies on different members do not come with
//! it: the paper leaves that to a successor.
//!
//! # Cost
//!
//! Messages: 3 per operation; a change has at most 2n+3, and 2 for each hand-over.
//!
//! - Time: 3T per operation, and longer while its key is being handed over; operations of one
//!   process wait for each other.
//! - State: 2n + 1 multisets of s entries each at the server; at a member, its records.
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
//! The second stage looks at all s candidates of a key, so it takes O(log n) steps, not O(1). The
//! stretch s stays as it was chosen when members join and leave. Changes happen one at a time: each
//! member reviews its own records. A key that nobody covers goes to the member whose arc begins
//! next. Capacities are whole numbers and arcs fractions of 64 bits: no rounding differs between
//! nodes.

use serde::{Deserialize, Serialize};

use super::Task;
use super::placed::{Placed, Placement};
use super::{Capacities, Census, DictionaryOp, Record};
use crate::NodeId;
use crate::circle::{Arc, Mixer, Point, Salt};
use crate::object::Answer;

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To the server: the sender invokes an operation.
    Request {
        /// How many operations it had invoked before.
        ticket: u32,
        /// What it asks for.
        op: DictionaryOp,
    },
    /// From the server: carry this out.
    Do {
        /// How many changes the server had begun.
        epoch: u32,
        /// What.
        task: Task,
    },
    /// To the server: the sender has heard of a later change.
    Misplaced(Task),
    /// From a member: the operation was carried out.
    Done {
        /// Which.
        ticket: u32,
        /// Its answer.
        answer: Answer,
        /// Its place among the operations on its key.
        witness: u64,
    },
    /// To the server: the sender wants to be a member.
    Join {
        /// Its capacity.
        capacity: u32,
    },
    /// To the server: the sender wants to be a member no longer.
    Leave,
    /// From the server: these are the members now.
    Change {
        /// The number of the change, from one.
        epoch: u32,
        /// Each with its capacity.
        members: Box<[(NodeId, u32)]>,
    },
    /// From a member: these records belong to the receiver now.
    Items {
        /// The number of the change.
        epoch: u32,
        /// Keys and what is known about them.
        records: Box<[(u64, Record)]>,
    },
    /// To a member: they are stored.
    Stored {
        /// The number of the change.
        epoch: u32,
    },
    /// To the server: what the sender had to hand over is stored.
    Settled {
        /// The number of the change.
        epoch: u32,
        /// How many keys with a value it had before.
        had: u32,
    },
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// A node of the dictionary.
pub type ShareDht = Placed<Share>;

/// The value of a copy for a key, in the second stage.
const VALUE: Salt = Salt(0x51);
/// The position of a copy, in the second stage.
const COPY: Salt = Salt(0x52);
/// The position of a key, in the second stage.
const PICK: Salt = Salt(0x53);

/// How the second stage picks a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The one with the largest hash value of key and copy.
    Rendezvous,
    /// The one whose position precedes that of the key.
    Consistent,
}

/// What does not depend on the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The hash functions.
    pub mixer: Mixer,
    /// How often a position is covered on average, in units of 2^-32.
    pub stretch: u64,
    /// The second stage.
    pub stage: Stage,
}

/// The arcs of the members, and which of them cover each part of the circle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Share {
    rule: Rule,
    members: Capacities,
    /// How often a member covers the whole circle, for those that do.
    whole: Vec<(NodeId, u32)>,
    /// Where the parts of the circle begin, ascending from zero.
    begins: Vec<Point>,
    /// The members whose remaining arc covers each part.
    parts: Vec<Vec<NodeId>>,
    /// The part in which each cell of the table begins.
    cells: Vec<u32>,
}

/// A copy of a member in a multiset.
type Entry = (NodeId, u32);

impl Placement for Share {
    type Rule = Rule;

    fn new(rule: Rule, members: Capacities) -> Self {
        let (begins, parts) = (vec![Point(0)], Vec::new());
        let cells = vec![0; members.count().next_power_of_two()];
        let mut share = Self { rule, members, whole: Vec::new(), begins, parts, cells };
        share.cut();
        share
    }

    fn rule(&self) -> Rule {
        self.rule
    }

    fn members(&self) -> &Capacities {
        &self.members
    }

    fn place(&self, key: u64) -> NodeId {
        let point = self.rule.mixer.key(key);
        let picked = self.pick(key, &self.multiset(point));
        picked.unwrap_or_else(|| self.next_member(point))
    }

    /// How often its arc covers the key.
    fn claim(&self, key: u64, node: NodeId) -> u64 {
        let (whole, rest) = self.length(node);
        let way = self.rule.mixer.node(node).distance_to(self.rule.mixer.key(key));
        u64::from(whole) + u64::from(way < rest)
    }

    fn count(&self, census: Census) -> Census {
        let next = self.cells.iter().copied().skip(1).chain([self.parts.len() as u32 - 1]);
        let cells = self.cells.iter().zip(next).map(|(first, next)| next - first + 1).collect();
        let (uncovered, multisets) = (Some(self.uncovered()), Some(self.parts.len() as u64));
        Census { cells, uncovered, multisets, ..census }
    }
}

impl Share {
    /// The length of a member's arc, s·c_v: how often it goes around, and the rest of it.
    fn length(&self, node: NodeId) -> (u32, u64) {
        let stretch = u128::from(self.rule.stretch) << 32;
        let product = stretch * u128::from(self.members.of(node));
        let length = product / u128::from(self.members.total().max(1));
        ((length >> 64) as u32, length as u64)
    }

    /// Cuts the circle at the ends of all arcs, and lists who covers each part. An arc that goes
    /// past zero covers the part there from the beginning.
    fn cut(&mut self) {
        let mixer = self.rule.mixer;
        let mut ends = Vec::new();
        let mut above = Vec::new();
        for (node, _) in self.members.iter() {
            let (whole, rest) = self.length(node);
            if whole > 0 {
                self.whole.push((node, whole));
            }
            if rest > 0 {
                let begin = mixer.node(node);
                let end = Point(begin.0.wrapping_add(rest));
                ends.extend([(begin, node), (end, node)]);
                if Arc::up_to(begin, end).contains(Point(0)) {
                    above.push(node);
                }
            }
        }
        ends.sort_unstable();
        let mut ends = ends.into_iter().peekable();
        while ends.next_if(|(point, _)| *point == Point(0)).is_some() {} // Counted above.
        while let Some(&(point, _)) = ends.peek() {
            self.parts.push(above.clone());
            self.begins.push(point);
            while let Some((_, node)) = ends.next_if(|(other, _)| *other == point) {
                match above.iter().position(|other| *other == node) {
                    Some(place) => _ = above.remove(place),
                    None => above.push(node),
                }
            }
        }
        self.parts.push(above);
        let cells = self.cells.len();
        for cell in 0..cells {
            let first = Point((((cell as u128) << 64) / cells as u128) as u64);
            self.cells[cell] = self.begins.partition_point(|begin| *begin <= first) as u32 - 1;
        }
    }

    /// The part of the circle that a position is in: that of its cell, or one a little further on.
    fn part(&self, point: Point) -> usize {
        let mut part = self.cells[point.cell(self.cells.len() as u32) as usize] as usize;
        while self.begins.get(part + 1).is_some_and(|begin| *begin <= point) {
            part += 1;
        }
        part
    }

    /// The copies of members that cover a position.
    pub fn multiset(&self, point: Point) -> Vec<Entry> {
        let whole = self.whole.iter().flat_map(|&(node, times)| (0..times).map(move |q| (node, q)));
        let part = self.parts[self.part(point)].iter();
        whole.chain(part.map(|node| (*node, self.length(*node).0))).collect()
    }

    /// The second stage: which of these copies a key picks.
    pub fn pick(&self, key: u64, copies: &[Entry]) -> Option<NodeId> {
        let mixer = self.rule.mixer;
        let number = |(node, copy): Entry| u64::from(node.0) << 32 | u64::from(copy);
        let best = copies.iter().copied().min_by_key(|copy| match self.rule.stage {
            Stage::Rendezvous => !mixer.mix_pair(key, number(*copy), VALUE),
            Stage::Consistent => {
                Point(mixer.mix(number(*copy), COPY)).distance_to(Point(mixer.mix(key, PICK)))
            }
        });
        best.map(|(node, _)| node)
    }

    /// The member whose arc begins next.
    pub fn next_member(&self, point: Point) -> NodeId {
        let way = |node: &NodeId| point.distance_to(self.rule.mixer.node(*node));
        let members = self.members.iter().map(|(node, _)| node);
        members.min_by_key(way).expect("there are members")
    }

    /// The part of the circle that no arc covers.
    pub fn uncovered(&self) -> f64 {
        if !self.whole.is_empty() {
            return 0.0;
        }
        let ends = self.begins.iter().skip(1).copied().chain([Point(0)]);
        let parts = self.begins.iter().zip(ends).zip(&self.parts);
        let empty = parts.filter(|(_, above)| above.is_empty());
        empty.map(|((begin, end), _)| Arc::up_to(*begin, end).share()).sum()
    }
}

#[cfg(test)]
mod tests;
