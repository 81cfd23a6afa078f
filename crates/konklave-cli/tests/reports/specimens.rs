//! `check --specimen` and `list --specimens`.

use serde_json::Value;

use crate::user::{file, fine, json, konklave, refused, text};

#[test]
fn every_specimen_is_found_as_its_table_says() {
    let listed = json("list --specimens --json");
    let specimens = listed["specimens"].as_array().unwrap();
    assert!(specimens.len() >= 20);
    for specimen in specimens {
        let name = specimen["name"].as_str().unwrap();
        let output = konklave(&format!("check --specimen {name} --json"));
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["violation"]["promise"], specimen["promise"], "{name}");
        let is_step = |line: &&Value| line.get("step").is_some_and(|step| step["input"] != "start");
        let steps = report["trace"].as_array().unwrap().iter().filter(is_step).count();
        assert_eq!(steps as u64, specimen["steps"].as_u64().unwrap(), "{name}");
        assert_eq!(report["seed"], specimen["found_by"]["fuzz"]["seed"], "{name}");
    }
}

/// They say so, and where chance comes from; and only what has timers speaks of them.
#[test]
fn a_specimen_that_is_found_by_chance_is_shown_like_the_others() {
    let trace = file("by-chance.jsonl", "");
    let name = "maekawa-yield-is-no-failure";
    let output = konklave(&format!("check --specimen {name} --trace {}", trace.display()));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("seed 17 found this one,"), "{shown}");
    assert!(shown.contains("violated  no starvation: "), "{shown}");
    assert!(shown.contains("\n  steps    14, shrunk from "), "{shown}");
    assert!(!shown.contains("timers"), "{shown}");
    let again = konklave(&format!("replay -q {}", trace.display()));
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
    let error = refused(&format!("check --specimen {name} --out nowhere"));
    assert!(error.contains("--trace writes"), "{error}");

    let shown = |name| text(&konklave(&format!("check --specimen {name}")).stdout);
    assert!(!shown("central-without-queue").contains("timers"));
    assert!(shown("perpetuum-impatient").contains("timers at any time"));
}

#[test]
fn a_broken_object_is_shown_by_its_history() {
    let objects = json("list --specimens --json")["objects"].clone();
    let names = fine("list --specimens");
    for object in objects.as_array().unwrap() {
        let name = object["name"].as_str().unwrap();
        assert!(names.contains(&format!("\n{name}\n")), "{names}");
        let output = konklave(&format!("check --specimen {name}"));
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stderr));
        let shown = text(&output.stdout);
        assert!(
            shown.contains("These operations alone are not sequentially consistent:"),
            "{shown}"
        );
        let report = konklave(&format!("check --specimen {name} --json")).stdout;
        let report: Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["object"], object["of"]);
        let core = report["findings"][0]["explanation"]["core"].as_array().unwrap();
        assert_eq!(core.len() as u64, object["operations"].as_u64().unwrap(), "{name}");
        let error = refused(&format!("check --specimen {name} --trace t.jsonl"));
        assert!(error.contains("not a schedule"), "{error}");
    }
}

/// A broken algorithm is simulated without its type, and its messages are counted all the same.
#[test]
fn a_specimen_is_run_and_fuzzed() {
    let arguments = "--nodes 4 --topology line --json";
    let output = konklave(&format!("run --specimen raymond-copies-token {arguments}"));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let broken: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(broken["violations"][0]["promise"], "mutual exclusion");
    let kinds = broken["messages"]["by_kind"].as_object().unwrap();
    assert_eq!(kinds.keys().collect::<Vec<_>>(), ["Request", "Token"]);
    let right = json(&format!("run raymond {arguments}"));
    let bytes = |report: &Value| {
        let of = |name: &str| report["messages"][name].as_f64().unwrap();
        of("bytes") / of("total")
    };
    assert_eq!(bytes(&broken), bytes(&right), "both take a byte each");
    let output = konklave("fuzz --specimen raymond-copies-token --schedules 200");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
}
