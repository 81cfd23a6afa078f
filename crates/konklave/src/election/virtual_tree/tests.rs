use std::cmp::Reverse;

use super::*;
use crate::Recorder;

type Env = Recorder<VirtualTree>;

/// The node 5, with id 50, between nodes 1 and 2. Node 0 has the registry.
fn node() -> (VirtualTree, Env) {
    let patience = Duration::from_millis(100);
    let node = VirtualTree::new(NodeId(5), Id(50), [1, 2].map(NodeId).into(), NodeId(0), patience);
    (node, Recorder::default())
}

/// Node 5 below node 1, which is at this level; node 2 is at the other, below node 7.
fn in_tree(first: u32, second: u32) -> (VirtualTree, Env) {
    let (mut node, mut env) = node();
    node.on_message(NodeId(1), adv(0, 0, first), &mut env);
    node.on_message(NodeId(2), adv(0, 0, second), &mut env);
    env.lines();
    (node, env)
}

fn place(term: u32, tick: u32, dist: u32) -> Adv {
    let label = Label { seq: Seq { term, tick }, dist: Reverse(dist) };
    Adv { label, hold: Some(Hold { parent: NodeId(7), root: Id(90 + term) }) }
}

fn adv(term: u32, tick: u32, dist: u32) -> Msg {
    Msg::Adv(place(term, tick, dist))
}

fn detached(term: u32, dist: u32) -> Msg {
    Msg::Adv(Adv { hold: None, ..place(term, 0, dist) })
}

fn refresh(term: u32, tick: u32) -> Msg {
    Msg::Refresh(Seq { term, tick })
}

fn receive(node: &mut VirtualTree, from: u32, msg: Msg, env: &mut Env) -> Vec<String> {
    node.on_message(NodeId(from), msg, env);
    env.lines()
}

fn tell(node: &mut VirtualTree, command: Command, env: &mut Env) -> Vec<String> {
    node.on_command(command, env);
    env.lines()
}

const ROOT: [&str; 3] = ["! Elected", "! Knows(50)", "-> 1 Adv(0.0 level 0 of 50 by 5)"];

#[test]
fn the_first_to_register_is_the_root() {
    let (mut node, mut env) = node();
    let joined = tell(&mut node, Command::Start, &mut env);
    assert_eq!(joined, ["-> 0 Join", "set Patience 100ms"]);
    assert!(tell(&mut node, Command::Start, &mut env).is_empty());
    let root = receive(&mut node, 0, Msg::First, &mut env);
    assert_eq!(root[0], "! Started");
    assert_eq!(root[1..4], ROOT);
    assert_eq!(root[5..], ["cancel Patience"]);
    assert!(receive(&mut node, 0, Msg::First, &mut env).is_empty(), "a duplicate");
}

#[test]
fn the_registry_answers_the_first_alone() {
    let mut registry =
        VirtualTree::new(NodeId(0), Id(3), vec![NodeId(1)], NodeId(0), Duration::from_millis(100));
    let mut env = Recorder::default();
    assert_eq!(receive(&mut registry, 4, Msg::Join, &mut env), ["-> 4 First"]);
    assert!(receive(&mut registry, 6, Msg::Join, &mut env).is_empty());
    let started = tell(&mut registry, Command::Start, &mut env);
    assert_eq!(started, ["set Patience 100ms"], "its own node is not the first");
    let (mut other, mut env) = node();
    assert!(receive(&mut other, 4, Msg::Join, &mut env).is_empty(), "not the registry");
}

#[test]
fn others_are_woken_by_a_neighbour_and_know_its_root_once() {
    let (mut node, mut env) = node();
    let attached = receive(&mut node, 1, adv(0, 0, 3), &mut env);
    let place = "Adv(0.0 level 4 of 90 by 1)";
    assert_eq!(attached, ["! Knows(90)", &format!("-> 1 {place}"), &format!("-> 2 {place}")]);
    let nearer = receive(&mut node, 2, adv(0, 0, 1), &mut env);
    let place = "Adv(0.0 level 2 of 90 by 2)";
    assert_eq!(nearer, [format!("-> 1 {place}"), format!("-> 2 {place}")]);
    assert!(tell(&mut node, Command::Start, &mut env).is_empty());
    assert!(receive(&mut node, 0, Msg::First, &mut env).is_empty(), "too late");
}

#[test]
fn who_loses_its_parent_takes_a_better_one_or_asks_for_a_number() {
    let (mut node, mut env) = in_tree(3, 3);
    let found = tell(&mut node, Command::Lost(NodeId(1)), &mut env);
    assert_eq!(found, ["-> 2 Adv(0.0 level 4 of 90 by 2)"]);
    let (mut node, mut env) = in_tree(3, 4);
    let asks = tell(&mut node, Command::Lost(NodeId(1)), &mut env);
    let lines = ["-> 2 Adv(0.0 level 4 detached)", "-> 2 Refresh(0.1)", "set Patience 100ms"];
    assert_eq!(asks, lines);
    let fresh = receive(&mut node, 2, adv(0, 1, 4), &mut env);
    assert_eq!(fresh, ["-> 2 Adv(0.1 level 5 of 90 by 2)", "cancel Patience"]);
}

