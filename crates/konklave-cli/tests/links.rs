//! Reliable links on the command line, and the nodes as they are in the end.

mod user;

use serde_json::{Value, json as value};

use user::{file, fine, json, konklave, refused};

/// How many messages of a kind there were.
fn count(report: &Value, kind: &str) -> u64 {
    report["messages"]["by_kind"][kind].as_u64().unwrap_or(0)
}

#[test]
fn the_cost_of_the_algorithm_is_read_beside_that_of_the_links() {
    let system = "run ricart-agrawala --nodes 10 --entries 5 --json";
    let bare = json(system);
    let reliable = json(&format!("{system} --loss 0.2 --duplicate 0.2 --reliable"));
    for kind in ["Request", "Reply"] {
        assert_eq!((count(&bare, kind), count(&reliable, kind)), (450, 450));
    }
    assert_eq!(reliable["verdict"], "ok");
    let [acks, resends] = ["LinkAck", "LinkResend"].map(|kind| count(&reliable, kind));
    // Of the copies that arrive, each is acknowledged: 8 in 10, and 2 of these twice.
    assert!((700..1600).contains(&acks) && resends > 200, "{acks} and {resends}");
    assert_eq!(reliable["messages"]["total"], 900 + acks + resends);
    // Lamport's algorithm has acknowledgements of its own.
    let lamport = json("run lamport --nodes 3 --entries 1 --reliable --json");
    let kinds = lamport["messages"]["by_kind"].as_object().unwrap();
    let sum: u64 = kinds.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(lamport["messages"]["total"], sum);
}

#[test]
fn every_schedule_keeps_the_promises_over_reliable_links() {
    // Lamport's algorithm relies on FIFO channels: here the links see to it.
    let systems =
        [("ricart-agrawala", 9_009), ("central", 1_648), ("raymond", 3_242), ("lamport", 189_260)];
    for (algorithm, states) in systems {
        let report = json(&format!(
            "check {algorithm} --nodes 2 --losses 1 --duplicates 1 --reliable --json"
        ));
        assert_eq!(report["verdict"], "exhausted", "{algorithm}");
        assert_eq!(
            (&report["unique"], &report["beyond"]),
            (&states.into(), &value!([])),
            "{algorithm}"
        );
    }
}

#[test]
fn a_trace_over_reliable_links_replays() {
    let trace = file("links.jsonl", "");
    let faults = "--loss 0.2 --duplicate 0.2 --reliable";
    fine(&format!("run lamport --nodes 4 --entries 2 {faults} --trace {}", trace.display()));
    let replayed = fine(&format!("replay {}", trace.display()));
    assert!(replayed.contains("LinkAck #0"), "{replayed}");
    assert!(replayed.contains("exactly as recorded"), "{replayed}");
}

#[test]
fn what_reliable_links_cannot_do_is_refused() {
    let hints = [
        ("run chang-roberts --topology directed-ring --reliable", "acknowledgements go back"),
        ("run raymond --crash 1@5..9 --reliable", "--crash 1@5..9"),
        ("check raymond --restarts 1 --reliable", "--restarts"),
        ("run bully --loss 0.1 --reliable", "leave --loss out"),
    ];
    for (arguments, hint) in hints {
        let told = refused(arguments);
        assert!(told.contains(hint), "{arguments}: {told}");
    }
}

#[test]
fn a_dump_has_every_node() {
    let path = file("dump.json", "");
    let dump = |arguments: &str| -> Value {
        fine(&format!("run {arguments} --dump {}", path.display()));
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()
    };
    for links in ["", "--reliable"] {
        let lock = dump(&format!("raymond --nodes 7 {links}"));
        assert_eq!(
            (&lock["setup"]["algorithm"], &lock["ended"]),
            (&"raymond".into(), &"quiescence".into())
        );
        let nodes = lock["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), 7);
        for (id, node) in nodes.iter().enumerate() {
            assert_eq!(node["id"], id);
            assert!(node["state"].as_str().unwrap().starts_with(&format!("Raymond {{ me: {id}, ")));
        }
    }
    let ring = dump("build-ring --nodes 5");
    let mut nodes = ring["nodes"].as_array().unwrap().clone();
    nodes.sort_by_key(|node| node["h"].as_str().unwrap().parse::<u64>().unwrap());
    // Sorted by position, each knows the next, and the ends know each other.
    for pair in nodes.windows(2) {
        assert_eq!(pair[0]["neighbours"]["right"], Value::from(vec![pair[1]["id"].clone()]));
        assert_eq!(pair[1]["neighbours"]["left"], Value::from(vec![pair[0]["id"].clone()]));
    }
    assert_eq!((&nodes[0]["ring"], &nodes[4]["ring"]), (&nodes[4]["id"], &nodes[0]["id"]));
    assert_eq!(nodes[0]["rs"].as_str().unwrap().len(), 64);
}

#[test]
fn a_dump_that_cannot_be_written_is_refused_before_the_run() {
    let told = refused("run raymond --dump /nowhere/dump.json");
    assert!(told.contains("cannot write the nodes"), "{told}");
    refused("run raymond --dump - --json");
    let output = konklave("run raymond --nodes 3 --dump -");
    let dump: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(dump["nodes"].as_array().unwrap().len(), 3);
}
