//! Random graphs as lists of edges. `random` returns uniform words of 64 bits.

use std::collections::BTreeSet;

/// A labelled tree, uniform among all `nodes^(nodes - 2)`.
///
/// Trees correspond one to one to sequences of `nodes - 2` node numbers (H. Prüfer, 1918): remove
/// the smallest leaf repeatedly, and record its neighbour.
pub(super) fn tree(nodes: u32, random: &mut dyn FnMut() -> u64) -> Vec<(u32, u32)> {
    let word: Vec<u32> = (2..nodes).map(|_| below(nodes, random)).collect();

    // A node occurs in the sequence once less than its degree.
    let mut degrees = vec![1_u32; nodes as usize];
    for &node in &word {
        degrees[node as usize] += 1;
    }

    // The smallest leaf is the next one in ascending order, or a smaller node that just became one.
    let next_leaf = |degrees: &[u32], from: u32| {
        (from..nodes).find(|&node| degrees[node as usize] == 1).expect("a tree has a leaf")
    };
    let mut passed = next_leaf(&degrees, 0);
    let mut leaf = passed;
    let mut edges = Vec::with_capacity(nodes as usize - 1);
    for node in word {
        edges.push((leaf, node));
        degrees[node as usize] -= 1;
        if degrees[node as usize] == 1 && node < passed {
            leaf = node;
        } else {
            passed = next_leaf(&degrees, passed + 1);
            leaf = passed;
        }
    }
    if nodes > 1 {
        // The largest node is never the smallest leaf, so it remains at the end.
        edges.push((leaf, nodes - 1));
    }
    edges
}

/// Each pair is an edge with probability `p`; the graph need not be connected.
///
/// Jumps from edge to edge instead of testing each pair (V. Batagelj and U. Brandes, 2005): the
/// number of pairs skipped is geometrically distributed.
pub(super) fn gnp(nodes: u32, p: f64, random: &mut dyn FnMut() -> u64) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    if p == 0.0 {
        return edges;
    }
    let ln_no_edge = libm::log1p(-p);
    // The pairs (b, a) with a < b, row by row, starting before the first.
    let (mut b, mut a) = (0_u32, 0_u64);
    loop {
        // In (0, 1]; the gap is at least k with probability (1 - p)^k. The cast saturates.
        let unit = ((random() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let gap = (libm::log(unit) / ln_no_edge) as u64;
        a = a.saturating_add(gap);
        while a >= u64::from(b) {
            a -= u64::from(b);
            b += 1;
            if b == nodes {
                return edges;
            }
        }
        edges.push((a as u32, b));
        a += 1;
    }
}

/// A Hamiltonian cycle, uniformly distributed, for three nodes or more.
pub(super) fn cycle(nodes: u32, random: &mut dyn FnMut() -> u64) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..nodes).collect();
    shuffle(&mut order, random);
    let closed = order.iter().copied().zip(order.iter().copied().cycle().skip(1));
    closed.collect()
}

/// A random graph in which every node has degree `degree`; it need not be connected, and sometimes
/// none is found. `nodes * degree` must be even, and `degree < nodes`.
///
/// Every node gets `degree` stubs, and stubs are paired at random (B. Bollobás, 1980). Loops and
/// parallel edges are few if the degree is small; each is swapped with a random edge. The graphs
/// are thereby nearly, but not exactly, uniformly distributed.
pub(super) fn regular(
    nodes: u32,
    degree: u32,
    random: &mut dyn FnMut() -> u64,
) -> Option<Vec<(u32, u32)>> {
    let missing = nodes - 1 - degree;
    if missing < degree {
        // The complement of a dense regular graph is sparse and regular.
        let gaps: BTreeSet<_> = paired(nodes, missing, random)?.into_iter().collect();
        let pairs = (1..nodes).flat_map(|b| (0..b).map(move |a| (a, b)));
        return Some(pairs.filter(|pair| !gaps.contains(pair)).collect());
    }
    paired(nodes, degree, random)
}

