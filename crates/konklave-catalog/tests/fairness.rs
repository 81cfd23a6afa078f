//! The degree of fairness of every lock: what its module doc says is what is checked, and it is
//! exact.

use std::sync::LazyLock;

use konklave::mutex::Monitor;
use konklave::mutex::overtaking::BOUNDED_OVERTAKING;
use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::mutex::Mutex;
use konklave_catalog::option::Verb;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Explored};
use konklave_check::{Costs, Options, Order, Pace, Verdict, World, explore};

static CATALOG: LazyLock<&Catalog> = LazyLock::new(|| Catalog::standard().leak());

fn site(entry: &'static Entry, topology: &str, variant: Option<&str>, nodes: u32) -> Site {
    let setup = Setup {
        algorithm: entry.name.clone(),
        nodes,
        topology: topology.to_owned(),
        ..Setup::default()
    };
    let setup = variant.into_iter().fold(setup, |setup, value| setup.with("variant", value));
    Site::new(setup, entry, Verb::Check).unwrap()
}

#[test]
fn the_module_doc_says_what_is_checked() {
    for entry in CATALOG.entries().iter().filter(|entry| entry.problem.name == "mutex") {
        let stated = entry.document().cost("Fairness");
        let stated = stated.unwrap_or_else(|| panic!("{} has no item `- Fairness:`", entry.name));
        let expected = match (entry.overtaking)(&site(entry, "", None, 7)) {
            Some(0) => "first come, first served",
            Some(1) => "each node overtakes a waiting one at most once",
            Some(bound) => panic!("{}: there are no words for {bound}", entry.name),
            None => "no starvation, but no bound on overtaking",
        };
        assert!(stated.starts_with(expected), "{}: {stated}", entry.name);
    }
}

/// Whether a node overtakes a waiting one at most this many times in every schedule.
fn holds(site: &Site, budget: &[u32], bound: u32) -> bool {
    let plan = CheckPlan {
        world: World {
            order: if site.needs_fifo() { Order::Fifo } else { Order::Any },
            pace: Pace::Patient,
            perpetual: site.entry().needs.perpetual,
            ..World::new()
        },
        budget: Some(budget.to_vec()),
        ..CheckPlan::default()
    };
    let system = site.system().unwrap().explored(&plan).unwrap();
    let system = *system.downcast::<Explored<Mutex>>().unwrap();
    let monitor = Monitor::with_bound(site.nodes(), bound);
    let promises = vec![BOUNDED_OVERTAKING.to_owned()];
    let options = Options { costs: Costs::Ignored, promises, ..Options::default() };
    match explore(Explored::<Mutex> { monitor, ..system }, options, &mut |_| true).verdict {
        Verdict::Exhausted => true,
        Verdict::Violated => false,
        Verdict::Undecided | Verdict::Bounded => panic!("there is no limit"),
    }
}

#[test]
fn every_bound_is_reached_and_never_exceeded() {
    let cases: &[(&str, &str, Option<&str>, &[u32])] = &[
        ("cao-singhal", "", None, &[1, 2, 1]),
        ("carvalho-roucairol", "", None, &[2, 2, 2]),
        ("carvalho-roucairol", "", Some("ordered"), &[2, 2, 2]),
        ("central", "", None, &[2, 2, 2]),
        ("lamport", "", None, &[1, 1, 1]),
        ("lamport", "", None, &[3, 3]),
        ("maekawa", "", None, &[2, 2, 2]),
        ("naimi-trehel", "", None, &[2, 2, 2]),
        ("perpetuum", "", None, &[2, 2, 2, 2]),
        ("raymond", "line", None, &[2, 2, 2, 2]),
        ("raymond", "tree:2", Some("combined"), &[2, 0, 1, 2, 2]),
        ("raymond", "star", Some("greedy"), &[2, 2, 2, 2]),
        ("raymond", "line", Some("greedy"), &[2, 2, 2]),
        ("ricart-agrawala", "", None, &[2, 2, 1]),
        ("ricart-agrawala-token", "", None, &[2, 2, 1]),
        ("ring-chase", "", None, &[2, 2, 1]),
        ("ring-chase", "", Some("circle"), &[2, 2, 2]),
        ("sanders", "", None, &[2, 2, 1]),
        ("singhal", "", None, &[2, 2, 2]),
        ("suzuki-kasami", "", None, &[2, 2, 2]),
        ("token-graph", "ring", None, &[1, 1, 1, 1]),
        ("token-search", "line", None, &[2, 2, 2]),
    ];
    for &(name, topology, variant, budget) in cases {
        let entry = CATALOG.find(name).unwrap();
        let site = site(entry, topology, variant, budget.len() as u32);
        let bound = (entry.overtaking)(&site).unwrap();
        assert!(holds(&site, budget, bound), "{name} {variant:?} exceeds {bound}");
        if let Some(less) = bound.checked_sub(1) {
            assert!(!holds(&site, budget, less), "{name} {variant:?} does not reach {bound}");
        }
    }
    let bounded = CATALOG.entries().iter().filter(|entry| {
        entry.problem.name == "mutex"
            && (entry.overtaking)(&site(entry, "", None, 3)).is_some()
            && !cases.iter().any(|case| case.0 == entry.name)
    });
    assert_eq!(bounded.map(|entry| &entry.name).collect::<Vec<_>>(), Vec::<&String>::new());
}
