//! The axes of a chart, with their grid and labels.

use crate::page::{MARGIN, Page};
use crate::scale::Scale;
use crate::svg::{Anchor, Font};
use crate::text::{self, Area};

/// The width of every chart.
pub(super) const WIDTH: f64 = 720.0;

/// Two axes, and the area between them.
pub(super) struct Frame {
    pub(super) area: Area,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

impl Frame {
    /// Draws axes around an area of the given height, within a part of the page's width from `left`
    /// to `right`, and moves the page on below it. An inset keeps points off the axes; an axis that
    /// begins at zero has none.
    pub(super) fn new(
        page: &mut Page,
        (left, right): (f64, f64),
        height: f64,
        (x, x_label): (Scale, &str),
        (y, y_label): (Scale, &str),
        inset: f64,
    ) -> Self {
        let widths = y.ticks.iter().filter_map(|tick| tick.label.as_ref());
        let widest = widths.map(|label| text::width(label, Font::TICK)).fold(0.0, f64::max);
        let top = page.y + if y_label.is_empty() { 8.0 } else { 26.0 };
        let area = Area::new(left + widest + 10.0, top, right - 12.0, top + height);
        if !y_label.is_empty() {
            let label = text::shorten(y_label, Font::LABEL, right - left);
            page.canvas.text(Font::LABEL, Anchor::Start, (left, top - 11.0), &label);
        }
        let inset_of = |scale: &Scale| if scale.begins_at_zero() { 0.0 } else { inset };
        let (x_inset, y_inset) = (inset_of(&x), inset_of(&y));
        let x = x.between(area.left + x_inset, area.right - inset);
        let y = y.between(area.bottom - y_inset, area.top);
        draw_y_axis(page, &y, area);
        draw_x_axis(page, &x, area, x_label);
        page.canvas.line("k-axis", (area.left, area.top), (area.left, area.bottom));
        Self { area, x, y }
    }

    /// Where a pair of values lies.
    pub(super) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x.place(x), self.y.place(y))
    }
}

/// Level grid lines with labels to the left of the area.
fn draw_y_axis(page: &mut Page, scale: &Scale, area: Area) {
    let mut last_label = f64::INFINITY;
    for tick in &scale.ticks {
        let y = scale.place(tick.value);
        let from = if tick.label.is_some() { area.left } else { area.left - 3.0 };
        let (class, to) = match tick.label {
            Some(_) => ("k-grid", area.right),
            None => ("k-axis", area.left),
        };
        page.canvas.line(class, (from, y), (to, y));
        if let Some(label) = &tick.label
            && last_label - y >= 13.0
        {
            page.canvas.text(Font::TICK, Anchor::End, (area.left - 6.0, y + 4.0), label);
            last_label = y;
        }
    }
}

/// Upright grid lines with labels below the area; moves the page on.
pub(super) fn draw_x_axis(page: &mut Page, scale: &Scale, area: Area, label: &str) {
    let mut free_from = MARGIN / 2.0;
    for tick in &scale.ticks {
        let x = scale.place(tick.value);
        match tick.label {
            Some(_) => page.canvas.line("k-grid", (x, area.top), (x, area.bottom)),
            None => page.canvas.line("k-axis", (x, area.bottom), (x, area.bottom + 3.0)),
        }
        let Some(label) = &tick.label else { continue };
        let box_of = Area::of_text(label, Font::TICK, Anchor::Middle, (x, area.bottom + 15.0));
        if box_of.left >= free_from {
            page.canvas.text(Font::TICK, Anchor::Middle, (x, area.bottom + 15.0), label);
            free_from = box_of.right + 6.0;
        }
    }
    page.canvas.line("k-axis", (area.left, area.bottom), (area.right, area.bottom));
    page.y = area.bottom + 20.0;
    if !label.is_empty() {
        let middle = (area.left + area.right) / 2.0;
        let label = text::shorten(label, Font::LABEL, area.width());
        page.canvas.text(Font::LABEL, Anchor::Middle, (middle, page.y + 13.0), &label);
        page.y += 20.0;
    }
}

/// Names to the left of bars, as wide as they need but leaving most of the width to the bars.
/// Returns them, shortened, and where the bars begin.
pub(super) fn row_names<'a>(names: impl Iterator<Item = &'a str>) -> (Vec<String>, f64) {
    let room = WIDTH * 0.36;
    let names: Vec<_> = names.map(|name| text::shorten(name, Font::LABEL, room)).collect();
    let widest = names.iter().map(|name| text::width(name, Font::LABEL)).fold(0.0, f64::max);
    (names, MARGIN + widest + 10.0)
}

/// Writes the name of a bar, in full for who points at it.
pub(super) fn draw_row_name(page: &mut Page, shown: &str, full: &str, right: f64, middle: f64) {
    page.canvas.open("k-row", full);
    page.canvas.text(Font::LABEL, Anchor::End, (right - 8.0, middle + 4.0), shown);
    page.canvas.close();
}
