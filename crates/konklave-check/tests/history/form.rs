//! What is read, what is written, and what is refused.

use konklave_check::history::*;

const KINDS: [Consistency; 2] = [Consistency::Sequential, Consistency::Linearizable];
const QUEUE: &str = r#"{"konklave_history":1,"object":"queue"}"#;

/// What is wrong with a queue's history of these lines.
fn refused(lines: &[&str]) -> String {
    let text = [&[QUEUE], lines].concat().join("\n");
    check(text.as_bytes(), &KINDS, BUDGET).expect_err("this makes no sense").to_string()
}

const ENQUEUE: &str = r#"{"process":0,"seq":0,"op":{"enqueue":5},"invoked":3,"returned":9}"#;

#[test]
fn what_makes_no_sense_is_refused_with_its_line() {
    let cases: [(&[&str], &str); 13] = [
        (&["", ENQUEUE], "line 2: EOF while parsing a value"),
        (&["{}"], "line 2: missing field `process`"),
        (&[r#"{"process":0,"seq":0,"op":"pop","invoked":3}"#], "expected `enqueue` or `dequeue`"),
        (&[r#"{"process":0,"seq":0,"op":"dequeue","invoked":3,"retrned":4}"#], "`retrned`"),
        (
            &[ENQUEUE, r#"{"process":0,"seq":2,"op":"dequeue","invoked":3}"#],
            "line 3: seq 2 of process 0, but seq 1 is missing",
        ),
        (
            &[r#"{"process":7,"seq":1,"op":"dequeue","invoked":3}"#],
            "line 2: seq 1 of process 7, but seq 0 is missing",
        ),
        (
            &[ENQUEUE, r#"{"process":0,"seq":0,"op":"dequeue","invoked":3}"#],
            "line 3: process 0 has two operations with seq 0",
        ),
        (
            &[ENQUEUE, r#"{"process":0,"seq":1,"op":"dequeue","invoked":2}"#],
            "line 3: seq 1 of process 0 is invoked at 2, before seq 0",
        ),
        (
            &[r#"{"process":0,"seq":0,"op":{"enqueue":5},"invoked":3,"returned":2}"#],
            "line 2: it returned at 2, before it was invoked at 3",
        ),
        (
            &[r#"{"process":0,"seq":0,"op":"dequeue","invoked":3,"returned":4}"#],
            "line 2: it returned, so it needs a 'result': a number, or null for no value",
        ),
        (
            &[r#"{"process":0,"seq":0,"op":"dequeue","result":null,"invoked":3}"#],
            "line 2: it has a result, so it needs a time 'returned'",
        ),
        (
            &[r#"{"process":0,"seq":0,"op":{"enqueue":5},"result":5,"invoked":3,"returned":4}"#],
            "line 2: this operation has no 'result': leave it out",
        ),
        (
            &[ENQUEUE, r#"{"process":1,"seq":0,"op":{"enqueue":5},"invoked":3}"#],
            "line 3: 5 is inserted a second time, after line 2",
        ),
    ];
    for (lines, expected) in cases {
        let problem = refused(lines);
        assert!(problem.contains(expected), "{lines:?}: {problem}");
    }
    let with =
        r#"{"process":1,"seq":0,"op":"dequeue","result":5,"invoked":3,"returned":4,"witness":[1]}"#;
    let problem =
        "line 2: it has no witness, but line 3 has one: give all of them a witness, or none";
    assert_eq!(refused(&[ENQUEUE, with]), problem);
}

#[test]
fn the_first_line_says_what_it_is() {
    let refused = |text: &str| {
        check(text.as_bytes(), &KINDS, BUDGET).expect_err("this makes no sense").to_string()
    };
    assert!(refused("").starts_with("line 1: the file is empty"));
    assert!(refused("hello").starts_with("line 1: this is not a history, which begins with {"));
    assert!(refused(ENQUEUE).starts_with("line 1: this is not a history, which begins with {"));
    let version = refused(r#"{"konklave_history":2,"object":"queue"}"#);
    assert_eq!(version, "line 1: version 2 of the format; only 1 can be read");
    let object = refused(r#"{"konklave_history":1,"object":"deque"}"#);
    let known = "valid objects are register, dictionary, ordered_set, queue, stack, heap";
    assert_eq!(object, format!("line 1: there is no object 'deque': {known}"));
}

#[test]
fn every_object_is_read() {
    let cases = [
        ("register", r#"{"write":1}"#, r#""read""#),
        ("dictionary", r#"{"put":{"key":9,"value":1}}"#, r#"{"get":9}"#),
        ("ordered_set", r#"{"insert":1}"#, r#"{"successor":0}"#),
        ("queue", r#"{"enqueue":1}"#, r#""dequeue""#),
        ("stack", r#"{"push":1}"#, r#""pop""#),
        ("heap", r#"{"insert":{"id":1,"priority":3}}"#, r#""delete_min""#),
    ];
    assert_eq!(cases.map(|(object, ..)| object), OBJECTS);
    for (object, one, other) in cases {
        for (result, verdict) in
            [("1", HistoryVerdict::Consistent), ("null", HistoryVerdict::Violated)]
        {
            let text = format!(
                r#"{{"konklave_history":1,"object":"{object}"}}
                {{"process":0,"seq":0,"op":{one},"invoked":0,"returned":1}}
                {{"process":0,"seq":1,"op":{other},"result":{result},"invoked":2,"returned":3}}"#
            );
            let reports = check(text.as_bytes(), &KINDS, BUDGET).expect("it makes sense");
            let [report] = &reports.objects[..] else { panic!("it is about one object") };
            assert_eq!((report.object, report.operations, report.processes), (object, 2, 1));
            assert!(report.findings.iter().all(|it| it.verdict == verdict), "{report:?}");
        }
    }
}

const NOTHING: &str =
    r#"{"process":1,"seq":1,"op":"dequeue","result":null,"invoked":7,"returned":7,"witness":[]}"#;

#[test]
fn what_is_written_can_be_read() {
    let lines = [
        QUEUE,
        r#"{"process":0,"seq":0,"op":{"enqueue":5},"invoked":3,"returned":9,"witness":[1,0,2]}"#,
        r#"{"process":1,"seq":0,"op":"dequeue","result":5,"invoked":4,"returned":6,"witness":[1]}"#,
        NOTHING,
        r#"{"process":2,"seq":0,"op":"dequeue","invoked":13}"#,
    ];
    let operations =
        lines[1..].iter().map(|line| serde_json::from_str(line).expect("an operation"));
    let history = History::<Queue>::new(operations.collect()).expect("a history");
    let mut written = Vec::new();
    write(&history, &mut written).expect("memory can be written");
    assert_eq!(String::from_utf8(written).expect("text"), lines.join("\n") + "\n");
}

/// Operations of two processes on a queue and a set; the process 0 alternates between them.
const SEVERAL: [&str; 5] = [
    r#"{"konklave_history":1,"objects":{"q":"queue","s":"ordered_set"}}"#,
    r#"{"object":"q","process":0,"seq":0,"op":{"enqueue":5},"invoked":0,"returned":1}"#,
    r#"{"object":"s","process":0,"seq":1,"op":{"insert":4},"invoked":2,"returned":3}"#,
    r#"{"object":"q","process":0,"seq":2,"op":"dequeue","result":null,"invoked":4,"returned":5}"#,
    r#"{"object":"s","process":1,"seq":0,"op":{"contains":4},"result":4,"invoked":6,"returned":7}"#,
];

#[test]
fn several_objects_are_judged_one_by_one() {
    let reports = check(SEVERAL.join("\n").as_bytes(), &KINDS, BUDGET).expect("it makes sense");
    let found: Vec<_> = reports
        .objects
        .iter()
        .map(|it| (it.name.as_deref(), it.object, it.operations, it.findings[0].verdict))
        .collect();
    let expected = [
        (Some("q"), "queue", 2, HistoryVerdict::Violated),
        (Some("s"), "ordered_set", 2, HistoryVerdict::Consistent),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_makes_no_sense_about_several_objects_is_refused() {
    let refused = |line: usize, from: &str, to: &str| {
        let mut lines = SEVERAL.map(str::to_owned);
        assert!(lines[line].contains(from), "{}", lines[line]);
        lines[line] = lines[line].replace(from, to);
        let text = lines.join("\n");
        check(text.as_bytes(), &KINDS, BUDGET).expect_err("this makes no sense").to_string()
    };
    for (line, from, to, expected) in [
        (0, r#""queue""#, r#""deque""#, "line 1: there is no object 'deque': valid objects are"),
        (0, r#""objects""#, r#""object":"queue","objects""#, "line 1: it names no object, or both"),
        (1, r#""q""#, r#""p""#, r#"line 2: it is about the object "p"; the first line names q, s"#),
        (1, r#""object":"q","#, "", "line 2: it is about no object; the first line names q, s"),
        (2, r#""seq":1"#, r#""seq":3"#, "line 4: seq 2 of process 0, but seq 1 is missing"),
        (3, r#""dequeue""#, r#"{"insert":1}"#, "line 4: unknown variant `insert`"),
        (3, r#""result":null,"#, "", "line 4: it returned, so it needs a 'result'"),
        (
            3,
            r#""dequeue","result":null"#,
            r#"{"enqueue":5}"#,
            "line 4: 5 is inserted a second time, after line 2",
        ),
        (4, "7}", r#"7,"witness":[1]}"#, "line 3: it has no witness, but line 5 has one"),
    ] {
        let error = refused(line, from, to);
        assert!(error.starts_with(expected), "{error}");
    }
}
