//! `konklave check-history`: its verdicts, its reasons, its exit codes.

mod user;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use user::{file, fine, konklave, refused, text};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/histories").join(name)
}

/// What it says about a file, and its exit code.
fn check(path: &Path, options: &str) -> (String, Option<i32>) {
    let output = konklave(&format!("check-history {} {options}", path.display()));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    (text(&output.stdout), output.status.code())
}

fn lines(header: &str, operations: &[&str]) -> String {
    [&[header], operations].concat().join("\n") + "\n"
}

const QUEUE: &str = r#"{"konklave_history":1,"object":"queue"}"#;

#[test]
fn the_witness_proves_what_it_can() {
    let shown = fine(&format!("check-history {}", example("queue-witness.jsonl").display()));
    assert_eq!(
        shown,
        "queue: 6 operations, 1 of them pending, by 3 processes\n  \
         sequentially consistent  yes, by the witness order\n  \
         linearizable             yes, by the witness order\n"
    );
}

#[test]
fn a_violation_is_explained_by_its_core() {
    let (shown, code) = check(&example("dictionary-stale.jsonl"), "");
    assert_eq!(code, Some(1));
    let expected = "\
dictionary: 5 operations, by 3 processes
  sequentially consistent  yes, by an order that a search found
  linearizable             no, a search tried all orders

These operations alone are not linearizable:
  process 0 #0: put key 1 value 10  0..2
  process 0 #1: put key 1 value 20  3..5
  process 1 #0: get 1 -> 10         6..7
A longest valid prefix:
  process 0 #0: put key 1 value 10
  process 0 #1: put key 1 value 20
No other operation can come next:
  process 1 #0: get 1 -> 10: the result would be 20
";
    assert_eq!(shown, expected);
}

#[test]
fn the_same_explanation_is_given_once() {
    let (shown, code) = check(&example("queue-overtaken.jsonl"), "");
    assert_eq!(code, Some(1));
    assert_eq!(shown.matches("These operations alone are not sequentially consistent:").count(), 1);
    assert_eq!(shown.matches("process 1 #1: dequeue -> 2: the result would be 1").count(), 1);
    assert!(shown.ends_with("\nSo they are not linearizable, either.\n"), "{shown}");
}

#[test]
fn only_what_is_demanded_counts() {
    let stale = example("dictionary-stale.jsonl");
    let (shown, code) = check(&stale, "--consistency sequential");
    assert_eq!(code, Some(0));
    assert!(shown.contains("sequentially consistent") && !shown.contains("linearizable"));
    let (shown, code) = check(&stale, "--consistency linearizable");
    assert_eq!(code, Some(1));
    assert!(!shown.contains("sequentially consistent"));
}

#[test]
fn json_says_the_same() {
    let (shown, code) = check(&example("queue-overtaken.jsonl"), "--json");
    assert_eq!(code, Some(1));
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&report["object"], &report["operations"]), (&"queue".into(), &5.into()));
    for (finding, kind) in report["findings"].as_array().unwrap().iter().zip(["seq", "lin"]) {
        assert!(finding["consistency"].as_str().unwrap().starts_with(kind));
        assert_eq!(
            (&finding["verdict"], &finding["method"]),
            (&"violated".into(), &"search".into())
        );
        let core = finding["explanation"]["core"].as_array().unwrap();
        let what: Vec<_> = core.iter().map(|it| it["what"].as_str().unwrap()).collect();
        assert_eq!(what, ["enqueue 1", "enqueue 2", "dequeue -> 2"]);
    }
}

