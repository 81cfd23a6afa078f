//! Finds room for labels: greedily, one after the other, and none where there is no room.

use super::arrows::Arrow;
use crate::svg::{Anchor, Font};
use crate::text::Area;

/// Above this many arrows, crossing one is no longer avoided: it would take too long.
const FEW: usize = 600;

/// What is taken, and what may be crossed if need be.
pub(super) struct Room {
    taken: Vec<Area>,
    lines: Vec<((f64, f64), (f64, f64))>,
    borders: Area,
}

impl Room {
    pub(super) fn new(borders: Area) -> Self {
        Self { taken: Vec::new(), lines: Vec::new(), borders }
    }

    pub(super) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Lets labels keep off arrows where they can.
    pub(super) fn avoid(&mut self, arrows: &[Arrow]) {
        for arrow in arrows.iter().take(if arrows.len() <= FEW { FEW } else { 0 }) {
            let points: Vec<_> = match arrow.bend {
                0.0 => vec![arrow.from, arrow.to],
                _ => (0..=4).map(|part| arrow.at(f64::from(part) / 4.0)).collect(),
            };
            self.lines.extend(points.windows(2).map(|pair| (pair[0], pair[1])));
        }
    }

    /// Takes the first of the places (middles of base lines) where the text crosses the fewest
    /// lines, if it fits anywhere.
    pub(super) fn place(
        &mut self,
        text: &str,
        font: Font,
        places: impl IntoIterator<Item = (f64, f64)>,
    ) -> Option<(f64, f64)> {
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
