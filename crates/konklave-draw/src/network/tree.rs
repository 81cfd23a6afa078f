//! A tree in levels: leaves side by side, every other node above the middle of its children.

use std::collections::VecDeque;

/// How far levels are apart, if they are not too many.
const LEVEL: f64 = 68.0;

pub(super) fn places(
    nodes: usize,
    root: usize,
    classes: &[Vec<(usize, usize)>],
) -> Vec<(f64, f64)> {
    let last = classes.last().map(|edges| Forest::new(nodes, root, edges));
    let forest = match last {
        Some(forest) if forest.roots <= 1 => forest,
        _ => Forest::new(nodes, root, &classes.concat()),
    };
    let leaves = forest.children.iter().filter(|children| children.is_empty()).count();
    let step = (1100.0 / leaves.max(1) as f64).clamp(5.0, 58.0);
    let levels = forest.depth.iter().copied().max().unwrap_or(0).max(1);
    let level = (1200.0 / f64::from(levels)).clamp(8.0, LEVEL);
    let mut x = vec![0.0; nodes];
    let mut next_leaf = 0.0;
    // Children come after their parents in breadth first order, but leaves are wanted from left to
    // right, so depth first order decides about them.
    for &node in &forest.depth_first {
        if forest.children[node].is_empty() {
            x[node] = next_leaf;
            next_leaf += step;
        }
    }
    for &node in forest.breadth_first.iter().rev() {
        if let (Some(&first), Some(&last)) =
            (forest.children[node].first(), forest.children[node].last())
        {
            x[node] = (x[first] + x[last]) / 2.0;
        }
    }
    (0..nodes).map(|node| (x[node], f64::from(forest.depth[node]) * level)).collect()
}

/// A breadth first tree for each part of the graph; the first from the root, the others from their
/// least nodes.
struct Forest {
    children: Vec<Vec<usize>>,
    depth: Vec<u32>,
    breadth_first: Vec<usize>,
    depth_first: Vec<usize>,
    roots: usize,
}

impl Forest {
    fn new(nodes: usize, root: usize, edges: &[(usize, usize)]) -> Self {
        let mut neighbours = vec![Vec::new(); nodes];
        for &(a, b) in edges {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        neighbours.iter_mut().for_each(|list| list.sort_unstable());
        let (children, depth) = (vec![Vec::new(); nodes], vec![0; nodes]);
        let (breadth_first, depth_first) = (Vec::new(), Vec::new());
        let mut forest = Self { children, depth, breadth_first, depth_first, roots: 0 };
        let mut is_seen = vec![false; nodes];
        for start in [root.min(nodes.saturating_sub(1))].into_iter().chain(0..nodes) {
            if start < nodes && !is_seen[start] {
                forest.grow(start, &neighbours, &mut is_seen);
            }
        }
        forest
    }

    fn grow(&mut self, root: usize, neighbours: &[Vec<usize>], is_seen: &mut [bool]) {
        self.roots += 1;
        is_seen[root] = true;
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            self.breadth_first.push(node);
            for &child in &neighbours[node] {
                if !is_seen[child] {
                    is_seen[child] = true;
                    self.depth[child] = self.depth[node] + 1;
                    self.children[node].push(child);
                    queue.push_back(child);
                }
            }
        }
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            self.depth_first.push(node);
            stack.extend(self.children[node].iter().rev());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_above_the_middle_of_their_children_and_nobody_shares_a_place() {
        let edges: Vec<_> = (1..15).map(|node| ((node - 1) / 2, node)).collect();
        let places = places(15, 0, &[edges]);
        for node in 0..7 {
            let (left, right) = (places[2 * node + 1], places[2 * node + 2]);
            assert_eq!(places[node].0, (left.0 + right.0) / 2.0);
            assert_eq!(places[node].1 + LEVEL, left.1);
        }
        for (a, b) in (0..15).flat_map(|a| (0..a).map(move |b| (a, b))) {
            assert_ne!(places[a], places[b]);
        }
    }

    #[test]
    fn the_last_class_makes_the_tree_if_it_reaches_all() {
        let (ring, path) = (vec![(0, 1), (1, 2), (2, 3), (3, 0)], vec![(0, 1), (1, 2), (2, 3)]);
        let deep = places(4, 0, &[ring.clone(), path]);
        assert_eq!(deep[3].1, 3.0 * LEVEL);
        let shallow = places(4, 0, &[ring, vec![(0, 1)]]);
        assert_eq!(shallow[3].1, LEVEL);
    }
}
