use std::collections::{BTreeMap, BTreeSet};

use konklave::protocol::{Effect, Input};
use konklave::trace::{Fault, Line};
use konklave_report::account::{Account, Fate, Recorded, SpanKind, labels};
use konklave_report::export::{SHIVIZ, csv, perfetto, shiviz};
use regex::Regex;
use serde_json::Value;

use crate::runs::{self, account, hand_made};

fn all() -> Vec<Recorded> {
    let mut all = vec![runs::calm(), runs::vote()];
    all.extend((1..=20).map(runs::stormy));
    all
}

/// The whole log for ShiViz.
fn shiviz_log(account: &Account) -> String {
    let mut log = Vec::new();
    shiviz(account, &mut log, &mut |_| true).unwrap();
    String::from_utf8(log).unwrap()
}

#[test]
fn a_shiviz_log_ends_where_it_is_stopped() {
    let account = account(&runs::calm());
    let whole = shiviz_log(&account);
    let mut log = Vec::new();
    shiviz(&account, &mut log, &mut |done| done < 5).unwrap();
    let part = String::from_utf8(log).unwrap();
    assert!(whole.starts_with(&part) && part.len() < whole.len(), "{part}");
    assert!(part.lines().count() > 2, "something is written at once");
}

/// The nodes of all events in order, and the earlier events that each follows directly, read from
/// the lines themselves.
fn happened_before(lines: &[Line<konklave_stage::erased::Erased>]) -> (Vec<u32>, Vec<Vec<usize>>) {
    let (mut nodes, mut causes): (Vec<u32>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let mut senders = Vec::new();
    for line in lines {
        let (node, number) = match line {
            Line::Step(step) if matches!(step.input, Input::Start) && step.effects.is_empty() => {
                continue;
            }
            Line::Step(step) => (step.node, step.number),
            Line::Fault {
                what:
                    Fault::Crash(node)
                    | Fault::Restart(node)
                    | Fault::Pause(node)
                    | Fault::Resume(node)
                    | Fault::Garbage { node, .. }
                    | Fault::Damage { node, .. },
                ..
            } => (*node, None),
            _ => continue,
        };
        let mut direct: Vec<usize> = nodes.iter().rposition(|n| *n == node.0).into_iter().collect();
        direct.extend(number.map(|number| senders[number as usize]));
        if let Line::Step(step) = line {
            let sends = step.effects.iter().filter(|it| matches!(it, Effect::Send { .. }));
            senders.extend(sends.map(|_| nodes.len()));
        }
        nodes.push(node.0);
        causes.push(direct);
    }
    (nodes, causes)
}

fn past(event: usize, causes: &[Vec<usize>]) -> BTreeSet<usize> {
    let (mut past, mut left) = (BTreeSet::new(), vec![event]);
    while let Some(event) = left.pop() {
        if past.insert(event) {
            left.extend(&causes[event]);
        }
    }
    past
}

#[test]
fn shiviz_clocks_say_what_happened_before_what() {
    for recorded in all() {
        let text = shiviz_log(&account(&recorded));
        let (first, rest) = text.split_once('\n').unwrap();
        assert_eq!(first, SHIVIZ);
        let log = rest.strip_prefix('\n').expect("the second line is empty");
        let regex = Regex::new(first).unwrap();
        let (nodes, causes) = happened_before(&recorded.lines);
        let entries: Vec<_> = regex.captures_iter(log).collect();
        assert_eq!(entries.len(), nodes.len());
        let whole: usize = entries.iter().map(|entry| entry[0].len() + 1).sum();
        assert_eq!(whole, log.len(), "nothing lies between the entries");
        for (event, entry) in entries.iter().enumerate() {
            assert_eq!(entry["host"], format!("node{}", nodes[event]));
            assert!(!entry["event"].is_empty());
            let clock: BTreeMap<String, usize> = serde_json::from_str(&entry["clock"]).unwrap();
            let mut expected = BTreeMap::new();
            for other in past(event, &causes) {
                *expected.entry(format!("node{}", nodes[other])).or_insert(0) += 1;
            }
            assert_eq!(clock, expected, "event {event}");
        }
    }
}

/// Checks what the Trace Event Format asks of each event, and returns all of them.
fn valid(text: &str) -> Vec<Value> {
    let trace: Value = serde_json::from_str(text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap().clone();
    let mut last = 0.0;
    for event in &events {
        assert!(event["name"].is_string() && event["pid"].is_u64() && event["tid"].is_u64());
        let ts = event["ts"].as_f64().unwrap();
        let ph = event["ph"].as_str().unwrap();
        match ph {
            "M" => assert!(event["args"].is_object()),
            "X" => assert!(event["dur"].as_f64().unwrap() > 0.0, "{event}"),
            "i" => assert!(["g", "p", "t"].contains(&event["s"].as_str().unwrap())),
            "s" => assert!(event["id"].is_u64()),
            "f" => assert!(event["id"].is_u64() && event["bp"] == "e"),
            other => panic!("phase {other}"),
        }
        assert!(ph == "M" || event["cat"].is_string());
        assert!(ts >= last, "in order: {event}");
        last = ts;
    }
    events
}

/// The slices of each thread, which must be nested.
fn slices(events: &[Value]) -> BTreeMap<u64, Vec<(f64, f64)>> {
    let mut threads: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let (from, dur) = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
        let tid = event["tid"].as_u64().unwrap();
        threads.entry(tid).or_default().push((from, from + dur));
    }
    for slices in threads.values() {
        for (place, a) in slices.iter().enumerate() {
            for b in &slices[place + 1..] {
                let (apart, inside) = (a.1 <= b.0 + 1e-6, b.1 <= a.1 + 1e-6);
                assert!(apart || inside, "{a:?} and {b:?} overlap");
            }
        }
    }
    threads
}

#[test]
fn perfetto_traces_keep_the_trace_event_format() {
    for recorded in all() {
        let account = account(&recorded);
        let events = valid(&perfetto(&account, &labels(account.nodes, None)));
        let threads = slices(&events);
        let of = |ph: &str| -> BTreeMap<u64, &Value> {
            let flows = events.iter().filter(|event| event["ph"] == ph);
            flows.map(|event| (event["id"].as_u64().unwrap(), event)).collect()
        };
        let (starts, ends) = (of("s"), of("f"));
        assert!(starts.keys().eq(ends.keys()), "each start has its end");
        let reached = |fate| matches!(fate, Fate::Arrived(_) | Fate::Missed(_));
        let sent = account.messages.iter().filter(|it| it.sent.is_some() && reached(it.fate));
        assert_eq!(starts.len(), sent.count());
        for (id, start) in starts {
            let end = ends[&id];
            let ts = |event: &Value| event["ts"].as_f64().unwrap();
            assert!(ts(start) < ts(end));
            assert_eq!(start["name"], end["name"]);
            assert_eq!(start["cat"], end["cat"]);
            for event in [start, end] {
                let slices = &threads[&event["tid"].as_u64().unwrap()];
                let is_inside = slices.iter().any(|it| it.0 <= ts(event) && ts(event) < it.1);
                assert!(is_inside, "a flow is bound to a slice: {event}");
            }
        }
        let held = account.spans.iter().filter(|span| span.kind == SpanKind::Held).count();
        let name = account.vocabulary.held;
        let shown = events.iter().filter(|event| event["name"] == name).count();
        assert!(held > 0 || account.end.is_some_and(|end| end.broken.is_some()), "{name}");
        assert_eq!(held, shown, "{name}");
    }
}

#[test]
fn every_line_of_a_trace_and_every_effect_is_a_row_of_the_table() {
    for recorded in all() {
        let text = csv(&recorded.lines);
        let rows: Vec<_> = text.split_terminator("\r\n").collect();
        let effects = recorded.lines.iter().map(|line| match line {
            Line::Step(step) => step.effects.len(),
            _ => 0,
        });
        assert_eq!(rows.len(), 1 + recorded.lines.len() + effects.sum::<usize>());
        assert_eq!(rows[0], "line,time,node,what,peer,message,kind,text");
        let count = |what: &str| rows.iter().filter(|row| row.contains(what)).count();
        assert!(count(",send,") > 0);
        let is_number = |number: &str| number.parse::<u32>().is_ok();
        let mut sent = Vec::new();
        for row in &rows[1..] {
            let fields: Vec<_> = row.split(',').collect();
            let numbers = [0, 1, 2, 4, 5].iter().all(|place| is_number(fields[*place]));
            match fields[3] {
                "send" => {
                    assert!(numbers, "{row}");
                    assert_eq!(fields[5], sent.len().to_string(), "numbered from zero");
                    sent.push((fields[2], fields[4], fields[7]));
                }
                // One that nobody sent has no number.
                "receive" if !fields[5].is_empty() => {
                    let way = (fields[4], fields[2], fields[7]);
                    assert_eq!(sent[fields[5].parse::<usize>().unwrap()], way, "{row}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn stretches_that_overlap_have_threads_of_their_own() {
    let step = |at: u32, command: &str, effects: &str| {
        let input = format!(r#"{{"command":{command}}}"#);
        format!(r#"{{"step":{{"at":{at},"node":0,"input":{input},"effects":[{effects}]}}}}"#)
    };
    let granted = r#"{"emit":"Granted"}"#;
    let lines = [
        step(0, r#"{"Reserve":[1,3]}"#, granted),
        step(1, r#"{"Reserve":[4,5]}"#, granted),
        step(2, r#"{"Release":[1,3]}"#, ""),
        step(3, r#"{"Release":[4,5]}"#, ""),
    ];
    let account = account(&hand_made("reservation", 1, &lines));
    let events = valid(&perfetto(&account, &["court".to_owned()]));
    assert_eq!(slices(&events).len(), 2);
    assert!(events.iter().any(|event| event["name"] == "booked 4..5"), "{events:?}");
    let names: Vec<_> = events.iter().filter(|event| event["name"] == "thread_name").collect();
    assert!(names.iter().any(|event| event["args"]["name"] == "node court, more"), "{names:?}");
}

#[test]
fn a_broken_promise_leaves_the_head_of_a_shiviz_log_alone() {
    let lines = [
        r#"{"loop":{"at":0}}"#,
        r#"{"end":{"ended":"violation","time":0,"steps":0,"broken":{"promise":"p","detail":"d"}}}"#,
    ];
    let recorded = hand_made("raymond", 1, &lines);
    assert_eq!(shiviz_log(&account(&recorded)), format!("{SHIVIZ}\n\n"));
}
