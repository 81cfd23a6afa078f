//! What overlays, dictionaries and consensus cost.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::option::Verb;
use konklave_catalog::quantity::Measures;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::Watch;
use konklave_sim::{Ended, Options, RunReport};

use super::chang_roberts::moments;

static CATALOG: LazyLock<&Catalog> = LazyLock::new(|| Catalog::standard().leak());

/// A run in synchronous rounds, until the system was legal for ten of them.
pub(super) fn run(
    algorithm: &str,
    nodes: u32,
    seed: u64,
    given: &[(&str, &str)],
) -> RunReport<Measures> {
    run_until(10, algorithm, nodes, seed, given)
}

/// A run in synchronous rounds, until the system was legal for so many of them.
fn run_until(
    stable: u64,
    algorithm: &str,
    nodes: u32,
    seed: u64,
    given: &[(&str, &str)],
) -> RunReport<Measures> {
    let entry = CATALOG.find(algorithm).unwrap();
    let setup = Setup { algorithm: algorithm.to_owned(), nodes, seed, ..Setup::default() };
    let setup = given.iter().fold(setup, |setup, (name, value)| setup.with(name, value));
    let site = Site::new(setup.with_others(entry), entry, Verb::Run).unwrap();
    let options = Options {
        seed,
        perpetual: entry.needs.perpetual,
        stable_rounds: Some(stable),
        round_limit: Some(5_000),
        ..Options::default()
    };
    let report = site.system().unwrap().run(&options, Watch::default(), &mut |_| true).unwrap();
    assert!(report.violations.is_empty(), "{algorithm}, seed {seed}: {:?}", report.violations);
    assert!(!report.ended.is_early(), "{algorithm}, seed {seed}: {}", report.ended);
    report
}

pub(super) fn mean_of(
    name: &str,
    (algorithm, nodes): (&str, u32),
    seeds: u64,
    given: &[(&str, &str)],
) -> (f64, f64) {
    let measured = |seed| run(algorithm, nodes, seed, given).problem.get(name).expect(name);
    let samples: Vec<f64> = (1..=seeds).map(measured).collect();
    let (mean, deviation) = moments(&samples);
    (mean, deviation / (seeds as f64).sqrt())
}

/// The rounds of the reference implementation, for 256 nodes.
#[test]
fn a_skip_graph_builds_itself_as_fast_as_the_reference() {
    let reference =
        [("tree", 12), ("path", 16), ("star", 14), ("sorted", 25), ("dense", 7), ("lists", 21)];
    for (start, rounds) in reference {
        let given = [("start", start), ("searches", "0")];
        let (mean, _) = mean_of("rounds", ("skip-plus", 256), 3, &given);
        assert!((mean - f64::from(rounds)).abs() <= 3.0, "{start}: {mean} rounds, not {rounds}");
        let report = run("skip-plus", 256, 1, &given);
        let stabilisation = report.stabilisation.expect("it is self-stabilising");
        assert!(stabilisation.connected && stabilisation.closure, "{start}");
    }
}

/// 3.47 hops to random positions, at most log2 n + 1, and a degree of 21.
#[test]
fn searches_in_a_skip_graph_are_short() {
    let given = [("start", "legal"), ("searches", "2000")];
    let runs: Vec<_> = (1..=8).map(|seed| run("skip-plus", 256, seed, &given).problem).collect();
    let mean = |name: &str| runs.iter().filter_map(|it| it.get(name)).sum::<f64>() / 8.0;
    assert!((mean("hops") - 3.47).abs() < 0.1, "{} hops", mean("hops"));
    assert!((mean("degree") - 21.0).abs() < 1.0, "a degree of {}", mean("degree"));
    let numbers = runs.iter().flat_map(|it| it.numbers());
    let most = numbers.filter(|(name, _)| name == "hops_max").map(|(_, it)| it);
    assert!(most.fold(0.0, f64::max) <= 9.0, "log2 n + 1");
    assert_eq!(mean("misplaced"), 0.0);
}

/// 2(n-1) messages in a round of a list, 3n+1 in one of a ring, once a probe has gone all the way.
#[test]
fn maintenance_is_as_stated() {
    for nodes in [3_u32, 10, 50] {
        let stated = [("build-list", 2 * (nodes - 1)), ("build-ring", 3 * nodes + 1)];
        for (algorithm, messages) in stated {
            let given = [("start", "legal"), ("searches", "0")];
            let report = run_until(2 * u64::from(nodes), algorithm, nodes, 1, &given);
            let found = report.problem.get("maintenance").unwrap() * f64::from(nodes);
            assert!((found - f64::from(messages)).abs() < 1e-6, "{algorithm} {nodes}: {found}");
        }
    }
}

/// Joins and leaves are integrated, and no search goes wrong afterwards.
#[test]
fn a_network_recovers_from_joins_and_leaves() {
    for algorithm in ["build-list", "build-ring", "skip-plus"] {
        for seed in 1..=5 {
            let given = [("joins", "6"), ("leaves", "5"), ("searches", "50"), ("max-delay", "1")];
            let report = run(algorithm, 16, seed, &given);
            assert_eq!(report.ended, Ended::Stable);
            let of = |name| report.problem.get(name);
            assert_eq!((of("joined"), of("left")), (Some(6.0), Some(5.0)), "{algorithm} {seed}");
            assert_eq!((of("searches"), of("misplaced")), (Some(50.0), Some(0.0)));
        }
    }
}

