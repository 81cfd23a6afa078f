use super::*;
use crate::batched::system::System;
use crate::batched::{Op, Service};
use crate::circle::Salt;
use crate::object::StackOp::{Pop, Push};
use crate::object::{Answer, Object, Stack, StackOp};

/// A tree of processes that ask once, drawn at random.
struct Asked {
    ops: Vec<StackOp>,
    below: Vec<Self>,
}

fn draw(mixer: Mixer, drawn: &mut u64, depth: u32) -> Asked {
    let mut number = |bound: u64| {
        *drawn += 1;
        mixer.mix(*drawn, Salt(1000)) % bound
    };
    let count = number(5);
    let ops = (0..count).map(|_| if number(2) == 0 { Push(number(u64::MAX)) } else { Pop });
    let ops = ops.collect();
    let children = if depth == 0 { 0 } else { number(3) };
    Asked { ops, below: (0..children).map(|_| draw(mixer, drawn, depth - 1)).collect() }
}

fn batch<S: Service<Object = Stack>>(asked: &Asked) -> S::Batch {
    let mut all = S::build(asked.ops.iter().copied());
    asked.below.iter().for_each(|below| S::combine(&mut all, &batch::<S>(below)));
    all
}

/// All operations of a tree with their witnesses and keys, in the order of the tree.
fn place<S: Service<Object = Stack>>(
    asked: &Asked,
    assignment: S::Assignment,
) -> Vec<(u64, Op<S>, Option<S::Key>)> {
    let own = S::build(asked.ops.iter().copied());
    let below: Vec<_> = asked.below.iter().map(batch::<S>).collect();
    let parts: Vec<_> = std::iter::once(&own).chain(&below).collect();
    let mut split = S::split(assignment, &parts).into_iter();
    let places = S::start(split.next().expect("its own"), asked.ops.iter().copied());
    let mut all: Vec<_> =
        (asked.ops.iter().zip(places)).map(|(op, place)| (place.witness, *op, place.key)).collect();
    assert!(all.is_sorted_by(|one, next| one.0 < next.0), "the program order");
    all.extend(asked.below.iter().zip(split).flat_map(|(below, it)| place::<S>(below, it)));
    all
}

/// Waves of random trees, carried out in the order of witnesses by a stack and by a dictionary.
fn agree<S: Service<Object = Stack>>() {
    for seed in 0..200 {
        let mixer = Mixer::new(seed);
        let (mut anchor, mut stack, mut done, mut drawn) = (S::default(), Stack::default(), 0, 0);
        let mut stored: Vec<(S::Key, u64)> = Vec::new();
        for _ in 0..8 {
            let asked = draw(mixer, &mut drawn, 3);
            let assignment = anchor.assign(&batch::<S>(&asked));
            let mut all = place::<S>(&asked, assignment);
            all.sort_by_key(|it| it.0);
            for (_, op, key) in &all {
                if let (Push(id), Some(key)) = (*op, *key) {
                    assert!(stored.iter().all(|(other, _)| *other != key), "{key:?} twice");
                    stored.push((key, id));
                }
            }
            for (witness, op, key) in all {
                assert_eq!(witness, done, "seed {seed}: witnesses are dense");
                done += 1;
                let answer: Answer = key.filter(|_| op == Pop).map(|key| {
                    let is_sought = |(other, _): &&(S::Key, u64)| S::sought(key).contains(other);
                    let found = *stored.iter().filter(is_sought).max().expect("it is stored");
                    stored.retain(|it| *it != found);
                    found.1
                });
                assert_eq!(stack.apply(op), answer, "seed {seed}: operation {witness}");
            }
            assert_eq!(stack.size(), stored.len());
        }
    }
}

#[test]
fn waves_of_random_trees_are_a_stack() {
    agree::<Alternating<Intervals>>();
    agree::<Alternating<Rounds>>();
    agree::<Matched<Intervals>>();
    agree::<Matched<Rounds>>();
}

#[test]
fn random_schedules_are_linearizable() {
    System::<Alternating<Intervals>>::check_at_random(Push, Pop);
    System::<Alternating<Rounds>>::check_at_random(Push, Pop);
    System::<Matched<Intervals>>::check_at_random(Push, Pop);
    System::<Matched<Rounds>>::check_at_random(Push, Pop);
}

/// Of k runs: the anchor itself asserts that it is never more, and here it is as much.
#[test]
fn three_halves_of_the_runs_are_segments_in_the_worst_case() {
    let mut anchor = Alternating::<Rounds>::default();
    anchor.assign(&vec![2]);
    // A pop takes the new segment and a part of the old one: three segments of two runs.
    anchor.assign(&vec![1, 2]);
    assert_eq!(anchor.segments_max(), 3);
    anchor.assign(&vec![9]);
    anchor.assign(&vec![1, 2, 1, 2, 1, 2]);
    assert_eq!(anchor.segments_max(), 9);
}

#[test]
fn what_is_matched_does_not_reach_the_anchor() {
    let ops = [Pop, Push(1), Push(2), Pop, Push(3), Pop, Pop, Pop, Push(4)];
    let word = Matched::<Intervals>::build(ops.into_iter());
    assert_eq!(format!("{word:?}"), "Word { pops: 2, pushes: 1, pairs: 3 }");
    let mut anchor = Matched::<Intervals>::default();
    let assignment = anchor.assign(&word);
    assert_eq!((anchor.matched(), anchor.anchor().held(), anchor.segments_max()), (6, 1, 1));
    let places = Matched::<Intervals>::start(assignment, ops.into_iter());
    let keys: Vec<_> = places.iter().map(|place| place.key).collect();
    // The stack was empty. Pairs meet at positions 2, 3 and 4; the last push is below them.
    assert_eq!(keys, [None, Some(4), Some(2), Some(2), Some(3), Some(3), Some(4), None, Some(1)]);
}

/// A push and a pop of each of two processes, in many schedules: pairs of one wave are still on
/// their way in the next.
#[test]
fn what_is_matched_in_rounds_is_not_taken_by_others() {
    for seed in 0..3000 {
        let mut system = System::<Matched<Rounds>>::new(2, seed);
        let mut ops = [vec![Pop, Push(1)], vec![Pop, Push(2)]];
        while !system.mail.is_empty() || ops.iter().any(|ops| !ops.is_empty()) {
            let node = system.below(2);
            let is_asked = system.mail.is_empty() || system.below(4) == 0;
            match ops[node].last().copied().filter(|_| is_asked) {
                Some(op) => {
                    ops[node].pop();
                    system.invoke(node as u32, op);
                }
                None if system.mail.is_empty() => {}
                None => system.deliver(),
            }
        }
        system.settle();
    }
}
