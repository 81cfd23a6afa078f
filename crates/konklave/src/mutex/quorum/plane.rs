//! Projective planes as quorum systems: the construction of their lines.

use crate::{NodeId, NodeSet};

/// The example of 13 nodes in Maekawa's paper, here numbered from zero.
const THIRTEEN: [[u32; 4]; 13] = [
    [0, 1, 2, 3],
    [1, 4, 7, 10],
    [2, 5, 7, 12],
    [3, 5, 9, 10],
    [0, 4, 5, 6],
    [1, 5, 8, 11],
    [1, 6, 9, 12],
    [0, 7, 8, 9],
    [2, 6, 8, 10],
    [2, 4, 9, 11],
    [0, 10, 11, 12],
    [3, 6, 7, 11],
    [3, 4, 8, 12],
];

/// The lines of a plane with `points` points, if one exists; the i-th contains point i.
///
/// The smallest planes are those of the literature; the others are built from coordinates.
pub(super) fn lines(points: u32) -> Option<Vec<NodeSet>> {
    let order = points.checked_sub(1)?.isqrt();
    if order * (order + 1) + 1 != points {
        return None;
    }
    match order {
        0 => Some(shifted(&[0], points)),
        1 => Some(shifted(&[0, 1], points)),
        2 => Some(shifted(&[0, 1, 3], points)),
        3 => Some(THIRTEEN.iter().map(|line| line.map(NodeId).into_iter().collect()).collect()),
        _ => Some(from_coordinates(&Field::new(order)?)),
    }
}

/// All shifts of a perfect difference set: every difference occurs exactly once, so two shifts
/// intersect in exactly one point.
fn shifted(differences: &[u32], points: u32) -> Vec<NodeSet> {
    let line = |me| differences.iter().map(move |d| NodeId((me + d) % points)).collect();
    (0..points).map(line).collect()
}

/// The affine plane over a field, with a point at infinity for every slope and one for the
/// vertical, which together are one more line.
///
/// Each point is assigned a line through it, and no line twice. The point (x, y) gets the line of
/// slope x, which leaves out the verticals; so (x, 0) gets the vertical instead, and the line of
/// slope x through it goes to its point at infinity.
fn from_coordinates(field: &Field) -> Vec<NodeSet> {
    let q = field.order;
    let point = |x: u32, y: u32| NodeId(x * q + y);
    let at_infinity = |slope: u32| NodeId(q * q + slope);
    let vertical = at_infinity(q);
    let sloped = |slope: u32, x: u32, y: u32| -> NodeSet {
        let along =
            (0..q).map(|step| point(field.add(x, step), field.add(y, field.multiply(slope, step))));
        along.chain([at_infinity(slope)]).collect()
    };
    let upright = |x: u32| (0..q).map(|y| point(x, y)).chain([vertical]).collect();
    let mut lines = Vec::new();
    for x in 0..q {
        lines.push(upright(x));
        lines.extend((1..q).map(|y| sloped(x, x, y)));
    }
    lines.extend((0..q).map(|slope| sloped(slope, slope, 0)));
    lines.push((0..=q).map(at_infinity).collect());
    lines
}

/// The finite field of a prime power: polynomials over the integers modulo the prime, modulo one
/// more polynomial. The digits of an element to the base of the prime are its coefficients.
struct Field {
    prime: u32,
    order: u32,
    /// The powers of x, which are all elements but zero.
    powers: Vec<u32>,
    /// The exponent of each element but zero.
    logarithms: Vec<u32>,
}

impl Field {
    /// The field with `order` elements, if that is a prime power.
    fn new(order: u32) -> Option<Self> {
        let prime = (2..=order).find(|&divisor| order.is_multiple_of(divisor))?;
        let degree = order.ilog(prime);
        if prime.pow(degree) != order {
            return None;
        }
        // Modulo a primitive polynomial, the powers of x are all elements but zero. One always
        // exists; `reduced` is the remainder of the leading power.
        let reduced = (1..order).find(|&reduced| powers(prime, order, reduced).is_some())?;
        let powers = powers(prime, order, reduced)?;
        let mut logarithms = vec![0; order as usize];
        for (&power, exponent) in powers.iter().zip(0..) {
            logarithms[power as usize] = exponent;
        }
        Some(Self { prime, order, powers, logarithms })
    }

    fn add(&self, a: u32, b: u32) -> u32 {
        add(self.prime, a, b)
    }

    fn multiply(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        let exponent = self.logarithms[a as usize] + self.logarithms[b as usize];
        self.powers[(exponent % (self.order - 1)) as usize]
    }
}

/// The powers of x from 1 up, if they are all polynomials but zero.
fn powers(prime: u32, order: u32, reduced: u32) -> Option<Vec<u32>> {
    let top = order / prime;
    let times_x = |a: u32| {
        let overflow = (0..a / top).fold(0, |sum, _| add(prime, sum, reduced));
        add(prime, a % top * prime, overflow)
    };
    let mut powers = vec![1];
    let mut power = times_x(1);
    while power != 1 {
        if power == 0 || powers.len() as u32 == order {
            return None; // Not a field, or a cycle without 1.
        }
        powers.push(power);
        power = times_x(power);
    }
    (powers.len() as u32 == order - 1).then_some(powers)
}

/// Adds digit by digit, without carries.
fn add(prime: u32, a: u32, b: u32) -> u32 {
    match (a, b) {
        (0, b) => b,
        (a, 0) => a,
        _ => (a % prime + b % prime) % prime + prime * add(prime, a / prime, b / prime),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that `lines` form a plane, with point i on line i.
    fn check(lines: &[NodeSet], order: u32) {
        assert_eq!(lines.len() as u32, order * (order + 1) + 1);
        let mut lines_through = vec![0; lines.len()];
        for (line, me) in lines.iter().zip(0..) {
            assert!(line.contains(NodeId(me)), "order {order}: point {me} is on its line");
            assert_eq!(line.len(), order + 1, "order {order}: points on line {me}");
            line.iter().for_each(|point| lines_through[point.index()] += 1);
            for other in &lines[..me as usize] {
                let common = line.iter().filter(|&point| other.contains(point)).count();
                assert_eq!(common, 1, "order {order}: line {me} and an earlier one");
            }
        }
        assert!(lines_through.iter().all(|&count| count == order + 1));
    }

    #[test]
    fn planes_are_planes() {
        for order in [0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16] {
            check(&lines(order * (order + 1) + 1).unwrap(), order);
        }
    }

    #[test]
    fn coordinates_work_for_every_prime_power() {
        for order in [2, 3, 4, 5, 7, 8, 9] {
            check(&from_coordinates(&Field::new(order).unwrap()), order);
        }
    }

    #[test]
    fn there_is_a_field_for_every_prime_power_and_no_other() {
        let orders: Vec<u32> = (0..=32).filter(|&order| Field::new(order).is_some()).collect();
        assert_eq!(orders, [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]);
    }

    #[test]
    fn other_numbers_of_points_have_no_plane() {
        for points in [0, 2, 4, 5, 6, 8, 12, 14, 43, 111] {
            assert!(lines(points).is_none(), "{points} points");
        }
    }

    #[test]
    fn the_plane_of_seven_points_is_cyclic() {
        let first: NodeSet = [0, 1, 3].map(NodeId).into_iter().collect();
        assert_eq!(lines(7).unwrap()[0], first);
    }
}
