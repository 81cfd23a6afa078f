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

/// Two members and a process that joins, two keys, three operations; leaves, also of neighbours;
/// and copies that find their places. Owned positions have one owner in every state.
#[test]
fn a_dictionary_on_a_skip_graph() {
    assert_states("skip-dht", 2, &[("joins", "1"), ("ops", "p0g1/g0")], 3_495);
    let churn = [("joins", "1"), ("leaves", "1"), ("ops", "p0/g0")];
    assert_states("skip-dht", 2, &churn, 3_419);
    assert_states("skip-dht", 3, &[("leaves", "2"), ("ops", "p0//g0")], 2_669);
    let copied = ("placement", "copied");
    assert_states("skip-dht", 2, &[copied, ("ops", "p0p1/g0")], 254);
    assert_states("skip-dht", 2, &[copied, ("joins", "1"), ("ops", "p0/g0")], 1_389);
}

/// Searches are monotone from every state of two nodes. Three have too many: from those states in
/// which they know each other along a path or a tree, and while one joins.
#[test]
fn monotone_searches() {
    assert_states("prefix-dht", 2, &[("start", "any"), ("ops", "p0/g0")], 22_947);
    assert_states("prefix-dht", 3, &[("start", "path"), ("ops", "p0/g0")], 27_643);
    let agreed = [("start", "tree"), ("ops", "p0/g0"), ("responsible", "agreed")];
    assert_states("prefix-dht", 3, &agreed, 13_655);
    assert_states("prefix-dht", 2, &[("joins", "1"), ("ops", "p0/g0")], 5_293);
}

/// A line of three: read, write and read of one key.
#[test]
fn requests_that_are_combined() {
    assert_states("combine-split", 3, &[("network", "list"), ("ops", "g0/p0/g0")], 120);
    assert_states("combine-split", 3, &[("network", "list"), ("ops", "g0p0/p0/g0")], 250);
}

/// A node leaves while others search; two leave at the same time, while one joins.
#[test]
fn farewells() {
    let one = [("start", "legal"), ("leaves", "1"), ("searches", "1")];
    assert_states("skip-plus", 3, &one, 3_987);
    let two = [("start", "legal"), ("leaves", "2"), ("joins", "1"), ("searches", "0")];
    assert_states("skip-plus", 3, &two, 19_806);
    assert_states("build-ring", 3, &two, 5_954);
}
