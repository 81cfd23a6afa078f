//! The lines between nodes.

use std::collections::BTreeSet;

use crate::places::Line;
use crate::style::{Look, formula_dash};
use crate::svg::{Canvas, Px, route};

/// Edges of one kind.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) name: String,
    pub(super) is_directed: bool,
    pub(super) pairs: Vec<(usize, usize)>,
}

/// More edges of one class than this are one path, without tips.
const FEW: usize = 400;
/// More edges than this are not drawn.
pub(super) const MANY: usize = 20_000;

/// The class of the `n`th kind of edges. The first is thin and grey: a ground for the others.
pub(super) fn line_class(n: usize) -> String {
    match n {
        0 => "k-edge".to_owned(),
        1 => format!("{} k-bold", Look(0).line()),
        _ => format!("{} k-bold {}", Look(n - 1).line(), formula_dash(n - 2)),
    }
}

fn head_class(n: usize) -> String {
    if n == 0 { "k-soft".to_owned() } else { Look(n - 1).fill() }
}

/// Draws edges between nodes of some radius at some places.
pub(super) struct Painter<'a> {
    pub(super) places: &'a [(f64, f64)],
    pub(super) radius: f64,
    /// Pairs with a line that stands out already: another one is bent.
    taken: BTreeSet<(usize, usize)>,
}

/// A line from rim to rim, bent by some distance to the left.
struct Curve {
    from: (f64, f64),
    control: (f64, f64),
    to: (f64, f64),
    is_bent: bool,
}

impl<'a> Painter<'a> {
    pub(super) fn new(places: &'a [(f64, f64)], radius: f64) -> Self {
        Self { places, radius, taken: BTreeSet::new() }
    }

    /// Draws the edges of the `n`th class, and returns the lines that labels should keep off.
    pub(super) fn draw(&mut self, canvas: &mut Canvas, n: usize, class: &Class) -> Vec<Line> {
        let given: BTreeSet<_> = class.pairs.iter().copied().collect();
        let is_few = class.pairs.len() <= FEW;
        let mut lines = Vec::new();
        let mut all = String::new();
        for &(a, b) in class.pairs.iter().filter(|(a, b)| a != b) {
            let is_double = class.is_directed && given.contains(&(b, a));
            let pair = (a.min(b), a.max(b));
            let is_taken = n > 0 && self.taken.contains(&pair);
            let is_bent = is_double || is_taken || (is_few && self.is_blocked(a, b));
            let curve = self.curve(a, b, is_bent);
            lines.push((curve.from, curve.control));
            lines.push((curve.control, curve.to));
            if is_few {
                let arrow = if class.is_directed { "to" } else { "and" };
                canvas.open("k-link", &format!("{}: {a} {arrow} {b}", class.name));
                canvas.put(format_args!(
                    r#"<path class="{}" d="{}"/>"#,
                    line_class(n),
                    curve.data()
                ));
                if class.is_directed {
                    draw_head(canvas, n, &curve, self.head());
                }
                canvas.close();
            } else {
                all.push_str(&curve.data());
            }
        }
        if n > 0 {
            self.taken.extend(class.pairs.iter().map(|&(a, b)| (a.min(b), a.max(b))));
        }
        if !is_few {
            let name = &class.name;
            canvas.open("k-link", &format!("{name}: {} edges", class.pairs.len()));
            canvas.put(format_args!(r#"<path class="{}" d="{all}"/>"#, line_class(n)));
            canvas.close();
        }
        lines
    }

    fn head(&self) -> f64 {
        (self.radius * 0.8).clamp(3.5, 9.0)
    }

    /// Whether a straight line would pass through a third node.
    fn is_blocked(&self, a: usize, b: usize) -> bool {
        let (from, to) = (self.places[a], self.places[b]);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let square = (dx * dx + dy * dy).max(1e-9);
        self.places.iter().enumerate().any(|(node, place)| {
            let part = ((place.0 - from.0) * dx + (place.1 - from.1) * dy) / square;
            let (x, y) = (from.0 + part * dx - place.0, from.1 + part * dy - place.1);
            node != a
                && node != b
                && (0.0..=1.0).contains(&part)
                && (x * x + y * y).sqrt() < self.radius + 1.0
        })
    }

    fn curve(&self, a: usize, b: usize, is_bent: bool) -> Curve {
        let (from, to) = (self.places[a], self.places[b]);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = (dx * dx + dy * dy).sqrt().max(1e-9);
        let bend = if is_bent { (length * 0.22).max(2.0 * self.radius) } else { 0.0 };
        let control = (
            (from.0 + to.0) / 2.0 + bend * dy / length,
            (from.1 + to.1) / 2.0 - bend * dx / length,
        );
        let rim = |(x, y): (f64, f64)| {
            let (dx, dy) = (control.0 - x, control.1 - y);
            let length = (dx * dx + dy * dy).sqrt().max(1e-9);
            let part = (self.radius + 1.5).min(length) / length;
            (x + dx * part, y + dy * part)
        };
        Curve { from: rim(from), control, to: rim(to), is_bent }
    }
}

impl Curve {
    fn data(&self) -> String {
        if !self.is_bent {
            return route(&[self.from, self.to]);
        }
        let ((x1, y1), (cx, cy), (x2, y2)) = (self.from, self.control, self.to);
        format!("M{} {}Q{} {} {} {}", Px(x1), Px(y1), Px(cx), Px(cy), Px(x2), Px(y2))
    }
}

fn draw_head(canvas: &mut Canvas, n: usize, curve: &Curve, size: f64) {
    let ((cx, cy), (x, y)) = (curve.control, curve.to);
    let (dx, dy) = (x - cx, y - cy);
    let length = (dx * dx + dy * dy).sqrt().max(1e-9);
    let (dx, dy) = (dx / length * size, dy / length * size);
    let (back_x, back_y) = (x - dx, y - dy);
    let wings = [
        (back_x - dy * 0.45, back_y + dx * 0.45),
        (x, y),
        (back_x + dy * 0.45, back_y - dx * 0.45),
    ];
    canvas.put(format_args!(r#"<path class="{}" d="{}Z"/>"#, head_class(n), route(&wings)));
}

/// A sample of the `n`th class for the legend.
pub(super) fn draw_sample(
    canvas: &mut Canvas,
    n: usize,
    is_directed: bool,
    from: (f64, f64),
    to: (f64, f64),
) {
    let control = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
    canvas.line(&line_class(n), from, to);
    if is_directed {
        draw_head(canvas, n, &Curve { from, control, to, is_bent: false }, 8.0);
    }
}
