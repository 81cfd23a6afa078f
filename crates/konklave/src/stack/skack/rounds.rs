//! The top alone: elements carry the round and the time at which they were pushed.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::Anchor;
use crate::batched::pieces::Piece;
use crate::batched::point_of;
use crate::circle::{Mixer, Point};

/// The top of the stack, and what has happened in this round.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Rounds {
    /// The number of elements: they have the positions from 1 to here.
    top: u64,
    /// The number of this round, from 1.
    round: u32,
    /// Within a round: the last positions of segments with the same time, and the times, from the
    /// bottom to the top. Forgotten at its end: everything that is left has time 1 then.
    segments: Vec<(u64, u32)>,
    /// The last time that was given in this round.
    time: u32,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { top: 0, round: 1, segments: Vec::new(), time: BEFORE }
    }
}

/// The time of operations that are matched, and have nothing to do with the stack.
const MATCHED: u32 = 0;
/// Where they meet: at no position of the stack. There, a pop of a later round could take an
/// element that its own pop has not fetched yet.
const MEETING: u64 = 1 << 63;
/// The time of elements of earlier rounds.
const BEFORE: u32 = 1;

/// When positions were given.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Stamp {
    /// In which round.
    pub round: u32,
    /// At which time in it.
    pub time: u32,
}

/// What an element is stored under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Its position, which others have had before.
    pub position: u64,
    /// When it was pushed; for a pop, when its element was pushed, as far as the anchor knows.
    pub stamp: Stamp,
}

impl Rounds {
    fn stamp(&self, time: u32) -> Stamp {
        Stamp { round: self.round, time }
    }
}

impl Anchor for Rounds {
    type Stamp = Stamp;
    type Key = Key;

    /// What is there at the end of the round was pushed before it was popped.
    const BARRIER: bool = true;

    fn begin(&mut self) {
        let base = Some((self.top, BEFORE)).filter(|_| self.top > 0);
        self.segments = base.into_iter().collect();
        self.time = BEFORE;
    }

    fn push(&mut self, length: u32) -> Piece<Stamp> {
        self.time += 1;
        let from = self.top + 1;
        self.top += u64::from(length);
        self.segments.push((self.top, self.time));
        Piece { from, length, label: self.stamp(self.time) }
    }

    fn pop(&mut self, mut length: u32) -> Vec<Piece<Stamp>> {
        let mut pieces = Vec::new();
        while length > 0
            && let Some((last, time)) = self.segments.pop()
        {
            let first = self.segments.last().map_or(1, |(below, _)| below + 1);
            let taken = u64::from(length).min(last - first + 1);
            self.top = last - taken;
            if self.top >= first {
                self.segments.push((self.top, time));
            }
            pieces.push(Piece { from: last, length: taken as u32, label: self.stamp(time) });
            length -= taken as u32;
        }
        pieces
    }

    fn end(&mut self, pairs: u32) -> Piece<Stamp> {
        let piece = Piece { from: MEETING, length: pairs, label: self.stamp(MATCHED) };
        self.segments.clear();
        self.time = BEFORE;
        self.round += 1;
        piece
    }

    fn held(&self) -> u64 {
        self.top
    }

    /// All elements are in one.
    fn intervals_max(&self) -> u64 {
        1
    }

    fn key(position: u64, stamp: Stamp) -> Key {
        Key { position, stamp }
    }

    fn point(mixer: Mixer, key: Key) -> Point {
        point_of(mixer, key.position)
    }

    /// Its own stamp, or any of an earlier round.
    fn sought(key: Key) -> RangeInclusive<Key> {
        let Key { position, stamp } = key;
        if stamp.time != BEFORE {
            return key..=key;
        }
        let last = Stamp { round: stamp.round - 1, time: u32::MAX };
        Key { position, stamp: Stamp::default() }..=Key { position, stamp: last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first position that is taken, the last, and the time.
    fn taken(pieces: &[Piece<Stamp>]) -> Vec<(u64, u64, u32)> {
        let shown =
            |it: &Piece<Stamp>| (it.from, it.from + 1 - u64::from(it.length), it.label.time);
        pieces.iter().map(shown).collect()
    }

    /// The example of the lecture: position 9 is used three times in one round.
    #[test]
    fn times_tell_elements_of_one_round_apart() {
        let mut anchor = Rounds { top: 8, ..Rounds::default() };
        anchor.begin();
        let push = |anchor: &mut Rounds, length| {
            let Piece { from, length, label } = anchor.push(length);
            (from, from + u64::from(length) - 1, label.time)
        };
        assert_eq!(push(&mut anchor, 3), (9, 11, 2));
        assert_eq!(taken(&anchor.pop(4)), [(11, 9, 2), (8, 8, 1)]);
        assert_eq!(push(&mut anchor, 3), (8, 10, 3));
        assert_eq!(taken(&anchor.pop(2)), [(10, 9, 3)]);
        assert_eq!(push(&mut anchor, 1), (9, 9, 4));
        assert_eq!(taken(&anchor.pop(3)), [(9, 9, 4), (8, 8, 3), (7, 7, 1)]);
        assert_eq!(taken(&anchor.pop(3)), [(6, 4, 1)]);
        anchor.end(0);
        assert_eq!(anchor, Rounds { top: 3, round: 2, segments: vec![], time: 1 });
        anchor.begin();
        assert_eq!(taken(&anchor.pop(9)), [(3, 1, 1)]);
        assert_eq!(anchor.held(), 0);
    }

    #[test]
    fn a_pop_takes_its_own_time_or_the_last_of_earlier_rounds() {
        let key = |round, time| Key { position: 5, stamp: Stamp { round, time } };
        assert_eq!(Rounds::sought(key(3, 2)), key(3, 2)..=key(3, 2));
        let earlier = Rounds::sought(key(3, BEFORE));
        assert!(earlier.contains(&key(2, 9)) && earlier.contains(&key(1, 2)));
        assert!(!earlier.contains(&key(3, 2)) && !earlier.contains(&key(3, BEFORE)));
    }

    #[test]
    fn no_pop_of_the_stack_seeks_what_is_matched() {
        let mut anchor = Rounds { top: 5, ..Rounds::default() };
        let met = anchor.end(3);
        let key = Rounds::key(met.from, met.label);
        assert_eq!(Rounds::sought(key), key..=key);
        anchor.begin();
        for piece in anchor.pop(5) {
            for position in 1..=piece.from {
                assert!(!Rounds::sought(Rounds::key(position, piece.label)).contains(&key));
            }
        }
    }
}
