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
        ("raymond --elections 2", "--elections is an option of the family election"),
        ("tree-wave --topology ring", "needs a tree"),
    ] {
        let err = refused(&format!("run {arguments}"));
        assert!(err.contains(message), "{arguments}: {err}");
    }
}
