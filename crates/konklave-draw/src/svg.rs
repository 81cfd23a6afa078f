//! Writes the elements of a picture.

use std::fmt::{self, Arguments, Display, Write};

use crate::style;

/// A length or a place in a picture, to a tenth of a pixel.
#[derive(Clone, Copy)]
pub(crate) struct Px(pub(crate) f64);

impl Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let (sign, tenths) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
        match tenths % 10 {
            0 => write!(f, "{sign}{}", tenths / 10),
            rest => write!(f, "{sign}{}.{rest}", tenths / 10),
        }
    }
}

/// Text in which nothing is mistaken for markup. What XML cannot hold becomes U+FFFD.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' | '\t' => f.write_char(' ')?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                control if control.is_control() => f.write_char('\u{fffd}')?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// Where a text stands relative to its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The size and colour of a text.
#[derive(Clone, Copy)]
pub(crate) struct Font {
    pub(crate) size: u32,
    /// A class of the style sheet that says the colour.
    pub(crate) class: &'static str,
}

impl Font {
    pub(crate) const TITLE: Self = Self { size: 15, class: "k-ink k-b" };
    pub(crate) const LABEL: Self = Self { size: 12, class: "k-ink" };
    pub(crate) const TICK: Self = Self { size: 11, class: "k-soft" };
    pub(crate) const NOTE: Self = Self { size: 11, class: "k-soft k-i" };
    pub(crate) const ALARM: Self = Self { size: 13, class: "k-alarm k-b" };

    pub(crate) fn is_bold(self) -> bool {
        self.class.ends_with("k-b")
    }
}

/// A picture in the making.
#[derive(Default)]
pub(crate) struct Canvas {
    body: String,
}

impl Canvas {
    /// Adds markup. What comes from outside goes through [`Self::text`] or [`Self::open`] instead.
    pub(crate) fn put(&mut self, markup: Arguments<'_>) {
        self.body.write_fmt(markup).expect("a string takes any text");
        self.body.push('\n');
    }

    /// Begins a group of elements that tells `tip` to who points at it.
    pub(crate) fn open(&mut self, class: &str, tip: &str) {
        match tip {
            "" => self.put(format_args!(r#"<g class="{class}">"#)),
            _ => self.put(format_args!(r#"<g class="{class}"><title>{}</title>"#, Escaped(tip))),
        }
    }

    /// Ends a group of elements.
    pub(crate) fn close(&mut self) {
        self.put(format_args!("</g>"));
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let (x1, y1, x2, y2) = (Px(x1), Px(y1), Px(x2), Px(y2));
        self.put(format_args!(r#"<path class="{class}" d="M{x1} {y1}L{x2} {y2}"/>"#));
    }

    /// A line through several points; none if there are fewer than two.
    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() > 1 {
            self.put(format_args!(r#"<path class="{class}" d="{}"/>"#, route(points)));
        }
    }

    /// A rectangle with corners rounded by `round`.
    pub(crate) fn rect(&mut self, class: &str, area: crate::text::Area, round: f64) {
        let (x, y) = (Px(area.left), Px(area.top));
        let (width, height) = (Px(area.width()), Px(area.height()));
        let rx = if round > 0.0 { format!(r#" rx="{}""#, Px(round)) } else { String::new() };
        self.put(format_args!(
            r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}"{rx}/>"#
        ));
    }

    /// A circle.
    pub(crate) fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let (x, y, r) = (Px(x), Px(y), Px(radius));
        self.put(format_args!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}"/>"#));
    }

    /// One line of text on the base line `y`.
    pub(crate) fn text(&mut self, font: Font, anchor: Anchor, (x, y): (f64, f64), text: &str) {
        let Font { size, class } = font;
        let (x, y, text) = (Px(x), Px(y), Escaped(text));
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        self.put(format_args!(
            r#"<text class="k-s{size} {class}" x="{x}" y="{y}"{anchor}>{text}</text>"#
        ));
    }

    /// The whole picture, from (0, 0) to (`width`, `height`).
    pub(crate) fn finish(
        self,
        (width, height): (f64, f64),
        scale: f64,
        title: &str,
        desc: &str,
    ) -> String {
        let shown = (Px((scale * width).ceil()), Px((scale * height).ceil()));
        let (width, height) = (Px(width.ceil()), Px(height.ceil()));
        let (title, desc, sheet) = (Escaped(title), Escaped(desc), style::sheet());
        let root = style::ROOT;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{root}\" role=\"img\" \
             width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\">\n\
             <title>{title}</title>\n<desc>{desc}</desc>\n<style>{sheet}</style>\n\
             <rect class=\"k-bg\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            shown.0, shown.1, self.body
        )
    }
}

/// The data of a path through `points`.
pub(crate) fn route(points: &[(f64, f64)]) -> String {
    let mut data = String::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        let step = if index == 0 { 'M' } else { 'L' };
        write!(data, "{step}{} {}", Px(x), Px(y)).expect("a string takes any text");
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_one_decimal_at_most() {
        let written = [0.0, -0.04, 1.25, -1.26, 7.96, 120.0].map(|value| Px(value).to_string());
        assert_eq!(written, ["0", "0", "1.3", "-1.3", "8", "120"]);
    }

    #[test]
    fn markup_and_control_characters_are_escaped() {
        let escaped = Escaped("a<b & \"c\" 'd'>\u{1}\n").to_string();
        assert_eq!(escaped, "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt;\u{fffd} ");
    }
}
