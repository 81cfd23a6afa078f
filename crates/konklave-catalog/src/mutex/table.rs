//! The algorithms for mutual exclusion, one line each.

use std::time::Duration;

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
use konklave::mutex::sanders::Sanders;
use konklave::mutex::singhal::Singhal;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::token_search::{Search, TokenSearch};
use konklave::{NodeId, NodeSet};

use super::sets::{quorums, structure};
use super::{Mutex, network_formulas};
use super::{fairness, formulas};
use crate::disorder::{Claim, Disorder};
use crate::entry::{Entry, line};
use crate::needs::{Needs, Network, Order};
use crate::option::{Choice, Draw, SETS};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::{System, nodes};

/// An entry whose formula depends on the conditions of the run.
macro_rules! lock {
    ($module:ident, $needs:expr, $choices:expr, $formula:expr, $build:expr) => {
        line!(
            mutex::$module,
            $needs,
            $choices,
            |site, options| formulas::value($formula, site, options),
            $build
        )
    };
}

const RING: Needs = safe(Network::Ring);
const TREE: Needs = safe(Network::Tree);
const COMPLETE: Needs = safe(Network::Complete);
const CONNECTED: Needs = safe(Network::Connected);

/// A lost message blocks nodes, but lets no two of them in.
const fn safe(network: Network) -> Needs {
    Needs::network(network).claims(&[(Disorder::Loss, Claim::Safety)])
}

const ACKS: Choice = Choice::variant(&["eager", "lazy"]);
const CARVALHO_ROUCAIROL: Choice = Choice::variant(&["symmetric", "ordered"]);
const QUORUM: Choice = Choice {
    draw: draw_quorum,
    is_distinct: |value, nodes| match value {
        // The default is a plane if there is one, else a grid.
        "plane" => false,
        "grid" => Quorums::plane(nodes).is_some(),
        _ => true,
    },
    ..Choice::new(
        "quorum",
        &["auto", "plane", "grid", SETS, "file:PATH"],
        "Quorums: auto, plane, grid, list:0,1/1,2/0,2 with the quorums of nodes 0, 1 and 2, or \
         file:PATH with a line `3: 0 3 7` for the quorum of node 3",
    )
};
const STRUCTURE: Choice = Choice::new(
    "structure",
    &["mixed", "ricart-agrawala", "maekawa", "file:PATH"],
    "Request and inform sets: mixed, ricart-agrawala, maekawa or file:PATH, \
     with a line `2: inform 2 / request 0 1 2` for node 2",
);
const HIERARCHICAL: Choice = Choice::variant(&["naimi-trehel", "ricart-agrawala", "raymond"]);
const CLUSTERS: Choice = Choice::new("clusters", &["3", "NUMBER"], "Number of clusters");
const BOUND: Choice = Choice::new(
    "bound",
    &["4", "NUMBER"],
    "Entries within a cluster before another cluster has its turn",
);
const LINGER: Choice = Choice::new(
    "linger",
    &["none", "NUMBER"],
    "Time that an idle node keeps the token: none, or a number of ticks",
);
const RAYMOND: Choice = Choice::variant(&["plain", "combined", "greedy"]);
const RING_CHASE: Choice = Choice::variant(&["hop", "circle"]);
const TOKEN_GRAPH: Choice = Choice::variant(&["all", "everyone", "acknowledged", "one"]);
const SEARCH: Choice = Choice::new(
    "search",
    &["broadcast", "echo", "tree"],
    "Search for the token: broadcast, echo or tree",
);
const CIRCLE_FIFO: Order = Order::FifoIf("variant", "circle");

/// Draws a quorum system that exists on this many nodes.
fn draw_quorum(draw: &mut Draw<'_>, choice: &Choice) -> Option<String> {
    let nodes = draw.nodes;
    match draw.pick(choice.values) {
        SETS => Some(draw_sets(draw)),
        "plane" if Quorums::plane(nodes).is_none() => None,
        "file:PATH" => None, // A list can say the same.
        value => Some(value.to_owned()),
    }
}

/// Draws quorums: every node with a hub, or any majorities.
fn draw_sets(draw: &mut Draw<'_>) -> String {
    let nodes = draw.nodes;
    let hub = draw.random.below(2 * u64::from(nodes)) as u32;
    let mut quorum = |me: u32| {
        let mut set = NodeSet::new();
        set.insert(NodeId(me));
        if hub < nodes {
            set.insert(NodeId(hub));
        }
        while hub >= nodes && set.len() <= nodes / 2 {
            set.insert(NodeId(draw.random.below(nodes.into()) as u32));
        }
        set.iter().map(|node| node.to_string()).collect::<Vec<_>>().join(",")
    };
    let sets: Vec<_> = (0..nodes).map(&mut quorum).collect();
    format!("list:{}", sets.join("/"))
}

/// All algorithms for mutual exclusion.
pub(crate) fn entries() -> Vec<Entry> {
    by_permission().into_iter().chain(by_token()).chain(on_networks()).collect()
}

