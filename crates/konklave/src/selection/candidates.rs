//! What a process does in a selection: it replies about those of its elements that are active.
//!
//! The elements of a process are sorted, and the active ones are a window of them. What lies below
//! or above the wanted element is deactivated: the window shrinks from both ends.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Key;
use crate::circle::{Mixer, Salt};
use crate::rounds::Inquiry;

/// A place between elements, or at one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Limit {
    /// Below all elements.
    Below,
    /// At this element.
    At(Key),
    /// Above all elements.
    Above,
}

/// All elements between two limits, those at the limits included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Between {
    /// The lower limit.
    pub from: Limit,
    /// The upper limit.
    pub to: Limit,
}

/// What the anchor asks all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Ask {
    /// Activate all elements: how many are there?
    Activate,
    /// Between which of your active elements may the wanted one be, by your ranks?
    Ranks {
        /// The rank of the lower one; nothing limits from below if it is 0.
        low: u64,
        /// The rank of the upper one.
        high: u64,
    },
    /// How many active elements are outside?
    Count(Between),
    /// How many are outside? Deactivate them.
    Cut(Between),
    /// Which active elements are splitters?
    Sample {
        /// Decides about each of them.
        salt: u64,
        /// How probable it is, in units of 2^-64, rounded up.
        share: u64,
    },
}

/// What a process replies, or a part of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Reply {
    /// How many elements there are.
    Number(u64),
    /// The wanted element is between these.
    Between(Between),
    /// How many elements are outside.
    Outside {
        /// Below.
        below: u64,
        /// Above.
        above: u64,
    },
    /// The elements that were asked for.
    Keys(Vec<Key>),
}

/// The questions of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Questions;

impl Inquiry for Questions {
    type Ask = Ask;
    type Reply = Reply;
    type Topic = ();

    fn combine(reply: &mut Reply, next: &Reply) {
        match (reply, next) {
            (Reply::Number(sum), Reply::Number(more)) => *sum = sum.saturating_add(*more),
            (Reply::Between(all), Reply::Between(part)) => {
                all.from = all.from.min(part.from);
                all.to = all.to.max(part.to);
            }
            (
                Reply::Outside { below, above },
                Reply::Outside { below: more_below, above: more_above },
            ) => {
                *below = below.saturating_add(*more_below);
                *above = above.saturating_add(*more_above);
            }
            (Reply::Keys(keys), Reply::Keys(more)) => keys.extend_from_slice(more),
            _ => {} // Not a reply to the same question.
        }
    }
}

/// Which elements are splitters.
const SPLITTER: Salt = Salt(31);

/// The active elements of a process, as places in its sorted elements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Candidates {
    active: Range<usize>,
}

impl Candidates {
    /// The active ones of these elements.
    pub fn of<'a>(&self, sorted: &'a [Key]) -> &'a [Key] {
        sorted.get(self.active.clone()).unwrap_or_default()
    }

    /// The reply of a process with these elements.
    pub fn reply(&mut self, sorted: &[Key], ask: &Ask) -> Reply {
        match *ask {
            Ask::Activate => {
                self.active = 0..sorted.len();
                Reply::Number(sorted.len() as u64)
            }
            Ask::Ranks { low, high } => Reply::Between(local_ranks(self.of(sorted), low, high)),
            Ask::Count(between) => self.outside(sorted, between).1,
            Ask::Cut(between) => {
                let (rest, reply) = self.outside(sorted, between);
                self.active = rest;
                reply
            }
            Ask::Sample { salt, share } => Reply::Keys(sample(self.of(sorted), salt, share)),
        }
    }

    /// What is left of the window between these limits, and how much is outside.
    fn outside(&self, sorted: &[Key], Between { from, to }: Between) -> (Range<usize>, Reply) {
        let active = self.of(sorted);
        let below = active.partition_point(|key| Limit::At(*key) < from);
        let inside = active[below..].partition_point(|key| Limit::At(*key) <= to);
        let above = active.len() - below - inside;
        let begin = self.active.start + below;
        (begin..begin + inside, Reply::Outside { below: below as u64, above: above as u64 })
    }
}

