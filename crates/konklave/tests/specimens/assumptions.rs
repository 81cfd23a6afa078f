//! What the module docs say about broken assumptions (`# Assumes`) is true, and is caught.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::{Id, Monitor, Winner};
use konklave_catalog::election::workload::{Ballot, Plan};
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::{Faults, Options, Simulation};
use konklave_specimens::Flawless;

use super::lock::{raymond, ricart_agrawala, wild};
use super::verdict::promise;

/// All promises that break on some of the seeds 1 to 100; `kept` if none does.
fn broken(faults: &Faults, run: impl Fn(&Options) -> String) -> BTreeSet<String> {
    let options = |seed| Options { faults: faults.clone(), ..wild(seed) };
    (1..=100).map(|seed| run(&options(seed))).collect()
}

fn of_ricart_agrawala(options: &Options) -> String {
    promise(&ricart_agrawala(options, 4, Demand::Heavy, &Flawless))
}

fn of_raymond(options: &Options) -> String {
    promise(&raymond(options, 4, Demand::Heavy, &Flawless))
}

/// A ring of six.
fn of_chang_roberts(options: &Options) -> String {
    let ids: Vec<_> = [3, 6, 1, 5, 2, 4].map(Id).into();
    let make = |me: NodeId| ChangRoberts::new(ids[me.index()], NodeId((me.0 + 1) % 6), Wake::All);
    let ballot = Ballot::new(ids.clone(), Plan::once(NodeId::all(6).collect(), 20));
    let monitor = Monitor::new(ids.clone(), Winner::Largest);
    let options = Options { event_limit: Some(20_000), ..options.clone() };
    let mut simulation = Simulation::new(options, 6, make, ballot, monitor);
    promise(&simulation.run(&mut |_| true).unwrap())
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn loss() -> Faults {
    Faults { loss: 0.05, ..Faults::default() }
}

fn duplication() -> Faults {
    Faults { duplicate: 0.2, ..Faults::default() }
}

/// Holding messages up, for whatever reason, is not breaking an assumption.
fn delays() -> Faults {
    let pauses = ["1@20..200", "2@30..50", "0@250..300"].map(|text| text.parse().unwrap()).into();
    let partitions = vec!["hold:0-1/2-5@10..100".parse().unwrap()];
    Faults { reorder: 0.3, pauses, partitions, ..Faults::default() }
}

fn crash() -> Faults {
    Faults { crashes: vec!["1@12".parse().unwrap()], ..Faults::default() }
}

#[test]
fn nothing_breaks_if_all_assumptions_hold() {
    for faults in [Faults::default(), delays()] {
        assert_eq!(broken(&faults, of_ricart_agrawala), set(&["kept"]), "{faults:?}");
        assert_eq!(broken(&faults, of_raymond), set(&["kept"]), "{faults:?}");
        assert_eq!(broken(&faults, of_chang_roberts), set(&["kept"]), "{faults:?}");
    }
}

#[test]
fn a_lost_message_blocks_and_does_nothing_worse() {
    let found = broken(&loss(), of_ricart_agrawala);
    assert!(found.contains("no starvation"), "{found:?}");
    assert!(found.is_subset(&set(&["kept", "no starvation"])), "{found:?}");
    let found = broken(&loss(), of_raymond);
    assert!(found.contains("no starvation"), "{found:?}");
    assert!(found.is_subset(&set(&["kept", "no starvation"])), "{found:?}");
    assert_eq!(broken(&loss(), of_chang_roberts), set(&["kept", "termination"]));
}

#[test]
fn duplicate_messages_let_two_in_but_do_not_harm_elections() {
    let found = broken(&duplication(), of_ricart_agrawala);
    assert!(found.contains("mutual exclusion"), "{found:?}");
    let found = broken(&duplication(), of_raymond);
    assert!(found.contains("mutual exclusion"), "{found:?}");
    assert_eq!(broken(&duplication(), of_chang_roberts), set(&["kept"]));
}

#[test]
fn a_crash_blocks() {
    assert_eq!(broken(&crash(), of_ricart_agrawala), set(&["no starvation"]));
    let found = broken(&crash(), of_raymond);
    assert!(found.contains("no starvation"), "{found:?}");
    // Node 1 has the largest id.
    let found = broken(&crash(), of_chang_roberts);
    assert_eq!(found, set(&["termination"]));
}
