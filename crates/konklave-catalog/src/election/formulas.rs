//! Formulas for the messages of an election, without its announcement.

use konklave_sim::workload::Members;
use konklave_sim::{Delay, Options};

use super::initiators;
use crate::expected::Expected;
use crate::ids::Ids;
use crate::site::Site;

/// The conditions of an election on which formulas depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conditions {
    /// Whether delays are constant.
    is_regular: bool,
    /// The number of initiators.
    initiators: u32,
}

impl Conditions {
    /// The conditions of this run; `None` for several elections, or for listed initiators, for
    /// which there is no formula.
    pub(super) fn of(site: &Site, options: &Options) -> Option<Self> {
        let initiators = match initiators(site) {
            Members::All => site.nodes(),
            Members::Count(1) => 1,
            Members::Count(_) | Members::List(_) => return None,
        };
        let is_regular = matches!(options.delay, Delay::Constant(_));
        (site.repeats() == 1).then_some(Self { is_regular, initiators })
    }
}

fn nodes(site: &Site) -> f64 {
    f64::from(site.nodes())
}

/// The assignment of ids along the ring.
fn ids(site: &Site) -> Ids {
    site.order_of_ids().unwrap_or(Ids::Random) // A list that cannot be read was refused before.
}

/// There is no formula to compare with.
pub(super) fn unknown(_site: &Site, _conditions: Conditions) -> Option<Expected> {
    None
}

/// 1 + 1/2 + ... + 1/n.
fn harmonic(n: u32) -> f64 {
    (1..=n).map(|k| 1.0 / f64::from(k)).sum()
}

/// The floor of the binary logarithm.
fn log2(n: u32) -> f64 {
    f64::from(n.max(1).ilog2())
}

fn edges(site: &Site) -> f64 {
    site.graph().edges() as f64
}

/// Every id travels round the whole ring.
pub(super) fn ring_naive(site: &Site, _conditions: Conditions) -> Option<Expected> {
    Some(Expected::exactly("n^2", nodes(site) * nodes(site)))
}

/// The id of every initiator travels round the whole ring.
pub(super) fn le_lann(site: &Site, conditions: Conditions) -> Option<Expected> {
    Some(Expected::exactly("k n", f64::from(conditions.initiators) * nodes(site)))
}

/// Every id travels to the next larger one.
pub(super) fn chang_roberts(site: &Site, conditions: Conditions) -> Option<Expected> {
    let (n, k) = (nodes(site), conditions.initiators);
    match (site.choice("wake"), k) {
        ("suppress", 1) => Some(one_initiator(site)),
        ("relay", 1) => Some(Expected::exactly("n", n)),
        ("suppress" | "relay", k) if k < site.nodes() => None,
        _ => Some(everyone_on_a_ring(n, site)),
    }
}

fn everyone_on_a_ring(n: f64, site: &Site) -> Expected {
    match ids(site) {
        Ids::Ascending => Expected::exactly("2n-1", 2.0 * n - 1.0),
        Ids::Descending => Expected::exactly("n(n+1)/2", n * (n + 1.0) / 2.0),
        Ids::Random => Expected::mean("n H_n", n * harmonic(site.nodes())),
        Ids::List(_) => Expected::between("2n-1 to n(n+1)/2", 2.0 * n - 1.0, n * (n + 1.0) / 2.0),
    }
}

/// The distance to the largest id is uniform from 0 to n-1.
fn one_initiator(site: &Site) -> Expected {
    Expected::mean("(3n-1)/2", (3.0 * nodes(site) - 1.0) / 2.0)
}

/// As Chang-Roberts, suppressing; rounds do not matter without faults.
pub(super) fn chang_roberts_numbered(site: &Site, conditions: Conditions) -> Option<Expected> {
    match conditions.initiators {
        1 => Some(one_initiator(site)),
        k if k == site.nodes() && conditions.is_regular => {
            Some(everyone_on_a_ring(nodes(site), site))
        }
        _ => None,
    }
}

/// Ids in opposite directions stop each other, which saves a factor of one over the root of two.
pub(super) fn chang_roberts_bidirectional(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    let is_start_together = conditions.initiators == site.nodes();
    match ids(site) {
        Ids::Random if site.nodes() >= 16 && is_start_together => {
            let mean = n * harmonic(site.nodes()) / 2f64.sqrt() + 0.62 * n;
            Some(Expected::about("0.71 n H_n + 0.62 n", mean))
        }
        _ => Some(Expected::between("n to n(n+1)/2", n, n * (n + 1.0) / 2.0)),
    }
}

