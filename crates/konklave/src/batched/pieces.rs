//! Positions in a row, of which each operation of a run takes the next.

use serde::{Deserialize, Serialize};

/// Positions in a row, all with the same label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Piece<L> {
    /// The position that is taken first.
    pub from: u64,
    /// How many there are.
    pub length: u32,
    /// What they have in common.
    pub label: L,
}

/// Whether the next position is the one above or the one below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// 1, 2, 3, ...
    Up,
    /// ..., 3, 2, 1.
    Down,
}

/// Takes up to this many positions out of a row of pieces, the first ones.
pub fn take<L: Copy>(
    pieces: &mut Vec<Piece<L>>,
    mut count: u32,
    direction: Direction,
) -> Vec<Piece<L>> {
    let mut taken = Vec::new();
    let mut whole = 0;
    for piece in pieces.iter_mut() {
        let length = piece.length.min(count);
        if length > 0 {
            taken.push(Piece { length, ..*piece });
        }
        count -= length;
        piece.length -= length;
        if piece.length > 0 {
            piece.from = match direction {
                Direction::Up => piece.from + u64::from(length),
                Direction::Down => piece.from - u64::from(length),
            };
            break;
        }
        whole += 1;
    }
    pieces.drain(..whole);
    taken
}

/// How many positions there are.
pub fn positions<L>(pieces: &[Piece<L>]) -> u32 {
    pieces.iter().map(|piece| piece.length).sum()
}
