//! What hardly anybody asks for, and what hardly ever happens: an answer all the same.

mod user;

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};

use user::{file, fine, json, konklave, refused, text};

#[test]
fn a_grid_has_no_more_nodes_than_any_other_network() {
    for topology in ["grid:65535x65535", "torus:20000x20000", "grid:4294967295x4294967295"] {
        let error = refused(&format!("run echo --topology {topology}"));
        assert!(error.contains(topology) && error.contains("at most 100000000 nodes"), "{error}");
    }
    let error = refused("run echo --nodes 99999999999999999999");
    assert!(error.contains("at most 100000000 nodes"), "{error}");
}

#[test]
fn a_negative_number_is_a_wrong_value_and_no_option() {
    let error = refused("run raymond --loss -0.1");
    assert!(error.contains("'-0.1' is not a probability"), "{error}");
    for option in ["--nodes", "--seed", "--entries", "--cs", "--time-limit"] {
        let error = refused(&format!("run raymond {option} -1"));
        assert!(error.contains("invalid value '-1'") && error.contains(option), "{error}");
    }
}

#[test]
fn faults_that_cannot_be_are_refused() {
    for (fault, expected) in [
        ("--corrupt channel:1-6@5", "no channel from node 1 to node 6"),
        ("--corrupt channel:1-1@5", "a node does not send to itself"),
        ("--partition 5-2/1@5..9", "'5-2' is empty"),
        ("--partition 0,1,2/2,3@5..9", "node 2 in two groups"),
    ] {
        let error = refused(&format!("run raymond --nodes 7 {fault}"));
        assert!(error.contains(expected), "{fault}: {error}");
    }
    let output = konklave("run raymond --nodes 7 --corrupt channel:1-0@5");
    assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn a_saved_graph_can_be_read_under_its_name() {
    for name in ["saved.dot", "saved.graphml", "saved.xml", "saved.GraphML", "saved", "saved.txt"] {
        let path = file(name, "");
        fine(&format!("run echo --nodes 5 --topology line --save-graph {}", path.display()));
        let report = json(&format!("run echo --topology file:{} --json", path.display()));
        assert_eq!(report["nodes"], 5, "{name}");
    }
    let path = file("saved.csv", "a b");
    let error = refused(&format!("run echo --nodes 5 --save-graph {}", path.display()));
    assert!(error.contains("saved as .dot or .graphml"), "{error}");
    assert_eq!(fs::read_to_string(path).unwrap(), "a b", "nothing is lost");
}

/// The applications of a crashed node want nothing any more.
#[test]
fn a_protocol_that_never_rests_ends_after_a_crash() {
    for load in ["light", "heavy"] {
        for (node, at) in [(0, 1), (3, 5), (4, 2), (1, 8), (2, 3)] {
            for back in [format!("..{}", at + 1), String::new()] {
                let run = format!(
                    "run perpetuum --nodes 5 --load {load} --crash {node}@{at}{back} \
                     --event-limit 100000 --json"
                );
                let report: serde_json::Value =
                    serde_json::from_slice(&konklave(&run).stdout).unwrap();
                assert_ne!(report["ended"], "event-limit", "{run}: {report}");
            }
        }
    }
}

/// If a request is lost, its node waits for ever, and nobody asks behind it.
#[test]
fn under_light_load_only_one_asks_even_if_it_waits_for_ever() {
    let path = file("light.jsonl", "");
    let run =
        format!("run ricart-agrawala --nodes 3 --load light --loss 1 --trace {}", path.display());
    assert_eq!(konklave(&run).status.code(), Some(1));
    let trace = fs::read_to_string(path).unwrap();
    assert_eq!(trace.matches(r#"{"command":"Acquire"}"#).count(), 1, "{trace}");
}

#[test]
fn times_are_exact() {
    let run = "run ricart-agrawala --nodes 5 --cs 100000 --entries 1 --requesters list:0 --json";
    let report = json(run);
    let response = &report["mutex"]["response_time"];
    for figure in ["mean", "p50", "p99", "max"] {
        assert_eq!(response[figure], 100_002.0, "{figure} of {response}");
    }
}

#[test]
fn what_is_in_flight_when_a_run_is_cut_counts() {
    let output = konklave("run ricart-agrawala --nodes 5 --time-limit 0 --json");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["messages"]["in_flight_peak"], 20, "{report}");
    let output = konklave("run ricart-agrawala --nodes 5 --event-limit 5 --json");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["time"], &report["deliveries"]), (&0.into(), &0.into()), "{report}");
}

