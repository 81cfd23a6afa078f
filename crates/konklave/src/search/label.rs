//! Bit strings: keys, and the labels of the nodes of a trie.

use std::fmt::{self, Debug, Display};

use smallvec::SmallVec;

/// A bit string. The order is lexicographic, and a prefix comes before what it is a prefix of.
///
/// Every key begins with 0 here, so that a leaf for infinity, the string 1, lies behind all keys.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The bits, from the highest of the first word on; those behind the end are 0.
    words: SmallVec<[u64; 2]>,
    len: u32,
}

impl Label {
    /// The empty string, the label of the root.
    pub fn root() -> Self {
        Self::default()
    }

    /// The leaf behind all keys.
    pub fn infinity() -> Self {
        let mut label = Self::root();
        label.push(1, 1);
        label
    }

    /// The key that consists of the last `width` bits of a number.
    pub fn number(key: u64, width: u32) -> Self {
        let mut label = Self::root();
        label.push(0, 1);
        label.push(key, width);
        label
    }

    /// The key of a text. Each byte follows a 1, and a 0 ends the text: so no key is a prefix of
    /// another, and keys are ordered as texts are.
    pub fn text(text: &str) -> Self {
        let mut label = Self::opening(text);
        label.push(0, 1);
        label
    }

    /// What the keys of all texts begin with that begin with this one.
    pub fn opening(text: &str) -> Self {
        let mut label = Self::root();
        label.push(0, 1);
        text.bytes().for_each(|byte| label.push(1 << 8 | u64::from(byte), 9));
        label
    }

    /// Appends the last `count` bits of a number, 64 at most.
    fn push(&mut self, bits: u64, count: u32) {
        for place in (0..count).rev() {
            if self.len.is_multiple_of(64) {
                self.words.push(0);
            }
            let bit = bits >> place & 1;
            self.words[self.len as usize / 64] |= bit << (63 - self.len % 64);
            self.len += 1;
        }
    }

    /// The number of bits.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether it is the label of the root.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it is the leaf behind all keys.
    pub fn is_infinity(&self) -> bool {
        self.len > 0 && self.bit(0) == 1
    }

    /// The bit that follows the first `at` bits, 0 or 1.
    pub fn bit(&self, at: u32) -> usize {
        (self.words[at as usize / 64] >> (63 - at % 64) & 1) as usize
    }

    /// The first `len` bits.
    pub fn prefix(&self, len: u32) -> Self {
        let mut words = SmallVec::from(&self.words[..len.div_ceil(64) as usize]);
        if let (Some(last), rest @ 1..) = (words.last_mut(), len % 64) {
            *last &= !(u64::MAX >> rest);
        }
        Self { words, len }
    }

    /// The length of the longest common prefix.
    pub fn common(&self, other: &Self) -> u32 {
        let most = self.len.min(other.len);
        let mut words = (0..).zip(self.words.iter().zip(&other.words));
        let different = words.find(|(_, (one, other))| one != other);
        different.map_or(most, |(place, (one, other))| {
            most.min(64 * place + (one ^ other).leading_zeros())
        })
    }

    /// Whether the other one is a prefix.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        self.common(prefix) == prefix.len
    }

    /// The bits behind the first one, as a number: at most 64.
    pub fn tail(&self) -> u64 {
        let [first, second] = [0, 1].map(|place| self.words.get(place).copied().unwrap_or(0));
        let aligned = first << 1 | second >> 63;
        aligned.checked_shr(65_u32.saturating_sub(self.len)).unwrap_or(0)
    }
}

/// The bits; `ε` for the root, `∞` for infinity.
impl Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.len {
            0 => f.write_str("ε"),
            1 if self.is_infinity() => f.write_str("∞"),
            _ => (0..self.len).try_for_each(|at| write!(f, "{}", self.bit(at))),
        }
    }
}

impl Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against strings of characters, for all pairs of short labels and some that fill words.
    #[test]
    fn labels_are_bit_strings() {
        let short = (1..=5).flat_map(|width| (0..1 << width).map(move |key| (key, width)));
        let long = [62, 63, 64].map(|width| [0, 1, 2, 5 << 59, u64::MAX].map(|key| (key, width)));
        let all: Vec<(u64, u32)> = short.chain(long.concat()).collect();
        let labels: Vec<Label> =
            all.iter().map(|(key, width)| Label::number(*key, *width)).collect();
        for (label, &(key, width)) in labels.iter().zip(&all) {
            let text =
                format!("0{:0width$b}", key & u64::MAX >> (64 - width), width = width as usize);
            assert_eq!(label.to_string(), text);
            assert_eq!(label.tail(), key & u64::MAX >> (64 - width), "{text}");
            for len in 2..=label.len() {
                assert_eq!(label.prefix(len).to_string(), text[..len as usize]);
            }
        }
        for (one, other) in labels.iter().flat_map(|it| labels.iter().map(move |other| (it, other)))
        {
            let [left, right] = [one, other].map(Label::to_string);
            let common = left.bytes().zip(right.bytes()).take_while(|(x, y)| x == y).count();
            assert_eq!(one.common(other), common as u32, "{left} {right}");
            assert_eq!(one.starts_with(other), left.starts_with(&right));
            assert_eq!(one.cmp(other), left.cmp(&right));
        }
        assert!(labels.iter().all(|label| *label < Label::infinity() && *label > Label::root()));
    }

    #[test]
    fn texts_are_free_of_prefixes_and_keep_their_order() {
        let texts = ["", "a", "ab", "abc", "b", "ba", "trie", "tries", "zebra", "ä"];
        for (one, other) in texts.iter().flat_map(|it| texts.iter().map(move |other| (it, other))) {
            let [left, right] = [one, other].map(|it| Label::text(it));
            assert_eq!(left.cmp(&right), one.cmp(other));
            assert_eq!(left.starts_with(&right), one == other);
            assert_eq!(left.starts_with(&Label::opening(other)), one.starts_with(*other));
        }
    }
}
