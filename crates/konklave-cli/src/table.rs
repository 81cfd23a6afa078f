//! The algorithms, one line each: the only place that knows them by name.

use std::sync::LazyLock;
use std::time::Duration;

use konklave::NodeId;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::mutex::hierarchical::Hierarchical;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::raymond::{self, Raymond};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::token_search::{Search, TokenSearch};

use crate::drive;
use crate::entry::{Choice, Entry, Family, Needs, Network, Order};
use crate::failure::Failure;
use crate::site::Site;

/// One line of the table: family and module, needs, options, and how to drive it.
macro_rules! entry {
    ($family:ident::$module:ident, $needs:expr, $choices:expr, $drive:expr) => {
        Entry {
            name: stringify!($module).replace('_', "-"),
            family: Family::find(stringify!($family)).expect("families are modules"),
            needs: $needs,
            choices: $choices,
            source: include_str!(concat!(
                "../../konklave/src/",
                stringify!($family),
                "/",
                stringify!($module),
                ".rs"
            )),
            file: concat!(
                "crates/konklave/src/",
                stringify!($family),
                "/",
                stringify!($module),
                ".rs"
            ),
            drive: $drive,
        }
    };
}

const RING: Needs = Needs::network(Network::Ring);
const TREE: Needs = Needs::network(Network::Tree);
const COMPLETE: Needs = Needs::network(Network::Complete);
const CONNECTED: Needs = Needs::network(Network::Connected);

const WAKE: Choice = Choice { name: "wake", values: &["all", "suppress", "relay"] };
const HIERARCHICAL: Choice = Choice { name: "variant", values: &["ricart-agrawala", "raymond"] };
const CLUSTERS: Choice = Choice { name: "clusters", values: &["3", "NUMBER"] };
const BOUND: Choice = Choice { name: "bound", values: &["4", "NUMBER"] };
const LINGER: Choice = Choice { name: "linger", values: &["none", "NUMBER"] };
const RAYMOND: Choice = Choice { name: "variant", values: &["plain", "combined", "greedy"] };
const RING_CHASE: Choice = Choice { name: "variant", values: &["hop", "circle"] };
const TOKEN_GRAPH: Choice =
    Choice { name: "variant", values: &["all", "everyone", "acknowledged", "one"] };
const SEARCH: Choice = Choice { name: "search", values: &["broadcast", "echo", "tree"] };
const CIRCLE_FIFO: Order = Order::FifoIf("variant", "circle");

/// All algorithms, by family and name.
pub static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        entry!(mutex::hierarchical, COMPLETE, &[HIERARCHICAL, CLUSTERS, BOUND], |site, job| {
            let clusters = site.number("clusters").min(site.nodes());
            let bound = site.number("bound");
            match site.choice("variant") {
                "raymond" => drive::mutex(site, job, |me| {
                    let line = |me: NodeId| {
                        let holder = NodeId(me.0.saturating_sub(1));
                        Raymond::new(me, holder, raymond::Variant::Plain)
                    };
                    Hierarchical::new(me, clusters, bound, line)
                }),
                _ => drive::mutex(site, job, |me| {
                    let all = |me| RicartAgrawala::new(me, clusters);
                    Hierarchical::new(me, clusters, bound, all)
                }),
            }
        }),
        entry!(mutex::perpetuum, RING.perpetual(), &[LINGER], |site, job| {
            // A tick is a millisecond; `none` is no number.
            let linger = Duration::from_millis(site.choice("linger").parse().unwrap_or(0));
            let make = |me| Perpetuum::new(me, site.successor(me), NodeId(0), linger);
            drive::mutex(site, job, make)
        }),
        entry!(mutex::raymond, TREE, &[RAYMOND], |site, job| {
            let variant = match site.choice("variant") {
                "combined" => raymond::Variant::Combined,
                "greedy" => raymond::Variant::Greedy,
                _ => raymond::Variant::Plain,
            };
            drive::mutex(site, job, |me| Raymond::new(me, site.towards_first(me), variant))
        }),
        entry!(mutex::ricart_agrawala, COMPLETE, &[], |site, job| {
            drive::mutex(site, job, |me| RicartAgrawala::new(me, site.nodes()))
        }),
        entry!(mutex::ring_chase, RING.order(CIRCLE_FIFO), &[RING_CHASE], |site, job| {
            let variant = match site.choice("variant") {
                "circle" => ring_chase::Variant::Circle,
                _ => ring_chase::Variant::Hop,
            };
            let (nodes, positions) = (site.nodes(), site.ring_positions());
            let make = |me: NodeId| {
                RingChase::new(me, site.successor(me), positions[me.index()], nodes, variant)
            };
            drive::mutex(site, job, make)
        }),
        entry!(mutex::token_graph, CONNECTED, &[TOKEN_GRAPH], |site, job| {
            let variant = match site.choice("variant") {
                "everyone" => token_graph::Variant::Everyone,
                "acknowledged" => token_graph::Variant::Acknowledged,
                "one" => token_graph::Variant::One,
                _ => token_graph::Variant::All,
            };
            let make = |me| TokenGraph::new(me, site.neighbours(me), NodeId(0), variant);
            drive::mutex(site, job, make)
        }),
        entry!(mutex::token_search, CONNECTED, &[SEARCH], |site, job| {
            let make = |me| {
                let (neighbours, search) = match site.choice("search") {
                    "echo" => (site.neighbours(me), Search::Echo),
                    "tree" => (site.tree_neighbours(me), Search::Flood),
                    _ if site.graph().is_complete() => (site.neighbours(me), Search::Direct),
                    _ => (site.neighbours(me), Search::Flood),
                };
                TokenSearch::new(me, neighbours, NodeId(0), search)
            };
            drive::mutex(site, job, make)
        }),
        entry!(election::chang_roberts, RING, &[WAKE], |site, job| {
            let wake = wake(site);
            let make = |me| ChangRoberts::new(site.id(me), site.successor(me), wake);
            drive::election(site, job, wake.winner(), make)
        }),
    ]
});

fn wake(site: &Site) -> Wake {
    match site.choice("wake") {
        "suppress" => Wake::Suppress,
        "relay" => Wake::Relay,
        _ => Wake::All,
    }
}

/// The algorithm with this name.
pub fn find(name: &str) -> Result<&'static Entry, Failure> {
    TABLE.iter().find(|entry| entry.name == name).ok_or_else(|| {
        Failure::unknown("algorithm", name, TABLE.iter().map(|entry| entry.name.as_str()))
    })
}