/// With this standard output.
fn completions(out: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_konklave"));
    command.args(["completions", "bash"]).stdout(out).stderr(Stdio::piped());
    command.spawn().unwrap().wait_with_output().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_goes_nowhere_is_no_reason_to_panic() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let output = completions(full().into());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let mut command = Command::new(env!("CARGO_BIN_EXE_konklave"));
    let status = command.args(["run", "raymon"]).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = completions(writer.into());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
#[cfg(unix)]
fn a_path_need_not_be_a_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(OsStr::from_bytes(b"not-a-text-\xff.jsonl"));
    for verb in ["run", "replay"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_konklave"));
        command.arg(verb);
        if verb == "run" {
            command.args(["raymond", "--nodes", "3", "--trace"]);
        }
        let output = command.arg(&path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{verb}: {}", text(&output.stderr));
    }
}

/// Before minutes are spent on what cannot be kept.
#[test]
fn where_a_schedule_cannot_be_written_nothing_is_searched() {
    for command in [
        "check ricart-agrawala --nodes 2 --trace",
        "check ricart-agrawala --nodes 2 --worst",
        "check --specimen lamport-out-of-order --trace",
        "fuzz lamport --beyond --schedules 5 --trace",
    ] {
        let error = refused(&format!("{command} /nowhere/to/be/found.jsonl"));
        assert!(error.contains("cannot write the schedule /nowhere"), "{command}: {error}");
    }
    let kept = file("kept.jsonl", "precious");
    fine(&format!("check ricart-agrawala --nodes 2 --trace {}", kept.display()));
    assert_eq!(fs::read_to_string(&kept).unwrap(), "precious", "there was nothing to write");
    fs::remove_file(&kept).unwrap();
    fine(&format!("check ricart-agrawala --nodes 2 --trace {}", kept.display()));
    assert!(!kept.exists(), "nothing stays behind");
}

#[test]
fn there_are_not_more_threads_than_any_machine_can_run() {
    for verb in ["check raymond", "fuzz raymond", "sweep raymond"] {
        let error = refused(&format!("{verb} --threads 1000000"));
        assert!(error.contains("from 1 to 1024"), "{verb}: {error}");
    }
}

/// Rivals are several that have called an election, not several that know its result.
#[test]
fn who_is_alone_has_no_rivals() {
    let reached = |arguments: &str| json(&format!("check {arguments} --json"))["reached"].clone();
    let alone = reached("chang-roberts --nodes 3 --initiators one");
    assert_eq!((&alone["served"], &alone["contention"]), (&true.into(), &false.into()));
    let together = reached("chang-roberts --nodes 3 --initiators 2");
    assert_eq!(together["contention"], true);
    assert_eq!(reached("central --nodes 2")["contention"], true);
    let one = reached("central --nodes 2 --budget 1,0");
    assert_eq!((&one["served"], &one["contention"]), (&true.into(), &false.into()));
}

/// A crash that parts the network is nothing that any algorithm promises to survive.
#[test]
fn a_network_that_can_be_parted_is_no_accusation() {
    let beyond = |topology: &str| {
        let check = format!("check virtual-tree --nodes 3 --crashes 1 --json {topology}");
        let report: serde_json::Value = serde_json::from_slice(&konklave(&check).stdout).unwrap();
        report["beyond"].clone()
    };
    assert_eq!(beyond("--topology line"), serde_json::json!(["crash"]));
    assert_eq!(beyond("--topology ring"), serde_json::json!([]));
}

#[test]
fn shrinking_makes_nothing_longer() {
    for specimen in ["sanders-one-permission", "token-graph-without-acknowledgement"] {
        let path = file("specimen.jsonl", "");
        konklave(&format!("check --specimen {specimen} --trace {}", path.display()));
        let report = json(&format!("shrink {} --json", path.display()));
        let (before, after) = (&report["before"], &report["after"]);
        for count in ["nodes", "faults", "commands", "messages", "steps"] {
            assert!(after[count].as_u64() <= before[count].as_u64(), "{specimen}: {report}");
        }
        let shrunk = path.with_extension("shrunk.jsonl");
        let replayed = konklave(&format!("replay -q {}", shrunk.display()));
        assert_eq!(replayed.status.code(), Some(1), "{specimen}: {}", text(&replayed.stderr));
    }
}

/// Two nodes starve as well as five, though other promises break there, too, and sooner.
#[test]
fn a_smaller_system_is_found_though_another_promise_breaks_sooner() {
    let fuzz = "fuzz lamport --beyond --nodes 5..5 --schedules 3000 --json";
    let report: serde_json::Value = serde_json::from_slice(&konklave(fuzz).stdout).unwrap();
    let failures = report["failures"].as_array().unwrap();
    let starved =
        |it: &&serde_json::Value| it["promise"] == "no starvation" && it["fault"] == "overtaking";
    let starved = failures.iter().find(starved).unwrap_or_else(|| panic!("{report}"));
    assert_eq!(starved["trace"][0]["setup"]["nodes"], 2, "{starved}");
}
