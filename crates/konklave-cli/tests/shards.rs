//! `--shard` and `--merge`: the parts of a sweep together are the whole.

mod user;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use user::{fine, konklave, refused, text};

/// A folder for the parts of a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = path.join(format!("{}-shards-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    path
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The report without the command that made it.
fn results(folder: &Path) -> Value {
    let mut results: Value = serde_json::from_str(&read(folder, "results.json")).unwrap();
    results.as_object_mut().unwrap().remove("command");
    results["options"].as_object_mut().unwrap().remove("out");
    results
}

/// Runs the parts of a sweep, and lists their folders.
fn parts(sweep: &str, out: &Path, count: usize) -> Vec<String> {
    let part = |part: usize| {
        let folder = out.join(part.to_string()).display().to_string();
        fine(&format!("{sweep} --shard {part}/{count} --out {folder}"));
        folder
    };
    (1..=count).map(part).collect()
}

#[test]
fn merged_parts_are_the_whole_sweep() {
    // The event limit is hit by one seed of the largest size, and so in one part only.
    for (name, sweep) in [
        ("plain", "sweep raymond,naimi-trehel --load light,heavy --nodes 7,15 --seeds 3"),
        ("limit", "sweep complete --nodes 4,5,12 --seeds 3 --event-limit 450 --delay exp:3"),
        ("bound", "sweep chang-roberts --nodes 10,20 --seeds 5 --assert messages<=n*n+2*n"),
    ] {
        let sweep = sweep.replace("complete", "extinction,echo --topology complete");
        let out = folder(name);
        let whole = out.join("whole");
        fine(&format!("{sweep} --out {}", whole.display()));
        let parts = parts(&sweep, &out, 3);
        let merged = out.join("merged");
        // In any order.
        let folders = [&parts[2], &parts[0], &parts[1]].map(String::as_str).join(" ");
        fine(&format!("sweep --merge {folders} --out {}", merged.display()));
        assert_eq!(read(&merged, "results.csv"), read(&whole, "results.csv"), "{sweep}");
        assert_eq!(results(&merged), results(&whole), "{sweep}");
        assert_eq!(results(&whole)["left_out"] != json!([]), name == "limit", "{sweep}");
        for picture in ["growth.svg", "kinds.svg"] {
            assert_eq!(read(&merged, picture), read(&whole, picture), "{sweep}");
        }
        // The merged folder is that of the whole sweep, which can be resumed with more seeds.
        let more = sweep.replace("--seeds 3", "--seeds 4").replace("--seeds 5", "--seeds 6");
        fine(&format!("{more} --resume --out {}", merged.display()));
    }
}

#[test]
fn parts_share_the_runs_evenly() {
    let out = folder("even");
    let parts = parts("sweep chang-roberts --nodes 10,20,30 --seeds 10", &out, 4);
    let runs = |folder: &String| read(Path::new(folder), "runs.jsonl").lines().count() - 1;
    assert_eq!(parts.iter().map(runs).collect::<Vec<_>>(), [8, 8, 7, 7]);
}

#[test]
fn missing_parts_are_named() {
    let out = folder("missing");
    let parts = parts("sweep chang-roberts --nodes 10,20 --seeds 6", &out, 3);
    let output = konklave(&format!("sweep --merge {} {}", parts[0], parts[2]));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("part 2/3 is missing: run it with --shard 2/3"), "{shown}");
    // A part that was interrupted lacks some of its runs, and is continued.
    let log = Path::new(&parts[1]).join("runs.jsonl");
    let runs = fs::read_to_string(&log).unwrap();
    let cut: Vec<_> = runs.lines().take(3).collect();
    fs::write(&log, cut.join("\n") + "\n").unwrap();
    let merge = format!("sweep --merge {}", parts.join(" "));
    let output = konklave(&merge);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("part 2/3 lacks 2 runs"), "{shown}");
    let sweep = "sweep chang-roberts --nodes 10,20 --seeds 6";
    fine(&format!("{sweep} --shard 2/3 --resume --out {}", parts[1]));
    fine(&merge);
}