/// The witness swaps what follows in time, but another order is fine; or there is none.
#[test]
fn a_broken_witness_proves_nothing_about_short_histories() {
    let enqueue =
        r#"{"process":0,"seq":0,"op":{"enqueue":1},"invoked":0,"returned":1,"witness":[2]}"#;
    let found =
        r#"{"process":1,"seq":0,"op":"dequeue","result":1,"invoked":2,"returned":3,"witness":[1]}"#;
    let none = found.replace(r#""result":1"#, r#""result":null"#);

    let path = file("swapped.jsonl", &lines(QUEUE, &[enqueue, found]));
    let (shown, code) = check(&path, "");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("yes, by an order that a search found; the witness order fails"));
    assert!(shown.contains("process 1 #0: dequeue -> 1, where the result would be nothing"));

    let path = file("against-time.jsonl", &lines(QUEUE, &[enqueue, &none]));
    let (shown, code) = check(&path, "");
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("sequentially consistent  yes, by the witness order"));
    assert!(shown.contains("linearizable             no, a search tried all orders"));
    assert!(shown.contains("invoked at 2, precedes process 0 #0: enqueue 1, which returned at 1"));
}

/// Pushes that overlap, and a pop that missed them all: every order has to be tried.
fn hard(witness: impl Fn(i32) -> String) -> String {
    let mut text = r#"{"konklave_history":1,"object":"stack"}"#.to_owned();
    for process in 0..30 {
        let place = witness(process);
        let _ = write!(
            text,
            "\n{{\"process\":{process},\"seq\":0,\"op\":{{\"push\":{process}}},\
             \"invoked\":0,\"returned\":9{place}}}"
        );
    }
    let place = witness(30);
    text + "\n{\"process\":30,\"seq\":0,\"op\":\"pop\",\"result\":null,\
            \"invoked\":10,\"returned\":11"
        + &place
        + "}\n"
}

#[test]
fn a_search_that_takes_too_long_is_given_up() {
    let path = file("hard.jsonl", &hard(|_| String::new()));
    let (shown, code) = check(&path, "");
    assert_eq!(code, Some(3), "{shown}");
    assert!(shown.contains("sequentially consistent  yes"));
    assert!(shown.contains("linearizable             unknown, the search hit its limit"));

    // The witness is no proof that no other order is right, but it says where to look.
    let path = file("hard-witness.jsonl", &hard(|place| format!(",\"witness\":[{place}]")));
    let (shown, code) = check(&path, "--consistency linearizable");
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("process 30 #0: pop -> nothing, where the result would be 29"));
    assert!(
        shown.contains("These operations alone are not linearizable:\n  process 29 #0: push 29")
    );
}

/// Thirty pushes at once, and pops that tell in which order they happened: not in the one that is
/// claimed, but one order is right, and nobody finds it among so many.
#[test]
fn a_wrong_claim_is_no_verdict() {
    let mut text = r#"{"konklave_history":1,"object":"stack"}"#.to_owned();
    for id in 0..30 {
        let push = format!("\"process\":{id},\"seq\":0,\"op\":{{\"push\":{id}}}");
        let _ = write!(text, "\n{{{push},\"invoked\":0,\"returned\":9,\"witness\":[{id}]}}");
    }
    for seq in 0..30 {
        let id = 7 * seq % 30;
        let pop = format!("\"process\":30,\"seq\":{seq},\"op\":\"pop\",\"result\":{id}");
        let time = 10 + 2 * seq;
        let times = format!("\"invoked\":{time},\"returned\":{}", time + 1);
        let _ = write!(text, "\n{{{pop},{times},\"witness\":[{}]}}", 30 + seq);
    }
    let path = file("claim.jsonl", &(text + "\n"));
    let (shown, code) = check(&path, "");
    assert_eq!(code, Some(3), "{shown}");
    let unknown = "unknown, the witness order fails, and the search for another hit its limit";
    assert_eq!(shown.matches(unknown).count(), 2, "{shown}");
}

#[test]
fn an_answer_from_nowhere_is_no_bad_input() {
    let found = r#"{"process":0,"seq":0,"op":"dequeue","result":8,"invoked":2,"returned":3}"#;
    let path = file("nowhere.jsonl", &lines(QUEUE, &[found]));
    let (shown, code) = check(&path, "--consistency sequential");
    assert_eq!(code, Some(1), "{shown}");
    let expected = "\
queue: 1 operation, by 1 process
  sequentially consistent  no, a result has no source

These operations alone are not sequentially consistent:
  process 0 #0: dequeue -> 8  2..3
None of them can come first:
  process 0 #0: dequeue -> 8: no operation inserts 8
";
    assert_eq!(shown, expected);
}

