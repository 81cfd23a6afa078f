//! The algorithms, one line each: the only place that knows them by name.

use std::sync::LazyLock;
use std::time::Duration;

use konklave::NodeId;
use konklave::booking::{Form, reservation::Reservation};
use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::carvalho_roucairol::{self, CarvalhoRoucairol};
use konklave::mutex::central::Central;
use konklave::mutex::hierarchical::Hierarchical;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::naimi_trehel::NaimiTrehel;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::raymond::{self, Raymond};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::ricart_agrawala_token::RicartAgrawalaToken;
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::sanders::{Sanders, Structure};
use konklave::mutex::singhal::Singhal;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::token_search::{Search, TokenSearch};

use crate::entry::{Choice, Entry, Family, Needs, Network, Order};
use crate::failure::Failure;
use crate::site::Site;
use crate::specimens::SPECIMENS;
use crate::{drive, expected};

/// One line of the table: family and module, needs, options, formula, and how to drive it.
macro_rules! entry {
    ($family:ident::$module:ident, $needs:expr, $choices:expr, $expected:expr, $drive:expr) => {
        Entry {
            name: stringify!($module).replace('_', "-"),
            family: Family::find(stringify!($family)).expect("families are modules"),
            needs: $needs,
            choices: $choices,
            source: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../konklave/src/",
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
            expected: $expected,
            drive: $drive,
        }
    };
}

mod networks;
mod rings;

const RING: Needs = Needs::network(Network::Ring);
const TREE: Needs = Needs::network(Network::Tree);
const COMPLETE: Needs = Needs::network(Network::Complete);
const CONNECTED: Needs = Needs::network(Network::Connected);

const ACKS: Choice = Choice { name: "variant", values: &["eager", "lazy"] };
const CARVALHO_ROUCAIROL: Choice = Choice { name: "variant", values: &["symmetric", "ordered"] };
const QUORUM: Choice = Choice { name: "quorum", values: &["auto", "plane", "grid", "file:PATH"] };
const STRUCTURE: Choice =
    Choice { name: "structure", values: &["mixed", "ricart-agrawala", "maekawa", "file:PATH"] };
const FORM: Choice = Choice { name: "variant", values: &["block", "deny"] };
const HIERARCHICAL: Choice =
    Choice { name: "variant", values: &["naimi-trehel", "ricart-agrawala", "raymond"] };
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
    let mut table = vec![
        entry!(mutex::cao_singhal, COMPLETE, &[QUORUM], expected::cao_singhal, |site, job| {
            let quorums = quorums(site)?;
            drive::mutex(site, job, |me| CaoSinghal::new(me, quorums.of(me)))
        }),
        entry!(
            mutex::carvalho_roucairol,
            COMPLETE,
            &[CARVALHO_ROUCAIROL],
            expected::carvalho_roucairol,
            |site, job| {
                let variant = match site.choice("variant") {
                    "ordered" => carvalho_roucairol::Variant::Ordered,
                    _ => carvalho_roucairol::Variant::Symmetric,
                };
                drive::mutex(site, job, |me| CarvalhoRoucairol::new(me, site.nodes(), variant))
            }
        ),
        entry!(mutex::central, COMPLETE, &[], expected::central, |site, job| {
            drive::mutex(site, job, |me| Central::new(me, NodeId(0)))
        }),
        entry!(
            mutex::hierarchical,
            COMPLETE,
            &[HIERARCHICAL, CLUSTERS, BOUND],
            expected::hierarchical,
            |site, job| {
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
                    "ricart-agrawala" => drive::mutex(site, job, |me| {
                        let all = |me| RicartAgrawala::new(me, clusters);
                        Hierarchical::new(me, clusters, bound, all)
                    }),
                    _ => drive::mutex(site, job, |me| {
                        let path = |me| NaimiTrehel::new(me, NodeId(0));
                        Hierarchical::new(me, clusters, bound, path)
                    }),
                }
            }
        ),
        entry!(
            mutex::lamport,
            COMPLETE.order(Order::Fifo),
            &[ACKS],
            expected::lamport,
            |site, job| {
                let acks = acks(site);
                drive::mutex(site, job, |me| Lamport::new(me, site.nodes(), acks))
            }
        ),
        entry!(mutex::maekawa, COMPLETE, &[QUORUM], expected::maekawa, |site, job| {
            let quorums = quorums(site)?;
            drive::mutex(site, job, |me| Maekawa::new(me, quorums.of(me).clone()))
        }),
        entry!(mutex::naimi_trehel, COMPLETE, &[], expected::naimi_trehel, |site, job| {
            drive::mutex(site, job, |me| NaimiTrehel::new(me, NodeId(0)))
        }),
        entry!(mutex::perpetuum, RING.perpetual(), &[LINGER], expected::perpetuum, |site, job| {
            // A tick is a millisecond; `none` is no number.
            let linger = Duration::from_millis(site.choice("linger").parse().unwrap_or(0));
            let make = |me| Perpetuum::new(me, site.beside(me), NodeId(0), linger);
            drive::mutex(site, job, make)
        }),
        entry!(mutex::raymond, TREE, &[RAYMOND], expected::raymond, |site, job| {
            let variant = match site.choice("variant") {
                "combined" => raymond::Variant::Combined,
                "greedy" => raymond::Variant::Greedy,
                _ => raymond::Variant::Plain,
            };
            drive::mutex(site, job, |me| Raymond::new(me, site.towards_first(me), variant))
        }),
        entry!(mutex::ricart_agrawala, COMPLETE, &[], expected::two_each, |site, job| {
            drive::mutex(site, job, |me| RicartAgrawala::new(me, site.nodes()))
        }),
        entry!(
            mutex::ricart_agrawala_token,
            COMPLETE,
            &[],
            expected::broadcast_token,
            |site, job| {
                drive::mutex(site, job, |me| RicartAgrawalaToken::new(me, site.nodes()))
            }
        ),
        entry!(
            mutex::ring_chase,
            RING.order(CIRCLE_FIFO),
            &[RING_CHASE],
            expected::ring_chase,
            |site, job| {
                let variant = match site.choice("variant") {
                    "circle" => ring_chase::Variant::Circle,
                    _ => ring_chase::Variant::Hop,
                };
                let (nodes, positions) = (site.nodes(), site.ring_positions());
                let make = |me: NodeId| {
                    RingChase::new(me, site.beside(me), positions[me.index()], nodes, variant)
                };
                drive::mutex(site, job, make)
            }
        ),
        entry!(mutex::sanders, COMPLETE, &[STRUCTURE], expected::sanders, |site, job| {
            let structure = structure(site)?;
            drive::mutex(site, job, |me| Sanders::new(me, structure.at(me).clone()))
        }),
        entry!(mutex::singhal, COMPLETE, &[], expected::singhal, |site, job| {
            drive::mutex(site, job, |me| Singhal::new(me, site.nodes()))
        }),
        entry!(mutex::suzuki_kasami, COMPLETE, &[], expected::broadcast_token, |site, job| {
            drive::mutex(site, job, |me| SuzukiKasami::new(me, site.nodes()))
        }),
        entry!(
            mutex::token_graph,
            CONNECTED,
            &[TOKEN_GRAPH],
            expected::token_graph,
            |site, job| {
                let variant = match site.choice("variant") {
                    "everyone" => token_graph::Variant::Everyone,
                    "acknowledged" => token_graph::Variant::Acknowledged,
                    "one" => token_graph::Variant::One,
                    _ => token_graph::Variant::All,
                };
                let make = |me| TokenGraph::new(me, site.neighbours(me), NodeId(0), variant);
                drive::mutex(site, job, make)
            }
        ),
        entry!(mutex::token_search, CONNECTED, &[SEARCH], expected::token_search, |site, job| {
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
        entry!(booking::reservation, COMPLETE, &[FORM], expected::unknown, |site, job| {
            let form = form(site);
            drive::booking(site, job, form, |me| Reservation::new(me, site.nodes(), form))
        }),
    ];
    table.extend(rings::elections());
    table.extend(networks::elections());
    table.sort_by(|a, b| (a.family, &a.name).cmp(&(b.family, &b.name)));
    table
});