fn paired(nodes: u32, degree: u32, random: &mut dyn FnMut() -> u64) -> Option<Vec<(u32, u32)>> {
    let mut stubs: Vec<u32> = (0..nodes).flat_map(|node| (0..degree).map(move |_| node)).collect();
    shuffle(&mut stubs, random);

    let mut present = BTreeSet::new();
    let mut edges = Vec::with_capacity(stubs.len() / 2);
    let mut clashes = Vec::new();
    for pair in stubs.chunks_exact(2) {
        let edge = ordered(pair[0], pair[1]);
        if edge.0 != edge.1 && present.insert(edge) {
            edges.push(edge);
        } else {
            clashes.push(edge);
        }
    }

    for (a, b) in clashes {
        if edges.is_empty() {
            return None;
        }
        // The swap of a-b and c-d to a-c and b-d preserves all degrees.
        let swap = (0..16 * u64::from(nodes)).find_map(|_| {
            let place = below(edges.len() as u32, random) as usize;
            let (c, d) = edges[place];
            let (c, d) = if below(2, random) == 0 { (c, d) } else { (d, c) };
            let (first, second) = (ordered(a, c), ordered(b, d));
            let fits = a != c && b != d && !present.contains(&first) && !present.contains(&second);
            fits.then_some((place, first, second))
        });
        let (place, first, second) = swap?;
        present.remove(&edges[place]);
        present.extend([first, second]);
        edges[place] = first;
        edges.push(second);
    }
    Some(edges)
}

/// A small world (D. J. Watts and S. H. Strogatz, 1998): a ring in which every node is joined to
/// the `reach` next ones on each side. The far end of each edge moves with probability `p` to a
/// uniform node, without loops and parallel edges; the graph need not be connected.
/// `2 * reach < nodes`.
pub(super) fn small_world(
    nodes: u32,
    reach: u32,
    p: f64,
    random: &mut dyn FnMut() -> u64,
) -> Vec<(u32, u32)> {
    let lattice = |distance: u32| {
        let next =
            move |node: u32| ((u64::from(node) + u64::from(distance)) % u64::from(nodes)) as u32;
        (0..nodes).map(move |node| (node, next(node)))
    };
    // As in the paper: all edges to the next node first, then those to the one after it.
    let mut edges: Vec<_> = (1..=reach).flat_map(lattice).collect();
    if p == 0.0 {
        return edges;
    }
    let mut present: BTreeSet<_> = edges.iter().map(|&(a, b)| ordered(a, b)).collect();
    let mut degrees = vec![2 * reach; nodes as usize];
    for edge in &mut edges {
        let (node, far) = *edge;
        // A node that is joined to all others has nowhere to move an edge to.
        if unit(random) >= p || degrees[node as usize] == nodes - 1 {
            continue;
        }
        let moved = loop {
            let other = below(nodes, random);
            if other != node && !present.contains(&ordered(node, other)) {
                break other;
            }
        };
        present.remove(&ordered(node, far));
        present.insert(ordered(node, moved));
        degrees[far as usize] -= 1;
        degrees[moved as usize] += 1;
        *edge = (node, moved);
    }
    edges
}

/// A scale-free graph (A.-L. Barabási and R. Albert, 1999), which is always connected: a star of
/// `links + 1` nodes, then each further node is joined to `links` distinct earlier ones, chosen in
/// proportion to their degrees. `links < nodes`.
pub(super) fn scale_free(
    nodes: u32,
    links: u32,
    random: &mut dyn FnMut() -> u64,
) -> Vec<(u32, u32)> {
    let mut edges: Vec<_> = (1..=links).map(|leaf| (0, leaf)).collect();
    for node in links + 1..nodes {
        // The end of a uniform edge is a node in proportion to its degree.
        let ends = 2 * edges.len() as u64;
        let mut chosen = BTreeSet::new();
        while chosen.len() < links as usize {
            let end = below_64(ends, random);
            let (a, b) = edges[(end / 2) as usize];
            chosen.insert(if end.is_multiple_of(2) { a } else { b });
        }
        edges.extend(chosen.into_iter().map(|earlier| (earlier, node)));
    }
    edges
}

/// A uniform random number in `[0, 1)`.
fn unit(random: &mut dyn FnMut() -> u64) -> f64 {
    (random() >> 11) as f64 / (1_u64 << 53) as f64
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// A uniform random permutation (R. Durstenfeld, 1964).
fn shuffle(items: &mut [u32], random: &mut dyn FnMut() -> u64) {
    for last in (1..items.len()).rev() {
        let count = u32::try_from(last + 1).expect("a list of at most 2^32 - 1 items");
        items.swap(last, below(count, random) as usize);
    }
}

/// A uniform random number in `0..bound` (D. Lemire, 2019).
fn below(bound: u32, random: &mut dyn FnMut() -> u64) -> u32 {
    below_64(bound.into(), random) as u32
}

fn below_64(bound: u64, random: &mut dyn FnMut() -> u64) -> u64 {
    // The products fall into `bound` sections; rejecting the short remainder at the start of each
    // makes all sections equally long.
    let short = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(random()) * u128::from(bound);
        if product as u64 >= short {
            return (product >> 64) as u64;
        }
    }
}
