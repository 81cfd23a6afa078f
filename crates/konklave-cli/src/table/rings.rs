//! Elections on rings.

use std::time::Duration;

use konklave::election::Winner;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::chang_roberts_bidirectional::{self, ChangRobertsBidirectional};
use konklave::election::chang_roberts_numbered::ChangRobertsNumbered;
use konklave::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use konklave::election::franklin::Franklin;
use konklave::election::hirschberg_sinclair::{self, HirschbergSinclair};
use konklave::election::le_lann::LeLann;
use konklave::election::peterson::{self, Peterson};
use konklave::election::ring_naive::RingNaive;

use crate::drive;
use crate::entry::{Choice, Entry, Family, Needs, Network, Order};
use crate::expected::election as formulas;
use crate::site::Site;

const RING: Needs = Needs::network(Network::Ring);
const READY_RING: Needs = RING.order(Order::FifoToRepeat);
const TWO_WAY_RING: Needs = Needs::network(Network::TwoWayRing);

const WAKE: Choice = Choice { name: "wake", values: &["all", "suppress", "relay"] };
pub(super) const PATIENCE: Choice = Choice { name: "patience", values: &["auto", "NUMBER"] };
const SUPPRESS: Choice = Choice { name: "wake", values: &["all", "suppress"] };
const RELAY: Choice = Choice { name: "wake", values: &["all", "relay"] };
const PETERSON: Choice = Choice { name: "variant", values: &["basic", "original", "alternating"] };

pub(super) fn elections() -> Vec<Entry> {
    vec![
        entry!(
            election::chang_roberts,
            READY_RING,
            &[WAKE],
            formulas::chang_roberts,
            |site, job| {
                let wake = wake(site);
                let make = |me| {
                    let node = ChangRoberts::new(site.id(me), site.successor(me), wake);
                    if site.setup().elections > 1 { node.ready_again() } else { node }
                };
                drive::election(site, job, wake.winner(), make)
            }
        ),
        entry!(
            election::chang_roberts_numbered,
            RING.notices(),
            &[PATIENCE],
            formulas::chang_roberts_numbered,
            |site, job| {
                let patience = patience(site);
                let make = |me| {
                    let successors = site.successors(me, SUCCESSORS);
                    ChangRobertsNumbered::new(site.id(me), me, successors, patience)
                };
                drive::election(site, job, Winner::Largest, make)
            }
        ),
        entry!(
            election::chang_roberts_bidirectional,
            TWO_WAY_RING,
            &[SUPPRESS],
            formulas::chang_roberts_bidirectional,
            |site, job| {
                let wake = match site.choice("wake") {
                    "suppress" => chang_roberts_bidirectional::Wake::Suppress,
                    _ => chang_roberts_bidirectional::Wake::All,
                };
                let make = |me| {
                    ChangRobertsBidirectional::new(site.id(me), site.ring_neighbours(me), wake)
                };
                drive::elections(site, job, Winner::Largest, make)
            }
        ),
        entry!(
            election::dolev_klawe_rodeh,
            RING.order(Order::Fifo),
            &[],
            formulas::dolev_klawe_rodeh,
            |site, job| {
                let make = |me| DolevKlaweRodeh::new(site.id(me), site.successor(me));
                drive::elections(site, job, Winner::LargestInitiator, make)
            }
        ),
        entry!(
            election::franklin,
            TWO_WAY_RING.order(Order::Fifo),
            &[],
            formulas::franklin,
            |site, job| {
                let make = |me| Franklin::new(site.id(me), site.ring_neighbours(me));
                drive::elections(site, job, Winner::LargestInitiator, make)
            }
        ),
        entry!(
            election::hirschberg_sinclair,
            TWO_WAY_RING,
            &[RELAY],
            formulas::hirschberg_sinclair,
            |site, job| {
                let wake = match site.choice("wake") {
                    "relay" => hirschberg_sinclair::Wake::Relay,
                    _ => hirschberg_sinclair::Wake::All,
                };
                let make =
                    |me| HirschbergSinclair::new(site.id(me), site.ring_neighbours(me), wake);
                drive::elections(site, job, wake.winner(), make)
            }
        ),
        entry!(election::le_lann, RING.order(Order::Fifo), &[], formulas::le_lann, |site, job| {
            let make = |me| LeLann::new(site.id(me), site.successor(me));
            drive::elections(site, job, Winner::LargestInitiator, make)
        }),
        entry!(
            election::peterson,
            RING.order(Order::Fifo),
            &[PETERSON],
            formulas::peterson,
            |site, job| {
                let variant = match site.choice("variant") {
                    "original" => peterson::Variant::Original,
                    "alternating" => peterson::Variant::Alternating,
                    _ => peterson::Variant::Basic,
                };
                let make = |me| Peterson::new(site.id(me), site.successor(me), variant);
                drive::elections(site, job, Winner::LargestInitiator, make)
            }
        ),
        entry!(election::ring_naive, RING, &[], formulas::ring_naive, |site, job| {
            let make = |me| RingNaive::new(site.id(me), site.successor(me));
            drive::elections(site, job, Winner::Largest, make)
        }),
    ]
}

fn wake(site: &Site) -> Wake {
    match site.choice("wake") {
        "suppress" => Wake::Suppress,
        "relay" => Wake::Relay,
        _ => Wake::All,
    }
}

/// How many of those that follow it each node of a ring knows where nodes may crash.
const SUCCESSORS: usize = 16;

/// How long a node waits for the end of a round.
pub(super) fn patience(site: &Site) -> Duration {
    match site.choice("patience") {
        "auto" => Duration::from_millis(100 * u64::from(site.nodes())),
        _ => Duration::from_millis(site.number("patience").into()),
    }
}
