//! `konklave compare election`: every algorithm agrees with its formulas.

use std::process::Command;

use serde_json::Value;

fn konklave(arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_konklave"));
    let output = command.args(arguments.split_whitespace()).output().expect("it can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The rows of a comparison, all of which must agree.
fn rows(arguments: &str) -> Vec<Value> {
    let (code, out, err) = konklave(&format!("compare election {arguments} --runs 25 --json"));
    let table: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    assert_eq!(table["family"], "election");
    let rows = table["rows"].as_array().expect("there are rows").clone();
    for row in &rows {
        assert_eq!(row["verdict"], "ok", "{arguments}: {row}");
        assert_ne!(row["within"], false, "{arguments}: {row}");
    }
    assert_eq!(code, Some(0), "{arguments}: {err}");
    rows
}

fn algorithms(rows: &[Value]) -> Vec<String> {
    let names = rows.iter().map(|row| row["algorithm"].as_str().expect("a name").to_owned());
    let mut names: Vec<_> = names.collect();
    names.dedup();
    names
}

#[test]
fn rings_agree_with_their_formulas() {
    for nodes in [1, 2, 3, 7, 20] {
        let rows = rows(&format!("--topology ring --nodes {nodes} --variants"));
        let names = algorithms(&rows);
        assert!(names.iter().any(|name| name == "peterson"), "{names:?}");
        assert!(names.iter().any(|name| name == "adoption"), "a ring is a network, too");
    }
}

#[test]
fn trees_and_networks_agree_with_their_formulas() {
    for network in ["random-tree", "tree:3", "star", "line", "gnp:0.2", "grid", "complete"] {
        let rows = rows(&format!("--topology {network} --nodes 16 --variants"));
        let has_tree_algorithms = algorithms(&rows).iter().any(|name| name == "tree-wave");
        let is_tree = ["random-tree", "tree:3", "star", "line"].contains(&network);
        assert_eq!(has_tree_algorithms, is_tree, "{network}");
    }
}

#[test]
fn bounds_hold_with_random_delays() {
    for network in ["ring", "random-tree", "gnp:0.2"] {
        rows(&format!("--topology {network} --nodes 16 --delay uniform:1..20"));
    }
}

#[test]
fn bad_input_is_refused() {
    for (arguments, message) in [
        ("--load heavy", "--load means nothing to a comparison of election"),
        ("--only raymond", "raymond is not of the family election"),
        ("--topology rink", "did you mean 'ring'?"),
        ("--topology line --only franklin", "line suits none of franklin"),
        ("--topology grid:3x3", "9 nodes"),
        ("--topology hypercube", "power of two"),
        ("--runs 0", "0 is not in 1.."),
    ] {
        let (code, out, err) = konklave(&format!("compare election {arguments}"));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}");
        assert!(err.contains(message), "{arguments}: {err}");
    }
}
