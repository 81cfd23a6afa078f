//! What the colours, dashes and shapes mean, below a picture.

use crate::svg::{Anchor, Canvas, Font};
use crate::text;

/// Draws the sample of an entry around the middle of its left edge.
type Sample = Box<dyn Fn(&mut Canvas, f64, f64)>;

/// The room for a sample.
pub(crate) const SAMPLE: f64 = 28.0;
const ROW: f64 = 18.0;
const GAP: f64 = 18.0;

/// Entries in as many columns as there is room for.
#[derive(Default)]
pub(crate) struct Legend {
    entries: Vec<(Sample, String)>,
}

impl Legend {
    /// Adds an entry whose sample lies between `x` and `x + SAMPLE`, around the height `y`.
    pub(crate) fn add(&mut self, name: &str, sample: impl Fn(&mut Canvas, f64, f64) + 'static) {
        self.entries.push((Box::new(sample), name.to_owned()));
    }

    /// Draws all entries below `top` and returns where they end.
    pub(crate) fn draw(&self, canvas: &mut Canvas, left: f64, top: f64, room: f64) -> f64 {
        if self.entries.is_empty() {
            return top;
        }
        let text_room = room - SAMPLE - 6.0;
        let names: Vec<_> = self
            .entries
            .iter()
            .map(|(_, name)| text::shorten(name, Font::LABEL, text_room))
            .collect();
        let widest = names.iter().map(|name| text::width(name, Font::LABEL)).fold(0.0, f64::max);
        let column = SAMPLE + 6.0 + widest + GAP;
        let columns = (((room + GAP) / column) as usize).clamp(1, self.entries.len());
        canvas.open("k-legend", "");
        for (index, ((sample, full), name)) in self.entries.iter().zip(&names).enumerate() {
            let x = left + (index % columns) as f64 * column;
            let y = top + (index / columns) as f64 * ROW + ROW / 2.0;
            sample(canvas, x, y);
            let at = (x + SAMPLE + 6.0, y + 4.0);
            if name == full {
                canvas.text(Font::LABEL, Anchor::Start, at, name);
            } else {
                canvas.open("k-tip", full);
                canvas.text(Font::LABEL, Anchor::Start, at, name);
                canvas.close();
            }
        }
        canvas.close();
        top + self.entries.len().div_ceil(columns) as f64 * ROW
    }
}
