//! Quorum systems: one set of nodes to ask per node, any two of which intersect.
//!
//! Every [`Quorums`] satisfies (Q1) any two quorums intersect, and (Q2) a node is in its own
//! quorum. Projective planes also satisfy (Q3) all quorums have the same size K, and (Q4) every
//! node is in exactly K quorums; then n is at most K(K-1)+1, with equality only for planes.

mod plane;

use std::error::Error;
use std::fmt::{self, Display};

use crate::{NodeId, NodeSet};

/// A quorum system: one quorum per node, any two of which intersect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quorums {
    sets: Vec<NodeSet>,
}

impl Quorums {
    /// A projective plane if one with `nodes` points exists, else a grid.
    pub fn new(nodes: u32) -> Self {
        Self::plane(nodes).unwrap_or_else(|| Self::grid(nodes))
    }

    /// The lines of a projective plane of order q, each assigned to one of its points: quorums of
    /// q + 1 nodes that intersect in one. A plane with q(q+1)+1 points exists for every prime power
    /// q, and in two degenerate cases: the triangle (q = 1) and a single node (q = 0).
    pub fn plane(nodes: u32) -> Option<Self> {
        Some(Self { sets: plane::lines(nodes)? })
    }

    /// The row and the column of each node in a square grid, whose last row may be partial. Two
    /// quorums intersect where the row of one node crosses the column of the other.
    pub fn grid(nodes: u32) -> Self {
        let columns = match nodes.isqrt() {
            side if side * side < nodes => side + 1,
            side => side,
        };
        let quorum = |me: u32| {
            let first = me - me % columns;
            let row = first..nodes.min(first + columns);
            let column = (me % columns..nodes).step_by(columns as usize);
            row.chain(column).map(NodeId).collect()
        };
        Self { sets: (0..nodes).map(quorum).collect() }
    }

    /// Reads one quorum per line: `3: 0 3 7` for node 3. `#` begins a comment.
    ///
    /// # Errors
    ///
    /// If a line cannot be understood, a node has no line, or Q1 or Q2 does not hold.
    pub fn parse(text: &str, nodes: u32) -> Result<Self, QuorumError> {
        let sets = read_lines(text, nodes, |line| read_nodes(line, nodes))?;
        for (me, set) in NodeId::all(nodes).zip(&sets) {
            if !set.contains(me) {
                return Err(QuorumError::Outsider(me));
            }
        }
        match disjoint(&sets) {
            Some((one, other)) => Err(QuorumError::Disjoint(one, other)),
            None => Ok(Self { sets }),
        }
    }

    /// The quorum of `node`.
    pub fn of(&self, node: NodeId) -> &NodeSet {
        &self.sets[node.index()]
    }

    /// All quorums, indexed by node.
    pub fn sets(&self) -> &[NodeSet] {
        &self.sets
    }
}

/// The first two nodes whose quorums are disjoint, in violation of Q1.
fn disjoint(sets: &[NodeSet]) -> Option<(NodeId, NodeId)> {
    let nodes = || NodeId::all(sets.len() as u32).zip(sets);
    nodes().find_map(|(one, quorum)| {
        let mut others = nodes().take(one.index());
        others.find(|(_, other)| !meet(quorum, other)).map(|(other, _)| (other, one))
    })
}

/// Whether two sets intersect.
pub(super) fn meet(one: &NodeSet, other: &NodeSet) -> bool {
    one.iter().any(|node| other.contains(node))
}

