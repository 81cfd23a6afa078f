//! What the formulas say about messages per entry: for `compare`, beside what was measured.
//!
//! Light load asks one node after the other, each drawn from all nodes, at rest. Heavy load asks
//! all the time; where its formula needs a critical section that is long enough, constant delays
//! and the default of five T are.

use konklave::mutex::maekawa::Roles;
use konklave::{NodeId, NodeSet};
use konklave_sim::workload::mutex::Demand;

use crate::entry::Expected;
use crate::site::Site;
use crate::table;

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

/// Three messages, but none for the coordinator itself.
pub(crate) fn central(site: &Site, load: Demand) -> Option<Expected> {
    let mean = 3.0 * (nodes(site) - 1.0) / nodes(site);
    match load {
        Demand::Heavy => Some(Expected::exactly("3(n-1)/n", mean)),
        Demand::Light | Demand::Poisson(_) => Some(Expected::about("3(n-1)/n", mean)),
    }
}

/// Requests, acknowledgements and releases to and from everyone.
pub(crate) fn lamport(site: &Site, _load: Demand) -> Option<Expected> {
    let others = nodes(site) - 1.0;
    match site.choice("variant") {
        "lazy" => Some(Expected::between("2(n-1) to 3(n-1)", 2.0 * others, 3.0 * others)),
        _ => Some(Expected::exactly("3(n-1)", 3.0 * others)),
    }
}

/// Twice the nodes that entered since one's own last entry.
pub(crate) fn carvalho_roucairol(site: &Site, load: Demand) -> Option<Expected> {
    let others = nodes(site) - 1.0;
    match load {
        Demand::Light => Some(Expected::about("n-1", others)),
        Demand::Heavy => Some(Expected::exactly("2(n-1)", 2.0 * others)),
        Demand::Poisson(_) => Some(Expected::between("0 to 2(n-1)", 0.0, 2.0 * others)),
    }
}

/// A request to everyone and the token, unless it is here.
pub(crate) fn broadcast_token(site: &Site, load: Demand) -> Option<Expected> {
    let n = nodes(site);
    match load {
        Demand::Light => Some(Expected::about("n-1", n - 1.0)),
        Demand::Heavy => Some(Expected::exactly("n", if n > 1.0 { n } else { 0.0 })),
        Demand::Poisson(_) => Some(Expected::between("0 to n", 0.0, n)),
    }
}

/// Half of the nodes are asked, on average.
pub(crate) fn singhal(site: &Site, load: Demand) -> Option<Expected> {
    let n = nodes(site);
    match load {
        Demand::Light => Some(Expected::about("(n-1)/n (n/2+1)", (n - 1.0) / n * (n / 2.0 + 1.0))),
        Demand::Heavy => Some(Expected::exactly("n", if n > 1.0 { n } else { 0.0 })),
        Demand::Poisson(_) => Some(Expected::between("0 to n+1", 0.0, n + 1.0)),
    }
}

/// The mean length of a path that reverses itself.
pub(crate) fn naimi_trehel(site: &Site, load: Demand) -> Option<Expected> {
    let n = nodes(site);
    let harmonic: f64 = (1..site.nodes()).map(|k| 1.0 / f64::from(k)).sum();
    match load {
        Demand::Light => Some(Expected::about("H_(n-1)", harmonic)),
        Demand::Heavy | Demand::Poisson(_) => Some(Expected::between("0 to n", 0.0, n)),
    }
}

/// The mean size of a quorum without the node itself: K - 1.
fn quorum_others(site: &Site) -> Option<f64> {
    let quorums = table::quorums(site).ok()?;
    let others = |(node, set): (NodeId, &NodeSet)| set.len() - u32::from(set.contains(node));
    let sum: u32 = NodeId::all(site.nodes()).zip(quorums.sets()).map(others).sum();
    Some(f64::from(sum) / nodes(site))
}

