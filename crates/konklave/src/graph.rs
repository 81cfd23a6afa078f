//! Network topologies: given by a formula, drawn at random, or read from a file.
//!
//! A [`Topology`] is a family of networks (`ring`, `grid:4x3`, `gnp:0.1`); with a number of nodes
//! it becomes a [`Graph`]. Regular shapes are formulas and need no memory for their edges; only
//! random graphs and graphs from files ([`Graph::parse`]) store adjacency lists.
//!
//! Every graph is connected, has at least one node, and has neither loops nor parallel edges. All
//! graphs but the directed ring and those of files with directed links are undirected: a link
//! carries messages in both directions. In a directed graph, every node reaches every other along
//! the links.
//!
//! ```
//! use konklave::NodeId;
//! use konklave::graph::{Graph, GraphError, Topology};
//!
//! let topology: Topology = "torus:4x3".parse()?;
//! // The closure supplies the randomness, which a torus does not need.
//! let graph: Graph = topology.build(12, &mut || 0)?;
//! assert_eq!(graph.describe(), "4x3 torus of 12 nodes");
//! assert_eq!(graph.neighbours(NodeId(0)).collect::<Vec<_>>(), [1, 3, 4, 8].map(NodeId));
//! # Ok::<(), GraphError>(())
//! ```

use std::borrow::Cow;

use crate::NodeId;

mod adjacency;
mod build;
mod error;
mod file;
mod form;
mod random;
mod ring;
mod shape;
#[cfg(test)]
mod tests;
mod topology;
mod walk;

pub use error::GraphError;
pub use file::Format;
pub use form::Form;
pub use ring::Ring;
pub use shape::Neighbours;
use shape::Shape;
pub use topology::{FORMS, NAMES, Probability, Topology};

/// A connected network of nodes `0..nodes`.
///
/// Two graphs are equal if they have the same links and labels, whether these come from a formula
/// or from a list.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: u32,
    shape: Shape,
    /// The names of the nodes in a file; none if they are the numbers.
    labels: Option<Box<[String]>>,
}

impl Graph {
    /// The number of nodes, at least one.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The nodes that `node` can send to, in ascending order, without itself.
    ///
    /// In a directed ring this is the successor alone.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn neighbours(&self, node: NodeId) -> Neighbours<'_> {
        assert!(node.0 < self.nodes, "node {node} of a {}", self.describe());
        self.shape.neighbours(self.nodes, node.0)
    }

    /// The number of neighbours of `node`.
    pub fn degree(&self, node: NodeId) -> u32 {
        self.neighbours(node).len() as u32
    }

    /// The largest degree of all nodes.
    pub fn max_degree(&self) -> u32 {
        NodeId::all(self.nodes).map(|node| self.degree(node)).max().unwrap_or(0)
    }

    /// Whether `from` can send to `to`.
    pub fn has_edge(&self, from: NodeId, to: NodeId) -> bool {
        self.neighbours(from).contains(to)
    }

    /// The number of links. In an undirected graph a link counts once, in a directed one for each
    /// of its directions.
    pub fn edges(&self) -> u64 {
        self.shape.edges(self.nodes)
    }

    /// All links in ascending order, each once: from its smaller end to its larger, or from sender
    /// to receiver if the graph is directed.
    pub fn iter_edges(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let directed = self.is_directed();
        NodeId::all(self.nodes).flat_map(move |node| {
            let links = self.neighbours(node).map(move |other| (node, other));
            links.filter(move |(from, to)| directed || from < to)
        })
    }

    /// Whether some link is unidirectional.
    ///
    /// A directed ring of one or two nodes is undirected: every link has its reverse.
    pub fn is_directed(&self) -> bool {
        match &self.shape {
            Shape::DirectedRing => self.nodes > 2,
            Shape::Listed { links, .. } => links.is_directed(),
            _ => false,
        }
    }

    /// Whether any two nodes are connected by exactly one path.
    pub fn is_tree(&self) -> bool {
        // Every graph here is connected, so the number of links decides.
        !self.is_directed() && self.edges() == u64::from(self.nodes) - 1
    }

    /// Whether every node is a neighbour of every other.
    pub fn is_complete(&self) -> bool {
        let nodes = u64::from(self.nodes);
        !self.is_directed() && self.edges() == nodes * (nodes - 1) / 2
    }

    /// The label of the node: its name in the file, or its number.
    pub fn label(&self, node: NodeId) -> Cow<'_, str> {
        match &self.labels {
            Some(labels) => Cow::Borrowed(&labels[node.index()]),
            None => Cow::Owned(node.to_string()),
        }
    }

    /// What it looks like, whatever its number of nodes. Two graphs of different forms can be
    /// equal: a grid with one row is a line.
    pub fn form(&self) -> Form {
        self.shape.form()
    }

    /// The graph in a few words, such as `ring of 5 nodes`.
    pub fn describe(&self) -> String {
        let count = |n: u64, what| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (form, size) = (self.form(), count(self.nodes.into(), "node"));
        match form.tells_edges() {
            true => format!("{form} of {size}"),
            false => {
                let directed = if self.is_directed() { "directed " } else { "" };
                format!("{directed}{form} of {size} and {}", count(self.edges(), "edge"))
            }
        }
    }
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
            && self.edges() == other.edges()
            && self.labels == other.labels
            && NodeId::all(self.nodes).all(|node| self.neighbours(node).eq(other.neighbours(node)))
    }
}

impl Eq for Graph {}