#[test]
fn bad_input_is_refused_with_file_and_line() {
    assert!(refused("check-history no-such-file").contains("cannot read the history no-such-file"));
    assert!(refused("check-history").contains("FILE"));
    let gap = r#"{"process":0,"seq":1,"op":"dequeue","invoked":3}"#;
    let path = file("gap.jsonl", &lines(QUEUE, &[gap]));
    let error = refused(&format!("check-history {}", path.display()));
    let expected = format!("{}: line 2: seq 1 of process 0, but seq 0 is missing", path.display());
    assert!(error.contains(&expected), "{error}");
    let path = file("deque.jsonl", "{\"konklave_history\":1,\"object\":\"deque\"}\n");
    let error = refused(&format!("check-history {} --json", path.display()));
    assert!(error.contains("line 1: there is no object 'deque'"), "{error}");
    let path = example("queue-witness.jsonl");
    let error = refused(&format!("check-history {} --consistency strict", path.display()));
    assert!(error.contains("sequential, linearizable"), "{error}");
}

#[test]
fn standard_input_is_a_file() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_konklave"))
        .args(["check-history", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let history = fs::read(example("queue-witness.jsonl")).unwrap();
    child.stdin.take().unwrap().write_all(&history).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("queue: 6 operations"));
}

/// A process that asks before it was answered: what the order of its operations is depends on whom
/// you ask, and the screen says so.
#[test]
fn pipelining_is_explained_where_it_matters() {
    let enqueue = r#"{"process":0,"seq":0,"op":{"enqueue":1},"invoked":0,"returned":5}"#;
    let dequeue = r#"{"process":0,"seq":1,"op":"dequeue","result":null,"invoked":1,"returned":3}"#;
    let path = file("pipelining.jsonl", &lines(QUEUE, &[enqueue, dequeue]));
    let (shown, code) = check(&path, "");
    assert_eq!(code, Some(1), "{shown}");
    let expected = "\
queue: 2 operations, by 1 process, which pipelines
  sequentially consistent  no, a search tried all orders
  linearizable             yes, by an order that a search found

A process pipelines: it invokes an operation before the last one has returned. Sequential
consistency keeps the program order of these operations. Linearizability keeps real time,
which leaves their order open: so it does not imply sequential consistency here.
";
    assert!(shown.starts_with(expected), "{shown}");

    let found = dequeue.replace("null", "1");
    let path = file("pipelined.jsonl", &lines(QUEUE, &[enqueue, &found]));
    let (shown, code) = check(&path, "");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("linearizable in program order  yes, by an order that"), "{shown}");
    let (shown, _) = check(&path, "--consistency linearizable-in-program-order --json");
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(report["pipelining"], 1);
    assert_eq!(report["findings"][0]["consistency"], "linearizable_in_program_order");
}

#[test]
fn the_specimen_that_pipelines_is_explained() {
    let shown = text(&konklave("check --specimen queue-get-overtakes-put").stdout);
    assert!(shown.contains("sequentially consistent  no"), "{shown}");
    assert!(shown.contains("it does not imply sequential consistency here"), "{shown}");
}

#[test]
fn several_objects_are_named() {
    let header = r#"{"konklave_history":1,"objects":{"jobs":"queue","done":"ordered_set"}}"#;
    let insert = r#""object":"done","process":0,"seq":0,"op":{"insert":4},"invoked":0"#;
    let dequeue = r#""object":"jobs","process":0,"seq":1,"op":"dequeue","result":null,"invoked":1"#;
    let [insert, dequeue] = [insert, dequeue].map(|it| format!("{{{it},\"returned\":3}}"));
    let path = file("several.jsonl", &lines(header, &[&insert, &dequeue]));
    let (shown, code) = check(&path, "--consistency sequential");
    assert_eq!(code, Some(0), "{shown}");
    let expected = "\
done (ordered_set): 1 operation, by 1 process
  sequentially consistent  yes, by an order that a search found

jobs (queue): 1 operation, by 1 process
  sequentially consistent  yes, by an order that a search found

all together: 2 operations, by 1 process, which pipelines
  sequentially consistent  yes, by an order that a search found
";
    assert_eq!(shown, expected);
    let (shown, _) = check(&path, "--json");
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(report["objects"][1]["name"], "jobs");
    assert_eq!(report["objects"][1]["findings"][0]["verdict"], "consistent");
}

