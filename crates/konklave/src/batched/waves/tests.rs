use super::*;
use crate::Recorder;
use crate::object::QueueOp;
use crate::queue::skueue::Fifo;

type Node = Waves<Fifo>;

const PARENT: NodeId = NodeId(0);
const ENQUEUE: QueueOp = QueueOp::Enqueue(5);

/// Node 1 below node 0, with children 2 and 3.
fn inner() -> (Node, Recorder<Node>) {
    (Waves::new(Some(PARENT), [NodeId(2), NodeId(3)].into_iter()), Recorder::default())
}

/// The anchor with one child.
fn anchor() -> (Node, Recorder<Node>) {
    (Waves::new(None, std::iter::once(NodeId(1))), Recorder::default())
}

fn batch(wave: u32, runs: &[u32], more: bool) -> <Node as Protocol>::Msg {
    Msg::Batch { wave, batch: runs.to_vec(), more }
}

fn nothing(wave: u32) -> <Node as Protocol>::Msg {
    Msg::Assignment { wave, assignment: Vec::new() }
}

#[test]
fn a_wave_is_woken_once() {
    let (mut node, mut env) = inner();
    node.on_command(ENQUEUE, &mut env);
    assert_eq!(env.lines(), ["-> 0 Wake { wave: 0 }"]);
    node.on_command(ENQUEUE, &mut env);
    node.on_message(NodeId(2), Msg::Wake { wave: 0 }, &mut env);
    assert!(env.lines().is_empty());
}

#[test]
fn the_batch_waits_for_all_children_and_notes_what_comes_next() {
    let (mut node, mut env) = inner();
    node.on_message(PARENT, nothing(0), &mut env);
    assert_eq!(env.take().len(), 2, "both children go on");
    node.on_message(NodeId(3), batch(1, &[0, 2], false), &mut env);
    node.on_command(ENQUEUE, &mut env);
    node.on_message(NodeId(3), Msg::Wake { wave: 1 }, &mut env);
    assert!(env.lines().is_empty(), "it is in time for the batch");
    node.on_message(NodeId(2), batch(1, &[1], false), &mut env);
    assert_eq!(env.lines(), ["-> 0 Batch { wave: 1, batch: [2, 2], more: true }"]);
    node.on_command(ENQUEUE, &mut env);
    assert!(env.lines().is_empty(), "a wave that is not empty needs not be woken");
}

#[test]
fn a_wake_up_for_a_wave_that_has_ended_is_ignored() {
    let (mut node, mut env) = inner();
    node.on_message(PARENT, nothing(0), &mut env);
    env.take();
    let before = node.clone();
    node.on_message(NodeId(2), Msg::Wake { wave: 0 }, &mut env);
    node.on_message(PARENT, nothing(0), &mut env);
    node.on_message(NodeId(2), batch(0, &[1], true), &mut env);
    node.on_message(NodeId(7), batch(1, &[1], true), &mut env);
    assert_eq!(node, before);
    assert!(env.lines().is_empty());
}

#[test]
fn the_anchor_keeps_an_empty_wave_until_it_is_woken() {
    let (mut node, mut env) = anchor();
    node.on_message(NodeId(1), Msg::Wake { wave: 0 }, &mut env);
    assert_eq!(env.lines(), ["-> 1 Assignment { wave: 0, assignment: [] }"]);
    node.on_message(NodeId(1), batch(1, &[], false), &mut env);
    assert!(env.lines().is_empty());
    node.on_command(ENQUEUE, &mut env);
    assert_eq!(env.lines(), ["-> 1 Assignment { wave: 1, assignment: [] }"]);
    node.on_message(NodeId(1), batch(2, &[], true), &mut env);
    let lines = env.lines();
    assert!(lines[0].starts_with("! Placed { ticket: 0, op: Enqueue(5)"), "{lines:?}");
    assert_eq!(lines[1], "-> 1 Assignment { wave: 2, assignment: [] }");
    node.on_message(NodeId(1), batch(3, &[], true), &mut env);
    assert_eq!(env.lines(), ["-> 1 Assignment { wave: 3, assignment: [] }"], "there is more");
}
