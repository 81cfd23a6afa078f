use std::collections::VecDeque;

use super::*;
use crate::Recorder;
use crate::protocol::{Effect, Input};

fn node(me: u32, nodes: u32) -> (Singhal, Recorder<Singhal>) {
    (Singhal::new(NodeId(me), nodes), Recorder::default())
}

fn token(tsv: [Status; 3], tsn: [u64; 3]) -> Msg {
    Msg::Token(Box::new(Token { tsv: tsv.to_vec(), tsn: tsn.to_vec() }))
}

/// Node 1 of three, inside, having asked node 0 once.
fn inside(tsn: [u64; 3]) -> (Singhal, Recorder<Singhal>) {
    let (mut node, mut env) = node(1, 3);
    node.on_command(Command::Acquire, &mut env);
    node.on_message(NodeId(0), token([N, R, N], tsn), &mut env);
    assert_eq!(env.lines(), ["-> 0 Request(1)", "! Granted"]);
    (node, env)
}

#[test]
fn the_holder_enters_without_a_message() {
    let (mut node, mut env) = node(0, 3);
    for _ in 0..2 {
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Release, &mut env);
    }
    assert_eq!(env.lines(), ["! Granted", "! Granted"]);
    assert!(node.has_token());
}

#[test]
fn a_holder_passes_the_token_and_notes_the_request_in_it() {
    let (mut node, mut env) = node(0, 3);
    node.on_message(NodeId(2), Msg::Request(1), &mut env);
    assert_eq!(env.lines(), ["-> 2 Token(Token { tsv: [N, N, R], tsn: [0, 0, 1] })"]);
    assert_eq!(node.sv, [N, N, R]);
    assert!(!node.has_token());
}

