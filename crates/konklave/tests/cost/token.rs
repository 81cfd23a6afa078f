//! Token algorithms on a complete network: ask everyone, or those who may have the token.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::mutex::ricart_agrawala_token::RicartAgrawalaToken;
use konklave::mutex::singhal::Singhal;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::{Command, Event};
use konklave::protocol::Protocol;
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::{Delay, Options};

use super::chang_roberts::permutations;
use super::lock::{assert_saturated, plan, run};
use super::turns::{assert_mean, distinct, mean_costs, schedules, turns, uniform};

const SIZES: [u32; 6] = [1, 2, 3, 9, 13, 30];

const DEMANDS: [Demand; 4] =
    [Demand::Light, Demand::Heavy, Demand::Poisson(0.1), Demand::Poisson(3.0)];

/// A request to everyone else and the token, unless it is here: in every schedule.
fn assert_broadcasts<P>(name: &str, token_kind: &str, make: impl Fn(NodeId, u32) -> P)
where
    P: Protocol<Command = Command, Event = Event>,
{
    for nodes in SIZES {
        let make = |me| make(me, nodes);
        for options in schedules() {
            let mut token = NodeId(0);
            for turn in turns(&options, nodes, &uniform(nodes, 40, options.seed), make) {
                let expected = if turn.node == token { 0 } else { u64::from(nodes) };
                assert_eq!(turn.messages, expected, "{name}, {nodes} nodes, {turn:?}, {options:?}");
                if options.delay == Delay::Constant(1) {
                    assert_eq!(turn.waited, if turn.node == token { 0 } else { 2 }, "{turn:?}");
                }
                token = turn.node;
            }
            for demand in DEMANDS {
                let report = run(&options, nodes, plan(&options, nodes, demand, 4), make);
                let (requests, tokens) =
                    (report.messages.called("Request"), report.messages.called(token_kind));
                let context = format!("{name}, {nodes} nodes, {demand}, {options:?}");
                assert_eq!(requests, u64::from(nodes - 1) * tokens, "{context}");
                assert_eq!(report.messages.total, requests + tokens, "{context}");
                assert!(tokens <= 4 * u64::from(nodes), "{context}");
            }
        }
        if nodes > 1 {
            assert_saturated(nodes, f64::from(nodes), 1.0, name, make);
        }
    }
}

#[test]
fn ricart_and_agrawala_take_n_messages_or_none() {
    assert_broadcasts("ricart-agrawala-token", "Token", RicartAgrawalaToken::new);
}

#[test]
fn suzuki_and_kasami_take_n_messages_or_none() {
    assert_broadcasts("suzuki-kasami", "Privilege", SuzukiKasami::new);
}

/// Who is asked: at first those with smaller numbers, later those who entered since.
fn suspects(order: &[NodeId], place: usize) -> usize {
    let (me, before) = (order[place], &order[..place]);
    let last = before.iter().rposition(|&node| node == me);
    let since = before[last.map_or(0, |last| last + 1)..].iter().copied();
    let at_first = NodeId::all(if last.is_none() { me.0 } else { 0 });
    since.chain(at_first).collect::<BTreeSet<_>>().len()
}

/// The suspects and the token, or nothing where it is.
fn singhal_costs(order: &[NodeId]) -> Vec<u64> {
    let token = |place: usize| if place == 0 { NodeId(0) } else { order[place - 1] };
    let cost = |place: usize| match order[place] == token(place) {
        true => 0,
        false => suspects(order, place) as u64 + 1,
    };
    (0..order.len()).map(cost).collect()
}

#[test]
fn singhal_asks_those_who_entered_since() {
    for nodes in SIZES {
        for options in schedules() {
            let order = uniform(nodes, 60, options.seed);
            let played = turns(&options, nodes, &order, |me| Singhal::new(me, nodes));
            let costs: Vec<_> = played.iter().map(|turn| turn.messages).collect();
            assert_eq!(costs, singhal_costs(&order), "{nodes} nodes, {options:?}");
            if options.delay == Delay::Constant(1) {
                let waits = played.iter().map(|turn| turn.waited);
                assert!(waits.eq(costs.iter().map(|&cost| if cost > 0 { 2 } else { 0 })));
            }
        }
    }
}

#[test]
fn singhal_asks_half_of_the_nodes_on_average() {
    // Once everyone has entered, in any order, and anyone asks next: (n-1)/n (n/2+1).
    for nodes in 2..=5 {
        let all: Vec<_> = (0..nodes).collect();
        let mut sum = 0;
        let orders = permutations(&all);
        for order in &orders {
            for next in 0..nodes {
                let order: Vec<_> = order.iter().copied().chain([next]).map(NodeId).collect();
                let make = |me| Singhal::new(me, nodes);
                sum += turns(&Options::default(), nodes, &order, make).last().unwrap().messages;
            }
        }
        let n = u64::from(nodes);
        assert_eq!(2 * sum, orders.len() as u64 * (n - 1) * (n + 2), "{nodes} nodes");
    }
    for nodes in [9, 13, 30] {
        let make = |me| Singhal::new(me, nodes);
        let play = |order: Vec<NodeId>| turns(&Options::default(), nodes, &order, make);
        let half = f64::from(nodes) / 2.0 + 1.0;
        let costs = mean_costs(40, 300, |seed| play(distinct(nodes, 1000, seed)));
        assert_mean(&costs, half, &format!("distinct, {nodes} nodes"));
        let costs = mean_costs(40, 300, |seed| play(uniform(nodes, 1000, seed)));
        let share = f64::from(nodes - 1) / f64::from(nodes);
        assert_mean(&costs, half * share, &format!("uniform, {nodes} nodes"));
    }
}

#[test]
fn singhal_asks_everyone_under_heavy_load() {
    for nodes in &SIZES[1..] {
        let make = |me| Singhal::new(me, *nodes);
        assert_saturated(*nodes, f64::from(*nodes), 1.0, "singhal", make);
    }
}
