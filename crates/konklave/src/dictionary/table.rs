//! The table T: which member is responsible for a position, in constant expected time.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};

use crate::NodeId;
use crate::circle::{Arc, Mixer, Point};

/// The members by their positions, and the circle in cells of equal size: a cell lists the members
/// that are responsible for a part of it, clockwise.
///
/// A member is listed in the cell of its position and in all that its arc reaches into, so there
/// are n + m entries in m cells: with m >= n a cell has at most two on average. (One entry less if
/// all members lie in one cell: then an arc reaches around into the cell where it begins.)
/// Positions never collide, since the hash function is a bijection.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Table {
    mixer: Mixer,
    members: BTreeMap<Point, NodeId>,
    cells: Vec<Vec<NodeId>>,
}

impl Table {
    /// The table of these members, at least one, with as many cells as members or up to twice as
    /// many.
    pub fn new(mixer: Mixer, members: impl IntoIterator<Item = NodeId>) -> Self {
        let members: BTreeMap<_, _> =
            members.into_iter().map(|node| (mixer.node(node), node)).collect();
        assert!(!members.is_empty(), "somebody is responsible");
        let cells = vec![Vec::new(); members.len().next_power_of_two()];
        let mut table = Self { mixer, members, cells };
        table.fill_all();
        table
    }

    /// How many members there are.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The hash functions that place members and keys.
    pub fn mixer(&self) -> Mixer {
        self.mixer
    }

    /// The members, clockwise.
    pub fn members(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.members.values().copied()
    }

    /// Whether every cell lists what it should.
    pub fn is_sound(&self) -> bool {
        let mut cells = self.cells.iter().enumerate();
        cells.all(|(place, cell)| *cell == self.definition(place))
    }

    /// The cells of T.
    pub fn cells(&self) -> &[Vec<NodeId>] {
        &self.cells
    }

    /// Whether this node is a member.
    pub fn has(&self, node: NodeId) -> bool {
        self.members.contains_key(&self.mixer.node(node))
    }

    /// The member that is responsible for this position: the nearest one before it, or there. The
    /// cell lists the member that is responsible for its beginning, so no other is nearer.
    pub fn responsible(&self, point: Point) -> NodeId {
        let cell = &self.cells[point.cell(self.cells.len() as u32) as usize];
        let distance = |node: &&NodeId| self.mixer.node(**node).distance_to(point);
        *cell.iter().min_by_key(distance).expect("no cell is empty")
    }

    /// The part of the circle that a member is responsible for, up to its successor.
    pub fn arc(&self, node: NodeId) -> Arc {
        let first = self.mixer.node(node);
        let next = self.after(first).next().unwrap_or(node);
        Arc::up_to(first, self.mixer.node(next))
    }

    /// The member that precedes this one, or the member itself if it is the only one.
    pub fn predecessor(&self, node: NodeId) -> NodeId {
        let point = self.mixer.node(node);
        let before = self.members.range(..point).next_back();
        *before.or(self.members.last_key_value()).expect("there are members").1
    }

    /// The next members on the circle, nearest first, without the member itself: at most this many.
    pub fn successors(&self, node: NodeId, count: usize) -> Vec<NodeId> {
        self.after(self.mixer.node(node)).filter(|other| *other != node).take(count).collect()
    }

    /// Adds a member. Returns the part of the circle that it takes over, and from whom.
    pub fn insert(&mut self, node: NodeId) -> (Arc, NodeId) {
        let from = self.responsible(self.mixer.node(node));
        self.members.insert(self.mixer.node(node), node);
        let arc = self.arc(node);
        match self.members.len() > self.cells.len() {
            true => self.resize(self.cells.len() * 2),
            false => self.fill(arc),
        }
        (arc, from)
    }

    /// Removes a member that is not the only one. Returns its part of the circle, and who is
    /// responsible for it from now on.
    pub fn remove(&mut self, node: NodeId) -> (Arc, NodeId) {
        assert!(self.members.len() > 1, "somebody stays");
        let (arc, to) = (self.arc(node), self.predecessor(node));
        self.members.remove(&self.mixer.node(node));
        match self.members.len() < self.cells.len() / 4 {
            true => self.resize(self.cells.len() / 2),
            false => self.fill(arc),
        }
        (arc, to)
    }

    /// The members behind this position, once around.
    fn after(&self, point: Point) -> impl Iterator<Item = NodeId> + '_ {
        let behind = self.members.range(point..).filter(move |(at, _)| **at != point);
        behind.chain(self.members.range(..point)).map(|(_, node)| *node)
    }

    fn resize(&mut self, cells: usize) {
        self.cells = vec![Vec::new(); cells];
        self.fill_all();
    }

    fn fill_all(&mut self) {
        (0..self.cells.len()).for_each(|cell| self.cells[cell] = self.definition(cell));
    }

    /// Fills the cells that an arc touches anew.
    fn fill(&mut self, arc: Arc) {
        let cells = self.cells.len();
        let first = arc.first().cell(cells as u32) as usize;
        let touched = (0..cells).map(|step| (first + step) % cells);
        let touched: Vec<_> = touched.take_while(|cell| arc.meets(self.range(*cell))).collect();
        touched.into_iter().for_each(|cell| self.cells[cell] = self.definition(cell));
    }

    /// The part of the circle that a cell covers.
    fn range(&self, cell: usize) -> Arc {
        let cells = self.cells.len() as u128;
        let begin = |cell: u128| Point((cell << 64).div_ceil(cells) as u64);
        Arc::up_to(begin(cell as u128), begin(cell as u128 + 1))
    }

    /// What a cell lists: the member that is responsible for its beginning, and those inside.
    fn definition(&self, cell: usize) -> Vec<NodeId> {
        let range = self.range(cell);
        let before = self.members.range(..=range.first()).next_back();
        let (at, first) = before.or(self.members.last_key_value()).expect("there are members");
        let inside = self.members.range(range.first()..=range.last());
        let mut listed = vec![*first];
        listed.extend(inside.filter(|(point, _)| *point != at).map(|(_, node)| *node));
        listed
    }
}

