//! `konklave compare election`: every algorithm agrees with its formulas.

mod user;

use serde_json::Value;

use user::{json, refused};

/// The rows of a comparison, all of which must agree.
fn rows(arguments: &str) -> Vec<Value> {
    let table = json(&format!("compare election {arguments} --runs 25 --json"));
    assert_eq!(table["family"], "election");
    let rows = table["rows"].as_array().expect("there are rows").clone();
    for row in &rows {
        assert_eq!(row["verdict"], "ok", "{arguments}: {row}");
        assert_ne!(row["agrees"], false, "{arguments}: {row}");
    }
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
        ("--load heavy", "--load is an option of the problem mutex and booking"),
        ("--only raymond", "raymond does not solve the problem election"),
        ("--topology rink", "did you mean 'ring'?"),
        ("--topology line --only franklin", "line suits no algorithm of this comparison: franklin"),
        ("--topology grid:3x3", "9 nodes"),
        ("--topology hypercube", "power of two"),
        ("--runs 0", "a whole number above zero"),
    ] {
        let err = refused(&format!("compare election {arguments}"));
        assert!(err.contains(message), "{arguments}: {err}");
    }
}
