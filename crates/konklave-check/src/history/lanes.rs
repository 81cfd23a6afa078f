//! Lists of operations whose order is given, and the parts of a history that have their own order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::{Object, Operation};

/// For each operation those that its process had waited for at the very tick at which it invoked
/// it. No other process knows that they came first.
#[derive(Debug, Default)]
pub(super) struct Ties(HashMap<usize, Vec<usize>>);

impl Ties {
    pub(super) fn new<Op>(operations: &[Operation<Op>], among: &[usize]) -> Self {
        let mut ends: HashMap<(u32, u64), Vec<usize>> = HashMap::new();
        for &index in among {
            let Operation { process, returned, .. } = operations[index];
            if let Some(returned) = returned {
                ends.entry((process, returned)).or_default().push(index);
            }
        }
        let mut ties = HashMap::new();
        for &index in among {
            let Operation { process, seq, invoked, .. } = operations[index];
            let Some(ended) = ends.get(&(process, invoked)) else { continue };
            let tied = ended.iter().copied().filter(|&other| operations[other].seq < seq);
            let tied: Vec<usize> = tied.collect();
            if !tied.is_empty() {
                ties.insert(index, tied);
            }
        }
        Self(ties)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that have to be done before this one.
    pub(super) fn before(&self, index: usize) -> &[usize] {
        self.0.get(&index).map_or(&[], Vec::as_slice)
    }
}

/// The operations on each key, but on keys with tied operations together. Between such parts only
/// time matters. There orders can be merged: if a returned before b was invoked, b does not stand
/// after c, and c returned before d was invoked, then a returned before d was invoked. With ties
/// this is not so: all four may be at one tick.
pub(super) fn parts<O: Object>(
    operations: &[Operation<O::Op>],
    among: &[usize],
    ties: &Ties,
) -> Vec<Vec<usize>> {
    let key = |index: usize| O::nature(operations[index].op).part();
    let mut joined: BTreeMap<u64, u64> = BTreeMap::new();
    let root = |joined: &BTreeMap<u64, u64>, key: u64| {
        std::iter::successors(Some(key), |key| joined.get(key).copied()).last().unwrap_or(key)
    };
    for &index in among {
        for &tied in ties.before(index) {
            let (one, other) = (root(&joined, key(index)), root(&joined, key(tied)));
            if one != other {
                joined.insert(one, other);
            }
        }
    }
    let mut parts: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for &index in among {
        parts.entry(root(&joined, key(index))).or_default().push(index);
    }
    parts.into_values().collect()
}

/// The operations of each process, as it issued them.
pub(super) fn processes<Op>(operations: &[Operation<Op>], among: &[usize]) -> Vec<Vec<usize>> {
    let mut lanes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for &index in among {
        lanes.entry(operations[index].process).or_default().push(index);
    }
    for lane in lanes.values_mut() {
        lane.sort_by_key(|&index| operations[index].seq);
    }
    lanes.into_values().collect()
}

/// As few lists as possible of operations that follow each other in time.
pub(super) fn chains<Op>(operations: &[Operation<Op>], mut part: Vec<usize>) -> Vec<Vec<usize>> {
    part.sort_by_key(|&index| operations[index].invoked);
    let mut lanes: Vec<Vec<usize>> = Vec::new();
    let mut ends: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for index in part {
        let operation = &operations[index];
        let free = ends.peek().filter(|Reverse((end, _))| *end < operation.invoked);
        let lane = match free {
            Some(&Reverse((_, lane))) => {
                ends.pop();
                lane
            }
            None => {
                lanes.push(Vec::new());
                lanes.len() - 1
            }
        };
        lanes[lane].push(index);
        ends.push(Reverse((operation.returned.unwrap_or(u64::MAX), lane)));
    }
    lanes
}

/// Of each operation of a lane and those behind it, the one that returned first.
pub(super) fn first_to_return<Op>(operations: &[Operation<Op>], lane: &[usize]) -> Vec<usize> {
    let returned = |index: usize| operations[index].returned.unwrap_or(u64::MAX);
    let mut first = lane.to_vec();
    for place in (1..first.len()).rev() {
        if returned(first[place]) < returned(first[place - 1]) {
            first[place - 1] = first[place];
        }
    }
    first
}

/// One order from those of the keys: each operation has its effect when it is invoked, or when the
/// one before it has, if that is later. As its order respects time, it has not returned by then.
pub(super) fn merge<Op>(operations: &[Operation<Op>], orders: Vec<Vec<usize>>) -> Vec<usize> {
    let mut timed = Vec::new();
    for order in orders {
        let mut time = 0;
        for index in order {
            time = time.max(operations[index].invoked);
            timed.push((time, index));
        }
    }
    timed.sort_by_key(|&(time, _)| time); // Stable: each order stays as it is.
    timed.into_iter().map(|(_, index)| index).collect()
}
