//! The same options give the same run, and other options another one, for every algorithm.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::election::Id;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::protocol::Protocol;
use konklave_catalog::election::workload::{Ballot, Plan};
use konklave_sim::workload::Workload;
use konklave_sim::{Delay, Faults, Options, Recording, RunReport, Simulation};

use super::cast::{Director, Indifferent, Run, all_faults, each, stormy};
use super::puppet::{Act, play};

/// Everything a report says, in one text.
fn text<R: std::fmt::Debug>(report: &RunReport<R>) -> String {
    format!("{report:?}")
}

/// Applies a closure-like check to every algorithm.
macro_rules! for_each_algorithm {
    (|$name:ident, $stage:ident| $body:block) => {{
        struct Check;
        impl Director for Check {
            fn direct<'a, P: Protocol, W: Workload<Command = P::Command, Event = P::Event>>(
                &mut self,
                $name: &str,
                _make: impl Fn(NodeId) -> P,
                $stage: impl Fn(Options) -> Run<'a, P, W>,
            ) $body
        }
        each(&mut Check);
    }};
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for_each_algorithm!(|name, stage| {
        let mut deliveries = 0;
        for seed in 1..=20 {
            let run = || stage(stormy(seed)).run(&mut |_| true).unwrap();
            let (one, other) = (run(), run());
            assert_eq!(text(&one), text(&other), "{name}, seed {seed}");
            deliveries += one.deliveries;
        }
        assert!(deliveries > 300, "{name}: little happens, {deliveries} deliveries in 20 runs");
    });
}

#[test]
fn other_seeds_give_other_runs() {
    for_each_algorithm!(|name, stage| {
        let mut seen = BTreeMap::new();
        for seed in 1..=50 {
            let digest = stage(stormy(seed)).run(&mut |_| true).unwrap().digest;
            if let Some(other) = seen.insert(digest, seed) {
                panic!("{name}: seeds {other} and {seed} have the same digest");
            }
        }
    });
}

#[test]
fn without_faults_other_seeds_still_give_other_runs() {
    for_each_algorithm!(|name, stage| {
        for delay in [Delay::Uniform(1, 50), Delay::Exponential(20), Delay::PerLink(1, 50)] {
            let run = |seed| {
                let options = Options { seed, delay, time_limit: Some(5000), ..Options::default() };
                stage(options).run(&mut |_| true).unwrap().digest
            };
            assert_eq!(run(1), run(1), "{name}, {delay}");
            let digests: Vec<_> = (1..=10).map(run).collect();
            let first = |digest| digests.iter().position(|other| other == digest);
            let distinct = digests.iter().zip(0..).all(|(digest, at)| first(digest) == Some(at));
            assert!(distinct, "{name}, {delay}: {digests:?}");
        }
    });
}

#[test]
fn what_nodes_tell_is_part_of_the_digest() {
    // The same orders at the same times to nodes that remember nothing: only the choices differ.
    let orders = [(1, 0, Act::Choose(u32::MAX))];
    let digest = |seed| play(Options { seed, ..Options::default() }, 1, &orders).digest;
    assert_ne!(digest(1), digest(2));
}

#[test]
fn every_kind_of_fault_makes_a_difference() {
    fn without(change: impl FnOnce(&mut Faults)) -> Faults {
        let mut faults = all_faults();
        change(&mut faults);
        faults
    }
    for_each_algorithm!(|name, stage| {
        let run = |faults: Faults| {
            let options = |seed| Options { faults: faults.clone(), ..stormy(seed) };
            let digest = |seed| stage(options(seed)).run(&mut |_| true).unwrap().digest;
            (1..=10).map(digest).collect::<Vec<_>>()
        };
        let with_all = run(all_faults());
        let kinds = [
            ("loss", without(|faults| faults.loss = 0.0)),
            ("duplication", without(|faults| faults.duplicate = 0.0)),
            ("reordering", without(|faults| faults.reorder = 0.0)),
            ("crashes", without(|faults| faults.crashes.clear())),
            ("pauses", without(|faults| faults.pauses.clear())),
            ("partitions", without(|faults| faults.partitions.clear())),
            ("corruptions", without(|faults| faults.corruptions.clear())),
        ];
        for (kind, faults) in kinds {
            assert_ne!(run(faults), with_all, "{name} without {kind}, seeds 1 to 10");
        }
    });
}

#[test]
fn watching_a_run_does_not_change_it() {
    for_each_algorithm!(|name, stage| {
        let calm = Options { delay: Delay::Uniform(1, 9), ..Options::default() };
        for options in [calm.clone(), Options { fifo: true, ..calm }, stormy(5)] {
            let plain = stage(options.clone()).run(&mut |_| true).unwrap();
            let mut recorded = stage(options.clone());
            recorded.record(Recording::new(std::io::sink(), true));
            let recorded = recorded.run(&mut |_| true).unwrap();
            assert_eq!(text(&plain), text(&recorded), "{name}, {options:?}");
        }
    });
}

#[test]
fn counting_messages_does_not_change_a_run() {
    let make = |me: NodeId| ChangRoberts::new(Id(me.0), NodeId((me.0 + 1) % 9), Wake::All);
    let ballot = || {
        let plan = Plan::once(NodeId::all(9).collect(), 0);
        Ballot::new((0..9).map(Id).collect(), plan)
    };
    let calm = Options { delay: Delay::Uniform(1, 9), ..Options::default() };
    for options in [calm.clone(), Options { fifo: true, ..calm }, stormy(5)] {
        let options = Options { event_limit: Some(10_000), ..options };
        let nobody = Indifferent::<ChangRoberts>::new;
        let mut counted = Simulation::new(options.clone(), 9, make, ballot(), nobody());
        let counted = counted.run(&mut |_| true).unwrap();
        let mut uncounted =
            Simulation::<_, _, _, false>::assemble(options.clone(), 9, make, ballot(), nobody());
        let uncounted = uncounted.run(&mut |_| true).unwrap();
        assert_eq!(counted.digest, uncounted.digest, "{options:?}");
        assert_eq!(counted.deliveries, uncounted.deliveries, "{options:?}");
        assert!(counted.messages.total > 0 && uncounted.messages.total == 0);
    }
}
