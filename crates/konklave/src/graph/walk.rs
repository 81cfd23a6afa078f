use super::Graph;
use super::adjacency::Adjacency;
use super::shape::{Origin, Shape};
use crate::NodeId;

impl Graph {
    /// The parent of each node in a tree of shortest paths to `root`, which is its own parent. Ties
    /// are broken by the order of discovery from the root.
    pub fn tree_towards(&self, root: NodeId) -> Vec<NodeId> {
        let mut parents = vec![root; self.nodes as usize];
        if self.is_directed() {
            // A search from the root would follow links away from it.
            self.reversed().walk(root, |parent, node| parents[node.index()] = parent);
        } else {
            self.walk(root, |parent, node| parents[node.index()] = parent);
        }
        parents
    }

    /// The distance, in hops, from `from` to each node.
    pub fn distances(&self, from: NodeId) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.nodes as usize];
        distances[from.index()] = 0;
        self.walk(from, |near, far| distances[far.index()] = distances[near.index()] + 1);
        distances
    }

    /// The diameter: the largest distance between two nodes.
    ///
    /// Fast for formulas and trees. In other graphs a search starts at every node, so the time is
    /// proportional to nodes times edges.
    pub fn diameter(&self) -> u32 {
        let farthest = |from| {
            let distances = self.distances(from).into_iter().zip(NodeId::all(self.nodes));
            distances.max().expect("a graph has a node")
        };
        let (eccentricity, far) = farthest(NodeId(0));
        if self.is_tree() {
            // In a tree, a node farthest from any node is an end of a longest path.
            farthest(far).0
        } else if matches!(self.shape, Shape::Listed { .. }) {
            NodeId::all(self.nodes).map(|node| farthest(node).0).max().unwrap_or(0)
        } else {
            // In every other formula the eccentricity of node 0 is the diameter.
            eccentricity
        }
    }

    /// The same nodes, with every link in the opposite direction.
    pub(super) fn reversed(&self) -> Self {
        let arcs: Vec<_> = self.iter_edges().map(|(from, to)| (to.0, from.0)).collect();
        let links = Adjacency::directed(self.nodes, &arcs);
        let shape = Shape::Listed { origin: Origin::File, links };
        Self { nodes: self.nodes, shape, labels: None }
    }

    /// A node that node 0 cannot reach, to check whether a new graph is connected.
    pub(super) fn unreachable(&self) -> Option<NodeId> {
        let distances = self.distances(NodeId(0));
        NodeId::all(self.nodes).find(|node| distances[node.index()] == u32::MAX)
    }

    /// Breadth-first search from `start`: reports each other node with its predecessor.
    fn walk(&self, start: NodeId, mut found: impl FnMut(NodeId, NodeId)) {
        let mut seen = vec![false; self.nodes as usize];
        seen[start.index()] = true;
        let mut queue = vec![start];
        let mut at = 0;
        // Stops once all nodes are found: in a complete graph that skips almost all links.
        while at < queue.len() && queue.len() < self.nodes as usize {
            let node = queue[at];
            at += 1;
            for other in self.neighbours(node) {
                if !seen[other.index()] {
                    seen[other.index()] = true;
                    queue.push(other);
                    found(node, other);
                }
            }
        }
    }
}
