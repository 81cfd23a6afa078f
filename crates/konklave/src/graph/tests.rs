use super::*;

mod file;
mod random;
mod shape;
mod social;
mod topology;
mod walk;

/// A reproducible source of randomness (S. Vigna's splitmix64).
fn splitmix64(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn try_build(topology: &str, nodes: u32) -> Result<Graph, GraphError> {
    topology.parse::<Topology>()?.build(nodes, &mut splitmix64(nodes.into()))
}

fn build(topology: &str, nodes: u32) -> Graph {
    try_build(topology, nodes).unwrap_or_else(|error| panic!("{error}"))
}

fn edge_list(text: &str) -> Graph {
    Graph::parse(text, Format::EdgeList).unwrap_or_else(|error| panic!("{error}"))
}

/// The links of `graph`, queried pair by pair.
fn matrix(graph: &Graph) -> Vec<Vec<bool>> {
    let row = |a| NodeId::all(graph.nodes()).map(|b| graph.has_edge(a, b)).collect();
    NodeId::all(graph.nodes()).map(row).collect()
}

/// Every form at many sizes, the random ones included.
fn samples() -> Vec<Graph> {
    let mut graphs = Vec::new();
    for nodes in 1..=36 {
        for topology in ["ring", "directed-ring", "line", "star", "complete", "grid", "torus"] {
            graphs.push(build(topology, nodes));
        }
        for topology in ["tree:1", "tree", "tree:3", "tree:40", "random-tree", "gnp:0.9"] {
            graphs.push(build(topology, nodes));
        }
        if nodes.is_power_of_two() {
            graphs.extend(["hypercube", "debruijn"].map(|topology| build(topology, nodes)));
        }
        for degree in (1..nodes).filter(|degree| nodes * degree % 2 == 0) {
            if degree > 1 || nodes == 2 {
                graphs.push(build(&format!("regular:{degree}"), nodes));
            }
        }
        if nodes > 4 {
            graphs.push(build("watts-strogatz:4,0.3", nodes));
            graphs.push(build("barabasi-albert:3", nodes));
        }
    }
    graphs
}
