//! One test per case of the adoption rule.

use super::*;
use crate::Recorder;

/// The node with id 5 and this number of neighbours, from node 1 on.
fn node(neighbours: u32) -> (Adoption, Recorder<Adoption>) {
    (Adoption::new(Id(5), (1..=neighbours).map(NodeId)), Recorder::default())
}

/// The effects of an explorer with this id from `from`.
fn explore(node: &mut Adoption, from: u32, id: u32) -> Vec<String> {
    let mut env = Recorder::default();
    node.on_message(NodeId(from), Msg::Explore(Id(id)), &mut env);
    env.lines()
}

fn echo(node: &mut Adoption, from: u32, id: u32) -> Vec<String> {
    let mut env = Recorder::default();
    node.on_message(NodeId(from), Msg::Echo(Id(id)), &mut env);
    env.lines()
}

/// The node with three neighbours, after its start.
fn initiator() -> Adoption {
    let (mut node, mut env) = node(3);
    node.on_command(Command::Start, &mut env);
    let explorers = ["! Started", "-> 1 Explore(5)", "-> 2 Explore(5)", "-> 3 Explore(5)"];
    assert_eq!(env.lines(), explorers);
    node
}

#[test]
fn the_first_contact_explores_all_other_edges() {
    let (mut node, mut env) = node(3);
    assert_eq!(explore(&mut node, 2, 3), ["-> 1 Explore(3)", "-> 3 Explore(3)"]);
    node.on_command(Command::Start, &mut env);
    assert!(env.lines().is_empty(), "too late to start");
    assert!(echo(&mut node, 1, 3).is_empty());
    assert_eq!(node.waits_for(), [NodeId(3)].into_iter().collect());
    assert_eq!(echo(&mut node, 3, 3), ["-> 2 Echo(3)"]);
}

#[test]
fn case_1_equal_explorers_make_a_frond() {
    let mut node = initiator();
    assert!(explore(&mut node, 1, 5).is_empty());
    assert!(explore(&mut node, 2, 5).is_empty());
    assert_eq!(echo(&mut node, 3, 5), ["! Elected", "! Knows(5)", "-> 3 Elected(5)"]);
}

#[test]
fn case_2_a_smaller_explorer_is_no_answer() {
    let mut node = initiator();
    assert!(explore(&mut node, 1, 3).is_empty());
    assert_eq!(node.edges.open(), 3);
}

#[test]
fn case_3a_the_best_id_is_returned_and_makes_a_frond() {
    let mut node = initiator();
    assert!(explore(&mut node, 1, 9).is_empty(), "adopted; a root has no former parent");
    assert_eq!(explore(&mut node, 2, 9), ["-> 2 Explore(9)"]);
    assert_eq!(node.edges.get(NodeId(2)), Some(Edge::Frond));
    assert_eq!(echo(&mut node, 3, 5), ["-> 1 Echo(9)"], "what has echoed is inherited");
}

#[test]
fn case_3b_a_better_id_is_returned_and_leaves_the_edge_open() {
    let mut node = initiator();
    explore(&mut node, 1, 9);
    assert_eq!(explore(&mut node, 2, 7), ["-> 2 Explore(9)"]);
    assert!(echo(&mut node, 3, 5).is_empty());
    assert_eq!(node.waits_for(), [NodeId(2)].into_iter().collect());
    assert!(echo(&mut node, 2, 5).is_empty(), "an answer to an earlier explorer");
    assert_eq!(echo(&mut node, 2, 9), ["-> 1 Echo(9)"]);
}

#[test]
fn case_4_the_former_parent_is_told() {
    let (mut node, _) = node(3);
    explore(&mut node, 2, 3);
    assert_eq!(explore(&mut node, 1, 9), ["-> 2 Explore(9)"]);
    assert!(echo(&mut node, 3, 3).is_empty());
    assert_eq!(echo(&mut node, 2, 9), ["-> 1 Echo(9)"]);
    let mut env = Recorder::default();
    node.on_message(NodeId(1), Msg::Elected(Id(9)), &mut env);
    node.on_message(NodeId(1), Msg::Elected(Id(9)), &mut env);
    assert_eq!(env.lines(), ["! Knows(9)", "-> 2 Elected(9)", "-> 3 Elected(9)"]);
}

#[test]
fn a_duplicate_explorer_does_not_close_the_edge_to_the_parent() {
    let (mut node, _) = node(2);
    explore(&mut node, 1, 9);
    assert!(explore(&mut node, 1, 9).is_empty(), "an answer would make the edge a frond");
    assert_eq!(echo(&mut node, 2, 9), ["-> 1 Echo(9)"]);
    assert!(explore(&mut node, 1, 9).is_empty());
    assert!(echo(&mut node, 2, 9).is_empty());
}

#[test]
fn a_stranger_is_ignored() {
    let mut node = initiator();
    assert!(explore(&mut node, 7, 9).is_empty());
    assert!(echo(&mut node, 7, 5).is_empty());
    assert_eq!(node, initiator());
}

#[test]
fn a_node_alone_is_elected_at_once() {
    let (mut node, mut env) = node(0);
    node.on_command(Command::Start, &mut env);
    assert_eq!(env.lines(), ["! Started", "! Elected", "! Knows(5)"]);
}
