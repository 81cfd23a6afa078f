use super::*;
use crate::circle::{Mixer, Salt};
use crate::dictionary::pump::{Pump, put};

const FACTOR: LoadFactor = LoadFactor { thousandths: 1250 };

fn system(seed: u64, members: u32, slots: u32) -> Pump<BoundedLoads> {
    let table = Table::new(Mixer::new(seed), (1..=members).map(NodeId));
    let node = |me| BoundedLoads::new(me, &table, FACTOR);
    Pump::new(NodeId::all(slots + 1).map(node).collect(), seed)
}

fn loads(pump: &Pump<BoundedLoads>) -> Vec<usize> {
    let members = pump.nodes.iter().filter_map(|node| node.member());
    members.map(|member| member.load()).collect()
}

/// What the loads have to be: a member keeps what it can of its own keys and of those that the
/// member before it could not keep. Two rounds, since the first does not know what goes past zero.
fn model(seed: u64, members: u32, keys: &[u64]) -> Vec<usize> {
    let table = Table::new(Mixer::new(seed), (1..=members).map(NodeId));
    let bound = FACTOR.bound(keys.len() as u64, members as usize) as usize;
    let mut loads = vec![0; members as usize];
    let mut passing = 0;
    for node in table.members().chain(table.members()) {
        let at_home = |key: &&u64| table.responsible(table.mixer().key(**key)) == node;
        let all = keys.iter().filter(at_home).count() + passing;
        loads[node.index() - 1] = all.min(bound);
        passing = all.saturating_sub(bound);
    }
    loads
}

#[test]
fn the_bound_is_rounded_up_and_allows_one_key() {
    let bounds = [(0, 4, 1), (1, 4, 1), (3, 4, 1), (4, 4, 2), (16, 4, 5), (17, 4, 6), (1, 1, 2)];
    for (keys, members, bound) in bounds {
        assert_eq!(FACTOR.bound(keys, members), bound, "{keys} keys, {members} members");
    }
}

/// Insertions and deletions in any order lead to the loads of the model, and all answers are right.
#[test]
fn loads_depend_on_the_keys_alone() {
    for seed in 0..60 {
        let members = 1 + (seed % 7) as u32;
        let mut pump = system(seed, members, members);
        let mut keys: Vec<u64> = Vec::new();
        for step in 0..60 {
            let draw = Mixer::new(seed).mix(step, Salt(3));
            let key = draw >> 8 & 31;
            let node = 1 + (draw >> 16) as u32 % members;
            keys.retain(|other| *other != key);
            match draw % 8 {
                0..4 => {
                    keys.push(key);
                    pump.invoke(node, put(key));
                }
                4..7 => _ = pump.invoke(node, DictionaryOp::Delete(key)),
                _ => keys.extend(pump.invoke(node, DictionaryOp::Get(key)).map(|_| key)),
            }
            assert_eq!(loads(&pump), model(seed, members, &keys), "seed {seed}, step {step}");
        }
    }
}

/// Members join and leave while operations are under way; every key is found afterwards.
#[test]
fn members_come_and_go() {
    for seed in 0..200 {
        let mut pump = system(seed, 4, 6);
        pump.churn();
        let bound = FACTOR.bound(24, 3) as usize;
        assert!(loads(&pump).iter().all(|load| *load <= bound), "seed {seed}");
        assert_eq!(loads(&pump)[1..4], [0; 3], "seed {seed}");
    }
}

/// A search has to pass full members; one that stops at a hole would not find what is behind it.
#[test]
fn a_deletion_pulls_what_passes_the_hole() {
    let seed = (0..).find(|seed| {
        let table = Table::new(Mixer::new(*seed), (1..=3).map(NodeId));
        (0..2).all(|key| table.responsible(table.mixer().key(key)) == NodeId(1))
    });
    let mut pump = system(seed.unwrap(), 3, 3);
    pump.invoke(1, put(0));
    pump.invoke(1, put(1));
    assert_eq!(loads(&pump)[0], 1, "the second key passes");
    pump.invoke(2, DictionaryOp::Delete(0));
    assert_eq!(loads(&pump), [1, 0, 0]);
    assert_eq!(pump.invoke(3, DictionaryOp::Get(1)), Some(101));
}

#[test]
fn the_last_member_stays_until_another_one_comes() {
    let mut pump = system(1, 1, 2);
    pump.invoke(1, put(0));
    pump.ask(1, Command::Leave);
    assert_eq!(pump.settle(), []);
    pump.ask(2, Command::Join { contact: NodeId(1) });
    assert_eq!(pump.settle().len(), 2);
    assert_eq!(pump.invoke(2, DictionaryOp::Get(0)), Some(100));
}
