use super::system::System;
use super::*;
use crate::Recorder;
use crate::circle::Point;
use crate::object::{Queue, QueueOp};
use crate::queue::skueue::{Fifo, Run};

/// A queue whose dequeues wait until all elements of their wave are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Barred(Fifo);

impl Service for Barred {
    type Object = Queue;
    type Key = u64;
    type Batch = Vec<u32>;
    type Assignment = Vec<Run>;

    const BARRIER: bool = true;

    fn build(ops: impl Iterator<Item = QueueOp>) -> Vec<u32> {
        Fifo::build(ops)
    }

    fn combine(batch: &mut Vec<u32>, next: &Vec<u32>) {
        Fifo::combine(batch, next);
    }

    fn is_empty(batch: &Vec<u32>) -> bool {
        Fifo::is_empty(batch)
    }

    fn runs(batch: &Vec<u32>) -> usize {
        Fifo::runs(batch)
    }

    fn assign(&mut self, batch: &Vec<u32>) -> Vec<Run> {
        self.0.assign(batch)
    }

    fn decompose(assignment: &mut Vec<Run>, first: &Vec<u32>) -> Vec<Run> {
        Fifo::decompose(assignment, first)
    }

    fn start(runs: Vec<Run>, ops: impl Iterator<Item = QueueOp>) -> OwnPlaces<u64> {
        Fifo::start(runs, ops)
    }

    fn point(mixer: Mixer, position: u64) -> Point {
        Fifo::point(mixer, position)
    }
}

/// Then the element is there whenever an operation comes for it.
#[test]
fn nothing_waits_for_its_element_behind_a_barrier() {
    System::<Barred>::check_at_random(QueueOp::Enqueue, QueueOp::Dequeue);
    for seed in 0..20 {
        let mut system = System::<Barred>::new(5, seed);
        for node in [0, 1, 2, 3, 4, 1, 2] {
            system.invoke(node, QueueOp::Enqueue(node.into()));
            system.invoke(node, QueueOp::Dequeue);
        }
        while !system.mail.is_empty() {
            system.deliver();
            let cells = |node: &Batched<Barred>| node.cells.clone().into_values();
            let mut all = system.nodes.iter().flat_map(cells);
            assert!(all.all(|cell| matches!(cell, Cell::Element(_))), "seed {seed}");
        }
        system.settle();
    }
}

#[test]
fn the_barrier_falls_when_all_elements_are_stored() {
    let mut node = Waves::<Barred>::new(Some(NodeId(0)), std::iter::once(NodeId(2)));
    let mut env = Recorder::default();
    let nothing = |wave| waves::Msg::Assignment { wave, assignment: Vec::new() };
    node.on_message(NodeId(0), nothing(0), &mut env);
    node.on_message(NodeId(2), waves::Msg::Stored { wave: 0 }, &mut env);
    node.on_message(NodeId(2), waves::Msg::Stored { wave: 0 }, &mut env);
    node.on_message(NodeId(0), waves::Msg::Go { wave: 0 }, &mut env);
    let lines = env.lines();
    assert_eq!(lines[1..], ["-> 0 Stored { wave: 0 }", "-> 2 Go { wave: 0 }"]);
    node.on_command(QueueOp::Enqueue(7), &mut env);
    node.on_command(QueueOp::Dequeue, &mut env);
    let batch = waves::Msg::Batch { wave: 1, batch: Vec::new(), more: false };
    node.on_message(NodeId(2), batch, &mut env);
    let mut anchor = Barred::default();
    let assignment = anchor.assign(&vec![1, 1]);
    node.on_message(NodeId(0), waves::Msg::Assignment { wave: 1, assignment }, &mut env);
    node.on_message(NodeId(2), waves::Msg::Stored { wave: 1 }, &mut env);
    node.on_message(NodeId(0), waves::Msg::Go { wave: 1 }, &mut env);
    let lines = env.lines();
    assert_eq!(lines.len(), 3, "its batch, its element, and the assignment below: {lines:?}");
    assert!(lines[1].starts_with("! Placed { ticket: 0, op: Enqueue(7)"), "{lines:?}");
    node.on_stored(&mut env);
    assert_eq!(env.lines(), ["-> 0 Stored { wave: 1 }"]);
    node.on_message(NodeId(0), waves::Msg::Go { wave: 1 }, &mut env);
    let lines = env.lines();
    assert!(lines[0].starts_with("! Placed { ticket: 1, op: Dequeue"), "{lines:?}");
    assert_eq!(lines[1], "-> 2 Go { wave: 1 }");
}

