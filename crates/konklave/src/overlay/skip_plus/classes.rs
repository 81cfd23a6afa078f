//! The legal graph, from the bit strings of all nodes in the order of their positions.

/// The index of no node.
const NOBODY: u32 = u32::MAX;

/// The neighbours of each node in turn, as indices in ascending order.
///
/// Of every node only the right ones are looked for: it is a left neighbour of theirs. So when its
/// turn comes, all its left ones are known, and a caller that stops early saves the rest.
pub(super) fn neighbourhoods(strings: Vec<u64>) -> impl Iterator<Item = Vec<u32>> {
    let levels = links(&strings);
    let mut left = vec![Vec::new(); strings.len()];
    let mut right = Vec::new();
    (0..strings.len()).map(move |node| {
        right_neighbours(node, &strings, &levels, &mut right);
        right.iter().for_each(|&it| left[it as usize].push(node as u32));
        let mut all = std::mem::take(&mut left[node]);
        // To the byte: a large system keeps many of these lists.
        all.reserve_exact(right.len());
        all.extend_from_slice(&right);
        all.shrink_to_fit();
        all
    })
}

/// For each level, the next node to the right in the class of each node. Where there is none on one
/// level, there is none above it.
fn links(strings: &[u64]) -> Vec<Vec<u32>> {
    let mut levels = Vec::new();
    // The members of all classes that have several, class by class.
    let mut classes: Vec<u32> = (0..strings.len() as u32).collect();
    for level in 0..u64::BITS {
        let string = |node: u32| strings[node as usize];
        let is_one = |&&node: &&u32| string(node) >> (63 - level) & 1 == 1;
        let mut next = vec![NOBODY; strings.len()];
        let mut halves = Vec::with_capacity(classes.len());
        for class in classes.chunk_by(|&a, &b| (string(a) ^ string(b)).leading_zeros() >= level) {
            class.windows(2).for_each(|pair| next[pair[0] as usize] = pair[1]);
            for bit in [true, false] {
                let before = halves.len();
                halves.extend(class.iter().filter(|node| is_one(node) == bit));
                if halves.len() == before + 1 {
                    halves.pop();
                }
            }
        }
        levels.push(next);
        if halves.is_empty() {
            break;
        }
        classes = halves;
    }
    levels
}

/// On each level, the nodes of the class up to the first of either bit; all, if there is none of
/// one of them. What lies before the end of the range of a lower level belongs to that range.
fn right_neighbours(node: usize, strings: &[u64], levels: &[Vec<u32>], right: &mut Vec<u32>) {
    right.clear();
    for (level, next) in levels.iter().enumerate() {
        let bit = |node: u32| strings[node as usize] >> (63 - level) & 1;
        let first = next[node];
        if first == NOBODY {
            return;
        }
        let mut it = first;
        while it != NOBODY {
            if right.last().is_none_or(|&end| it > end) {
                right.push(it);
            }
            if bit(it) != bit(first) {
                break;
            }
            it = next[it as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;
    use crate::circle::Mixer;
    use crate::overlay::place::{bits, sorted};

    /// The definition: for each level, all nodes of the class in the range that ends at the
    /// farther one of the nearest nodes of either bit.
    fn by_definition(strings: &[u64]) -> Vec<Vec<u32>> {
        let prefix = |node: usize, level: u32| strings[node].checked_shr(64 - level).unwrap_or(0);
        let bit = |node: usize, level: u32| strings[node] >> (63 - level) & 1;
        let nodes = 0..strings.len();
        let belongs = |node: usize, other: usize| {
            (0..64).any(|level| {
                let between = node.min(other) + 1..node.max(other);
                let mut class = between.filter(|&it| prefix(it, level) == prefix(node, level));
                let bits: Vec<_> = class.by_ref().map(|it| bit(it, level)).collect();
                prefix(node, level) == prefix(other, level)
                    && !(bits.contains(&0) && bits.contains(&1))
            })
        };
        let of = |node| {
            let others = nodes.clone().filter(|&it| it != node && belongs(node, it));
            others.map(|it| it as u32).collect()
        };
        nodes.clone().map(of).collect()
    }

    fn all(strings: &[u64]) -> Vec<Vec<u32>> {
        neighbourhoods(strings.to_vec()).collect()
    }

    #[test]
    fn neighbourhoods_are_those_of_the_test_vector() {
        let strings = [0b0010, 0b1011, 0b0110, 0b1000, 0b0001, 0b1110, 0b0100, 0b1101];
        let strings = strings.map(|string: u64| string << 60);
        let expected: [&[u32]; 8] = [
            &[1, 2, 4],
            &[0, 2, 3, 5],
            &[0, 1, 3, 4, 6],
            &[1, 2, 4, 5, 7],
            &[0, 2, 3, 5, 6],
            &[1, 3, 4, 6, 7],
            &[2, 4, 5, 7],
            &[3, 5, 6],
        ];
        assert_eq!(all(&strings), expected);
        assert_eq!(by_definition(&strings), expected);
    }

    #[test]
    fn neighbourhoods_are_those_of_the_definition() {
        for seed in 0..40 {
            let mixer = Mixer::new(seed);
            let members = sorted(mixer, NodeId::all(1 + seed as u32));
            let strings: Vec<_> = members.iter().map(|&node| bits(mixer, node)).collect();
            assert_eq!(all(&strings), by_definition(&strings), "seed {seed}");
        }
        // Strings that differ in the last bits only.
        let strings: Vec<u64> = (0..9).map(|node| (node * 5 % 9) ^ 3).collect();
        assert_eq!(all(&strings), by_definition(&strings));
    }

    /// A large system keeps one list for each node: nothing is wasted.
    #[test]
    fn lists_are_as_large_as_they_have_to_be() {
        let strings: Vec<_> = NodeId::all(500).map(|node| bits(Mixer::new(2), node)).collect();
        assert!(neighbourhoods(strings).all(|it| it.capacity() == it.len()));
    }
}
