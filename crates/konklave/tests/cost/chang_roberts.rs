//! Chang and Roberts, everyone a candidate: every id travels to the next larger one.

use konklave::NodeId;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::{Id, Monitor, Winner};
use konklave_catalog::election::workload::{Ballot, ElectionReport, Plan};
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Ended, Options, RunReport, Simulation};

use super::lock::EVENTS_MAX;

/// An election on the ring of these ids, in sending direction, which must be a good one.
pub(super) fn elect(
    options: &Options,
    ids: &[u32],
    wake: Wake,
    initiators: &[u32],
    within: u64,
) -> RunReport<ElectionReport> {
    let nodes = ids.len() as u32;
    let options = Options { event_limit: Some(EVENTS_MAX), ..options.clone() };
    let ids: Vec<_> = ids.iter().copied().map(Id).collect();
    let winner = if wake == Wake::Relay { Winner::LargestInitiator } else { Winner::Largest };
    let starters = initiators.iter().copied().map(NodeId).collect();
    let ballot = Ballot::new(ids.clone(), Plan::once(starters, within));
    let make = |me: NodeId| ChangRoberts::new(ids[me.index()], NodeId((me.0 + 1) % nodes), wake);
    let monitor = Monitor::new(ids.clone(), winner);
    let context = format!("{ids:?}, {wake:?}, {initiators:?} within {within}, {options:?}");
    let mut simulation = Simulation::new(options, nodes, make, ballot, monitor);
    let report = simulation.run(&mut |_| true).expect("nothing is written");
    assert_eq!(report.ended, Ended::Quiescence, "{context}: {:?}", report.violations);
    assert_eq!(report.problem.known_by, nodes, "{context}");
    assert_eq!(report.problem.messages_to_announce, u64::from(nodes), "{context}: announcing");
    assert_eq!(report.messages.total, report.problem.messages_to_elect + u64::from(nodes));
    report
}

fn all(ids: &[u32]) -> Vec<u32> {
    (0..ids.len() as u32).collect()
}

/// The messages to elect on this ring, everyone starting at once, with constant delay 1.
fn cost(ids: &[u32]) -> u64 {
    let report = elect(&Options::default(), ids, Wake::All, &all(ids), 0);
    let time = report.problem.time_to_elect;
    assert_eq!(time, Some(ids.len() as f64), "{ids:?}: the largest id goes round once");
    report.problem.messages_to_elect
}

/// How far each id travels: to the next larger one, or home. Added up.
fn hops(ids: &[u32]) -> u64 {
    let nodes = ids.len();
    let hop = |place: usize| {
        let is_larger = |steps: &usize| ids[(place + steps) % nodes] > ids[place];
        (1..nodes).find(is_larger).unwrap_or(nodes) as u64
    };
    (0..nodes).map(hop).sum()
}

/// All orders of these numbers.
pub(super) fn permutations(numbers: &[u32]) -> Vec<Vec<u32>> {
    if numbers.is_empty() {
        return vec![vec![]];
    }
    let starting_with = |place: usize| {
        let mut rest = numbers.to_vec();
        let first = rest.remove(place);
        permutations(&rest).into_iter().map(move |order| [vec![first], order].concat())
    };
    (0..numbers.len()).flat_map(starting_with).collect()
}

/// The orders of ids 1 to n on a ring: the largest stays in its place.
fn rings(nodes: u32) -> Vec<Vec<u32>> {
    let smaller: Vec<_> = (1..nodes).collect();
    permutations(&smaller).into_iter().map(|order| [vec![nodes], order].concat()).collect()
}

#[test]
fn ascending_ids_are_best_and_descending_ids_are_worst() {
    for nodes in [1, 2, 3, 8, 33, 100] {
        let ascending: Vec<_> = (0..nodes).collect();
        let n = u64::from(nodes);
        assert_eq!(cost(&ascending), 2 * n - 1, "{nodes} ids, ascending");
        let descending: Vec<_> = (0..nodes).rev().collect();
        assert_eq!(cost(&descending), n * (n + 1) / 2, "{nodes} ids, descending");
    }
}

#[test]
fn the_rings_of_the_dossier_cost_what_it_says() {
    // election.md 11.1.
    assert_eq!(cost(&[3, 1, 2]), 5);
    assert_eq!(cost(&[27, 4, 42, 15, 63, 9]), 13);
    assert_eq!(cost(&[5, 2, 8, 1, 9, 4, 7, 3, 6]), 25);
    assert_eq!(cost(&[8, 1, 3, 2, 7, 5, 6, 4]), 20);
    assert_eq!(cost(&[1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 8, 16]), 38);
}

#[test]
fn the_schedule_does_not_matter() {
    let delays = [
        Delay::Uniform(1, 30),
        Delay::Exponential(10),
        Delay::PerLink(1, 30),
        Delay::Asymmetric(1, 30),
    ];
    for (nodes, ring_seed) in [(1, 1), (2, 2), (9, 3), (25, 4)] {
        let mut ids: Vec<_> = (0..nodes).collect();
        Random::new(ring_seed, Stream::Ids).shuffle(&mut ids);
        let descending: Vec<_> = (0..nodes).rev().collect();
        for ids in [ids, descending] {
            let everyone = all(&ids);
            let few = &everyone[..everyone.len().div_ceil(3)];
            for (seed, delay) in (1..=25).flat_map(|seed| delays.map(|delay| (seed, delay))) {
                let options = Options { seed, delay, fifo: seed % 2 == 0, ..Options::default() };
                for (initiators, within) in [(&everyone[..], 0), (&everyone[..], 100), (few, 20)] {
                    let report = elect(&options, &ids, Wake::All, initiators, within);
                    let context = format!("{ids:?}, {initiators:?} within {within}, {options:?}");
                    assert_eq!(report.problem.messages_to_elect, hops(&ids), "{context}");
                }
            }
        }
    }
}

#[test]
fn the_sum_over_all_rings_is_a_stirling_number() {
    // election.md 4.3: n H_n on average, so (n-1)! n H_n in all.
    let sums: Vec<u64> = (1..=7).map(|n| rings(n).iter().map(|ids| cost(ids)).sum()).collect();
    assert_eq!(sums, [1, 3, 11, 50, 274, 1764, 13068]);
}

#[test]
fn random_rings_cost_n_times_the_harmonic_number_on_average() {
    for (nodes, runs) in [(16_u32, 2000), (64, 1000), (256, 300)] {
        let costs: Vec<_> = (1..=runs)
            .map(|seed| {
                let mut ids: Vec<_> = (0..nodes).collect();
                Random::new(seed, Stream::Ids).shuffle(&mut ids);
                cost(&ids) as f64
            })
            .collect();
        let n = f64::from(nodes);
        let expected = n * harmonic(nodes);
        let (mean, deviation) = moments(&costs);
        // 99 % of means lie within 2.58 standard errors; 0.6 n bounds the standard deviation.
        assert!(deviation < 0.65 * n, "{nodes} nodes, seeds 1 to {runs}: deviation {deviation}");
        let margin = 2.576 * deviation.min(0.6 * n) / (runs as f64).sqrt();
        let error = (mean - expected).abs();
        assert!(error < margin, "{nodes} nodes, seeds 1 to {runs}: {mean}, not {expected}");
    }
}

/// 1 + 1/2 + ... + 1/n.
pub(super) fn harmonic(n: u32) -> f64 {
    (1..=n).map(|k| 1.0 / f64::from(k)).sum()
}

/// Mean and standard deviation.
pub(super) fn moments(sample: &[f64]) -> (f64, f64) {
    let count = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / count;
    let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, variance.sqrt())
}
