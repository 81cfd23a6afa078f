use crate::NodeId;

/// Adjacency lists, stored one after the other.
#[derive(Clone, Debug)]
pub(super) struct Adjacency {
    /// The start of each node's list; it ends where the next one starts.
    starts: Box<[u32]>,
    /// All lists, each ascending.
    targets: Box<[NodeId]>,
    /// Whether some link is unidirectional.
    is_directed: bool,
}

impl Adjacency {
    /// The undirected graph with these `edges`, none of which may occur twice.
    pub(super) fn new(nodes: u32, edges: &[(u32, u32)]) -> Self {
        let both_ways = || edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        Self::collect(nodes, both_ways, false)
    }

    /// The directed graph with these `arcs`, none of which may occur twice, and one of which has no
    /// reverse.
    pub(super) fn directed(nodes: u32, arcs: &[(u32, u32)]) -> Self {
        Self::collect(nodes, || arcs.iter().copied(), true)
    }

    fn collect<I>(nodes: u32, arcs: impl Fn() -> I, is_directed: bool) -> Self
    where
        I: Iterator<Item = (u32, u32)>,
    {
        let count = arcs().count();
        // An index into the lists must fit 32 bits.
        assert!(u32::try_from(count).is_ok(), "too many links: {count}");
        let mut starts = vec![0; nodes as usize + 1];
        for (from, _) in arcs() {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes as usize {
            starts[node + 1] += starts[node];
        }

        let mut free = starts.clone();
        let mut targets = vec![NodeId(0); count];
        for (from, to) in arcs() {
            targets[free[from as usize] as usize] = NodeId(to);
            free[from as usize] += 1;
        }
        for list in starts.windows(2) {
            targets[list[0] as usize..list[1] as usize].sort_unstable();
        }
        Self { starts: starts.into(), targets: targets.into(), is_directed }
    }

    pub(super) fn neighbours(&self, node: u32) -> &[NodeId] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    pub(super) fn edges(&self) -> u64 {
        let arcs = self.targets.len() as u64;
        if self.is_directed { arcs } else { arcs / 2 }
    }

    pub(super) fn is_directed(&self) -> bool {
        self.is_directed
    }
}