fn acks(site: &Site) -> Acks {
    match site.choice("variant") {
        "lazy" => Acks::Lazy,
        _ => Acks::Eager,
    }
}

/// The quorums that the user asks for.
pub(crate) fn quorums(site: &Site) -> Result<Quorums, Failure> {
    let nodes = site.nodes();
    if let Some(text) = site.file("quorum") {
        return Quorums::parse(text, nodes)
            .map_err(|error| Failure::bad(format!("{}: {error}", site.choice("quorum"))));
    }
    match site.choice("quorum") {
        "plane" => Quorums::plane(nodes).ok_or_else(|| {
            Failure::bad(format!(
                "there is no plane of {nodes} nodes, only of q(q+1)+1 with a prime power q, such \
                 as 7, 13, 21, 31: use --quorum grid"
            ))
        }),
        "grid" => Ok(Quorums::grid(nodes)),
        _ => Ok(Quorums::new(nodes)),
    }
}

/// What the first option of an algorithm can be on so many nodes, the default first: one of each
/// that differs. A plane is the default where there is one.
pub(crate) fn variants(entry: &Entry, nodes: u32) -> Vec<&'static str> {
    let values = entry.choices.first().map_or(&[][..], |choice| choice.values);
    let differs = |value: &&str| match *value {
        "file:PATH" | "NUMBER" | "plane" => false,
        "grid" => Quorums::plane(nodes).is_some(),
        _ => true,
    };
    values.iter().copied().filter(differs).collect()
}

/// The information structure that the user asks for.
pub(crate) fn structure(site: &Site) -> Result<Structure, Failure> {
    let nodes = site.nodes();
    if let Some(text) = site.file("structure") {
        return Structure::parse(text, nodes)
            .map_err(|error| Failure::bad(format!("{}: {error}", site.choice("structure"))));
    }
    match site.choice("structure") {
        "ricart-agrawala" => Ok(Structure::ricart_agrawala(nodes)),
        "maekawa" => Ok(Structure::maekawa(&Quorums::new(nodes))),
        _ => Ok(Structure::mixed(nodes)),
    }
}

fn form(site: &Site) -> Form {
    match site.choice("variant") {
        "deny" => Form::Deny,
        _ => Form::Block,
    }
}

/// The algorithm with this name.
///
/// # Errors
///
/// If there is none.
pub fn find(name: &str) -> Result<&'static Entry, Failure> {
    let named = |entry: &&'static Entry| entry.name == name;
    TABLE.iter().find(named).or_else(|| SPECIMENS.iter().find(named)).ok_or_else(|| {
        Failure::unknown("algorithm", name, TABLE.iter().map(|entry| entry.name.as_str()))
    })
}
