use super::*;
use crate::Recorder;

/// Node `me` of the triangle 0, 1, 2, after the wave from node 0.
fn corner(me: u32, variant: Variant) -> (TokenGraph, Recorder<TokenGraph>) {
    let neighbours = NodeSet::all_but(NodeId(me), 3).iter().collect();
    let mut node = TokenGraph::new(NodeId(me), neighbours, NodeId(0), variant);
    let mut env = Recorder::default();
    for from in NodeId::all(3).filter(|from| from.0 != me) {
        node.on_message(from, Msg::Explore(from.0.min(1)), &mut env);
    }
    env.lines();
    (node, env)
}

#[test]
fn the_wave_orients_the_edges() {
    let neighbours = vec![NodeId(0), NodeId(1), NodeId(3)];
    let mut node = TokenGraph::new(NodeId(2), neighbours, NodeId(0), Variant::All);
    let mut env = Recorder::default();
    node.on_message(NodeId(0), Msg::Explore(0), &mut env);
    assert_eq!(env.lines(), ["-> 1 Explore(1)", "-> 3 Explore(1)"]);
    node.on_command(Command::Acquire, &mut env);
    node.on_message(NodeId(3), Msg::Explore(1), &mut env);
    assert!(env.lines().is_empty(), "the orientation is not known yet");
    node.on_message(NodeId(1), Msg::Explore(1), &mut env);
    assert_eq!(env.lines(), ["-> 0 Echo(1)", "-> 0 Request"]);
    let State::Pointing { nearer, .. } = &node.state else { panic!("{node:?}") };
    assert!(nearer.keys().eq(&[NodeId(0), NodeId(1)]), "{nearer:?}");
}

#[test]
fn the_first_owner_keeps_the_token_until_the_wave_is_over() {
    let mut node = TokenGraph::new(NodeId(0), vec![NodeId(1)], NodeId(0), Variant::All);
    let mut env = Recorder::default();
    node.on_start(&mut env);
    node.on_message(NodeId(1), Msg::Request, &mut env);
    assert_eq!(env.lines(), ["-> 1 Explore(0)"], "the request has overtaken the echo");
    node.on_message(NodeId(1), Msg::Echo(1), &mut env);
    assert_eq!(env.lines(), ["-> 1 Token(1)"]);
}

#[test]
fn the_variants_differ_in_who_is_told() {
    let told = |me, variant| {
        let (mut node, mut env) = corner(me, variant);
        node.on_message(NodeId(0), Msg::Token(1), &mut env);
        env.lines()
    };
    assert_eq!(told(2, Variant::All), ["-> 1 Invert(1)"]);
    assert!(told(2, Variant::One).is_empty());
    assert!(told(1, Variant::All).is_empty(), "node 2 points here anyway");
    assert_eq!(told(1, Variant::Everyone), ["-> 2 Invert(1)"]);
}

#[test]
fn a_late_inversion_is_ignored() {
    let (mut node, mut env) = corner(1, Variant::All);
    node.on_message(NodeId(0), Msg::Token(5), &mut env);
    node.on_message(NodeId(0), Msg::Request, &mut env);
    let before = node.clone();
    node.on_message(NodeId(2), Msg::Invert(4), &mut env);
    assert_eq!(node, before, "the token has been here since");
    node.on_message(NodeId(2), Msg::Invert(7), &mut env);
    node.on_command(Command::Acquire, &mut env);
    assert_eq!(env.lines(), ["-> 0 Token(6)", "-> 2 Request"]);
}

#[test]
fn the_token_waits_for_acknowledgements_but_can_be_used() {
    let (mut node, mut env) = corner(2, Variant::Acknowledged);
    node.on_command(Command::Acquire, &mut env);
    node.on_message(NodeId(0), Msg::Token(1), &mut env);
    node.on_message(NodeId(0), Msg::Request, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request", "-> 1 Invert(1)", "! Granted"]);
    node.on_command(Command::Release, &mut env);
    assert!(env.lines().is_empty());
    node.on_message(NodeId(1), Msg::Ack, &mut env);
    assert_eq!(env.lines(), ["-> 0 Token(2)"]);
}

#[test]
fn a_duplicate_token_is_recognised() {
    let (mut node, mut env) = corner(1, Variant::One);
    for msg in [Msg::Token(1), Msg::Request, Msg::Token(1)] {
        node.on_message(NodeId(0), msg, &mut env);
    }
    assert!(!node.has_token());
    assert_eq!(env.lines(), ["-> 0 Token(2)"]);
}

#[test]
fn alone_it_enters_at_once_and_commands_out_of_turn_do_nothing() {
    let mut env = Recorder::default();
    let mut node = TokenGraph::new(NodeId(0), vec![], NodeId(0), Variant::All);
    for command in [Command::Release, Command::Acquire, Command::Acquire] {
        node.on_command(command, &mut env);
    }
    assert_eq!(env.lines(), ["! Granted"]);
}
