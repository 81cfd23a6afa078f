//! The totals over all schedules, mutex.md 9.2: cheapest and costliest, for the whole budget.

use konklave::NodeId;
use konklave::graph::{Graph, Topology};
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
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::{Command, Event};
use konklave::protocol::Protocol;
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::{Delay, Options};

use super::lock::{plan, run};
use super::ring::beside;
use super::schedules::System;
use super::tree::Tree;

/// The cheapest and the costliest schedule with channels that keep the order.
fn totals<P>(wanted: &[u32], make: impl Fn(NodeId) -> P) -> Option<(u64, u64)>
where
    P: Protocol<Command = Command, Event = Event>,
{
    System::new(wanted, true, make).extremes(&|_| ())
}

#[test]
fn permission_algorithms_stay_within_their_totals() {
    assert_eq!(totals(&[1; 3], |me| Central::new(me, NodeId(0))), Some((6, 6)));
    assert_eq!(totals(&[1; 3], |me| RicartAgrawala::new(me, 3)), Some((12, 12)));
    let kept = |variant| totals(&[2; 3], |me| CarvalhoRoucairol::new(me, 3, variant));
    assert_eq!(kept(carvalho_roucairol::Variant::Symmetric), Some((12, 24)));
    assert_eq!(kept(carvalho_roucairol::Variant::Ordered), Some((6, 24)));
}

#[test]
fn lazy_acknowledgements_stay_within_their_totals() {
    // 15 to 18 for three nodes that ask once: too many states to try all, so random ones.
    let totals: std::collections::BTreeSet<_> = (1..=2000)
        .map(|seed| {
            let delay = Delay::Exponential(10);
            let options = Options { seed, fifo: true, delay, ..Options::default() };
            let plan = plan(&options, 3, Demand::Poisson(0.3), 1);
            run(&options, 3, plan, |me| Lamport::new(me, 3, Acks::Lazy)).messages.total
        })
        .collect();
    assert_eq!(totals.into_iter().collect::<Vec<_>>(), [15, 16, 17, 18]);
}

#[test]
fn token_algorithms_stay_within_their_totals() {
    assert_eq!(totals(&[1; 3], |me| RicartAgrawalaToken::new(me, 3)), Some((6, 9)));
    assert_eq!(totals(&[2; 3], |me| SuzukiKasami::new(me, 3)), Some((6, 18)));
    assert_eq!(totals(&[1; 3], |me| Singhal::new(me, 3)), Some((5, 9)));
    assert_eq!(totals(&[2; 3], |me| Singhal::new(me, 3)), Some((5, 20)));
    let naimi_trehel = |me| NaimiTrehel::new(me, NodeId(0));
    assert_eq!(totals(&[1; 4], naimi_trehel), Some((8, 10)));
    assert_eq!(totals(&[2; 4], naimi_trehel), Some((8, 22)));
    assert_eq!(totals(&[1; 5], naimi_trehel), Some((11, 13)));
}

#[test]
fn quorum_algorithms_stay_within_their_totals() {
    let triangle = Quorums::parse("0: 0 1\n1: 1 2\n2: 2 0", 3).unwrap();
    let all = Quorums::parse("0: 0 1 2\n1: 0 1 2\n2: 0 1 2", 3).unwrap();
    let maekawa = |quorums: &Quorums, wanted: u32| {
        totals(&[wanted; 3], |me| Maekawa::new(me, quorums.of(me).clone()))
    };
    assert_eq!(maekawa(&triangle, 1), Some((9, 11)));
    assert_eq!(maekawa(&triangle, 2), Some((18, 22)));
    assert_eq!(maekawa(&all, 1), Some((18, 26)));
    let cao_singhal = |quorums: &Quorums, wanted: u32| {
        totals(&[wanted; 3], |me| CaoSinghal::new(me, quorums.of(me)))
    };
    assert_eq!(cao_singhal(&triangle, 1), Some((9, 14)));
    assert_eq!(cao_singhal(&all, 1), Some((18, 30)));
}

#[test]
fn information_structures_stay_within_their_totals() {
    let sanders = |structure: &Structure, wanted: &[u32]| {
        totals(wanted, |me| Sanders::new(me, structure.at(me).clone()))
    };
    let four = Structure::mixed(4);
    assert_eq!(sanders(&four, &[1, 1, 0, 0]), Some((4, 5)));
    assert_eq!(sanders(&four, &[0, 0, 1, 1]), Some((12, 16)));
    assert_eq!(sanders(&four, &[1; 4]), Some((16, 27)));
    assert_eq!(sanders(&Structure::ricart_agrawala(3), &[1; 3]), Some((12, 16)));
    let central = "0: inform 0 / request 0\n1: inform 0 1 / request 0 1\n\
                   2: inform 0 2 / request 0 2";
    assert_eq!(sanders(&Structure::parse(central, 3).unwrap(), &[1; 3]), Some((6, 8)));
}

#[test]
fn tokens_on_rings_stay_within_their_totals() {
    let chase = |nodes: u32, wanted: u32, variant| {
        totals(&vec![wanted; nodes as usize], |me: NodeId| {
            RingChase::new(me, beside(me, nodes), me.0, nodes, variant)
        })
    };
    assert_eq!(chase(3, 1, ring_chase::Variant::Hop), Some((4, 9)));
    assert_eq!(chase(4, 1, ring_chase::Variant::Hop), Some((6, 16)));
    assert_eq!(chase(4, 2, ring_chase::Variant::Hop), Some((11, 32)));
    assert_eq!(chase(4, 1, ring_chase::Variant::Circle), Some((7, 26)));
}

#[test]
fn tokens_on_trees_and_graphs_stay_within_their_totals() {
    let raymond = |form: &str, wanted: &[u32]| {
        let tree = Tree::new(form, wanted.len() as u32, 1);
        totals(wanted, |me| Raymond::new(me, tree.towards(me, NodeId(0)), Variant::Plain))
    };
    assert_eq!(raymond("line", &[1; 4]), Some((6, 18)));
    assert_eq!(raymond("line", &[2; 4]), Some((6, 34)));
    assert_eq!(raymond("star", &[1; 5]), Some((14, 16)));
    // Without the wave that orients the edges.
    let graph = |form: &str, variant| {
        let graph: Graph = form.parse::<Topology>().unwrap().build(4, &mut || 0).unwrap();
        let make = |me| TokenGraph::new(me, graph.neighbours(me).collect(), NodeId(0), variant);
        totals(&[1; 4], make)
    };
    assert_eq!(graph("ring", token_graph::Variant::All), Some((8, 20)));
    assert_eq!(graph("complete", token_graph::Variant::All), Some((11, 26)));
    assert_eq!(graph("complete", token_graph::Variant::Everyone), Some((12, 32)));
    assert_eq!(graph("ring", token_graph::Variant::One), Some((8, 16)));
    assert_eq!(graph("complete", token_graph::Variant::One), Some((10, 12)));
}
