//! `sweep`: what is measured counts once, is never lost, and is judged by what it can tell.

mod user;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use user::{fine, json, konklave, refused, text};

/// A folder that does not exist yet.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = path.join(format!("{}-sweep-{name}", std::process::id())).join("report");
    let _ = fs::remove_dir_all(&path);
    path
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All files with what is in them.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    all.sort();
    all
}

const SWEEP: &str = "sweep chang-roberts --nodes 20,50 --seeds 3";

#[test]
fn a_sweep_goes_on_only_with_its_own_runs() {
    let out = folder("other");
    let to = |rest: &str| format!("--out {} {rest}", out.display());
    fine(&format!("{SWEEP} {}", to("")));
    let before = files(&out);
    for (arguments, expected) in [
        (format!("{SWEEP} --ids descending {}", to("--resume")), "--ids descending"),
        (format!("{SWEEP} --initiators 3 {}", to("--resume")), "no --initiators"),
        (format!("{SWEEP} --wake relay {}", to("--resume")), "--wake relay"),
        (
            format!("sweep hirschberg-sinclair --nodes 20 --seeds 3 {}", to("--resume")),
            "holds runs of",
        ),
        // Runs would be lost.
        (format!("{SWEEP} --ids descending {}", to("")), "--resume, or name another folder"),
        (format!("sweep chang-roberts --nodes 20 --seeds 3 {}", to("")), "would be lost"),
        // And what cannot be done is known before anything is touched.
        (format!("sweep chang-roberts --load heavy {}", to("--resume")), "--load is an option"),
        (format!("sweep bully --delay exp:3 {}", to("--resume")), "maximum delay"),
        (format!("{SWEEP} --assert messages_per_entry<=n {}", to("--resume")), "not measured"),
        (format!("{SWEEP} --assert messages<=1/(n-20) {}", to("--resume")), "no value for n = 20"),
    ] {
        let error = refused(&arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
        assert!(files(&out) == before, "{arguments} has changed the folder");
    }
    // More sizes and seeds, and the same sweep once more, are welcome.
    let more = "sweep chang-roberts --nodes 20,50,80 --seeds 4";
    let report = json(&format!("{more} {}", to("--resume --json")));
    assert_eq!(report["rows"].as_array().unwrap().len(), 3);
    fine(&format!("{more} {}", to("")));
    assert_eq!(read(&out, "runs.jsonl").lines().count(), 13);
}

#[test]
fn a_folder_of_something_else_is_no_sweep_to_go_on_with() {
    let out = folder("run");
    fine(&format!("run chang-roberts --nodes 5 --out {}", out.display()));
    let before = files(&out);
    let error = refused(&format!("{SWEEP} --resume --out {}", out.display()));
    assert!(error.contains("leave --resume out"), "{error}");
    assert!(files(&out) == before);
}

#[test]
fn a_line_that_was_cut_off_is_done_again() {
    let out = folder("cut");
    let arguments = format!("{SWEEP} --out {} --json", out.display());
    let whole = json(&arguments);
    let runs = read(&out, "runs.jsonl");
    fs::write(out.join("runs.jsonl"), &runs[..runs.len() - 30]).unwrap();
    let again = json(&format!("{arguments} --resume"));
    assert_eq!(again["rows"][1]["runs"], whole["rows"][1]["runs"]);
    let lines = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&read(&out, "runs.jsonl")), lines(&runs), "nothing is glued to the rest");
}

#[test]
fn what_is_asked_for_twice_is_measured_once() {
    let sizes = "sweep raymond --nodes 7,3,7,7 --load light,light --delay constant:1,constant:1";
    let report = json(&format!("{sizes} --seeds 2 --json"));
    let rows = report["rows"].as_array().unwrap();
    let counts: Vec<_> = rows.iter().map(|row| (&row["nodes"], &row["runs"])).collect();
    assert_eq!(counts, [(&Value::from(3), &Value::from(2)), (&Value::from(7), &Value::from(2))]);
}

#[test]
fn what_cannot_be_decided_is_said_and_loses_nothing() {
    let out = folder("open");
    let bound = "--assert messages/(n-20)<=10000";
    let output = konklave(&format!("{SWEEP} {bound} --out {}", out.display()));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("undecided  messages/(n-20)<=10000"));
    assert!(read(&out, "report.html").contains("undecided"));
    // Another size breaks the bound, whatever is with this one.
    let output = konklave(&format!("{SWEEP} --assert messages/(n-20)<=1"));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn runs_without_end_are_left_out() {
    let report = json(
        "sweep bully --nodes 4,5,30,60 --delay uniform:1..10 --seeds 2 --event-limit 200000 --json",
    );
    assert_eq!(report["rows"].as_array().unwrap().len(), 2, "{report}");
    let left_out = report["left_out"][0].as_str().unwrap();
    assert!(left_out.contains("bully") && left_out.contains("from 30 nodes on"), "{left_out}");
}

