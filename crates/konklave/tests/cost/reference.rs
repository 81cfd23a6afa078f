//! The table of reference results, mutex.md 9.1, row by row: as printed, light means to 3 %.
//!
//! The other files of this folder derive these numbers; here they stand as they were measured
//! elsewhere. Le Lann's row is in `ring.rs`, that of Sanders under heavy load in `quorum.rs`, and
//! the greedy variant of Raymond, which here sends token and request together, in
//! `raymond_variants.rs`.

use konklave::NodeId;
use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::carvalho_roucairol::{self, CarvalhoRoucairol};
use konklave::mutex::central::Central;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::naimi_trehel::NaimiTrehel;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::ricart_agrawala_token::RicartAgrawalaToken;
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::sanders::{Sanders, Structure};
use konklave::mutex::singhal::Singhal;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::{Command, Event};
use konklave::protocol::Protocol;
use konklave_sim::Options;

use super::lock::saturated;
use super::ring::beside;
use super::tree::Tree;
use super::turns::{Turn, distinct, turns, uniform};

/// What a row says about one size.
struct Row {
    name: &'static str,
    nodes: u32,
    /// Messages per entry: uniform, distinct; and the wait, if it is not one T per message.
    light: (f64, f64, Option<f64>),
    /// Messages per entry and mean delay, to the last digit printed.
    heavy: (f64, f64),
    /// The largest number of entries that overtake a request under heavy load.
    awaited: u64,
}

const fn row(
    name: &'static str,
    nodes: u32,
    light: (f64, f64, Option<f64>),
    heavy: (f64, f64),
) -> Row {
    Row { name, nodes, light, heavy, awaited: nodes as u64 - 1 }
}

fn mean(turns: &[Turn], of: impl Fn(&Turn) -> u64) -> f64 {
    turns.iter().map(of).sum::<u64>() as f64 / turns.len() as f64
}

fn check<P>(row: &Row, make: impl Fn(NodeId) -> P)
where
    P: Protocol<Command = Command, Event = Event>,
{
    let (nodes, context) = (row.nodes, format!("{} of {}", row.name, row.nodes));
    let near = |measured: f64, printed: f64, what: &str| {
        let error = (measured / printed - 1.0).abs();
        assert!(error < 0.03, "{context}, {what}: {measured}, not {printed}");
    };
    let light = |order: Vec<NodeId>| turns(&Options::default(), nodes, &order, &make);
    let anyone = light(uniform(nodes, 5000, 1));
    near(mean(&anyone, |turn| turn.messages), row.light.0, "uniform");
    let others = light(distinct(nodes, 5000, 1));
    let messages = mean(&others, |turn| turn.messages);
    near(messages, row.light.1, "distinct");
    near(mean(&others, |turn| turn.waited), row.light.2.unwrap_or(messages), "wait");

    // Path reversal repeats itself after n+1 rounds, everything else after one.
    let heavy = saturated(nodes, 5 * (nodes + 1), &make);
    let delay = heavy.coordination_delay.unwrap().mean;
    for (measured, printed) in
        [(heavy.messages_per_entry.unwrap(), row.heavy.0), (delay, row.heavy.1)]
    {
        let digits = printed.to_string().split('.').nth(1).map_or(0, str::len);
        let error = (measured - printed).abs();
        let rounding = 0.5000001 * 0.1_f64.powi(digits as i32);
        assert!(error <= rounding, "{context}, heavy: {measured}, not {printed}");
    }
    assert!(heavy.awaited_max <= row.awaited, "{context}: {}", heavy.awaited_max);
}

#[test]
fn permission_algorithms_cost_what_the_table_says() {
    let two = Some(2.0);
    for (nodes, per_entry, wait, delay) in
        [(9, 2.667, 16.0 / 9.0, 1.778), (13, 2.769, 24.0 / 13.0, 1.846)]
    {
        // The coordinator takes part in the mean; it does not wait.
        let light = (per_entry, per_entry, Some(wait));
        let row = row("central", nodes, light, (per_entry, delay));
        check(&row, |me| Central::new(me, NodeId(0)));
    }
    for (nodes, lamport, everyone) in [(9, 24.0, 16.0), (13, 36.0, 24.0)] {
        let entry = row("lamport", nodes, (lamport, lamport, two), (lamport, 1.0));
        check(&entry, |me| Lamport::new(me, nodes, Acks::Eager));
        let entry = row("ricart-agrawala", nodes, (everyone, everyone, two), (everyone, 1.0));
        check(&entry, |me| RicartAgrawala::new(me, nodes));
        let n = f64::from(nodes);
        let entry = row("carvalho-roucairol", nodes, (n - 1.0, n, two), (everyone, 1.0));
        check(&entry, |me| {
            CarvalhoRoucairol::new(me, nodes, carvalho_roucairol::Variant::Symmetric)
        });
    }
}

