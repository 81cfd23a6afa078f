//! Places by forces: all nodes push each other away, edges pull their ends together, and what is
//! left of both shrinks from step to step. Only additions, products, quotients and roots are used
//! in the loop, so the places are the same everywhere.

/// The length at which pull and push are equal.
const LENGTH: f64 = 62.0;

pub(super) fn places(nodes: usize, edges: &[(usize, usize)]) -> Vec<(f64, f64)> {
    let mut places = spiral(nodes);
    let steps = (120_000_000 / (nodes * nodes).max(1)).clamp(40, 600);
    let mut reach = LENGTH * (nodes as f64).sqrt() / 4.0;
    for _ in 0..steps {
        let mut forces = pushes(&places);
        pull(&places, edges, &mut forces);
        for (place, force) in places.iter_mut().zip(&forces) {
            let size = (force.0 * force.0 + force.1 * force.1).sqrt().max(1e-9);
            let step = size.min(reach);
            place.0 += force.0 / size * step;
            place.1 += force.1 / size * step;
        }
        reach = (reach * (1.0 - 5.0 / steps as f64)).max(0.2);
    }
    fit(places)
}

/// The same picture, no larger than a page.
fn fit(places: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let most = (95.0 * (places.len() as f64).sqrt()).clamp(200.0, 860.0);
    let extent = |values: Vec<f64>| {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values.iter().fold((low, high), |e, v| (e.0.min(*v), e.1.max(*v)));
        high - low
    };
    let width = extent(places.iter().map(|place| place.0).collect());
    let height = extent(places.iter().map(|place| place.1).collect());
    let unit = (most / width.max(height)).min(1.0);
    places.into_iter().map(|(x, y)| (x * unit, y * unit)).collect()
}

/// A start without two nodes in one place, and without symmetry in which forces would cancel out.
fn spiral(nodes: usize) -> Vec<(f64, f64)> {
    (0..nodes)
        .map(|node| {
            let angle = node as f64 * 2.399_963_229_728_653;
            let radius = LENGTH * 0.7 * (node as f64 + 0.5).sqrt();
            (radius * libm::cos(angle), radius * libm::sin(angle))
        })
        .collect()
}

fn pushes(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut forces: Vec<_> = places.iter().map(|&(x, y)| (-0.02 * x, -0.02 * y)).collect();
    for a in 0..places.len() {
        for b in 0..a {
            let (dx, dy) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
            let square = (dx * dx + dy * dy).max(0.01);
            let (fx, fy) = (dx * LENGTH * LENGTH / square, dy * LENGTH * LENGTH / square);
            forces[a] = (forces[a].0 + fx, forces[a].1 + fy);
            forces[b] = (forces[b].0 - fx, forces[b].1 - fy);
        }
    }
    forces
}

fn pull(places: &[(f64, f64)], edges: &[(usize, usize)], forces: &mut [(f64, f64)]) {
    for &(a, b) in edges {
        let (dx, dy) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
        let part = (dx * dx + dy * dy).sqrt() / LENGTH;
        forces[a] = (forces[a].0 - dx * part, forces[a].1 - dy * part);
        forces[b] = (forces[b].0 + dx * part, forces[b].1 + dy * part);
    }
}
