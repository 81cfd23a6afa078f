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

use super::formulas::{self, Conditions};
use super::{Election, elections};
use crate::disorder::{Claim, Disorder};
use crate::entry::{Entry, line};
use crate::needs::{Needs, Network, Order};
use crate::option::Choice;
use crate::site::Site;
use crate::system::nodes;

const RING: Needs = Needs::network(Network::Ring);
const READY_RING: Needs = RING.order(Order::FifoToRepeat).duplicates();
const LE_LANN: Needs = RING.order(Order::Fifo).duplicates();
const TWO_WAY_RING: Needs = Needs::network(Network::TwoWayRing);

const WAKE: Choice = wakes(&["all", "suppress", "relay"]);
const SUPPRESS: Choice = wakes(&["all", "suppress"]);
const RELAY: Choice = wakes(&["all", "relay"]);
pub(super) const PATIENCE: Choice = Choice::new(
    "patience",
    &["auto", "NUMBER"],
    "Ticks after which a node abandons a round: auto, which is 100 per node, or a number",
)
.own_number();
const PETERSON: Choice = Choice::variant(&["basic", "original", "alternating"]);

/// What a sleeping node does when an election reaches it.
pub(super) const fn wakes(values: &'static [&'static str]) -> Choice {
    let help = "What a sleeping node does when an election reaches it: all, suppress or relay";
    Choice::new("wake", values, help)
}

/// A lost message costs another round.
const LOSSES: &[(Disorder, Claim)] = &[(Disorder::Loss, Claim::Everything)];

pub(super) fn entries() -> Vec<Entry> {
    vec![
        election!(chang_roberts, READY_RING, &[WAKE], formulas::chang_roberts, |site| {
            let wake = wake(site);
            let make = move |me| {
                let node = ChangRoberts::new(site.id(me), site.successor(me), wake);
                if site.repeats() > 1 { node.ready_again() } else { node }
            };
            Ok(nodes(Election { winner: wake.winner() }, site, make))
        }),
        election!(
            chang_roberts_numbered,
            RING.notices().duplicates().shortcuts().claims(LOSSES),
            &[PATIENCE],
            formulas::chang_roberts_numbered,
            |site| {
                let patience = patience(site);
                let make = move |me| {
                    let successors = site.successors(me, SUCCESSORS);
                    ChangRobertsNumbered::new(site.id(me), me, successors, patience)
                };
                Ok(nodes(Election { winner: Winner::Largest }, site, make))
            }
        ),
        election!(
            chang_roberts_bidirectional,
            TWO_WAY_RING.duplicates(),
            &[SUPPRESS],
            formulas::chang_roberts_bidirectional,
            |site| {
                let wake = match site.choice("wake") {
                    "suppress" => chang_roberts_bidirectional::Wake::Suppress,
                    _ => chang_roberts_bidirectional::Wake::All,
                };
                let make = move |me| {
                    ChangRobertsBidirectional::new(site.id(me), site.ring_neighbours(me), wake)
                };
                Ok(elections(Winner::Largest, site, make))
            }
        ),
        election!(
            dolev_klawe_rodeh,
            RING.order(Order::Fifo),
            &[],
            formulas::dolev_klawe_rodeh,
            |site| {
                let make = move |me| DolevKlaweRodeh::new(site.id(me), site.successor(me));
                Ok(elections(Winner::LargestInitiator, site, make))
            }
        ),
        election!(franklin, TWO_WAY_RING.order(Order::Fifo), &[], formulas::franklin, |site| {
            let make = move |me| Franklin::new(site.id(me), site.ring_neighbours(me));
            Ok(elections(Winner::LargestInitiator, site, make))
        }),
        election!(
            hirschberg_sinclair,
            TWO_WAY_RING.duplicates(),
            &[RELAY],
            formulas::hirschberg_sinclair,
            |site| {
                let wake = match site.choice("wake") {
                    "relay" => hirschberg_sinclair::Wake::Relay,
                    _ => hirschberg_sinclair::Wake::All,
                };
                let make =
                    move |me| HirschbergSinclair::new(site.id(me), site.ring_neighbours(me), wake);
                Ok(elections(wake.winner(), site, make))
            }
        ),
        election!(le_lann, LE_LANN, &[], formulas::le_lann, |site| {
            let make = move |me| LeLann::new(site.id(me), site.successor(me));
            Ok(elections(Winner::LargestInitiator, site, make))
        }),
        election!(peterson, RING.order(Order::Fifo), &[PETERSON], formulas::peterson, |site| {
            let variant = match site.choice("variant") {
                "original" => peterson::Variant::Original,
                "alternating" => peterson::Variant::Alternating,
                _ => peterson::Variant::Basic,
            };
            let make = move |me| Peterson::new(site.id(me), site.successor(me), variant);
            Ok(elections(Winner::LargestInitiator, site, make))
        }),
        election!(ring_naive, RING.duplicates(), &[], formulas::ring_naive, |site| {
            let make = move |me| RingNaive::new(site.id(me), site.successor(me));
            Ok(elections(Winner::Largest, site, make))
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

/// The number of successors that each node of a ring knows where nodes may crash.
const SUCCESSORS: usize = 16;

/// The time after which a node abandons a round.
pub(super) fn patience(site: &Site) -> Duration {
    match site.choice("patience") {
        "auto" => Duration::from_millis(100 * u64::from(site.nodes())),
        _ => Duration::from_millis(site.number("patience").into()),
    }
}
