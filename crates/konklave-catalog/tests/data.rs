//! Small overlays, dictionaries and systems of consensus, in every schedule: every promise holds,
//! and there are as many states as ever. Overlays begin in every connected state.

use std::sync::LazyLock;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::option::Verb;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::CheckPlan;
use konklave_check::{Pace, Verdict, World};

static CATALOG: LazyLock<&Catalog> = LazyLock::new(|| Catalog::standard().leak());

#[track_caller]
fn assert_states(algorithm: &str, nodes: u32, options: &[(&str, &str)], expected: u64) {
    let entry = CATALOG.find(algorithm).unwrap();
    let setup = Setup { algorithm: algorithm.to_owned(), nodes, seed: 1, ..Setup::default() };
    let setup = options.iter().fold(setup, |setup, (name, value)| setup.with(name, value));
    let site = Site::new(setup.with_others(entry), entry, Verb::Check).unwrap();
    let perpetual = entry.needs.perpetual;
    let world = World { pace: Pace::Patient, perpetual, ..World::new() };
    let plan = CheckPlan { world, ..CheckPlan::default() };
    let found = site.system().unwrap().check(&plan, &mut |_| true).unwrap();
    let context = format!("{algorithm} of {nodes} nodes with {options:?}");
    assert_eq!((found.verdict, found.unique), (Verdict::Exhausted, expected), "{context}");
    let is_undecided = found.properties.iter().find(|it| it.holds != Some(true));
    assert!(is_undecided.is_none(), "{context}: {is_undecided:?}");
}

#[test]
fn overlays_of_two_and_three_nodes() {
    assert_states("build-list", 2, &[], 105);
    assert_states("build-list", 3, &[], 1_824);
    assert_states("build-ring", 2, &[], 1_004);
    assert_states("build-ring", 3, &[], 81_405);
    assert_states("skip-plus", 2, &[], 304);
    assert_states("skip-plus", 3, &[], 22_017);
}

/// Four nodes have too many starts: one in which a node knows too much.
#[test]
fn a_skip_graph_of_four_nodes() {
    assert_states("skip-plus", 4, &[("start", "dense")], 2_422);
}

#[test]
fn searches_in_a_ring() {
    assert_states("build-ring", 3, &[("start", "legal"), ("searches", "1")], 1_083);
}

#[test]
fn a_dictionary_of_one_key() {
    assert_states("server-dht", 1, &[("joins", "2"), ("ops", "pg")], 1_776);
    assert_states("server-dht", 2, &[("joins", "2"), ("ops", "p/g")], 3_371);
    assert_states("server-dht", 2, &[("joins", "1"), ("leaves", "1"), ("ops", "p/g")], 1_720);
    assert_states("server-dht", 2, &[("joins", "1"), ("copies", "2"), ("ops", "p/g")], 5_410);
}

/// Agreement can be reached from every state, and no step leads out of it.
#[test]
fn consensus_of_three_nodes() {
    assert_states("minimum-rule", 3, &[], 459);
    assert_states("median-rule", 3, &[], 5_639);
    assert_states("median-log", 3, &[("values", "two")], 6_871);
}
