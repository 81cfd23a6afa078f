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

use super::formulas::{self, Conditions};
use super::rings::{PATIENCE, patience, wakes};
use super::{Election, elections};
use crate::entry::{Entry, line};
use crate::needs::{Needs, Network, Order};
use crate::option::{Choice, MAX_DELAY};
use crate::site::Site;
use crate::system::nodes;

const TREE: Needs = Needs::network(Network::Tree).duplicates();
const CONNECTED: Needs = Needs::network(Network::Connected).duplicates();
const BULLY: Needs =
    Needs::network(Network::Complete).lists().notices().overlapping().bounded().duplicates();
const ECHO: Needs = CONNECTED.one_initiator("echo-extinction");
const FLOODED: Needs = CONNECTED.once();
const VIRTUAL_TREE: Needs = CONNECTED.order(Order::Fifo).notices().registry().patient();

const RIVALS: Choice = wakes(&["all", "relay"]);

pub(super) fn entries() -> Vec<Entry> {
    vec![
        election!(adoption, CONNECTED, &[], formulas::adoption, |site| {
            let make = move |me| Adoption::new(site.id(me), site.neighbours(me));
            Ok(elections(Winner::LargestInitiator, site, make))
        }),
        election!(bully, BULLY, &[MAX_DELAY], formulas::unknown, |site| {
            let bound = Duration::from_millis(site.number("max-delay").into());
            let make = move |me| {
                let others = site.neighbours(me).into_iter().map(|other| (site.id(other), other));
                Bully::new(site.id(me), others.collect(), bound)
            };
            Ok(nodes(Election { winner: Winner::Largest }, site, make))
        }),
        election!(dfs_token, CONNECTED, &[], formulas::waves, |site| {
            let make = move |me| DfsToken::new(site.id(me), site.neighbours(me));
            Ok(elections(Winner::Largest, site, make))
        }),
        election!(echo, ECHO, &[], formulas::waves, |site| {
            let make = move |me| Echo::new(site.id(me), site.neighbours(me));
            Ok(elections(Winner::Largest, site, make))
        }),
        election!(echo_extinction, CONNECTED, &[RIVALS], formulas::waves, |site| {
            let winner = winner(site);
            let make = move |me| EchoExtinction::new(site.id(me), site.neighbours(me), winner);
            Ok(elections(winner, site, make))
        }),
        election!(extinction, FLOODED, &[RIVALS], formulas::extinction, |site| {
            let winner = winner(site);
            let make = move |me| Extinction::new(site.id(me), site.neighbours(me), winner);
            Ok(nodes(Election { winner }, site, make))
        }),
        election!(tree_traversal, TREE, &[], formulas::tree_traversal, |site| {
            let make = move |me| TreeTraversal::new(site.id(me), site.neighbours(me));
            Ok(elections(Winner::Largest, site, make))
        }),
        election!(tree_wave, TREE, &[], formulas::tree_wave, |site| {
            let make = move |me| TreeWave::new(site.id(me), site.neighbours(me));
            Ok(elections(Winner::Largest, site, make))
        }),
        election!(virtual_tree, VIRTUAL_TREE, &[PATIENCE], formulas::unknown, |site| {
            let patience = patience(site);
            let make = move |me| {
                let neighbours = site.neighbours(me);
                VirtualTree::new(me, site.id(me), neighbours, NodeId(0), patience)
            };
            Ok(nodes(Election { winner: Winner::Anyone }, site, make))
        }),
    ]
}

/// The winner, depending on whether sleeping nodes compete or relay.
fn winner(site: &Site) -> Winner {
    match site.choice("wake") {
        "relay" => Winner::LargestInitiator,
        _ => Winner::Largest,
    }
}
