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

/// What a module doc means by its first words about fairness, in this network.
fn meant(stated: &str, site: &Site) -> Option<u32> {
    if stated.starts_with("no starvation, but no bound on overtaking") {
        return None;
    }
    if stated.starts_with("first come, first served") {
        return Some(0);
    }
    let bound = stated.strip_prefix("each node overtakes a waiting one at most ");
    let bound = bound.unwrap_or_else(|| panic!("there is no bound in: {stated}"));
    match bound {
        _ if bound.starts_with("once") => Some(1),
        _ if bound.starts_with("D-2 times") => Some(site.graph().diameter().saturating_sub(2)),
        _ => panic!("nobody knows what this means: {stated}"),
    }
}

#[test]
fn the_module_doc_says_what_is_checked() {
    for entry in CATALOG.entries().iter().filter(|entry| entry.problem.name == "mutex") {
        let stated = entry.document().cost("Fairness");
        let stated = stated.unwrap_or_else(|| panic!("{} has no item `- Fairness:`", entry.name));
        for nodes in [1, 3, 4, 7, 20] {
            let site = site(entry, "", None, nodes);
            let bound = match entry.name.as_str() {
                // The exception that its doc states.
                "token-graph" if site.graph().is_tree() => continue,
                _ => (entry.overtaking)(&site),
            };
            assert_eq!(bound, meant(&stated, &site), "{} {nodes}: {stated}", entry.name);
        }
    }
}

/// Whether a node overtakes a waiting one at most this many times in every schedule.
fn holds(site: &Site, budget: &[u32], bound: u32) -> bool {
    let order = if site.needs_fifo() { Order::Fifo } else { Order::Any };
    let plan = CheckPlan {
        world: World {
            order,
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
        ("carvalho-roucairol", "", None, &[2, 2, 2]),
        ("carvalho-roucairol", "", Some("ordered"), &[2, 2, 2]),
        ("central", "", None, &[2, 2, 2]),
        ("lamport", "", None, &[1, 1, 1]),
        ("lamport", "", None, &[3, 3]),
        ("naimi-trehel", "", None, &[2, 2, 2]),
        ("perpetuum", "", None, &[2, 2, 2, 2]),
        ("raymond", "star", None, &[2, 2, 2, 2]),
        ("raymond", "line", None, &[2, 2, 2, 2]),
        ("raymond", "line", None, &[1, 1, 2, 2, 1]),
        ("raymond", "line", None, &[2, 1, 2, 2, 1]),
        ("raymond", "line", None, &[2, 2, 2, 2, 2]),
        ("raymond", "tree:2", None, &[2, 2, 1, 1, 2]),
        ("raymond", "line", Some("combined"), &[2, 2, 2]),
        ("raymond", "line", Some("combined"), &[2, 2, 2, 2, 2]),
        ("raymond", "tree:2", Some("combined"), &[2, 0, 1, 2, 2]),
        ("raymond", "star", Some("greedy"), &[2, 2, 2, 2]),
        ("raymond", "line", Some("greedy"), &[2, 2, 2]),
        ("raymond", "line", Some("greedy"), &[2, 3, 2, 1]),
        ("ricart-agrawala", "", None, &[2, 2, 1]),
        ("ricart-agrawala-token", "", None, &[2, 2, 1]),
        ("ring-chase", "", None, &[2, 2, 1]),
        ("ring-chase", "", Some("circle"), &[2, 2, 2]),
        ("singhal", "", None, &[2, 2, 2]),
        ("suzuki-kasami", "", None, &[2, 2, 2]),
        ("token-graph", "line", None, &[1, 1, 2, 2, 1]),
        ("token-graph", "line", Some("one"), &[1, 1, 2, 2, 1]),
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

/// More requests of the others overtake the hub of the quorums more often: the hub has entered so
/// often that its clock is ahead, and it is not told of the requests of the others' clocks.
#[test]
fn a_clock_that_lags_behind_overtakes_as_often_as_it_lags() {
    for (name, most) in [("maekawa", 2), ("cao-singhal", 1)] {
        let entry = CATALOG.find(name).unwrap();
        let setup = Setup { algorithm: entry.name.clone(), nodes: 3, ..Setup::default() };
        let setup = setup.with("quorum", "list:0/0,1/0,2");
        let site = Site::new(setup, entry, Verb::Check).unwrap();
        assert_eq!((entry.overtaking)(&site), None, "{name}");
        for bound in 1..=most {
            let others = bound + 1;
            assert!(!holds(&site, &[bound + 2, others, others], bound), "{name} keeps {bound}");
        }
    }
}

/// Off trees, a second request can be forwarded in another direction than the first.
#[test]
fn a_graph_is_less_fair_than_a_tree() {
    let entry = CATALOG.find("token-graph").unwrap();
    let site = site(entry, "ring", None, 4);
    assert_eq!((entry.overtaking)(&site), None);
    assert!(!holds(&site, &[2, 2, 2, 1], 1));
}