#[test]
fn a_detached_node_asks_whoever_gets_into_the_tree_again() {
    let (mut node, mut env) = in_tree(3, 4);
    receive(&mut node, 2, detached(0, 4), &mut env);
    let alone = receive(&mut node, 1, detached(0, 3), &mut env);
    assert_eq!(alone.len(), 3, "no neighbour can help: {alone:?}");
    assert_eq!(receive(&mut node, 2, adv(0, 0, 4), &mut env), ["-> 2 Refresh(0.1)"]);
    assert!(receive(&mut node, 2, adv(0, 0, 4), &mut env).len() == 1, "the first may be lost");
}

#[test]
fn requests_travel_once_to_the_root_which_counts() {
    let (mut node, mut env) = in_tree(3, 3);
    assert_eq!(receive(&mut node, 2, refresh(0, 1), &mut env), ["-> 1 Refresh(0.1)"]);
    assert!(receive(&mut node, 2, refresh(0, 1), &mut env).is_empty(), "it was requested already");
    assert!(receive(&mut node, 2, refresh(3, 7), &mut env).is_empty(), "of no tree of ours");
    let moved = tell(&mut node, Command::Lost(NodeId(1)), &mut env);
    assert_eq!(moved.last().unwrap(), "-> 2 Refresh(0.1)", "the next parent is asked");

    let (mut root, mut env) = self::node();
    tell(&mut root, Command::Start, &mut env);
    receive(&mut root, 0, Msg::First, &mut env);
    let counts = receive(&mut root, 2, refresh(0, 1), &mut env);
    assert_eq!(counts[0], "-> 1 Adv(0.1 level 0 of 50 by 5)");
    assert!(receive(&mut root, 2, refresh(0, 1), &mut env).is_empty(), "it exists");
}

#[test]
fn a_found_neighbour_is_greeted_and_answers() {
    let (mut node, mut env) = in_tree(3, 3);
    tell(&mut node, Command::Lost(NodeId(2)), &mut env);
    assert!(receive(&mut node, 2, adv(0, 0, 0), &mut env).is_empty(), "it is from its past");
    let found = tell(&mut node, Command::Found(NodeId(2)), &mut env);
    assert_eq!(found, ["-> 2 Hello(0.0 level 4 of 90 by 1)"]);
    assert!(tell(&mut node, Command::Lost(NodeId(9)), &mut env).is_empty(), "not a neighbour");
    let answer = receive(&mut node, 2, Msg::Hello(place(0, 0, 9)), &mut env);
    assert_eq!(answer, ["-> 2 Adv(0.0 level 4 of 90 by 1)"]);
}

#[test]
fn a_sleeper_is_woken_by_a_neighbour_that_it_has_not_found_yet() {
    let (mut node, mut env) = node();
    tell(&mut node, Command::Lost(NodeId(1)), &mut env);
    assert!(receive(&mut node, 8, adv(0, 0, 3), &mut env).is_empty(), "not a neighbour");
    assert_eq!(receive(&mut node, 1, adv(0, 0, 3), &mut env), ["set Patience 100ms"]);
    let found = tell(&mut node, Command::Found(NodeId(1)), &mut env);
    assert_eq!(found, ["-> 1 Hello(0.0 detached)"]);
}

#[test]
fn without_patience_there_is_an_election_which_makes_a_root() {
    let (mut node, mut env) = in_tree(3, 4);
    tell(&mut node, Command::Lost(NodeId(1)), &mut env);
    node.on_timer(Patience, &mut env);
    let wave = "-> 2 Ballot(Wave(Explore(50)) #1)";
    assert_eq!(env.lines(), ["! Started", wave, "set Patience 100ms"]);
    let (mut other, mut theirs) = in_tree(3, 3);
    other.on_timer(Patience, &mut theirs);
    assert!(theirs.lines().is_empty(), "it is in the tree");
    node.on_command(Command::Found(NodeId(1)), &mut env);
    assert!(env.lines().contains(&"-> 1 Ballot(Wave(Explore(50)) #2)".to_owned()));
}

#[test]
fn the_root_resigns_as_it_takes_part_in_an_election() {
    let mut electing =
        VirtualTree::new(NodeId(1), Id(7), vec![NodeId(5)], NodeId(0), Duration::from_millis(100));
    let mut theirs = Recorder::default();
    electing.on_command(Command::Start, &mut theirs);
    electing.on_timer(Patience, &mut theirs);
    let effects = theirs.take();
    let explore = effects.iter().find_map(|effect| match effect {
        crate::protocol::Effect::Send { msg: msg @ Msg::Ballot(_), .. } => Some(*msg),
        _ => None,
    });
    let (mut root, mut env) = node();
    tell(&mut root, Command::Start, &mut env);
    receive(&mut root, 0, Msg::First, &mut env);
    let lines = receive(&mut root, 1, explore.unwrap(), &mut env);
    let resigned = ["! SteppedDown", "-> 2 Ballot(Wave(Explore(7)) #1)", "set Patience 100ms"];
    assert_eq!(lines, resigned);
    assert!(receive(&mut root, 1, adv(0, 9, 0), &mut env).is_empty(), "that tree is dead");
    let new = receive(&mut root, 1, adv(1, 0, 0), &mut env);
    assert_eq!(new[0], "! Knows(91)");
}

#[test]
fn another_root_calls_for_an_election() {
    let (mut root, mut env) = node();
    tell(&mut root, Command::Start, &mut env);
    receive(&mut root, 0, Msg::First, &mut env);
    let lines = receive(&mut root, 1, adv(0, 0, 2), &mut env);
    assert_eq!(lines[..2], ["! SteppedDown", "! Started"]);
}
