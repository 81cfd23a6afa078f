//! How much room text takes, by estimate: there is no font to ask. The widths are those of a wide
//! sans serif, so that what fits here fits with most fonts.

use crate::svg::{Anchor, Font};

/// A rectangle of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn new(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self { left, top, right, bottom }
    }

    /// The square around a point.
    pub(crate) fn around((x, y): (f64, f64), reach: f64) -> Self {
        Self::new(x - reach, y - reach, x + reach, y + reach)
    }

    /// What a line of text covers.
    pub(crate) fn of_text(text: &str, font: Font, anchor: Anchor, (x, y): (f64, f64)) -> Self {
        let (width, size) = (width(text, font), f64::from(font.size));
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        Self::new(left, y - 0.8 * size, left + width, y + 0.25 * size)
    }

    pub(crate) fn width(self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(self) -> f64 {
        self.bottom - self.top
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether a straight line touches the rectangle: it is clipped by one border after the other.
    pub(crate) fn is_crossed_by(self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> bool {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let borders = [
            (x2 - x1, self.left - x1, self.right - x1),
            (y2 - y1, self.top - y1, self.bottom - y1),
        ];
        for (step, low, high) in borders {
            if step == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return false;
                }
                continue;
            }
            let (first, second) = (low / step, high / step);
            enter = enter.max(first.min(second));
            leave = leave.min(first.max(second));
        }
        enter <= leave
    }
}

/// The width of a line of text.
pub(crate) fn width(text: &str, font: Font) -> f64 {
    let bold = if font.is_bold() { 1.12 } else { 1.0 };
    text.chars().map(em).sum::<f64>() * f64::from(font.size) * bold
}

/// The width of a character, as a part of the font's size.
fn em(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 'I' | '|' | '\'' => 0.3,
        ' ' | '.' | ',' | ':' | ';' | '/' | '!' => 0.34,
        't' | 'f' | 'r' | '-' | '(' | ')' | '[' | ']' => 0.42,
        'm' | 'w' | 'M' | '%' | '@' | '…' => 1.0,
        'W' => 1.02,
        '+' | '=' | '<' | '>' | '~' | 'O' | 'Q' | 'G' | 'D' | 'H' | 'N' | 'U' | '→' => 0.84,
        'A'..='Z' => 0.7,
        'a'..='z' | '0'..='9' => 0.64,
        ascii if ascii.is_ascii() => 0.64,
        wide if wide >= '\u{1100}' => 1.05,
        _ => 0.75,
    }
}

/// `text`, without some of its middle if it would be wider than `room`: names that begin alike
/// often end differently.
pub(crate) fn shorten(text: &str, font: Font, room: f64) -> String {
    if width(text, font) <= room {
        return text.to_owned();
    }
    let characters: Vec<_> = text.chars().collect();
    let mut short = String::from("…");
    for kept in 1..characters.len() {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let head: String = characters[..head].iter().collect();
        let tail: String = characters[characters.len() - tail..].iter().collect();
        let longer = format!("{head}…{tail}");
        if width(&longer, font) > room {
            break;
        }
        short = longer;
    }
    short
}

/// The note about nodes whose labels are not in a picture.
pub(crate) fn without_label(nodes: usize) -> String {
    let have = if nodes == 1 { "1 node has".to_owned() } else { format!("{nodes} nodes have") };
    format!("{have} no room for a label: hover to see it.")
}

/// `text` in lines no wider than `room`. A word that is wider than a line is shortened.
pub(crate) fn wrap(text: &str, font: Font, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut()
            && width(line, font) + width(" ", font) + width(word, font) <= room
        {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(shorten(word, font, room));
        }
    }
    lines
}

/// A number for people: three digits and a unit, such as `12.3k`.
pub(crate) fn short_number(value: f64) -> String {
    let size = value.abs();
    let (unit, name) = match size {
        _ if size >= 999.5e12 || (size > 0.0 && size < 0.000_999_5) => {
            return scientific(value, 1);
        }
        _ if size >= 999.5e9 => (1e12, "T"),
        _ if size >= 999.5e6 => (1e9, "G"),
        _ if size >= 999.5e3 => (1e6, "M"),
        _ if size >= 999.5 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let value = value / unit;
    let decimals = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        _ => 3,
    };
    format!("{}{name}", trim(format!("{value:.decimals$}")))
}

/// A number as a power of ten times a digit and up to some decimals, such as `2.5e18`.
pub(crate) fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => format!("{}e{exponent}", trim(digits.to_owned())),
        None => text,
    }
}

/// Without the zeros at the end of a fraction.
pub(crate) fn trim(number: String) -> String {
    if !number.contains('.') {
        return number;
    }
    let short = number.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let values = [0.0, 0.5, 0.125, 7.0, 12.34, 999.6, 1234.0, 12345.0, 1e6, 2.5e10, 3e18, 1e-5];
        let expected =
            ["0", "0.5", "0.125", "7", "12.3", "1k", "1.23k", "12.3k", "1M", "25G", "3e18", "1e-5"];
        assert_eq!(values.map(short_number), expected);
        assert_eq!(short_number(-1500.0), "-1.5k");
    }

    #[test]
    fn wrapped_lines_hold_all_words_and_fit() {
        let text = "nodes 1 and 2 are inside together, which mutual exclusion forbids";
        let lines = wrap(text, Font::LABEL, 150.0);
        assert!(lines.len() > 2);
        assert!(lines.iter().all(|line| width(line, Font::LABEL) <= 150.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
    }

    #[test]
    fn a_number_of_nodes_is_not_taken_for_the_name_of_one() {
        assert_eq!(without_label(1), "1 node has no room for a label: hover to see it.");
        assert!(without_label(7).starts_with("7 nodes have"));
    }

    #[test]
    fn a_shortened_text_fits() {
        let name = "chang-roberts-bidirectional";
        assert_eq!(shorten(name, Font::LABEL, 400.0), name);
        let short = shorten(name, Font::LABEL, 80.0);
        assert!(short.starts_with("chan") && short.ends_with("onal"), "{short}");
        assert!(short.contains('…') && width(&short, Font::LABEL) <= 80.0, "{short}");
    }

    #[test]
    fn a_line_crosses_the_area_or_does_not() {
        let area = Area::new(10.0, 10.0, 20.0, 20.0);
        assert!(area.is_crossed_by((0.0, 0.0), (30.0, 30.0)));
        assert!(area.is_crossed_by((15.0, 12.0), (16.0, 13.0)), "it lies inside");
        assert!(area.is_crossed_by((15.0, 0.0), (15.0, 30.0)), "it is vertical");
        assert!(!area.is_crossed_by((0.0, 0.0), (9.0, 30.0)));
        assert!(!area.is_crossed_by((0.0, 15.0), (5.0, 15.0)), "it ends before");
    }
}
