use super::*;
use crate::Recorder;
use crate::circle::Mixer;
use crate::dictionary::chaos::{Chaos, Dice, legal, member, tree};
use crate::overlay::Start;
use crate::protocol::Input;

#[test]
fn a_bridge_is_set_once() {
    let mixer = Mixer::new(1);
    let starts = legal(mixer, 40, 40);
    let mut node = PrefixDht::new(
        member(NodeId(0), mixer, &starts, 1),
        Some(BTreeMap::new()),
        Responsible::Smallest,
        Opening::Changing,
    );
    let mut env = Recorder::default();
    node.on(Input::Start, &mut env);
    node.on_tick(&mut env);
    let asked = env.lines().into_iter().filter(|line| line.ends_with("Verify")).count();
    assert!(asked > 0);
    let place = node.place();
    let level_0 = |node: &NodeId| place.common_prefix(NodeId(0), *node) == 0;
    let mut others = NodeId::all(40).skip(1).filter(level_0);
    let (first, second) = (others.next().unwrap(), others.next().unwrap());
    node.on_message(first, Msg::Verified, &mut env);
    node.on_message(second, Msg::Verified, &mut env);
    assert_eq!(node.bridges.get(&0), Some(&first));
}

/// Every hop shares more bits with the key, or is smaller and shares as many.
#[test]
fn every_hop_gets_closer() {
    for seed in 0..20 {
        let mixer = Mixer::new(seed);
        for key in 0..50 {
            let starts = legal(mixer, 30, 30);
            let rank = |node: NodeId| {
                let place = Place::new(node, mixer);
                (std::cmp::Reverse(level(place, key)), place.here())
            };
            for node in NodeId::all(30) {
                let place = Place::new(node, mixer);
                let Start::Knowing { held, .. } = &starts[node.index()] else { panic!() };
                match bridges(place, held).get(&level(place, key)) {
                    Some(next) => assert!(rank(*next) < rank(node), "seed {seed}, key {key}"),
                    None => {
                        let target = NodeId::all(30).min_by_key(|it| rank(*it));
                        assert_eq!(target, Some(node), "seed {seed}, key {key}");
                    }
                }
            }
        }
    }
}

/// From a tree with copies anywhere, while nodes join: searches are monotone at all times, and in
/// the end all is in its place, and stays there.
fn all_find_their_places(responsible: &Responsible) {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let (members, joins) = (1 + dice.below(8) as u32, dice.below(4) as u32);
        let (total, mixer) = (members + joins, Mixer::new(seed));
        let starts = tree(members, total, &mut dice);
        let make = |me: NodeId| {
            let bridges = (me.0 < members).then(BTreeMap::new);
            let part = member(me, mixer, &starts, 1);
            PrefixDht::new(part, bridges, responsible.clone(), Opening::Any(3))
        };
        let laziness = dice.below(8);
        let mut chaos = Chaos::new(NodeId::all(total).map(make).collect(), dice);
        chaos.monitor = chaos.monitor.clone().monotone();
        let legality = chaos.nodes[0].legality().unwrap();
        chaos.live(members, (joins, 0), 8, laziness);
        (0..400).for_each(|_| chaos.round(0));
        for _ in 0..20 {
            assert!(chaos.holds(&legality), "seed {seed}: it is not legal");
            chaos.round(3);
        }
    }
}

#[test]
fn searches_are_monotone_and_data_find_their_places() {
    all_find_their_places(&Responsible::Smallest);
}

#[test]
fn searches_are_monotone_if_classes_have_to_agree() {
    all_find_their_places(&Responsible::Agreed(BTreeMap::new()));
}

/// A node of a legal network in which all have agreed; the nodes from `members` on join later.
fn agreed(mixer: Mixer, starts: &[Start], members: u32, me: NodeId) -> PrefixDht {
    let part = member(me, mixer, starts, 1);
    let Start::Knowing { held, .. } = &starts[me.index()] else {
        let none = Responsible::Agreed(BTreeMap::new());
        return PrefixDht::new(part, None, none, Opening::Changing);
    };
    let (bridges, opinions) = Classes::new(mixer, NodeId::all(members)).agreed(me, held);
    PrefixDht::new(part, Some(bridges), Responsible::Agreed(opinions), Opening::Changing)
}

