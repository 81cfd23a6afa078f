//! An algorithm that the repository does not know gets every verb.

use std::process::Command;

/// What a command prints; its exit code must be this.
fn konklave(arguments: &str, code: i32) -> String {
    let program = env!("CARGO_BIN_EXE_own");
    let output = Command::new(program).args(arguments.split_whitespace()).output().unwrap();
    let (out, error) = (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned());
    assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
    String::from_utf8(out).unwrap()
}

#[test]
fn it_runs_as_its_formula_says() {
    assert!(konklave("run permits --nodes 20", 0).contains("messages/entry"));
    let table = konklave("compare mutex --nodes 7 --only permits,central", 0);
    let row = table.lines().find(|line| line.starts_with("permits")).unwrap();
    assert!(row.contains("  3 ") && row.contains("ok"), "{row}");
    assert!(konklave("sweep permits --nodes 5,10 --seeds 2", 0).contains("permits"));
}

#[test]
fn it_is_checked_and_fuzzed() {
    assert!(konklave("check permits --nodes 3 --entries 2", 0).contains("exhausted"));
    assert!(konklave("check permits --losses 1", 1).contains("no starvation"));
    assert!(konklave("fuzz permits --schedules 300", 0).contains("no promise was broken"));
}

#[test]
fn it_is_listed_and_explained() {
    assert!(konklave("list mutex", 0).contains("permits"));
    assert!(konklave("explain permits", 0).contains("Node 0 keeps a queue"));
}

#[test]
fn its_traces_are_replayed_drawn_and_shortened() {
    let folder = std::env::temp_dir().join(format!("konklave-own-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let trace = folder.join("t.jsonl");
    let trace = trace.display();
    konklave(&format!("run permits --nodes 4 --loss 0.5 --trace {trace}"), 1);
    konklave(&format!("replay -q {trace}"), 1);
    konklave(&format!("draw {trace}"), 0);
    assert!(konklave(&format!("shrink {trace}"), 0).contains("no starvation"));
    std::fs::remove_dir_all(&folder).unwrap();
}