#[test]
fn formulas_are_compared_with_the_steady_state() {
    let report = json("sweep naimi-trehel --nodes 30,100,300 --load light --seeds 5 --json");
    for row in report["rows"].as_array().unwrap() {
        assert_eq!((&row["agrees"], &row["verdict"]), (&true.into(), &"ok".into()), "{row}");
        let (mean, low) = (&row["messages_per_entry"], &row["formula_low"]);
        assert!(mean.as_f64().unwrap() > low.as_f64().unwrap(), "{row}");
    }
    let regular = json("sweep maekawa --nodes 7,13 --delay constant:1 --seeds 1 --json");
    for (row, mean) in regular["rows"].as_array().unwrap().iter().zip([8.0, 12.0]) {
        assert_eq!((&row["messages_per_entry"], &row["agrees"]), (&mean.into(), &true.into()));
    }
}

#[test]
fn networks_of_different_forms_have_no_common_law() {
    let report = json("sweep echo --nodes 7,16,31 --seeds 1 --json");
    assert_eq!(report["rows"][0]["network"], "1x7 grid");
    assert!(report["laws"][0]["growth"].is_null(), "{report}");
    let shown = fine("sweep echo --nodes 7,16,31 --seeds 1");
    assert!(shown.contains("the shape of the network changes with its size (1x7 grid, 4x4 grid, "));
    let square = json("sweep echo --nodes 9,16,25 --seeds 1 --json");
    assert_eq!(square["laws"][0]["growth"]["Fits"][0]["model"], "linear", "{square}");
}

#[test]
fn the_report_says_what_was_asked_and_how_well_laws_fit() {
    let out = folder("asked");
    let arguments = "sweep tree-wave --nodes 7,15,31 --seeds 2 --topology tree:2";
    let report = json(&format!("{arguments} --out {} --json", out.display()));
    let command = report["command"].as_str().unwrap();
    assert!(command.starts_with(&format!("konklave {arguments}")), "{command}");
    assert_eq!(report["asked"]["network"], "tree:2");
    assert_eq!(report["seeds"]["count"], 2);
    assert_eq!(report["units"]["time_to_elect"], "T");
    let words = report["laws"][0]["words"].as_str().unwrap();
    assert_eq!(words, "messages to elect grow as 3 n - 2, exactly");
    let page = read(&out, "report.html");
    for part in
        ["All laws, fitted to the messages to elect", "<td>n^2</td>", "off by ", "2-ary tree"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("gini_margin"), "the rest is in the CSV");
    assert!(read(&out, "results.csv").contains("gini_margin"));
}

#[test]
fn a_file_is_not_a_folder_to_write_to() {
    let out = folder("file");
    fs::create_dir_all(out.parent().unwrap()).unwrap();
    fs::write(&out, "mine").unwrap();
    for resume in ["", "--resume"] {
        let error = refused(&format!("{SWEEP} --out {} {resume}", out.display()));
        assert!(error.contains("is a file, not a folder") && !error.contains("resume"), "{error}");
    }
    assert_eq!(fs::read_to_string(&out).unwrap(), "mine");
}

#[test]
fn a_formula_that_gives_only_bounds_has_no_verdict() {
    let report = json("sweep naimi-trehel --nodes 10 --seeds 3 --delay uniform:1..10 --json");
    let row = &report["rows"][0];
    assert_eq!(row["formula"], "0 to n", "{row}");
    assert!(row["agrees"].is_null(), "{row}");
    let regular = json("sweep naimi-trehel --nodes 10 --seeds 3 --json");
    assert_eq!(regular["rows"][0]["agrees"], true, "the default delay gives a value");
}

#[test]
fn run_compare_and_sweep_have_the_same_defaults() {
    let run = json("run raymond --nodes 15 --json");
    let explicit = json("run raymond --nodes 15 --load heavy --delay constant:1 --json");
    assert_eq!(run["digest"], explicit["digest"]);
    let compare = json("compare mutex --only raymond --nodes 15 --json");
    assert_eq!((&compare["load"], &compare["delay"]), (&"heavy".into(), &"constant:1".into()));
    let sweep = json("sweep raymond --nodes 15 --seeds 1 --json");
    let row = &sweep["rows"][0];
    assert_eq!((&row["load"], &row["delay"]), (&"heavy".into(), &"constant:1".into()));
    // The same load, delay and steady state have the same cost.
    assert_eq!(row["messages_per_entry"], compare["rows"][0]["messages_per_entry"]);
}

#[test]
fn the_event_limit_counts_what_that_of_a_run_counts() {
    let is_cut = |limit: u32| {
        let run = format!("run raymond --nodes 10 --entries 5 --event-limit {limit} --json");
        text(&konklave(&run).stdout).contains(r#""ended": "event-limit""#)
    };
    let enough = (1..1000).find(|&limit| !is_cut(limit)).expect("the run ends");
    let rows = |limit: u32| {
        let report = json(&format!(
            "sweep raymond --nodes 10 --entries 5 --seeds 1 --event-limit {limit} --json"
        ));
        report["rows"].as_array().unwrap().len()
    };
    assert_eq!((rows(enough), rows(enough - 1)), (1, 0));
}