/// A seed with which the first nodes are a class at level 0, and the last is the smallest of all.
fn one_class(nodes: u32) -> Mixer {
    let is_fit = |mixer: &Mixer| {
        let place = Place::new(NodeId(nodes - 1), *mixer);
        let mut others = NodeId::all(nodes - 1);
        others.all(|it| place.common_prefix(place.me, it) > 0 && place.here() < place.at(it))
    };
    (0..).map(Mixer::new).find(is_fit).unwrap()
}

/// A newcomer takes over what the others agree on, although its position is smaller. Where the
/// smallest node is responsible, it would be the newcomer.
#[test]
fn a_newcomer_changes_nothing() {
    let mixer = one_class(4);
    let starts = legal(mixer, 3, 4);
    let key = (0..).find(|key| level(Place::new(NodeId(0), mixer), *key) == 0).unwrap();
    let nodes = NodeId::all(4).map(|me| agreed(mixer, &starts, 3, me)).collect();
    let mut chaos = Chaos::new(nodes, Dice::new(1));
    let chosen = chaos.nodes[0].responsible.opinion(0).unwrap();
    let put = Command::Invoke(DictionaryOp::Put { key, value: 7 });
    chaos.step(NodeId(1), Input::Command(put));
    (0..20).for_each(|_| chaos.round(0));
    chaos.step(NodeId(3), Input::Command(Command::Join { contact: NodeId(0) }));
    (0..100).for_each(|_| chaos.round(0));
    let legality = chaos.nodes[0].legality().unwrap();
    assert!(chaos.holds(&legality));
    for node in &chaos.nodes {
        assert_eq!(node.responsible.opinion(0), Some(chosen));
        assert_eq!(node.copies.contains_key(&key), node.place().me == chosen);
    }
}

/// In every pair of opinions, and with none.
#[test]
fn the_smaller_of_two_opinions_is_held() {
    let mixer = one_class(4);
    let starts = legal(mixer, 4, 4);
    let order = overlay::place::sorted(mixer, NodeId::all(4));
    let [small, middle, me, from] = order[..] else { panic!() };
    let cases = [
        (None, None, me, true),
        (None, Some(middle), middle, false),
        (Some(middle), None, middle, true),
        (Some(middle), Some(small), small, false),
        (Some(small), Some(middle), small, false),
    ];
    for (own, told, expected, is_answered) in cases {
        let opinions = own.map(|node| (0, node)).into_iter().collect();
        let mut node = PrefixDht::new(
            member(me, mixer, &starts, 1),
            Some(own.map(|node| (0, node)).into_iter().collect()),
            Responsible::Agreed(opinions),
            Opening::Changing,
        );
        let mut env = Recorder::default();
        node.on_message(from, Msg::Opinion { level: 0, held: told }, &mut env);
        assert_eq!(node.responsible.opinion(0), Some(expected));
        assert_eq!(env.lines().len(), usize::from(is_answered));
        // The first one other than itself is its bridge for ever.
        let first = [own, told].into_iter().flatten().next();
        assert_eq!(node.bridges.get(&0).copied(), first);
    }
}

/// From every node, the way to every key ends at the same node, which all agree on.
#[test]
fn all_ways_end_at_the_node_that_is_agreed_on() {
    for seed in 0..20 {
        let mixer = Mixer::new(seed);
        let starts = legal(mixer, 30, 30);
        let nodes: Vec<_> = NodeId::all(30).map(|me| agreed(mixer, &starts, 30, me)).collect();
        for key in 0..50 {
            let end = |from: NodeId| {
                let mut at = from;
                while let Some(next) = nodes[at.index()].next(key) {
                    at = next;
                }
                at
            };
            let ends: BTreeSet<NodeId> = NodeId::all(30).map(end).collect();
            assert_eq!(ends.len(), 1, "seed {seed}, key {key}");
        }
    }
}
