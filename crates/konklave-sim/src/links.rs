//! The channels between nodes, as a table of bits.

use konklave::NodeId;
use konklave::graph::Graph;
use konklave::protocol::Broken;
use konklave_stage::local::judge_send;

/// The largest system whose channels are checked, unless there is one between every two nodes. An
/// algorithm that sends to a node which is not a neighbour does so in small systems, too; and the
/// table of a larger one would not stay in the cache.
const LARGEST: u32 = 1024;

/// The channels between the nodes of a system.
#[derive(Debug)]
pub(crate) struct Links {
    nodes: u32,
    /// The nodes below this number can be reached by all.
    open: u32,
    /// A row of this many words for each sender.
    stride: usize,
    /// A bit for each receiver; empty if every node can send to every other.
    table: Vec<u64>,
}

impl Links {
    /// A channel between every two nodes.
    pub(crate) fn complete(nodes: u32) -> Self {
        Self { nodes, open: nodes, stride: 0, table: Vec::new() }
    }

    /// The channels of a network.
    pub(crate) fn of(graph: &Graph) -> Self {
        let nodes = graph.nodes();
        let mut links = Self::complete(nodes);
        if graph.is_complete() || nodes > LARGEST {
            return links;
        }
        links.open = 0;
        links.stride = nodes.div_ceil(64) as usize;
        links.table = vec![0; links.stride * nodes as usize];
        for from in NodeId::all(nodes) {
            for to in graph.neighbours(from).chain([from]) {
                links.table[links.stride * from.index() + to.index() / 64] |= 1 << (to.0 % 64);
            }
        }
        links
    }

    /// Whether there is no channel from one node to the other.
    #[inline(always)]
    pub(crate) fn lack(&self, from: NodeId, to: NodeId) -> bool {
        to.0 >= self.open && !self.has(from, to)
    }

    /// Whether this node exists.
    pub(crate) fn contain(&self, node: NodeId) -> bool {
        node.0 < self.nodes
    }

    #[inline(always)]
    fn has(&self, from: NodeId, to: NodeId) -> bool {
        let row = self.table.get(self.stride * from.index() + to.index() / 64);
        to.0 < self.nodes && row.is_some_and(|row| row >> (to.0 % 64) & 1 == 1)
    }

    /// The verdict about a message between two nodes.
    pub(crate) fn judge(&self, from: NodeId, to: NodeId) -> Result<(), Broken> {
        judge_send(from, to, self.nodes as usize, || !self.lack(from, to))
    }
}

#[cfg(test)]
mod tests {
    use konklave::graph::Topology;

    use super::*;

    #[test]
    fn the_table_says_the_same_as_the_graph() {
        for topology in ["ring", "directed-ring", "star", "grid", "complete", "tree:2", "line"] {
            let topology: Topology = topology.parse().unwrap();
            for nodes in [1, 2, 4, 63, 64, 65, 130] {
                let Ok(graph) = topology.build(nodes, &mut || 0) else { continue };
                let links = Links::of(&graph);
                for from in NodeId::all(nodes) {
                    for to in NodeId::all(nodes).filter(|to| *to != from) {
                        let expected = !graph.has_edge(from, to);
                        assert_eq!(links.lack(from, to), expected, "{topology} {from} {to}");
                        assert_eq!(links.judge(from, to).is_err(), expected);
                    }
                    assert!(!links.lack(from, from), "a node can send to itself");
                    assert!(links.lack(from, NodeId(nodes)), "that one does not exist");
                }
            }
        }
    }
}
