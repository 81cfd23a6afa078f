//! `sweep` over several algorithms, variants, loads and faults: every combination is a series.

mod user;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use user::{fine, json, konklave, refused, text};

/// A folder that does not exist yet.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = path.join(format!("{}-space-{name}", std::process::id())).join("report");
    let _ = fs::remove_dir_all(&path);
    path
}

fn rows(arguments: &str) -> Vec<Value> {
    json(&format!("sweep {arguments} --json"))["rows"].as_array().unwrap().clone()
}

fn texts<'a>(rows: &'a [Value], name: &str) -> BTreeSet<&'a str> {
    rows.iter().map(|row| row[name].as_str().unwrap_or("")).collect()
}

#[test]
fn every_combination_is_a_row() {
    let all = rows("raymond,naimi-trehel --load light,heavy --nodes 7,15 --seeds 2");
    let key = |row: &Value| {
        [&row["algorithm"], &row["nodes"], &row["load"]].map(ToString::to_string).join(" ")
    };
    let keys: BTreeSet<_> = all.iter().map(key).collect();
    assert_eq!((all.len(), keys.len()), (8, 8));
    assert_eq!(texts(&all, "algorithm"), ["naimi-trehel", "raymond"].into());
    // A combination costs what it costs alone.
    let alone = rows("raymond --load light --nodes 15 --seeds 2");
    let same = all.iter().find(|row| key(row) == key(&alone[0])).unwrap();
    assert_eq!(same["messages_per_entry"], alone[0]["messages_per_entry"]);
}

#[test]
fn variants_topologies_and_values_with_commas_are_dimensions() {
    let variants = rows("raymond,naimi-trehel --variant plain,greedy --nodes 7 --seeds 1");
    // naimi-trehel has no variants, and takes part once.
    assert_eq!(variants.len(), 3);
    assert_eq!(texts(&variants, "variant"), ["", "greedy", "plain"].into());
    let quorums = rows("maekawa --quorum grid,list:0,1/1,2/0,2 --nodes 3 --seeds 1");
    assert_eq!(texts(&quorums, "quorum"), ["grid", "list:0,1/1,2/0,2"].into());
    let networks = rows("raymond --topology line,star,tree:2 --nodes 7 --seeds 1");
    assert_eq!(texts(&networks, "topology"), ["line", "star", "tree:2"].into());
    let starts = rows("chang-roberts --initiators one,list:0,2,4 --nodes 7 --seeds 1");
    assert_eq!(texts(&starts, "asked_initiators"), ["list:0,2,4", "one"].into());
    let counts: BTreeSet<_> =
        starts.iter().map(|row| row["initiators"].as_f64().unwrap() as u32).collect();
    assert_eq!(counts, [1, 3].into());
}

#[test]
fn what_an_algorithm_cannot_do_is_left_out_if_others_can() {
    let report = json("sweep mutex --topology ring --nodes 7 --seeds 1 --json");
    assert!(!report["rows"].as_array().unwrap().is_empty());
    assert!(
        report["left_out"].as_array().unwrap().iter().any(|it| {
            it.as_str().unwrap().contains("ricart-agrawala needs a complete network")
        })
    );
    for (arguments, expected) in [
        ("sweep raymond --topology ring --nodes 7", "raymond needs a tree"),
        ("sweep raymond --variant plain,nonsense", "nonsense"),
        ("sweep raymond,lamport --variant nonsense", "nonsense"),
        ("sweep central,naimi-trehel --variant plain", "none of these algorithms has --variant"),
        ("sweep raymond,chang-roberts", "what they measure differs"),
        ("sweep raymond,nothing", "nothing"),
        ("sweep raymond --loss 0,2", "probability"),
        ("sweep raymond --crash 3", "NODE@FROM"),
        ("sweep raymond --nodes 7 --x loss", "of which this sweep has none"),
        ("sweep raymond --nodes 7 --loss 0,0.1 --x load", "loss"),
        ("sweep", "required"),
    ] {
        let error = refused(arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
}

#[test]
fn faults_are_dimensions_and_void_formulas() {
    let output = konklave("sweep raymond --nodes 7 --seeds 4 --loss 0,0.3 --json");
    assert_eq!(output.status.code(), Some(1), "messages that are lost starve nodes");
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[0]["loss"], &rows[0]["agrees"]), (&"0".into(), &true.into()));
    assert_eq!((&rows[0]["runs_broken"], &rows[1]["runs_broken"]), (&0.into(), &4.into()));
    assert!(rows[1]["formula"].is_null(), "{}", rows[1]);
    assert_eq!(report["x"], "loss");
    assert_eq!(report["laws"].as_array().unwrap().len(), 0, "there is one size");
    let crash = "sweep chang-roberts-numbered --nodes 8 --seeds 2 --crash none,7@50,7@50..90";
    assert_eq!(json(&format!("{crash} --json"))["rows"].as_array().unwrap().len(), 3);
}

