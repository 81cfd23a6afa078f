use super::*;
use crate::dictionary::pump::{Pump, put};

fn system(seed: u64, members: u32, slots: u32) -> Pump<TwoChoices> {
    let table = Table::new(Mixer::new(seed), (1..=members).map(NodeId));
    let nodes = NodeId::all(slots + 1).map(|me| TwoChoices::new(me, &table)).collect();
    Pump::new(nodes, seed)
}

fn loads(pump: &Pump<TwoChoices>) -> Vec<u32> {
    pump.nodes.iter().filter_map(|node| node.member()).map(Member::load).collect()
}

/// Operations one after the other, and several at once: answers are those of one dictionary, and
/// all stored keys add up.
#[test]
fn keys_are_found_wherever_they_are() {
    for seed in 0..60 {
        let members = 1 + (seed % 6) as u32;
        let mut pump = system(seed, members, members);
        let mut keys = std::collections::BTreeSet::new();
        for step in 0..80 {
            let draw = Mixer::new(seed).mix(step, Salt(3));
            let (key, node) = (draw >> 8 & 31, 1 + (draw >> 16) as u32 % members);
            match draw % 8 {
                0..4 => {
                    keys.insert(key);
                    pump.invoke(node, put(key));
                }
                4..6 => {
                    keys.remove(&key);
                    pump.invoke(node, DictionaryOp::Delete(key));
                }
                _ => _ = pump.invoke(node, DictionaryOp::Get(key)),
            }
            assert_eq!(loads(&pump).iter().sum::<u32>() as usize, keys.len());
        }
    }
}

/// The largest load is much smaller than with one choice, over 20 hash functions.
#[test]
fn two_choices_are_better_than_one() {
    let (mut two, mut one) = (0, 0);
    for seed in 0..20 {
        let mut pump = system(seed, 16, 16);
        let table = Table::new(Mixer::new(seed), (1..=16).map(NodeId));
        let mut homes = [0; 17];
        for key in 0..320 {
            pump.invoke(1 + key as u32 % 16, put(key));
            homes[table.responsible(table.mixer().key(key)).index()] += 1;
        }
        two += loads(&pump).into_iter().max().unwrap_or(0);
        one += homes.into_iter().max().unwrap_or(0);
    }
    // The mean is 20; H_16 = 3.4 times that with one choice.
    assert!(one > 20 * 55 && two < 20 * 35, "{one} and {two}");
}

#[test]
fn members_come_and_go() {
    for seed in 0..200 {
        let mut pump = system(seed, 4, 6);
        pump.churn();
        assert_eq!(loads(&pump).iter().sum::<u32>(), 24, "seed {seed}");
        assert_eq!(loads(&pump)[1..4], [0; 3], "seed {seed}");
    }
}

/// A key that is offered, and an operation on it: the home answers after the alternate has.
#[test]
fn an_operation_waits_while_its_key_moves() {
    let table = Table::new(Mixer::new(1), (1..=3).map(NodeId));
    let home = table.responsible(table.mixer().key(0));
    let alternate = NodeId(1 + home.0 % 3);
    let mut node = TwoChoices::new(home, &table);
    let mut env = crate::Recorder::default();
    let task = |ticket, op| Msg::Do { task: Task { client: NodeId(3), ticket, op }, alternate };
    node.on_message(SERVER, task(0, put(0)), &mut env);
    let done = "-> 3 Done { ticket: 0, answer: None, witness: 0 }".to_owned();
    let offer = format!("-> {alternate} Offer {{ key: 0, value: 100, load: 1 }}");
    assert_eq!(env.lines(), [done, offer]);
    node.on_message(SERVER, task(1, DictionaryOp::Get(0)), &mut env);
    assert_eq!(env.lines(), [""; 0]);
    node.on_message(alternate, Msg::Taken { key: 0 }, &mut env);
    assert_eq!(env.lines()[0], format!("-> {alternate} Forward {{ op: Get(0) }}"));
    node.on_message(alternate, Msg::Reply { key: 0, answer: Some(100) }, &mut env);
    assert_eq!(env.lines(), ["-> 3 Done { ticket: 1, answer: Some(100), witness: 1 }"]);
}

/// A member has asked to return a key when it becomes its home; and then it leaves. The server
/// holds the question until the leave has ended, so the leave does not wait for an answer.
#[test]
fn a_leave_does_not_wait_for_a_question_that_has_become_idle() {
    let table = Table::new(Mixer::new(1), (1..=2).map(NodeId));
    let key = (0..).find(|key| table.responsible(table.mixer().key(*key)) == NodeId(2)).unwrap();
    let mut node = TwoChoices::new(NodeId(1), &table);
    let mut env = crate::Recorder::default();
    node.on_message(NodeId(2), Msg::Offer { key, value: 7, load: 2 }, &mut env);
    assert!(env.lines()[1].starts_with("-> 0 WantMove"));
    let entry = Entry { done: 1, place: Place::There(NodeId(1)), alternate: NodeId(1) };
    let entries = Box::new([(key, entry)]);
    node.on_message(NodeId(2), Msg::Items { arc: table.arc(NodeId(2)), entries }, &mut env);
    node.on_command(Command::Leave, &mut env);
    env.take();
    node.on_message(SERVER, Msg::HandOver { arc: Arc::WHOLE, to: NodeId(3) }, &mut env);
    let lines = env.lines();
    assert!(lines[0].starts_with("-> 3 Items") && lines[0].contains("Here(7)"), "{lines:?}");
    assert_eq!(lines[1], "! Left");
}