#[test]
fn a_waiting_node_asks_a_requester_that_it_has_not_asked() {
    let (mut node, mut env) = node(1, 3);
    node.on_command(Command::Acquire, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request(1)"]);
    node.on_message(NodeId(0), Msg::Request(1), &mut env);
    assert!(env.lines().is_empty(), "node 0 was asked");
    node.on_message(NodeId(2), Msg::Request(1), &mut env);
    assert_eq!(env.lines(), ["-> 2 Request(1)"]);
}

#[test]
fn a_stale_request_is_not_served_but_answered_by_a_probe() {
    let (mut node, mut env) = inside([0, 1, 4]);
    node.on_message(NodeId(2), Msg::Request(4), &mut env);
    assert_eq!(env.lines(), ["-> 2 Request(0)"], "the token knows request 4");
    node.on_command(Command::Release, &mut env);
    node.on_message(NodeId(2), Msg::Request(4), &mut env);
    assert_eq!(env.lines(), ["-> 2 Request(0)"]);
    node.on_message(NodeId(2), Msg::Request(5), &mut env);
    assert_eq!(env.lines(), ["-> 2 Token(Token { tsv: [N, N, R], tsn: [0, 1, 5] })"]);
}

#[test]
fn a_probe_is_remembered_by_an_idle_node_and_answered_by_a_waiting_one() {
    let (mut node, mut env) = node(1, 3);
    node.on_message(NodeId(2), Msg::Request(0), &mut env);
    assert!(env.lines().is_empty());
    node.on_command(Command::Acquire, &mut env);
    assert_eq!(env.lines(), ["-> 2 Request(1)", "-> 0 Request(1)"]);
    let (mut node, mut env) = (Singhal::new(NodeId(0), 3), Recorder::default());
    node.on_message(NodeId(1), Msg::Request(1), &mut env);
    node.on_command(Command::Acquire, &mut env);
    env.lines();
    node.on_message(NodeId(2), Msg::Request(0), &mut env);
    assert_eq!(env.lines(), ["-> 2 Request(1)"]);
}

#[test]
fn a_token_out_of_turn_or_out_of_shape_and_commands_out_of_turn_do_nothing() {
    let (mut node, mut env) = node(1, 3);
    let before = node.clone();
    node.on_message(NodeId(0), token([N; 3], [0; 3]), &mut env);
    node.on_command(Command::Release, &mut env);
    assert_eq!(node, before);
    node.on_command(Command::Acquire, &mut env);
    env.lines();
    let before = node.clone();
    node.on_command(Command::Acquire, &mut env);
    let short = Token { tsv: vec![N; 2], tsn: vec![0; 3] };
    node.on_message(NodeId(0), Msg::Token(Box::new(short)), &mut env);
    assert_eq!(node, before);
}

/// Gives a command and delivers all messages in the order sent; returns their number.
fn play(nodes: &mut [Singhal], node: u32, command: Command) -> u32 {
    let mut inputs = VecDeque::from([(NodeId(node), Input::Command(command))]);
    let mut sent = 0;
    while let Some((me, input)) = inputs.pop_front() {
        let mut env = Recorder::default();
        nodes[me.index()].on(input, &mut env);
        for effect in env.take() {
            if let Effect::Send { to, msg } = effect {
                sent += 1;
                inputs.push_back((to, Input::Message { from: me, msg }));
            }
        }
    }
    sent
}

/// One column per node, the last node first, and one for the token.
fn columns(nodes: &[Singhal]) -> Vec<String> {
    let token = nodes.iter().find_map(|node| node.token.as_ref()).unwrap();
    let row = |j: usize| {
        let guesses: Vec<_> = nodes.iter().rev().map(|node| node.sv[j]).collect();
        format!("{guesses:?} | {:?}", token.tsv[j]).replace(['[', ']', ','], "")
    };
    (0..nodes.len()).rev().map(row).collect()
}

/// The guesses of all nodes while the last of `requesters` is inside, and after it has left.
fn guesses(requesters: &[u32], messages: u32) -> Vec<String> {
    let mut nodes: Vec<_> = NodeId::all(13).map(|me| Singhal::new(me, 13)).collect();
    let mut sent = 0;
    for &node in requesters {
        sent += play(&mut nodes, node, Command::Acquire);
    }
    let (&last, others) = requesters.split_last().unwrap();
    for &node in others {
        sent += play(&mut nodes, node, Command::Release);
    }
    let inside = columns(&nodes);
    sent += play(&mut nodes, last, Command::Release);
    assert_eq!(sent, messages);
    inside.iter().zip(columns(&nodes)).map(|(a, b)| format!("{a}    {b}")).collect()
}

#[test]
fn guesses_of_a_single_request() {
    let expected = [
        "N N N N N N N N N N N N N | N    N N N N N N N N N N N N N | N",
        "R N N N N N N N N N N N N | N    R N N N N N N N N N N N N | N",
        "R R N N N N N N N N N N N | N    R R N N N N N N N N N N N | N",
        "R R R N N N N N N N N N N | N    R R R N N N N N N N N N N | N",
        "R R R R N N N N N N N N N | N    R R R R N N N N N N N N N | N",
        "R R R R R N N N N N N N N | N    R R R R R N N N N N N N N | N",
        "R R R R R R N N N N N N N | N    R R R R R R N N N N N N N | N",
        "R R R R R R R E R R R R R | R    R R R R R R R H R R R R R | N",
        "R R R R R R R R N N N N N | N    R R R R R R R N N N N N N | N",
        "R R R R R R R R R N N N N | N    R R R R R R R N R N N N N | N",
        "R R R R R R R R R R N N N | N    R R R R R R R N R R N N N | N",
        "R R R R R R R R R R R N N | N    R R R R R R R N R R R N N | N",
        "R R R R R R R R R R R R N | N    R R R R R R R N R R R R N | N",
    ];
    assert_eq!(guesses(&[5], 5 + 1), expected);
}

#[test]
fn guesses_of_four_requests_while_the_first_is_inside() {
    let expected = [
        "N N N N N N N N N N N N N | N    N N N N N N N N N N N N N | N",
        "R N N N N N N N N N N N N | N    R N N N N N N N N N N N N | N",
        "R R N N N N N N N N N N N | N    R R N N N N N N N N N N N | N",
        "R R R N N N N N N N N N N | N    R R R N N N N N N N N N N | N",
        "R R R R N N N N N N N N N | N    R R R R N N N N N N N N N | N",
        "R R R R R E R R R R R R R | R    R R R R R H R R R R R R R | N",
        "R R R R R R N N N N N N N | N    R R R R R N N N N N N N N | N",
        "R R R R R R R N R R R R R | N    R R R R R N R N R R R R R | N",
        "R R R R R R R N N N N N N | N    R R R R R N R N N N N N N | N",
        "R R R R R R R N R N R R R | N    R R R R R N R N R N R R R | N",
        "R R R R R R R N R N N N N | N    R R R R R N R N R N N N N | N",
        "R R R R R R R N R N R N R | N    R R R R R N R N R N R N R | N",
        "R R R R R R R N R N R N N | N    R R R R R N R N R N R N N | N",
    ];
    assert_eq!(guesses(&[1, 3, 5, 7], 16 + 3 + 4), expected);
}
