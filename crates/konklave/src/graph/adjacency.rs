use crate::NodeId;

/// Adjacency lists, stored one after the other.
#[derive(Clone, Debug)]
pub(super) struct Adjacency {
    /// The start of each node's list; it ends where the next one starts.
    starts: Box<[u32]>,
    /// All lists, each ascending.
    targets: Box<[NodeId]>,
}

impl Adjacency {
    /// The undirected graph with these `edges`, none of which may occur twice.
    pub(super) fn new(nodes: u32, edges: &[(u32, u32)]) -> Self {
        // Each edge is in two lists, and an index into the lists must fit 32 bits.
        assert!(edges.len() <= u32::MAX as usize / 2, "too many edges: {}", edges.len());
        let ends = || edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);

        let mut starts = vec![0; nodes as usize + 1];
        for (from, _) in ends() {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes as usize {
            starts[node + 1] += starts[node];
        }

        let mut free = starts.clone();
        let mut targets = vec![NodeId(0); 2 * edges.len()];
        for (from, to) in ends() {
            targets[free[from as usize] as usize] = NodeId(to);
            free[from as usize] += 1;
        }
        for list in starts.windows(2) {
            targets[list[0] as usize..list[1] as usize].sort_unstable();
        }
        Self { starts: starts.into(), targets: targets.into() }
    }

    pub(super) fn neighbours(&self, node: u32) -> &[NodeId] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    pub(super) fn edges(&self) -> u64 {
        self.targets.len() as u64 / 2
    }
}
