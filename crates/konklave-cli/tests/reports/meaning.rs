//! What operations are called in pictures is what their problem calls them.

use std::fs;

use serde_json::Value;

use crate::user::{file, fine, json, konklave, text};
use crate::{folder, read};

#[test]
fn each_problem_has_its_words_in_the_pictures_of_a_run() {
    for (name, run, held, waits, others) in [
        ("lock", "raymond", "critical section", "to enter", ["booked", "leader"]),
        ("diary", "reservation", "booked", "for an answer", ["critical section", "leader"]),
        ("vote", "chang-roberts", "leader", "for the result", ["critical section", "booked"]),
    ] {
        let out = folder(&format!("words-{name}"));
        fine(&format!("run {run} --nodes 7 --out {}", out.display()));
        let svg = read(&out, "spacetime.svg");
        for part in ["waiting", held] {
            assert!(svg.contains(part), "{run}: {part}");
        }
        let pictures = [svg, read(&out, "network.svg")];
        for other in others {
            assert!(pictures.iter().all(|svg| !svg.contains(other)), "{run}: {other}");
        }
        let page = read(&out, "report.html");
        assert!(page.contains(&format!("How long nodes waited {waits}.")), "{run}");
        let perfetto = fine(&format!("export {} --to perfetto", out.join("trace.jsonl").display()));
        let perfetto: Value = serde_json::from_str(&perfetto).unwrap();
        let events = perfetto["traceEvents"].as_array().unwrap().iter();
        let mut spans = events.filter(|event| event["cat"] == "span");
        let is_held = |event: &Value| event["name"].as_str().unwrap().starts_with(held);
        assert!(spans.any(is_held), "{run}");
    }
}

#[test]
fn a_trace_of_an_unknown_algorithm_is_drawn_without_operations() {
    let trace = file("unknown.jsonl", "");
    fine(&format!("run raymond --nodes 3 --entries 1 --trace {}", trace.display()));
    let recorded = fs::read_to_string(&trace).unwrap();
    let name = r#""algorithm":"raymond""#;
    assert!(recorded.contains(name));
    let draw = |recorded: &str| {
        fs::write(&trace, recorded).unwrap();
        fine(&format!("draw {}", trace.display()));
        fs::read_to_string(trace.with_extension("svg")).unwrap()
    };
    let words = ["waiting", "critical section"];
    let known = draw(&recorded);
    assert!(words.iter().all(|word| known.contains(word)));
    let unknown = draw(&recorded.replacen(name, r#""algorithm":"zigzag""#, 1));
    assert!(words.iter().all(|word| !unknown.contains(word)));
    assert!(unknown.contains("Granted") && unknown.contains("Token"), "what happened is the same");
}

/// The culprit is a field of its own, and a replay finds it again.
#[test]
fn the_node_that_breaks_a_promise_is_told_as_data() {
    let trace = file("culprit.jsonl", "");
    let output = konklave(&format!("check lamport --any-order --json --trace {}", trace.display()));
    let violation = serde_json::from_slice::<Value>(&output.stdout).unwrap()["violation"].clone();
    let node = violation["node"].as_u64().expect("the node that enters");
    let detail = violation["detail"].as_str().unwrap();
    assert!(detail.starts_with(&format!("node {node} enters while ")), "{detail}");
    let output = konklave(&format!("replay --json {}", trace.display()));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let replayed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(replayed["violations"][0], violation, "replaying finds the node");
    assert_eq!(
        (&replayed["verdict"], &replayed["ended"]),
        (&"violated".into(), &"violation".into())
    );
    assert!(json("run lamport --nodes 3 --json")["violations"].as_array().unwrap().is_empty());
}
