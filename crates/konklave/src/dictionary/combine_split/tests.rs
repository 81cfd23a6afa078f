use super::*;
use crate::Recorder;
use crate::circle::Mixer;
use crate::dictionary::Storage;
use crate::dictionary::chaos::{Chaos, Dice};
use crate::overlay::build_list::BuildList;
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{Place, place};
use crate::protocol::Input;

/// The nodes of a legal network.
fn network<O: Overlay>(nodes: u32, seed: u64, variant: Variant) -> Vec<CombineSplit<O>> {
    let mixer = Mixer::new(seed);
    let order = place::sorted(mixer, NodeId::all(nodes));
    let mut all: Vec<_> = order
        .iter()
        .zip(O::ideal(mixer, &order))
        .map(|(node, known)| {
            let mut overlay = O::new(Place::new(*node, mixer));
            known.into_iter().for_each(|it| assert!(overlay.hold(it)));
            let end = [(0, order.len() - 1), (order.len() - 1, 0)];
            let end = end.into_iter().find(|(it, _)| order[*it] == *node && order.len() > 1);
            end.iter().for_each(|(_, other)| _ = overlay.hold_end(order[*other]));
            CombineSplit::new(overlay, variant)
        })
        .collect();
    all.sort_by_key(|node| node.me());
    all
}

/// What one dictionary answers to operations one after the other, and what it holds then.
fn one_by_one(mut value: Answer, pairs: &[Pair]) -> (Vec<Answer>, Answer) {
    let answers = pairs.iter().map(|pair| {
        let old = value.filter(|_| pair.wants);
        value = pair.write.unwrap_or(value);
        old
    });
    (answers.collect(), value)
}

#[test]
fn pairs_compose_associatively_and_as_one_after_the_other() {
    let ops =
        [DictionaryOp::Get(0), DictionaryOp::Delete(0), DictionaryOp::Put { key: 0, value: 5 }];
    let pairs: Vec<Pair> = ops.map(Pair::of).into();
    let two = || pairs.iter().flat_map(|a| pairs.iter().map(move |b| a.then(*b)));
    let all: Vec<Pair> = pairs.iter().copied().chain(two()).collect();
    for &a in &all {
        for &b in &all {
            for &c in &all {
                assert_eq!(a.then(b).then(c), a.then(b.then(c)));
            }
            for value in [None, Some(1)] {
                let (answers, end) = one_by_one(value, &[a, b]);
                let (combined, same) = one_by_one(value, &[a.then(b)]);
                assert_eq!(end, same);
                if a.wants {
                    assert_eq!(combined[0], answers[0]);
                } else if b.wants && a.write.is_none() {
                    assert_eq!(combined[0], answers[1]);
                }
            }
        }
    }
}

/// A line of three: the owner at one end, the asking nodes behind each other.
fn line() -> (Vec<CombineSplit<BuildList>>, u64) {
    let nodes = network::<BuildList>(3, 1, Variant::Strict);
    let order = place::sorted(Mixer::new(1), NodeId::all(3));
    let is_owner = |key: &u64| nodes[order[2].index()].next(*key).is_none();
    let key = (0..).find(is_owner).unwrap();
    (order.iter().map(|node| nodes[node.index()].clone()).collect(), key)
}

/// What arrives while a request is under way forms the next one: read, write and read get
/// consecutive places.
#[test]
fn what_is_held_back_goes_on_as_one_request() {
    let (nodes, key) = line();
    let [near, middle, owner] = [0, 1, 2].map(|place| nodes[place].me());
    let mut node = nodes[1].clone();
    let mut env = Recorder::default();
    node.on_command(Command::Invoke(DictionaryOp::Get(key)), &mut env);
    assert_eq!(env.lines().len(), 1);
    let write = Pair::of(DictionaryOp::Put { key, value: 9 });
    let read = Pair::of(DictionaryOp::Get(key));
    for pair in [write, read] {
        node.on_message(near, Msg::Ask { key, pair }, &mut env);
    }
    assert_eq!(env.lines(), [""; 0], "they are held back");
    node.on_message(owner, Msg::Answer { key, old: Some(4), first: 10 }, &mut env);
    let pair = Pair { count: 2, wants: false, write: Some(Some(9)) };
    let lines = env.lines();
    assert_eq!(lines[0], format!("-> {owner} {:?}", Msg::Ask { key, pair }));
    assert_eq!(lines[1], "! Returned { ticket: 0, answer: Some(4), witness: Some(10) }");
    node.on_message(owner, Msg::Answer { key, old: None, first: 11 }, &mut env);
    let answer = |old, first| format!("-> {near} {:?}", Msg::Answer { key, old, first });
    assert_eq!(env.lines(), [answer(None, 11), answer(Some(9), 12)]);
    assert_eq!((middle, node.waits_for().is_empty()), (node.me(), true));
}

#[test]
fn strict_combining_is_linearizable() {
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let (nodes, laziness) = (2 + dice.below(7) as u32, dice.below(9));
        match seed % 2 {
            0 => Chaos::new(network::<SkipPlus>(nodes, seed, Variant::Strict), dice).live(
                nodes,
                (0, 0),
                8,
                laziness,
            ),
            _ => Chaos::new(network::<BuildList>(nodes, seed, Variant::Strict), dice).live(
                nodes,
                (0, 0),
                8,
                laziness,
            ),
        }
    }
}

/// Theorem 6.4: if answers are kept, and all processes ask for one of few keys, no node handles
/// more than (deg + 1) · D requests; and at least one node would handle more without combining.
#[test]
fn kept_answers_keep_the_bound() {
    fn check<O: Overlay>(nodes: u32, seed: u64, keys: u64) {
        let mut dice = Dice::new(seed);
        let ask = |dice: &mut Dice| Command::Invoke(DictionaryOp::Get(dice.below(keys)));
        let commands: Vec<_> = (0..nodes).map(|_| ask(&mut dice)).collect();
        let mut chaos = Chaos::new(network::<O>(nodes, seed, Variant::Kept), dice);
        for (node, command) in NodeId::all(nodes).zip(commands) {
            chaos.step(node, Input::Command(command));
        }
        (0..100).for_each(|_| chaos.round(seed % 8));
        assert_eq!(chaos.events.len(), nodes as usize);
        let census = CombineSplit::census(&chaos.nodes.iter().collect::<Vec<_>>());
        let handled = census.handled.unwrap();
        assert!(handled.is_within_bound, "seed {seed}, {nodes} nodes, {keys} keys: {handled:?}");
        assert!(handled.max_plain >= u64::from(nodes) / keys, "{handled:?}");
    }
    for seed in 0..20 {
        for keys in [1, 3] {
            check::<SkipPlus>(40, seed, keys);
            check::<BuildList>(20, seed, keys);
        }
    }
}
