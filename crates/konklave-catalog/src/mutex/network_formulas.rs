//! Formulas that depend on the network: rings, trees, any graph, clusters.

use konklave::NodeId;

use super::formulas::{Conditions, path_reversal};
use crate::demand::Demand;
use crate::expected::Expected;
use crate::site::Site;

pub(super) fn nodes(site: &Site) -> f64 {
    f64::from(site.nodes())
}

/// One hop per entry if every node uses the token; unbounded if no node does.
pub(super) fn perpetuum(site: &Site, conditions: Conditions) -> Option<Expected> {
    (conditions.is_regular && site.nodes() > 1).then(|| Expected::exactly("1", 1.0))
}

/// Hunt and token together go round the ring once; in the variant `circle` the token alone does.
pub(super) fn ring_chase(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    match (conditions.load, site.choice("variant")) {
        (Demand::Light, "hop") => Some(Expected::about("n-1", n - 1.0)),
        (Demand::Light, _) => Some(Expected::about("3(n-1)/2", 1.5 * (n - 1.0))),
        _ if conditions.is_regular => Some(Expected::exactly("2", 2.0)),
        // A hunt goes round at most once, and so does the token for it.
        _ => Some(Expected::between("0 to 2n", 0.0, 2.0 * n)),
    }
}

/// Twice the mean distance over all pairs; or a traversal of the tree. Consecutive entries are at
/// most a diameter apart.
pub(super) fn raymond(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    if conditions.load == Demand::Light {
        return Some(Expected::about("2 mean distance", 2.0 * mean_tree_distance(site)));
    }
    if !conditions.is_regular || site.nodes() == 1 {
        let most = 2.0 * f64::from(site.graph().diameter());
        return Some(Expected::between("0 to 2 diameter", 0.0, most));
    }
    let leaves = NodeId::all(site.nodes()).filter(|&node| site.graph().degree(node) == 1);
    let leaves = leaves.count() as f64;
    match site.choice("variant") {
        "combined" => Some(Expected::exactly("(2(n-1)+l)/n", (2.0 * (n - 1.0) + leaves) / n)),
        // Inner nodes enter more than once in a round, and finish before the leaves.
        "greedy" => Some(Expected::between("1 to 4(n-1)/l", 1.0, 4.0 * (n - 1.0) / leaves)),
        _ => Some(Expected::exactly("4(n-1)/n", 4.0 * (n - 1.0) / n)),
    }
}

/// In larger networks, the distances of all pairs would take longer than the runs.
const PAIRS_MAX: u32 = 2000;

/// Along every edge, or twice along each edge outside a tree; and the path of the token.
pub(super) fn token_search(site: &Site, conditions: Conditions) -> Option<Expected> {
    let (n, edges) = (nodes(site), site.graph().edges() as f64);
    let (formula, search) = match site.choice("search") {
        "broadcast" if site.graph().is_complete() => ("n-1", n - 1.0),
        "broadcast" => ("2m-(n-1)", 2.0 * edges - (n - 1.0)),
        "echo" => ("2m", 2.0 * edges),
        _ => ("n-1", n - 1.0),
    };
    if site.nodes() > PAIRS_MAX {
        return None;
    }
    match conditions.load {
        Demand::Light => {
            let way = match site.choice("search") {
                "tree" => mean_tree_distance(site),
                _ => mean_distance(site),
            };
            Some(Expected::about(&format!("{formula} + d"), search * (n - 1.0) / n + way))
        }
        _ if conditions.is_regular && site.nodes() > 1 => {
            let farthest = match site.choice("search") {
                "tree" => n - 1.0,
                _ => f64::from(site.graph().diameter()),
            };
            let formula = format!("{formula} + 1 to d");
            Some(Expected::between(&formula, search + 1.0, search + farthest))
        }
        _ => Some(Expected::between(&format!("0 to {formula} + n-1"), 0.0, search + n - 1.0)),
    }
}