/// A request, a lock and a release for everyone in the quorum, and conflicts.
pub(crate) fn maekawa(site: &Site, load: Demand) -> Option<Expected> {
    let others = quorum_others(site)?;
    match load {
        Demand::Light => Some(Expected::about("3(K-1)", 3.0 * others)),
        Demand::Heavy | Demand::Poisson(_) => {
            let worst = 6.0 * others + 3.0;
            Some(Expected::between("3(K-1) to 6(K-1)+3", 3.0 * others, worst))
        }
    }
}

/// As Maekawa's, and transfers.
pub(crate) fn cao_singhal(site: &Site, load: Demand) -> Option<Expected> {
    let others = quorum_others(site)?;
    match load {
        Demand::Light => Some(Expected::about("3(K-1)", 3.0 * others)),
        Demand::Heavy | Demand::Poisson(_) => {
            let worst = 8.0 * (others + 1.0);
            Some(Expected::between("3(K-1) to 8K", 3.0 * others, worst))
        }
    }
}

/// Requests and answers to and from those asked, releases to those informed, and conflicts.
pub(crate) fn sanders(site: &Site, load: Demand) -> Option<Expected> {
    let structure = table::structure(site).ok()?;
    let sum = |of: &dyn Fn(NodeId) -> f64| NodeId::all(site.nodes()).map(of).sum::<f64>();
    let others = |set: &NodeSet| f64::from(set.len()) - 1.0;
    let least = |node| {
        let sets = structure.at(node);
        others(sets.informed()) + 2.0 * others(sets.asked())
    };
    let low = sum(&least) / nodes(site);
    let resolving = sum(&|node| 4.0 * others(structure.at(node).asked())) / nodes(site);
    match load {
        Demand::Light => Some(Expected::about("i+2r", low)),
        Demand::Heavy | Demand::Poisson(_) => {
            Some(Expected::between("i+2r to i+6r", low, low + resolving))
        }
    }
}

/// One hop per entry if everyone uses the token; without bound if nobody does.
pub(crate) fn perpetuum(site: &Site, load: Demand) -> Option<Expected> {
    match load {
        Demand::Heavy if site.nodes() > 1 => Some(Expected::exactly("1", 1.0)),
        _ => None,
    }
}

/// Hunt and token together go round the ring once.
pub(crate) fn ring_chase(site: &Site, load: Demand) -> Option<Expected> {
    let n = nodes(site);
    match (load, site.choice("variant")) {
        (Demand::Light, "hop") => Some(Expected::about("n-1", n - 1.0)),
        (Demand::Heavy, "hop") => Some(Expected::exactly("2", if n > 1.0 { 2.0 } else { 0.0 })),
        _ => None,
    }
}

/// Twice the distance, on average over all pairs; or a walk round the tree.
pub(crate) fn raymond(site: &Site, load: Demand) -> Option<Expected> {
    let n = nodes(site);
    match (load, site.choice("variant")) {
        (Demand::Light, _) => Some(Expected::about("2 mean distance", 2.0 * mean_distance(site))),
        (Demand::Heavy, "plain") => Some(Expected::exactly("4(n-1)/n", 4.0 * (n - 1.0) / n)),
        _ => None,
    }
}

/// A search along every edge, or twice along each but those of a tree, and the way of the token.
pub(crate) fn token_search(site: &Site, load: Demand) -> Option<Expected> {
    let (n, edges) = (nodes(site), site.graph().edges() as f64);
    let search = match site.choice("search") {
        "broadcast" if site.graph().is_complete() => n - 1.0,
        "broadcast" => 2.0 * edges - (n - 1.0),
        "echo" => 2.0 * edges,
        _ => n - 1.0,
    };
    let all = NodeId::all(site.nodes());
    let sum = |from| site.graph().distances(from).into_iter().map(u64::from).sum::<u64>();
    match load {
        Demand::Light if site.choice("search") == "broadcast" && site.nodes() <= 2000 => {
            let way = all.map(sum).sum::<u64>() as f64 / (n * n);
            Some(Expected::about("2m-(n-1) + d", search * (n - 1.0) / n + way))
        }
        _ => None,
    }
}

/// The mean distance between two nodes of a tree, each drawn from all: an edge is crossed by every
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
