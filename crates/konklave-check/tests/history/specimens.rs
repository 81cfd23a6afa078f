//! Checkers that cannot fail prove nothing: here they have to catch objects that are wrong.

use std::collections::BTreeMap;

use konklave_check::history::*;
use konklave_sim::random::{Random, Stream};
use konklave_specimens::objects::{self, BrokenObject, OBJECTS, Slip};

const KINDS: [Consistency; 2] = [Consistency::Sequential, Consistency::Linearizable];

fn queue(seed: u64, slip: Slip) -> History<Queue> {
    let mut random = Random::new(seed, Stream::Workload);
    objects::queue(slip, &mut |bound| random.below(bound))
}

fn stack(seed: u64, slip: Slip) -> History<Stack> {
    let mut random = Random::new(seed, Stream::Workload);
    objects::stack(slip, &mut |bound| random.below(bound))
}

fn is_violated<O: Object>(history: &History<O>, consistency: Consistency) -> bool {
    match search(history, consistency, BUDGET) {
        SearchedOrder::Explained(_) => false,
        SearchedOrder::Unexplained(_) => true,
        SearchedOrder::Undecided => panic!("too hard"),
    }
}

/// Every history of the right structure is fine, by its witness and by search.
fn is_accepted<O: Object>(make: impl Fn(u64, Slip) -> History<O>) {
    for seed in 0..200 {
        let history = make(seed, Slip::None);
        for consistency in KINDS {
            let complaint = check_witness(&history).about(consistency);
            assert_eq!(complaint, None, "seed {seed}: {history:#?}");
            assert!(!is_violated(&history, consistency), "seed {seed}: {history:#?}");
        }
    }
}

/// How many of 200 histories break the witness order, and how many operations there are in the
/// cores of those that no order explains: for each number, how often.
fn cores<O: Object>(
    make: impl Fn(u64, Slip) -> History<O>,
    slip: Slip,
    consistency: Consistency,
) -> (usize, BTreeMap<usize, usize>) {
    let mut broken = 0;
    let mut sizes = BTreeMap::new();
    for seed in 0..200 {
        let history = make(seed, slip);
        let has_complaint = check_witness(&history).about(consistency).is_some();
        broken += usize::from(has_complaint);
        if is_violated(&history, consistency) {
            assert!(has_complaint, "seed {seed}: the witness explains what nothing explains");
            let core = shrink(&history, consistency, BUDGET);
            *sizes.entry(core.len()).or_default() += 1;
        }
    }
    (broken, sizes)
}

/// The shortest are an enqueue and a dequeue after it that finds nothing; others need a second
/// element that was found while the first was not.
#[test]
fn a_get_that_overtakes_its_put_is_caught() {
    is_accepted(queue);
    let sequential = cores(queue, Slip::Overtaking, Consistency::Sequential);
    assert_eq!(sequential, (96, BTreeMap::from([(2, 35), (3, 34), (4, 8), (6, 2), (7, 1)])));
    let linearizable = cores(queue, Slip::Overtaking, Consistency::Linearizable);
    assert_eq!(linearizable, (96, BTreeMap::from([(2, 25), (3, 34)])));
}

/// The shortest are a pop and a push after it whose element it found; in real time, a push and a
/// pop after it that found nothing. Most of the histories can be explained by another order than
/// that of the anchor, because the pop waits for the push.
#[test]
fn a_position_that_is_used_again_is_caught() {
    is_accepted(stack);
    let sequential = cores(stack, Slip::Reuse, Consistency::Sequential);
    assert_eq!(sequential, (112, BTreeMap::from([(2, 36), (3, 4), (4, 3), (5, 2), (7, 1)])));
    let linearizable = cores(stack, Slip::Reuse, Consistency::Linearizable);
    assert_eq!(linearizable, (112, BTreeMap::from([(2, 5), (3, 4)])));
}

/// The first history of each object that is violated, and the size of its core.
#[test]
fn the_objects_are_found_as_their_table_says() {
    for object in &OBJECTS {
        let BrokenObject { name, of, seed, operations, .. } = *object;
        let found = (0..200).find_map(|seed| {
            let mut random = Random::new(seed, Stream::Workload);
            let text = object.history(&mut |bound| random.below(bound));
            let reports = check(&text[..], &[Consistency::Sequential], BUDGET).unwrap();
            let [report] = &reports.objects[..] else { panic!("it is about one object") };
            assert_eq!(report.object, of);
            Some((seed, report.findings[0].explanation.as_ref()?.core.len()))
        });
        assert_eq!(found, Some((seed, operations)), "{name}");
    }
}
