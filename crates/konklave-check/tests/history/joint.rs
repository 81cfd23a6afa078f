//! Several objects together, against one object that has all of them as its parts.

use konklave_check::history::Consistency::{Linearizable, LinearizableInProgramOrder, Sequential};
use konklave_check::history::*;

use super::draw::{Patience, Shape, history, replay, seeds};
use super::enumeration::has_explanation;

/// The history of a dictionary as one of several dictionaries, one for each key.
fn apart(history: &History<Dictionary>) -> String {
    let header = r#"{"konklave_history":1,"objects":{"0":"dictionary","1":"dictionary"}}"#;
    let mut lines = vec![header.to_owned()];
    for operation in history.operations() {
        let (DictionaryOp::Put { key, .. } | DictionaryOp::Delete(key) | DictionaryOp::Get(key)) =
            operation.op;
        let mut line = serde_json::to_value(operation).expect("an operation has a form");
        line["object"] = key.to_string().into();
        lines.push(line.to_string());
    }
    lines.join("\n")
}

/// A dictionary with two keys has an explanation if and only if two dictionaries together have one.
#[test]
fn several_objects_are_explained_as_one_that_has_them_as_parts() {
    let mut counts = [0, 0];
    let mut is_not_local = 0;
    for seed in seeds() {
        let operations = 3 + (seed % 4) as u32;
        let patience = [Patience::AsksOn, Patience::Waits, Patience::Differs][seed as usize % 3];
        let shape = Shape { processes: 2 + (seed / 3 % 2) as u32, operations, patience };
        let whole: History<Dictionary> = history(seed, shape);
        for kind in [Sequential, Linearizable, LinearizableInProgramOrder] {
            let expected = has_explanation(&whole, kind);
            let judgement =
                check(apart(&whole).as_bytes(), &[kind], BUDGET).expect("it makes sense");
            let found = &judgement.together.expect("there are several").findings[0];
            let verdict = match expected {
                true => HistoryVerdict::Consistent,
                false => HistoryVerdict::Violated,
            };
            let case = || format!("{kind}: {whole:#?}\n{}", replay(seed, "several_objects"));
            assert_eq!(found.verdict, verdict, "{}", case());
            counts[usize::from(expected)] += 1;
            is_not_local += usize::from(!expected && found.method == Method::Search);
        }
    }
    let is_enough = counts.iter().all(|&it| it > 300) && is_not_local > 0;
    assert!(seeds().len() < 1000 || is_enough, "one-sided: {counts:?}, {is_not_local}");
}

/// Each process writes one register and does not see the other's write.
#[test]
fn registers_that_are_fine_alone_are_not_together() {
    let text = r#"{"konklave_history":1,"objects":{"x":"register","y":"register"}}
        {"object":"x","process":0,"seq":0,"op":{"write":1},"invoked":0,"returned":1}
        {"object":"y","process":0,"seq":1,"op":"read","result":null,"invoked":2,"returned":3}
        {"object":"y","process":1,"seq":0,"op":{"write":1},"invoked":0,"returned":1}
        {"object":"x","process":1,"seq":1,"op":"read","result":null,"invoked":2,"returned":3}"#;
    let judgement = check(text.as_bytes(), &[Sequential], BUDGET).expect("it makes sense");
    for report in &judgement.objects {
        assert_eq!(report.findings[0].verdict, HistoryVerdict::Consistent, "{:?}", report.name);
    }
    let together = judgement.together.expect("there are several");
    assert_eq!(together.findings[0].verdict, HistoryVerdict::Violated);
    let explanation = together.findings[0].explanation.as_ref().expect("it is explained");
    let core: Vec<_> = explanation.core.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(core, ["x write 1", "x read -> nothing", "y read -> nothing", "y write 1"]);
}

/// At one tick a process knows what it has waited for, and nobody else does: so what is
/// linearizable for each of two objects need not be for both.
#[test]
fn with_equal_ticks_linearizability_is_not_local() {
    let text = |invoked: u64| {
        let line = |object, process, seq, what: &str, invoked: u64, returned: u64| {
            let times = format!(r#""invoked":{invoked},"returned":{returned}"#);
            format!(r#"{{"object":"{object}","process":{process},"seq":{seq},{what},{times}}}"#)
        };
        let (write, read) = (r#""op":{"write":1}"#, r#""op":"read","result":null"#);
        [
            r#"{"konklave_history":1,"objects":{"x":"register","y":"register"}}"#.to_owned(),
            line("x", 0, 0, write, 0, 5),
            line("y", 0, 1, read, 5, 6),
            line("y", 1, 0, write, 0, 5),
            line("x", 1, 1, read, invoked, 6),
        ]
        .join("\n")
    };
    let verdicts = |invoked| {
        let judgement = check(text(invoked).as_bytes(), &[Linearizable], BUDGET);
        let judgement = judgement.expect("it makes sense");
        let reports = judgement.objects.iter().chain(&judgement.together);
        reports.map(|it| it.findings[0].verdict == HistoryVerdict::Consistent).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(5), [true, true, false]);
    assert_eq!(verdicts(6), [false, true, false]);
}
