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
#[test]
fn searches_are_monotone_and_data_find_their_places() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let (members, joins) = (1 + dice.below(8) as u32, dice.below(4) as u32);
        let (total, mixer) = (members + joins, Mixer::new(seed));
        let starts = tree(members, total, &mut dice);
        let make = |me: NodeId| {
            let bridges = (me.0 < members).then(BTreeMap::new);
            PrefixDht::new(member(me, mixer, &starts, 1), bridges, Opening::Any(3))
        };
        let laziness = dice.below(8);
        let mut chaos = Chaos::new(NodeId::all(total).map(make).collect(), dice);
        chaos.monitor = chaos.monitor.clone().monotone();
        let legality = chaos.nodes[0].legality().unwrap();
        chaos.live(members, (joins, 0), 8, laziness);
        (0..400).for_each(|_| chaos.round(0));
        for _ in 0..20 {
            assert!(chaos.holds(&legality), "it is not legal");
            chaos.round(3);
        }
    }
}
