//! `konklave ring` as a user meets it.

mod user;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::Value;

use user::{file, fine, konklave, refused, text};

fn events(arguments: &str) -> Vec<Value> {
    let lines = fine(&format!("{arguments} --events json"));
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn called<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["event"] == name)
}

const QUICK: &str = "-n 3 --sleep 0 --worker-sleep 0";

#[test]
fn the_ring_votes_and_sums_up() {
    let shown = fine("ring 8 -n 3 --sleep 20 --worker-sleep 2 --log --log-level 1");
    for part in [
        "configuration: size 8, number-of-elections 3",
        "a ring of 8 workers",
        "election 3 begins",
        "proposes itself",
        "joins the election",
        "steps down",
        "is elected",
        "the ring has stopped",
        "3 times",
        "2n+d",
        "kept",
    ] {
        assert!(shown.contains(part), "'{part}' is missing: {shown}");
    }
    // No event is shown twice on the console.
    for once in ["election 1 begins", "election 1 finished", "the ring has stopped"] {
        assert_eq!(shown.matches(once).count(), 1, "{once}");
    }
    assert_eq!(shown.matches("is elected").count(), 3);
    let quiet = fine(&format!("ring 8 {QUICK}"));
    assert!(quiet.contains("is elected") && !quiet.contains("forwards"), "{quiet}");
    let critical = fine(&format!("ring 8 {QUICK} --log-level CRITICAL"));
    assert!(critical.contains("is elected"), "main events are shown in any case");
    assert!(fine(&format!("ring 1 {QUICK}")).contains("6, 2 per election"));
}

#[test]
fn events_are_one_object_per_line() {
    for algorithm in ["chang-roberts", "chang-roberts-numbered"] {
        let command = format!("ring 6 {QUICK} --seed 7 --algorithm {algorithm}");
        let events = events(&command);
        assert_eq!(events[0]["seed"], 7);
        let numbers: Vec<_> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
        assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
        for event in called(&events, "forwarded") {
            for field in ["t", "seq", "worker", "id", "candidate", "to"] {
                assert!(event[field].is_u64(), "{field} is missing: {event}");
            }
            assert_eq!(event["round"].is_u64(), algorithm == "chang-roberts-numbered");
        }
        let ids = called(&events, "ring_started").next().unwrap()["ids"].as_array().unwrap();
        let largest = ids.iter().map(|id| id.as_u64().unwrap()).max().unwrap();
        let summaries: Vec<_> = called(&events, "election_summary").collect();
        assert_eq!(summaries.len(), 3);
        for summary in summaries {
            assert_eq!(summary["leader"], largest);
            assert_eq!(summary["messages"], summary["expected"], "2n + d: {summary}");
            assert_eq!(summary["announcements"], 6);
            assert_eq!(summary["suspicions"], 0);
        }
        let known = called(&events, "leader_known").count();
        assert_eq!(known, 18, "everyone learns it, three times");
        let story = |events: &[Value]| -> Vec<Value> {
            ["ring_started", "election_started"]
                .into_iter()
                .flat_map(|name| called(events, name))
                .map(|event| serde_json::json!([event["ids"], event["initiators"]]))
                .collect()
        };
        assert_eq!(story(&events), story(&self::events(&command)), "the seed decides");
        assert_ne!(story(&events), story(&self::events(&command.replace("seed 7", "seed 8"))));
    }
}

#[test]
fn workers_die_and_come_back() {
    let command = "ring 5 -n 4 --sleep 0 --worker-sleep 0 --initiator 0 --seed 2 --ack-timeout 400";
    let events = events(&format!("{command} --kill 1@2 --kill 3@2 --revive 1@3 --revive 3@4"));
    assert_eq!(called(&events, "killed").count(), 2);
    assert_eq!(called(&events, "revived").count(), 2);
    let summaries: Vec<_> = called(&events, "election_summary").collect();
    assert_eq!(summaries.len(), 4);
    assert!(summaries.iter().all(|summary| summary["ended"] == "finished"));
    assert!(called(&events, "suspected").any(|event| event["neighbour"] == 1));
    assert_eq!(summaries[0]["leader"], summaries[3]["leader"]);
    assert!(called(&events, "violated").next().is_none());
}

#[test]
fn an_election_that_takes_too_long_is_exit_code_3() {
    let output = konklave("ring 9 -n 1 --worker-sleep 200 --election-timeout 50");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("abandoned"), "{}", text(&output.stdout));
}

#[test]
fn the_file_is_read_and_the_command_line_overrides_it() {
    let path = file(
        "good.toml",
        "seed = 4\n[ring]\nsize = 4\nnumber_of_elections = 2\nsleeptime = 0\n\
         [ring.worker]\nsleeptime = 1\n[log]\nlevel = \"error\"\n",
    );
    let path = path.display();
    let from_file = events(&format!("ring -c {path}"));
    assert_eq!(called(&from_file, "ring_started").next().unwrap()["size"], 4);
    assert_eq!(called(&from_file, "election_summary").count(), 2);
    let overridden = events(&format!("ring 3 --config {path} -n 1"));
    assert_eq!(overridden[0]["seed"], 4);
    assert_eq!(called(&overridden, "ring_started").next().unwrap()["size"], 3);
    assert_eq!(called(&overridden, "election_summary").count(), 1);
}

