//! Strongly connected components, by R. Tarjan (1972), with a stack of our own: graphs are deep.

use std::collections::BTreeSet;

/// The components of the nodes `0..edges.len()` that contain an edge.
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let mut search = Search {
        edges,
        order: vec![UNSEEN; edges.len()],
        low: vec![0; edges.len()],
        is_open: vec![false; edges.len()],
        open: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for root in 0..edges.len() {
        if search.order[root] == UNSEEN {
            search.from(root);
        }
    }
    search.found
}

const UNSEEN: usize = usize::MAX;

struct Search<'a> {
    edges: &'a [Vec<usize>],
    order: Vec<usize>,
    /// The earliest open node that is known to be reachable.
    low: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    count: usize,
    found: Vec<BTreeSet<usize>>,
}

impl Search<'_> {
    fn from(&mut self, root: usize) {
        let mut path = vec![(self.enter(root), 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(&to) = self.edges[node].get(*next) {
                *next += 1;
                if self.order[to] == UNSEEN {
                    path.push((self.enter(to), 0));
                } else if self.is_open[to] {
                    self.low[node] = self.low[node].min(self.order[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if self.low[node] == self.order[node] {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: usize) -> usize {
        (self.order[node], self.low[node]) = (self.count, self.count);
        self.count += 1;
        self.is_open[node] = true;
        self.open.push(node);
        node
    }

    fn close(&mut self, first: usize) {
        let mut component = BTreeSet::new();
        while let Some(node) = self.open.pop() {
            self.is_open[node] = false;
            component.insert(node);
            if node == first {
                break;
            }
        }
        if component.len() > 1 || self.edges[first].contains(&first) {
            self.found.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By definition: two nodes belong together if each can be reached from the other.
    fn by_definition(edges: &[Vec<usize>]) -> BTreeSet<BTreeSet<usize>> {
        let count = edges.len();
        let mut reach = vec![vec![false; count]; count];
        for (from, targets) in edges.iter().enumerate() {
            for &to in targets {
                reach[from][to] = true;
            }
        }
        for via in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        let on_cycle = (0..count).filter(|&node| reach[node][node]);
        let with =
            |node: usize| (0..count).filter(|&it| reach[node][it] && reach[it][node]).collect();
        on_cycle.map(with).collect()
    }

    #[test]
    fn all_graphs_of_three_nodes() {
        for bits in 0..1 << 9 {
            let edges: Vec<Vec<usize>> = (0..3)
                .map(|from| (0..3).filter(|to| bits >> (3 * from + to) & 1 == 1).collect())
                .collect();
            let found: BTreeSet<_> = components(&edges).into_iter().collect();
            assert_eq!(found, by_definition(&edges), "{edges:?}");
        }
    }

    #[test]
    fn a_deep_graph_does_not_overflow_the_stack() {
        let count = 200_000;
        let ring: Vec<_> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        assert_eq!(components(&ring).len(), 1);
    }
}
