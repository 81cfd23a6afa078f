//! Formulas for messages per entry, which `compare` shows beside the measurements.
//!
//! Under light load one random node at a time asks, at rest. Under heavy load every node asks all
//! the time. Heavy load is regular if delays are constant and the critical section is long enough
//! for all messages to arrive; then a run is periodic, and many algorithms have an exact formula.
//! In all other cases the formula is a bound that no schedule exceeds, or missing.

use konklave::mutex::maekawa::Roles;
use konklave::{NodeId, NodeSet};
use konklave_sim::{Delay, Options};

use super::network_formulas::nodes;
use super::options::WARMUP;
use super::sets;
use crate::demand::{Demand, LOAD, THINK, inside};
use crate::expected::Expected;
use crate::site::Site;

/// The conditions of a run on which formulas depend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Conditions {
    /// The load.
    pub(super) load: Demand,
    /// Whether every node asks all the time, delays are constant, entries take at least five of
    /// them, and the beginning and the end are left out: then a run is periodic.
    pub(super) is_regular: bool,
}

impl Conditions {
    /// The conditions of this run.
    pub(super) fn of(site: &Site, options: &Options) -> Option<Self> {
        let load = site.value(&LOAD);
        let inside = inside(site, options.delay);
        let is_long = inside as f64 >= 5.0 * options.delay.mean();
        let is_constant = matches!(options.delay, Delay::Constant(_));
        let is_steady = site.value::<u64>(&WARMUP) > 0;
        let is_busy = site.value::<u64>(&THINK) == 0;
        let is_regular = load == Demand::Heavy && is_constant && is_long && is_steady && is_busy;
        Some(Self { load, is_regular })
    }
}

/// What a formula gives under the conditions of this run. A single node enters without a message,
/// whatever the formula says about several.
pub(super) fn value(
    formula: fn(&Site, Conditions) -> Option<Expected>,
    site: &Site,
    options: &Options,
) -> Option<Expected> {
    match site.nodes() {
        1 => Some(Expected::exactly("0", 0.0)),
        _ => formula(site, Conditions::of(site, options)?),
    }
}

/// A request to every other node and an answer from each.
pub(super) fn two_each(site: &Site, _conditions: Conditions) -> Option<Expected> {
    Some(Expected::exactly("2(n-1)", 2.0 * (nodes(site) - 1.0)))
}

/// Three messages, but none for the coordinator itself.
pub(super) fn central(site: &Site, conditions: Conditions) -> Option<Expected> {
    let mean = 3.0 * (nodes(site) - 1.0) / nodes(site);
    match conditions.load {
        Demand::Heavy | Demand::Poisson(_) => Some(Expected::exactly("3(n-1)/n", mean)),
        Demand::Light => Some(Expected::about("3(n-1)/n", mean)),
    }
}

/// Requests, acknowledgements and releases to and from every other node. Lazy nodes save some where
/// requests cross, which does not happen under regular load.
pub(super) fn lamport(site: &Site, conditions: Conditions) -> Option<Expected> {
    let others = nodes(site) - 1.0;
    let never_cross = conditions.load == Demand::Light || conditions.is_regular;
    match site.choice("variant") {
        "lazy" if !never_cross => {
            Some(Expected::between("2(n-1) to 3(n-1)", 2.0 * others, 3.0 * others))
        }
        _ => Some(Expected::exactly("3(n-1)", 3.0 * others)),
    }
}

/// Twice the nodes that entered since the node's own last entry. The initial permissions do not
/// matter: the first requester is random, or not measured.
pub(super) fn carvalho_roucairol(site: &Site, conditions: Conditions) -> Option<Expected> {
    let others = nodes(site) - 1.0;
    match conditions.load {
        Demand::Light => Some(Expected::about("n-1", others)),
        _ if conditions.is_regular => Some(Expected::exactly("2(n-1)", 2.0 * others)),
        _ => Some(Expected::between("0 to 2(n-1)", 0.0, 2.0 * others)),
    }
}

/// A request to every other node and the token, unless the token is here.
pub(super) fn broadcast_token(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    match conditions.load {
        Demand::Light => Some(Expected::about("n-1", n - 1.0)),
        _ if conditions.is_regular => Some(Expected::exactly("n", n)),
        _ => Some(Expected::between("0 to n", 0.0, n)),
    }
}

/// Half of the nodes are asked on average, all in the worst case, and each answers with a probe.
pub(super) fn singhal(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    match conditions.load {
        Demand::Light => Some(Expected::about("(n-1)/n (n/2+1)", (n - 1.0) / n * (n / 2.0 + 1.0))),
        _ if conditions.is_regular => Some(Expected::exactly("n", n)),
        _ => Some(Expected::between("0 to 2n-1", 0.0, 2.0 * n - 1.0)),
    }
}

