//! A vector that grows by pieces: it never moves, and never takes twice the memory it needs.

/// How many values a piece holds.
const PIECE: usize = 1 << 12;

/// Values by their places.
#[derive(Debug)]
pub(crate) struct Pile<T> {
    pieces: Vec<Vec<T>>,
}

impl<T> Default for Pile<T> {
    fn default() -> Self {
        Self { pieces: Vec::new() }
    }
}

impl<T: Copy> Pile<T> {
    pub(crate) fn len(&self) -> usize {
        let last = self.pieces.last().map_or(0, Vec::len);
        self.pieces.len().saturating_sub(1) * PIECE + last
    }

    pub(crate) fn push(&mut self, value: T) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => {
                if piece.len() == piece.capacity() {
                    piece.reserve_exact(piece.len().min(PIECE - piece.len()));
                }
                piece.push(value);
            }
            _ => {
                // Small systems have many piles with few values.
                let size = if self.pieces.is_empty() { 16 } else { PIECE };
                let mut piece = Vec::with_capacity(size);
                piece.push(value);
                self.pieces.push(piece);
            }
        }
    }

    pub(crate) fn get(&self, place: usize) -> T {
        self.pieces[place / PIECE][place % PIECE]
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> &mut T {
        &mut self.pieces[place / PIECE][place % PIECE]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.pieces.iter().flatten().copied()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pieces.iter().map(Vec::capacity).sum::<usize>() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_where_they_were_put() {
        let mut pile = Pile::default();
        for value in 0..3 * PIECE + 5 {
            assert_eq!(pile.len(), value);
            pile.push(value);
        }
        *pile.get_mut(PIECE) += 1;
        assert!((0..3 * PIECE + 5).all(|at| pile.get(at) == at + usize::from(at == PIECE)));
        assert_eq!(pile.iter().count(), pile.len());
        assert_eq!(pile.bytes(), 4 * PIECE * size_of::<usize>(), "nothing to spare");
    }
}
