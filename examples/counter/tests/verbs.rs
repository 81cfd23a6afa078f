//! A problem that the repository does not know gets every verb.

use std::path::PathBuf;
use std::process::Command;

/// What a command prints; its exit code must be this.
fn konklave(arguments: &str, code: i32) -> String {
    let program = env!("CARGO_BIN_EXE_counter");
    let output = Command::new(program).args(arguments.split_whitespace()).output().unwrap();
    let (out, error) = (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned());
    assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
    String::from_utf8(out).unwrap()
}

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("konklave-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn it_is_run_compared_and_swept() {
    let run = konklave("run central-count --nodes 9 --requests 3", 0);
    assert!(run.contains("answers") && run.contains("27"), "{run}");
    let table = konklave("compare counting --nodes 7", 0);
    assert!(table.contains("central-count") && table.contains("ok"), "{table}");
    let sweep = konklave("sweep counting --nodes 5,10,20 --assert messages<=2*n*5", 0);
    assert!(sweep.contains("holds"), "{sweep}");
    let help = konklave("run --help", 0);
    assert!(help.contains("--requests") && help.contains("Counting"), "{help}");
}

#[test]
fn it_is_checked_and_fuzzed() {
    let check = konklave("check central-count --nodes 3 --requests 2", 0);
    for promise in ["no number twice", "no gaps", "answered", "exhausted"] {
        assert!(check.contains(promise), "{promise}: {check}");
    }
    assert!(konklave("check counting --nodes 2", 0).contains("central-count"));
    assert!(konklave("check central-count --losses 1", 1).contains("answered"));
    assert!(konklave("fuzz central-count --schedules 300", 0).contains("no promise was broken"));
    let beyond = konklave("fuzz central-count --beyond --schedules 300", 0);
    assert!(beyond.contains("konklave run central-count") && beyond.contains("--requests"));
}

#[test]
fn its_specimen_is_shown_run_and_explained() {
    let name = "central-count-repeats-itself";
    assert!(konklave("list --specimens", 0).contains(name));
    let shown = konklave(&format!("check --specimen {name}"), 1);
    assert!(shown.contains("no number twice"), "{shown}");
    assert!(konklave(&format!("run --specimen {name} --nodes 4"), 1).contains("violated"));
    assert!(konklave(&format!("fuzz --specimen {name} --schedules 50"), 1).contains("violated"));
    assert!(konklave(&format!("explain {name}"), 0).contains("every second number once more"));
}

#[test]
fn its_traces_are_replayed_drawn_and_shortened() {
    let folder = folder("counter");
    let trace = folder.join("t.jsonl");
    let shown = trace.display();
    konklave(&format!("run central-count --nodes 4 --loss 0.4 --trace {shown}"), 1);
    konklave(&format!("replay -q {shown}"), 1);
    konklave(&format!("draw {shown}"), 0);
    let picture = std::fs::read_to_string(trace.with_extension("svg")).unwrap();
    assert!(picture.contains("waiting"), "requests without an answer are spans");
    let shorter = konklave(&format!("shrink {shown}"), 0);
    assert!(shorter.contains("answered") && shorter.contains("nodes       4       1"), "{shorter}");
    konklave(&format!("run central-count --out {}", folder.join("out").display()), 0);
    std::fs::remove_dir_all(&folder).unwrap();
}
