//! Mutual exclusion and booking.

use konklave::NodeId;
use konklave::booking::reservation::Reservation;
use konklave::booking::{self, Form, Interval};
use konklave::graph::Topology;
use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::carvalho_roucairol::{self, CarvalhoRoucairol};
use konklave::mutex::central::Central;
use konklave::mutex::hierarchical::Hierarchical;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::naimi_trehel::NaimiTrehel;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::ricart_agrawala_token::RicartAgrawalaToken;
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::sanders::{Sanders, Structure};
use konklave::mutex::singhal::Singhal;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::token_search::{Search, TokenSearch};
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::Protocol;
use konklave_catalog::booking::client::Guest;
use konklave_catalog::mutex::client::Visitor;
use konklave_check::{System, Verdict, World};

use super::agree;

/// A system whose nodes enter so often.
pub(super) fn locks<P>(
    budget: &[u32],
    world: World,
    make: impl Fn(NodeId) -> P,
) -> System<P, Visitor, Monitor>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let visitors = budget.iter().copied().map(Visitor::new).collect();
    System::new(make, visitors, Monitor::new(budget.len() as u32), world)
}

/// The same, with both explorers, in both orders: how many states there are.
fn both_orders<P>(name: &str, budget: &[u32], make: impl Fn(NodeId) -> P + Copy) -> [u64; 2]
where
    P: Protocol<Command = Command, Event = Event>,
{
    [World::new().fifo(), World::new()].map(|world| {
        let (unique, verdict) = agree(name, locks(budget, world, make));
        assert_eq!(verdict, Verdict::Exhausted, "{name}");
        unique
    })
}

/// Numbers that change only if a behaviour does.
#[track_caller]
fn pinned(found: [u64; 2], expected: [u64; 2]) {
    assert_eq!(found, expected, "states with channels in order, and in any order");
}

#[test]
fn permission_algorithms() {
    let central = |me| Central::new(me, NodeId(0));
    pinned(both_orders("central", &[2, 2, 1], central), [379, 418]);
    let ricart_agrawala = |me| RicartAgrawala::new(me, 3);
    pinned(both_orders("ricart-agrawala", &[1, 1, 1], ricart_agrawala), [2050, 2823]);
    let carvalho_roucairol =
        |me| CarvalhoRoucairol::new(me, 3, carvalho_roucairol::Variant::Symmetric);
    pinned(both_orders("carvalho-roucairol", &[2, 1, 1], carvalho_roucairol), [3160, 4813]);
    let lamport = |me| Lamport::new(me, 2, Acks::Lazy);
    let (unique, _) = agree("lamport", locks(&[2, 2], World::new().fifo(), lamport));
    assert_eq!(unique, 1098);
}

#[test]
fn quorum_algorithms() {
    let quorums = Quorums::parse("0: 0 1\n1: 1 2\n2: 2 0", 3).unwrap();
    let maekawa = |me| Maekawa::new(me, quorums.of(me).clone());
    pinned(both_orders("maekawa", &[1, 1, 1], maekawa), [460, 552]);
    let cao_singhal = |me| CaoSinghal::new(me, quorums.of(me));
    pinned(both_orders("cao-singhal", &[1, 1, 1], cao_singhal), [1368, 2149]);
    let structure = Structure::mixed(3);
    let sanders = |me| Sanders::new(me, structure.at(me).clone());
    pinned(both_orders("sanders", &[1, 1, 1], sanders), [1078, 1469]);
}

#[test]
fn broadcast_token_algorithms() {
    pinned(
        both_orders("ricart-agrawala-token", &[1; 3], |me| RicartAgrawalaToken::new(me, 3)),
        [2018, 2636],
    );
    pinned(both_orders("suzuki-kasami", &[1; 3], |me| SuzukiKasami::new(me, 3)), [582, 728]);
    pinned(both_orders("singhal", &[1; 3], |me| Singhal::new(me, 3)), [427, 544]);
}

#[test]
fn tokens_on_paths() {
    pinned(
        both_orders("naimi-trehel", &[2, 1, 1], |me| NaimiTrehel::new(me, NodeId(0))),
        [301, 313],
    );
    for (variant, states) in [
        (Variant::Plain, [483, 561]),
        (Variant::Combined, [510, 598]),
        (Variant::Greedy, [491, 579]),
    ] {
        let raymond = |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1)), variant);
        pinned(both_orders("raymond", &[2, 1, 2], raymond), states);
    }
    let beside = |me: NodeId| (NodeId((me.0 + 2) % 3), NodeId((me.0 + 1) % 3));
    let chase = |me| RingChase::new(me, beside(me), me.0, 3, ring_chase::Variant::Hop);
    pinned(both_orders("ring-chase", &[2, 1, 1], chase), [326, 1671]);
}

#[test]
fn tokens_on_graphs() {
    let graph = "complete".parse::<Topology>().unwrap().build(3, &mut || 0).unwrap();
    let neighbours = |me| graph.neighbours(me).collect::<Vec<_>>();
    let variant = token_graph::Variant::All;
    let token_graph = |me| TokenGraph::new(me, neighbours(me), NodeId(0), variant);
    pinned(both_orders("token-graph", &[1, 1, 1], token_graph), [991, 1256]);
    let token_search = |me| TokenSearch::new(me, neighbours(me), NodeId(0), Search::Direct);
    pinned(both_orders("token-search", &[1, 1, 1], token_search), [582, 728]);
    let hierarchical = |me| Hierarchical::new(me, 2, 2, |me| NaimiTrehel::new(me, NodeId(0)));
    pinned(both_orders("hierarchical", &[1, 1, 1, 1], hierarchical), [921, 974]);
}

#[test]
fn a_token_that_never_rests() {
    let beside = |me: NodeId| (NodeId((me.0 + 2) % 3), NodeId((me.0 + 1) % 3));
    let linger = std::time::Duration::ZERO;
    let perpetuum = |me| Perpetuum::new(me, beside(me), NodeId(0), linger);
    let world = World { perpetual: true, ..World::new() };
    let (unique, verdict) = agree("perpetuum", locks(&[2, 1, 1], world, perpetuum));
    assert_eq!((unique, verdict), (186, Verdict::Exhausted));
}

#[test]
fn bookings() {
    for form in [Form::Block, Form::Deny] {
        let guests = (0..3).map(|node| Guest::new(vec![Interval { start: node, end: node + 2 }]));
        let monitor = booking::Monitor::new(3, form);
        let make = |me| Reservation::new(me, 3, form);
        let system = System::new(make, guests.collect(), monitor, World::new());
        let (_, verdict) = agree("reservation", system);
        assert_eq!(verdict, Verdict::Exhausted, "{form:?}");
    }
}
