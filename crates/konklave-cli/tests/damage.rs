//! Traces that were changed: refused with a sentence, whatever they say.

mod user;

use std::fs;

use user::{file, fine, refused};

/// What a damaged trace speaks of and is not there is refused, and not built first.
#[test]
fn a_trace_with_nodes_that_are_not_there_is_refused() {
    let path = file("few.jsonl", "");
    fine(&format!("run raymond --nodes 3 --trace {}", path.display()));
    let trace = fs::read_to_string(path).unwrap();
    let verbs = ["replay", "shrink", "draw", "export --to csv", "export --to shiviz"];
    for (nodes, expected) in
        [("4000000000", "at most 100000000"), ("50000000", "too short"), ("0", "at least one")]
    {
        let many = trace.replacen(r#""nodes":3"#, &format!(r#""nodes":{nodes}"#), 1);
        let many = file("many.jsonl", &many);
        for verb in verbs {
            let error = refused(&format!("{verb} {}", many.display()));
            assert!(error.contains("line 1") && error.contains(expected), "{verb}: {error}");
        }
    }
    let other = r#"{"step":{"at":0,"node":7,"input":{"command":"Acquire"}"#;
    let stranger = trace.replacen(&other.replace('7', "1"), other, 1);
    let stranger = file("stranger.jsonl", &stranger);
    let error = refused(&format!("replay -q {}", stranger.display()));
    assert!(error.contains("there is no node 7 among 3 nodes"), "{error}");
}

/// A file with a network and the number of nodes beside it may not differ.
#[test]
fn a_trace_with_two_sizes_is_refused() {
    let graph = file("three.txt", "0 1\n1 2\n2 0\n");
    let path = file("three.jsonl", "");
    fine(&format!("run adoption --topology file:{} --trace {}", graph.display(), path.display()));
    let trace = fs::read_to_string(path).unwrap().replacen(r#""nodes":3"#, r#""nodes":2"#, 1);
    let path = file("two.jsonl", &trace);
    let error = refused(&format!("replay -q {}", path.display()));
    assert!(error.contains("2 nodes, but its network has 3"), "{error}");
}