/// Twice the path along edges, and the nodes to notify. A traversal turns the m - (n-1) edges
/// beside its path: once for a single entry, twice in a round of entries.
pub(super) fn token_graph(site: &Site, conditions: Conditions) -> Option<Expected> {
    let (n, m) = (nodes(site), site.graph().edges() as f64);
    let degree = |node: NodeId| f64::from(site.graph().degree(node));
    let variant = site.choice("variant");
    if site.nodes() > PAIRS_MAX {
        return None;
    }
    match conditions.load {
        Demand::Light if variant == "one" => {
            Some(Expected::about("2 mean distance in tree", 2.0 * mean_tree_distance(site)))
        }
        Demand::Light => {
            let (formula, high) = match variant {
                "everyone" => ("2d to 2m+n-2", 2.0 * m + n - 2.0),
                "acknowledged" => ("2d to 2m", 2.0 * m),
                _ => ("2d to m+n-1", m + n - 1.0),
            };
            // The least is a mean, too.
            Some(Expected::between(formula, 0.97 * 2.0 * mean_distance(site), high.max(0.0)))
        }
        _ if conditions.is_regular => {
            let (formula, messages) = match variant {
                "one" => ("4(n-1)/n", 4.0 * (n - 1.0)),
                "acknowledged" => ("4m/n", 4.0 * m),
                "everyone" => {
                    // The token comes to a node once for each of its edges in the tree.
                    let steps = |node| site.tree_neighbours(node).len() as f64;
                    let told = NodeId::all(site.nodes()).map(|x| steps(x) * (degree(x) - 1.0));
                    ("4(n-1)/n + told", 4.0 * (n - 1.0) + told.sum::<f64>())
                }
                _ => ("2(m+n-1)/n", 2.0 * (m + n - 1.0)),
            };
            Some(Expected::about(formula, messages / n))
        }
        _ => {
            let told = match variant {
                "one" => 0.0,
                "acknowledged" => 2.0 * (f64::from(site.graph().max_degree()) - 1.0),
                _ => f64::from(site.graph().max_degree()) - 1.0,
            };
            // And the wave at the beginning.
            let high = (n - 1.0) * (2.0 + told) + 2.0 * m / n;
            Some(Expected::between("0 to (n-1)(2+t) + 2m/n", 0.0, high))
        }
    }
}

/// Three messages in the cluster, none for its representative, and those between representatives,
/// which a batch shares.
pub(super) fn hierarchical(site: &Site, conditions: Conditions) -> Option<Expected> {
    let clusters = site.number("clusters").clamp(1, site.nodes());
    let (n, m) = (nodes(site), f64::from(clusters));
    let bound = f64::from(site.number("bound"));
    // Of node i mod m: as large as the others, or larger by one.
    let size = |cluster: u32| f64::from((site.nodes() - cluster).div_ceil(clusters));
    let variant = site.choice("variant");
    let local = 3.0 * (n - m) / n;
    match conditions.load {
        Demand::Light => {
            let apart = |a: u32, b: u32| size(a) * size(b) * f64::from(a.abs_diff(b)) / (n * n);
            let above = match variant {
                "raymond" => {
                    let pairs = (0..clusters).flat_map(|a| (0..clusters).map(move |b| (a, b)));
                    2.0 * pairs.map(|(a, b)| apart(a, b)).sum::<f64>()
                }
                "ricart-agrawala" => 2.0 * (m - 1.0),
                _ => path_reversal(clusters, false),
            };
            Some(Expected::about("3(n-m)/n + G(m)", local + above))
        }
        _ if conditions.is_regular && clusters > 1 => {
            let above = match variant {
                "raymond" => 4.0 * (m - 1.0) / m,
                "ricart-agrawala" => 2.0 * (m - 1.0),
                _ => path_reversal(clusters, true),
            };
            // A representative alone in its cluster has no batch to share.
            let batch = |cluster| if size(cluster) > 1.0 { bound } else { 1.0 };
            let entries: f64 = (0..clusters).map(batch).sum();
            let clients = (0..clusters).map(|c| batch(c) * (size(c) - 1.0) / size(c)).sum::<f64>();
            let mean = (3.0 * clients + m * above) / entries;
            // Small clusters finish before the larger ones.
            let tolerance = if n % m == 0.0 { 0.03 } else { 0.10 };
            Some(Expected::near("3(n-m)/n + G(m)/B", mean, tolerance))
        }
        _ => {
            let most = match variant {
                "naimi-trehel" => m,
                _ => 2.0 * (m - 1.0),
            };
            Some(Expected::between("3(n-m)/n + 0 to G(m)", local, local + most))
        }
    }
}

/// The mean distance between two nodes, each drawn from all.
fn mean_distance(site: &Site) -> f64 {
    let from = |node| site.graph().distances(node).into_iter().map(u64::from).sum::<u64>();
    let sum: u64 = NodeId::all(site.nodes()).map(from).sum();
    sum as f64 / (nodes(site) * nodes(site))
}

/// The mean distance in the tree of shortest paths to node 0: every pair that an edge separates
/// crosses it.
fn mean_tree_distance(site: &Site) -> f64 {
    let distances = site.graph().distances(NodeId(0));
    let mut order: Vec<NodeId> = NodeId::all(site.nodes()).collect();
    order.sort_by_key(|node| std::cmp::Reverse(distances[node.index()]));
    let mut below = vec![1_u64; order.len()];
    let mut crossings = 0.0;
    for node in order.into_iter().filter(|&node| node != NodeId(0)) {
        let size = below[node.index()];
        below[site.towards_first(node).index()] += size;
        crossings += 2.0 * size as f64 * (nodes(site) - size as f64);
    }
    crossings / (nodes(site) * nodes(site))
}
