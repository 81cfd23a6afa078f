//! How evenly dictionaries with a server place data, and how much moves: the numbers of the
//! theorems, measured in runs; and all schedules of small systems.

use std::sync::LazyLock;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::option::Verb;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Watch};
use konklave_check::Verdict;
use konklave_sim::{Delay, Options};

static CATALOG: LazyLock<&Catalog> = LazyLock::new(|| Catalog::standard().leak());

fn site(algorithm: &str, nodes: u32, seed: u64, options: &[(&str, &str)], verb: Verb) -> Site {
    let entry = CATALOG.find(algorithm).unwrap();
    let setup = Setup { algorithm: entry.name.clone(), nodes, seed, ..Setup::default() };
    let setup = options.iter().fold(setup, |setup, (name, value)| setup.with(name, value));
    Site::new(setup.with_others(entry), entry, verb).unwrap()
}

/// One run, which keeps all promises: what was measured, by name.
fn run(algorithm: &str, nodes: u32, seed: u64, options: &[(&str, &str)]) -> impl Fn(&str) -> f64 {
    let site = site(algorithm, nodes, seed, options, Verb::Run);
    let with_seed = Options { seed, delay: Delay::Constant(1), ..Options::default() };
    let report = site.system().unwrap().run(&with_seed, Watch::default(), &mut |_| true).unwrap();
    assert!(report.violations.is_empty(), "{algorithm}, seed {seed}: {:?}", report.violations);
    let numbers: Vec<(String, f64)> = report.problem.numbers().collect();
    move |name| {
        let found = numbers.iter().find(|(other, _)| other == name);
        found.unwrap_or_else(|| panic!("{name} was not measured")).1
    }
}

/// The mean of a sample, and four standard errors.
fn mean(sample: &[f64]) -> (f64, f64) {
    let count = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / count;
    let square = sample.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, 4.0 * (square / count).sqrt())
}

const LOADED: [(&str, &str); 3] = [("items", "6400"), ("ops", "0"), ("clients", "8")];

/// 64 members, a hundred keys each: the largest load with one choice is H_64 = 4.74 times the mean,
/// with two it is about 1.6 times, and with a bound at most 1.25 times.
#[test]
fn loads_are_as_even_as_promised() {
    let (mut one, mut two, mut redirected, mut probes) = (vec![], vec![], vec![], vec![]);
    for seed in 1..=12 {
        one.push(run("server-dht", 64, seed, &LOADED)("load_max_over_mean"));
        let pairs = run("two-choices", 64, seed, &LOADED);
        two.push(pairs("load_max_over_mean"));
        redirected.push(pairs("redirected"));
        let bounded = run("bounded-loads", 64, seed, &LOADED);
        assert!(bounded("load_max_over_mean") <= 1.25, "seed {seed}");
        probes.push(bounded("probes"));
    }
    let (one, error) = mean(&one);
    let harmonic: f64 = (1..=64).map(|n| 1.0 / f64::from(n)).sum();
    assert!((one - harmonic).abs() < error, "{one} ± {error} for {harmonic}");
    let (two, error) = mean(&two);
    assert!(two + error < 1.9 && two > 1.3, "{two} ± {error}");
    let (redirected, _) = mean(&redirected);
    assert!((0.27..0.50).contains(&redirected), "{redirected}");
    let (probes, error) = mean(&probes);
    assert!((probes - 1.65).abs() < error.max(0.5), "{probes} ± {error}");
}

/// Three members double their capacity, one after the other: SHARE moves at most twice what has to
/// move, cones exactly that.
#[test]
fn little_moves_when_capacities_change() {
    let options = [
        ("items", "6400"),
        ("ops", "4"),
        ("mix", "g"),
        ("capacities", "skewed"),
        ("recapacity", "3"),
    ];
    let ratio = |algorithm: &str| -> Vec<f64> {
        let seeds = 1..=10;
        seeds.map(|seed| run(algorithm, 64, seed, &options)("moved_over_optimum")).collect()
    };
    let (share, error) = mean(&ratio("share-dht"));
    assert!(share - error < 2.0 && share + error > 1.8, "{share} ± {error}");
    let (cone, error) = mean(&ratio("cone-dht"));
    assert!((cone - 1.0).abs() < error, "{cone} ± {error}");
}

/// An operation takes three messages; with a bound, four and one for each member that it passes.
#[test]
fn messages_are_as_the_formulas_say() {
    for algorithm in ["share-dht", "cone-dht"] {
        let measured = run(algorithm, 20, 1, &[("ops", "50"), ("capacities", "skewed")]);
        assert_eq!(measured("messages_per_operation"), 3.0, "{algorithm}");
    }
    let measured = run("bounded-loads", 20, 1, &[("ops", "50"), ("mix", "g")]);
    assert_eq!(measured("messages_per_operation"), 4.0, "nothing is stored, nobody is full");
    let measured = run("share-dht", 40, 1, &[("items", "400"), ("ops", "0")]);
    assert!(measured("multisets") <= 81.0 && measured("uncovered") < 1e-3);
}

/// Every schedule of small systems, with as many states as ever.
#[test]
fn every_schedule_of_small_systems_is_right() {
    let churn = [("ops", "p/g"), ("joins", "1"), ("leaves", "1")];
    let moving = [("ops", "p1p3/g3"), ("joins", "1"), ("leaves", "1")];
    type System<'a> = (&'a str, u32, &'a [(&'a str, &'a str)], u64);
    let systems: [System<'_>; 7] = [
        ("share-dht", 2, &[("ops", "p/g"), ("joins", "1")], 1989),
        ("cone-dht", 2, &churn, 4647),
        ("cone-dht", 2, &[("ops", "pg/g"), ("recapacity", "1")], 1084),
        ("two-choices", 3, &[("ops", "p1p3d1/g3")], 4327),
        ("two-choices", 2, &moving, 22_952),
        ("bounded-loads", 3, &[("ops", "p0p1d0/g1")], 399),
        ("bounded-loads", 2, &churn, 1497),
    ];
    let mut complaints = Vec::new();
    for (algorithm, nodes, options, states) in systems {
        let site = site(algorithm, nodes, 1, options, Verb::Check);
        let plan = CheckPlan::default();
        let checked = site.system().unwrap().check(&plan, &mut |_| true).unwrap();
        assert_eq!(checked.verdict, Verdict::Exhausted, "{algorithm} {options:?}");
        if checked.unique != states {
            complaints.push(format!("{algorithm} {options:?}: {} states", checked.unique));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
