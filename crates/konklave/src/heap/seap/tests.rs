use super::*;
use crate::circle::Mixer;
use crate::heap::Monitor;
use crate::heap::system::System;
use crate::object::Places;
use crate::selection::search::Splitters;

fn system(processes: u32, rule: Rule, seed: u64) -> System<Seap> {
    let mixer = Mixer::new(seed);
    let plan = Plan { processes, splitters: Splitters::Adaptive, sample: Some(2), mixer };
    let network = Ldb::hashed(mixer, NodeId::all(processes));
    let nodes = network.into_iter().map(|ldb| Seap::new(ldb, plan, rule)).collect();
    System::new(nodes, Monitor::new(Places::OfAll), seed)
}

fn anchor(system: &System<Seap>) -> &Anchor {
    system.nodes.iter().find_map(Seap::anchor).unwrap()
}

fn held(system: &System<Seap>) -> usize {
    assert_eq!(system.broken, []);
    assert!(system.nodes.iter().all(|node| node.store.is_tidy()), "all buckets are empty");
    system.nodes.iter().map(|node| node.store.elements().len()).sum()
}

#[test]
fn a_process_alone_needs_no_messages() {
    let mut system = system(1, Rule::Prefix, 3);
    system.delete(0);
    for priority in [5, 3, 9, 3] {
        system.insert(0, priority);
    }
    for _ in 0..3 {
        system.delete(0);
    }
    assert_eq!(system.sent, 0);
    system.settle();
    let answers: Vec<_> = system.returned.iter().map(|it| it.2).collect();
    assert_eq!(answers, [None, None, None, None, None, Some(2), Some(4), Some(1)]);
    assert_eq!(held(&system), 1);
}

#[test]
fn a_heap_that_nobody_uses_rests() {
    let mut system = system(9, Rule::Prefix, 1);
    assert_eq!(system.sent, 0);
    system.insert(4, 7);
    system.settle();
    let sent = system.sent;
    assert_eq!(anchor(&system).cycles(), 2, "one with the insert and one with nothing");
    system.delete(2);
    system.settle();
    assert_eq!(anchor(&system).cycles(), 4);
    assert!(system.sent > sent);
    assert_eq!((held(&system), system.returned.last().unwrap().2), (0, Some(1)));
}

/// In any order of messages the answers are those of one heap, by program order and real time: the
/// monitor sees to it.
#[test]
fn operations_in_bursts_are_linearizable() {
    for processes in [1, 2, 3, 5, 9, 20] {
        for seed in 0..20 {
            let mut system = system(processes, Rule::Prefix, seed);
            system.storm(150);
            let taken = system.returned.iter().filter(|it| it.2.is_some()).count();
            assert_eq!(held(&system), system.inserted() - taken, "seed {seed}");
        }
    }
}

/// Many elements are wanted of more: the anchor selects, and sorts them into several buckets.
#[test]
fn many_deletes_get_the_smallest_elements_in_order() {
    let mut system = system(7, Rule::Prefix, 5);
    for place in 0..200_u64 {
        system.insert((place % 7) as u32, 1 + place * 37 % 101);
    }
    system.settle();
    for place in 0..120 {
        system.delete(place % 7);
    }
    system.settle();
    assert_eq!(held(&system), 80);
    assert!(anchor(&system).selections() >= 1);
}

/// The free rule lets an insert overtake an earlier delete of its process, and nothing else.
#[test]
fn the_free_rule_loses_the_program_order_only() {
    let mut lost = 0;
    for processes in [1, 2, 3, 5, 9] {
        for seed in 0..20 {
            let mut free = system(processes, Rule::Free, seed);
            free.monitor = free.monitor.unordered();
            free.storm(100);
            assert_eq!(free.broken, [], "seed {seed}");
            let mut watched = system(processes, Rule::Free, seed);
            watched.storm(100);
            lost += u32::from(!watched.broken.is_empty());
            assert!(watched.broken.iter().all(|it| it.promise == "sequentially consistent"));
        }
    }
    assert!(lost > 10, "the program order was lost {lost} times only");
}
