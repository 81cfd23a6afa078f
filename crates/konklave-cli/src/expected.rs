//! What the formulas say about messages per entry: for `compare`, beside what was measured.
//!
//! Light load asks one node after the other, drawn from all, at rest; heavy load asks all the time.

use konklave::NodeId;
use konklave_sim::workload::mutex::Demand;

use crate::entry::Expected;
use crate::site::Site;

fn nodes(site: &Site) -> f64 {
    f64::from(site.nodes())
}

/// No formula to compare with.
pub(crate) fn unknown(_site: &Site, _load: Demand) -> Option<Expected> {
    None
}

/// A request to everyone and an answer from everyone.
pub(crate) fn two_each(site: &Site, _load: Demand) -> Option<Expected> {
    Some(Expected::exactly("2(n-1)", 2.0 * (nodes(site) - 1.0)))
}

/// Twice the distance, on average over all pairs; or a walk round the tree.
pub(crate) fn raymond(site: &Site, load: Demand) -> Option<Expected> {
    let n = nodes(site);
    let heavy = 4.0 * (n - 1.0) / n;
    match load {
        Demand::Heavy => Some(Expected::exactly("4(n-1)/n", heavy)),
        Demand::Light => Some(Expected::about("2 mean distance", 2.0 * mean_distance(site))),
        Demand::Poisson(_) => None,
    }
}

/// The mean distance between two nodes, each drawn from all. On a tree: an edge is crossed by every
/// pair that it separates.
fn mean_distance(site: &Site) -> f64 {
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
