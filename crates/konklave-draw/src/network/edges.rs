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

/// Lines between nodes of some radius at some places.
pub(super) struct Router<'a> {
    places: &'a [(f64, f64)],
    radius: f64,
    /// Pairs with a line that stands out already: another one is bent.
    taken: BTreeSet<(usize, usize)>,
}

/// A line from the rim of a node to that of another.
pub(super) struct Curve {
    ends: (usize, usize),
    from: (f64, f64),
    /// The point that pulls the curve towards it; on the straight line if it is not bent.
    control: (f64, f64),
    to: (f64, f64),
    is_bent: bool,
}

impl<'a> Router<'a> {
    pub(super) fn new(places: &'a [(f64, f64)], radius: f64) -> Self {
        Self { places, radius, taken: BTreeSet::new() }
    }

    /// The lines of the `n`th class, after those of the classes before it.
    pub(super) fn route(&mut self, n: usize, class: &Class) -> Vec<Curve> {
        let given: BTreeSet<_> = class.pairs.iter().copied().collect();
        let mut curves = Vec::new();
        for &(a, b) in class.pairs.iter().filter(|(a, b)| a != b) {
            let is_double = class.is_directed && given.contains(&(b, a));
            let is_taken = n > 0 && self.taken.contains(&(a.min(b), a.max(b)));
            let is_bent = is_double || is_taken || self.is_blocked(a, b);
            curves.push(self.curve(a, b, is_bent));
        }
        if n > 0 {
            self.taken.extend(class.pairs.iter().map(|&(a, b)| (a.min(b), a.max(b))));
        }
        curves
    }

    /// Whether a straight line would pass through a third node; through several of them where there
    /// are many, because then it is rather a row of nodes than chance.
    fn is_blocked(&self, a: usize, b: usize) -> bool {
        let (from, to) = (self.places[a], self.places[b]);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let square = (dx * dx + dy * dy).max(1e-9);
        let hits = |(node, place): &(usize, &(f64, f64))| {
            let node = *node;
            let part = ((place.0 - from.0) * dx + (place.1 - from.1) * dy) / square;
            let (x, y) = (from.0 + part * dx - place.0, from.1 + part * dy - place.1);
            node != a
                && node != b
                && (0.0..=1.0).contains(&part)
                && (x * x + y * y).sqrt() < self.radius + 1.0
        };
        let enough = if self.places.len() <= 60 { 1 } else { 2 };
        self.places.iter().enumerate().filter(hits).take(enough).count() == enough
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
        Curve { ends: (a, b), from: rim(from), control, to: rim(to), is_bent }
    }
}

/// Draws the lines of the `n`th class, faintly if they are not to be followed.
pub(super) fn draw(
    canvas: &mut Canvas,
    (n, is_faint): (usize, bool),
    class: &Class,
    curves: &[Curve],
    labels: &[String],
    radius: f64,
) {
    let line = format!("{}{}", line_class(n), if is_faint { " k-faint" } else { "" });
    if curves.len() > FEW {
        let data: String = curves.iter().map(Curve::data).collect();
        canvas.open("k-link", &format!("{}: {} edges", class.name, curves.len()));
        canvas.put(format_args!(r#"<path class="{line}" d="{data}"/>"#));
        return canvas.close();
    }
    for curve in curves {
        let (a, b) = (&labels[curve.ends.0], &labels[curve.ends.1]);
        let joins = if class.is_directed { "to" } else { "and" };
        canvas.open("k-link", &format!("{}: {a} {joins} {b}", class.name));
        canvas.put(format_args!(r#"<path class="{line}" d="{}"/>"#, curve.data()));
        if class.is_directed {
            draw_head(canvas, n, curve, (radius * 0.8).clamp(3.5, 9.0));
        }
        canvas.close();
    }
}

impl Curve {
    /// The point where the curve is farthest from the straight line.
    fn middle(&self) -> (f64, f64) {
        let ((x1, y1), (cx, cy), (x2, y2)) = (self.from, self.control, self.to);
        ((x1 + 2.0 * cx + x2) / 4.0, (y1 + 2.0 * cy + y2) / 4.0)
    }

    /// The points that the picture must have room for.
    pub(super) fn points(&self) -> [(f64, f64); 3] {
        [self.from, self.middle(), self.to]
    }

    /// The curve as straight lines, near enough.
    pub(super) fn lines(&self) -> [Line; 2] {
        [(self.from, self.middle()), (self.middle(), self.to)]
    }

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
        draw_head(canvas, n, &Curve { ends: (0, 0), from, control, to, is_bent: false }, 8.0);
    }
}