/// Algorithms based on permissions of other nodes.
fn by_permission() -> Vec<Entry> {
    vec![
        lock!(cao_singhal, COMPLETE, &[QUORUM], formulas::cao_singhal, |site| {
            let quorums = quorums(site)?;
            Ok(nodes(Mutex, site, move |me| CaoSinghal::new(me, quorums.of(me))))
        }),
        lock!(
            carvalho_roucairol,
            COMPLETE,
            &[CARVALHO_ROUCAIROL],
            formulas::carvalho_roucairol,
            |site| {
                let variant = match site.choice("variant") {
                    "ordered" => carvalho_roucairol::Variant::Ordered,
                    _ => carvalho_roucairol::Variant::Symmetric,
                };
                let make = move |me| CarvalhoRoucairol::new(me, site.nodes(), variant);
                Ok(nodes(Mutex, site, make))
            }
        )
        .overtaking(|_| Some(1)),
        lock!(
            lamport,
            COMPLETE.order(Order::Fifo).claims(&[]),
            &[ACKS],
            formulas::lamport,
            |site| {
                let acks = acks(site);
                Ok(nodes(Mutex, site, move |me| Lamport::new(me, site.nodes(), acks)))
            }
        )
        .overtaking(|_| Some(0)),
        lock!(maekawa, COMPLETE, &[QUORUM], formulas::maekawa, |site| {
            let quorums = quorums(site)?;
            Ok(nodes(Mutex, site, move |me| Maekawa::new(me, quorums.of(me).clone())))
        }),
        lock!(ricart_agrawala, COMPLETE, &[], formulas::two_each, |site| {
            Ok(nodes(Mutex, site, |me| RicartAgrawala::new(me, site.nodes())))
        })
        .overtaking(|_| Some(0)),
        lock!(sanders, COMPLETE, &[STRUCTURE], formulas::sanders, |site| {
            let structure = structure(site)?;
            Ok(nodes(Mutex, site, move |me| Sanders::new(me, structure.at(me).clone())))
        }),
    ]
}

/// Algorithms with a coordinator, with clusters, or with a token on a given network.
fn on_networks() -> Vec<Entry> {
    vec![
        lock!(central, COMPLETE, &[], formulas::central, |site| {
            Ok(nodes(Mutex, site, |me| Central::new(me, NodeId(0))))
        })
        .overtaking(|_| Some(0)),
        lock!(
            hierarchical,
            COMPLETE.claims(&[]),
            &[HIERARCHICAL, CLUSTERS, BOUND],
            network_formulas::hierarchical,
            hierarchical
        ),
        lock!(perpetuum, RING.perpetual(), &[LINGER], network_formulas::perpetuum, |site| {
            // A tick is a millisecond; `none` is not a number.
            let linger = Duration::from_millis(site.choice("linger").parse().unwrap_or(0));
            let make = move |me| Perpetuum::new(me, site.beside(me), NodeId(0), linger);
            Ok(nodes(Mutex, site, make))
        })
        .overtaking(|_| Some(1)),
        lock!(
            ring_chase,
            RING.order(CIRCLE_FIFO),
            &[RING_CHASE],
            network_formulas::ring_chase,
            |site| {
                let variant = match site.choice("variant") {
                    "circle" => ring_chase::Variant::Circle,
                    _ => ring_chase::Variant::Hop,
                };
                let (count, positions) = (site.nodes(), site.ring_positions());
                let make = move |me: NodeId| {
                    RingChase::new(me, site.beside(me), positions[me.index()], count, variant)
                };
                Ok(nodes(Mutex, site, make))
            }
        )
        .overtaking(|_| Some(1)),
        lock!(token_graph, CONNECTED, &[TOKEN_GRAPH], network_formulas::token_graph, |site| {
            let variant = match site.choice("variant") {
                "everyone" => token_graph::Variant::Everyone,
                "acknowledged" => token_graph::Variant::Acknowledged,
                "one" => token_graph::Variant::One,
                _ => token_graph::Variant::All,
            };
            let make = move |me| TokenGraph::new(me, site.neighbours(me), NodeId(0), variant);
            Ok(nodes(Mutex, site, make))
        })
        .overtaking(fairness::token_graph),
        lock!(token_search, CONNECTED, &[SEARCH], network_formulas::token_search, |site| {
            let make = |me| {
                let (neighbours, search) = match site.choice("search") {
                    "echo" => (site.neighbours(me), Search::Echo),
                    "tree" => (site.tree_neighbours(me), Search::Flood),
                    _ if site.graph().is_complete() => (site.neighbours(me), Search::Direct),
                    _ => (site.neighbours(me), Search::Flood),
                };
                TokenSearch::new(me, neighbours, NodeId(0), search)
            };
            Ok(nodes(Mutex, site, make))
        })
        .overtaking(|_| Some(1)),
    ]
}

