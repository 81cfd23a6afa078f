//! How things look: colours, dashes, markers and hatches, and the style sheet that every picture
//! carries. The sheet is the same in all of them and speaks of [`ROOT`] only, so that pictures in
//! one page do not disturb each other.

use std::fmt::Write;

use crate::svg::{Canvas, Px};
use crate::text::Area;

/// The class of a picture as a whole.
pub(crate) const ROOT: &str = "konklave-draw";

/// How many colours there are. A ninth series shares its colour with the first, but neither
/// its marker nor its dash.
pub(crate) const COLOURS: usize = 8;

/// Blue, vermilion, green, purple, orange, sky, grey, ink: told apart with any colour vision, by
/// lightness where not by hue.
const LIGHT: [&str; COLOURS] =
    ["#0068ad", "#cf5300", "#008b66", "#a8499c", "#d99100", "#45a7e0", "#8a8f98", "#2d3340"];
/// The same hues, bright enough for a dark ground.
const DARK: [&str; COLOURS] =
    ["#58b0f2", "#ff8f57", "#35cba0", "#e08fd5", "#f5bd4f", "#a3daf7", "#8f96a0", "#eef0f3"];

/// Ground, text, softer text, axes, grid, alarm.
const LIGHT_TONES: [&str; 6] = ["#ffffff", "#1b1f24", "#565d66", "#767d87", "#e4e7ea", "#c00020"];
const DARK_TONES: [&str; 6] = ["#14171b", "#e9ecf0", "#a9b0ba", "#868e99", "#2c3138", "#ff6b7d"];

/// How many dashes there are.
pub(crate) const DASHES: usize = 6;
/// Dashes for lines. The first is solid.
const STROKES: [&str; DASHES] = ["none", "7 3", "2 3", "9 3 2 3", "4 2 4 5", "12 4"];

/// Colour, dash, marker and hatch of the `n`th of several things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look(pub(crate) usize);

impl Look {
    pub(crate) fn colour(self) -> usize {
        self.0 % COLOURS
    }

    /// Which of the dashes, markers or hatches: all pairs with the colour come before any returns.
    fn variant(self, of: usize) -> usize {
        (self.colour() + self.0 / COLOURS) % of
    }

    /// The class of a line in this colour.
    pub(crate) fn line(self) -> String {
        format!("k-l{}", self.colour())
    }

    /// The class of a line in this colour and with a dash of its own.
    pub(crate) fn dashed(self) -> String {
        dashed(self, self.variant(DASHES))
    }

    /// The class of an area in this colour.
    pub(crate) fn fill(self) -> String {
        format!("k-f{}", self.colour())
    }

    /// The class of an area in a breath of this colour.
    pub(crate) fn tint(self) -> String {
        format!("k-t{}", self.colour())
    }

    /// The marker of this look around a point.
    pub(crate) fn marker(self, canvas: &mut Canvas, at: (f64, f64), reach: f64) {
        let class = format!("{} k-rim", self.fill());
        match self.variant(MARKERS.len() + 1) {
            0 => canvas.circle(&class, at, reach),
            shape => polygon(canvas, &class, MARKERS[shape - 1], at, reach),
        }
    }

    /// A bar in this colour, with a hatch of its own.
    pub(crate) fn block(self, canvas: &mut Canvas, area: Area) {
        canvas.rect(&self.fill(), area, 0.0);
        let strokes = hatch(self.variant(5), area);
        if !strokes.is_empty() {
            canvas.put(format_args!(r#"<path class="k-hatch" d="{strokes}"/>"#));
        }
    }
}

/// The look of the `n`th of the sorted kinds of messages, in every picture. Colours that lie far
/// apart come first, and those of what nodes are ([`HOLDS`], [`WAITS`]) last.
pub(crate) fn kind_look(n: usize) -> Look {
    const ORDER: [usize; COLOURS] = [0, 1, 3, 6, 5, 7, 2, 4];
    Look(ORDER[n % COLOURS] + n / COLOURS * COLOURS)
}

/// The look of a node that has what others want.
pub(crate) const HOLDS: Look = Look(2);
/// The look of a node that waits for it.
pub(crate) const WAITS: Look = Look(4);

/// The class of a line in the colour of a look, with the `n`th dash; the first is solid.
pub(crate) fn dashed(look: Look, n: usize) -> String {
    match n % DASHES {
        0 => look.line(),
        dash => format!("{} k-d{dash}", look.line()),
    }
}

/// The class of the `n`th dash, where a formula is drawn: never solid.
pub(crate) fn formula_dash(n: usize) -> String {
    format!("k-d{}", 1 + n % (DASHES - 1))
}

type Outline = &'static [(f64, f64)];

pub(crate) const SQUARE: Outline = &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)];
pub(crate) const UP: Outline = &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)];
pub(crate) const DIAMOND: Outline = &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)];
pub(crate) const DOWN: Outline = &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)];
pub(crate) const HEXAGON: Outline =
    &[(-1.15, 0.0), (-0.6, -1.0), (0.6, -1.0), (1.15, 0.0), (0.6, 1.0), (-0.6, 1.0)];
