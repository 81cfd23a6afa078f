use super::copied::CopiedDht;
use super::*;
use crate::Recorder;
use crate::circle::Mixer;
use crate::dictionary::chaos::{Chaos, Dice, legal, member, parts, tree};
use crate::dictionary::{Opening, Storage};
use crate::overlay::Start;
use crate::protocol::{Input, Lifts};

const MIXER: Mixer = Mixer::new(1);

/// The nodes of a legal network in the order of their positions, and their neighbours in it.
fn ring(nodes: u32) -> (Vec<NodeId>, Vec<Start>) {
    let order = overlay::place::sorted(MIXER, NodeId::all(nodes));
    (order, legal(MIXER, nodes, nodes + 1))
}

fn started(me: NodeId, starts: &[Start], own: Option<Arcs>) -> (SkipDht, Recorder<SkipDht>) {
    let mut node = SkipDht::new(member(me, MIXER, starts, 1), own, false);
    let mut env = Recorder::default();
    node.on(Input::Start, &mut env);
    (node, env)
}

/// A key whose position is in this arc.
fn key_in(arc: Arc) -> u64 {
    (0..).find(|key| arc.contains(MIXER.key(*key))).unwrap()
}

#[test]
fn a_node_that_learns_its_successor_hands_over_at_once() {
    // Nodes 0 and 1, and node 2, which joins.
    let starts = legal(MIXER, 2, 3);
    let order = overlay::place::sorted(MIXER, NodeId::all(3));
    let place = order.iter().position(|node| *node == NodeId(2)).unwrap();
    let (before, after) = (order[(place + 2) % 3], order[(place + 1) % 3]);
    let own = parts(MIXER, 2, 3);
    let (mut node, mut env) = started(before, &starts, own[before.index()].clone());
    let arc = Arc::up_to(MIXER.node(NodeId(2)), MIXER.node(after));
    let key = key_in(arc);
    node.on_command(Command::Invoke(DictionaryOp::Put { key, value: 7 }), &mut env);
    assert_eq!(env.lines(), ["! Returned { ticket: 0, answer: None, witness: Some(0) }"]);
    let intro = overlay::Msg::Shape(overlay::Shape::Intro(NodeId(2)));
    node.on_message(after, Msg::Overlay(intro), &mut env);
    let record = Record { value: Some(7), done: 1 };
    let expected = Msg::HandOver { arc, records: [(key, record)].into() };
    let sent = env.take();
    assert!(
        sent.contains(&crate::protocol::Effect::Send { to: NodeId(2), msg: expected.clone() }),
        "{sent:?}"
    );
    // What comes back is its own again: nothing is lost.
    node.on_returned(NodeId(2), expected, &mut env);
    env.take();
    node.on_command(Command::Invoke(DictionaryOp::Get(key)), &mut env);
    assert_eq!(env.lines(), ["! Returned { ticket: 1, answer: Some(7), witness: Some(1) }"]);
}

#[test]
fn a_request_waits_for_its_range_and_parts_arrive_in_any_order() {
    let (order, starts) = ring(3);
    let me = order[1];
    let arc = Arc::up_to(MIXER.node(me), MIXER.node(order[2]));
    let (mut node, mut env) = started(me, &starts, Some(Arcs::default()));
    let task = Task { client: order[0], ticket: 3, op: DictionaryOp::Get(key_in(arc)) };
    let request = Msg::Request { task, hops: 2, has_turned: false, is_registered: true };
    node.on_message(order[0], request, &mut env);
    assert_eq!(env.lines(), [format!("-> {} Taken", order[0])]);
    let point = MIXER.key(task.op.key());
    let after = Arc::new(point, arc.last());
    let before = arc.without(after).next().unwrap();
    for part in [before, after] {
        node.on_message(order[0], Msg::HandOver { arc: part, records: Box::default() }, &mut env);
    }
    let lines = env.lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let done = format!("-> {} Done {{ ticket: 3, answer: None, witness: 0 }}", order[0]);
    assert_eq!(lines[2], done);
    assert!(node.own.is_only(arc), "what touches is one");
    // A duplicate changes nothing.
    node.on_message(order[0], Msg::HandOver { arc: after, records: Box::default() }, &mut env);
    assert!(node.own.is_only(arc));
}

/// Messages go up once only after they have turned at the smallest node.
#[test]
fn a_request_does_not_go_in_circles() {
    let (order, starts) = ring(5);
    let (first, last) = (order[0], order[4]);
    let below = crate::circle::Point(0);
    let overlay: SkipPlus = starts[first.index()].legal(Place::new(first, MIXER));
    let mut has_turned = false;
    assert_eq!(overlay.next_once(below, &mut has_turned), Hop::To(last));
    assert!(has_turned);
    // The largest node knows a larger one, which does not know the smallest.
    let inner: SkipPlus = starts[order[3].index()].legal(Place::new(order[3], MIXER));
    assert_eq!(inner.next_once(below, &mut has_turned), Hop::To(last));
    assert_ne!(inner.next(below), Hop::To(last), "it would go back");
}

