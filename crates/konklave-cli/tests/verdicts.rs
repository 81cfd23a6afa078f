//! What a verdict says is so: `run`, `fuzz`, `compare` and `sweep`.

mod user;

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use user::{file, fine, json, konklave, refused, text};

/// A wait that is cut off by the broken promise is counted as far as it got.
#[test]
fn who_is_overtaken_when_a_run_ends_is_counted() {
    let out = konklave(
        "run central-newest-first --nodes 4 --seed 6 --delay asymmetric:1..6 --cs 26 --entries 2 \
         --requesters 3 --think 8 --json",
    );
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report["violations"][0]["promise"], "bounded overtaking");
    assert!(report["mutex"]["awaited_max"].as_u64() > Some(0), "{}", report["mutex"]);
}

/// A specimen that is right in a right setting is run in the wrong one.
#[test]
fn specimens_of_a_forbidden_setting_are_put_into_it() {
    for name in [
        "lamport-out-of-order",
        "ricart-agrawala-duplicate-message",
        "raymond-duplicate-requests",
        "chang-roberts-crash",
        "dolev-klawe-rodeh-out-of-order",
        "le-lann-out-of-order",
        "peterson-out-of-order",
    ] {
        let out = konklave(&format!("fuzz --specimen {name} --schedules 3000 --json"));
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(out.status.code(), Some(1), "{name}: {}", report["schedules"]);
        // The command names the faults, and gives the same again.
        let failure = &report["failures"][0];
        let command = failure["command"].as_str().unwrap().strip_prefix("konklave ").unwrap();
        let again = konklave(&format!("{command} --json"));
        let again: Value = serde_json::from_slice(&again.stdout).unwrap();
        assert_eq!(again["violations"][0]["detail"], failure["detail"], "{name}: {command}");
    }
    let options = |arguments: &str| {
        let out = konklave(&format!("run {arguments} --json"));
        serde_json::from_slice::<Value>(&out.stdout).unwrap()["options"].clone()
    };
    let out_of_order = options("--specimen lamport-out-of-order");
    assert_eq!((&out_of_order["fifo"], &out_of_order["beyond"]), (&false.into(), &true.into()));
    assert!(out_of_order["reorder"].is_string(), "{out_of_order}");
    assert!(options("--specimen ricart-agrawala-duplicate-message")["duplicate"].is_string());
    assert_eq!(options("--specimen chang-roberts-crash")["crash"].as_array().unwrap().len(), 1);
    // What is asked for is done, and nothing else.
    assert_eq!(options("--specimen lamport-out-of-order --fifo")["fifo"], true);
    let shown = text(&konklave("run --specimen ricart-agrawala-duplicate-message").stdout);
    assert!(shown.lines().next().unwrap().contains("--duplicate"), "{shown}");
}

/// A single node sends nothing, so no formula for several applies.
#[test]
fn one_node_has_a_formula_of_its_own() {
    let report = json("compare mutex --nodes 1 --json");
    for row in report["rows"].as_array().unwrap() {
        let formula = &row["expected"];
        assert_eq!((&formula["formula"], &formula["high"]), (&"0".into(), &0.0.into()), "{row}");
        assert_eq!(row["agrees"], true, "{row}");
    }
}

/// What keeps mere bounds has no verdict, for people and for programs.
#[test]
fn bounds_that_are_kept_confirm_nothing_anywhere() {
    let report = json("compare mutex --nodes 13 --json");
    let mut open = 0;
    for row in report["rows"].as_array().unwrap() {
        if row["agrees"].is_null() {
            assert!(row["expected"]["low"].as_f64() < row["expected"]["high"].as_f64(), "{row}");
            open += 1;
        }
    }
    assert!(open > 0);
    let table = fine("compare mutex --nodes 13 --csv");
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = head.iter().position(|name| *name == "agrees").unwrap();
    assert_eq!(lines.filter(|line| line[column].is_empty()).count(), open, "{table}");
}

/// What cannot be done is refused with what can.
#[test]
fn refusals_name_what_is_right() {
    for (arguments, right) in [
        ("check raymond --entries 0", "raise --entries"),
        ("check raymond --nodes 2 --budget 0,0", "raise a number of --budget"),
        ("fuzz --specimen queue-get-overtakes-put", "`konklave check --specimen"),
        ("run --specimen nope", "`konklave list --specimens` names all"),
    ] {
        let error = refused(arguments);
        assert!(error.contains(right), "{arguments}: {error}");
    }
}

/// A node that starts several elections is one initiator.
#[test]
fn initiators_are_nodes() {
    let report = json("run bully --nodes 5 --elections 4 --json");
    let initiators = report["election"]["initiators"].as_u64().unwrap();
    assert!((1..=5).contains(&initiators), "{initiators}");
}

/// A trace can go from one command to the next.
#[test]
fn traces_are_read_from_standard_input() {
    let trace = konklave("run raymond --nodes 5 --trace -").stdout;
    let piped = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_konklave"));
        let words = arguments.split_whitespace();
        let command = command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(&trace).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{arguments}");
        text(&out.stdout)
    };
    assert!(piped("replay -q -").contains("exactly as recorded"));
    let svg = piped("draw - --width 300");
    assert!(svg.starts_with("<svg ") && svg.contains(" width=\"300\""), "{}", &svg[..200]);
}

/// The first picture of a large run shows messages that arrive.
#[test]
fn an_excerpt_shows_more_than_requests() {
    let path = file("large.jsonl", "");
    fine(&format!("run raymond --nodes 200 --entries 1 --trace {}", path.display()));
    let svg = fine(&format!("draw {} -", path.display()));
    let messages = svg.split(" messages.</desc>").next().unwrap().rsplit(' ').next().unwrap();
    assert!(messages.parse::<u32>().unwrap() > 0, "{messages}");
}
