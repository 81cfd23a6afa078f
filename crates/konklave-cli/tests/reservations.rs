//! What was judged in part only is not said without reservation.

mod user;

use std::path::PathBuf;

use serde_json::Value;

use user::{fine, json, konklave, text};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

/// A duplicate token breaks mutual exclusion, and no schedule is followed beyond that.
const CUT: &str = "check raymond --entries 2 --duplicates 1 --promise no-starvation";

#[test]
fn what_was_followed_to_a_breach_holds_up_to_there() {
    let shown = fine(CUT);
    let up_to = "up to the first breach of 'mutual exclusion'";
    assert!(shown.contains(&format!("what was to be checked {up_to}")), "{shown}");
    let line = shown.lines().find(|line| line.contains("no starvation")).unwrap();
    assert!(line.ends_with(&format!("holds {up_to}")), "{shown}");
    let report = json(&format!("{CUT} --json"));
    let property = &report["properties"][0];
    assert_eq!((&property["holds"], &property["until"][0]), (&true.into(), &report["cuts"][0]));
    assert_eq!(report["cuts"][0], "mutual exclusion");
    // It is not a test that has passed.
    let tests = fine(&format!("{CUT} --format junit"));
    assert!(tests.contains("skipped=\"1\""), "{tests}");
    assert!(tests.contains("up to the first breach of"), "{tests}");
    // Without a breach there is nothing to reserve.
    let whole = fine("check raymond --entries 2 --promise no-starvation");
    assert!(!whole.contains("up to"), "{whole}");
}

#[test]
fn the_table_of_faults_has_it_in_brackets() {
    let shown = fine("check raymond --faults");
    let row = shown.lines().find(|line| line.starts_with("raymond ")).unwrap();
    assert!(row.contains("no/(yes)"), "{shown}");
    assert!(shown.contains("(yes): kept until another promise is broken"), "{shown}");
    let report = json("check raymond --faults --json");
    let duplication = &report["rows"][0]["cells"][1];
    assert_eq!(
        (&duplication["safety"], &duplication["liveness"]),
        (&"breaks".into(), &"until".into())
    );
}

/// Another variant does not survive the same.
#[test]
fn the_table_of_faults_names_the_variant() {
    let shown = text(&konklave("check chang-roberts --faults").stdout);
    assert!(shown.lines().next().unwrap().contains("--wake all"), "{shown}");
    let shown = text(&konklave("check chang-roberts --faults --wake relay").stdout);
    assert!(shown.lines().next().unwrap().contains("--wake relay"), "{shown}");
}

/// Faults void the order of requests, so it is decided by the schedules without any.
#[test]
fn every_promise_has_its_line_under_faults() {
    let system = "check raymond --nodes 2 --topology line --budget 0,1 --duplicates 2";
    for options in ["", "--no-costs", "--go-on", "--no-costs --go-on"] {
        let output = konklave(&format!("{system} {options} --json"));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let properties = report["properties"].as_array().unwrap();
        let found = properties.iter().find(|it| it["name"] == "bounded overtaking");
        assert_eq!(found.unwrap_or_else(|| panic!("{options}"))["holds"], true, "{options}");
    }
}

#[test]
fn a_run_that_was_stopped_is_not_ok() {
    let trace = path("stopped.jsonl");
    let run = format!("run perpetuum --nodes 3 --time-limit 20 --trace {}", trace.display());
    let verdict = |arguments: &str| {
        let output = konklave(arguments);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["verdict"].clone()
    };
    assert_eq!(verdict(&format!("{run} --json")), "inconclusive");
    let replay = format!("replay -q {}", trace.display());
    assert_eq!(verdict(&format!("{replay} --json")), "inconclusive");
    let shown = text(&konklave(&replay).stdout);
    assert!(shown.contains("ok so far, stopped by time-limit"), "{shown}");
    assert_eq!(json("run perpetuum --nodes 3 --json")["verdict"], "ok");
}

/// Entries of others while a node waits are not entries of nodes that asked later.
#[test]
fn only_what_overtakes_is_called_so() {
    let shown = fine("run central --nodes 7 --entries 3");
    assert!(shown.contains("  awaited         6 at most"), "{shown}");
    assert!(!shown.contains("overtak"), "{shown}");
    assert_eq!(json("run central --nodes 7 --entries 3 --json")["mutex"]["awaited_max"], 6);
    assert_eq!(json("check central --nodes 3 --json")["awaited"], 2);
}