/// Under any churn every position has one owner in every state, every answer is right, every
/// process gets its answers; in the end the network is legal and silent.
#[test]
fn owned_ranges_survive_churn() {
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let (members, joins) = (1 + dice.below(8) as u32, dice.below(5) as u32);
        let leaves = dice.below(u64::from(members + joins)).min(4) as u32;
        let (total, mixer) = (members + joins, Mixer::new(seed));
        let (starts, own) = (legal(mixer, members, total), parts(mixer, members, total));
        let make = |me: NodeId| {
            SkipDht::new(member(me, mixer, &starts, 2), own[me.index()].clone(), false)
        };
        let laziness = dice.below(8);
        let mut chaos = Chaos::new(NodeId::all(total).map(make).collect(), dice);
        chaos.live(members, (joins, leaves), 6, laziness);
        calm_down(&mut chaos, mixer);
        let census = SkipDht::census(&chaos.nodes.iter().collect::<Vec<_>>());
        let returned = chaos.monitor.clone();
        assert!(census.known.is_some(), "{returned:?}");
    }
}

/// What one node owns spreads over a network that builds itself.
#[test]
fn owned_ranges_spread_from_a_tree() {
    for seed in 0..30 {
        let mut dice = Dice::new(seed);
        let (members, joins) = (1 + dice.below(12) as u32, dice.below(4) as u32);
        let (total, mixer) = (members + joins, Mixer::new(seed));
        let starts = tree(members, total, &mut dice);
        let make = |me: NodeId| {
            let mut own = (me.0 < members).then(Arcs::default);
            own.iter_mut().filter(|_| me == NodeId(0)).for_each(|own| own.add(Arc::WHOLE));
            SkipDht::new(member(me, mixer, &starts, 2), own, true)
        };
        let laziness = dice.below(8);
        let mut chaos = Chaos::new(NodeId::all(total).map(make).collect(), dice);
        chaos.live(members, (joins, 0), 6, laziness);
        calm_down(&mut chaos, mixer);
    }
}

/// Nothing more is sent, the overlay is legal, and every node owns its part.
fn calm_down(chaos: &mut Chaos<SkipDht>, mixer: Mixer) {
    (0..300).for_each(|_| chaos.round(0));
    let sent = chaos.sent;
    (0..3).for_each(|_| chaos.round(0));
    assert_eq!(chaos.sent, sent, "it is not silent");
    let inside: Vec<NodeId> = chaos
        .nodes
        .iter()
        .filter(|it| it.phase == Phase::Inside)
        .map(|node| node.place().me)
        .collect();
    let some = member(NodeId(0), mixer, &[Start::Outside], 1);
    assert!(chaos.holds(&SkipDht::lift(some.legality().unwrap())), "the overlay is not legal");
    let order = overlay::place::sorted(mixer, inside);
    for (node, next) in order.iter().zip(order.iter().cycle().skip(1)) {
        let arc = Arc::up_to(mixer.node(*node), mixer.node(*next));
        assert!(chaos.nodes[node.index()].own.is_only(arc), "node {node}");
    }
}

/// Copies find their places from a tree with copies anywhere, and stay there.
#[test]
fn copies_find_their_places() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let (members, joins) = (1 + dice.below(8) as u32, dice.below(4) as u32);
        let (total, mixer) = (members + joins, Mixer::new(seed));
        let starts = tree(members, total, &mut dice);
        let make = |me: NodeId| {
            CopiedDht::new(member(me, mixer, &starts, 2), me.0 < members, Opening::Any(3))
        };
        let laziness = dice.below(8);
        let mut chaos = Chaos::new(NodeId::all(total).map(make).collect(), dice);
        let legality = chaos.nodes[0].legality().unwrap();
        chaos.live(members, (joins, 0), 6, laziness);
        (0..400).for_each(|_| chaos.round(0));
        for _ in 0..20 {
            assert!(chaos.holds(&legality), "it is not legal");
            chaos.round(3);
        }
    }
}

/// In a legal network that nobody joins or leaves, copied placement is linearizable.
#[test]
fn copied_placement_is_linearizable_if_nothing_changes() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let (members, mixer) = (1 + dice.below(8) as u32, Mixer::new(seed));
        let starts = legal(mixer, members, members);
        let make = |me| CopiedDht::new(member(me, mixer, &starts, 2), true, Opening::Steady);
        let laziness = dice.below(8);
        let mut chaos = Chaos::new(NodeId::all(members).map(make).collect(), dice);
        chaos.live(members, (0, 0), 8, laziness);
    }
}
