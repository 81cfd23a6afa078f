//! Where nodes lie.

use super::{force, tree};

/// How nodes are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In a circle, from the top clockwise: rings and complete graphs.
    Circle,
    /// In a line, or in several, to and fro, if they are many.
    Line,
    /// One in the middle, the others in a circle around it.
    Star {
        /// The one in the middle.
        centre: usize,
    },
    /// In rows of a given width: grids and tori.
    Grid {
        /// How many nodes there are in a row.
        width: usize,
    },
    /// In levels below a root. The tree consists of the edges of the last class, if they reach
    /// every node, or else of all edges.
    Tree {
        /// The node at the top.
        root: usize,
    },
    /// Neighbours near each other, others apart: anything else, up to some hundred nodes.
    Force,
}

/// Places of `nodes` nodes, from (0, 0) on, in pixels. Edges come in classes; each of them is a
/// pair of nodes.
pub fn places(layout: Layout, nodes: usize, classes: &[Vec<(usize, usize)>]) -> Vec<(f64, f64)> {
    let places = match layout {
        Layout::Circle => circle(nodes),
        Layout::Line => line(nodes),
        Layout::Star { centre } => star(nodes, centre),
        Layout::Grid { width } => grid(nodes, width.max(1)),
        Layout::Tree { root } => tree::places(nodes, root, classes),
        Layout::Force => force::places(nodes, &classes.concat()),
    };
    from_origin(places)
}

/// The same places, moved so that the least coordinates are zero.
fn from_origin(places: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let left = places.iter().map(|place| place.0).fold(f64::INFINITY, f64::min);
    let top = places.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
    places.into_iter().map(|(x, y)| (x - left, y - top)).collect()
}

fn circle(nodes: usize) -> Vec<(f64, f64)> {
    let turn = 2.0 * std::f64::consts::PI / nodes.max(1) as f64;
    let radius = (52.0 / turn).clamp(if nodes > 1 { 80.0 } else { 0.0 }, 400.0);
    (0..nodes)
        .map(|node| {
            let angle = node as f64 * turn;
            (radius * libm::sin(angle), -radius * libm::cos(angle))
        })
        .collect()
}

fn line(nodes: usize) -> Vec<(f64, f64)> {
    let width = if nodes > 60 { 40 } else { nodes.max(1) };
    let step = (1000.0 / width as f64).clamp(20.0, 70.0);
    (0..nodes)
        .map(|node| {
            let (row, column) = (node / width, node % width);
            let column = if row % 2 == 0 { column } else { width - 1 - column };
            (column as f64 * step, row as f64 * 40.0)
        })
        .collect()
}

fn star(nodes: usize, centre: usize) -> Vec<(f64, f64)> {
    let mut places = circle(nodes.saturating_sub(1));
    if nodes > 0 {
        places.insert(centre.min(nodes - 1), (0.0, 0.0));
    }
    places
}

fn grid(nodes: usize, width: usize) -> Vec<(f64, f64)> {
    let longer = width.max(nodes.div_ceil(width));
    let step = (900.0 / longer as f64).clamp(14.0, 70.0);
    (0..nodes).map(|n| ((n % width) as f64 * step, (n / width) as f64 * step)).collect()
}