const PLUS: Outline = &[
    (-0.4, -1.2),
    (0.4, -1.2),
    (0.4, -0.4),
    (1.2, -0.4),
    (1.2, 0.4),
    (0.4, 0.4),
    (0.4, 1.2),
    (-0.4, 1.2),
    (-0.4, 0.4),
    (-1.2, 0.4),
    (-1.2, -0.4),
    (-0.4, -0.4),
];
const CROSS: Outline = &[
    (-1.1, -0.6),
    (-0.6, -1.1),
    (0.0, -0.5),
    (0.6, -1.1),
    (1.1, -0.6),
    (0.5, 0.0),
    (1.1, 0.6),
    (0.6, 1.1),
    (0.0, 0.5),
    (-0.6, 1.1),
    (-1.1, 0.6),
    (-0.5, 0.0),
];
const BOW: Outline =
    &[(-1.2, -1.0), (0.0, -0.25), (1.2, -1.0), (1.2, 1.0), (0.0, 0.25), (-1.2, 1.0)];
const MARKERS: [Outline; 7] = [SQUARE, UP, DIAMOND, DOWN, PLUS, CROSS, BOW];

/// A closed shape around a point.
pub(crate) fn polygon(
    canvas: &mut Canvas,
    class: &str,
    outline: &[(f64, f64)],
    (x, y): (f64, f64),
    reach: f64,
) {
    let points: Vec<_> = outline.iter().map(|&(dx, dy)| (x + dx * reach, y + dy * reach)).collect();
    canvas.put(format_args!(r#"<path class="{class}" d="{}Z"/>"#, crate::svg::route(&points)));
}

/// Strokes across an area: none, rising, falling, level or upright. Nothing sticks out, so that no
/// clipping is needed.
pub(crate) fn hatch(variant: usize, area: Area) -> String {
    const GAP: f64 = 6.0;
    let mut data = String::new();
    let mut stroke = |x1: f64, y1: f64, x2: f64, y2: f64| {
        write!(data, "M{} {}L{} {}", Px(x1), Px(y1), Px(x2), Px(y2)).expect("text");
    };
    let (width, height) = (area.width(), area.height());
    match variant {
        1 | 2 => {
            let mut sum = GAP;
            while sum < width + height && width > 2.0 && height > 2.0 {
                // The points with x + y = sum, from the left or bottom border to the top or right.
                let (a, b) = ((sum - height).max(0.0), sum.min(width));
                let (ya, yb) = (sum - a, sum - b);
                match variant {
                    1 => stroke(area.left + a, area.top + ya, area.left + b, area.top + yb),
                    _ => stroke(area.left + a, area.bottom - ya, area.left + b, area.bottom - yb),
                }
                sum += GAP * 1.4;
            }
        }
        3 => {
            let mut y = area.top + GAP / 2.0;
            while y < area.bottom {
                stroke(area.left, y, area.right, y);
                y += GAP;
            }
        }
        4 => {
            let mut x = area.left + GAP / 2.0;
            while x < area.right {
                stroke(x, area.top, x, area.bottom);
                x += GAP;
            }
        }
        _ => {}
    }
    data
}

/// The style sheet: what the two palettes have in common, the light one, and the dark one over it.
pub(crate) fn sheet() -> String {
    let mut sheet = String::new();
    sheet_of_forms(&mut |selectors, style| rule(&mut sheet, selectors, style));
    sheet_of_colours(&mut |of, style| rule(&mut sheet, of, style), &LIGHT, &LIGHT_TONES);
    sheet.push_str("@media (prefers-color-scheme:dark){\n");
    sheet_of_colours(&mut |of, style| rule(&mut sheet, of, style), &DARK, &DARK_TONES);
    sheet.push_str("}\n");
    sheet
}

/// Adds a rule for several selectors, all of which stay below [`ROOT`].
fn rule(sheet: &mut String, selectors: &str, style: &str) {
    let scoped: Vec<_> = selectors.split(',').map(|of| format!(".{ROOT} {of}")).collect();
    writeln!(sheet, "{}{{{style}}}", scoped.join(",")).expect("a string takes any text");
}

fn sheet_of_forms(rule: &mut impl FnMut(&str, &str)) {
    rule("text", "font-family:Helvetica,Arial,'DejaVu Sans',sans-serif;stroke:none");
    for size in 7..=15 {
        rule(&format!(".k-s{size}"), &format!("font-size:{size}px"));
    }
    rule(".k-b", "font-weight:bold");
    rule(".k-i", "font-style:italic");
    rule(".k-grid,.k-minor", "fill:none;stroke-width:1");
    rule(".k-axis", "fill:none;stroke-width:1.2");
    rule(".k-edge", "fill:none;stroke-width:1.2");
    rule(".k-guide", "fill:none;stroke-width:.7");
    rule(".k-thin", "stroke-width:1.2");
    rule(".k-bold", "stroke-width:2.6");
    rule(".k-rim", "stroke-width:.8");
    rule(".k-hatch", "fill:none;stroke-width:1.1;stroke-opacity:.75");
    rule(".k-halo", "stroke-width:3;paint-order:stroke;stroke-linejoin:round");
    rule(".k-faint", "stroke-width:.8;stroke-opacity:.3");
    rule(".k-open", "stroke-width:1;stroke-opacity:.6");
    for (index, dash) in STROKES.iter().enumerate().skip(1) {
        rule(&format!(".k-d{index}"), &format!("stroke-dasharray:{dash}"));
    }
    for index in 0..COLOURS {
        rule(&format!(".k-l{index}"), "fill:none;stroke-width:1.8");
        rule(&format!(".k-t{index}"), "fill-opacity:.2");
    }
    // After the colours, whose width they change.
    rule(".k-wide", "stroke-width:4.4");
    rule(".k-core", "fill:none;stroke-width:1.6");
    rule(".k-role", "fill-opacity:.35;stroke-width:2.6;stroke-linejoin:round");
    rule(".k-outline", "fill-opacity:.1;stroke-width:1.8;stroke-linejoin:round");
    rule(".k-alarm-line", "fill:none;stroke-width:2");
    rule(".k-shade", "fill-opacity:.13");
}

fn sheet_of_colours(rule: &mut impl FnMut(&str, &str), colours: &[&str], tones: &[&str; 6]) {
    let [ground, ink, soft, axis, grid, alarm] = tones;
    rule(".k-bg", &format!("fill:{ground}"));
    rule(".k-ink", &format!("fill:{ink}"));
    rule(".k-soft,.k-shade", &format!("fill:{soft}"));
    rule(".k-alarm", &format!("fill:{alarm}"));
    rule(".k-alarm-line", &format!("stroke:{alarm}"));
    rule(".k-axis,.k-edge,.k-guide", &format!("stroke:{axis}"));
    rule(".k-grid,.k-minor", &format!("stroke:{grid}"));
    rule(".k-ink-line", &format!("fill:none;stroke:{ink}"));
    rule(".k-hollow", &format!("fill:{ground};stroke:{ink}"));
    rule(".k-dead", &format!("fill:{grid}"));
    rule(".k-rim,.k-hatch,.k-halo,.k-core", &format!("stroke:{ground}"));
    for (index, colour) in colours.iter().enumerate() {
        rule(&format!(".k-l{index}"), &format!("stroke:{colour}"));
        rule(&format!(".k-f{index},.k-t{index}"), &format!("fill:{colour}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn twenty_things_look_different_even_where_they_share_a_colour() {
        for variants in [5, 6, 8] {
            let looks: BTreeSet<_> =
                (0..20).map(|n| (Look(n).colour(), Look(n).variant(variants))).collect();
            assert_eq!(looks.len(), 20, "with {variants} variants");
        }
    }

    #[test]
    fn every_rule_is_about_our_pictures_only() {
        let sheet = sheet();
        let rules: Vec<_> =
            sheet.lines().filter(|line| line.contains(":") && !line.starts_with('@')).collect();
        assert!(rules.len() > 50);
        for rule in rules {
            let (selectors, _) = rule.split_once('{').unwrap();
            for selector in selectors.split(',') {
                assert!(selector.starts_with(".konklave-draw "), "{rule}");
            }
        }
    }

    #[test]
    fn hatches_stay_inside() {
        let area = Area::new(10.0, 20.0, 50.0, 33.0);
        for variant in 0..5 {
            let data = hatch(variant, area);
            assert_eq!(data.is_empty(), variant == 0);
            for pair in data.split(['M', 'L']).filter(|pair| !pair.is_empty()) {
                let (x, y) = pair.split_once(' ').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((10.0..=50.0).contains(&x) && (20.0..=33.0).contains(&y), "{x} {y}");
            }
        }
    }
}