#[test]
fn parts_of_different_sweeps_are_refused() {
    let out = folder("different");
    let sweep = "sweep chang-roberts --nodes 10 --seeds 4";
    let ours = parts(sweep, &out.join("ours"), 2);
    let others = parts("sweep chang-roberts --nodes 12 --seeds 4", &out.join("others"), 2);
    let thirds = parts(sweep, &out.join("thirds"), 3);
    let whole = out.join("whole");
    fine(&format!("{sweep} --out {}", whole.display()));
    for (arguments, expected) in [
        (format!("--merge {} {}", ours[0], others[1]), "parts of different sweeps"),
        (format!("--merge {} {}", ours[0], thirds[1]), "parts of different sweeps"),
        (format!("--merge {} {}", ours[0], ours[0]), "both hold part 1/2"),
        (format!("--merge {}", whole.display()), "does not hold a part of a sweep"),
        (format!("--merge {}/nowhere", out.display()), "cannot read"),
        (format!("--merge {} --nodes 10", ours[0]), "cannot be used with"),
        (format!("--merge {} --load heavy", ours[0]), "leave --load out"),
        ("chang-roberts --shard 1/2".to_owned(), "--out"),
        ("chang-roberts --shard 3/2 --out x".to_owned(), "numbered from 1 to 2"),
        // Another part, or another sweep, does not continue in the folder of this one.
        (
            format!("chang-roberts --nodes 10 --seeds 4 --shard 2/2 --resume --out {}", ours[0]),
            "holds part 1/2",
        ),
        (
            format!("chang-roberts --nodes 10 --seeds 5 --shard 1/2 --resume --out {}", ours[0]),
            "--seeds 4",
        ),
        (
            format!("chang-roberts --nodes 10 --seeds 4 --resume --out {}", ours[0]),
            "but this is a whole sweep",
        ),
    ] {
        let error = refused(&format!("sweep {arguments}"));
        assert!(error.contains(expected), "{arguments}: {error}");
    }
}

#[test]
fn merged_parts_are_the_whole_campaign() {
    for (name, campaign) in [
        ("beyond", "fuzz lamport --beyond --schedules 300 --nodes 2..3"),
        ("broken", "fuzz --specimen maekawa-without-inquire --schedules 300"),
    ] {
        let out = folder(name);
        let run = |arguments: String| {
            let output = konklave(&arguments);
            let code = output.status.code();
            assert!(code == Some(0) || code == Some(1), "{}", text(&output.stderr));
            code
        };
        let whole = out.join("whole");
        let code = run(format!("{campaign} --out {}", whole.display()));
        let parts = [1, 2, 3].map(|part| out.join(part.to_string()).display().to_string());
        for (part, folder) in (1..).zip(&parts) {
            run(format!("{campaign} --shard {part}/3 --out {folder}"));
        }
        let merged = out.join("merged");
        let merge = format!("fuzz --merge {} --out {}", parts.join(" "), merged.display());
        assert_eq!(run(merge), code, "{campaign}");
        let (whole, merged) = (results(&whole), results(&merged));
        let failures = |report: &Value| {
            let failures = report["failures"].as_array().unwrap().iter();
            let of = |it: &Value| [&it["fault"], &it["promise"], &it["seed"]].map(Value::clone);
            failures.map(of).collect::<Vec<_>>()
        };
        assert!(!failures(&whole).is_empty(), "{whole}");
        assert_eq!(failures(&merged), failures(&whole), "{campaign}");
        assert_eq!(merged["verdict"], whole["verdict"], "{campaign}");
        if name == "beyond" {
            // No part stops at a failure, so that all seeds are run once, and once only.
            assert_eq!(merged["schedules"], 300);
            assert_eq!(merged["deliveries"], whole["deliveries"]);
            assert_eq!(merged["failures"][0]["count"], whole["failures"][0]["count"]);
        }
    }
}

#[test]
fn parts_of_a_campaign_that_do_not_belong_together_are_refused() {
    let out = folder("campaigns");
    let part = |name: &str, arguments: &str| {
        let folder = out.join(name).display().to_string();
        fine(&format!("fuzz raymond --nodes 2..3 {arguments} --out {folder}"));
        folder
    };
    let first = part("first", "--schedules 20 --shard 1/2");
    let other = part("other", "--schedules 30 --shard 2/2");
    let whole = part("whole", "--schedules 20");
    for (arguments, expected) in [
        (format!("{first} {other}"), "parts of different campaigns"),
        (format!("{first} {first}"), "part 1/2 is named twice"),
        (whole, "does not hold a part of a campaign"),
    ] {
        let error = refused(&format!("fuzz --merge {arguments}"));
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    let output = konklave(&format!("fuzz --merge {first}"));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("parts are missing: 2/2"));
}
