//! Franklin, Dolev-Klawe-Rodeh and Peterson: rounds in which only local maxima survive.

use konklave::election::Id;
use konklave::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use konklave::election::franklin::Franklin;
use konklave::election::heading::Neighbours;
use konklave::election::peterson::{Peterson, Variant};
use konklave_sim::{Delay, Options};

use super::ring_election::{RINGS, check_mean, cost, cost_with, random_ring, sums_and_maxima};

fn dolev_klawe_rodeh(me: Id, ring: Neighbours) -> DolevKlaweRodeh {
    DolevKlaweRodeh::new(me, ring.right)
}

fn peterson(variant: Variant) -> impl Fn(Id, Neighbours) -> Peterson {
    move |me, ring| Peterson::new(me, ring.right, variant)
}

/// The cost with equal delays, by algorithm: Franklin, Dolev-Klawe-Rodeh, and Peterson basic,
/// original and alternating.
const COSTS: [fn(&[u32]) -> u64; 5] = [
    |ids| cost(ids, Franklin::new),
    |ids| cost(ids, dolev_klawe_rodeh),
    |ids| cost(ids, peterson(Variant::Basic)),
    |ids| cost(ids, peterson(Variant::Original)),
    |ids| cost(ids, peterson(Variant::Alternating)),
];

/// How many rounds Franklin's algorithm needs, the one in which the last meets itself included.
fn rounds(ids: &[u32]) -> u64 {
    let (mut active, mut rounds) = (ids.to_vec(), 1);
    while active.len() > 1 {
        let n = active.len();
        let is_maximum =
            |&i: &usize| active[i] > active[(i + 1) % n] && active[i] > active[(i + n - 1) % n];
        active = (0..n).filter(is_maximum).map(|i| active[i]).collect();
        rounds += 1;
    }
    rounds
}

/// How many phases the alternating variant needs, the one in which a value comes round included.
fn phases(ids: &[u32]) -> u64 {
    let (mut active, mut phases) = (ids.to_vec(), 1);
    while active.len() > 1 {
        let n = active.len();
        let rival = if phases % 2 == 1 { 1 } else { n - 1 };
        let survives = |&i: &usize| active[i] > active[(i + rival) % n];
        active = (0..n).filter(survives).map(|i| active[i]).collect();
        phases += 1;
    }
    phases
}

/// The most phases that n values can survive, and the one after: F(r+2) <= n.
fn fibonacci_bound(n: u64) -> u64 {
    let (mut r, mut a, mut b) = (0, 1, 2);
    while b <= n {
        (r, a, b) = (r + 1, b, a + b);
    }
    n * (r + 1)
}

fn log2(n: u64) -> u64 {
    n.ilog2().into()
}

/// The same with any delays; they must fit the rounds, the phases and the bounds.
fn costs(options: &Options, ids: &[u32]) -> [u64; 5] {
    let n = ids.len() as u64;
    let franklin = cost_with(options, ids, Franklin::new);
    assert_eq!(franklin, 2 * n * rounds(ids), "{ids:?}, {options:?}");
    assert!(franklin <= 2 * n * (log2(n) + 1), "{ids:?}");
    let dolev_klawe_rodeh = cost_with(options, ids, dolev_klawe_rodeh);
    assert_eq!(dolev_klawe_rodeh, franklin - n, "{ids:?}, {options:?}: the last round is half");
    let basic = cost_with(options, ids, peterson(Variant::Basic));
    assert_eq!(basic, dolev_klawe_rodeh, "{ids:?}, {options:?}");
    let original = cost_with(options, ids, peterson(Variant::Original));
    assert!(original <= basic, "{ids:?}, {options:?}: it ends no later");
    let alternating = cost_with(options, ids, peterson(Variant::Alternating));
    assert_eq!(alternating, n * phases(ids), "{ids:?}, {options:?}");
    assert!(alternating <= fibonacci_bound(n), "{ids:?}");
    [franklin, dolev_klawe_rodeh, basic, original, alternating]
}

#[test]
fn the_rings_of_the_specification_cost_what_it_says() {
    // election.md 11.1.
    let expected = [
        [12, 9, 9, 8, 6],
        [36, 30, 30, 27, 24],
        [54, 45, 45, 42, 36],
        [32, 24, 24, 23, 16],
        [32, 24, 24, 23, 24],
        [64, 56, 56, 46, 32],
        [96, 80, 80, 77, 64],
    ];
    for (ids, expected) in RINGS.into_iter().zip(expected) {
        assert_eq!(costs(&Options::default(), ids), expected, "{ids:?}");
    }
}

#[test]
fn sums_and_maxima_over_all_rings() {
    // election.md 12.1 gives the averages 18.6667, 26.6667, 34.4, 41.3778, 48.0508 for 4 to 8 ids.
    let (sums, maxima) = sums_and_maxima(8, COSTS[0]);
    assert_eq!(sums, [2, 8, 24, 112, 640, 4128, 29792, 242176]);
    assert_eq!(maxima, [2, 8, 12, 24, 30, 36, 42, 64]);
    // n less on each of (n-1)! rings.
    let (sums, maxima) = sums_and_maxima(8, COSTS[1]);
    assert_eq!(sums, [1, 6, 18, 88, 520, 3408, 24752, 201856]);
    assert_eq!(maxima, [1, 6, 9, 20, 25, 30, 35, 56]);
    // 11.3333, 15.4167, 19.85, 24.5486, 29.4175 on average for 4 to 8 ids.
    let (sums, maxima) = sums_and_maxima(8, COSTS[4]);
    assert_eq!(sums, [1, 4, 15, 68, 370, 2382, 17675, 148264]);
    assert_eq!(maxima, [1, 4, 9, 12, 20, 24, 28, 40]);
}

#[test]
fn all_rings_keep_the_bounds_and_the_variants_agree() {
    let (sums, _) = sums_and_maxima(7, |ids| costs(&Options::default(), ids)[2]);
    assert_eq!(sums, [1, 6, 18, 88, 520, 3408, 24752]);
}

#[test]
fn the_schedule_does_not_matter() {
    let delays = [Delay::Uniform(1, 30), Delay::Exponential(10), Delay::Asymmetric(1, 30)];
    for nodes in [1, 2, 3, 7, 16, 40] {
        for (seed, delay) in (1..=10).flat_map(|seed| delays.map(|delay| (seed, delay))) {
            let options = Options { seed, delay, fifo: true, ..Options::default() };
            costs(&options, &random_ring(nodes, seed));
        }
    }
}

#[test]
fn sorted_rings_are_easy() {
    for nodes in [2, 3, 8, 33] {
        let ascending: Vec<_> = (0..nodes).collect();
        let descending: Vec<_> = (0..nodes).rev().collect();
        let n = u64::from(nodes);
        for ids in [&ascending, &descending] {
            let [franklin, dolev_klawe_rodeh, ..] = costs(&Options::default(), ids);
            assert_eq!((franklin, dolev_klawe_rodeh), (4 * n, 3 * n));
        }
    }
}

#[test]
fn random_rings_cost_what_was_measured_elsewhere() {
    // election.md 12.1, whose relative standard error is below 0.4 %.
    for (nodes, runs, expected) in [
        (64, 300, [629.8, 565.8, 565.8, 518.6, 400.5]),
        (256, 80, [3115.0, 2859.0, 2859.0, 2695.0, 2047.0]),
    ] {
        for (cost, expected) in COSTS.into_iter().zip(expected) {
            check_mean(nodes, runs, (expected, 0.004), |ids, _| cost(ids));
        }
    }
}
