//! Keys, and which of them are next to a given one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Answer, Nature, Object, compare};

/// Keys, and which of them are next to a given one. A range is enumerated by one successor after
/// the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OrderedSet(BTreeSet<u64>);

/// What can be asked of an ordered set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderedSetOp {
    /// Let this key be in the set.
    Insert(u64),
    /// Let this key not be in the set.
    Delete(u64),
    /// This key, if it is in the set.
    Contains(u64),
    /// The smallest key of the set that is not below this one.
    Successor(u64),
    /// The largest key of the set that is not above this one.
    Predecessor(u64),
    /// A key of the set that shares the longest prefix with this one, as numbers in binary of any
    /// common width. If there are several, any of them is right.
    LongestPrefix(u64),
    /// How many keys of the set are equal to this one but for their last `free` bits.
    Count {
        /// Which key.
        key: u64,
        /// The number of bits that do not matter.
        free: u8,
    },
}

impl Object for OrderedSet {
    const NAME: &'static str = "ordered_set";
    type Op = OrderedSetOp;

    fn accept(&mut self, op: OrderedSetOp, answer: Answer) -> Result<(), Answer> {
        let keys = &mut self.0;
        match op {
            OrderedSetOp::Insert(key) => _ = keys.insert(key),
            OrderedSetOp::Delete(key) => _ = keys.remove(&key),
            OrderedSetOp::Contains(key) => compare(keys.get(&key).copied(), answer)?,
            OrderedSetOp::Successor(key) => compare(keys.range(key..).next().copied(), answer)?,
            OrderedSetOp::Predecessor(key) => {
                compare(keys.range(..=key).next_back().copied(), answer)?;
            }
            OrderedSetOp::LongestPrefix(key) => {
                // Of all keys on one side, the nearest shares the most.
                let near = [keys.range(..=key).next_back(), keys.range(key..).next()];
                let shared = |other: &u64| (key ^ other).leading_zeros();
                let right = near.into_iter().flatten().copied().max_by_key(shared);
                let is_as_good = answer.is_some_and(|it| {
                    keys.contains(&it) && right.is_some_and(|best| shared(&it) == shared(&best))
                });
                if !is_as_good {
                    compare(right, answer)?;
                }
            }
            OrderedSetOp::Count { key, free } => {
                let rest = 1_u64.checked_shl(free.into()).map_or(u64::MAX, |bit| bit - 1);
                let count = keys.range(key & !rest..=key | rest).count() as u64;
                compare(Some(count), answer)?;
            }
        }
        Ok(())
    }

    fn nature(op: OrderedSetOp) -> Nature {
        match op {
            OrderedSetOp::Insert(key) => Nature::Add(key),
            OrderedSetOp::Delete(key) => Nature::Discard(key),
            OrderedSetOp::Contains(_)
            | OrderedSetOp::Successor(_)
            | OrderedSetOp::Predecessor(_)
            | OrderedSetOp::LongestPrefix(_)
            | OrderedSetOp::Count { .. } => Nature::Look,
        }
    }

    fn size(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::OrderedSetOp::*;
    use super::*;

    /// Against a linear scan, for every set of keys below six and every question.
    #[test]
    fn neighbours_are_those_of_a_scan() {
        for keys in 0u64..1 << 6 {
            let is_there = |key: &u64| keys >> key & 1 == 1;
            let mut set = OrderedSet::default();
            (0..6).filter(is_there).for_each(|key| _ = set.apply(Insert(key)));
            for asked in 0..8 {
                assert_eq!(set.apply(Contains(asked)), Some(asked).filter(is_there));
                assert_eq!(set.apply(Successor(asked)), (asked..8).find(is_there));
                assert_eq!(set.apply(Predecessor(asked)), (0..=asked).rev().find(is_there));
                let shared = |key: u64| (key ^ asked).leading_zeros();
                let best = (0..6).filter(is_there).map(shared).max();
                for answer in 0..8 {
                    let is_right = is_there(&answer) && Some(shared(answer)) == best;
                    let accepted = set.accept(LongestPrefix(asked), Some(answer));
                    assert_eq!(accepted.is_ok(), is_right, "{keys:b} {asked} {answer}");
                }
                assert_eq!(set.accept(LongestPrefix(asked), None).is_ok(), keys == 0);
                for free in [0, 1, 2, 3, 63, 64, 255] {
                    let is_alike = |key: &u64| free >= 64 || key >> free == asked >> free;
                    let count = (0..6).filter(is_there).filter(is_alike).count() as u64;
                    assert_eq!(set.apply(Count { key: asked, free }), Some(count));
                }
            }
        }
    }

    #[test]
    fn what_is_deleted_is_not_there() {
        let mut set = OrderedSet::default();
        for op in [Insert(3), Insert(5), Insert(3), Delete(3), Delete(4)] {
            assert_eq!(set.apply(op), None);
        }
        assert_eq!((set.apply(Successor(0)), set.size()), (Some(5), 1));
        assert_eq!(set.apply(Predecessor(u64::MAX)), Some(5));
        assert_eq!(set.apply(Successor(u64::MAX)), None);
    }
}