#[test]
fn log_files_have_times_levels_and_a_separator() {
    let path = file("votes.log", "before\n");
    let command = format!("ring 3 {QUICK} --log-file {}", path.display());
    let shown = fine(&format!("{command} --log-level debug"));
    assert!(!shown.contains("joins the election"), "the log goes to the file: {shown}");
    let log = fs::read_to_string(&path).unwrap();
    let mut lines = log.lines();
    assert_eq!(lines.next(), Some("before"), "it is appended to");
    assert!(lines.next().unwrap().starts_with("======== 2"), "{log}");
    assert!(log.contains("[DEBUG] configuration: size 3"), "{log}");
    for line in lines {
        // [HH:MM:SS.mmm] [LEVEL] text
        let (time, rest) = line[1..].split_once("] [").unwrap();
        assert_eq!((time.len(), &time[2..3], &time[8..9]), (12, ":", "."), "{line}");
        assert!(rest.starts_with("DEBUG] ") || rest.starts_with("INFO] "), "{line}");
    }
    fine(&format!("{command} --log-date --log-level 1 --no-config-log"));
    let both = fs::read_to_string(&path).unwrap();
    let second = &both[log.len()..];
    assert!(both.starts_with(&log) && !second.contains("configuration"), "{second}");
    let line = second.lines().nth(1).unwrap();
    assert_eq!((&line[5..6], &line[8..9], &line[11..12]), ("-", "-", " "), "{line}");
    let output = konklave(&format!("ring 3 {QUICK} --log-date"));
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("no effect"));
}

#[test]
fn bad_input_is_explained() {
    for (arguments, hint) in [
        ("ring", "the size of the ring is missing"),
        ("ring 0", "1 to 10000 workers"),
        ("ring -3", "1 to 10000 workers"),
        ("ring eight", "1 to 10000 workers"),
        ("ring 10001", "1 to 10000 workers"),
        ("ring 99999999999999999999", "1 to 10000 workers"),
        ("ring 8 9", "unexpected argument"),
        ("ring 8 --no-such-option", "unexpected argument"),
        ("ring 8 --sleep", "a value is required"),
        ("ring 8 --sleep 1 --sleep 2", "cannot be used multiple times"),
        ("ring 8 -n -1", "whole number from 0"),
        ("ring 8 -n many", "whole number from 0"),
        ("ring 8 --sleep -1", "milliseconds, from 0"),
        ("ring 8 --worker-sleep soon", "milliseconds, from 0"),
        ("ring 8 --worker-sleep 99999999999", "milliseconds, from 0"),
        ("ring 8 --ack-timeout 0", "milliseconds, from 1"),
        ("ring 8 --log-level 6", "write 0 to 5"),
        ("ring 8 --log-level loud", "write 0 to 5"),
        ("ring 8 --log-file /nonexistent/votes.log", "cannot write the log /nonexistent/votes.log"),
        ("ring 8 --config /nonexistent.toml", "cannot read the config /nonexistent.toml"),
        ("ring 8 --config /", "cannot read the config /"),
        ("ring 8 --algorithm bully", "chang-roberts-numbered"),
        ("ring 8 --initiator 8", "positions are 0 to 7"),
        ("ring 8 --initiator nobody", "random, all or the position"),
        ("ring 8 --kill 9@1", "positions are 0 to 7"),
        ("ring 8 --kill 3", "POS@ELECTION"),
        ("ring 8 --kill 3@0", "POS@ELECTION"),
        ("ring 8 -n 2 --kill 3@3", "--number-of-elections is smaller"),
        ("ring 8 --kill 3@1 --kill 3@2", "already dead in that election"),
        ("ring 8 --revive 3@1", "is not dead in that election"),
        ("ring 2 --kill 0@1 --kill 1@2", "no worker would be left"),
        ("ring 8 --algorithm chang-roberts --kill 1@1", "need --algorithm chang-roberts-numbered"),
        ("ring 8 --events xml", "the only format is json"),
    ] {
        let error = refused(arguments);
        assert!(error.contains(hint), "{arguments}: {error}");
    }
    for (content, hint) in [
        ("[ring]\nnumber_of_elections = 3\n", "the size of the ring is missing"),
        ("[ring\nsize = 8\n", "line 1, column 6: this is not TOML"),
        ("[ring]\nsize = 8\nsleptime = 3\n", "line 3, column 1: there is no key 'ring.sleptime'"),
        ("size = \"eight\"\n", "line 1, column 8: 'size' must be a whole number"),
        ("\nsize = 0\n", "line 2, column 8: 'size' cannot be 0"),
        ("size = 8\nhelp = true\n", "line 2, column 1: there is no key 'help'"),
    ] {
        let path = file("bad.toml", content);
        let error = refused(&format!("ring -c {}", path.display()));
        assert!(
            error.contains(hint) && error.contains("bad.toml") != hint.contains("missing"),
            "{content}: {error}"
        );
    }
}

#[test]
fn there_is_help_with_examples() {
    let help = fine("ring --help");
    assert!(help.contains("Examples:") && help.contains("konklave ring 8 -n 3"), "{help}");
    for anything in ["0", "8 --kill 1@1", "8 9 --no-such-option", "--log-level 6"] {
        assert_eq!(fine(&format!("ring {anything} --help")), help, "{anything}");
    }
}

/// Ctrl-C: no new election, everything stops, the summary is printed, exit code 130.
#[cfg(unix)]
#[test]
fn an_interrupt_stops_the_ring_cleanly() {
    for signal in ["INT", "TERM"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_konklave"))
            .args(["ring", "5", "--sleep", "60000", "--worker-sleep", "1"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("election 1 finished") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "it ended too early");
        }
        let killed =
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
        assert!(rest.contains("suspicions  0") && rest.contains("kept"), "{rest}");
    }
}