#[test]
fn an_option_whose_values_are_numbers_can_be_the_x_axis() {
    let out = folder("x");
    let loads = "--load poisson:0.05,poisson:0.1,poisson:0.2";
    let arguments = format!("sweep raymond,central --nodes 15 --seeds 2 {loads}");
    fine(&format!("{arguments} --out {}", out.display()));
    let report: Value =
        serde_json::from_str(&fs::read_to_string(out.join("results.json")).unwrap()).unwrap();
    assert_eq!(report["x"], "load");
    let plot = fs::read_to_string(out.join("growth.svg")).unwrap();
    assert!(plot.contains(">load<") && plot.contains("raymond") && plot.contains("central"));
    assert!(!plot.contains("poisson:0.1"), "the load is on the axis, not in the legend");
    // With several sizes the axis is theirs, unless another is asked for.
    let sizes = arguments.replace("15", "7,15");
    assert_eq!(json(&format!("{sizes} --json"))["x"], "nodes");
    let shown = fine(&format!("{sizes} --x load"));
    assert!(shown.contains("raymond, 7 nodes"), "{shown}");
}

#[test]
fn some_algorithms_are_compared_under_several_loads() {
    let named = "raymond,naimi-trehel,suzuki-kasami";
    let report = json(&format!("compare {named} --nodes 7 --load light,heavy --json"));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &report["family"]), (6, &"mutex".into()));
    assert_eq!(texts(rows, "load"), ["heavy", "light"].into());
    for load in ["light", "heavy"] {
        let alone = json(&format!("compare mutex --only {named} --nodes 7 --load {load} --json"));
        for row in alone["rows"].as_array().unwrap() {
            let is_same = |it: &&Value| it["load"] == load && it["algorithm"] == row["algorithm"];
            let same = rows.iter().find(is_same).unwrap();
            assert_eq!(same["messages_per_entry"], row["messages_per_entry"], "{row}");
        }
    }
    let out = folder("loads");
    fine(&format!("compare {named} --nodes 7 --load light,poisson:0.1 --out {}", out.display()));
    assert!(out.join("light.svg").exists() && out.join("poisson-0.1.svg").exists());
    assert!(refused("compare raymond,chang-roberts").contains("what they measure differs"));
    assert!(refused("compare raymond --load light,full").contains("'full' is not a load"));
}

/// `run` measures the whole of a run, `compare` the steady state of a longer one. The options that
/// `compare` reports make both measure the same.
#[test]
fn a_run_with_the_options_of_a_comparison_has_its_figures() {
    for load in ["heavy", "light"] {
        let compared = json(&format!("compare raymond --nodes 13 --load {load} --json"));
        let of = |name: &str| compared["options"][name].as_str().unwrap().to_owned();
        let (entries, cs, warmup) = (of("entries"), of("cs"), of("warmup"));
        let run = format!("run raymond --nodes 13 --load {load} --entries {entries} --cs {cs}");
        let same = json(&format!("{run} --warmup {warmup} --json"));
        let (row, ran) = (&compared["rows"][0], &same["mutex"]);
        assert!(ran["messages_per_entry"].is_number(), "{ran}");
        assert_eq!(ran["messages_per_entry"], row["messages_per_entry"], "{load}");
        assert_ne!(json(&format!("{run} --json"))["mutex"], *ran, "{load}: no warm-up");
    }
}
