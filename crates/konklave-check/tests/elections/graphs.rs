//! Trees and other graphs.

use konklave::NodeId;
use konklave::election::Winner;
use konklave::election::adoption::Adoption;
use konklave::election::dfs_token::DfsToken;
use konklave::election::echo::Echo;
use konklave::election::echo_extinction::EchoExtinction;
use konklave::election::extinction::Extinction;
use konklave::election::tree_traversal::TreeTraversal;
use konklave::election::tree_wave::TreeWave;
use konklave_check::World;

use super::{Instance, both_orders, fine, initiators};

/// A graph by the neighbours of its nodes.
type Graph = Vec<Vec<NodeId>>;

/// All labelled connected graphs.
fn graphs(nodes: u32) -> Vec<Graph> {
    let pairs: Vec<_> =
        (0..nodes).flat_map(|to| (0..to).map(move |from| (NodeId(from), NodeId(to)))).collect();
    let all = (0_u32..1 << pairs.len()).map(|set| {
        let mut graph = vec![Vec::new(); nodes as usize];
        for (place, &(from, to)) in pairs.iter().enumerate() {
            if set >> place & 1 == 1 {
                graph[from.index()].push(to);
                graph[to.index()].push(from);
            }
        }
        graph
    });
    all.filter(is_connected).collect()
}

fn is_connected(graph: &Graph) -> bool {
    let mut reached = vec![NodeId(0)];
    let mut place = 0;
    while let Some(&node) = reached.get(place) {
        for &next in &graph[node.index()] {
            if !reached.contains(&next) {
                reached.push(next);
            }
        }
        place += 1;
    }
    reached.len() == graph.len()
}

fn is_tree(graph: &Graph) -> bool {
    graph.iter().map(Vec::len).sum::<usize>() == 2 * (graph.len() - 1)
}

#[test]
fn there_are_as_many_graphs_as_there_should_be() {
    let counts: Vec<_> = (1..=5).map(|nodes| graphs(nodes).len()).collect();
    assert_eq!(counts, [1, 1, 4, 38, 728], "labelled connected graphs");
    let trees: Vec<_> =
        (2..=5).map(|nodes| graphs(nodes).iter().filter(|graph| is_tree(graph)).count()).collect();
    assert_eq!(trees, [1, 3, 16, 125], "Cayley's formula");
}

/// Ids grow with the node numbers: all labelled graphs are tried, so no order is left out.
fn each(
    nodes: u32,
    worlds: &[World],
    graphs: impl IntoIterator<Item = Graph>,
    mut check: impl FnMut(&Instance, &Graph),
) {
    for graph in graphs {
        for starts in initiators(nodes) {
            for &world in worlds {
                let ids = (1..=nodes).map(konklave::election::Id).collect();
                check(&Instance { ids, starts: starts.clone(), world }, &graph);
            }
        }
    }
}

fn trees(nodes: u32, worlds: &[World]) {
    let trees = graphs(nodes).into_iter().filter(is_tree);
    each(nodes, worlds, trees, |it, tree| {
        let near = |me: NodeId| tree[me.index()].clone();
        fine(it, Winner::Largest, |me| TreeWave::new(it.id(me), near(me)));
        fine(it, Winner::Largest, |me| TreeTraversal::new(it.id(me), near(me)));
    });
}

fn waves(nodes: u32) -> u64 {
    let mut adoption = 0;
    each(nodes, &both_orders(), graphs(nodes), |it, graph| {
        let near = |me: NodeId| graph[me.index()].clone();
        let initiators = it.starts.iter().sum::<u32>();
        if initiators == 1 {
            fine(it, Winner::Largest, |me| Echo::new(it.id(me), near(me)));
        }
        fine(it, Winner::Largest, |me| DfsToken::new(it.id(me), near(me)));
        let winner = Winner::LargestInitiator;
        adoption += fine(it, winner, |me| Adoption::new(it.id(me), near(me)));
        // Floods on the densest graphs have too many states.
        let edges = graph.iter().map(Vec::len).sum::<usize>() / 2;
        if edges < 5 || initiators == 1 {
            fine(it, winner, |me| EchoExtinction::new(it.id(me), near(me), winner));
            fine(it, winner, |me| Extinction::new(it.id(me), near(me), winner));
        }
    });
    adoption
}

#[test]
fn small_graphs() {
    (2..=3).for_each(|nodes| trees(nodes, &both_orders()));
    (2..=3).for_each(|nodes| {
        waves(nodes);
    });
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn larger_graphs() {
    trees(4, &both_orders());
    trees(5, &[World::new().fifo()]);
    // The specification has some four million states, without the monitor and the applications.
    assert_eq!(waves(4), 8_003_754, "states of adoption");
}
