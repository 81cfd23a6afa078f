use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

use super::adjacency::Adjacency;
use super::form::Form;
use crate::NodeId;

/// The links of a graph: by formula, or as adjacency lists.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Ring,
    DirectedRing,
    Line,
    /// Node 0 is the centre.
    Star,
    /// In heap order: the parent of `i` is `(i - 1) / arity`.
    Tree {
        arity: u32,
    },
    Complete,
    /// Row by row: the node in column `x` of row `y` is `y * width + x`.
    Grid {
        width: u32,
        height: u32,
    },
    /// Numbered like the grid, with opposite borders connected.
    Torus {
        width: u32,
        height: u32,
    },
    /// Neighbours differ in one bit.
    Hypercube,
    /// A neighbour is the number shifted by one bit, either way, any bit moving in.
    DeBruijn,
    Listed {
        origin: Origin,
        links: Adjacency,
    },
}

/// The source of a graph with adjacency lists.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    RandomTree,
    Gnp,
    Regular { degree: u32 },
    SmallWorld { degree: u32 },
    ScaleFree { links: u32 },
    File,
}

impl Shape {
    pub(super) fn neighbours(&self, nodes: u32, node: u32) -> Neighbours<'_> {
        let few = |candidates| Neighbours::few(node, candidates);
        let previous = node.checked_sub(1);
        let next = Some(node + 1).filter(|&next| next < nodes);
        Neighbours(match *self {
            Self::Ring => few([Some(before(node, nodes)), Some(after(node, nodes)), None, None]),
            Self::DirectedRing => few([Some(after(node, nodes)), None, None, None]),
            Self::Line => few([previous, next, None, None]),
            Self::Star if node == 0 => Places::Ranges(0..0, 1..nodes),
            Self::Star => Places::Ranges(0..1, 0..0),
            Self::Tree { arity } => {
                // The last level may be partial, and the formula may exceed 32 bits.
                let child = |k: u64| (u64::from(node) * u64::from(arity) + k).min(nodes.into());
                let children = child(1) as u32..child(u64::from(arity) + 1) as u32;
                let parent = previous.map_or(0..0, |p| p / arity..p / arity + 1);
                Places::Ranges(parent, children)
            }
            Self::Complete => Places::Ranges(0..node, node + 1..nodes),
            Self::Grid { width, .. } => {
                let column = node % width;
                few([
                    node.checked_sub(width),
                    previous.filter(|_| column > 0),
                    next.filter(|_| column + 1 < width),
                    node.checked_add(width).filter(|&below| below < nodes),
                ])
            }
            Self::Torus { width, height } => {
                let (x, y) = (node % width, node / width);
                few([
                    Some(before(y, height) * width + x),
                    Some(y * width + before(x, width)),
                    Some(y * width + after(x, width)),
                    Some(after(y, height) * width + x),
                ])
            }
            Self::Hypercube => Places::Flips { node, falling: node, rising: !node & (nodes - 1) },
            Self::DeBruijn => {
                let mask = nodes - 1;
                let left = node << 1 & mask;
                let right = node >> 1;
                few([Some(left), Some(left | 1 & mask), Some(right), Some(right | nodes >> 1)])
            }
            Self::Listed { ref links, .. } => Places::Listed(links.neighbours(node).iter()),
        })
    }

    pub(super) fn edges(&self, nodes: u32) -> u64 {
        let n = u64::from(nodes);
        match *self {
            Self::Ring | Self::DirectedRing => cycle_edges(nodes),
            Self::Line | Self::Star | Self::Tree { .. } => n - 1,
            Self::Complete => n * (n - 1) / 2,
            Self::Grid { width, height } => 2 * n - u64::from(width) - u64::from(height),
            Self::Torus { width, height } => {
                u64::from(height) * cycle_edges(width) + u64::from(width) * cycle_edges(height)
            }
            Self::Hypercube => n / 2 * u64::from(nodes.ilog2()),
            // Two shifts per node, minus the loops at 00..0 and 11..1, and minus one because 01..01
            // and 10..10 are shifts of each other.
            Self::DeBruijn => (2 * n).saturating_sub(3),
            Self::Listed { ref links, .. } => links.edges(),
        }
    }

    pub(super) fn form(&self) -> Form {
        match *self {
            Self::Ring => Form::Ring,
            Self::DirectedRing => Form::DirectedRing,
            Self::Line => Form::Line,
            Self::Star => Form::Star,
            Self::Tree { arity } => Form::Tree { arity },
            Self::Complete => Form::Complete,
            Self::Grid { width, height } => Form::Grid { width, height },
            Self::Torus { width, height } => Form::Torus { width, height },
            Self::Hypercube => Form::Hypercube,
            Self::DeBruijn => Form::DeBruijn,
            Self::Listed { ref origin, .. } => match *origin {
                Origin::RandomTree => Form::RandomTree,
                Origin::Gnp => Form::Random,
                Origin::Regular { degree } => Form::Regular { degree },
                Origin::SmallWorld { degree } => Form::SmallWorld { degree },
                Origin::ScaleFree { links } => Form::ScaleFree { links },
                Origin::File => Form::Any,
            },
        }
    }
}

