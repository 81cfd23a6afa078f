//! `konklave check`: its verdicts, its schedules, its exit codes.

mod user;

use std::path::PathBuf;

use serde_json::Value;

use user::{fine, json, konklave, refused, text};

/// The JSON of a check that finds something wrong.
fn broken(arguments: &str) -> Value {
    let output = konklave(&format!("check {arguments} --json"));
    assert_eq!(output.status.code(), Some(1), "{arguments}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

#[test]
fn everything_is_looked_at() {
    let report = json("check ricart-agrawala --nodes 3 --entries 2 --json");
    assert_eq!(report["verdict"], "exhausted");
    assert_eq!(report["unique"], 36_886);
    assert_eq!(report["messages"]["min"], 24, "2(n-1) for each of 6 entries");
    assert_eq!(report["messages"]["max"], 24);
    assert_eq!(report["trace"], Value::Null);
    let properties = report["properties"].as_array().unwrap();
    assert!(properties.iter().all(|property| property["holds"] == true), "{properties:?}");
    let names: Vec<_> = properties.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"mutual exclusion") && names.contains(&"comes to rest"), "{names:?}");
    assert!(names.contains(&"a node inside defers replies"), "an invariant of the algorithm");
    assert_eq!(report["reached"]["contention"], true);
    let shown = fine("check ricart-agrawala --nodes 3");
    assert!(shown.contains("12 in every schedule"), "{shown}");
}

#[test]
fn the_number_of_threads_and_the_identity_of_states_change_nothing() {
    let counts = ["", "--threads 1", "--threads 3 --exact"].map(|options| {
        let report = json(&format!("check maekawa --nodes 3 --entries 1 --json {options}"));
        (report["unique"].clone(), report["states"].clone(), report["messages"].clone())
    });
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[0], counts[2]);
}

#[test]
fn a_broken_promise_comes_with_a_schedule_that_replays() {
    let trace = path("lamport.jsonl");
    let report = broken(&format!("lamport --any-order --trace {}", trace.display()));
    assert_eq!(report["violation"]["promise"], "mutual exclusion");
    let lines = report["trace"].as_array().unwrap();
    assert!(lines[0]["konklave_trace"].is_number() && lines.len() == 12, "{}", lines.len());
    let again = konklave(&format!("replay --quiet {}", trace.display()));
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
    assert!(text(&again.stdout).contains("mutual exclusion"));
    // The same again, whatever the threads did.
    let twice = broken("lamport --any-order --threads 2");
    let twice = twice["trace"].as_array().unwrap();
    // The header names the command, and the checksum is of the header, too.
    assert_eq!(twice[1..twice.len() - 1], lines[1..lines.len() - 1]);
}

#[test]
fn the_costliest_schedule_replays_too() {
    let worst = path("worst.jsonl");
    let arguments = format!("check raymond --nodes 4 --topology line --worst {}", worst.display());
    let report = json(&format!("{arguments} --fifo --json"));
    assert_eq!((&report["messages"]["min"], &report["messages"]["max"]), (&6.into(), &18.into()));
    let replayed = json(&format!("replay {} --json", worst.display()));
    assert_eq!(replayed["messages"], 18);
    assert_eq!(replayed["verdict"], "ok");
}

/// What was asked for and cannot be had does not look like success.
#[test]
fn a_missing_costliest_schedule_is_explained() {
    let worst = path("none.jsonl");
    for (arguments, code, reason) in [
        ("perpetuum", 3, "no schedule ends"),
        ("lamport --any-order", 1, "ended at a broken promise"),
        ("maekawa --nodes 4 --states 1000", 3, "stopped by the limit on states"),
    ] {
        let output = konklave(&format!("check {arguments} --worst {}", worst.display()));
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
        assert!(error.contains("none.jsonl was not written") && error.contains(reason), "{error}");
        assert!(!worst.exists());
    }
}

