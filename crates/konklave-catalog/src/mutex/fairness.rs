//! How often a node can overtake a waiting one, where that depends on the network.
//!
//! The rule is that of [`overtaking`](konklave::mutex::overtaking): only requests count that are
//! issued while no message is in transit. Then the entries in the queues lead from every waiting
//! node all the way to the node that is inside. Let `i` wait and `j` ask. On the way from `i` to
//! `j`, let `q` be the node nearest to the one inside: its queue decides. A new request of `j` can
//! only be served first if it is forwarded together with an older one from the same direction,
//! which stands before the direction of `i` in the queue of `q`.

use konklave::graph::Graph;

use crate::site::Site;

/// On trees.
pub(super) fn raymond(site: &Site) -> Option<u32> {
    Some(match site.choice("variant") {
        "combined" => together(site.graph()),
        "greedy" => in_passing(site.graph()),
        _ => apart(site.graph()),
    })
}

/// On a tree it is Raymond's algorithm. Elsewhere a node can ask another neighbour each time, and
/// the only bound is the number of simple paths.
pub(super) fn token_graph(site: &Site) -> Option<u32> {
    site.graph().is_tree().then(|| apart(site.graph()))
}

/// A separate request follows the token. While it is in transit, anything can happen beyond `q`, so
/// that `j` may find a second older request to join when it has arrived: but nearer to `j` than
/// `q`. When the token comes back to `q`, the direction of `i` is first, and stays first on the
/// rest of the way. So each node between them serves as `q` once, but not `j` itself; nor the
/// neighbour of a leaf `j`, as there is nobody to join; nor a leaf `i`, as the token cannot be
/// beyond it. On a longest path that leaves two nodes less than it has edges.
fn apart(tree: &Graph) -> u32 {
    tree.diameter().saturating_sub(2)
}

/// The request travels with the token, so the direction of `i` is known wherever the token goes. It
/// crosses no edge towards `j` twice.
fn together(tree: &Graph) -> u32 {
    apart(tree).min(1)
}

/// As [`together`], but `j` enters whenever the token passes, even with no older request to join.
/// The token comes once from each neighbour; on a star it cannot come from `i`, which is a leaf.
fn in_passing(tree: &Graph) -> u32 {
    match tree.diameter() {
        0 | 1 => 0,
        2 => tree.max_degree() - 1,
        _ => tree.max_degree(),
    }
}