/// The cells alone: they tell everything.
impl Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.cells).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seed with which nodes 1 to 9 lie as in the lecture's example.
    const LECTURE: Mixer = Mixer::new(169_213_136);

    fn cells(table: &Table) -> Vec<Vec<u32>> {
        table.cells.iter().map(|cell| cell.iter().map(|node| node.0).collect()).collect()
    }

    #[test]
    fn the_table_of_the_lecture() {
        let mut table = Table::new(LECTURE, (1..=8).map(NodeId));
        let lecture: [&[u32]; 8] =
            [&[2, 5], &[5, 3], &[3, 8, 7], &[7, 1], &[1, 4], &[4, 6], &[6, 2], &[2]];
        assert_eq!(cells(&table), lecture);
        let (_, to) = table.remove(NodeId(8));
        assert_eq!((to, &cells(&table)[2][..]), (NodeId(3), &[3, 7][..]));
        let (arc, from) = table.insert(NodeId(9));
        assert_eq!(
            (from, arc.first(), arc.last().0 + 1),
            (NodeId(4), LECTURE.node(NodeId(9)), LECTURE.node(NodeId(6)).0,)
        );
        assert_eq!(cells(&table)[4..6], [vec![1, 4, 9], vec![9, 6]]);
        assert_eq!(cells(&table).concat().len(), 8 + 8, "n + m entries");
    }

    /// A cell lists a member if and only if their parts of the circle meet; the responsible member
    /// is the nearest before a position: both by looking at all members.
    #[test]
    fn cells_list_all_that_reach_into_them() {
        for seed in 0..40 {
            let mixer = Mixer::new(seed);
            let mut table = Table::new(mixer, [NodeId(1)]);
            let mut members = vec![NodeId(1)];
            for step in 0..60_u32 {
                let draw = mixer.mix(step.into(), crate::circle::Salt(9));
                if draw.is_multiple_of(3) && members.len() > 1 {
                    let gone = members.swap_remove(draw as usize / 3 % members.len());
                    table.remove(gone);
                } else {
                    members.push(NodeId(step + 2));
                    table.insert(NodeId(step + 2));
                }
                let (n, m) = (members.len(), table.cells.len());
                assert!(n <= m && m <= 4 * n && m.is_power_of_two());
                assert!(table.is_sound());
                for place in 0..m {
                    let range = table.range(place);
                    let meets = |node: &&NodeId| table.arc(**node).meets(range);
                    let mut expected: Vec<_> = members.iter().filter(meets).copied().collect();
                    let mut listed = table.cells[place].clone();
                    expected.sort_unstable();
                    listed.sort_unstable();
                    assert_eq!(listed, expected, "cell {place} of seed {seed}");
                }
                let point = mixer.key(step.into());
                let near = |node: &&NodeId| mixer.node(**node).distance_to(point);
                assert_eq!(Some(&table.responsible(point)), members.iter().min_by_key(near));
            }
        }
    }

    /// H_n, 1 and (n-1)/(n+1), by 2000 hash functions for 16 members; and the part that a 17th
    /// takes over. Each mean is within four standard errors of its value.
    #[test]
    fn parts_of_the_circle_are_distributed_as_the_theorem_says() {
        const N: u32 = 16;
        let n = f64::from(N);
        let mut samples = [const { Vec::new() }; 4];
        for seed in 0..2000 {
            let mut table = Table::new(Mixer::new(seed), (1..=N).map(NodeId));
            let shares: Vec<f64> = table.members().map(|it| table.arc(it).share()).collect();
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let entries = table.cells.iter().map(Vec::len).sum::<usize>();
            assert_eq!(entries, 16 + 16, "1 + n/m per cell");
            let largest = shares.iter().fold(0.0, |a: f64, b| a.max(*b));
            let smallest = shares.iter().fold(1.0, |a: f64, b| a.min(*b));
            let variance = shares.iter().map(|it| (it * n - 1.0).powi(2)).sum::<f64>() / n;
            let (taken, _) = table.insert(NodeId(N + 1));
            let sample = [largest * n, smallest * n * n, variance, taken.share()];
            samples.iter_mut().zip(sample).for_each(|(all, one)| all.push(one));
        }
        let harmonic: f64 = (1..=N).map(|i| 1.0 / f64::from(i)).sum();
        let expected = [harmonic, 1.0, (n - 1.0) / (n + 1.0), 1.0 / (n + 1.0)];
        for (sample, expected) in samples.iter().zip(expected) {
            let count = sample.len() as f64;
            let mean = sample.iter().sum::<f64>() / count;
            let square = sample.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / count;
            let error = (square / count).sqrt();
            assert!((mean - expected).abs() < 4.0 * error, "{mean} for {expected}, ± {error}");
        }
    }
}
