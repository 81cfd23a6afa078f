//! Values and their numbers, in the order in which they were first seen.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::meaning::NumberMap;

/// Numbers for values. What does not depend on the type of values is compiled once for all.
pub(crate) struct Numbers<T> {
    values: Vec<T>,
    index: Index,
}

/// The numbers of values by their hashes; values with the same hash are linked.
#[derive(Default)]
struct Index {
    first: NumberMap<u32>,
    next: Vec<u32>,
}

/// The end of a list of links.
const NONE: u32 = u32::MAX;

impl<T: Hash + Eq> Numbers<T> {
    pub(crate) fn new() -> Self {
        Self { values: Vec::new(), index: Index::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The number of a value: the old one, or the next.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        let hash = hasher.finish();
        let mut place = self.index.first(hash);
        while place != NONE {
            if self.values[place as usize] == value {
                return place;
            }
            place = self.index.next[place as usize];
        }
        self.values.push(value);
        self.index.add(hash)
    }

    pub(crate) fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }
}

impl Index {
    fn first(&self, hash: u64) -> u32 {
        self.first.get(&hash).copied().unwrap_or(NONE)
    }

    /// Links the next number to a hash.
    fn add(&mut self, hash: u64) -> u32 {
        let number = u32::try_from(self.next.len()).expect("fewer values than numbers");
        self.next.push(self.first.insert(hash, number).unwrap_or(NONE));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of them have the same hash.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Twin(u32);

    impl Hash for Twin {
        fn hash<H: Hasher>(&self, _: &mut H) {}
    }

    #[test]
    fn equal_values_have_equal_numbers_and_others_have_not() {
        let mut twins = Numbers::new();
        let mut words = Numbers::new();
        for round in 0..2 {
            for number in 0..100 {
                assert_eq!(twins.number(Twin(7 * number)), number, "round {round}");
                assert_eq!(words.number(format!("{number}")), number, "round {round}");
            }
        }
        assert_eq!((twins.len(), words.len()), (100, 100));
        assert_eq!((twins.value(3), words.value(3).as_str()), (&Twin(21), "3"));
    }
}