/// Each object has an order, but there is none for both.
#[test]
fn several_objects_are_judged_together() {
    let header = r#"{"konklave_history":1,"objects":{"x":"register","y":"register"}}"#;
    let line = |object, process, seq, op: &str| {
        let times = format!("\"invoked\":{0},\"returned\":{0}", 2 * seq);
        format!(r#"{{"object":"{object}","process":{process},"seq":{seq},{op},{times}}}"#)
    };
    let (write, read) = (r#""op":{"write":1}"#, r#""op":"read","result":null"#);
    let operations = [
        line("x", 0, 0, write),
        line("y", 0, 1, read),
        line("y", 1, 0, write),
        line("x", 1, 1, read),
    ];
    let path = file("together.jsonl", &lines(header, &operations.each_ref().map(String::as_str)));
    let (shown, code) = check(&path, "--consistency sequential");
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("all together: 4 operations, by 2 processes"), "{shown}");
    assert!(shown.contains("process 0 #1: y read -> nothing"), "{shown}");
    let (shown, _) = check(&path, "--consistency sequential --json");
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(report["together"]["findings"][0]["verdict"], "violated");
    assert_eq!(report["objects"][0]["findings"][0]["verdict"], "consistent");
}

/// A process that asks again at the tick of the answer has waited for it.
#[test]
fn a_process_that_asks_at_the_tick_of_its_answer_does_not_pipeline() {
    let history = r#"{"konklave_history":1,"object":"register"}
{"process":0,"seq":0,"op":{"write":5},"invoked":0,"returned":10}
{"process":0,"seq":1,"op":"read","result":null,"invoked":10,"returned":20}
"#;
    let path = file("tick.jsonl", history);
    let report = konklave(&format!("check-history {} --json", path.display()));
    let shown = text(&konklave(&format!("check-history {}", path.display())).stdout);
    assert!(!shown.contains("pipeline"), "{shown}");
    assert!(shown.contains("linearizable             no"), "{shown}");
    assert_eq!(report.status.code(), Some(1));
    // Another process may have asked before the answer was there.
    let path =
        file("ticks.jsonl", &history.replace("\"process\":0,\"seq\":1", "\"process\":1,\"seq\":0"));
    assert!(
        fine(&format!("check-history {}", path.display())).contains("linearizable             yes")
    );
}

/// However many operations overlap: what is written later cannot have been read.
#[test]
fn a_value_that_is_read_before_it_is_written_is_found_among_many() {
    let mut history = "{\"konklave_history\":1,\"object\":\"register\"}\n".to_owned();
    for process in 0..60 {
        let op = if process % 2 == 0 {
            format!("{{\"write\":{}}}", process + 100)
        } else {
            "\"read\"".into()
        };
        let result =
            if process % 2 == 0 { String::new() } else { format!("\"result\":{},", process + 99) };
        history += &format!(
            "{{\"process\":{process},\"seq\":0,\"op\":{op},{result}\
             \"invoked\":0,\"returned\":200}}\n"
        );
    }
    history += r#"{"process":70,"seq":0,"op":"read","result":7,"invoked":300,"returned":301}
{"process":71,"seq":0,"op":{"write":7},"invoked":302,"returned":303}
"#;
    let path = file("early.jsonl", &history);
    let out = konklave(&format!("check-history {} --consistency linearizable", path.display()));
    let shown = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{shown}");
    assert!(shown.contains("linearizable  no") && shown.contains("read -> 7"), "{shown}");
}
