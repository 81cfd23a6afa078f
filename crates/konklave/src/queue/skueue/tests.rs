use super::*;
use crate::NodeId;
use crate::batched::system::System;
use crate::object::QueueOp;
use crate::protocol::{Input, Monitor as _};

#[test]
fn a_process_alone_needs_no_messages() {
    let mut system = System::<Fifo>::new(1, 3);
    for op in [QueueOp::Dequeue, QueueOp::Enqueue(7), QueueOp::Enqueue(8), QueueOp::Dequeue] {
        system.invoke(0, op);
    }
    assert!(system.mail.is_empty());
    let answers: Vec<_> = system.returned.iter().map(|it| it.2).collect();
    assert_eq!(answers, [None, None, None, Some(7)]);
    assert_eq!((system.nodes[0].held(), system.anchor().anchor().unwrap().held()), (1, 1));
}

#[test]
fn a_queue_that_nobody_uses_rests() {
    let mut system = System::<Fifo>::new(20, 1);
    for node in NodeId::all(20) {
        system.happen(node, Input::Start);
    }
    assert!(system.mail.is_empty());
}

#[test]
fn one_operation_takes_two_waves_and_then_all_rest() {
    for (processes, seed) in [(2, 1), (3, 2), (10, 3), (50, 4)] {
        let mut system = System::<Fifo>::new(processes, seed);
        for (times, node) in (1..).zip([processes - 1, 0, processes / 2]) {
            system.invoke(node, QueueOp::Enqueue(times));
            system.settle();
            assert_eq!(system.returned.len() as u64, times);
            // The empty wave that has slept, and the one that carries the operation.
            assert_eq!(u64::from(system.anchor().waves()), 2 * times);
            assert_eq!(system.waves, 2 * times * 2 * u64::from(processes - 1));
            assert!(system.wakes <= times * u64::from(system.height()));
        }
        let held: usize = system.nodes.iter().map(Batched::held).sum();
        assert_eq!((held, system.anchor().anchor().unwrap().held()), (3, 3));
    }
}

#[test]
fn a_wave_takes_twice_the_height_and_two_messages_per_edge() {
    for (processes, seed) in [(2, 1), (3, 2), (16, 3), (100, 4)] {
        let mut system = System::<Fifo>::new(processes, seed);
        let mut ends = Vec::new();
        for time in 0..600 {
            let (waves, sent) = (system.anchor().waves(), system.waves);
            // Everybody always has something to ask for.
            for node in 0..processes {
                system.invoke(node, QueueOp::Enqueue(time * 1000 + u64::from(node)));
            }
            system.round();
            if system.anchor().waves() > waves {
                ends.push((time, sent));
            }
        }
        let (period, edges) = (2 * u64::from(system.height()), u64::from(processes - 1));
        assert!(ends.len() > 5);
        // The first wave has slept.
        for pair in ends[2..].windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, period, "{processes} processes: {ends:?}");
        }
        while !system.mail.is_empty() {
            system.round();
        }
        assert_eq!(system.waves, 2 * edges * u64::from(system.anchor().waves()));
        system.monitor.at_rest().unwrap();
    }
}

#[test]
fn random_schedules_are_linearizable() {
    System::<Fifo>::check_at_random(QueueOp::Enqueue, QueueOp::Dequeue);
}
