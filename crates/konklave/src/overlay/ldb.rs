//! The linearised de Bruijn network: every process plays three virtual nodes on a sorted cycle.
//!
//! A. Richa, C. Scheideler, P. Stevens: Self-Stabilizing De Bruijn Networks. SSS, 2011.
//!
//! The middle node of a process has a random label m in [0, 1), the left one m/2 and the right one
//! (m+1)/2. Virtual nodes know their neighbours on the sorted cycle, and those of one process know
//! each other, so the degree is constant. The jump from a middle node to its left or right sibling
//! puts a bit in front of the label, as an edge of a de Bruijn graph does: after about log n jumps,
//! with short walks to the next middle node between them, a message is near any point
//! ([`Ldb::next`]). Steps between the nodes of one process cost nothing.
//!
//! The same edges hold a tree of height O(log n), the *aggregation tree*: the parent of a right
//! node is its middle node, of a middle node its left node, and of a left node its predecessor. The
//! root is the minimum, the *anchor*. Only edges to left nodes lead from process to process, so
//! there are n-1 of these, and a process has at most two children.

mod change;

use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

use super::Side;
use crate::NodeId;
use crate::circle::{Arc, Mixer, Point, Salt};
pub use change::{Change, Spot};

/// Which of the three nodes of a process. Siblings with the same label are in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// At half the label of the middle node.
    Left,
    /// At the label of the process.
    Middle,
    /// Half the circle behind the left node.
    Right,
}

impl Kind {
    /// All three, in the order of labels.
    pub const ALL: [Self; 3] = [Self::Left, Self::Middle, Self::Right];
}

/// A virtual node. The order of all of them is that of the cycle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Virtual {
    /// Where it is.
    pub label: Point,
    /// The process that plays it.
    pub node: NodeId,
    /// Which of its nodes.
    pub kind: Kind,
}

impl Virtual {
    fn new(node: NodeId, middle: Point, kind: Kind) -> Self {
        let half = middle.0 >> 1;
        let label = match kind {
            Kind::Left => half,
            Kind::Middle => middle.0,
            Kind::Right => half | 1 << 63,
        };
        Self { label: Point(label), node, kind }
    }
}

impl Debug for Virtual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.node, self.kind)
    }
}

/// Places the middle nodes.
const MIDDLE: Salt = Salt(7);

/// The label of the middle node of a process. Its last bit is 0, so that half of it is exact.
pub fn middle(mixer: Mixer, node: NodeId) -> Point {
    Point(mixer.mix(node.0.into(), MIDDLE) & !1)
}

/// A message on its way, as its next stop needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Way {
    /// Where it would be if all jumps had begun at their ideal points.
    ideal: Point,
    /// The number of jumps that are left: the bits of the target still to be put in front.
    jumps: u8,
    /// The direction in which it walks to the next middle node. It must not be chosen anew on the
    /// walk: two nodes on either side of the ideal point would send it to each other for ever.
    walks: Option<Direction>,
    /// The virtual node that it is at.
    at: Kind,
    /// The number of messages so far.
    pub hops: u32,
}

/// A direction on the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Direction {
    Down,
    Up,
}

/// What a process knows: the neighbours of its three virtual nodes, and how many processes there
/// are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Ldb {
    me: NodeId,
    processes: u32,
    middle: Point,
    before: [Virtual; 3],
    behind: [Virtual; 3],
}

const _: () = assert!(size_of::<Ldb>() <= 128);

