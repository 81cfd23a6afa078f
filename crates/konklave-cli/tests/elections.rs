//! `konklave run` with elections: one after the other, crashes, and what is refused.

mod user;

use serde_json::Value;

use user::{fine, json, refused};

fn report(arguments: &str) -> Value {
    json(&format!("run {arguments} --json"))
}

#[test]
fn an_election_can_follow_an_election() {
    // Ascending ids on a ring cost 2n-1, sorted ones 4n with Franklin's; each plus n to announce.
    for (algorithm, once) in [("chang-roberts", 15), ("franklin", 32), ("le-lann", 64)] {
        let report = report(&format!("{algorithm} --nodes 8 --ids ascending --elections 3"));
        let election = &report["election"];
        assert_eq!((&election["elections"], &election["leader"]), (&3.into(), &7.into()));
        assert_eq!(election["messages_to_elect"], 3 * once, "{algorithm}");
        assert_eq!(election["messages_to_announce"], 24, "{algorithm}");
    }
}

#[test]
fn the_time_to_elect_is_that_of_the_last_election_alone() {
    // The largest id travels round the ring once, however many elections there were before.
    for elections in [1, 2, 5] {
        let run = format!("chang-roberts --nodes 8 --ids ascending --elections {elections}");
        assert_eq!(report(&run)["election"]["time_to_elect"], 8.0, "{run}");
    }
    let time = |run: &str| report(run)["election"]["time_to_elect"].as_f64().unwrap();
    let crash = |at: u32| format!("bully --nodes 8 --ids ascending --crash 7@{at}");
    assert_eq!(time(&crash(500)), time(&crash(900)), "whenever the leader fails");
}

#[test]
fn survivors_elect_the_largest_of_them() {
    for run in [
        "chang-roberts-numbered --nodes 8 --ids ascending --crash 7@50",
        "bully --nodes 8 --ids ascending --crash 7@50",
    ] {
        let report = report(run);
        assert_eq!(report["election"]["leader"], 6, "{run}");
        assert_eq!(report["election"]["known_by"], 7, "{run}");
    }
    let back = report("chang-roberts-numbered --nodes 8 --ids ascending --crash 7@50..90");
    assert_eq!(back["election"]["leader"], 7, "it is back and leads again");
}

/// The largest node is back and takes over; the leader of the meantime learns of it later.
#[test]
fn a_leader_that_steps_down_late_leaves_the_new_one_in_office() {
    let report = report("bully --nodes 5 --crash 3@20..200");
    let election = &report["election"];
    assert_eq!((&election["leader"], &election["leader_node"]), (&4.into(), &3.into()));
    assert_eq!(election["known_by"], 5);
}

/// A promise that is printed has the name of one that is checked, and the other way round.
#[test]
fn the_promises_that_are_printed_are_those_that_are_checked() {
    let catalog = konklave_cli::catalog();
    for entry in catalog.entries() {
        let explained = json(&format!("explain {} --json", entry.name));
        let printed = explained["promises"].as_array().unwrap().iter();
        let names: Vec<_> =
            printed.map(|promise| promise.as_str().unwrap().split(" (").next().unwrap()).collect();
        let checked: Vec<_> = (entry.problem.promises)().iter().map(|it| it.name).collect();
        assert_eq!(names, checked, "{}", entry.name);
    }
    let explained = json("explain bully --json");
    let one_leader = explained["promises"][0].as_str().unwrap();
    assert!(one_leader.contains("steps down when it learns of the new one"), "{one_leader}");
}

#[test]
fn a_trace_of_several_elections_replays() {
    let path = std::env::temp_dir().join(format!("konklave-elections-{}", std::process::id()));
    for algorithm in ["chang-roberts", "peterson", "tree-wave", "adoption"] {
        report(&format!("{algorithm} --nodes 6 --elections 2 --trace {}", path.display()));
        fine(&format!("replay {}", path.display()));
    }
    std::fs::remove_file(path).expect("it was written");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (arguments, message) in [
        ("chang-roberts --elections 0", "above zero"),
        ("extinction --elections 2", "cannot begin again"),
        ("chang-roberts --notice 3", "does not handle crash notices"),
        ("bully --delay exp:10", "relies on a maximum delay"),
        ("bully --delay uniform:1..50", "write --max-delay 50"),
        ("echo --initiators 3", "use echo-extinction"),
        ("franklin --topology directed-ring", "needs a two-way ring"),
        ("raymond --elections 2", "--elections is an option of the problem election"),
        ("tree-wave --topology ring", "needs a tree"),
    ] {
        let err = refused(&format!("run {arguments}"));
        assert!(err.contains(message), "{arguments}: {err}");
    }
}

/// The request of the only initiator goes to the registry and back: two messages.
#[test]
fn an_election_begins_when_an_application_asks_for_it() {
    let report =
        json("run virtual-tree --nodes 15 --topology tree:2 --initiators one --seed 3 --json");
    assert_eq!(report["election"]["time_to_elect"], 2.0);
}
