//! Trees, with distances and directions found the simple way.

use konklave::NodeId;
use konklave::graph::Topology;
use konklave_sim::random::{Random, Stream};

/// A tree, as all distances in it.
pub(super) struct Tree {
    pub(super) name: String,
    pub(super) distances: Vec<Vec<u32>>,
}

impl Tree {
    /// The topology with so many nodes; a random one is drawn from the seed.
    pub(super) fn new(topology: &str, nodes: u32, seed: u64) -> Self {
        let mut random = Random::new(seed, Stream::Graph);
        let topology: Topology = topology.parse().unwrap();
        let graph = topology.build(nodes, &mut || random.word()).unwrap();
        assert!(graph.is_tree());
        let name = format!("{}, seed {seed}", graph.describe());
        let edges: Vec<_> = graph.iter_edges().map(|(a, b)| (a.index(), b.index())).collect();
        Self { name, distances: all_distances(nodes as usize, &edges) }
    }

    /// The tree with these edges.
    pub(super) fn of(edges: &[(usize, usize)]) -> Self {
        Self { name: format!("{edges:?}"), distances: all_distances(edges.len() + 1, edges) }
    }

    pub(super) fn nodes(&self) -> u32 {
        self.distances.len() as u32
    }

    pub(super) fn distance(&self, a: NodeId, b: NodeId) -> u32 {
        self.distances[a.index()][b.index()]
    }

    pub(super) fn diameter(&self) -> u32 {
        self.distances.iter().flatten().copied().max().unwrap()
    }

    /// The neighbour of `node` that is nearer to `goal`; the node itself if it is the goal.
    pub(super) fn towards(&self, node: NodeId, goal: NodeId) -> NodeId {
        let nearer = |&other: &NodeId| {
            self.distance(node, other) == 1
                && self.distance(other, goal) < self.distance(node, goal)
        };
        NodeId::all(self.nodes()).find(nearer).unwrap_or(goal)
    }

    /// The sum of the distances of all ordered pairs.
    pub(super) fn sum(&self) -> u32 {
        self.distances.iter().flatten().sum()
    }
}

/// Breadth first from every node.
fn all_distances(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<u32>> {
    let from = |start: usize| {
        let mut distances = vec![u32::MAX; nodes];
        distances[start] = 0;
        for distance in 0..nodes as u32 {
            for &(a, b) in edges {
                for (near, far) in [(a, b), (b, a)] {
                    if distances[near] == distance && distances[far] == u32::MAX {
                        distances[far] = distance + 1;
                    }
                }
            }
        }
        assert!(!distances.contains(&u32::MAX), "connected");
        distances
    };
    (0..nodes).map(from).collect()
}

/// Paths, stars, binary trees and random trees of these sizes.
pub(super) fn trees(sizes: &[u32]) -> Vec<Tree> {
    let forms = [("line", 1), ("star", 1), ("tree:2", 1), ("random-tree", 1), ("random-tree", 2)];
    let of_size = |&nodes: &u32| forms.map(|(form, seed)| Tree::new(form, nodes, seed));
    sizes.iter().flat_map(of_size).collect()
}

#[test]
fn distances_are_right() {
    let path = Tree::new("line", 5, 1);
    assert_eq!(path.distances[1], [1, 0, 1, 2, 3]);
    assert_eq!(path.towards(NodeId(1), NodeId(4)), NodeId(2));
    assert_eq!(path.towards(NodeId(1), NodeId(1)), NodeId(1));
    assert_eq!((path.diameter(), path.sum()), (4, 40));
    let star = Tree::new("star", 4, 1);
    assert_eq!(star.distances[2], [1, 2, 0, 2]);
    assert_eq!(star.towards(NodeId(2), NodeId(3)), NodeId(0));
}
