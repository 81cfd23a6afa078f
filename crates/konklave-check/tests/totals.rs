//! The least and the most messages over all schedules, against numbers that were found elsewhere:
//! the specification's table of exact totals, with channels that keep the order.

use konklave::NodeId;
use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::carvalho_roucairol::{self, CarvalhoRoucairol};
use konklave::mutex::central::Central;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::ricart_agrawala_token::RicartAgrawalaToken;
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::Protocol;
use konklave::trace::Line;
use konklave_catalog::mutex::client::Visitor;
use konklave_check::{
    Costs, Extremes, Liveness, Options, Schedule, SearchReport, System, Verdict, World, explore,
};

fn check<P>(
    budgets: &[u32],
    options: Options,
    make: impl Fn(NodeId) -> P,
) -> SearchReport<Schedule<P>>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let visitors = budgets.iter().copied().map(Visitor::new).collect();
    let monitor = Monitor::new(budgets.len() as u32);
    let system = System::new(make, visitors, monitor, World::new().fifo());
    explore(system, options, &mut |_| true)
}

fn totals<P>(budgets: &[u32], make: impl Fn(NodeId) -> P) -> (u32, u32)
where
    P: Protocol<Command = Command, Event = Event>,
{
    let report = check(budgets, Options { threads: 2, ..Options::default() }, make);
    assert_eq!((report.verdict, report.liveness), (Verdict::Exhausted, Some(Liveness::Acyclic)));
    assert!(report.reached.served && report.reached.contention);
    let Some(Extremes { min, max: Some(max) }) = report.messages else { panic!("no costs") };
    (min, max)
}

#[test]
fn permission_algorithms() {
    assert_eq!(totals(&[1; 3], |me| Central::new(me, NodeId(0))), (6, 6));
    assert_eq!(totals(&[1; 3], |me| RicartAgrawala::new(me, 3)), (12, 12));
    let kept = |variant| totals(&[2; 3], |me| CarvalhoRoucairol::new(me, 3, variant));
    assert_eq!(kept(carvalho_roucairol::Variant::Symmetric), (12, 24));
    assert_eq!(kept(carvalho_roucairol::Variant::Ordered), (6, 24));
}

/// Nearly a million states each.
#[test]
fn lamport() {
    assert_eq!(totals(&[1; 3], |me| Lamport::new(me, 3, Acks::Eager)), (18, 18));
    assert_eq!(totals(&[1; 3], |me| Lamport::new(me, 3, Acks::Lazy)), (15, 18));
}

#[test]
fn token_algorithms() {
    assert_eq!(totals(&[1; 3], |me| RicartAgrawalaToken::new(me, 3)), (6, 9));
    assert_eq!(totals(&[2; 3], |me| SuzukiKasami::new(me, 3)), (6, 18));
    let path = |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
    assert_eq!(totals(&[1; 4], path), (6, 18));
    assert_eq!(totals(&[2; 4], path), (6, 34));
    let chase = |nodes: u32, entries: u32| {
        let beside = |me: NodeId| (NodeId((me.0 + nodes - 1) % nodes), NodeId((me.0 + 1) % nodes));
        let variant = ring_chase::Variant::Hop;
        let make = |me: NodeId| RingChase::new(me, beside(me), me.0, nodes, variant);
        totals(&vec![entries; nodes as usize], make)
    };
    assert_eq!(chase(3, 1), (4, 9));
    assert_eq!(chase(4, 1), (6, 16));
    assert_eq!(chase(4, 2), (11, 32));
}

#[test]
fn quorum_algorithms() {
    let triangle = Quorums::parse("0: 0 1\n1: 1 2\n2: 2 0", 3).unwrap();
    let all = Quorums::parse("0: 0 1 2\n1: 0 1 2\n2: 0 1 2", 3).unwrap();
    let maekawa = |quorums: &Quorums, entries: u32| {
        totals(&[entries; 3], |me| Maekawa::new(me, quorums.of(me).clone()))
    };
    assert_eq!(maekawa(&triangle, 1), (9, 11));
    assert_eq!(maekawa(&triangle, 2), (18, 22));
    assert_eq!(maekawa(&all, 1), (18, 26));
    assert_eq!(totals(&[1; 3], |me| CaoSinghal::new(me, all.of(me))), (18, 30));
}

/// Where only the edge that the token took turns round, the rest is a spanning tree. The wave that
/// points all edges to the token costs two messages per edge before that.
#[test]
fn a_token_on_graphs() {
    let on = |neighbours: &dyn Fn(NodeId) -> Vec<NodeId>| {
        let variant = token_graph::Variant::One;
        totals(&[1; 4], |me| TokenGraph::new(me, neighbours(me), NodeId(0), variant))
    };
    let cycle = |me: NodeId| vec![NodeId((me.0 + 3) % 4), NodeId((me.0 + 1) % 4)];
    assert_eq!(on(&cycle), (2 * 4 + 8, 2 * 4 + 16));
    let complete = |me: NodeId| NodeId::all(4).filter(|other| *other != me).collect();
    assert_eq!(on(&complete), (2 * 6 + 10, 2 * 6 + 12));
}

#[test]
fn the_costliest_schedule_costs_what_it_says() {
    let options = Options { costs: Costs::Worst, ..Options::default() };
    let path = |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
    let report = check(&[1; 4], options, path);
    let worst = report.worst.expect("it was asked for");
    let sent = |line: &Line<Raymond>| match line {
        Line::Step(step) => {
            step.effects.iter().filter(|it| it.to_string().starts_with("->")).count()
        }
        _ => 0,
    };
    assert_eq!(worst.iter().map(sent).sum::<usize>(), 18);
}

#[test]
fn who_waits_can_be_overtaken_twice_by_the_same() {
    // Node 1 lets node 0 in and asks after that; node 0 enters, leaves, and asks again before it
    // has seen that request. Both have the same time, so node 0 enters once more; not a third time.
    let report = check(&[3, 3], Options::default(), |me| RicartAgrawala::new(me, 2));
    assert_eq!(report.awaited, Some(2));
}
