use super::*;
use crate::batched::Service;
use crate::batched::system::System;
use crate::object::HeapOp::{self, DeleteMin, Insert};

fn insert(id: u64) -> HeapOp {
    Insert { id, priority: 1 + id * 7 % 5 }
}

fn priority(priority: u64) -> HeapOp {
    Insert { id: 0, priority }
}

/// Three priorities, and two pairs.
#[test]
fn deletions_take_the_smallest_priorities_first() {
    let ops = [
        priority(1),
        priority(3),
        priority(3),
        DeleteMin,
        DeleteMin,
        priority(2),
        priority(1),
        DeleteMin,
        DeleteMin,
        DeleteMin,
        DeleteMin,
    ];
    let mut anchor = Priorities::default();
    let batch = Priorities::build(ops.into_iter());
    assert_eq!(batch.len(), 2);
    let places = Priorities::start(anchor.assign(&batch), ops.into_iter());
    let found: Vec<_> =
        places.iter().map(|it| it.key.map(|it| (it.priority, it.position))).collect();
    let expected = [
        Some((1, 0)),
        Some((3, 0)),
        Some((3, 1)),
        Some((1, 0)),
        Some((3, 0)),
        Some((2, 0)),
        Some((1, 1)),
        Some((1, 1)),
        Some((2, 0)),
        Some((3, 1)),
        None,
    ];
    assert_eq!(found, expected);
    assert!(places.iter().map(|it| it.witness).eq(0..11));
    assert_eq!((anchor.held(), anchor.priorities()), (0, 3));
}

#[test]
fn each_part_gets_its_own() {
    let (one, two) = ([priority(2), priority(1), DeleteMin], [priority(2), DeleteMin, DeleteMin]);
    let [own, below] = [one, two].map(|ops| Priorities::build(ops.into_iter()));
    let mut batch = own.clone();
    Priorities::combine(&mut batch, &below);
    let assignment = Priorities::default().assign(&batch);
    let parts = Priorities::split(assignment, &[&own, &below]);
    let places: Vec<_> = (parts.into_iter().zip([one, two]))
        .map(|(part, ops)| Priorities::start(part, ops.into_iter()))
        .collect();
    let keys = |part: usize| {
        let shown =
            places[part].iter().map(|it| (it.key.map(|it| (it.priority, it.position)), it.witness));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(keys(0), [(Some((2, 0)), 0), (Some((1, 0)), 1), (Some((1, 0)), 3)]);
    assert_eq!(keys(1), [(Some((2, 1)), 2), (Some((2, 0)), 4), (Some((2, 1)), 5)]);
}

#[test]
fn random_schedules_are_linearizable() {
    System::<Priorities>::check_at_random(insert, DeleteMin);
}
