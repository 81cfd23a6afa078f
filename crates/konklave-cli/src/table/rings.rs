//! Elections on rings that hold one election and survive no crashes.

use konklave::election::Winner;
use konklave::election::chang_roberts_bidirectional::{self, ChangRobertsBidirectional};
use konklave::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use konklave::election::franklin::Franklin;
use konklave::election::hirschberg_sinclair::{self, HirschbergSinclair};
use konklave::election::le_lann::LeLann;
use konklave::election::peterson::{self, Peterson};
use konklave::election::ring_naive::RingNaive;

use crate::entry::{Choice, Entry, Family, Needs, Network, Order};
use crate::{drive, expected};

const RING: Needs = Needs::network(Network::Ring);
const TWO_WAY_RING: Needs = Needs::network(Network::TwoWayRing);

const SUPPRESS: Choice = Choice { name: "wake", values: &["all", "suppress"] };
const RELAY: Choice = Choice { name: "wake", values: &["all", "relay"] };
const PETERSON: Choice = Choice { name: "variant", values: &["basic", "original", "alternating"] };

pub(super) fn elections() -> Vec<Entry> {
    vec![
        entry!(
            election::chang_roberts_bidirectional,
            TWO_WAY_RING,
            &[SUPPRESS],
            expected::unknown,
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
            expected::unknown,
            |site, job| {
                let make = |me| DolevKlaweRodeh::new(site.id(me), site.successor(me));
                drive::elections(site, job, Winner::LargestInitiator, make)
            }
        ),
        entry!(
            election::franklin,
            TWO_WAY_RING.order(Order::Fifo),
            &[],
            expected::unknown,
            |site, job| {
                let make = |me| Franklin::new(site.id(me), site.ring_neighbours(me));
                drive::elections(site, job, Winner::LargestInitiator, make)
            }
        ),
        entry!(
            election::hirschberg_sinclair,
            TWO_WAY_RING,
            &[RELAY],
            expected::unknown,
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
        entry!(election::le_lann, RING.order(Order::Fifo), &[], expected::unknown, |site, job| {
            let make = |me| LeLann::new(site.id(me), site.successor(me));
            drive::elections(site, job, Winner::LargestInitiator, make)
        }),
        entry!(
            election::peterson,
            RING.order(Order::Fifo),
            &[PETERSON],
            expected::unknown,
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
        entry!(election::ring_naive, RING, &[], expected::unknown, |site, job| {
            let make = |me| RingNaive::new(site.id(me), site.successor(me));
            drive::elections(site, job, Winner::Largest, make)
        }),
    ]
}
