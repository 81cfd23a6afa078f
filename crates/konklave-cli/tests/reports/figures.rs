//! A picture and the text beside it say the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::user::{file, fine, json, konklave};
use crate::{folder, read};

/// The loads that the bars of load.svg show, by their tips.
fn loads(svg: &str) -> Vec<u32> {
    let bars = svg.split("<g class=\"k-bar\"><title>node ").skip(1);
    bars.map(|bar| bar.split_once(": ").unwrap().1.split_once('<').unwrap().0.parse().unwrap())
        .collect()
}

#[test]
fn the_load_of_the_picture_is_that_of_the_text_whatever_goes_wrong() {
    for (name, faults) in [
        ("lost", "--loss 0.2"),
        ("missed", "--crash 2@3"),
        ("twice", "--duplicate 0.5"),
        ("fine", ""),
    ] {
        let out = folder(&format!("load-{name}"));
        let run = "run ricart-agrawala --nodes 4 --entries 1 --seed 3 --beyond";
        // Whether a promise breaks is not what this is about.
        let output = konklave(&format!("{run} {faults} --out {} --json", out.display()));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let shown = loads(&read(&out, "load.svg"));
        let (most, mean) =
            (&report["messages"]["max_per_node"], &report["messages"]["mean_per_node"]);
        assert_eq!(shown.len(), 4, "{name}");
        assert_eq!(shown.iter().max().copied().map(u64::from), most.as_u64(), "{name}");
        assert_eq!(f64::from(shown.iter().sum::<u32>()) / 4.0, mean.as_f64().unwrap(), "{name}");
    }
}

#[test]
fn plots_say_load_delay_and_seeds_and_what_they_count() {
    let out = folder("titles");
    let sweep = "sweep ricart-agrawala --nodes 4,6 --seeds 3 --load heavy --delay uniform:1..5";
    fine(&format!("{sweep} --entries 2 --out {}", out.display()));
    let title = "ricart-agrawala, load heavy, delay uniform:1..5, 3 seeds";
    for name in ["growth.svg", "kinds.svg"] {
        assert!(read(&out, name).contains(title), "{name}");
    }
    // The table leaves a warm-up out, the bars do not, and say so.
    assert!(read(&out, "kinds.svg").contains("over the whole run"));
    let out = folder("compare-titles");
    fine(&format!("compare booking --nodes 4 --delay uniform:1..5 --out {}", out.display()));
    let pictures = fs::read_dir(&out).unwrap().map(|it| it.unwrap().path());
    let pictures: Vec<_> =
        pictures.filter(|it| it.extension().is_some_and(|it| it == "svg")).collect();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let svg = fs::read_to_string(&picture).unwrap();
        assert!(svg.contains("delay uniform:1..5, seed 1"), "{}", picture.display());
    }
}

/// The pairs of nodes that know each other, in one direction at least, by a dump.
fn acquainted(dump: &Value) -> BTreeSet<(u64, u64)> {
    let mut pairs = BTreeSet::new();
    for node in dump["nodes"].as_array().unwrap() {
        let sides = ["left", "right"].map(|side| node["neighbours"][side].as_array().unwrap());
        let id = node["id"].as_u64().unwrap();
        let known = sides.into_iter().flatten().chain([&node["ring"]]).filter_map(Value::as_u64);
        pairs.extend(known.map(|other| (id.min(other), id.max(other))));
    }
    pairs
}

#[test]
fn the_picture_of_an_overlay_shows_who_knows_whom() {
    for (name, moment) in [("soon", "--start star --time-limit 2"), ("legal", "--start star")] {
        let out = folder(&format!("overlay-{name}"));
        let path = file(&format!("overlay-{name}.json"), "");
        let files = format!("--out {} --dump {}", out.display(), path.display());
        konklave(&format!("run skip-plus --nodes 12 --searches 0 {moment} {files}"));
        let dump = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let svg = read(&out, "overlay.svg");
        let shown = |tie: &str| svg.matches(&format!("<title>{tie}: ")).count();
        let [legal, surplus, missing] = ["legal", "surplus", "missing"].map(shown);
        match name {
            "legal" => {
                assert_eq!((surplus, missing), (0, 0));
                assert_eq!(legal, acquainted(&dump).len());
            }
            // What is missing may be there in the other direction.
            _ => assert!(missing > 0 && legal + surplus <= acquainted(&dump).len()),
        }
        assert!(read(&out, "levels.svg").contains("level 1"));
    }
}

/// The rows below the heading of a table, as numbers.
fn rows(folder: &Path, name: &str) -> Vec<Vec<f64>> {
    let table = read(folder, name);
    let numbers = |row: &str| row.split(',').map(|cell| cell.parse().unwrap()).collect();
    table.lines().skip(1).map(numbers).collect()
}

#[test]
fn an_overlay_is_shown_round_by_round_until_it_is_legal() {
    let out = folder("rounds");
    let arguments = "run skip-plus --nodes 12 --start star";
    let report = json(&format!("{arguments} --out {} --json", out.display()));
    let rounds = rows(&out, "rounds.csv");
    let legal = rounds.iter().rev().take_while(|round| round[3] == 1.0).count();
    let settled = rounds.len() - legal + 1;
    assert_eq!(report["stabilisation"]["rounds"], settled, "{report}");
    let note = format!("legal from the end of round {settled} on");
    assert!(read(&out, "convergence.svg").contains(&note));
    // The sum over all nodes and rounds is what the run counted.
    let messages: f64 = rounds.iter().map(|round| round[2] * 12.0).sum();
    let counted = report["messages"]["total"].as_f64().unwrap();
    assert!((messages - counted).abs() < 0.5, "{messages} of {counted}");
}

#[test]
fn a_dictionary_shows_what_each_node_stores() {
    let out = folder("stored");
    fine(&format!("run server-dht --nodes 5 --items 300 --ops 0 --out {}", out.display()));
    let stored = rows(&out, "stored.csv");
    let keys: f64 = stored.iter().map(|node| node[0]).sum();
    let shares: f64 = stored.iter().map(|node| node[1]).sum();
    assert_eq!((stored.len(), keys, shares.round()), (5, 300.0, 300.0), "{stored:?}");
    assert!(read(&out, "stored.svg").contains("times their share"));
}