/// A share of these elements, in units of 2^-64, rounded up; the salt decides about each.
pub fn sample(keys: &[Key], salt: u64, share: u64) -> Vec<Key> {
    let hash = Mixer::new(salt);
    let is_splitter = |key: &&Key| hash.mix(key.id, SPLITTER) <= share;
    keys.iter().filter(is_splitter).copied().collect()
}

/// The elements with these ranks among the active ones of a process. One with too few elements must
/// not limit what the others have: both its limits are above all elements. For the lower one this
/// is neutral; the upper one then cuts nothing.
fn local_ranks(active: &[Key], low: u64, high: u64) -> Between {
    let at = |rank: u64| {
        let place = rank.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| active.get(place)).map_or(Limit::Above, |key| Limit::At(*key))
    };
    Between { from: if low == 0 { Limit::Below } else { at(low) }, to: at(high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(priorities: &[u64]) -> Vec<Key> {
        priorities.iter().map(|&priority| Key { priority, id: priority }).collect()
    }

    fn at(priority: u64) -> Limit {
        Limit::At(Key { priority, id: priority })
    }

    fn between(from: Limit, to: Limit) -> Between {
        Between { from, to }
    }

    #[test]
    fn a_window_shrinks_from_both_ends() {
        let sorted = keys(&[2, 4, 6, 8, 10]);
        let mut candidates = Candidates::default();
        assert_eq!(candidates.reply(&sorted, &Ask::Activate), Reply::Number(5));
        let range = between(at(4), at(8));
        let outside = Reply::Outside { below: 1, above: 1 };
        assert_eq!(candidates.reply(&sorted, &Ask::Count(range)), outside);
        assert_eq!(candidates.of(&sorted).len(), 5, "to count changes nothing");
        assert_eq!(candidates.reply(&sorted, &Ask::Cut(range)), outside);
        assert_eq!(candidates.of(&sorted), keys(&[4, 6, 8]), "those at the limits stay");
        let all = between(Limit::Below, Limit::Above);
        let nothing = Reply::Outside { below: 0, above: 0 };
        assert_eq!(candidates.reply(&sorted, &Ask::Cut(all)), nothing);
        let above = between(at(9), Limit::Above);
        let three = Reply::Outside { below: 3, above: 0 };
        assert_eq!(candidates.reply(&sorted, &Ask::Cut(above)), three);
        assert!(candidates.of(&sorted).is_empty());
    }

    #[test]
    fn ranks_are_those_of_active_elements_and_too_few_limit_nothing() {
        let active = keys(&[3, 5, 7]);
        assert_eq!(local_ranks(&active, 1, 2), between(at(3), at(5)));
        assert_eq!(local_ranks(&active, 0, 1), between(Limit::Below, at(3)));
        assert_eq!(local_ranks(&active, 3, 4), between(at(7), Limit::Above));
        assert_eq!(local_ranks(&active, 4, 5), between(Limit::Above, Limit::Above));
        let mut all = Reply::Between(local_ranks(&active, 3, 4));
        Questions::combine(&mut all, &Reply::Between(local_ranks(&keys(&[1, 2, 8, 9]), 3, 4)));
        Questions::combine(&mut all, &Reply::Between(local_ranks(&[], 3, 4)));
        assert_eq!(all, Reply::Between(between(at(7), Limit::Above)));
    }

    #[test]
    fn a_sample_has_its_share() {
        let sorted: Vec<Key> = (0..40_000).map(|id| Key { priority: 1, id }).collect();
        let mut candidates = Candidates::default();
        candidates.reply(&sorted, &Ask::Activate);
        let mut sample = |share| match candidates.reply(&sorted, &Ask::Sample { salt: 9, share }) {
            Reply::Keys(keys) => keys.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!(sample(u64::MAX), 40_000);
        // A quarter of them is 10 000, and a standard deviation 87.
        let quarter = sample(u64::MAX / 4);
        assert!((9_700..=10_300).contains(&quarter), "{quarter}");
    }
}
