//! The binary as a user meets it: what it prints, and its exit codes.

mod user;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use user::{file, fine, json, konklave, refused, text};

#[test]
fn the_report_has_the_promised_fields() {
    let report = json("run chang-roberts --nodes 1000 --seed 3 --json");
    for field in [
        "algorithm",
        "family",
        "nodes",
        "topology",
        "seed",
        "digest",
        "ended",
        "time",
        "deliveries",
        "messages",
        "causal_depth",
        "verdict",
        "violations",
        "wall_seconds",
        "deliveries_per_second",
        "election",
    ] {
        assert!(!report[field].is_null(), "{field} is missing");
    }
    for field in ["total", "by_kind", "bytes", "max_per_node", "mean_per_node", "in_flight_peak"] {
        assert!(!report["messages"][field].is_null(), "messages.{field} is missing");
    }
    for field in [
        "leader",
        "initiators",
        "known_by",
        "messages_to_elect",
        "messages_to_announce",
        "time_to_elect",
    ] {
        assert!(!report["election"][field].is_null(), "election.{field} is missing");
    }
    assert_eq!(report["verdict"], "ok");
    assert_eq!(report["ended"], "quiescence");
    assert_eq!(report["election"]["known_by"], 1000);

    let report = json("run raymond --nodes 15 --json");
    let mutex = &report["mutex"];
    for field in ["entries", "messages_per_entry", "throughput", "awaited_max"] {
        assert!(mutex[field].is_number(), "mutex.{field} is missing");
    }
    assert!(mutex["coordination_delay"]["mean"].is_number());
    assert!(mutex["coordination_delay"]["max"].is_number());
    for field in ["mean", "p50", "p99", "max"] {
        assert!(mutex["response_time"][field].is_number(), "response_time.{field} is missing");
    }
}

#[test]
fn the_same_seed_gives_the_same_digest_in_another_process() {
    let digest = |seed: u32| {
        json(&format!("run ricart-agrawala --nodes 7 --delay exp:5 --seed {seed} --json"))["digest"]
            .clone()
    };
    assert_eq!(digest(1), digest(1));
    assert_ne!(digest(1), digest(2));
}

#[test]
fn messages_cost_what_the_papers_say() {
    let per_entry = |arguments: &str| json(arguments)["mutex"]["messages_per_entry"].as_f64();
    assert_eq!(per_entry("run ricart-agrawala --nodes 50 --entries 3 --json"), Some(98.0));
    let elect = |order: &str| {
        let report = json(&format!("run chang-roberts --nodes 100 --ids {order} --json"));
        let election = &report["election"];
        assert_eq!(election["messages_to_announce"], 100);
        election["messages_to_elect"].as_u64()
    };
    assert_eq!(elect("ascending"), Some(199));
    assert_eq!(elect("descending"), Some(5050));
}

#[test]
fn a_comparison_puts_measurement_beside_formula() {
    // Sizes with and without a projective plane.
    for (load, nodes) in ["light", "heavy"].into_iter().flat_map(|l| [3, 7, 9, 13].map(|n| (l, n)))
    {
        let table = json(&format!("compare mutex --nodes {nodes} --load {load} --json"));
        assert_eq!(table["family"], "mutex");
        assert_eq!(table["nodes"], nodes);
        assert_eq!(table["load"], load);
        let rows = table["rows"].as_array().unwrap();
        assert!(rows.len() >= 2);
        let per_entry = |row: &Value| row["messages_per_entry"].as_f64().unwrap();
        assert!(rows.is_sorted_by_key(per_entry), "sorted by messages");
        for row in rows {
            assert_eq!(row["verdict"], "ok", "{row}");
            assert_ne!(row["agrees"], false, "{row}");
            for field in ["response_time", "awaited_max", "busiest_over_mean"] {
                assert!(row[field].is_number(), "{field}: {row}");
            }
        }
    }
    let csv = fine("compare mutex --nodes 5 --only raymond,ricart-agrawala --csv");
    assert_eq!(csv.lines().count(), 3);
    let columns = |line: &str| line.split(',').count();
    assert!(csv.lines().all(|line| columns(line) == columns(csv.lines().next().unwrap())));
    let markdown = fine("compare mutex --nodes 5 --only raymond --markdown");
    assert!(markdown.lines().all(|line| line.starts_with('|') && line.ends_with('|')));
    assert!(refused("compare mutex --only raimond").contains("did you mean 'raymond'?"));
    assert!(refused("compare mutex --only chang-roberts").contains("does not solve the problem"));
    assert!(refused("compare mutexes").contains("did you mean 'mutex'?"));
    let booking = fine("compare booking --nodes 5 --variants");
    assert!(booking.contains("reservation deny") && booking.contains("2(n-1) = 8"), "{booking}");
    assert!(refused("compare mutex --json --csv").contains("cannot be used with"));
}

