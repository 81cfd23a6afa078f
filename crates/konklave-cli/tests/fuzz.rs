//! Random schedules: nothing breaks that should not, and what breaks can be repeated and shortened.
//!
//! `SCHEDULES=100000 cargo test --release --test fuzz nothing` goes through more of them.

mod user;

use std::fs;
use std::sync::LazyLock;
use std::time::Duration;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::needs::{Needs, Network};
use konklave_cli::args::{RunArgs, Verb};
use konklave_cli::fuzz::FuzzArgs;
use konklave_cli::fuzz::command::words;
use konklave_cli::fuzz::draw::Space;
use konklave_cli::fuzz::swarm::{Budget, Tally, swarm};
use konklave_cli::shard::Shard;
use serde_json::Value;
use user::{file, fine, json, konklave, refused, text};

static CATALOG: LazyLock<&Catalog> = LazyLock::new(|| konklave_cli::catalog().leak());

/// The options of `fuzz`, as a user writes them.
fn options(line: &str) -> Box<FuzzArgs> {
    let words = ["konklave", "fuzz"].into_iter().chain(line.split_whitespace());
    match konklave_cli::parse_from(words, &CATALOG).unwrap().verb {
        Verb::Fuzz(args) => args,
        other => panic!("{other:?}"),
    }
}