#[test]
fn crashes_that_leave_the_network_connected_are_not_an_excuse() {
    let shown = text(&konklave("check virtual-tree --crashes 1").stdout);
    let excuse = "virtual-tree does not promise to survive crashes that can disconnect its network";
    assert!(shown.contains(excuse), "{shown}");
}

/// The width that is asked for is that of the file.
#[test]
fn a_picture_is_as_wide_as_it_is_asked_to_be() {
    let (trace, picture) = (path("wide.jsonl"), path("wide.png"));
    fine(&format!("run central --nodes 3 --trace {}", trace.display()));
    let width = |options: &str| {
        fine(&format!("draw {} {} {options}", trace.display(), picture.display()));
        let bytes = std::fs::read(&picture).unwrap();
        u32::from_be_bytes(bytes[16..20].try_into().unwrap())
    };
    assert_eq!(width("--width 400"), 400);
    assert!(width("") > 800);
}

/// A run that ends because the system is legal is judged like one that ends at rest.
#[test]
fn a_stable_end_excuses_nothing() {
    let trace = path("stable.jsonl");
    let run = format!("run prefix-dht --nodes 6 --duplicate 0.2 --trace {}", trace.display());
    let ran = konklave(&run);
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran.stdout));
    assert!(text(&ran.stdout).contains("sequentially consistent"), "{}", text(&ran.stdout));
    let replayed = konklave(&format!("replay {} --quiet", trace.display()));
    assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed.stderr));
}

#[test]
fn promises_about_schedules_without_faults_are_named_where_there_are_faults() {
    let shown = fine("check median-rule --nodes 2 --crashes 1");
    assert!(shown.contains("every schedule keeps every promise that was judged"), "{shown}");
    let line = shown.lines().find(|line| line.contains("not judged")).unwrap_or_default();
    assert!(line.contains("closure") && line.contains("convergence by chance"), "{shown}");
    let report = json("check median-rule --nodes 2 --crashes 1 --json");
    assert!(report["not_judged"].as_array().unwrap().contains(&"closure".into()), "{report}");
    let whole = fine("check median-rule --nodes 2");
    assert!(!whole.contains("judged"), "{whole}");
    // No value was written, but each node takes one in every round.
    assert!(!whole.contains("a write") && whole.contains("a value taken"), "{whole}");
}

#[test]
fn only_what_nobody_asked_for_holds_vacuously() {
    let shown = fine("check build-list --nodes 2");
    assert!(shown.contains("promises about them hold vacuously"), "{shown}");
}

#[test]
fn a_degree_of_fairness_is_a_finding_only_if_it_was_decided() {
    let broken = text(&konklave("check raymond --nodes 2 --crashes 1").stdout);
    assert!(broken.contains("fairness            as documented: "), "{broken}");
    assert!(!fine("check raymond --nodes 2").contains("as documented"));
}

#[test]
fn a_question_mark_is_explained() {
    let shown = text(&konklave("check central --nodes 2 --faults --states 5").stdout);
    assert!(shown.contains("?: undecided: nothing was broken yet when the search was"), "{shown}");
}

/// What a run measured before it broke a promise is no mean of runs.
#[test]
fn broken_runs_are_left_out_of_means() {
    let shown = konklave("sweep raymond --nodes 10 --loss 0,0.05 --seeds 3");
    assert_eq!(shown.status.code(), Some(1));
    let shown = text(&shown.stdout);
    let row = |loss: &str| {
        let mut rows = shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.find(|row| row.contains(&loss) && row.first() == Some(&"raymond")).unwrap()
    };
    assert!(row("0").ends_with(&["ok", "3"]), "{shown}");
    assert!(row("0.05").ends_with(&["0.05", "violated", "0", "of", "3"]), "{shown}");
}

/// The rounds of a rule are not those of the network.
#[test]
fn rounds_are_told_apart() {
    let shown = fine("run median-rule --nodes 16");
    let rounds = shown.lines().find(|line| line.contains("rounds to agree")).unwrap();
    assert!(rounds.ends_with("rounds of the rule"), "{shown}");
}
