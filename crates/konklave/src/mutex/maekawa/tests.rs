use super::*;
use crate::Recorder;

fn stamp(time: u64, node: u32) -> Stamp {
    Stamp { time, node: NodeId(node) }
}

/// Node 1 with the quorum {1, 2, 3}, and the environment.
fn node() -> (Maekawa, Recorder<Maekawa>) {
    let quorum = [1, 2, 3].map(NodeId).into_iter().collect();
    (Maekawa::new(NodeId(1), quorum), Recorder::default())
}

/// The same after `Acquire`: its own arbiter is locked for it.
fn asking() -> (Maekawa, Recorder<Maekawa>) {
    let (mut node, mut env) = node();
    node.on_command(Command::Acquire, &mut env);
    assert_eq!(env.lines(), ["-> 2 Request(1@1)", "-> 3 Request(1@1)"]);
    (node, env)
}

#[test]
fn enters_with_all_locks_and_releases_them() {
    let (mut node, mut env) = asking();
    node.on_message(NodeId(2), Msg::Locked(stamp(1, 1)), &mut env);
    assert!(env.lines().is_empty());
    node.on_message(NodeId(3), Msg::Locked(stamp(1, 1)), &mut env);
    assert_eq!(env.lines(), ["! Granted"]);
    node.on_command(Command::Release, &mut env);
    assert_eq!(env.lines(), ["-> 2 Release(1@1)", "-> 3 Release(1@1)"]);
    assert_eq!(node.lock, None);
}

#[test]
fn an_inquiry_waits_until_something_failed() {
    let (mut node, mut env) = asking();
    node.on_message(NodeId(2), Msg::Inquire(stamp(1, 1)), &mut env);
    node.on_message(NodeId(2), Msg::Locked(stamp(1, 1)), &mut env);
    assert!(env.lines().is_empty(), "the inquiry overtook the lock; we may still win");
    node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
    assert_eq!(env.lines(), ["-> 2 Yield(1@1)"]);
}

#[test]
fn a_yielded_lock_counts_as_a_failure() {
    let (mut node, mut env) = asking();
    for msg in [Msg::Locked(stamp(1, 1)), Msg::Inquire(stamp(1, 1))] {
        node.on_message(NodeId(2), msg, &mut env);
    }
    node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
    node.on_message(NodeId(3), Msg::Locked(stamp(1, 1)), &mut env);
    env.lines();
    node.on_message(NodeId(3), Msg::Inquire(stamp(1, 1)), &mut env);
    assert_eq!(env.lines(), ["-> 3 Yield(1@1)"], "we have yielded the lock of arbiter 2");
}

#[test]
fn requester_and_arbiter_of_a_node_need_no_messages() {
    let (mut node, mut env) = asking();
    node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
    node.on_message(NodeId(0), Msg::Request(stamp(1, 0)), &mut env);
    assert_eq!(env.lines(), ["-> 0 Locked(1@0)"], "inquired, yielded and locked in one step");
}

#[test]
fn the_lock_is_asked_back_once_and_the_displaced_head_is_told() {
    let (mut node, mut env) = node();
    node.on_message(NodeId(3), Msg::Request(stamp(5, 3)), &mut env);
    node.on_message(NodeId(4), Msg::Request(stamp(6, 4)), &mut env);
    node.on_message(NodeId(2), Msg::Request(stamp(4, 2)), &mut env);
    assert_eq!(env.lines(), ["-> 3 Locked(5@3)", "-> 4 Failed(6@4)", "-> 3 Inquire(5@3)"]);
    node.on_message(NodeId(0), Msg::Request(stamp(3, 0)), &mut env);
    assert_eq!(env.lines(), ["-> 2 Failed(4@2)"], "the correction");
    node.on_message(NodeId(3), Msg::Yield(stamp(5, 3)), &mut env);
    assert_eq!(env.lines(), ["-> 0 Locked(3@0)"]);
    node.on_message(NodeId(0), Msg::Release(stamp(3, 0)), &mut env);
    node.on_message(NodeId(2), Msg::Release(stamp(4, 2)), &mut env);
    assert_eq!(env.lines(), ["-> 2 Locked(4@2)", "-> 3 Locked(5@3)"], "the yielder kept its place");
}

#[test]
fn late_and_duplicate_messages_are_ignored() {
    let (mut node, mut env) = asking();
    let before = node.clone();
    for msg in [Msg::Locked, Msg::Failed, Msg::Inquire, Msg::Yield, Msg::Release] {
        node.on_message(NodeId(2), msg(stamp(0, 1)), &mut env);
    }
    node.on_message(NodeId(1), Msg::Request(stamp(1, 1)), &mut env);
    node.on_command(Command::Acquire, &mut env);
    node.on_command(Command::Release, &mut env);
    assert_eq!(node, before);
    assert!(env.lines().is_empty());
}