fn run(space: &Space, schedules: u64, threads: usize, stops_at_failure: bool) -> Tally {
    let time = Duration::MAX;
    let budget =
        Budget { seed: 1, shard: Shard::WHOLE, schedules, time, threads, stops_at_failure };
    swarm(space, budget, &mut |_, _| true).unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn nothing_breaks_within_the_assumptions() {
    let schedules = std::env::var("SCHEDULES");
    let schedules = schedules.map_or(300, |it| it.parse().expect("SCHEDULES is a number"));
    let mut complaints = Vec::new();
    for entry in CATALOG.entries() {
        let space = Space::new(&options(&entry.name), entry).unwrap();
        let tally = run(&space, schedules, 2, true);
        for failures in tally.failures.values() {
            let command = words(&space.draw(failures.seed).unwrap().args).join(" ");
            complaints.push(format!("{}\n  {command}", failures.broken));
        }
        let coverage = tally.coverage.0;
        assert!(coverage > 10, "{}: only {coverage} states of the monitor", entry.name);
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_command_says_what_was_drawn() {
    for entry in CATALOG.entries() {
        let space = Space::new(&options(&format!("{} --beyond", entry.name)), entry).unwrap();
        for seed in 0..100 {
            let drawn = space.draw(seed).unwrap_or_else(|it| panic!("{}: {it}", entry.name));
            let words = words(&drawn.args);
            let read = konklave_cli::parse_from(&words, &CATALOG).unwrap().verb;
            let Verb::Run(read) = read else { panic!("{words:?}") };
            assert_eq!(format!("{read:?}"), format!("{:?}", drawn.args), "{words:?}");
        }
    }
}

/// What an algorithm is said to survive is drawn for it: duplicates, crashes with returns and
/// quorums of any form.
#[test]
fn what_an_algorithm_claims_to_survive_is_drawn() {
    for entry in CATALOG.entries() {
        let space = Space::new(&options(&entry.name), entry).unwrap();
        let drawn: Vec<_> = (0..200).map(|seed| space.draw(seed).unwrap().args).collect();
        let draws = |what: &dyn Fn(&RunArgs) -> bool| drawn.iter().any(what);
        let name = &entry.name;

        // Reliable links hide duplicates from any algorithm.
        let duplicates = |args: &RunArgs| args.faults.duplicate.is_some() && !args.reliable;
        assert_eq!(draws(&duplicates), entry.needs.duplicates, "{name}");

        let returns = |args: &RunArgs| args.faults.crash.iter().any(|it| it.to.is_some());
        assert_eq!(draws(&returns), entry.needs.notices, "{name}");
        let again = |args: &RunArgs| {
            let nodes = || args.faults.crash.iter().map(|it| it.node);
            nodes().any(|node| nodes().filter(|other| *other == node).count() > 1)
        };
        assert_eq!(draws(&again), entry.needs.notices, "{name}");

        let takes_sets = entry.choices.iter().find(|it| it.values.contains(&"list:SETS"));
        if let Some(choice) = takes_sets {
            let is_list = |args: &RunArgs| {
                args.options.get(choice.name).is_some_and(|value| value.starts_with("list:"))
            };
            assert!(draws(&is_list), "{name}");
        }
    }
}

/// Lamport's algorithm, said to need no order of messages.
fn seeded() -> Space {
    let right = CATALOG.find("lamport").unwrap();
    let needs = Needs::network(Network::Complete);
    let entry = Box::leak(Box::new(Entry { name: right.name.clone(), needs, ..*right }));
    Space::new(&options("lamport"), entry).unwrap()
}

#[test]
fn a_false_claim_is_found_whatever_the_number_of_threads() {
    let space = seeded();
    let found = |threads, stops| {
        let tally = run(&space, 2000, threads, stops);
        let failures = tally.failures.into_iter();
        failures.map(|(key, it)| (key, it.seed, it.count, it.broken)).collect::<Vec<_>>()
    };
    let first = found(1, true);
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!(found(3, true)[0].1, first[0].1);
    let all = found(1, false);
    assert!(all.iter().any(|((_, promise), ..)| promise == "mutual exclusion"), "{all:?}");
    assert_eq!(found(3, false), all);
}

#[test]
fn what_breaks_beyond_the_assumptions_can_be_repeated_and_replayed() {
    let trace = file("fuzz.jsonl", "");
    let arguments =
        format!("fuzz lamport --beyond --schedules 400 --json --trace {}", trace.display());
    let report = json(&arguments);
    assert_eq!(report["verdict"], "ok");
    assert_eq!(report["schedules"], 400);
    for field in ["schedules_per_second", "deliveries", "deliveries_per_second", "coverage"] {
        assert!(report[field].as_f64().unwrap() > 0.0, "{field}");
    }
    let failures = report["failures"].as_array().unwrap();
    let faults: Vec<_> = failures.iter().map(|failure| failure["fault"].as_str()).collect();
    assert!(faults.contains(&Some("overtaking")) && faults.contains(&Some("loss")), "{faults:?}");
    for failure in failures {
        let command = failure["command"].as_str().unwrap();
        let arguments = command.strip_prefix("konklave ").unwrap();
        let output = konklave(&format!("{arguments} --json"));
        assert_eq!(output.status.code(), Some(1), "{command}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["violations"][0]["promise"], failure["promise"], "{command}");
        assert_eq!(report["violations"][0]["detail"], failure["detail"], "{command}");
        // The shortened schedule, from the report itself.
        let lines = failure["trace"].as_array().unwrap().iter().map(Value::to_string);
        let path = file("failure.jsonl", &lines.collect::<Vec<_>>().join("\n"));
        let output = konklave(&format!("replay {} --json", path.display()));
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let replayed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(replayed["violations"][0]["promise"], failure["promise"]);
        assert_eq!(replayed["steps"], failure["steps"]);
    }
    assert_eq!(konklave(&format!("replay -q {}", trace.display())).status.code(), Some(1));
}

#[test]
fn a_pass_says_how_much_was_tried() {
    let report = fine("fuzz ricart-agrawala --schedules 200 --nodes 3");
    assert!(report.contains("no promise was broken"), "{report}");
    assert!(report.contains("200 in "), "{report}");
}

/// What takes longer than it may is no broken promise, and no pass either.
#[test]
fn what_does_not_end_in_time_is_inconclusive() {
    let inconclusive = |arguments: &str| {
        let output = konklave(arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let arguments = "fuzz lamport --event-limit 5 --schedules 10";
    let report: Value =
        serde_json::from_str(&inconclusive(&format!("{arguments} --json"))).unwrap();
    assert_eq!(report["verdict"], "inconclusive");
    assert_eq!(report["failures"], Value::Array(Vec::new()));
    let unfinished = &report["unfinished"][0];
    assert_eq!((&unfinished["count"], &unfinished["fault"]), (&10.into(), &"none".into()));
    // The first of them, by the command that is told: it does not end in time there, either.
    let command = unfinished["command"].as_str().unwrap().strip_prefix("konklave ").unwrap();
    assert!(inconclusive(command).contains("stopped by the event limit"), "{command}");
    let shown = inconclusive(arguments);
    assert!(shown.contains("10 of 10 schedules") && !shown.contains("violated"), "{shown}");
}

/// A hundred nodes that enter four times each need more than 50 000 steps, and get them.
#[test]
fn the_limit_of_steps_grows_with_the_system() {
    let report = json("fuzz lamport --nodes 100 --schedules 3 --json");
    assert_eq!((&report["verdict"], &report["unfinished"]), (&"ok".into(), &Value::Array(vec![])));
    assert!(report["deliveries"].as_u64() > Some(100_000), "{report}");
    let space = Space::new(&options("lamport"), CATALOG.find("lamport").unwrap()).unwrap();
    assert_eq!(space.draw(1).unwrap().args.event_limit, Some(50_000), "what a small one has");
}

/// A network from a file has the size it has.
#[test]
fn sizes_are_those_of_the_networks() {
    let line = |count: u32| (1..count).map(|it| format!("{} {it}\n", it - 1)).collect::<String>();
    for count in [2, 12] {
        let graph = file(&format!("line-{count}.txt"), &line(count));
        let shown =
            fine(&format!("fuzz raymond --schedules 5 --topology file:{}", graph.display()));
        assert!(shown.starts_with(&format!("raymond with {count} nodes, ")), "{shown}");
    }
    let shown = fine("fuzz raymond --schedules 5 --nodes 1");
    assert!(shown.starts_with("raymond with 1 node, "), "{shown}");
    assert!(fine("fuzz raymond --schedules 5").starts_with("raymond with 2 to 8 nodes, "));
}

#[test]
fn bad_input_is_explained() {
    assert!(refused("fuzz lamport --seconds 0").contains("above zero"));
    assert!(refused("fuzz lamport --schedules 0").contains("0"));
    assert!(refused("fuzz lamprot").contains("did you mean 'lamport'"));
    assert!(refused("fuzz lamport --nodes 0..3").contains("at least one node"));
    assert!(refused("fuzz lamport --nodes 5..3").contains("the range is empty"));
    assert!(refused("fuzz lamport --nodes many").contains("such as 2..8"));
    assert!(refused("fuzz raymond --topology ring --nodes 3..8").contains("needs a tree"));
    assert!(refused("fuzz lamport --topology dream").contains("there is no topology"));
}

/// A trace in which five nodes wait for ever, because messages are lost.
fn broken_trace(name: &str) -> std::path::PathBuf {
    let path = file(name, "");
    let run = "run lamport --nodes 5 --entries 3 --loss 0.1 --delay uniform:1..10";
    let output = konklave(&format!("{run} --trace {}", path.display()));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    path
}

#[test]
fn a_trace_becomes_shorter() {
    let path = broken_trace("long.jsonl");
    let shown = path.display();
    let report = json(&format!("shrink {shown} --json"));
    assert_eq!(report["promise"], "no starvation");
    assert_eq!(report["minimal"], true);
    assert_eq!(report["searched"][0]["result"], "exhausted", "one node waits for nobody");
    assert_eq!(report["searched"][1]["result"], "shortest");
    let (before, after) = (&report["before"], &report["after"]);
    assert_eq!(before["nodes"], 5);
    assert_eq!(after["nodes"], 2);
    assert!(after["faults"].as_u64() == Some(1) && before["faults"].as_u64() > Some(1));
    for count in ["commands", "messages", "deliveries", "steps"] {
        assert!(after[count].as_u64() < before[count].as_u64(), "{count}: {report}");
    }
    let short = path.with_extension("shrunk.jsonl");
    assert_eq!(report["trace_file"].as_str(), short.to_str());
    let replayed = konklave(&format!("replay {}", short.display()));
    assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed.stderr));
    assert!(text(&replayed.stdout).contains("no starvation"));
    // Once more, for people, to a file of one's own.
    let again = path.with_extension("again.jsonl");
    let report = fine(&format!("shrink {} --out {}", short.display(), again.display()));
    assert!(report.contains("no starvation") && report.contains("before"), "{report}");
    let without_header = |path| {
        let text: String = fs::read_to_string(path).unwrap();
        text.split_once('\n').unwrap().1.to_owned()
    };
    assert_eq!(without_header(&again), without_header(&short));
}

/// A crash with a restart is searched, too: the duel of two nodes, one of which has forgotten that
/// it gave its permission, is found and proved minimal.
#[test]
fn a_crash_with_a_restart_becomes_minimal() {
    let run = "run ricart-agrawala --nodes 8 --topology complete --seed 5330 --delay per-link:1..5 \
               --cs 25 --entries 2 --load heavy --requesters 6 --think 3 --reorder 0.01 \
               --crash 1@92..170 --partition hold:0-4/5-7@2..30";
    let path = file("eight.jsonl", "");
    let output = konklave(&format!("{run} --trace {}", path.display()));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let report = json(&format!("shrink {} --json", path.display()));
    assert_eq!(report["promise"], "mutual exclusion");
    assert_eq!(report["before"]["nodes"], 8);
    // Three starts, one of them after the restart, two commands and the arrivals of four messages.
    assert_eq!(report["after"]["nodes"], 2);
    assert_eq!((&report["after"]["steps"], &report["after"]["messages"]), (&9.into(), &4.into()));
    assert_eq!(report["minimal"], true);
    let short = report["trace_file"].as_str().unwrap();
    assert_eq!(konklave(&format!("replay -q {short}")).status.code(), Some(1));
}

/// Where equal messages follow each other on a FIFO channel, it matters which of them is lost; and
/// a message to a node that does not exist is neither lost nor duplicated.
#[test]
fn traces_of_lost_and_misdirected_messages_replay_and_shrink() {
    let runs = [
        "bully --nodes 4 --seed 66520 --delay constant:3 --loss 0.28",
        "sanders --nodes 6 --seed 214615 --delay constant:1 --event-limit 3000 --loss 0.02 \
         --duplicate 0.22 --reorder 0.35 --beyond --crash 4@111..240 --pause 1@43..73 \
         --corrupt state:1@4",
    ];
    for (run, name) in runs.iter().zip(["bully.jsonl", "sanders.jsonl"]) {
        let path = file(name, "");
        let output = konklave(&format!("run {run} --trace {}", path.display()));
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        let replayed = konklave(&format!("replay -q {}", path.display()));
        assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed.stderr));
        let report = json(&format!("shrink {} --json", path.display()));
        assert!(report["after"]["steps"].as_u64() < report["before"]["steps"].as_u64(), "{report}");
    }
}

/// A node that is gone has no place in a table of quorums, and none is looked for.
#[test]
fn nodes_with_quorums_are_removed_or_not() {
    let run = "run cao-singhal --nodes 4 --seed 788796 --delay constant:1 --duplicate 0.15 \
               --crash 2@55..69 --pause 1@32..41 --corrupt state:0@14";
    let path = file("spoilt.jsonl", "");
    let output = konklave(&format!("{run} --trace {}", path.display()));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let report = json(&format!("shrink {} --json", path.display()));
    assert!(report["after"]["steps"].as_u64() < report["before"]["steps"].as_u64(), "{report}");
    assert_eq!((&report["minimal"], &report["searched"]), (&false.into(), &Value::Array(vec![])));
}

#[test]
fn traces_that_cannot_be_shortened_are_refused() {
    let good = file("good.jsonl", "");
    fine(&format!("run raymond --nodes 3 --trace {}", good.display()));
    assert!(refused(&format!("shrink {}", good.display())).contains("breaks no promise"));
    let broken = fs::read_to_string(broken_trace("whole.jsonl")).unwrap();
    let half = broken.lines().take(20).collect::<Vec<_>>().join("\n");
    let half = file("half.jsonl", &half);
    assert!(refused(&format!("shrink {}", half.display())).contains("cut off"));
    let other = broken.replacen("\"konklave_trace\":1", "\"konklave_trace\":99", 1);
    let other = file("other.jsonl", &other);
    assert!(refused(&format!("shrink {}", other.display())).contains("version 99"));
    assert!(refused("shrink nowhere.jsonl").contains("nowhere.jsonl"));
}