/// Who breaks a promise beyond what it assumes is not accused of it.
#[test]
fn what_an_algorithm_does_not_promise_to_survive_is_said() {
    for (arguments, fault, excuse) in [
        ("ricart-agrawala --nodes 2 --losses 1", "loss", "survive lost messages"),
        ("central --nodes 2 --duplicates 1", "duplication", "survive duplicate messages"),
        ("central --nodes 2 --crashes 1", "crash", "survive crashes"),
        ("lamport --any-order", "overtaking", "survive messages that overtake each other"),
        ("central --nodes 2 --restarts 1", "restart", "survive restarts without memory"),
        ("central --nodes 2 --partitions 1", "partition", "survive partitions"),
        ("virtual-tree --hasty", "slowness", "survive messages that are slower than its timers"),
    ] {
        let output = konklave(&format!("check {arguments}"));
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {shown}");
        assert!(shown.contains(excuse), "{arguments}: {shown}");
        assert_eq!(broken(arguments)["beyond"], Value::from(vec![fault]));
    }
    let within = json("check chang-roberts-numbered --nodes 3 --crashes 1 --json");
    assert_eq!(within["beyond"], Value::Array(Vec::new()), "it is told of crashes");
    let shown = konklave("check mutex --nodes 2 --losses 1 --no-costs --seconds 5");
    let shown = text(&shown.stdout);
    let line =
        shown.lines().find(|line| line.starts_with("not promised to survive lost messages:"));
    assert!(line.is_some_and(|line| line.contains(" lamport, ")), "{shown}");
}

#[test]
fn one_is_not_many() {
    let shown = fine("check raymond --nodes 2");
    assert!(shown.contains("at most 1 entry of other nodes"), "{shown}");
}

#[test]
fn faults_are_looked_at_within_their_budgets() {
    let lost = broken("ricart-agrawala --nodes 2 --losses 1");
    assert_eq!(lost["violation"]["promise"], "no starvation");
    let crashed = broken("central --nodes 2 --crashes 1");
    assert_eq!(crashed["violation"]["promise"], "no starvation");
    // Whoever is stuck is so before the last crash that may happen.
    let several = broken("ricart-agrawala --nodes 3 --crashes 3");
    assert_eq!(several["violation"]["promise"], "no starvation");
    let survived = json("check chang-roberts-numbered --nodes 3 --crashes 1 --losses 1 --json");
    assert_eq!(survived["verdict"], "exhausted");
    let trace = path("crash.jsonl");
    broken(&format!("central --nodes 2 --crashes 1 --trace {}", trace.display()));
    assert_eq!(konklave(&format!("replay -q {}", trace.display())).status.code(), Some(1));
}

/// What goes wrong is in the schedule, which replays, can be drawn, and shrinks.
#[test]
fn restarts_and_partitions_come_with_schedules_that_replay_and_shrink() {
    for (arguments, promise, faults) in [
        ("suzuki-kasami --nodes 2 --restarts 1", "no starvation", ["crash", "restart"]),
        ("central --nodes 2 --budget 0,1 --partitions 1", "no starvation", ["partition", "heal"]),
    ] {
        let trace = path(&format!("{}.jsonl", faults[0]));
        let report = broken(&format!("{arguments} --trace {}", trace.display()));
        assert_eq!(report["violation"]["promise"], promise, "{arguments}");
        let lines = report["trace"].as_array().unwrap();
        for fault in faults {
            let is_fault = |line: &&Value| line["fault"]["what"].get(fault).is_some();
            assert_eq!(lines.iter().filter(is_fault).count(), 1, "{arguments}: {fault}");
        }
        let again = konklave(&format!("replay -q {}", trace.display()));
        assert_eq!(again.status.code(), Some(1), "{arguments}: {}", text(&again.stderr));
        assert!(text(&again.stdout).contains(promise), "{arguments}");
        let picture = path(&format!("{}.svg", faults[0]));
        fine(&format!("draw {} {}", trace.display(), picture.display()));
        let shrunk = path(&format!("{}-shrunk.jsonl", faults[0]));
        fine(&format!("shrink {} --out {}", trace.display(), shrunk.display()));
        let again = konklave(&format!("replay -q {}", shrunk.display()));
        assert_eq!(again.status.code(), Some(1), "{arguments}: {}", text(&again.stderr));
    }
}

/// A node that is away has to return before anything is at rest, and a cut has to heal.
#[test]
fn what_returns_is_waited_for() {
    let survived = json("check chang-roberts-numbered --nodes 3 --restarts 1 --json");
    assert_eq!(survived["verdict"], "exhausted");
}

#[test]
fn elections_start_where_they_are_told_to() {
    let graph = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/graphs/k4.txt");
    let report = json(&format!("check adoption --topology file:{graph} --initiators 2 --json"));
    assert_eq!((&report["nodes"], &report["verdict"]), (&4.into(), &"exhausted".into()));
    let twice = json("check chang-roberts --nodes 3 --budget 2,1,0 --json");
    assert_eq!(twice["verdict"], "exhausted");
    assert!(refused("check echo --nodes 3 --initiators all").contains("echo-extinction"));
}

