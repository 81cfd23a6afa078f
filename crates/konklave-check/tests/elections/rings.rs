//! Rings.

use std::time::Duration;

use konklave::NodeId;
use konklave::election::Winner;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::chang_roberts_bidirectional::{self, ChangRobertsBidirectional};
use konklave::election::chang_roberts_numbered::ChangRobertsNumbered;
use konklave::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use konklave::election::franklin::Franklin;
use konklave::election::heading::Neighbours;
use konklave::election::hirschberg_sinclair::{self, HirschbergSinclair};
use konklave::election::le_lann::LeLann;
use konklave::election::peterson::{self, Peterson};
use konklave::election::ring_naive::RingNaive;
use konklave_check::{Pace, World};

use super::{Instance, both_orders, fine, instances, orders};

fn next(me: NodeId, nodes: u32) -> NodeId {
    NodeId((me.0 + 1) % nodes)
}

fn both(me: NodeId, nodes: u32) -> Neighbours {
    Neighbours { left: NodeId((me.0 + nodes - 1) % nodes), right: next(me, nodes) }
}

const FIFO: World = World {
    order: konklave_check::Order::Fifo,
    pace: Pace::Free,
    perpetual: false,
    faults: konklave_check::Faults::NONE,
};

fn one_way(nodes: u32) {
    for it in instances(nodes, true, &both_orders()) {
        fine(&it, Winner::Largest, |me| RingNaive::new(it.id(me), next(me, nodes)));
        for wake in [Wake::All, Wake::Suppress, Wake::Relay] {
            let make = |me| ChangRoberts::new(it.id(me), next(me, nodes), wake);
            fine(&it, wake.winner(), make);
        }
    }
    in_order(nodes);
}

/// Those that need channels that keep the order.
fn in_order(nodes: u32) {
    for it in instances(nodes, true, &[FIFO]) {
        let winner = Winner::LargestInitiator;
        fine(&it, winner, |me| DolevKlaweRodeh::new(it.id(me), next(me, nodes)));
        for variant in
            [peterson::Variant::Basic, peterson::Variant::Original, peterson::Variant::Alternating]
        {
            fine(&it, winner, |me| Peterson::new(it.id(me), next(me, nodes), variant));
        }
        if nodes <= 5 {
            fine(&it, winner, |me| Franklin::new(it.id(me), both(me, nodes)));
        }
        if nodes <= 4 {
            fine(&it, winner, |me| LeLann::new(it.id(me), next(me, nodes)));
        }
    }
}

/// Two directions; who sends in which is a choice, so all of them are tried.
fn two_way(nodes: u32) {
    for it in instances(nodes, true, &both_orders()) {
        for wake in
            [chang_roberts_bidirectional::Wake::All, chang_roberts_bidirectional::Wake::Suppress]
        {
            let make = |me| ChangRobertsBidirectional::new(it.id(me), both(me, nodes), wake);
            fine(&it, Winner::Largest, make);
        }
    }
}

fn doubling(nodes: u32, worlds: &[World]) {
    for it in instances(nodes, true, worlds) {
        for wake in [hirschberg_sinclair::Wake::All, hirschberg_sinclair::Wake::Relay] {
            let make = |me| HirschbergSinclair::new(it.id(me), both(me, nodes), wake);
            fine(&it, wake.winner(), make);
        }
    }
}

#[test]
fn small_rings() {
    (1..=3).for_each(one_way);
    in_order(4);
    (2..=3).for_each(two_way);
    (2..=3).for_each(|nodes| doubling(nodes, &both_orders()));
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn larger_rings() {
    one_way(4);
    in_order(5);
    in_order(6);
    two_way(4);
    doubling(4, &[FIFO]);
    for it in instances(5, true, &both_orders()) {
        for wake in [Wake::All, Wake::Suppress, Wake::Relay] {
            let make = |me| ChangRoberts::new(it.id(me), next(me, 5), wake);
            fine(&it, wake.winner(), make);
        }
    }
}

/// All ways to distribute up to `most` calls for an election.
fn calls(nodes: u32, most: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..nodes {
        all = all
            .into_iter()
            .flat_map(|calls| (0..=most).map(move |more| [calls.clone(), vec![more]].concat()))
            .collect();
    }
    all.retain(|calls| (1..=most).contains(&calls.iter().sum()));
    all
}

/// Elections that are called at any time, also while another is under way or just over.
fn repeated(nodes: u32, most: u32) {
    let patient = World { pace: Pace::Patient, ..World::new() };
    for ids in orders(nodes, true) {
        for starts in calls(nodes, most) {
            let it = Instance { ids: ids.clone(), starts: starts.clone(), world: FIFO };
            let make = |me| ChangRoberts::new(it.id(me), next(me, nodes), Wake::All).ready_again();
            fine(&it, Winner::Largest, make);
            for world in [patient, patient.fifo()] {
                let it = Instance { ids: ids.clone(), starts: starts.clone(), world };
                let make = |me: NodeId| {
                    let after = (1..nodes).map(|step| NodeId((me.0 + step) % nodes)).collect();
                    ChangRobertsNumbered::new(it.id(me), me, after, Duration::from_millis(100))
                };
                fine(&it, Winner::Largest, make);
            }
        }
    }
}

#[test]
fn elections_at_any_time() {
    repeated(2, 3);
    repeated(3, 2);
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn more_elections_at_any_time() {
    repeated(3, 3);
    repeated(4, 2);
}