/// To the server, to the member and to the process; with k copies 2(k-1) more for each write.
#[test]
fn an_operation_takes_three_messages() {
    for nodes in [1, 2, 7, 40] {
        let report = run("server-dht", nodes, 3, &[("ops", "30"), ("window", "3")]);
        assert_eq!(report.problem.get("messages_per_operation"), Some(3.0));
    }
    for copies in [2_u32, 3, 5] {
        let given = [("ops", "30"), ("copies", &copies.to_string())];
        let report = run("server-dht", 12, 3, &given);
        let of = |name| report.problem.get(name).unwrap();
        let writes = of("operations") - of("lookups");
        let messages = 3.0 * of("operations") + 2.0 * f64::from(copies - 1) * writes;
        assert_eq!(report.messages.total as f64, messages, "{copies} copies");
        assert_eq!(of("under_replicated"), 0.0);
    }
}

/// 1 + n/m members in a cell of the table, exactly.
#[test]
fn a_cell_lists_as_many_members_as_the_theorem_says() {
    for (members, cells) in [(5, 8), (8, 8), (50, 64), (64, 64)] {
        let report = run("server-dht", members, 1, &[("ops", "1")]);
        assert_eq!(report.problem.get("cells_m"), Some(f64::from(cells)));
        let occupancy = 1.0 + f64::from(members) / f64::from(cells);
        assert_eq!(report.problem.get("cells_occupancy_mean"), Some(occupancy), "{members}");
    }
}

/// Two nodes with two values: a node takes the other value with probability 1/2 in a round of the
/// minimum rule. The median rule ends when exactly one of two changes, each with probability 1/4.
#[test]
fn two_nodes_agree_as_computed_by_hand() {
    for (algorithm, expected) in [("minimum-rule", 2.0), ("median-rule", 8.0 / 3.0)] {
        let (mean, error) = mean_of("rounds", (algorithm, 2), 2_000, &[("values", "two")]);
        assert!((mean - expected).abs() < 4.0 * error, "{algorithm}: {mean}, not {expected}");
    }
}

/// In multiples of log2 n, from n different values and from two: the interval of four standard
/// errors around the mean lies in the range that is stated. 256 nodes.
#[test]
fn agreement_takes_a_logarithmic_number_of_rounds() {
    let log = 8.0;
    let cases = [
        ("minimum-rule", "distinct", 1.25, 1.5),
        ("median-rule", "distinct", 1.97, 2.3),
        ("median-rule", "two", 1.2, 1.7),
    ];
    for (algorithm, values, low, high) in cases {
        let (mean, error) = mean_of("rounds", (algorithm, 256), 300, &[("values", values)]);
        let is_sure = mean - 4.0 * error >= low * log && mean + 4.0 * error <= high * log;
        assert!(is_sure, "{algorithm}, {values}: {mean} +- {error}");
    }
}

/// One new value prevails over an agreed one; five that compete end in one order.
#[test]
fn what_is_written_to_a_log_prevails() {
    for (writes, least, most) in [("1", 5.0, 9.0), ("5", 12.0, 24.0)] {
        let given = [("values", "same"), ("writes", writes)];
        let (mean, _) = mean_of("rounds", ("median-log", 256), 10, &given);
        assert!((least..=most).contains(&mean), "{writes} writes: {mean} rounds");
        for seed in 1..=10 {
            let value = run("median-log", 256, seed, &given).problem.get("value");
            assert!(value > Some(1.0), "seed {seed}: {value:?}");
        }
    }
}

/// A binary search reads at most floor(log2(W + 1)) + 5 entries, whatever the dictionary; a walk
/// one for each length. All entries can be found from the root in the end: n inner nodes and n + 1
/// leaves, and for a Patricia trie nothing else.
#[test]
fn a_search_reads_no_more_entries_than_stated() {
    let numbers = |report: &RunReport<Measures>| -> BTreeMap<String, f64> {
        report.problem.numbers().collect()
    };
    for (width, bound) in [(3_u32, 7.0), (15, 9.0), (16, 9.0), (62, 10.0), (63, 11.0), (64, 11.0)] {
        for (variant, dictionary) in
            [("hashed", "server-dht"), ("hashed", "combine-split"), ("patricia", "server-dht")]
        {
            let keys = 60.min(1 << width.min(10)) as f64;
            let (width, count) = (width.to_string(), keys.to_string());
            let given = [
                ("width", &width[..]),
                ("keys", &count),
                ("queries", "60"),
                ("variant", variant),
                ("dictionary", dictionary),
            ];
            let report = numbers(&run("patricia", 5, 1, &given));
            let walk = width.parse::<f64>().unwrap() + 2.0;
            let bound = if variant == "hashed" { bound } else { walk };
            assert_eq!(report["bound"], bound, "{width} bits, {variant}");
            assert!(report["reads_max"] <= bound, "{width} bits, {variant}: {report:?}");
            let edges = report["msd_share"] * report["records"];
            // Where leaves are not linked, that of infinity is never written.
            let infinity = if variant == "hashed" { 1.0 } else { 0.0 };
            let nodes = 2.0 * keys + infinity;
            assert!((report["records"] - edges - nodes).abs() < 1e-6, "{report:?}");
            assert!(variant == "hashed" || edges == 0.0);
        }
    }
}
