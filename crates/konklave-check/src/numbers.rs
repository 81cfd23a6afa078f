//! Values and their numbers, in the order in which they were first seen.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::meaning::{NumberMap, bytes_of};

/// Numbers for values. What does not depend on the type of values is compiled once for all.
pub(crate) struct Numbers<T> {
    values: Vec<T>,
    index: Index,
    /// How many bytes the values were hashed by, all together.
    hashed: usize,
}

/// Counts what it hashes.
#[derive(Default)]
struct Counting {
    hasher: DefaultHasher,
    bytes: usize,
}

impl Hasher for Counting {
    fn write(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.hasher.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.hasher.finish()
    }
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
        Self { values: Vec::new(), index: Index::default(), hashed: 0 }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The number of a value: the old one, or the next.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        let mut hasher = Counting::default();
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
        self.hashed += hasher.bytes;
        self.index.add(hash)
    }

    /// Roughly how many bytes they take. What a value keeps elsewhere is not less than what it is
    /// hashed by, and mostly in several pieces.
    pub(crate) fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<T>()
            + 2 * self.hashed
            + bytes_of(&self.index.first)
            + self.index.next.capacity() * size_of::<u32>()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
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
