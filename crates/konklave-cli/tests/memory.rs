//! A search takes about as much memory as it may, seen from outside.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

/// The largest part of memory that a process ever had, in MiB, as long as it lives.
fn peak_of(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0)
}

/// What a search says in the end, and the most memory it had.
fn search(arguments: &str) -> (Value, f64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_konklave"))
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut peak = 0.0;
    while child.try_wait().unwrap().is_none() {
        peak = peak_of(child.id()).unwrap_or(peak);
        sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{arguments}");
    (serde_json::from_slice(&output.stdout).unwrap(), peak)
}

/// An allocation that fails would end the program, with nothing said.
#[test]
fn a_search_stops_before_the_system_refuses_memory() {
    let program = env!("CARGO_BIN_EXE_konklave");
    let search = "check lamport --nodes 3 --entries 2 --threads 1 --json";
    for options in ["", "--memory 100000"] {
        let limited = format!("ulimit -v 300000 && exec {program} {search} {options}");
        let output = Command::new("sh").args(["-c", &limited]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{options}: {error}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["bound"], "memory", "{options}");
    }
}

/// There is room for what grows between two looks at the clock. The program itself, code and
/// tables, is what a search takes that may take nothing.
#[test]
fn a_search_stops_at_the_memory_it_may_take() {
    let (_, program) = search("check lamport --nodes 3 --entries 2 --memory 1 --json");
    for options in ["", "--no-costs", "--exact", "--threads 1"] {
        let arguments =
            format!("check lamport --nodes 3 --entries 2 --memory 100 --json {options}");
        let (report, peak) = search(&arguments);
        assert_eq!(report["verdict"], "bounded", "{report}");
        assert_eq!(report["bound"], "memory", "{report}");
        let taken = peak - program;
        assert!((50.0..130.0).contains(&taken), "{arguments}: {taken:.0} MiB and {program:.0}");
    }
}
