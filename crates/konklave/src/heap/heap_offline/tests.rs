use super::*;
use crate::heap::Monitor;
use crate::heap::system::System;
use crate::object::Places;

fn system(processes: u32, seed: u64) -> System<HeapOffline> {
    let mixer = Mixer::new(seed);
    let network = Ldb::hashed(mixer, NodeId::all(processes));
    let nodes = network.into_iter().map(|ldb| HeapOffline::new(ldb, mixer)).collect();
    System::new(nodes, Monitor::new(Places::OfAll), seed)
}

fn anchor(system: &System<HeapOffline>) -> &Anchor {
    system.nodes.iter().find_map(HeapOffline::anchor).unwrap()
}

fn held(system: &System<HeapOffline>) -> usize {
    assert_eq!(system.broken, []);
    assert!(system.nodes.iter().all(|node| node.store.is_tidy()), "all buckets are empty");
    system.nodes.iter().map(|node| node.store.elements().len()).sum()
}

#[test]
fn runs_keep_the_program_order() {
    let insert = HeapOp::Insert { id: 1, priority: 1 };
    let ops = [HeapOp::DeleteMin, insert, insert, HeapOp::DeleteMin, insert];
    let runs = ops.iter().scan(0, |at, op| {
        *at = run_of(*at, *op);
        Some(*at)
    });
    assert_eq!(runs.collect::<Vec<_>>(), [1, 2, 2, 3, 4]);
}

#[test]
fn a_process_alone_needs_no_messages_and_an_idle_heap_rests() {
    let mut alone = system(1, 3);
    alone.delete(0);
    for priority in [5, 3, 9, 3] {
        alone.insert(0, priority);
    }
    (0..3).for_each(|_| alone.delete(0));
    assert_eq!(alone.sent, 0);
    alone.settle();
    let answers: Vec<_> = alone.returned.iter().map(|it| it.2).collect();
    assert_eq!(answers, [None, None, None, None, None, Some(2), Some(4), Some(1)]);
    assert_eq!(held(&alone), 1);
    let mut two = system(2, 1);
    two.insert(1, 4);
    two.settle();
    assert_eq!(anchor(&two).waves(), 2, "one with the insert and one with nothing");
}

/// In any order of messages the answers are those of one heap, by program order and real time: the
/// monitor sees to it.
#[test]
fn operations_in_bursts_are_linearizable() {
    for processes in [1, 2, 3, 5, 9, 20] {
        for seed in 0..20 {
            let mut system = system(processes, seed);
            system.storm(150);
            let taken = system.returned.iter().filter(|it| it.2.is_some()).count();
            assert_eq!(held(&system), system.inserted() - taken, "seed {seed}");
        }
    }
}

/// However they alternate: the first wave has the first operation of each process, at most, and the
/// second all others.
#[test]
fn alternating_operations_end_in_one_wave() {
    let mut system = system(5, 2);
    for round in 0..40_u64 {
        for node in 0..5 {
            system.insert(node, 1 + round * 7 % 23);
            system.delete(node);
        }
    }
    system.settle();
    assert_eq!(held(&system), 0);
    assert!(anchor(&system).waves() <= 3, "{} waves", anchor(&system).waves());
}