#[test]
fn token_algorithms_cost_what_the_table_says() {
    let two = Some(2.0);
    for nodes in [9, 13] {
        let n = f64::from(nodes);
        let broadcast = |name| row(name, nodes, (n - 1.0, n, two), (n, 1.0));
        check(&broadcast("ricart-agrawala-token"), |me| RicartAgrawalaToken::new(me, nodes));
        check(&broadcast("suzuki-kasami"), |me| SuzukiKasami::new(me, nodes));
        let entry = row("ring-chase", nodes, (n - 1.0, n, Some(n)), (2.0, 1.0));
        check(&entry, |me| {
            RingChase::new(me, beside(me, nodes), me.0, nodes, ring_chase::Variant::Hop)
        });
    }
    for (nodes, anyone, others) in [(9, 4.9, 5.5), (13, 6.9, 7.5)] {
        let entry = row("singhal", nodes, (anyone, others, two), (f64::from(nodes), 1.0));
        check(&entry, |me| Singhal::new(me, nodes));
    }
    for (nodes, anyone, others, heavy) in [(9, 2.72, 3.06, 3.40), (13, 3.10, 3.36, 3.57)] {
        let entry = row("naimi-trehel", nodes, (anyone, others, None), (heavy, 1.0));
        check(&entry, |me| NaimiTrehel::new(me, NodeId(0)));
    }
}

#[test]
fn quorum_algorithms_cost_what_the_table_says() {
    let plane = |nodes| Quorums::plane(nodes).unwrap();
    let table = [
        ("plane", plane(7), 6.0, (8.0, 1.0), 11.0),
        ("plane", plane(13), 9.0, (12.0, 1.846), 16.0),
        ("grid", Quorums::grid(9), 12.0, (16.0, 2.0), 21.0),
        ("grid", Quorums::grid(13), 15.2, (20.3, 2.0), 26.4),
    ];
    for (name, quorums, light, maekawa, cao_singhal) in table {
        let nodes = quorums.sets().len() as u32;
        let with = |heavy| Row {
            awaited: u64::from(nodes) + 3,
            ..row(name, nodes, (light, light, Some(2.0)), heavy)
        };
        check(&with(maekawa), |me| Maekawa::new(me, quorums.of(me).clone()));
        check(&with((cao_singhal, 1.0)), |me| CaoSinghal::new(me, quorums.of(me)));
    }
    let four = Structure::mixed(4);
    let make = |me| Sanders::new(me, four.at(me).clone());
    let played = turns(&Options::default(), 4, &uniform(4, 5000, 1), make);
    assert!((mean(&played, |turn| turn.messages) / 4.0 - 1.0).abs() < 0.03);
    assert!(played.iter().all(|turn| turn.waited == 2));
}

#[test]
fn trees_cost_what_the_table_says() {
    let delays = [(9, 1.778), (13, 1.846)];
    let table = [
        ("line", Variant::Plain, [(5.93, 6.67, 3.556), (8.62, 9.33, 3.692)]),
        ("star", Variant::Plain, [(3.16, 3.56, 3.556), (3.41, 3.69, 3.692)]),
        ("tree:2", Variant::Plain, [(4.74, 5.33, 3.556), (6.06, 6.56, 3.692)]),
        ("tree:2", Variant::Combined, [(4.74, 5.33, 2.333), (6.06, 6.56, 2.385)]),
    ];
    for (form, variant, sizes) in table {
        for ((nodes, delay), (anyone, others, heavy)) in delays.into_iter().zip(sizes) {
            let tree = Tree::new(form, nodes, 1);
            let entry = row(form, nodes, (anyone, others, None), (heavy, delay));
            check(&entry, |me| Raymond::new(me, tree.towards(me, NodeId(0)), variant));
        }
    }
    // The elevator overtakes more: 23 of 13 nodes.
    let tree = Tree::new("tree:2", 13, 1);
    let make = |me| Raymond::new(me, tree.towards(me, NodeId(0)), Variant::Greedy);
    assert_eq!(saturated(13, 60, make).awaited_max, 23);
}