/// The mean length of a path that reverses itself, and the token: of n nodes that ask at random, or
/// one after the other.
pub(super) fn path_reversal(n: u32, is_in_turn: bool) -> f64 {
    match is_in_turn {
        true => 4.0 - 6.0 / (f64::from(n) + 1.0),
        false => (1..n).map(|k| 1.0 / f64::from(k)).sum(),
    }
}

/// The path to the last requester, and the token.
pub(super) fn naimi_trehel(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = site.nodes();
    match conditions.load {
        Demand::Light => Some(Expected::about("H_(n-1)", path_reversal(n, false))),
        _ if conditions.is_regular => Some(Expected::about("4-6/(n+1)", path_reversal(n, true))),
        _ => Some(Expected::between("0 to n", 0.0, nodes(site))),
    }
}

/// The mean size of a quorum without the node itself: K - 1.
fn quorum_others(site: &Site) -> Option<f64> {
    let quorums = sets::quorums(site).ok()?;
    let others = |(node, set): (NodeId, &NodeSet)| set.len() - u32::from(set.contains(node));
    let sum: u32 = NodeId::all(site.nodes()).zip(quorums.sets()).map(others).sum();
    Some(f64::from(sum) / nodes(site))
}

/// A request, a lock and a release for every other member of the quorum, and conflicts: under
/// regular load each costs one `Failed` message.
pub(super) fn maekawa(site: &Site, conditions: Conditions) -> Option<Expected> {
    let others = quorum_others(site)?;
    match conditions.load {
        Demand::Light => Some(Expected::about("3(K-1)", 3.0 * others)),
        _ if conditions.is_regular => Some(Expected::exactly("4(K-1)", 4.0 * others)),
        _ => {
            let worst = 6.0 * others + 3.0;
            Some(Expected::between("3(K-1) to 6(K-1)+3", 3.0 * others, worst))
        }
    }
}

/// As Maekawa's, and transfers; the permission of one's own arbiter comes from another node.
pub(super) fn cao_singhal(site: &Site, conditions: Conditions) -> Option<Expected> {
    let others = quorum_others(site)?;
    match conditions.load {
        Demand::Light => Some(Expected::about("3(K-1)", 3.0 * others)),
        _ if conditions.is_regular && site.nodes() > 1 => {
            Some(Expected::exactly("5(K-1)+1", 5.0 * others + 1.0))
        }
        _ => {
            let worst = 8.0 * (others + 1.0);
            Some(Expected::between("3(K-1) to 8K", 3.0 * others, worst))
        }
    }
}

/// Requests and answers to and from those asked, releases to those informed, and conflicts: at most
/// four messages with each arbiter, but only one with an arbiter that no other node informs.
pub(super) fn sanders(site: &Site, conditions: Conditions) -> Option<Expected> {
    let structure = sets::structure(site).ok()?;
    let others = |set: &NodeSet| f64::from(set.len()) - 1.0;
    let alone = |node| {
        let sets = structure.at(node);
        others(sets.informed()) + 2.0 * others(sets.asked())
    };
    // The number of nodes that inform each arbiter, itself not counted.
    let mut informants = vec![0_u32; site.nodes() as usize];
    for node in NodeId::all(site.nodes()) {
        let informed = structure.at(node).informed().iter().filter(|&arbiter| arbiter != node);
        informed.for_each(|arbiter| informants[arbiter.index()] += 1);
    }
    let resolving = |node: NodeId| {
        let sets = structure.at(node);
        let asked = sets.asked().iter().filter(|&arbiter| arbiter != node);
        let by_others = |arbiter: NodeId| {
            informants[arbiter.index()] > u32::from(sets.informed().contains(arbiter))
        };
        asked.map(|arbiter| if by_others(arbiter) { 4.0 } else { 1.0 }).sum::<f64>()
    };
    let mean =
        |of: &dyn Fn(NodeId) -> f64| NodeId::all(site.nodes()).map(of).sum::<f64>() / nodes(site);
    let (low, more) = (mean(&alone), mean(&resolving));
    match (conditions.load, site.choice("structure")) {
        (Demand::Light, _) => Some(Expected::about("i+2r", low)),
        (_, "ricart-agrawala") if conditions.is_regular => {
            Some(Expected::exactly("3(n-1)", 3.0 * (nodes(site) - 1.0)))
        }
        (_, "maekawa") if conditions.is_regular => {
            // Informed and asked are the same: K - 1 of them, three messages each.
            Some(Expected::exactly("4(K-1)", low / 3.0 * 4.0))
        }
        _ => Some(Expected::between("i+2r to i+2r+d", low, low + more)),
    }
}