/// Reads lines of the form `NODE: REST`, exactly one per node, in any order.
pub(super) fn read_lines<T>(
    text: &str,
    nodes: u32,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, QuorumError> {
    let mut found: Vec<Option<T>> = (0..nodes).map(|_| None).collect();
    for (line, number) in text.lines().zip(1..) {
        let bad = |problem| QuorumError::Line { number, problem };
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let Some((node, rest)) = line.split_once(':') else {
            return Err(bad("a line begins with a node and a colon, such as '3:'".to_owned()));
        };
        let node = read_node(node.trim(), nodes).map_err(bad)?;
        let place = &mut found[node.index()];
        if place.is_some() {
            return Err(bad(format!("node {node} has a line already")));
        }
        *place = Some(read(rest).map_err(bad)?);
    }
    let all = NodeId::all(nodes).zip(found);
    all.map(|(node, line)| line.ok_or(QuorumError::Missing(node))).collect()
}

/// Reads a list of node numbers, separated by blanks.
pub(super) fn read_nodes(text: &str, nodes: u32) -> Result<NodeSet, String> {
    text.split_whitespace().map(|word| read_node(word, nodes)).collect()
}

fn read_node(word: &str, nodes: u32) -> Result<NodeId, String> {
    match word.parse() {
        Ok(node) if node < nodes => Ok(NodeId(node)),
        Ok(_) => Err(format!("there is no node {word}: the last of {nodes} is {}", nodes - 1)),
        Err(_) => Err(format!("'{word}' is not the number of a node")),
    }
}

/// Why a text does not describe a quorum system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuorumError {
    /// A line cannot be understood.
    Line {
        /// Its number, from one.
        number: u32,
        /// What is wrong with it.
        problem: String,
    },
    /// A node has no line.
    Missing(NodeId),
    /// A node is not in its own quorum.
    Outsider(NodeId),
    /// The quorums of two nodes are disjoint.
    Disjoint(NodeId, NodeId),
}

impl Display for QuorumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { number, problem } => write!(f, "line {number}: {problem}"),
            Self::Missing(node) => write!(f, "node {node} has no line"),
            Self::Outsider(node) => write!(f, "node {node} is not in its own quorum"),
            Self::Disjoint(one, other) => {
                write!(
                    f,
                    "the quorums of nodes {one} and {other} are disjoint: both could be inside"
                )
            }
        }
    }
}

impl Error for QuorumError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the sizes of all quorums.
    fn total(quorums: &Quorums) -> u32 {
        quorums.sets().iter().map(NodeSet::len).sum()
    }

    #[test]
    fn every_grid_is_a_system_of_quorums() {
        for nodes in 1..=150 {
            let grid = Quorums::grid(nodes);
            assert_eq!(disjoint(&grid.sets), None, "{nodes} nodes");
            assert!(NodeId::all(nodes).all(|me| grid.of(me).contains(me)), "{nodes} nodes");
        }
    }

    #[test]
    fn grids_have_the_expected_sizes() {
        for (nodes, total_size) in [(4, 12), (5, 17), (9, 45), (11, 61), (13, 79), (16, 112)] {
            assert_eq!(total(&Quorums::grid(nodes)), total_size, "{nodes} nodes");
        }
    }

    #[test]
    fn without_a_plane_there_is_a_grid() {
        assert_eq!(Quorums::new(8), Quorums::grid(8));
        assert_eq!(total(&Quorums::new(7)), 21);
    }

    #[test]
    fn a_text_is_read() {
        let text = "# the triangle\n0: 0 1\n\n2: 2 0  # any order\n1: 1 2\n";
        assert_eq!(Quorums::parse(text, 3).unwrap(), Quorums::plane(3).unwrap());
    }

    #[test]
    fn errors_name_the_line_or_the_nodes() {
        let error = |text| Quorums::parse(text, 3).unwrap_err().to_string();
        assert_eq!(error("0: 0 1\n0: 0 1"), "line 2: node 0 has a line already");
        assert_eq!(error("0 1 2"), "line 1: a line begins with a node and a colon, such as '3:'");
        assert_eq!(error("0: 0 x"), "line 1: 'x' is not the number of a node");
        assert_eq!(error("0: 0 3"), "line 1: there is no node 3: the last of 3 is 2");
        assert_eq!(error("0: 0 1\n1: 1 2"), "node 2 has no line");
        assert_eq!(error("0: 1\n1: 1\n2: 1 2"), "node 0 is not in its own quorum");
        assert_eq!(
            error("0: 0 1\n1: 1\n2: 0 2"),
            "the quorums of nodes 1 and 2 are disjoint: both could be inside"
        );
    }
}
