//! What dictionaries without a server cost.

use konklave_catalog::quantity::Measures;
use konklave_sim::{Ended, RunReport};

use super::data::{mean_of, run};

fn of(report: &RunReport<Measures>, name: &str) -> f64 {
    report.problem.get(name).unwrap_or_else(|| panic!("{name} was not measured"))
}

/// Theorem 6.2, operations: a request to a random key takes 2.67, 3.47 and 4.36 hops on average.
/// These numbers of the reference implementation are in the interval of four standard errors around
/// the mean, and no request takes more than log2 n + 1 hops.
#[test]
fn a_request_takes_a_logarithmic_number_of_hops() {
    for (nodes, expected) in [(64, 2.67), (256, 3.47), (1024, 4.36)] {
        let given = [("ops", "5")];
        let (mean, error) = mean_of("hops", ("skip-dht", nodes), 8, &given);
        assert!((mean - expected).abs() < 4.0 * error + 0.01, "{nodes}: {mean} +- {error}");
        for seed in 1..=8 {
            let report = run("skip-dht", nodes, seed, &given);
            let numbers = report.problem.numbers();
            let most = numbers.filter(|(name, _)| name == "hops_max").map(|(_, it)| it);
            assert!(most.fold(0.0, f64::max) <= f64::from(nodes).log2() + 1.0, "seed {seed}");
            assert_eq!(of(&report, "lost"), 0.0, "seed {seed}");
        }
    }
}

/// Theorem 6.2, joins and leaves: no message descends from the command itself, all are structural.
/// There are O(log n) nodes to tell, each of which introduces O(log n) neighbours, and the farewell
/// of a node that leaves names O(log n) others: fewer than 10 (log2 n)^3 messages on average.
#[test]
fn a_join_or_leave_is_a_matter_of_the_neighbourhood() {
    for nodes in [64, 256, 1024] {
        for change in ["joins", "leaves"] {
            let mut total = 0;
            for seed in 1..=8 {
                let report = run("skip-dht", nodes, seed, &[("ops", "0"), (change, "1")]);
                let caused = report.messages.by_cause.expect("nodes take turns");
                assert_eq!(caused.command, 0, "{nodes} {change} {seed}");
                total += report.messages.total;
            }
            let (mean, bound) = (total as f64 / 8.0, 10.0 * f64::from(nodes).log2().powi(3));
            assert!(mean < bound, "{nodes} {change}: {mean} messages on average");
        }
    }
}

/// A third of the nodes leaves within a few rounds, so that those that leave are connected with
/// each other throughout the network: still each of them tells its own neighbours only.
#[test]
fn nodes_that_leave_together_do_not_tell_everybody() {
    let given = [("ops", "1"), ("leaves", "100")];
    for seed in 1..=3 {
        let report = run("skip-dht", 300, seed, &given);
        assert_eq!(report.ended, Ended::Done);
        assert_eq!((of(&report, "left"), of(&report, "lost")), (100.0, 0.0));
        let each = report.messages.total / 100;
        assert!(each < 10_000, "seed {seed}: {each} messages for each leave");
    }
}

/// A way of sticky bridges is as short as the bits that are left to be matched: half of log2 n
/// hops on average, and a little more where the smallest of several best matches is looked for.
#[test]
fn ways_of_bridges_are_short() {
    for (nodes, log) in [(16, 4.0), (64, 6.0)] {
        let (mean, error) = mean_of("hops", ("prefix-dht", nodes), 6, &[("ops", "10")]);
        let (low, high) = (mean - 4.0 * error, mean + 4.0 * error);
        assert!(low >= log / 2.0 - 1.0 && high <= log / 2.0 + 1.0, "{nodes}: {mean} +- {error}");
    }
}

/// Theorem 6.4: if answers are kept and every process reads once, every node handles at most
/// (deg + 1) D requests. Strict combining does not keep that: requests that come after an answer
/// has left start anew, however many there were.
#[test]
fn only_kept_answers_keep_the_bound_of_the_theorem() {
    for seed in 1..=4 {
        for keys in ["one", "zipf:1", "uniform"] {
            let given = [("ops", "1"), ("keys", keys), ("variant", "kept"), ("mix", "g")];
            assert_eq!(of(&run("combine-split", 256, seed, &given), "bound_ok"), 1.0, "{keys}");
        }
        let given = [("ops", "1"), ("keys", "one"), ("variant", "strict"), ("mix", "g")];
        let strict = run("combine-split", 256, seed, &given);
        assert_eq!(of(&strict, "bound_ok"), 0.0, "seed {seed}");
        assert_eq!(of(&strict, "requests_max_plain"), 256.0, "the owner without combining");
        assert!(of(&strict, "requests_max") < 80.0, "seed {seed}");
    }
}