#[test]
fn who_never_rests_is_searched_for_fair_cycles() {
    let report = json("check perpetuum --nodes 3 --json");
    assert_eq!(
        (&report["verdict"], &report["liveness"]),
        (&"exhausted".into(), &"fair-cycles".into())
    );
    assert_eq!(report["messages"], Value::Null, "no schedule ends");
}

#[test]
fn a_limit_that_is_hit_is_no_verdict() {
    for (limit, bound) in [("--states 1000", "states"), ("--depth 5", "depth")] {
        let output = konklave(&format!("check maekawa --nodes 4 --json {limit}"));
        assert_eq!(output.status.code(), Some(3), "{limit}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["verdict"], &report["bound"]), (&"bounded".into(), &bound.into()));
    }
}

/// What the JSON of a check says about each promise, in the form `name: true`, and its exit code.
fn promises(arguments: &str) -> (Vec<String>, Value, Option<i32>) {
    let output = konklave(&format!("check {arguments} --json"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let properties = report["properties"].as_array().unwrap().iter();
    let said = properties.map(|it| format!("{}: {}", it["name"].as_str().unwrap(), it["holds"]));
    (said.collect(), report, output.status.code())
}

#[test]
fn cycles_that_nobody_looked_for_are_no_verdict() {
    for arguments in [
        "--specimen perpetuum-impatient",
        "--specimen chang-roberts-winner-passes-on",
        "raymond --nodes 2 --topology line --budget 0,1 --duplicates 2",
    ] {
        let (said, report, code) = promises(&format!("{arguments} --no-costs"));
        assert_eq!((code, &report["verdict"]), (Some(3), &"undecided".into()), "{arguments}");
        assert!(said.iter().any(|it| it.ends_with(": null")), "{arguments}: {said:?}");
        assert!(!said.contains(&"comes to rest: true".to_owned()), "{arguments}: {said:?}");
        assert!(!said.contains(&"no starvation: true".to_owned()), "{arguments}: {said:?}");
        let shown = konklave(&format!("check {arguments} --no-costs"));
        let shown = text(&shown.stdout);
        assert!(shown.contains("a search for cycles, which --no-costs leaves out"), "{shown}");
        // Those who look find one, and then everything is decided.
        let (said, _, code) = promises(arguments);
        assert_eq!(code, Some(1), "{arguments}");
        assert!(said.iter().any(|it| it.ends_with(": false")), "{arguments}: {said:?}");
        assert!(!said.iter().any(|it| it.ends_with(": null")), "{arguments}: {said:?}");
    }
    let (said, report, code) = promises("ricart-agrawala --nodes 3 --no-costs");
    assert_eq!((code, &report["liveness"]), (Some(0), &"acyclic".into()));
    assert!(said.iter().all(|it| it.ends_with(": true")), "{said:?}");
}

#[test]
fn every_broken_promise_has_its_schedule() {
    let folder = path("go-on");
    let arguments =
        format!("lamport --nodes 2 --any-order --losses 1 --go-on --out {}", folder.display());
    let (said, report, code) = promises(&arguments);
    let expected = ["mutual exclusion: false", "grants on demand: true", "no starvation: false"];
    assert_eq!((code, &said[..3]), (Some(1), &expected.map(str::to_owned)[..]));
    assert!(!said.iter().any(|it| it.ends_with(": null")), "{said:?}");
    assert_eq!(report["cuts"], Value::from(vec!["mutual exclusion"]));
    let violations = report["violations"].as_array().unwrap();
    assert_eq!(violations.len(), 2);
    assert_eq!(report["violation"]["promise"], violations[0]["promise"]);
    for (violation, place) in violations.iter().zip(0..) {
        let promise = violation["promise"].as_str().unwrap();
        let name = match place {
            0 => "trace.jsonl".to_owned(),
            _ => format!("trace-{}.jsonl", promise.replace(' ', "-")),
        };
        let replayed = konklave(&format!("replay -q {}", folder.join(name).display()));
        assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed.stderr));
        assert!(text(&replayed.stdout).contains(promise), "{}", text(&replayed.stdout));
    }
    let shown = text(&konklave("check lamport --nodes 2 --any-order --losses 1 --go-on").stdout);
    assert!(shown.contains("schedule that breaks 'no starvation':"), "{shown}");
    assert!(shown.contains("2 promises are broken"), "{shown}");
    assert!(shown.contains("holds up to the first breach of 'mutual exclusion'"), "{shown}");
}

#[test]
fn one_promise_can_be_checked_alone() {
    let (said, report, code) = promises("ricart-agrawala --losses 1 --promise mutual-exclusion");
    assert_eq!((said, code), (vec!["mutual exclusion: true".to_owned()], Some(0)));
    assert_eq!(report["verdict"], "exhausted");
    let two = "--promise no-starvation --promise grants-on-demand,comes-to-rest";
    let (said, ..) = promises(&format!("raymond --nodes 2 {two}"));
    assert_eq!(said.len(), 3, "{said:?}");
}

#[test]
fn any_number_of_messages_and_an_end_are_no_contradiction() {
    let shown = fine("check bully --nodes 3 --crashes 1");
    assert!(shown.contains("but not for ever in a fair schedule"), "{shown}");
}

#[test]
fn every_algorithm_of_every_family_keeps_its_promises() {
    for (problem, nodes) in [("mutex", 2), ("booking", 2), ("election", 2)] {
        let table = json(&format!("check {problem} --nodes {nodes} --json"));
        for row in table["rows"].as_array().unwrap() {
            assert_eq!(row["verdict"], "exhausted", "{row}");
            assert_eq!(row["nodes"], nodes, "{row}");
            assert!(row["properties"].as_array().is_some_and(|it| it.len() > 2), "{row}");
        }
    }
}

#[test]
fn bad_input_is_refused() {
    for (arguments, expected) in [
        ("check raimond", "did you mean"),
        ("check raymond --nodes 0", "at least one node"),
        ("check raymond --nodes 61", "the limit is 60"),
        ("check raymond --budget 1,2", "write one number per node"),
        ("check raymond --budget 1,x", "invalid"),
        ("check chang-roberts --budget 1,0,0 --initiators all", "leave --initiators out"),
        ("check --specimen maekawa-without-inquire --quorum grid", "leave --quorum out"),
        ("check --specimen maekawa-without-inquire --markdown", "cannot be used"),
        ("check raymond --budget 0,0,0", "nothing to check"),
        ("check raymond --seconds nan", "above zero"),
        ("check raymond --seconds 0", "above zero"),
        ("check raymond --memory 0", "a whole number above zero"),
        ("check raymond --states 0", "a whole number above zero"),
        ("check raymond --ids random", "an option of the problem election"),
        ("check chang-roberts --entries 2", "of the problem mutex and booking"),
        ("check extinction --elections 2", "cannot begin again"),
        ("check raymond --topology ring", "needs a tree"),
        ("check raymond --fifo --any-order", "cannot be used"),
        ("check raymond --losses 300", "300"),
        ("check raymond --nodes 17 --partitions 1", "the limit with --partitions is 16"),
        ("check raymond --faults --losses 1", "cannot be used with"),
        ("check mutex --trace t.jsonl", "instead of a problem"),
        ("check raymond --markdown", "all algorithms of a problem"),
        ("check raymond --worst /nowhere/t.jsonl --nodes 2", "/nowhere"),
        ("check raymond --promise fairness", "'no starvation'"),
        ("check raymond --promise no-starvation,one-toad", "'one-toad' is not a promise or lemma"),
        ("check raymond --losses 1 --promise x", "lemmas are checked only without faults"),
        ("check mutex --promise hunger", "not a promise or lemma of"),
    ] {
        let error = refused(arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
}

/// A search that was stopped says of every promise that it is open, and nothing holds vacuously.
#[test]
fn what_a_stopped_search_did_not_look_at_is_undecided() {
    for arguments in ["suzuki-kasami --nodes 3 --states 50", "raymond --nodes 3 --depth 3"] {
        let out = konklave(&format!("check {arguments}"));
        let shown = text(&out.stdout);
        assert_eq!(out.status.code(), Some(3), "{shown}");
        let fairness = shown.lines().find(|line| line.contains("bounded overtaking")).unwrap();
        assert!(fairness.ends_with("undecided"), "{fairness}");
        assert!(!shown.contains("vacuously"), "{shown}");
        let out = konklave(&format!("check {arguments} --json"));
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        let properties = report["properties"].as_array().unwrap();
        assert!(properties.iter().any(|it| it["name"] == "bounded overtaking"), "{properties:?}");
        assert!(properties.iter().all(|it| it["holds"].is_null()), "{properties:?}");
    }
}
