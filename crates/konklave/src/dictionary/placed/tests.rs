use super::*;
use crate::circle::Mixer;
use crate::dictionary::cone_dht::Cone;
use crate::dictionary::pump::Pump;
use crate::dictionary::share_dht::{Rule, Share, Stage};

fn share(seed: u64) -> Rule {
    Rule { mixer: Mixer::new(seed), stretch: 6 << 32, stage: Stage::Rendezvous }
}

/// Members 1 to 4 and two that may join, all of different capacity; member 3 doubles its capacity.
fn system<P: Placement>(rule: P::Rule, order: u64) -> Pump<Placed<P>> {
    let capacities = (1..=4).map(|node| (NodeId(node), 10 * node)).collect();
    let placement = P::new(rule, capacities);
    let plan = [Resize { after: 25, node: NodeId(3), capacity: 60 }];
    let node = |me: NodeId| Placed::new(me, 10 * me.0, &placement, &plan);
    Pump::new(NodeId::all(7).map(node).collect(), order)
}

/// Joins, leaves and a change of capacity, and operations meanwhile: in the end every key is found,
/// where the rule says.
fn churn<P: Placement>(rule: P::Rule, order: u64) {
    let mut pump = system::<P>(rule, order);
    pump.churn();
    let server = pump.nodes[0].server().unwrap();
    let members: Vec<_> = server.placement().members().iter().collect();
    assert_eq!(members, [(1, 10), (5, 50), (6, 60)].map(|(node, it)| (NodeId(node), it)));
    assert!(server.shift().is_none() && server.epoch() >= 5, "order {order}");
    let nodes: Vec<&Placed<P>> = pump.nodes.iter().collect();
    assert_eq!(Placed::census(&nodes).loads.iter().sum::<u64>(), 24);
}

#[test]
fn changes_follow_each_other_and_lose_nothing() {
    for order in 0..60 {
        churn::<Share>(share(order), order);
        churn::<Cone>(Mixer::new(order), order);
    }
}

#[test]
fn what_was_sent_before_a_change_returns_to_the_server() {
    let placement = Cone::new(Mixer::new(1), (1..=2).map(|node| (NodeId(node), 1)).collect());
    let mut member = Placed::new(NodeId(1), 1, &placement, &[]);
    let mut env = crate::Recorder::default();
    let task = Task { client: NodeId(2), ticket: 0, op: DictionaryOp::Get(0) };
    let members = Box::new([(NodeId(1), 1), (NodeId(2), 5)]);
    member.on_message(SERVER, Msg::Change { epoch: 1, members }, &mut env);
    assert_eq!(env.lines(), ["-> 0 Settled { epoch: 1, had: 0 }"]);
    member.on_message(SERVER, Msg::Do { epoch: 0, task }, &mut env);
    assert!(env.lines()[0].starts_with("-> 0 Misplaced"));
    member.on_message(SERVER, Msg::Do { epoch: 1, task }, &mut env);
    assert_eq!(env.lines(), ["-> 2 Done { ticket: 0, answer: None, witness: 0 }"]);
}

/// The server holds an operation on a key until the member that hands it over has settled.
#[test]
fn an_operation_waits_for_its_record() {
    let one: Capacities = [(NodeId(1), 1)].into_iter().collect();
    let placement = Cone::new(Mixer::new(1), one);
    let mut server = Placed::new(SERVER, 1, &placement, &[]);
    let mut env = crate::Recorder::default();
    server.on_message(NodeId(2), Msg::Join { capacity: 1_000_000_000 }, &mut env);
    assert_eq!(env.lines().len(), 2, "all members are told");
    server.on_message(NodeId(1), Msg::Request { ticket: 0, op: DictionaryOp::Get(0) }, &mut env);
    server.on_message(NodeId(2), Msg::Settled { epoch: 1, had: 0 }, &mut env);
    assert_eq!(env.lines(), [""; 0]);
    server.on_message(NodeId(1), Msg::Settled { epoch: 1, had: 0 }, &mut env);
    assert!(env.lines()[0].starts_with("-> 2 Do { epoch: 1,"));
}
