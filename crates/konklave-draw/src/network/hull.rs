//! The outline of a group of nodes.

/// The corners of the smallest convex shape that holds all nodes at some distance, clockwise on the
/// screen. Circles around the nodes are replaced by polygons.
pub(super) fn outline(nodes: &[(f64, f64)], distance: f64) -> Vec<(f64, f64)> {
    const CORNERS: u32 = 16;
    let mut points: Vec<_> = nodes
        .iter()
        .flat_map(|&(x, y)| {
            (0..CORNERS).map(move |corner| {
                let angle = f64::from(corner) * 2.0 * std::f64::consts::PI / f64::from(CORNERS);
                (x + distance * libm::cos(angle), y + distance * libm::sin(angle))
            })
        })
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut lower = half(points.iter().copied());
    let mut upper = half(points.iter().rev().copied());
    lower.pop();
    upper.pop();
    lower.extend(upper);
    lower
}

/// Those of the points, from one end to the other, between which the outline turns one way only.
fn half(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for point in points {
        while let [.., a, b] = kept[..]
            && (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0) <= 0.0
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_nodes_lie_inside_the_outline() {
        let nodes = [(0.0, 0.0), (100.0, 10.0), (50.0, 80.0), (40.0, 30.0)];
        let outline = outline(&nodes, 12.0);
        for (index, &a) in outline.iter().enumerate() {
            let b = outline[(index + 1) % outline.len()];
            for node in nodes {
                let side = (b.0 - a.0) * (node.1 - a.1) - (b.1 - a.1) * (node.0 - a.0);
                assert!(side > 0.0, "{node:?} is beyond {a:?} {b:?}");
            }
        }
    }
}
