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
        ("--partition 0-6@5..9", "'0-6@5..9' has one group"),
        ("--partition hold:0-2@5..9", "write the others, too, such as 0-4/5-9@10..20"),
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
    for name in ["ring.dot", "ring.graphml"] {
        let path = file(name, "");
        let saved = path.display();
        let run = "run chang-roberts --nodes 7 --ids random";
        fine(&format!("{run} --topology directed-ring --save-graph {saved}"));
        let of = |topology: &str| {
            let report = json(&format!("{run} --topology {topology} --json"));
            (report["digest"].clone(), report["messages"].clone())
        };
        assert_eq!(of(&format!("file:{saved}")), of("directed-ring"), "{name}");
        let error = refused(&format!("run echo --topology file:{saved}"));
        assert!(error.contains("two-way network"), "{name}: {error}");
        let again = file(&format!("again-{name}"), "");
        fine(&format!("{run} --topology file:{saved} --save-graph {}", again.display()));
        let [first, second] = [&path, &again].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(first, second, "what is read is written again");
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

#[test]
fn times_that_the_clock_cannot_count_are_refused() {
    for (option, expected) in [
        ("--cs 18446744073709551615", "below 1099511627776 ticks"),
        ("--think 1e15", "below 1099511627776 ticks"),
        ("--notice 9999999999999", "below 1099511627776 ticks"),
        ("--load poisson:1e-300", "at least 1e-9 per T"),
        ("--load poisson:1e-9 --delay constant:1000000000000", "at least 10"),
    ] {
        let error = refused(&format!("run raymond --nodes 10 {option}"));
        assert!(error.contains(expected), "{option}: {error}");
    }
    // The largest that is accepted is counted: no two entries share a time.
    let report = json("run raymond --nodes 3 --entries 2 --cs 1099511627775 --json");
    let time = report["time"].as_u64().unwrap();
    assert!((6 * 1_099_511_627_775..6 * 1_099_511_627_776 + 100).contains(&time), "{time}");
}

#[test]
fn what_does_not_fit_the_system_is_refused() {
    for (arguments, expected) in [
        ("run hierarchical --nodes 3 --clusters 9", "3 nodes have at most 3 clusters"),
        ("run echo --nodes 5 --initiators list:1,1", "'list:1,1' names node 1 twice"),
        ("run raymond --requesters list:2,0,2", "names node 2 twice"),
        ("run echo --topology file:/dev/zero", "more than 64 MiB"),
        ("run maekawa --quorum file:/dev/zero", "more than 64 MiB"),
        ("run raymond --delay file:/dev/zero", "more than 64 MiB"),
    ] {
        let error = refused(arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    // The default number of clusters gives way.
    fine("run hierarchical --nodes 2");
    let path = file("empty-history", "{\"konklave_history\":1,\"object\":\"queue\"}\n");
    let error = refused(&format!("check-history {}", path.display()));
    assert!(error.contains("line 2: the history has no operations"), "{error}");
}

#[test]
fn delays_can_be_measured_elsewhere() {
    let path = file("delays.txt", "# microseconds\n3\n3\n6\n");
    let shown = path.display();
    let report = json(&format!("run echo --nodes 20 --delay file:{shown} --json"));
    assert_eq!(report["options"]["delay"], format!("file:{shown}"));
    let text = fine(&format!("run central --nodes 2 --entries 1 --delay file:{shown}"));
    assert!(text.contains(&format!("delay file:{shown}")), "{text}");
    // T is the mean, so 5 T is 20 ticks inside, for each of the two entries.
    let report = json(&format!("run central --nodes 2 --entries 1 --delay file:{shown} --json"));
    assert!(report["time"].as_u64().unwrap() >= 40, "{}", report["time"]);
    for (content, expected) in [("", "there are no delays"), ("1\n2.5\n", "line 2: '2.5' is not")] {
        let path = file("wrong-delays.txt", content);
        let error = refused(&format!("run echo --delay file:{}", path.display()));
        assert!(error.contains("wrong-delays.txt") && error.contains(expected), "{error}");
    }
    let error = refused("run echo --delay file:/no/such/file");
    assert!(error.contains("cannot read the delays /no/such/file"), "{error}");
}

#[test]
fn a_trace_can_go_to_standard_output() {
    let output = konklave("run raymond --nodes 3 --entries 1 --trace -");
    assert_eq!(output.status.code(), Some(0));
    let (trace, report) = (text(&output.stdout), text(&output.stderr));
    assert!(trace.starts_with("{\"konklave_trace\":1"), "{trace}");
    assert!(trace.lines().last().unwrap().starts_with("{\"end\""), "{trace}");
    assert!(report.contains("raymond on a") && report.contains("verdict"), "{report}");
    let path = file("piped.jsonl", &trace);
    fine(&format!("replay --quiet {}", path.display()));
    let error = refused("run raymond --nodes 3 --trace - --json");
    assert!(error.contains("--trace - and --json both write to standard output"), "{error}");
    let output = konklave("check --specimen perpetuum-impatient --trace -");
    assert!(text(&output.stdout).starts_with("{\"konklave_trace\":1"));
    assert!(!std::path::Path::new("-").exists(), "no file has this name");
}

/// Whatever never ends is refused before it fills the memory.
#[test]
#[cfg(unix)]
fn an_endless_file_is_refused() {
    let picture = file("endless.svg", "");
    for command in [
        "replay /dev/zero".to_owned(),
        "shrink /dev/zero".to_owned(),
        format!("draw /dev/zero {}", picture.display()),
        "export /dev/zero --to csv".to_owned(),
        "check-history /dev/zero".to_owned(),
    ] {
        let error = refused(&command);
        assert!(error.contains("/dev/zero") && error.contains("more than 256 MiB"), "{error}");
    }
    assert!(refused("ring --config /dev/zero").contains("more than 64 MiB"));
}

/// A run that would go on after the last tick is stopped there, and says so.
#[test]
fn the_clock_has_an_end() {
    let run = "run central --nodes 3 --entries 2 --crash 1@18446744073709551615";
    let output = konklave(run);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("stopped where the clock ends, at 18446744073709551614"));
    let before = "run central --nodes 3 --entries 2 --crash 1@18446744073709551614";
    assert!(fine(before).contains("quiescence"));
}

#[test]
fn lists_that_compare_does_not_take_are_those_of_a_sweep() {
    for (list, sizes) in [
        ("--load light,heavy --loss 0,0.01", " --nodes 13"),
        ("--nodes 5,7 --load heavy", ""),
        ("--delay constant:1,constant:2 --nodes 4", ""),
        ("--topology ring,star -n 4", ""),
    ] {
        let error = refused(&format!("compare raymond,naimi-trehel {list}"));
        let sweep = format!("konklave sweep raymond,naimi-trehel {list}{sizes}");
        assert!(error.contains(&sweep), "{error}");
    }
    // The sweep that is named works.
    let sweep = "sweep raymond,naimi-trehel --load light,heavy --loss 0,0.01 --nodes 13 --seeds 1";
    assert!(konklave(sweep).status.code().is_some_and(|code| code < 2));
    // What is wrong for both is refused by itself.
    assert!(refused("compare raymond --nodes 5,x").contains("write a number"));
}

#[test]
fn counts_can_be_written_in_every_form() {
    for nodes in ["1000", "1_000", "1e3", "0.1e4"] {
        assert_eq!(json(&format!("run echo --nodes {nodes} --json"))["nodes"], 1000, "{nodes}");
    }
    fine("fuzz raymond --nodes 2..1e1 --schedules 1_0");
    fine("sweep raymond --nodes 3,1e1 --seeds 2e0 --entries 1e1");
    let error = refused("run echo --nodes 1.5");
    assert!(error.contains("write a number such as 1000, 1_000_000 or 1e6"), "{error}");
}

#[test]
fn networks_like_those_of_people_can_be_used() {
    let text = fine("run echo --nodes 100 --topology watts-strogatz:4,0.1");
    assert!(text.starts_with("echo on a small world of degree 4 of 100 nodes"), "{text}");
    let text = fine("compare election --topology barabasi-albert:2 --nodes 30 --runs 2");
    assert!(text.contains("barabasi-albert:2"), "{text}");
    let error = refused("run echo --topology watts-strogats:4,0.1");
    assert!(error.contains("watts-strogatz"), "{error}");
}