/// The rows of a comparison, each of which must agree with its formula.
fn rows(arguments: &str) -> Vec<Value> {
    let table = json(&format!("compare mutex {arguments} --json"));
    let rows = table["rows"].as_array().unwrap().clone();
    for row in &rows {
        assert_eq!(row["verdict"], "ok", "{arguments}: {row}");
        assert_ne!(row["agrees"], false, "{arguments}: {row}");
    }
    rows
}

#[test]
fn every_variant_has_a_formula() {
    for (load, nodes) in [("light", 7), ("light", 10), ("heavy", 2), ("heavy", 3), ("heavy", 4)]
        .into_iter()
        .chain([7, 10, 13, 16, 23].map(|nodes| ("heavy", nodes)))
    {
        let rows = rows(&format!("--nodes {nodes} --load {load} --variants"));
        for row in &rows {
            // Only a token that nobody wants is without bound.
            let is_free = row["algorithm"] == "perpetuum" && load == "light";
            assert_eq!(row["expected"].is_null(), is_free, "{load}, {nodes}: {row}");
        }
        let variants = |name: &str| {
            let of_it = rows.iter().filter(|row| row["algorithm"] == name);
            let mut found: Vec<_> = of_it.map(|row| row["variant"].as_str().unwrap()).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(variants("raymond"), ["combined", "greedy", "plain"]);
        assert_eq!(variants("lamport"), ["eager", "lazy"]);
        assert_eq!(variants("token-graph"), ["acknowledged", "all", "everyone", "one"]);
        let has_plane = [3, 7, 13].contains(&nodes);
        assert_eq!(variants("maekawa"), if has_plane { &["auto", "grid"][..] } else { &["auto"] });
        let central = rows.iter().find(|row| row["algorithm"] == "central").unwrap();
        assert!(central["variant"].is_null());
    }
    let table = fine("compare mutex --nodes 5 --load heavy --only raymond --variants");
    assert!(table.contains("\nraymond ") && table.contains("\nraymond greedy "), "{table}");
    assert_eq!(rows("--nodes 5 --only raymond").len(), 1, "the first variant, if nobody asks");
}

#[test]
fn formulas_hold_on_irregular_runs_too() {
    for nodes in [1, 2, 7] {
        for how in [
            "--load heavy --delay exp:5",
            "--load heavy --delay uniform:1..10",
            "--load heavy --cs 0",
            "--load heavy --cs 1",
            "--load poisson:0.5",
            "--load poisson:3 --delay exp:5 --cs 1",
        ] {
            rows(&format!("--nodes {nodes} {how} --entries 20 --variants"));
        }
    }
}

#[test]
fn a_comparison_without_entries_ends_at_once() {
    for load in ["light", "heavy", "poisson:1"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_konklave"))
            .args(["compare", "mutex", "--entries", "0", "--load", load, "--csv"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let status = (0..300).find_map(|_| {
            std::thread::sleep(Duration::from_millis(100));
            child.try_wait().unwrap()
        });
        if status.is_none() {
            child.kill().unwrap();
        }
        assert_eq!(status.and_then(|status| status.code()), Some(0), "{load}: it hangs");
        let rows = rows(&format!("--entries 0 --load {load}"));
        assert!(rows.iter().all(|row| row["messages_per_entry"].is_null()), "{load}");
    }
}

#[test]
fn a_trace_replays_and_a_damaged_one_is_refused() {
    let path = file("trace.jsonl", "");
    let name = path.display();
    fine(&format!(
        "run raymond --nodes 5 --topology tree:2 --delay uniform:1..9 --states --trace {name}"
    ));
    let shown = fine(&format!("replay {name}"));
    assert!(shown.contains("exactly as recorded") && shown.contains("! Granted"), "{shown}");
    assert_eq!(json(&format!("replay {name} --json"))["verdict"], "ok");

    let trace = fs::read_to_string(&path).unwrap();
    let damaged = |content: &str| {
        let path = file("damaged.jsonl", content);
        refused(&format!("replay --quiet {}", path.display()))
    };
    assert!(damaged(&trace[..trace.len() / 2]).contains("cut off"));
    let last = trace.trim_end().rfind('\n').unwrap();
    assert!(damaged(&trace[..=last]).contains("its end is missing"));
    let version = trace.replace("\"konklave_trace\":1", "\"konklave_trace\":99");
    assert!(damaged(&version).contains("version 99"));
    assert!(damaged("").contains("empty"));
    assert!(damaged("hello\n").contains("not a trace"));
    assert!(damaged("{}\n").contains("not a trace"));
    let other = trace.replacen("\"msg\":\"Request\"", "\"msg\":\"Token\"", 1);
    assert!(damaged(&other).contains("was recorded"), "{}", damaged(&other));
    let unknown = trace.replace("\"algorithm\":\"raymond\"", "\"algorithm\":\"raimond\"");
    assert!(damaged(&unknown).contains("did you mean 'raymond'?"));
    let nodes = trace.replace("\"nodes\":5", "\"nodes\":3");
    assert!(damaged(&nodes).contains("no node"));
    assert!(refused("replay /nonexistent").contains("cannot read the trace"));
}

#[test]
fn traces_with_every_fault_replay() {
    let path = file("faults.jsonl", "");
    let name = path.display();
    let output = konklave(&format!(
        "run chang-roberts --nodes 8 --delay uniform:1..9 --loss 0.05 --duplicate 0.1 \
         --crash 2@5..9 --crash 3@30 --pause 1@2..20 --partition hold:0-3/4-7@4..12 \
         --corrupt state:5@8 --corrupt channel:6-7@8 --event-limit 500 --trace {name}"
    ));
    let first = output.status.code();
    assert!(matches!(first, Some(0 | 1 | 3)), "{}", text(&output.stderr));
    let again = konklave(&format!("replay --quiet {name}"));
    assert_eq!(again.status.code(), first, "{}", text(&again.stderr));
}

#[test]
fn a_broken_promise_is_exit_code_1_and_a_bound_is_3() {
    let output = konklave("run ricart-agrawala --nodes 4 --crash 2@3");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("no starvation"), "{}", text(&output.stdout));
    for limit in ["--time-limit 4", "--event-limit 20"] {
        let output = konklave(&format!("run ricart-agrawala --nodes 4 {limit}"));
        assert_eq!(output.status.code(), Some(3));
        assert!(text(&output.stdout).contains("ok so far"));
    }
}

#[test]
fn one_node_works_for_every_algorithm() {
    let algorithms = json("list --json")["algorithms"].as_array().unwrap().clone();
    assert!(algorithms.len() >= 3);
    for algorithm in algorithms {
        let name = algorithm["name"].as_str().unwrap();
        assert_eq!(json(&format!("run {name} --nodes 1 --json"))["verdict"], "ok", "{name}");
        assert!(fine(&format!("explain {name}")).contains("Promises"));
        assert!(fine(&format!("explain {name} --source")).contains("//! # Idea"));
        assert_eq!(json(&format!("explain {name} --json"))["name"], name);
    }
}

#[test]
fn bad_input_is_explained() {
    for (arguments, hint) in [
        ("run raymond --nodes 0", "at least one node"),
        ("run raymond --nodes ten", "write a number"),
        ("run raymond --nodes 4000000000", "at most"),
        ("run raymond --topology ring", "raymond needs a tree"),
        ("run ricart-agrawala --topology line", "needs a complete network"),
        ("run chang-roberts --topology star", "chang-roberts needs a ring"),
        ("run franklin --topology directed-ring", "franklin needs a two-way ring"),
        ("run raymond --topology hypercube --nodes 12", "power of two"),
        ("run raymond --topology rign", "did you mean 'ring'?"),
        ("run raymond --topology blob", "there is no topology 'blob'"),
        ("run raymond --topology gnp:1.5", "1.5"),
        ("run raimond", "did you mean 'raymond'?"),
        ("explain raimond", "did you mean 'raymond'?"),
        ("list mutexes", "did you mean 'mutex'?"),
        ("run raymond --loss 1.5", "between 0 and 1"),
        ("run raymond --delay constant:0", "at least one tick"),
        ("run raymond --delay soon", "uniform:A..B"),
        ("run raymond --load medium", "poisson:RATE"),
        ("run raymond --crash 99@3", "nodes are numbered 0 to 9"),
        ("run raymond --crash 9", "NODE@FROM"),
        ("run raymond --pause 1@5", "never ends"),
        ("run raymond --ids random", "--ids is an option of the problem election"),
        ("run chang-roberts --load heavy", "--load is an option of the problem mutex"),
        ("run chang-roberts --ids sorted", "ascending"),
        ("run chang-roberts --initiators 11", "there are only 10"),
        ("run chang-roberts --wake never", "all, suppress, relay"),
        ("run ricart-agrawala --wake all", "has no --wake"),
        ("run raymond --fifo --reorder 0.1", "cannot be used with"),
        ("run raymond --tick 2", "never act by themselves: leave --tick out"),
        ("compare mutex --tick 2", "never act by themselves"),
        ("sweep raymond --stable 2", "never act by themselves: leave --stable out"),
        ("fuzz raymond --tick 2 --schedules 1", "never act by themselves"),
        ("run raymond --tick 0", "above zero"),
        ("run raymond --trace /nonexistent/t", "cannot write the trace"),
        ("run raymond --save-graph /nonexistent/g", "cannot write the graph"),
        ("run chang-roberts --ids file:/nonexistent", "cannot read the ids"),
        ("run raymond --topology file:/nonexistent", "cannot read the graph"),
        ("run raymond --no-such-option", "unexpected argument"),
        ("runn raymond", "unrecognized subcommand"),
    ] {
        let error = refused(arguments);
        assert!(error.contains(hint), "{arguments}: {error}");
    }
}

#[test]
fn a_wave_of_one_initiator_starts_at_one_and_refuses_more() {
    let report = json("run echo --topology complete --nodes 9 --json");
    assert_eq!(report["election"]["initiators"], 1);
    assert_eq!(report["election"]["messages_to_elect"], 9 * 8);
    let error = refused("run echo --nodes 9 --initiators all");
    for hint in ["one initiator", "9 are given", "--initiators one", "echo-extinction"] {
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn files_with_ids_and_graphs_are_read_and_checked() {
    let ids = file("ids.txt", "27 4 42 # three\n15 63 9\n");
    let report = json(&format!("run chang-roberts --nodes 6 --ids file:{} --json", ids.display()));
    assert_eq!(report["election"]["leader"], 63);
    let repeated = file("repeated.txt", "1 2 1");
    let error = refused(&format!("run chang-roberts --nodes 3 --ids file:{}", repeated.display()));
    assert!(error.contains("nodes 0 and 2 both have id 1"), "{error}");
    let error = refused(&format!("run chang-roberts --nodes 4 --ids file:{}", repeated.display()));
    assert!(error.contains("3 ids for 4 nodes"), "{error}");
    let word = file("word.txt", "1 2\nx");
    let error = refused(&format!("run chang-roberts --nodes 3 --ids file:{}", word.display()));
    assert!(error.contains("line 2: 'x'"), "{error}");

    let dot = file("saved.dot", "");
    let saved = dot.display();
    fine(&format!("run raymond --nodes 9 --topology random-tree --save-graph {saved}"));
    let report = json(&format!("run raymond --topology file:{saved} --json"));
    assert_eq!(report["nodes"], 9);
    let error = refused(&format!("run raymond --nodes 8 --topology file:{saved}"));
    assert!(error.contains("has 9 nodes, not 8"), "{error}");
    let torn = file("torn.txt", "0 1\n2 3\n");
    let error = refused(&format!("run raymond --topology file:{}", torn.display()));
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn there_is_help_with_examples_and_completions() {
    for verb in ["check", "fuzz", "shrink"] {
        let help = fine(&format!("{verb} --help"));
        let codes = help.split_once("Exit codes:").expect("they are listed").1;
        let words: Vec<_> = codes.split_whitespace().collect();
        for code in ["0", "1", "2", "3"] {
            assert!(words.iter().any(|word| word.trim_matches(',') == code), "{verb}: {codes}");
        }
    }
    for verb in ["run", "explain", "replay"] {
        assert!(fine(&format!("{verb} --help")).contains("Example"), "{verb}");
    }
    assert!(fine("--help").contains("Exit codes"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(fine(&format!("completions {shell}")).contains("konklave"));
    }
}
