//! The algorithm that the book builds step by step, and what the book says about it.

use std::fs;
use std::path::Path;

use konklave::mutex::{Command, Monitor};
use konklave::protocol::Protocol;
use konklave::{NodeId, Recorder};
use konklave_catalog::mutex::client::Visitor;
use konklave_catalog::mutex::workload::{Contention, Demand, MutexReport, Plan};
use konklave_check::{Extremes, Faults, Liveness, Schedule, SearchReport, System, Verdict, World};
use konklave_sim::{Ended, Options, Simulation};

#[allow(unreachable_pub)] // It is written as if it were a file of the library.
#[path = "../../../docs/src/algorithm/forks.rs"]
mod forks;

use forks::{Forks, Msg};

// One transition at a time.

#[test]
fn a_dirty_fork_is_given_away_and_wanted_back() {
    let mut node = Forks::new(NodeId(1), 3);
    let mut env = Recorder::default();
    node.on_command(Command::Acquire, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request"], "the fork with node 2 is here");
    node.on_message(NodeId(2), Msg::Request, &mut env);
    assert_eq!(env.lines(), ["-> 2 Fork", "-> 2 Request"]);
}

#[test]
fn a_clean_fork_is_kept_until_it_was_used() {
    let mut node = Forks::new(NodeId(2), 3);
    let mut env = Recorder::default();
    node.on_command(Command::Acquire, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request", "-> 1 Request"]);
    node.on_message(NodeId(0), Msg::Fork, &mut env);
    node.on_message(NodeId(0), Msg::Request, &mut env);
    assert!(env.lines().is_empty(), "node 0 asks for it back, but it is our turn");
    node.on_message(NodeId(1), Msg::Fork, &mut env);
    assert_eq!(env.lines(), ["! Granted"]);
    node.on_command(Command::Release, &mut env);
    assert_eq!(env.lines(), ["-> 0 Fork"]);
}

#[test]
fn a_request_that_overtakes_its_fork_is_remembered() {
    let mut node = Forks::new(NodeId(1), 2);
    let mut env = Recorder::default();
    node.on_command(Command::Acquire, &mut env);
    node.on_message(NodeId(0), Msg::Request, &mut env);
    node.on_message(NodeId(0), Msg::Fork, &mut env);
    node.on_command(Command::Release, &mut env);
    assert_eq!(env.lines(), ["-> 0 Request", "! Granted", "-> 0 Fork"]);
}

// One run after the other.

fn simulate(nodes: u32, demand: Demand, entries: u32, requesters: Vec<NodeId>) -> MutexReport {
    let plan = Plan {
        demand,
        entries,
        requesters,
        inside: 5,
        think: 0,
        warmup: 0,
        unit: 1.0,
        perpetual: false,
    };
    let make = |me| Forks::new(me, nodes);
    let applications = Contention::new(nodes, plan);
    let monitor = Monitor::new(nodes);
    let mut simulation = Simulation::new(Options::default(), nodes, make, applications, monitor);
    let report = simulation.run(&mut |_| true).expect("nothing is written");
    assert_eq!(report.ended, Ended::Quiescence, "{:?}", report.violations);
    report.problem
}

#[test]
fn under_heavy_load_all_forks_travel_for_every_entry_but_the_first() {
    for (nodes, entries) in [(1, 3), (2, 1), (3, 5), (10, 4), (50, 2)] {
        let everyone = NodeId::all(nodes).collect();
        let report = simulate(nodes, Demand::Heavy, entries, everyone);
        let all = nodes * entries;
        assert_eq!(report.entries, u64::from(all));
        let messages = report.messages_per_entry.unwrap() * f64::from(all);
        assert_eq!(messages.round() as u32, 2 * (nodes - 1) * (all - 1), "{nodes} nodes");
    }
}

#[test]
fn under_light_load_half_of_the_forks_travel_on_average() {
    let nodes = 10;
    let report = simulate(nodes, Demand::Light, 2000, NodeId::all(nodes).collect());
    let measured = report.messages_per_entry.unwrap();
    let expected = f64::from(nodes - 1);
    assert!((measured - expected).abs() < 0.02 * expected, "{measured}, not {expected}");
}

#[test]
fn who_enters_again_and_again_alone_pays_once() {
    let report = simulate(5, Demand::Light, 10, vec![NodeId(4)]);
    assert_eq!(report.messages_per_entry, Some(8.0 / 10.0));
}

// Every schedule.

fn explore(nodes: u32, entries: u32, faults: Faults) -> SearchReport<Schedule<Forks>> {
    let visitors = vec![Visitor::new(entries); nodes as usize];
    let world = World::new().faults(faults);
    let system = System::new(|me| Forks::new(me, nodes), visitors, Monitor::new(nodes), world);
    konklave_check::explore(system, konklave_check::Options::default(), &mut |_| true)
}

/// States, least and most messages, and how often others can enter while one waits.
fn figures(nodes: u32, entries: u32) -> (u64, u32, u32, u32) {
    let report = explore(nodes, entries, Faults::default());
    assert_eq!(report.verdict, Verdict::Exhausted, "{:?}", report.counterexamples);
    assert_eq!(report.liveness, Some(Liveness::Acyclic));
    for name in ["mutual exclusion", "no starvation", "one fork for two", "no circle"] {
        let property = report.properties.iter().find(|it| it.name == name);
        assert_eq!(property.and_then(|it| it.holds), Some(true), "{name}");
    }
    assert!(report.reached.contention);
    let Some(Extremes { min, max: Some(max) }) = report.messages else { panic!("no costs") };
    (report.unique, min, max, report.awaited.unwrap())
}

#[test]
fn every_schedule_keeps_every_promise() {
    assert_eq!(figures(2, 2), (71, 2, 8, 2));
    assert_eq!(figures(3, 1), (488, 6, 12, 2));
    assert_eq!(figures(3, 2), (4_574, 6, 24, 4));
    assert_eq!(figures(4, 1), (47_061, 12, 24, 3));
}

#[test]
fn what_it_assumes_is_needed() {
    let lost = explore(2, 1, Faults { losses: 1, ..Faults::default() });
    let doubled = explore(2, 2, Faults { duplicates: 1, ..Faults::default() });
    let crashed = explore(2, 1, Faults { crashes: 1, ..Faults::default() });
    let broken = [&lost, &doubled, &crashed].map(|report| {
        let counterexample = report.counterexample().expect("something breaks");
        counterexample.broken.to_string()
    });
    assert_eq!(
        broken,
        [
            "no starvation: node 1 waits for ever",
            "mutual exclusion: node 0 enters while node 1 is inside",
            "no starvation: node 1 waits for ever",
        ]
    );
}

// What the book shows is what is here.

/// The Rust code blocks of a page, without the line that includes the whole file.
fn excerpts(page: &str) -> Vec<String> {
    let blocks = page.split("\n```rust").skip(1).map(|block| {
        let (_, code) = block.split_once('\n').expect("a block has a first line");
        code.split("\n```").next().unwrap_or_default().to_owned()
    });
    blocks.filter(|block| !block.starts_with("{{#include")).collect()
}

#[test]
fn every_excerpt_in_the_book_is_in_the_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let files = ["docs/src/algorithm/forks.rs", "crates/konklave/tests/book.rs"];
    let files = files.map(|path| lines(&read(path)));
    let excerpts = excerpts(&read("docs/src/write-an-algorithm.md"));
    assert!(excerpts.len() > 5, "only {} excerpts", excerpts.len());
    for excerpt in excerpts {
        let excerpt_lines = lines(&excerpt);
        let is_here = |file: &Vec<String>| {
            file.windows(excerpt_lines.len()).any(|window| window == excerpt_lines)
        };
        assert!(files.iter().any(is_here), "this is in none of the files:\n{excerpt}");
    }
}
