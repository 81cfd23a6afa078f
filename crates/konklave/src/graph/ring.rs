use super::Graph;
use super::shape::{Shape, after, before};
use crate::NodeId;

/// An orientation of a graph that is a cycle. See [`Graph::ring`].
#[derive(Clone, Debug)]
pub struct Ring(Order);

#[derive(Clone, Debug)]
enum Order {
    /// In the order of the node numbers.
    Numbered {
        nodes: u32,
    },
    Listed {
        successors: Box<[NodeId]>,
        predecessors: Box<[NodeId]>,
    },
}

impl Ring {
    /// The next node on the ring; the only node is its own successor.
    pub fn successor(&self, node: NodeId) -> NodeId {
        match &self.0 {
            Order::Numbered { nodes } => NodeId(after(node.0, *nodes)),
            Order::Listed { successors, .. } => successors[node.index()],
        }
    }

    /// The node whose successor is `node`.
    pub fn predecessor(&self, node: NodeId) -> NodeId {
        match &self.0 {
            Order::Numbered { nodes } => NodeId(before(node.0, *nodes)),
            Order::Listed { predecessors, .. } => predecessors[node.index()],
        }
    }
}

impl Graph {
    /// The orientation, if the graph is a cycle: along the links if they are directed, otherwise
    /// starting from node 0 towards its smaller neighbour.
    ///
    /// A single node and two adjacent nodes count as cycles: the successor is the node itself, or
    /// successor and predecessor are the same node.
    pub fn ring(&self) -> Option<Ring> {
        if matches!(self.shape, Shape::Ring | Shape::DirectedRing) || self.nodes <= 2 {
            return Some(Ring(Order::Numbered { nodes: self.nodes }));
        }
        // The number of edges is checked first: it is mostly known without visiting the nodes.
        let degree = if self.is_directed() { 1 } else { 2 };
        let is_cycle = self.edges() == u64::from(self.nodes)
            && NodeId::all(self.nodes).all(|node| self.degree(node) == degree);
        is_cycle.then(|| self.way_round())
    }

    fn way_round(&self) -> Ring {
        let mut successors = vec![NodeId(0); self.nodes as usize];
        let mut predecessors = successors.clone();
        let (mut last, mut node) = (None, NodeId(0));
        for _ in 0..self.nodes {
            let next = self.neighbours(node).find(|&other| Some(other) != last);
            let next = next.expect("a node of a cycle has a way on");
            successors[node.index()] = next;
            predecessors[next.index()] = node;
            (last, node) = (Some(node), next);
        }
        Ring(Order::Listed { successors: successors.into(), predecessors: predecessors.into() })
    }
}
