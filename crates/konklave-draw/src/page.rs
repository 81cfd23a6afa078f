//! What all pictures have in common: a title above, a legend and notes below.

use crate::legend::Legend;
use crate::svg::{Anchor, Canvas, Font};
use crate::text;

/// The empty border of a picture.
pub(crate) const MARGIN: f64 = 14.0;

/// A picture with a title, growing downwards.
pub(crate) struct Page {
    pub(crate) canvas: Canvas,
    pub(crate) width: f64,
    /// Where the next thing can begin.
    pub(crate) y: f64,
    title: String,
    /// The width at which it is shown, if it is not its own.
    shown: Option<f64>,
}

impl Page {
    /// An empty picture that bears its title.
    pub(crate) fn new(title: &str, width: f64) -> Self {
        let mut page = Self {
            canvas: Canvas::default(),
            width,
            y: MARGIN,
            title: title.to_owned(),
            shown: None,
        };
        page.lines(title, Font::TITLE);
        page
    }

    /// Scales the picture down to this width, if it is wider.
    pub(crate) fn at_most(mut self, width: f64) -> Self {
        self.shown = Some(width).filter(|width| *width < self.width);
        self
    }

    /// Adds wrapped text.
    pub(crate) fn lines(&mut self, text: &str, font: Font) {
        let size = f64::from(font.size);
        for line in text::wrap(text, font, self.room()) {
            self.canvas.text(font, Anchor::Start, (MARGIN, self.y + size), &line);
            self.y += size * 1.35;
        }
    }

    /// The width between the borders.
    pub(crate) fn room(&self) -> f64 {
        self.width - 2.0 * MARGIN
    }

    /// Adds the legend and the notes, and ends the picture. `desc` says what is to be seen.
    pub(crate) fn finish(mut self, legend: &Legend, notes: &[String], desc: &str) -> String {
        let room = self.room();
        self.y = legend.draw(&mut self.canvas, MARGIN, self.y + 6.0, room);
        if !notes.is_empty() {
            self.y += 6.0;
        }
        for note in notes {
            self.lines(note, Font::NOTE);
        }
        let title = if self.title.is_empty() { "Picture" } else { &self.title };
        let size = (self.width, self.y + MARGIN);
        let scale = self.shown.map_or(1.0, |shown| shown / self.width);
        self.canvas.finish(size, scale, title, desc)
    }
}