#[test]
fn a_get_waits_for_its_put() {
    let mut system = System::<Fifo>::new(1, 1);
    let mut env = Recorder::default();
    let task = |process, ticket| Task {
        process: NodeId(process),
        ticket,
        position: 0,
        way: system.nodes[0].ldb().set_out(),
    };
    let (get, put) = (Msg::Get(task(1, 4)), Msg::Put { task: task(2, 9), element: 7 });
    let node = &mut system.nodes[0];
    node.on_message(NodeId(1), get.clone(), &mut env);
    let waiting = node.clone();
    node.on_message(NodeId(1), get, &mut env);
    assert_eq!(*node, waiting, "a duplicate");
    assert!(env.lines().is_empty());
    node.on_message(NodeId(2), put, &mut env);
    let answers = ["-> 1 Element { ticket: 4, element: 7 }", "-> 2 Stored { ticket: 9 }"];
    assert_eq!(env.lines(), answers);
    assert_eq!(node.held(), 0);
}

/// Every object is a queue of its own, which the waves of all keep in order.
#[test]
fn objects_with_names_do_not_know_of_each_other() {
    type Op = (u32, QueueOp);
    let insert = |element| ((element % 3) as u32, QueueOp::Enqueue(element));
    for name in 0..3 {
        System::<Named<Fifo>>::check_at_random(insert, (name, QueueOp::Dequeue));
    }
    let mut system = System::<Named<Fifo>>::new(4, 1);
    let ops: [Op; 4] = [
        (7, QueueOp::Enqueue(70)),
        (5, QueueOp::Enqueue(50)),
        (5, QueueOp::Dequeue),
        (6, QueueOp::Dequeue),
    ];
    ops.into_iter().for_each(|op| system.invoke(2, op));
    system.settle();
    let answers: Vec<_> = (0..4).map(|ticket| system.answer(2, ticket)).collect();
    assert_eq!(answers, [None, None, Some(50), None]);
    let held = |name| system.anchor().anchor().and_then(|it| it.get(name)).map(Fifo::held);
    assert_eq!([5, 6, 7, 8].map(held), [Some(0), Some(0), Some(1), None]);
}

/// What does not fit into a batch waits for the next wave, and needs not be woken.
#[test]
fn a_batch_has_a_bound() {
    let mut system = System::<Fifo>::new(2, 1);
    let client = system.nodes.iter().position(|node| node.waves().anchor().is_none()).unwrap();
    let asked = 2 * waves::MOST as u64 + 10;
    (0..asked).for_each(|element| system.invoke(client as u32, QueueOp::Enqueue(element)));
    let mut longest = 0;
    while !system.mail.is_empty() {
        for (_, _, msg) in &system.mail {
            if let Msg::Wave(waves::Msg::Batch { batch, .. }) = msg {
                longest = longest.max(batch.iter().sum());
            }
        }
        system.round();
    }
    assert_eq!((longest, system.wakes), (waves::MOST as u32, 1));
    assert_eq!(system.returned.len() as u64, asked);
    // The one that has slept, and three with operations.
    assert_eq!(system.anchor().waves(), 4);
}

/// An enqueue that returns with its place needs not wait for the way of its element.
#[test]
fn an_early_return_is_as_consistent() {
    for seed in 0..100 {
        let mut system = System::<Fifo>::new(5, seed);
        for node in &mut system.nodes {
            *node = node.clone().returning(Returning::Early);
        }
        for element in 0..20 {
            let node = system.below(5) as u32;
            system.invoke(node, QueueOp::Enqueue(element));
            system.invoke((node + 1) % 5, QueueOp::Dequeue);
            for _ in 0..system.below(40) {
                if !system.mail.is_empty() {
                    system.deliver();
                }
            }
        }
        system.settle();
        assert_eq!(system.returned.len(), 40);
        assert!(system.nodes.iter().all(|node| node.travelling.is_empty()));
    }
}

/// A process can be stored and sent in any state.
#[test]
fn a_state_is_what_it_was_when_it_is_read_again() {
    let mut system = System::<Barred>::new(4, 3);
    for element in 0..40 {
        let node = system.below(4) as u32;
        system.invoke(node, QueueOp::Enqueue(element));
        system.invoke(node, QueueOp::Dequeue);
        for _ in 0..system.below(9) {
            if !system.mail.is_empty() {
                system.deliver();
            }
        }
        for node in &mut system.nodes {
            let text = serde_json::to_string(node).unwrap();
            let read: Batched<Barred> = serde_json::from_str(&text).unwrap();
            assert_eq!(*node, read);
            assert_eq!(serde_json::to_string(&read).unwrap(), text, "also what no step needs");
            *node = read;
        }
    }
    system.settle();
}

mod churn;
