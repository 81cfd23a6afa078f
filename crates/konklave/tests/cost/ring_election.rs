//! Elections on rings by any algorithm.

use konklave::NodeId;
use konklave::election::heading::Neighbours;
use konklave::election::{Command, Event, Id, Monitor, Winner};
use konklave::protocol::Protocol;
use konklave_catalog::election::workload::{Ballot, ElectionReport, Plan};
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Ended, Options, RunReport, Simulation};

use super::chang_roberts::{moments, permutations};
use super::lock::EVENTS_MAX;

/// The rings of the specification (election.md 11.1), in sending direction.
pub(super) const RINGS: [&[u32]; 7] = [
    &[3, 1, 2],
    &[27, 4, 42, 15, 63, 9],
    &[5, 2, 8, 1, 9, 4, 7, 3, 6],
    &[1, 2, 3, 4, 5, 6, 7, 8],
    &[8, 7, 6, 5, 4, 3, 2, 1],
    &[8, 1, 3, 2, 7, 5, 6, 4],
    &[1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 8, 16],
];

/// An election on the ring of these ids, in sending direction, which must be a good one.
pub(super) fn elect<P>(
    options: &Options,
    ids: &[u32],
    winner: Winner,
    plan: Plan,
    make: impl Fn(Id, Neighbours) -> P,
) -> RunReport<ElectionReport>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let nodes = ids.len() as u32;
    let options = Options { event_limit: Some(EVENTS_MAX), ..options.clone() };
    let context = format!("{ids:?}, {plan:?}, {options:?}");
    let ids: Vec<_> = ids.iter().copied().map(Id).collect();
    let ballot = Ballot::new(ids.clone(), plan);
    let make = |me: NodeId| make(ids[me.index()], neighbours(me.0, nodes));
    let monitor = Monitor::new(ids.clone(), winner);
    let mut simulation = Simulation::new(options, nodes, make, ballot, monitor);
    let report = simulation.run(&mut |_| true).expect("nothing is written");
    assert_eq!(report.ended, Ended::Quiescence, "{context}: {:?}", report.violations);
    assert_eq!(report.problem.known_by, nodes, "{context}");
    assert_eq!(report.problem.elections, 1, "{context}: one node is told that it is elected");
    report
}

fn neighbours(me: u32, nodes: u32) -> Neighbours {
    Neighbours { left: NodeId((me + nodes - 1) % nodes), right: NodeId((me + 1) % nodes) }
}

/// Everyone starts at once.
pub(super) fn everyone(ids: &[u32]) -> Plan {
    Plan::once(NodeId::all(ids.len() as u32).collect(), 0)
}

/// The messages to elect on this ring, if everyone starts at once and delays are 1; then the winner
/// is announced by n more.
pub(super) fn cost<P>(ids: &[u32], make: impl Fn(Id, Neighbours) -> P) -> u64
where
    P: Protocol<Command = Command, Event = Event>,
{
    cost_with(&Options::default(), ids, make)
}

/// The same with other delays.
pub(super) fn cost_with<P>(
    options: &Options,
    ids: &[u32],
    make: impl Fn(Id, Neighbours) -> P,
) -> u64
where
    P: Protocol<Command = Command, Event = Event>,
{
    let report = elect(options, ids, Winner::Largest, everyone(ids), make);
    assert_eq!(report.problem.messages_to_announce, ids.len() as u64, "{ids:?}");
    report.problem.messages_to_elect
}

/// The orders of ids 1 to n on a ring: the largest stays in its place.
pub(super) fn circular_orders(nodes: u32) -> Vec<Vec<u32>> {
    let smaller: Vec<_> = (1..nodes).collect();
    permutations(&smaller).into_iter().map(|order| [vec![nodes], order].concat()).collect()
}

/// Sum and maximum of the costs over all circular orders of 1 to n ids.
pub(super) fn sums_and_maxima(nodes: u32, cost: impl Fn(&[u32]) -> u64) -> (Vec<u64>, Vec<u64>) {
    let of_size = |n| {
        let costs: Vec<_> = circular_orders(n).iter().map(|ids| cost(ids)).collect();
        (costs.iter().sum::<u64>(), costs.into_iter().max().unwrap_or_default())
    };
    (1..=nodes).map(of_size).unzip()
}

/// A ring of so many ids in random order.
pub(super) fn random_ring(nodes: u32, seed: u64) -> Vec<u32> {
    let mut ids: Vec<_> = (0..nodes).collect();
    Random::new(seed, Stream::Ids).shuffle(&mut ids);
    ids
}

/// The mean cost on random rings must be the mean of another measurement, whose relative standard
/// error is known, or zero if the mean is exact: in 99 of 100 cases both differ by less than 2.576
/// standard errors of the difference.
pub(super) fn check_mean(
    nodes: u32,
    runs: u64,
    (expected, relative_error): (f64, f64),
    cost: impl Fn(&[u32], u64) -> u64,
) {
    let costs: Vec<_> =
        (1..=runs).map(|seed| cost(&random_ring(nodes, seed), seed) as f64).collect();
    let (mean, deviation) = moments(&costs);
    let error = deviation / (runs as f64).sqrt();
    let margin = 2.576 * error.hypot(relative_error * expected);
    let context = format!("{nodes} nodes, seeds 1 to {runs}, +-{margin}");
    assert!((mean - expected).abs() < margin, "{context}: {mean}, not {expected}");
}
