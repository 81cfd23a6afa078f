//! Ctrl-C: what was found so far is told, and nothing is claimed about the rest.
#![cfg(unix)]

use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a command may go on after it was interrupted.
const PATIENCE: Duration = Duration::from_secs(20);

fn start(arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_konklave"))
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Interrupts a command once it works, and waits for what it says.
fn interrupt(arguments: &str, after: Duration) -> Output {
    let mut child = start(arguments);
    sleep(after);
    let ended = child.try_wait().unwrap();
    assert!(ended.is_none(), "{arguments} has ended before: {ended:?}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{arguments} goes on after Ctrl-C");
        }
        sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// What it says as JSON, after the exit code 3.
fn inconclusive(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The first algorithm of the problem takes a second and a half, and then there are others.
#[test]
fn a_family_is_left_where_it_stands() {
    let arguments = "check mutex --nodes 2 --entries 50 --seconds 1.5 --json";
    let report = inconclusive(&interrupt(arguments, Duration::from_secs(3)));
    assert!(report["rows"].as_array().unwrap().len() > 1, "{report}");
    let not_begun = report["not_begun"].as_array().unwrap();
    assert!(not_begun.contains(&"token-search".into()), "{report}");
}

#[test]
fn a_schedule_is_left_in_its_middle() {
    for arguments in ["--seconds 100", "--nodes 1000 --seconds 100"] {
        let arguments = format!("fuzz lamport --json {arguments}");
        let report = inconclusive(&interrupt(&arguments, Duration::from_secs(1)));
        assert_eq!(report["verdict"], "interrupted", "{report}");
    }
}
