use super::*;
use crate::Recorder;
use crate::object::QueueOp;
use crate::queue::skueue::Fifo;

type Node = Combining<Fifo>;

const ENQUEUE: QueueOp = QueueOp::Enqueue(5);
const DEQUEUE: QueueOp = QueueOp::Dequeue;
const PERIOD: Duration = Duration::from_millis(1);

/// A process below process 0.
fn inner() -> (Node, Recorder<Node>) {
    (Combining::new(Some(NodeId(0)), PERIOD), Recorder::default())
}

fn request(id: u32, runs: &[u32]) -> <Node as Protocol>::Msg {
    Msg::Request { id, batch: runs.to_vec() }
}

fn answer(anchor: &mut Fifo, id: u32, runs: &[u32]) -> <Node as Protocol>::Msg {
    Msg::Answer { id, assignment: anchor.assign(&runs.to_vec()) }
}

#[test]
fn what_arrives_before_the_timeout_goes_on_as_one() {
    let (mut node, mut env) = inner();
    node.on_message(NodeId(2), request(7, &[2, 1]), &mut env);
    assert_eq!(env.lines(), ["set Timeout 1ms"]);
    node.on_command(ENQUEUE, &mut env);
    node.on_message(NodeId(3), request(0, &[0, 4]), &mut env);
    assert!(env.lines().is_empty(), "its timer runs already");
    node.on_timer(Timeout, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request { id: 0, batch: [3, 5] }"]);
    let mut anchor = Fifo::default();
    node.on_message(NodeId(0), answer(&mut anchor, 0, &[3, 5]), &mut env);
    let lines = env.lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("! Placed { ticket: 0, op: Enqueue(5)"), "its own come first");
    assert!(lines[1].starts_with("-> 2 Answer { id: 7,"));
    assert!(lines[2].starts_with("-> 3 Answer { id: 0,"));
    assert_eq!(node, Combining { placed: 1, count: 1, ..inner().0 }, "it remembers nothing");
}

#[test]
fn requests_do_not_wait_for_each_other_but_its_own_operations_do() {
    let (mut node, mut env) = inner();
    node.on_command(ENQUEUE, &mut env);
    node.on_timer(Timeout, &mut env);
    env.take();
    node.on_command(DEQUEUE, &mut env);
    node.on_command(ENQUEUE, &mut env);
    assert!(env.lines().is_empty(), "one batch of its own is under way");
    node.on_message(NodeId(2), request(0, &[1]), &mut env);
    node.on_timer(Timeout, &mut env);
    assert_eq!(env.lines(), ["set Timeout 1ms", "-> 0 Request { id: 1, batch: [1] }"]);
    let mut anchor = Fifo::default();
    // Answers overtake each other.
    node.on_message(NodeId(0), answer(&mut anchor, 1, &[1]), &mut env);
    assert_eq!(env.lines().len(), 1);
    node.on_message(NodeId(0), answer(&mut anchor, 0, &[1]), &mut env);
    let lines = env.lines();
    assert_eq!(lines[1..], ["set Timeout 1ms"], "{lines:?}");
    node.on_timer(Timeout, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request { id: 2, batch: [0, 1, 1] }"]);
}

#[test]
fn a_duplicate_answer_is_ignored() {
    let (mut node, mut env) = inner();
    node.on_command(ENQUEUE, &mut env);
    node.on_timer(Timeout, &mut env);
    let answer = answer(&mut Fifo::default(), 0, &[1]);
    node.on_message(NodeId(0), answer.clone(), &mut env);
    env.take();
    let before = node.clone();
    node.on_message(NodeId(0), answer, &mut env);
    assert_eq!(node, before);
    assert!(env.lines().is_empty());
}

#[test]
fn the_anchor_answers_at_once() {
    let (mut node, mut env) = (Node::new(None, PERIOD), Recorder::default());
    node.on_command(DEQUEUE, &mut env);
    node.on_message(NodeId(4), request(3, &[1]), &mut env);
    let lines = env.lines();
    assert!(lines[0].starts_with("! Placed { ticket: 0, op: Dequeue, place: Place { key: None"));
    assert!(lines[1].starts_with("-> 4 Answer { id: 3,"), "{lines:?}");
    assert_eq!(node.anchor().map(Fifo::held), Some(1));
}
