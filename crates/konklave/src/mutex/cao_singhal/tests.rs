use super::*;
use crate::Recorder;

fn stamp(time: u64, node: u32) -> Stamp {
    Stamp { time, node: NodeId(node) }
}

/// Node 1 with the quorum {1, 2, 3} after `Acquire`, with the permission of its own arbiter.
fn asking() -> (CaoSinghal, Recorder<CaoSinghal>) {
    let quorum = [1, 2, 3].map(NodeId).into_iter().collect();
    let (mut node, mut env) = (CaoSinghal::new(NodeId(1), &quorum), Recorder::default());
    node.on_command(Command::Acquire, &mut env);
    assert_eq!(env.lines(), ["-> 2 Request(1@1)", "-> 3 Request(1@1)"]);
    (node, env)
}

fn locked(arbiter: u32, epoch: u64) -> Msg {
    Msg::Locked { arbiter: NodeId(arbiter), epoch, request: stamp(1, 1), next: None }
}

#[test]
fn hands_a_permission_over_and_tells_its_arbiter() {
    let (mut node, mut env) = asking();
    node.on_message(NodeId(2), locked(2, 1), &mut env);
    let transfer = Msg::Transfer { epoch: 1, next: stamp(2, 4), inquire: false };
    node.on_message(NodeId(2), transfer, &mut env);
    node.on_message(NodeId(7), locked(3, 5), &mut env);
    assert_eq!(env.lines(), ["! Granted"]);
    node.on_command(Command::Release, &mut env);
    assert_eq!(
        env.lines(),
        [
            "-> 4 Locked { arbiter: 2, epoch: 2, request: 2@4, next: None }",
            "-> 2 Release { epoch: 1, to: Some(2@4) }",
            "-> 3 Release { epoch: 5, to: None }",
        ]
    );
}

#[test]
fn a_transfer_waits_for_its_permission() {
    let (mut node, mut env) = asking();
    let transfer = |next| Msg::Transfer { epoch: 4, next, inquire: false };
    let inquiry = Msg::Transfer { epoch: 4, next: stamp(0, 5), inquire: true };
    for msg in [transfer(stamp(2, 4)), inquiry, transfer(stamp(3, 6))] {
        node.on_message(NodeId(2), msg, &mut env);
    }
    node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
    assert!(env.lines().is_empty());
    node.on_message(NodeId(7), locked(2, 4), &mut env);
    assert_eq!(env.lines(), ["-> 2 Yield { epoch: 4, request: 1@1 }"]);
}

#[test]
fn a_transfer_for_an_epoch_that_is_over_is_ignored() {
    let (mut node, mut env) = asking();
    node.on_message(NodeId(2), locked(2, 4), &mut env);
    let before = node.clone();
    let transfer = Msg::Transfer { epoch: 3, next: stamp(2, 4), inquire: true };
    node.on_message(NodeId(2), transfer, &mut env);
    node.on_message(NodeId(2), locked(2, 4), &mut env);
    assert_eq!(node, before);
}

#[test]
fn a_permission_that_was_yielded_does_not_come_back_as_a_duplicate() {
    let (mut node, mut env) = asking();
    node.on_message(NodeId(2), locked(2, 4), &mut env);
    node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
    let inquiry = Msg::Transfer { epoch: 4, next: stamp(0, 5), inquire: true };
    node.on_message(NodeId(2), inquiry, &mut env);
    assert_eq!(env.lines(), ["-> 2 Yield { epoch: 4, request: 1@1 }"]);
    node.on_message(NodeId(2), locked(2, 4), &mut env);
    node.on_message(NodeId(3), locked(3, 1), &mut env);
    assert!(env.lines().is_empty(), "node 5 may be inside");
    node.on_message(NodeId(5), locked(2, 6), &mut env);
    assert_eq!(env.lines(), ["! Granted"]);
}

#[test]
fn a_release_that_overtakes_another_waits_for_it() {
    let quorum = [1, 2].map(NodeId).into_iter().collect();
    let (mut node, mut env) = (CaoSinghal::new(NodeId(1), &quorum), Recorder::default());
    for request in [stamp(1, 3), stamp(2, 4), stamp(3, 5)] {
        node.on_message(request.node, Msg::Request(request), &mut env);
    }
    assert_eq!(
        env.lines(),
        [
            "-> 3 Locked { arbiter: 1, epoch: 1, request: 1@3, next: None }",
            "-> 3 Transfer { epoch: 1, next: 2@4, inquire: false }",
            "-> 4 Failed(2@4)",
            "-> 5 Failed(3@5)",
        ]
    );
    node.on_message(NodeId(4), Msg::Release { epoch: 2, to: None }, &mut env);
    assert!(env.lines().is_empty(), "the release of node 3 is still in transit");
    node.on_message(NodeId(3), Msg::Release { epoch: 1, to: Some(stamp(2, 4)) }, &mut env);
    assert_eq!(
        env.lines(),
        [
            "-> 4 Transfer { epoch: 2, next: 3@5, inquire: false }",
            "-> 5 Locked { arbiter: 1, epoch: 3, request: 3@5, next: None }",
        ]
    );
}

#[test]
fn a_late_transfer_is_made_good_with_an_inquiry() {
    let quorum = [1, 2].map(NodeId).into_iter().collect();
    let (mut node, mut env) = (CaoSinghal::new(NodeId(1), &quorum), Recorder::default());
    for request in [stamp(1, 3), stamp(3, 4), stamp(2, 5)] {
        node.on_message(request.node, Msg::Request(request), &mut env);
    }
    env.lines();
    node.on_message(NodeId(3), Msg::Release { epoch: 1, to: Some(stamp(3, 4)) }, &mut env);
    assert_eq!(env.lines(), ["-> 4 Transfer { epoch: 2, next: 2@5, inquire: true }"]);
    node.on_message(NodeId(4), Msg::Yield { epoch: 2, request: stamp(3, 4) }, &mut env);
    assert_eq!(
        env.lines(),
        ["-> 5 Locked { arbiter: 1, epoch: 3, request: 2@5, next: Some(3@4) }"]
    );
}

#[test]
fn requester_and_arbiter_of_a_node_need_no_messages() {
    let (mut node, mut env) = asking();
    node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
    node.on_message(NodeId(0), Msg::Request(stamp(1, 0)), &mut env);
    assert_eq!(
        env.lines(),
        ["-> 0 Locked { arbiter: 1, epoch: 2, request: 1@0, next: Some(1@1) }"],
        "transferred, inquired, yielded and granted in one step"
    );
}

#[test]
fn commands_out_of_turn_do_nothing() {
    let (mut node, mut env) = asking();
    let before = node.clone();
    node.on_command(Command::Acquire, &mut env);
    node.on_command(Command::Release, &mut env);
    assert_eq!(node, before);
}
