//! Positions that are never used again: the anchor remembers which hold elements.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::Anchor;
use crate::batched::pieces::Piece;
use crate::batched::point_of;
use crate::circle::{Mixer, Point};

/// The positions of all elements, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Intervals {
    /// The first and the last position of each interval, disjoint, in ascending order.
    alive: Vec<(u64, u64)>,
    /// The last position that was given.
    last: u64,
    /// The most intervals so far.
    most: u64,
}

impl Anchor for Intervals {
    type Stamp = ();
    type Key = u64;

    const BARRIER: bool = false;

    fn begin(&mut self) {}

    fn push(&mut self, length: u32) -> Piece<()> {
        let from = self.last + 1;
        let end = self.last + u64::from(length);
        match self.alive.last_mut() {
            Some((_, top)) if *top == self.last => *top = end,
            _ => self.alive.push((from, end)),
        }
        self.last = end;
        self.most = self.most.max(self.alive.len() as u64);
        Piece { from, length, label: () }
    }

    fn pop(&mut self, mut length: u32) -> Vec<Piece<()>> {
        let mut pieces = Vec::new();
        while length > 0
            && let Some((first, last)) = self.alive.pop()
        {
            let taken = u64::from(length).min(last - first + 1);
            if last - taken >= first {
                self.alive.push((first, last - taken));
            }
            pieces.push(Piece { from: last, length: taken as u32, label: () });
            length -= taken as u32;
        }
        pieces
    }

    fn end(&mut self, pairs: u32) -> Piece<()> {
        let from = self.last + 1;
        self.last += u64::from(pairs); // They are no elements of the stack.
        Piece { from, length: pairs, label: () }
    }

    fn held(&self) -> u64 {
        self.alive.iter().map(|(first, last)| last - first + 1).sum()
    }

    fn intervals_max(&self) -> u64 {
        self.most
    }

    fn key(position: u64, (): ()) -> u64 {
        position
    }

    fn point(mixer: Mixer, key: u64) -> Point {
        point_of(mixer, key)
    }

    fn sought(key: u64) -> RangeInclusive<u64> {
        key..=key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the lecture, from the elements 1 to 8.
    #[test]
    fn positions_are_never_used_again() {
        let mut anchor = Intervals { alive: vec![(1, 8)], last: 8, most: 1 };
        let push = |anchor: &mut Intervals, length| {
            let Piece { from, length, .. } = anchor.push(length);
            (from, from + u64::from(length) - 1, anchor.alive.clone())
        };
        let pop = |anchor: &mut Intervals, length| {
            let pieces = anchor.pop(length);
            let shown = |it: &Piece<()>| (it.from + 1 - u64::from(it.length), it.from);
            (pieces.iter().map(shown).collect::<Vec<_>>(), anchor.alive.clone())
        };
        assert_eq!(push(&mut anchor, 3), (9, 11, vec![(1, 11)]));
        assert_eq!(pop(&mut anchor, 4), (vec![(8, 11)], vec![(1, 7)]));
        assert_eq!(push(&mut anchor, 3), (12, 14, vec![(1, 7), (12, 14)]));
        assert_eq!(pop(&mut anchor, 2), (vec![(13, 14)], vec![(1, 7), (12, 12)]));
        assert_eq!(push(&mut anchor, 1), (15, 15, vec![(1, 7), (12, 12), (15, 15)]));
        assert_eq!(pop(&mut anchor, 3), (vec![(15, 15), (12, 12), (7, 7)], vec![(1, 6)]));
        assert_eq!(pop(&mut anchor, 3), (vec![(4, 6)], vec![(1, 3)]));
        assert_eq!(pop(&mut anchor, 5), (vec![(1, 3)], vec![]));
        assert_eq!((anchor.held(), anchor.intervals_max(), anchor.last), (0, 3, 15));
    }

    /// Two pushes and a pop, again and again: an interval for every element.
    #[test]
    fn intervals_can_be_as_many_as_elements() {
        let mut anchor = Intervals::default();
        for _ in 0..100 {
            anchor.push(2);
            anchor.pop(1);
        }
        assert_eq!((anchor.held(), anchor.intervals_max()), (100, 100));
    }
}
