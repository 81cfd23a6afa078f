//! Places labels greedily, one after the other; labels without room are left out.

use crate::svg::{Anchor, Font};
use crate::text::Area;

/// Above this many lines, crossing one is no longer avoided: it would take too long.
const FEW: usize = 1000;

/// Above this many obstacles there is no room: that many labels are illegible, and to look for it
/// would take too long.
const FULL: usize = 8000;

/// From here to there.
pub(crate) type Line = ((f64, f64), (f64, f64));

/// What is taken, and what may be crossed if need be.
pub(crate) struct Room {
    taken: Vec<Area>,
    lines: Vec<Line>,
    borders: Area,
}

impl Room {
    pub(crate) fn new(borders: Area) -> Self {
        Self { taken: Vec::new(), lines: Vec::new(), borders }
    }

    pub(crate) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Lets labels keep off lines where they can.
    pub(crate) fn avoid(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.lines.extend(lines);
        if self.lines.len() > FEW {
            self.lines.clear();
        }
    }

    /// Takes the first of the places (middles of base lines) where the text crosses the fewest
    /// lines, if it fits anywhere.
    pub(crate) fn place(
        &mut self,
        text: &str,
        font: Font,
        places: impl IntoIterator<Item = (f64, f64)>,
    ) -> Option<(f64, f64)> {
        if self.taken.len() > FULL {
            return None;
        }
        let mut best: Option<(usize, (f64, f64), Area)> = None;
        for at in places {
            let area = Area::of_text(text, font, Anchor::Middle, at);
            if !self.is_free(area) {
                continue;
            }
            let crossed =
                self.lines.iter().filter(|(from, to)| area.is_crossed_by(*from, *to)).count();
            if best.is_none_or(|(fewest, ..)| crossed < fewest) {
                best = Some((crossed, at, area));
            }
        }
        let (_, at, area) = best?;
        self.take(area);
        Some(at)
    }

    fn is_free(&self, area: Area) -> bool {
        let Area { left, top, right, bottom } = self.borders;
        area.left >= left
            && area.right <= right
            && area.top >= top
            && area.bottom <= bottom
            && self.taken.iter().all(|taken| !taken.overlaps(area))
    }
}
