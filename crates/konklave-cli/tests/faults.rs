//! `check --faults`: what survives one fault of each kind.

mod user;

use std::path::PathBuf;

use user::{fine, json, konklave, text};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

/// What survives one fault of each kind, with a schedule behind each `no`.
#[test]
fn faults_are_decided_one_by_one() {
    let folder = path("faults");
    let report =
        json(&format!("check central --nodes 2 --faults --json --out {}", folder.display()));
    let row = &report["rows"][0];
    assert_eq!(row["algorithm"], "central");
    let fates: Vec<_> = row["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| {
            assert_eq!(cell["contradicted"], false, "{cell}");
            let command = cell["command"].as_str().unwrap().strip_prefix("konklave ").unwrap();
            for violation in cell["violations"].as_array().unwrap() {
                let trace = folder.join(violation["trace_file"].as_str().unwrap());
                let again = konklave(&format!("replay -q {}", trace.display()));
                assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
                assert!(trace.with_extension("svg").exists(), "{violation}");
                assert_eq!(konklave(command).status.code(), Some(1), "{command}");
            }
            let word = |kind: &str| cell[kind].as_str().unwrap().to_owned();
            (word("fault"), word("safety"), word("liveness"))
        })
        .collect();
    let fate = |fault: &str, safety: &str, liveness: &str| {
        (fault.to_owned(), safety.to_owned(), liveness.to_owned())
    };
    assert_eq!(
        fates,
        [
            fate("loss", "survives", "breaks"),
            fate("duplication", "breaks", "breaks"),
            fate("overtaking", "inapplicable", "inapplicable"),
            fate("crash", "survives", "breaks"),
            fate("restart", "breaks", "breaks"),
            fate("partition", "survives", "breaks"),
        ]
    );
    let shown = fine("check central --nodes 2 --faults");
    assert!(shown.contains("yes/no"), "{shown}");
    assert!(shown.contains("konklave check central --nodes 2 --entries 2 --losses 1"), "{shown}");
    // Whoever is not heard across a cut is overtaken, which is promised only without faults.
    let twice = json("check central --nodes 3 --faults --json");
    let partition = &twice["rows"][0]["cells"][5];
    assert_eq!(
        (&partition["fault"], &partition["safety"]),
        (&"partition".into(), &"survives".into())
    );
    let undecided = konklave("check central --nodes 2 --faults --states 5");
    assert_eq!(undecided.status.code(), Some(3), "{}", text(&undecided.stdout));
}

/// A duplicate of a message of one request can be taken for one of the next, as the specimens show.
#[test]
fn a_second_request_meets_what_a_fault_has_left_behind() {
    let harmed = |arguments: &str| {
        let report = json(&format!("check {arguments} --nodes 2 --faults --json"));
        let row = &report["rows"][0];
        let duplication = &row["cells"][1];
        assert_eq!(duplication["fault"], "duplication");
        (duplication["safety"].clone(), row["system"].clone(), row["options"]["entries"].clone())
    };
    for name in ["ricart-agrawala", "carvalho-roucairol", "suzuki-kasami", "token-search"] {
        let expected = ("breaks".into(), "2 nodes with --entries 2".into(), "2".into());
        assert_eq!(harmed(name), expected, "{name}");
    }
    let once = harmed("ricart-agrawala --entries 1");
    assert_eq!(once, ("survives".into(), "2 nodes with --entries 1".into(), "1".into()));
}

/// A statement about a system names it, and an algorithm that cannot begin again is asked once.
#[test]
fn the_table_names_its_system() {
    let heading = |arguments: &str| {
        let out = konklave(&format!("check {arguments} --faults"));
        text(&out.stdout).lines().next().unwrap().to_owned()
    };
    let kinds = "One fault of each kind";
    assert_eq!(heading("central --nodes 2"), format!("{kinds}: 2 nodes with --entries 2"));
    assert_eq!(
        heading("central --nodes 2 --budget 0,1"),
        format!("{kinds}: 2 nodes with --budget 0,1")
    );
    assert_eq!(
        heading("election --nodes 2 --states 100"),
        format!("{kinds}: 2 nodes with --elections 2; 2 nodes with --elections 1: extinction")
    );
}

#[test]
fn the_table_can_be_read_as_test_cases() {
    let out = konklave("check central --nodes 2 --faults --format junit");
    let xml = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{xml}");
    assert!(xml.starts_with("<?xml"), "{xml}");
    // Safety and liveness under each fault but overtaking, on which the algorithm does not rely.
    assert!(xml.contains("tests=\"10\" failures=\"0\" errors=\"0\" skipped=\"0\""), "{xml}");
    assert!(xml.contains("name=\"safety as claimed under loss\"/>"), "{xml}");
    let cut = konklave("check central --nodes 2 --faults --format junit --states 5");
    assert_eq!(cut.status.code(), Some(3));
    assert!(text(&cut.stdout).contains("stopped by the limit on states"));
}

/// Nodes hear of results late, and elections overlap; that is no wrong leader.
#[test]
fn a_late_report_of_a_winner_is_no_wrong_result() {
    let report = json("check adoption --nodes 3 --elections 2 --json");
    assert_eq!(report["verdict"], "exhausted", "{}", report["violation"]);
}
