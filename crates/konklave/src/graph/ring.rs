use super::Graph;
use super::shape::{Shape, after, before};
use crate::NodeId;

/// One way round a graph that is a cycle. See [`Graph::ring`].
#[derive(Clone, Debug)]
pub struct Ring(Order);

#[derive(Clone, Debug)]
enum Order {
    /// As the nodes are numbered.
    Numbered {
        nodes: u32,
    },
    Listed {
        successors: Box<[NodeId]>,
        predecessors: Box<[NodeId]>,
    },
}

impl Ring {
    /// The next node; alone on the ring, the node itself.
    pub fn successor(&self, node: NodeId) -> NodeId {
        match &self.0 {
            Order::Numbered { nodes } => NodeId(after(node.0, *nodes)),
            Order::Listed { successors, .. } => successors[node.index()],
        }
    }

    /// The node whose successor this is.
    pub fn predecessor(&self, node: NodeId) -> NodeId {
        match &self.0 {
            Order::Numbered { nodes } => NodeId(before(node.0, *nodes)),
            Order::Listed { predecessors, .. } => predecessors[node.index()],
        }
    }
}

impl Graph {
    /// The way round, if the graph is a cycle: along the links if they are directed, and otherwise
    /// starting from node 0 towards its smaller neighbour.
    ///
    /// One node, and two nodes joined by an edge, count as cycles: there the successor is the node
    /// itself, or successor and predecessor are the same node.
    pub fn ring(&self) -> Option<Ring> {
        if matches!(self.shape, Shape::Ring | Shape::DirectedRing) || self.nodes <= 2 {
            return Some(Ring(Order::Numbered { nodes: self.nodes }));
        }
        // As many edges as nodes come first: they can mostly be counted without looking at nodes.
        let is_cycle = self.edges() == u64::from(self.nodes)
            && NodeId::all(self.nodes).all(|node| self.degree(node) == 2);
        is_cycle.then(|| self.way_round())
    }

    fn way_round(&self) -> Ring {
        let mut successors = vec![NodeId(0); self.nodes as usize];
        let mut predecessors = successors.clone();
        let (mut last, mut node) = (None, NodeId(0));
        for _ in 0..self.nodes {
            let next = self.neighbours(node).find(|&other| Some(other) != last);
            let next = next.expect("a node of a cycle has two neighbours");
            successors[node.index()] = next;
            predecessors[next.index()] = node;
            (last, node) = (Some(node), next);
        }
        Ring(Order::Listed { successors: successors.into(), predecessors: predecessors.into() })
    }
}