/// The predecessor of `place` on a cycle.
pub(super) fn before(place: u32, cycle: u32) -> u32 {
    place.checked_sub(1).unwrap_or(cycle - 1)
}

/// The successor of `place` on a cycle.
pub(super) fn after(place: u32, cycle: u32) -> u32 {
    if place + 1 < cycle { place + 1 } else { 0 }
}

/// The number of edges of a cycle, without loops and parallel edges.
fn cycle_edges(places: u32) -> u64 {
    if places > 2 { places.into() } else { u64::from(places) - 1 }
}

/// The neighbours of one node, ascending. See [`Graph::neighbours`](super::Graph::neighbours).
#[derive(Clone, Debug)]
pub struct Neighbours<'a>(Places<'a>);

#[derive(Clone, Debug)]
enum Places<'a> {
    /// `nodes[at..end]`.
    Few {
        nodes: [u32; 4],
        at: u8,
        end: u8,
    },
    /// All of the first range, then all of the second.
    Ranges(Range<u32>, Range<u32>),
    /// `node` with one bit flipped: first a set bit, then a cleared one.
    Flips {
        node: u32,
        falling: u32,
        rising: u32,
    },
    Listed(slice::Iter<'a, NodeId>),
}

impl Neighbours<'_> {
    /// Sorts the candidates, and drops duplicates and the node itself, which occur on small cycles.
    fn few(node: u32, candidates: [Option<u32>; 4]) -> Places<'static> {
        let mut nodes = [0; 4];
        let mut end = 0;
        for candidate in candidates.into_iter().flatten().filter(|&candidate| candidate != node) {
            let place = nodes[..end].iter().take_while(|&&other| other < candidate).count();
            if !nodes[..end].contains(&candidate) {
                nodes.copy_within(place..end, place + 1);
                nodes[place] = candidate;
                end += 1;
            }
        }
        Places::Few { nodes, at: 0, end: end as u8 }
    }

    /// Whether the iterator will still yield `node`.
    pub fn contains(&self, node: NodeId) -> bool {
        match &self.0 {
            Places::Few { nodes, at, end } => nodes[*at as usize..*end as usize].contains(&node.0),
            Places::Ranges(first, second) => first.contains(&node.0) || second.contains(&node.0),
            Places::Flips { node: centre, falling, rising } => {
                let flipped = centre ^ node.0;
                flipped.is_power_of_two() && (falling | rising) & flipped != 0
            }
            Places::Listed(list) => list.as_slice().binary_search(&node).is_ok(),
        }
    }
}

impl Iterator for Neighbours<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        match &mut self.0 {
            Places::Few { at, end, .. } if at == end => None,
            Places::Few { nodes, at, .. } => {
                *at += 1;
                Some(NodeId(nodes[*at as usize - 1]))
            }
            Places::Ranges(first, second) => first.next().or_else(|| second.next()).map(NodeId),
            Places::Flips { node, falling, rising } => {
                // Clearing the highest bit gives the smallest number, setting it the largest.
                let (bits, place) = match falling.checked_ilog2() {
                    Some(highest) => (falling, highest),
                    None if *rising == 0 => return None,
                    None => {
                        let lowest = rising.trailing_zeros();
                        (rising, lowest)
                    }
                };
                *bits ^= 1 << place;
                Some(NodeId(*node ^ 1 << place))
            }
            Places::Listed(list) => list.next().copied(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = match &self.0 {
            Places::Few { at, end, .. } => (end - at) as usize,
            Places::Ranges(first, second) => first.len() + second.len(),
            Places::Flips { falling, rising, .. } => {
                (falling.count_ones() + rising.count_ones()) as usize
            }
            Places::Listed(list) => list.len(),
        };
        (len, Some(len))
    }
}

impl ExactSizeIterator for Neighbours<'_> {}

impl FusedIterator for Neighbours<'_> {}