impl Ldb {
    /// The network of these processes, given with the labels of their middle nodes; in their order.
    pub fn network(middles: &[(NodeId, Point)]) -> Vec<Self> {
        let kinds = |(place, &(node, middle)): (usize, &(NodeId, Point))| {
            Kind::ALL.map(|kind| (Virtual::new(node, middle, kind), place))
        };
        let mut cycle: Vec<_> = middles.iter().enumerate().flat_map(kinds).collect();
        cycle.sort_unstable();
        let mut network: Vec<Self> = middles
            .iter()
            .map(|&(me, middle)| {
                let own = Kind::ALL.map(|kind| Virtual::new(me, middle, kind));
                Self { me, processes: middles.len() as u32, middle, before: own, behind: own }
            })
            .collect();
        for (&(one, at), &(next, next_at)) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            network[at].behind[one.kind as usize] = next;
            network[next_at].before[next.kind as usize] = one;
        }
        network
    }

    /// The network of these processes, with the labels that these functions give them.
    pub fn hashed(mixer: Mixer, nodes: impl IntoIterator<Item = NodeId>) -> Vec<Self> {
        let middles: Vec<_> = nodes.into_iter().map(|node| (node, middle(mixer, node))).collect();
        Self::network(&middles)
    }

    /// How many processes there are.
    pub fn processes(&self) -> u32 {
        self.processes
    }

    /// The process.
    pub fn me(&self) -> NodeId {
        self.me
    }

    /// One of its virtual nodes.
    pub fn own(&self, kind: Kind) -> Virtual {
        Virtual::new(self.me, self.middle, kind)
    }

    /// The neighbour of a virtual node on the cycle.
    pub fn neighbour(&self, kind: Kind, side: Side) -> Virtual {
        match side {
            Side::Left => self.before[kind as usize],
            Side::Right => self.behind[kind as usize],
        }
    }

    /// Whether one of its virtual nodes is responsible for a point: from its label up to the next.
    fn owns(&self, kind: Kind, point: Point) -> bool {
        let (first, next) = (self.own(kind).label, self.behind[kind as usize].label);
        first != next && Arc::up_to(first, next).contains(point)
    }

    /// Whether this process is responsible for a point.
    pub fn is_responsible(&self, point: Point) -> bool {
        Kind::ALL.into_iter().any(|kind| self.owns(kind, point))
    }

    /// A message sets out from the middle node of this process.
    pub fn set_out(&self) -> Way {
        // The number of bits that tell the processes apart, and one more.
        let jumps = (u32::BITS - (self.processes - 1).leading_zeros() + 1) as u8;
        Way { ideal: self.middle, jumps, walks: None, at: Kind::Middle, hops: 0 }
    }

    /// The process that a message to this point goes to next; `None` if one of the nodes here is
    /// responsible. It takes O(log n) messages with high probability.
    pub fn next(&self, target: Point, way: &mut Way) -> Option<NodeId> {
        loop {
            let to = match (way.jumps, way.at) {
                (0, at) if self.owns(at, target) => return None,
                // From the minimum down to the maximum, which is responsible across the end.
                (0, at) if target < self.own(at).label => self.before[at as usize],
                (0, at) => self.behind[at as usize],
                (_, Kind::Middle) => {
                    self.jump(target, way);
                    continue;
                }
                (_, at) => self.walk(at, way),
            };
            way.at = to.kind;
            if to.node != self.me {
                way.hops += 1;
                return Some(to.node);
            }
        }
    }

    /// Puts the next bit of the target in front: from the middle node to one of its siblings.
    fn jump(&self, target: Point, way: &mut Way) {
        let bit = target.0 >> (64 - way.jumps) & 1;
        way.ideal = Point(way.ideal.0 >> 1 | bit << 63);
        way.jumps -= 1;
        way.walks = None;
        way.at = if bit == 0 { Kind::Left } else { Kind::Right };
    }

    /// The next node on the way to a middle node. It turns at the ends instead of going around.
    fn walk(&self, at: Kind, way: &mut Way) -> Virtual {
        let here = self.own(at);
        let (before, behind) = (self.before[at as usize], self.behind[at as usize]);
        let towards = match way.ideal >= here.label {
            true => Direction::Up,
            false => Direction::Down,
        };
        let direction = match way.walks.unwrap_or(towards) {
            Direction::Up if behind < here => Direction::Down,
            Direction::Down if before > here => Direction::Up,
            direction => direction,
        };
        way.walks = Some(direction);
        match direction {
            Direction::Up => behind,
            Direction::Down => before,
        }
    }

    /// The parent of a virtual node in the aggregation tree; `None` for the anchor.
    pub fn parent_of(&self, kind: Kind) -> Option<Virtual> {
        match kind {
            Kind::Left => Some(self.before[0]).filter(|before| *before < self.own(kind)),
            Kind::Middle => Some(self.own(Kind::Left)),
            Kind::Right => Some(self.own(Kind::Middle)),
        }
    }

    /// The children of a virtual node in the aggregation tree: its sibling, then its successor.
    pub fn children_of(&self, kind: Kind) -> impl Iterator<Item = Virtual> + use<> {
        let sibling = match kind {
            Kind::Left => Some(self.own(Kind::Middle)),
            Kind::Middle => Some(self.own(Kind::Right)),
            Kind::Right => None,
        };
        let (here, behind) = (self.own(kind), self.behind[kind as usize]);
        let successor = Some(behind).filter(|it| it.kind == Kind::Left && *it > here);
        sibling.into_iter().chain(successor)
    }

    /// The process above this one in the aggregation tree; `None` if this one plays the anchor.
    pub fn parent(&self) -> Option<NodeId> {
        self.parent_of(Kind::Left).map(|parent| parent.node)
    }

    /// The processes below this one in the aggregation tree, in the order of the tree: what hangs
    /// on the middle node comes before the successor of the left node.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + use<'_> {
        let below = [Kind::Middle, Kind::Left].into_iter().flat_map(|kind| self.children_of(kind));
        below.filter(|child| child.node != self.me).map(|child| child.node)
    }
}

/// The number of messages from the deepest process to the anchor, given all processes.
pub fn height(network: &[&Ldb]) -> u32 {
    let mut order: Vec<&Ldb> = network.to_vec();
    order.sort_unstable_by_key(|it| it.own(Kind::Left)); // Parents come before their children.
    let numbers = network.iter().map(|it| it.me.index() + 1);
    let mut depths = vec![0; numbers.max().unwrap_or(0)];
    for process in order {
        if let Some(parent) = process.parent() {
            depths[process.me.index()] = depths[parent.index()] + 1;
        }
    }
    depths.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
