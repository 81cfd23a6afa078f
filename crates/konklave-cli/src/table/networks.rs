//! Elections on trees, on complete networks, and on any network.

use std::time::Duration;

use konklave::NodeId;
use konklave::election::Winner;
use konklave::election::adoption::Adoption;
use konklave::election::bully::Bully;
use konklave::election::dfs_token::DfsToken;
use konklave::election::echo::Echo;
use konklave::election::echo_extinction::EchoExtinction;
use konklave::election::extinction::Extinction;
use konklave::election::tree_traversal::TreeTraversal;
use konklave::election::tree_wave::TreeWave;
use konklave::election::virtual_tree::VirtualTree;

use super::rings::{PATIENCE, patience};
use crate::drive;
use crate::entry::{Choice, Entry, Family, Needs, Network, Order};
use crate::expected::{self, election as formulas};
use crate::site::Site;

const TREE: Needs = Needs::network(Network::Tree);
const CONNECTED: Needs = Needs::network(Network::Connected);
const BULLY: Needs = Needs::network(Network::Complete).notices().overlapping().bounded();
const ECHO: Needs = CONNECTED.one_initiator("echo-extinction");
const FLOODED: Needs = CONNECTED.once();
const VIRTUAL_TREE: Needs = CONNECTED.order(Order::Fifo).notices().registry();

const MAX_DELAY: Choice = Choice { name: "max-delay", values: &["20", "NUMBER"] };
const RIVALS: Choice = Choice { name: "wake", values: &["all", "relay"] };

pub(super) fn elections() -> Vec<Entry> {
    vec![
        entry!(election::adoption, CONNECTED, &[], formulas::adoption, |site, job| {
            let make = |me| Adoption::new(site.id(me), site.neighbours(me));
            drive::elections(site, job, Winner::LargestInitiator, make)
        }),
        entry!(election::bully, BULLY, &[MAX_DELAY], expected::unknown, |site, job| {
            let bound = Duration::from_millis(site.number("max-delay").into());
            let make = |me| {
                let others = site.neighbours(me).into_iter().map(|other| (site.id(other), other));
                Bully::new(site.id(me), others.collect(), bound)
            };
            drive::election(site, job, Winner::Largest, make)
        }),
        entry!(election::dfs_token, CONNECTED, &[], formulas::waves, |site, job| {
            let make = |me| DfsToken::new(site.id(me), site.neighbours(me));
            drive::elections(site, job, Winner::Largest, make)
        }),
        entry!(election::echo, ECHO, &[], formulas::waves, |site, job| {
            let make = |me| Echo::new(site.id(me), site.neighbours(me));
            drive::elections(site, job, Winner::Largest, make)
        }),
        entry!(election::echo_extinction, CONNECTED, &[RIVALS], formulas::waves, |site, job| {
            let winner = winner(site);
            let make = |me| EchoExtinction::new(site.id(me), site.neighbours(me), winner);
            drive::elections(site, job, winner, make)
        }),
        entry!(election::extinction, FLOODED, &[RIVALS], formulas::extinction, |site, job| {
            let winner = winner(site);
            let make = |me| Extinction::new(site.id(me), site.neighbours(me), winner);
            drive::election(site, job, winner, make)
        }),
        entry!(election::tree_traversal, TREE, &[], formulas::tree_traversal, |site, job| {
            let make = |me| TreeTraversal::new(site.id(me), site.neighbours(me));
            drive::elections(site, job, Winner::Largest, make)
        }),
        entry!(election::tree_wave, TREE, &[], formulas::tree_wave, |site, job| {
            let make = |me| TreeWave::new(site.id(me), site.neighbours(me));
            drive::elections(site, job, Winner::Largest, make)
        }),
        entry!(
            election::virtual_tree,
            VIRTUAL_TREE,
            &[PATIENCE],
            expected::unknown,
            |site, job| {
                let patience = patience(site);
                let make = |me| {
                    let neighbours = site.neighbours(me);
                    VirtualTree::new(me, site.id(me), neighbours, NodeId(0), patience)
                };
                drive::election(site, job, Winner::Anyone, make)
            }
        ),
    ]
}

/// Who is to win where sleeping nodes compete, or relay.
fn winner(site: &Site) -> Winner {
    match site.choice("wake") {
        "relay" => Winner::LargestInitiator,
        _ => Winner::Largest,
    }
}
