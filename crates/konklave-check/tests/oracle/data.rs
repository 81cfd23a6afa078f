//! Dictionaries and consensus, built by the catalogue.

use konklave_catalog::catalog::Catalog;
use konklave_catalog::consensus::Consensus;
use konklave_catalog::dictionary::Keyed;
use konklave_catalog::object::Shared;
use konklave_catalog::option::Verb;
use konklave_catalog::problem::Problem;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Explored};
use konklave_check::{Pace, Verdict, World};

use super::agree;

/// A system as `check` explores it, with both explorers: how many states there are.
fn states<X: Problem>(algorithm: &str, nodes: u32, options: &[(&str, &str)]) -> u64 {
    let entry = Catalog::standard().leak().find(algorithm).unwrap();
    let setup = Setup { algorithm: algorithm.to_owned(), nodes, seed: 1, ..Setup::default() };
    let setup = options.iter().fold(setup, |setup, (name, value)| setup.with(name, value));
    let site = Site::new(setup.with_others(entry), entry, Verb::Check).unwrap();
    let perpetual = entry.needs.perpetual;
    let world = World { pace: Pace::Patient, perpetual, ..World::new() };
    let plan = CheckPlan { world, ..CheckPlan::default() };
    let system = site.system().unwrap().explored(&plan).unwrap();
    let system = *system.downcast::<Explored<X>>().expect("it is of this problem");
    let (unique, verdict) = agree(algorithm, system);
    assert_eq!(verdict, Verdict::Exhausted, "{algorithm}");
    unique
}

/// One key, two processes that join, two operations; a leave, and copies.
#[test]
fn dictionaries() {
    let served = states::<Shared<Keyed>>;
    assert_eq!(served("server-dht", 1, &[("joins", "2"), ("ops", "pg")]), 1_776);
    assert_eq!(served("server-dht", 2, &[("joins", "2"), ("ops", "p/g")]), 3_371);
    let leave = [("joins", "1"), ("leaves", "1"), ("ops", "p/g")];
    assert_eq!(served("server-dht", 2, &leave), 1_720);
    assert_eq!(served("server-dht", 2, &[("copies", "2"), ("ops", "p/g")]), 54);
}

/// Without a server: two members and one that joins; copies that move; searches from any state; and
/// requests that are combined on a line.
#[test]
fn dictionaries_of_peers() {
    let shared = states::<Shared<Keyed>>;
    assert_eq!(shared("skip-dht", 2, &[("joins", "1"), ("ops", "p0g1/g0")]), 3_495);
    let copied = [("placement", "copied"), ("ops", "p0p1/g0")];
    assert_eq!(shared("skip-dht", 2, &copied), 254);
    assert_eq!(shared("prefix-dht", 2, &[("joins", "1"), ("ops", "p0/g0")]), 5_293);
    let line = [("network", "list"), ("ops", "g0/p0/g0")];
    assert_eq!(shared("combine-split", 3, &line), 120);
}

#[test]
fn consensus() {
    assert_eq!(states::<Consensus>("minimum-rule", 3, &[]), 459);
    assert_eq!(states::<Consensus>("minimum-rule", 3, &[("writes", "1")]), 1_312);
    assert_eq!(states::<Consensus>("median-rule", 2, &[("writes", "1")]), 657);
    assert_eq!(states::<Consensus>("median-log", 2, &[("writes", "1")]), 1_649);
}
