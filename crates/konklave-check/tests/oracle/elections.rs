//! Elections.

use std::time::Duration;

use konklave::NodeId;
use konklave::election::adoption::Adoption;
use konklave::election::bully::Bully;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::chang_roberts_bidirectional::{self, ChangRobertsBidirectional};
use konklave::election::chang_roberts_numbered::ChangRobertsNumbered;
use konklave::election::dfs_token::DfsToken;
use konklave::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use konklave::election::echo::Echo;
use konklave::election::echo_extinction::EchoExtinction;
use konklave::election::extinction::Extinction;
use konklave::election::franklin::Franklin;
use konklave::election::heading::Neighbours;
use konklave::election::hirschberg_sinclair::{self, HirschbergSinclair};
use konklave::election::le_lann::LeLann;
use konklave::election::peterson::{self, Peterson};
use konklave::election::repeated::Repeated;
use konklave::election::ring_naive::RingNaive;
use konklave::election::tree_traversal::TreeTraversal;
use konklave::election::tree_wave::TreeWave;
use konklave::election::virtual_tree::VirtualTree;
use konklave::election::{Command, Event, Id, Monitor, Winner};
use konklave::protocol::Protocol;
use konklave_catalog::election::client::Voter;
use konklave_check::{Faults, Order, Pace, System, Verdict, World};

use super::agree;

const IDS: [u32; 4] = [3, 1, 4, 2];

/// A system whose first `initiators` nodes call an election each.
fn elections<P>(
    nodes: usize,
    initiators: usize,
    winner: Winner,
    world: World,
    make: impl Fn(NodeId) -> P,
) -> System<P, Voter, Monitor>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let voter = |node| Voter::new(u32::from(node < initiators));
    let ids = IDS[..nodes].iter().copied().map(Id).collect();
    System::new(make, (0..nodes).map(voter).collect(), Monitor::new(ids, winner), world)
}

fn id(me: NodeId) -> Id {
    Id(IDS[me.index()])
}

fn next(me: NodeId, nodes: u32) -> NodeId {
    NodeId((me.0 + 1) % nodes)
}

fn ring(me: NodeId, nodes: u32) -> Neighbours {
    Neighbours { left: NodeId((me.0 + nodes - 1) % nodes), right: next(me, nodes) }
}

#[track_caller]
fn fine<P>(name: &str, system: System<P, Voter, Monitor>)
where
    P: Protocol<Command = Command, Event = Event>,
{
    let (unique, verdict) = agree(name, system);
    assert_eq!(verdict, Verdict::Exhausted, "{name}");
    assert!(unique > 10, "{name}");
}

#[test]
fn on_one_way_rings() {
    let (any, fifo) = (World::new(), World::new().fifo());
    for initiators in [1, 4] {
        let all = |winner, world| (initiators, winner, world);
        let (count, winner, world) = all(Winner::Largest, any);
        let make = |me| RingNaive::new(id(me), next(me, 4));
        fine("ring-naive", elections(4, count, winner, world, make));
        for wake in [Wake::All, Wake::Suppress, Wake::Relay] {
            let make = |me| ChangRoberts::new(id(me), next(me, 4), wake);
            fine("chang-roberts", elections(4, count, wake.winner(), world, make));
        }
        let (count, winner, world) = all(Winner::LargestInitiator, fifo);
        let make = |me| LeLann::new(id(me), next(me, 4));
        fine("le-lann", elections(4, count, winner, world, make));
        let make = |me| DolevKlaweRodeh::new(id(me), next(me, 4));
        fine("dolev-klawe-rodeh", elections(4, count, winner, world, make));
        use peterson::Variant::{Alternating, Basic, Original};
        for variant in [Basic, Original, Alternating] {
            let make = |me| Peterson::new(id(me), next(me, 4), variant);
            fine("peterson", elections(4, count, winner, world, make));
        }
    }
}

#[test]
fn on_two_way_rings() {
    let fifo = World::new().fifo();
    let make = |me| Franklin::new(id(me), ring(me, 4));
    fine("franklin", elections(4, 4, Winner::LargestInitiator, fifo, make));
    use chang_roberts_bidirectional::Wake as BothWays;
    for wake in [BothWays::All, BothWays::Suppress] {
        // Each node chooses the way of its proposal.
        let make = |me| ChangRobertsBidirectional::new(id(me), ring(me, 3), wake);
        fine("chang-roberts-bidirectional", elections(3, 3, Winner::Largest, World::new(), make));
    }
    let wake = hirschberg_sinclair::Wake::All;
    let make = |me| HirschbergSinclair::new(id(me), ring(me, 3), wake);
    fine("hirschberg-sinclair", elections(3, 3, wake.winner(), World::new(), make));
}