/// A round costs 2n and leaves at most half of the candidates; a sorted ring needs two.
pub(super) fn franklin(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    match (conditions.initiators, ids(site)) {
        (1, _) => Some(Expected::exactly("2n", 2.0 * n)),
        (_, Ids::Ascending | Ids::Descending) => Some(Expected::exactly("4n", 4.0 * n)),
        (_, Ids::Random) if site.nodes() >= 16 => {
            let rounds = n.ln() / 3f64.ln() + 1.04;
            Some(Expected::about("2n (log_3 n + 1.04)", 2.0 * n * rounds))
        }
        _ => Some(Expected::between(
            "4n to 2n (log n + 1)",
            4.0 * n,
            2.0 * n * (log2(site.nodes()) + 1.0),
        )),
    }
}

/// Franklin's rounds, the last at half the cost.
pub(super) fn dolev_klawe_rodeh(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    match (conditions.initiators, ids(site)) {
        (1, _) => Some(Expected::exactly("n", n)),
        (_, Ids::Ascending | Ids::Descending) => Some(Expected::exactly("3n", 3.0 * n)),
        (_, Ids::Random) if site.nodes() >= 16 => {
            let rounds = n.ln() / 3f64.ln() + 1.04;
            Some(Expected::about("2n (log_3 n + 0.54)", 2.0 * n * rounds - n))
        }
        _ => {
            Some(Expected::between("3n to 2n log n + n", 3.0 * n, 2.0 * n * log2(site.nodes()) + n))
        }
    }
}

/// At most two messages per node and halving, or one per Fibonacci step.
pub(super) fn peterson(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    if conditions.initiators == 1 {
        return Some(Expected::exactly("n", n));
    }
    match site.choice("variant") {
        "alternating" => {
            let high = n * f64::from(fibonacci_steps(site.nodes()) + 1);
            Some(Expected::between("2n to 1.44 n log n + n", 2.0 * n.min(high / 2.0), high))
        }
        "original" => {
            Some(Expected::between("up to 2n log n + n", n, 2.0 * n * log2(site.nodes()) + n))
        }
        _ => dolev_klawe_rodeh(site, conditions),
    }
}

/// The largest r whose Fibonacci number F(r+2) is not above n.
fn fibonacci_steps(n: u32) -> u32 {
    let (mut previous, mut current, mut steps) = (1_u64, 1_u64, 0);
    while previous + current <= u64::from(n) {
        (previous, current) = (current, previous + current);
        steps += 1;
    }
    steps
}

/// Neighbourhoods of doubling radius.
pub(super) fn hirschberg_sinclair(site: &Site, conditions: Conditions) -> Option<Expected> {
    let n = nodes(site);
    let rounds = f64::from(u32::BITS - (site.nodes() - 1).leading_zeros());
    let high = 8.0 * n * (1.0 + rounds);
    let low = if conditions.initiators == 1 { n } else { 2.0 * n };
    Some(Expected::between("up to 8n (1 + log n)", low, high))
}

/// Out and back over every edge, one after the other.
pub(super) fn tree_traversal(site: &Site, conditions: Conditions) -> Option<Expected> {
    let once = 2.0 * (nodes(site) - 1.0);
    match conditions.initiators {
        1 => Some(Expected::exactly("2(n-1)", once)),
        k => Some(Expected::between("2(n-1) to 2k(n-1)", once, f64::from(k) * once)),
    }
}

/// Exploration over every edge, twice where two explorations meet; one echo per node.
pub(super) fn tree_wave(site: &Site, conditions: Conditions) -> Option<Expected> {
    let (n, k) = (nodes(site), f64::from(conditions.initiators));
    (site.nodes() > 1).then(|| Expected::exactly("2n+k-2", 2.0 * n + k - 2.0))
}

/// Every improvement is told to all other neighbours.
pub(super) fn extinction(site: &Site, conditions: Conditions) -> Option<Expected> {
    let once = 2.0 * edges(site) - nodes(site) + 1.0;
    let waves = launched(site, conditions);
    Some(Expected::between("2m-n+1 to k(2m-n+1)", once, waves * once))
}

/// The number of ids in the race: woken nodes join unless they only relay.
fn launched(site: &Site, conditions: Conditions) -> f64 {
    match site.choice("wake") {
        "all" => nodes(site),
        _ => f64::from(conditions.initiators),
    }
}

/// Every edge is walked twice per wave.
pub(super) fn waves(site: &Site, conditions: Conditions) -> Option<Expected> {
    let once = 2.0 * edges(site);
    match launched(site, conditions) {
        1.0 => Some(Expected::exactly("2m", once)),
        waves => Some(Expected::between("2m to 2km", once, waves * once)),
    }
}

/// Explorers, and one echo per node but the winner.
pub(super) fn adoption(site: &Site, conditions: Conditions) -> Option<Expected> {
    let (n, m, k) = (nodes(site), edges(site), f64::from(conditions.initiators));
    match conditions.initiators {
        1 => Some(Expected::exactly("2m", 2.0 * m)),
        _ => Some(Expected::between(
            "2m+k-1 to (k+1)m+n-1",
            2.0 * m + k - 1.0,
            (k + 1.0) * m + n - 1.0,
        )),
    }
}
