//! Traces that were changed: refused with a sentence, whatever they say.

mod user;

use std::fs;
use std::path::Path;

use user::{file, fine, konklave, refused, text};

/// What a damaged trace speaks of and is not there is refused, and not built first.
#[test]
fn a_trace_with_nodes_that_are_not_there_is_refused() {
    let path = file("few.jsonl", "");
    fine(&format!("run raymond --nodes 3 --trace {}", path.display()));
    let trace = fs::read_to_string(path).unwrap();
    let verbs = ["replay", "shrink", "draw", "export --to csv", "export --to shiviz"];
    for (nodes, expected) in
        [("4000000000", "at most 100000000"), ("50000000", "too short"), ("0", "at least one")]
    {
        let many = trace.replacen(r#""nodes":3"#, &format!(r#""nodes":{nodes}"#), 1);
        let many = file("many.jsonl", &many);
        for verb in verbs {
            let error = refused(&format!("{verb} {}", many.display()));
            assert!(error.contains("line 1") && error.contains(expected), "{verb}: {error}");
        }
    }
    let other = r#"{"step":{"at":0,"node":7,"input":{"command":"Acquire"}"#;
    let stranger = trace.replacen(&other.replace('7', "1"), other, 1);
    let stranger = file("stranger.jsonl", &stranger);
    let error = refused(&format!("replay -q {}", stranger.display()));
    assert!(error.contains("there is no node 7 among 3 nodes"), "{error}");
}

/// A file with a network and the number of nodes beside it may not differ.
#[test]
fn a_trace_with_two_sizes_is_refused() {
    let graph = file("three.txt", "0 1\n1 2\n2 0\n");
    let path = file("three.jsonl", "");
    fine(&format!("run adoption --topology file:{} --trace {}", graph.display(), path.display()));
    let trace = fs::read_to_string(path).unwrap().replacen(r#""nodes":3"#, r#""nodes":2"#, 1);
    let path = file("two.jsonl", &trace);
    let error = refused(&format!("replay -q {}", path.display()));
    assert!(error.contains("2 nodes, but its network has 3"), "{error}");
}

/// What a changed line says is compared with what it must be.
#[test]
fn a_trace_that_was_changed_is_refused_where_it_was() {
    let path = file("whole.jsonl", "");
    fine(&format!("run ricart-agrawala --nodes 3 --entries 1 --states --trace {}", path.display()));
    let trace = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    let arrival = lines.iter().position(|line| line.contains(r#""number":0"#)).unwrap();
    let changed = |place: usize, from: &str, to: &str| {
        assert!(lines[place].contains(from), "{}", lines[place]);
        let mut lines: Vec<_> = lines.iter().map(|&line| line.to_owned()).collect();
        lines[place] = lines[place].replacen(from, to, 1);
        lines.join("\n")
    };
    let end = lines.len() - 1;
    let twice = [&lines[..=arrival], &lines[arrival..]].concat().join("\n");
    let more = format!("{trace}{}", lines[1]);
    let state = lines[1].split(r#""state":""#).nth(1).unwrap().split('"').next().unwrap();
    for (name, text, line, expected) in [
        ("state", changed(1, state, "Nonsense"), 2, "not 'Nonsense'"),
        ("content", changed(arrival, r#""time":1"#, r#""time":500"#), arrival + 1, "message 0 was"),
        ("number", changed(arrival, r#""number":0"#, r#""number":77"#), arrival + 1, "message 77"),
        ("nobody", changed(arrival, r#","number":0"#, ""), arrival + 1, "nobody has sent"),
        ("twice", twice, arrival + 2, "message 0 is not on its way"),
        ("early", changed(end - 1, r#""at":"#, r#""at":0,"was":"#), end, ""),
        ("backwards", changed(end, r#""time":"#, r#""time":1,"was":"#), end + 1, "happens at 1"),
        ("bogus", changed(end, "quiescence", "bogus"), end + 1, "unknown variant `bogus`"),
        ("violated", changed(end, "quiescence", "violation"), end + 1, "if a promise was broken"),
        ("more", more, end + 2, "there is more"),
    ] {
        let path = file("changed.jsonl", &text);
        let error = refused(&format!("replay -q {}", path.display()));
        let line = format!("line {line}:");
        assert!(error.contains(&line) && error.contains(expected), "{name}: {error}");
    }
}

/// Where any number of nodes and any time could be right, the checksum tells what was recorded.
#[test]
fn a_header_and_times_that_were_changed_are_refused() {
    let path = file("sealed.jsonl", "");
    for (run, verdict) in [
        ("run raymond --nodes 4 --topology star --entries 1 --requesters list:0,1", 0),
        ("run bully --nodes 4 --crash 3@50..300", 0),
        ("run suzuki-kasami --nodes 3 --loss 0.2", 1),
        ("check suzuki-kasami --nodes 2 --losses 1", 1),
    ] {
        let run = format!("{run} --trace {}", path.display());
        assert_eq!(konklave(&run).status.code(), Some(verdict), "{run}");
        let trace = fs::read_to_string(&path).unwrap();
        let replay = format!("replay -q {}", path.display());
        assert_eq!(konklave(&replay).status.code(), Some(verdict), "{run}");
        let lines: Vec<&str> = trace.lines().collect();
        let refused = |place: usize, line: &str| {
            let mut lines = lines.clone();
            lines[place] = line;
            fs::write(&path, lines.join("\n")).unwrap();
            refused(&replay)
        };
        let header = lines[0];
        for nodes in [2, 3, 4] {
            let given = format!("\"nodes\":{nodes}");
            if header.contains(&given) {
                for other in [nodes - 1, nodes + 1] {
                    let changed = header.replacen(&given, &format!("\"nodes\":{other}"), 1);
                    let error = refused(0, &changed);
                    assert!(error.contains("line"), "{run}, {other} nodes: {error}");
                }
            }
        }
        // Every step and the end, one tick later if that is not after the next line.
        let at = |line: &str| {
            let digits = line.split_once("\"at\":").or(line.split_once("\"time\":"))?.1;
            digits.split(|it: char| !it.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        let mut moved = 0;
        for (place, line) in lines.iter().enumerate().skip(1) {
            let Some(time) = at(line) else { continue };
            let next = lines.get(place + 1).and_then(|next| at(next));
            if next.is_none_or(|next| next > time) {
                let later = line.replacen(&format!(":{time},"), &format!(":{},", time + 1), 1);
                let error = refused(place, &later);
                assert!(error.contains("checksum"), "{run}, line {place}: {error}");
                moved += 1;
            }
        }
        assert!(moved > 2, "{run}: {moved} times could be moved");
    }
}

/// The text with every number behind this key changed.
fn changed(text: &str, key: &str, change: fn(u64) -> u64) -> String {
    let mut pieces = text.split(key);
    let mut changed = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|it: char| !it.is_ascii_digit()).unwrap();
        let number = change(piece[..end].parse().unwrap());
        changed.push_str(&format!("{key}{number}{}", &piece[end..]));
    }
    changed
}

/// Programs that rewrite JSON put blanks between tokens; what they change is noticed all the same.
#[test]
fn a_trace_that_was_rewritten_is_replayed_if_it_says_the_same() {
    let path = file("rewritten.jsonl", "");
    fine(&format!("run raymond --nodes 7 --trace {}", path.display()));
    let replay = format!("replay -q {}", path.display());
    let trace = fs::read_to_string(&path).unwrap();
    let spaced = trace.replace("\":", "\": ").replace(",\"", ", \"");
    fs::write(&path, &spaced).unwrap();
    assert!(fine(&replay).contains("exactly as recorded"));
    let doubled = changed(&spaced, "\"at\": ", |at| 2 * at);
    let checksum = spaced.rfind(", \"checksum\"").unwrap();
    for other in [
        changed(&spaced, "\"at\": ", |_| 0),
        changed(&spaced, "\"at\": ", |at| if at == 53 { 55 } else { at }),
        changed(&doubled, "\"time\": ", |at| 2 * at),
        changed(&spaced, "\"seed\": ", |_| 99),
        format!("{}}}}}\n", &spaced[..checksum]),
    ] {
        assert_ne!(other, spaced);
        fs::write(&path, other).unwrap();
        let error = refused(&replay);
        assert!(error.contains("checksum"), "{error}");
    }
}

/// A token that died with its node is a broken lemma, too, but not what the run was ended for.
#[test]
fn a_run_that_starves_is_replayed_as_it_was() {
    for fault in ["--crash 2@40", "--loss 0.1"] {
        let path = file("starved.jsonl", "");
        let run = format!("run raymond --nodes 7 {fault} --trace {}", path.display());
        assert_eq!(konklave(&run).status.code(), Some(1), "{run}");
        let replayed = konklave(&format!("replay -q {}", path.display()));
        let said = text(&replayed.stderr) + &text(&replayed.stdout);
        assert_eq!(replayed.status.code(), Some(1), "{run}: {said}");
        assert!(said.contains("no starvation"), "{run}: {said}");
    }
}

/// Two files of one run would overwrite each other.
#[test]
fn two_options_do_not_write_to_one_file() {
    let path = std::env::temp_dir().join(format!("konklave-shared-{}", std::process::id()));
    let (path, folder) = (path.display(), path.parent().unwrap().display());
    let name = format!("konklave-shared-{}", std::process::id());
    for (first, second) in [("trace", "history"), ("history", "dump"), ("trace", "dump")] {
        // The second way to write the path leads to the same file.
        let files = format!("--{first} {path} --{second} {folder}/./{name}");
        let error = refused(&format!("run central-queue --nodes 3 {files}"));
        assert!(error.contains(&format!("--{first} and --{second} both write to")), "{error}");
    }
    assert!(!Path::new(&path.to_string()).exists(), "nothing was written");
}

/// A corrupted node knows wrong addresses, but only such as there are, and recovers.
#[test]
fn a_corrupted_overlay_recovers() {
    for algorithm in ["build-list", "build-ring", "skip-plus"] {
        for seed in 1..=5 {
            fine(&format!("run {algorithm} --nodes 6 --corrupt state:2@5 --seed {seed}"));
        }
    }
}

#[test]
fn what_a_message_asks_for_was_not_given() {
    for (arguments, expected) in [
        ("run median-rule --tick 1e19", "below 1099511627776 ticks"),
        ("run skip-dht --rate 1e300", "from 1e-9 to 1e9"),
        ("run bully --max-delay 1000000000000000000", "from 1 to 4294967295"),
        ("run raymond --delay constant:1e18", "less than 1099511627776 ticks"),
        ("run skip-dht --mix=", "--mix has no operation"),
        ("run echo --topology complete --nodes 1e6", "keeps a list of its neighbours"),
        ("fuzz mutex", "mutex is a family, and one algorithm is needed"),
        ("explain stack-reuses-position --json", "has a history and no source"),
    ] {
        let error = refused(arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    fine("run raymond --nodes 3 --delay uniform:1..1e3");
    let shown = fine("explain stack-reuses-position");
    assert!(shown.contains("a stack, with a flaw") && shown.contains("a pop may find"), "{shown}");
}

#[test]
fn a_network_can_be_written_to_standard_output() {
    let ran = konklave("run central --nodes 3 --save-graph -");
    let (graph, report) = (text(&ran.stdout), text(&ran.stderr));
    assert!(graph.starts_with("graph") && !graph.contains("verdict"), "{graph}");
    assert!(report.contains("verdict"), "{report}");
    let error = refused("run central --nodes 3 --save-graph - --trace -");
    assert!(error.contains("both write to -"), "{error}");
    let error = refused("run central --nodes 3 --out one.d --trace one.d");
    assert!(error.contains("--trace and --out both write to one.d"), "{error}");
}