#[test]
fn on_trees_and_graphs() {
    let any = World::new();
    let line = |me: NodeId| {
        let near = [me.0.checked_sub(1), Some(me.0 + 1).filter(|&other| other < 4)];
        near.into_iter().flatten().map(NodeId).collect::<Vec<_>>()
    };
    let make = |me| TreeTraversal::new(id(me), line(me));
    fine("tree-traversal", elections(4, 2, Winner::Largest, any, make));
    let make = |me| TreeWave::new(id(me), line(me));
    fine("tree-wave", elections(4, 2, Winner::Largest, any, make));
    let square = |me: NodeId| [NodeId((me.0 + 1) % 4), NodeId((me.0 + 3) % 4)];
    let make = |me| Echo::new(id(me), square(me));
    fine("echo", elections(4, 1, Winner::Largest, any, make));
    let make = |me| EchoExtinction::new(id(me), square(me), Winner::LargestInitiator);
    fine("echo-extinction", elections(4, 2, Winner::LargestInitiator, any, make));
    let make = |me| Extinction::new(id(me), square(me), Winner::Largest);
    fine("extinction", elections(4, 1, Winner::Largest, any, make));
    let make = |me| DfsToken::new(id(me), square(me));
    fine("dfs-token", elections(4, 2, Winner::Largest, any, make));
    let make = |me| Adoption::new(id(me), square(me));
    fine("adoption", elections(4, 2, Winner::LargestInitiator, any, make));
}

#[test]
fn again_and_again() {
    let make = |me| Repeated::new(RingNaive::new(id(me), next(me, 3)));
    let twice = |mut system: System<_, Voter, Monitor>| {
        system.applications[0] = Voter::new(2);
        system
    };
    fine("repeated", twice(elections(3, 1, Winner::Largest, World::new(), make)));
}

fn numbered(me: NodeId) -> ChangRobertsNumbered {
    let after = vec![next(me, 3), next(next(me, 3), 3)];
    ChangRobertsNumbered::new(id(me), me, after, Duration::from_millis(300))
}

fn bully(me: NodeId) -> Bully {
    let others = NodeId::all(3).filter(|&other| other != me);
    let others = others.map(|other| (id(other), other)).collect();
    Bully::new(id(me), others, Duration::from_millis(20))
}

fn virtual_tree(me: NodeId) -> VirtualTree {
    let Neighbours { left, right } = ring(me, 4);
    VirtualTree::new(me, id(me), vec![left, right], NodeId(0), Duration::from_millis(400))
}

const PATIENT: World =
    World { order: Order::Any, pace: Pace::Patient, perpetual: false, faults: Faults::NONE };

#[test]
fn with_timers() {
    fine("virtual-tree", elections(4, 2, Winner::Anyone, PATIENT.fifo(), virtual_tree));
    fine("chang-roberts-numbered", elections(3, 2, Winner::Largest, PATIENT, numbered));
    let mut system = elections(3, 2, Winner::Largest, PATIENT, bully);
    system.monitor = system.monitor.overlapping();
    fine("bully", system);
}

/// Everyone wants a leader and notices crashes.
fn all_notice<P>(mut system: System<P, Voter, Monitor>) -> System<P, Voter, Monitor>
where
    P: Protocol<Command = Command, Event = Event>,
{
    system.applications.fill(Voter::new(1).content().noticing());
    system
}

#[test]
fn crashes_are_survived_by_those_who_are_told() {
    let crash = Faults { crashes: 1, ..Faults::default() };
    let world = PATIENT.faults(Faults { losses: 1, ..crash });
    let system = elections(3, 3, Winner::Largest, world, numbered);
    fine("chang-roberts-numbered, a crash and a loss", all_notice(system));
    let mut system = elections(3, 3, Winner::Largest, PATIENT.faults(crash), bully);
    system.monitor = system.monitor.overlapping();
    fine("bully, a crash", all_notice(system));
    let system = elections(4, 4, Winner::Anyone, PATIENT.fifo().faults(crash), virtual_tree);
    fine("virtual-tree, a crash", all_notice(system));
}

#[test]
fn a_restart_is_survived_by_those_who_are_told() {
    let world = PATIENT.faults(Faults { restarts: 1, ..Faults::NONE });
    let system = elections(3, 1, Winner::Largest, world, numbered);
    let (unique, verdict) = agree("chang-roberts-numbered, a restart", all_notice(system));
    assert_eq!((unique, verdict), (5403, Verdict::Exhausted));
}