/// Algorithms with a token that travels between any two nodes, or along a tree.
fn by_token() -> Vec<Entry> {
    vec![
        lock!(naimi_trehel, COMPLETE, &[], formulas::naimi_trehel, |site| {
            Ok(nodes(Mutex, site, |me| NaimiTrehel::new(me, NodeId(0))))
        })
        .overtaking(|_| Some(0)),
        lock!(raymond, TREE, &[RAYMOND], network_formulas::raymond, |site| {
            let variant = match site.choice("variant") {
                "combined" => raymond::Variant::Combined,
                "greedy" => raymond::Variant::Greedy,
                _ => raymond::Variant::Plain,
            };
            let make = move |me| Raymond::new(me, site.towards_first(me), variant);
            Ok(nodes(Mutex, site, make))
        })
        .overtaking(fairness::raymond),
        lock!(ricart_agrawala_token, COMPLETE, &[], formulas::broadcast_token, |site| {
            Ok(nodes(Mutex, site, |me| RicartAgrawalaToken::new(me, site.nodes())))
        })
        .overtaking(|_| Some(1)),
        lock!(singhal, COMPLETE, &[], formulas::singhal, |site| {
            Ok(nodes(Mutex, site, |me| Singhal::new(me, site.nodes())))
        })
        .overtaking(|_| Some(1)),
        lock!(suzuki_kasami, COMPLETE, &[], formulas::broadcast_token, |site| {
            Ok(nodes(Mutex, site, |me| SuzukiKasami::new(me, site.nodes())))
        })
        .overtaking(|_| Some(1)),
    ]
}

/// Any of three algorithms between the representatives of clusters.
fn hierarchical(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    // The default gives way in small systems.
    let is_asked_for = |value: &&str| *value != CLUSTERS.values[0];
    let too_many = |_: &&str| site.number(CLUSTERS.name) > site.nodes();
    let given = site.given(CLUSTERS.name).filter(is_asked_for).filter(too_many);
    if let Some(given) = given {
        let most = site.nodes();
        return Err(Refusal::new(format!(
            "--clusters {given}: {most} nodes have at most {most} clusters, of a node each"
        )));
    }
    let clusters = site.number(CLUSTERS.name).min(site.nodes());
    let bound = site.number("bound");
    Ok(match site.choice("variant") {
        "raymond" => nodes(Mutex, site, move |me| {
            let line = |me: NodeId| {
                let holder = NodeId(me.0.saturating_sub(1));
                Raymond::new(me, holder, raymond::Variant::Plain)
            };
            Hierarchical::new(me, clusters, bound, line)
        }),
        "ricart-agrawala" => nodes(Mutex, site, move |me| {
            let all = |me| RicartAgrawala::new(me, clusters);
            Hierarchical::new(me, clusters, bound, all)
        }),
        _ => nodes(Mutex, site, move |me| {
            let path = |me| NaimiTrehel::new(me, NodeId(0));
            Hierarchical::new(me, clusters, bound, path)
        }),
    })
}

fn acks(site: &Site) -> Acks {
    match site.choice("variant") {
        "lazy" => Acks::Lazy,
        _ => Acks::Eager,
    }
}

#[cfg(test)]
mod tests {
    use konklave_sim::random::{Random, Stream};

    use super::*;
    use crate::option::Verb;
    use crate::setup::Setup;

    fn listed(nodes: u32, sets: &str) -> Result<Quorums, String> {
        // An entry without nodes: unit tests need not compile the simulation of every lock.
        let build = |_: &Site| Err(Refusal::new("no nodes"));
        let entry = Entry::new("maekawa", &crate::mutex::ABOUT, COMPLETE, build);
        let entry: &'static Entry = Box::leak(Box::new(entry.choices(&[QUORUM])));
        let setup = Setup { algorithm: entry.name.clone(), nodes, ..Setup::default() };
        let site = Site::new(setup.with("quorum", sets), entry, Verb::Run).unwrap();
        quorums(&site).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn quorums_are_listed_node_by_node() {
        assert_eq!(listed(3, "list:0,1/1,2/0,2"), Ok(Quorums::plane(3).unwrap()));
        assert!(listed(2, "list:0/1").unwrap_err().contains("disjoint"));
        assert!(listed(2, "list:0,1").unwrap_err().contains("node 1"));
        assert!(listed(2, "list:0,1/0,1/0").unwrap_err().contains("no node 2"));
        assert!(listed(2, "list:").is_err());
    }

    /// Hubs and majorities are quorum systems, of whatever size.
    #[test]
    fn quorums_that_are_drawn_are_some() {
        let needs = COMPLETE;
        for seed in 0..200 {
            let mut random = Random::new(seed, Stream::Network);
            let nodes = 1 + seed as u32 % 9;
            let sets = draw_sets(&mut Draw { random: &mut random, needs: &needs, nodes });
            listed(nodes, &sets).unwrap_or_else(|error| panic!("seed {seed}: {sets}: {error}"));
        }
    }
}
