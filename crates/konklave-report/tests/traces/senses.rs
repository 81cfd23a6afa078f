//! What is told about operations follows from the parts that commands and events play.

use konklave::sense::{Operation, Sense};
use konklave_report::account::{Account, Recorded, SpanKind, Vocabulary};
use konklave_report::network::{Roles, picture as network};
use konklave_report::spacetime::{Options, picture};
use serde_json::Value;

use crate::runs::{self, account, hand_made};

/// A library: its words are `{"part": title}`, which no problem of the catalogue uses.
fn library() -> Vocabulary {
    fn sense(word: &Value) -> Sense {
        let Some((part, title)) = word.as_object().and_then(|it| it.iter().next()) else {
            return Sense::Other;
        };
        let title = Operation(title.as_str().unwrap_or_default().to_owned());
        match part.as_str() {
            "order" => Sense::Ask(title),
            "lend" => Sense::Grant(title),
            "refuse" => Sense::Answer(title),
            "bring" => Sense::Return(title),
            "notice" => Sense::Learn(title),
            _ => Sense::Other,
        }
    }
    Vocabulary { command: sense, event: sense, held: "on loan", is_exclusive: false }
}

/// A step of node 0 for each command with what is told, words and titles in pairs.
fn told(steps: &[(&str, &[&str])]) -> Account {
    let word = |text: &str| {
        let (part, title) = text.split_once(' ').unwrap_or((text, ""));
        format!(r#"{{"{part}":"{title}"}}"#)
    };
    let step = |(at, (command, events)): (usize, &(&str, &[&str]))| {
        let effects = events.iter().map(|event| format!(r#"{{"emit":{}}}"#, word(event)));
        let effects = effects.collect::<Vec<_>>().join(",");
        let input = format!(r#"{{"command":{}}}"#, word(command));
        format!(r#"{{"step":{{"at":{at},"node":0,"input":{input},"effects":[{effects}]}}}}"#)
    };
    let lines: Vec<_> = steps.iter().enumerate().map(step).collect();
    Account::new(&hand_made("library", 1, &lines).lines, 1, library()).unwrap()
}

/// The stretches of an account: what they are, and from where to where.
fn spans(account: &Account) -> Vec<(String, usize, Option<usize>)> {
    let name = |kind, label: &str| format!("{} {label}", account.vocabulary.name(kind));
    let spans = account.spans.iter();
    spans.map(|it| (name(it.kind, &it.label).trim().to_owned(), it.from, it.to)).collect()
}

fn expect(steps: &[(&str, &[&str])], expected: &[(&str, usize, Option<usize>)]) {
    let spans = spans(&told(steps));
    let spans: Vec<_> = spans.iter().map(|(name, from, to)| (name.as_str(), *from, *to)).collect();
    assert_eq!(spans, expected, "{steps:?}");
}

#[test]
fn operations_are_waits_and_then_what_the_problem_calls_them() {
    let (waits, holds) = (("waiting Emma", 0, Some(1)), ("on loan Emma", 1, Some(2)));
    let lent = [("order Emma", &[][..]), ("wait", &["lend Emma"]), ("bring Emma", &[])];
    expect(&lent, &[waits, holds]);
    // The only operation that is under way needs no name, neither in an answer nor at the end.
    expect(&[("order Emma", &[]), ("wait", &["lend"]), ("bring", &[])], &[waits, holds]);
    expect(&[("order Emma", &[]), ("wait", &["refuse"])], &[waits]);
    expect(&[("order Emma", &[]), ("wait", &["notice"])], &[waits]);
    expect(&[("order Emma", &[]), ("wait", &["refuse Persuasion"])], &[("waiting Emma", 0, None)]);
    // What was never asked for is held as well.
    expect(&[("wait", &["lend Emma"]), ("bring Emma", &[])], &[("on loan Emma", 0, Some(1))]);
    expect(&[("wait", &["lend", "lend"])], &[("on loan", 0, None)]);
}

#[test]
fn only_the_operation_that_is_named_is_given_back() {
    let two = [
        ("order Emma", &["lend"][..]),
        ("order Persuasion", &["lend"]),
        ("bring Emma", &[]),
        ("bring Emma", &[]),
    ];
    let expected = [
        ("waiting Emma", 0, Some(0)),
        ("on loan Emma", 0, Some(2)),
        ("waiting Persuasion", 1, Some(1)),
        ("on loan Persuasion", 1, None),
    ];
    expect(&two, &expected);
}

#[test]
fn a_request_out_of_turn_begins_no_wait() {
    let twice = [("order Emma", &[][..]), ("order Persuasion", &["cough"])];
    expect(&twice, &[("waiting Emma", 0, None)]);
    let held = [("order Emma", &["lend"][..]), ("order Persuasion", &[])];
    expect(&held, &[("waiting Emma", 0, Some(0)), ("on loan Emma", 0, None)]);
    // A node that does something about it has taken it up.
    let heard = [("order Emma", &["lend"][..]), ("order Persuasion", &["cough"])];
    let both = [("waiting Emma", 0, Some(0)), ("on loan Emma", 0, None)];
    expect(&heard, &[both[0], both[1], ("waiting Persuasion", 1, None)]);
}

#[test]
fn the_word_for_what_is_held_stands_in_every_picture() {
    let account = told(&[("order Emma", &["lend"])]);
    let svg = picture("Library", &account, &Options::default()).unwrap().svg;
    assert!(svg.contains("on loan") && svg.contains("Emma"));
    let graph = "line".parse::<konklave::graph::Topology>().unwrap().build(1, &mut || 0).unwrap();
    let roles = Roles::at_the_end(&account);
    assert_eq!((roles.held, &roles.holders[..]), ("on loan", &[0][..]));
    assert!(network("Library", &graph, &roles).contains("on loan"));
}

#[test]
fn a_reader_without_a_vocabulary_sees_messages_and_outages_only() {
    for recorded in [runs::calm(), runs::vote(), runs::stormy(3)] {
        let nodes = recorded.nodes().unwrap();
        let blind = Account::new(&recorded.lines, nodes, Vocabulary::default()).unwrap();
        let known = account(&recorded);
        assert_eq!(blind.events, known.events);
        assert_eq!(blind.messages, known.messages);
        let is_outage = |kind| matches!(kind, SpanKind::Crashed | SpanKind::Paused);
        let outages = known.spans.into_iter().filter(|span| is_outage(span.kind));
        let outages: Vec<_> = outages.map(|span| (span.node, span.from, span.kind)).collect();
        let seen: Vec<_> = blind.spans.iter().map(|it| (it.node, it.from, it.kind)).collect();
        assert_eq!(seen, outages);
        let roles = Roles::at_the_end(&blind);
        assert_eq!(roles.waiting.len() + roles.holders.len() + roles.tree.len(), 0);
        assert_eq!((roles.token, roles.granted_last, roles.groups), (None, None, Vec::new()));
    }
}

#[test]
fn tokens_and_quorums_are_looked_for_only_where_one_node_at_a_time_has_something() {
    let recorded = runs::calm();
    let shared = Vocabulary { is_exclusive: false, ..runs::vocabulary("raymond") };
    let shared = Account::new(&recorded.lines, 7, shared).unwrap();
    assert_eq!(spans(&shared), spans(&account(&recorded)));
    let roles = Roles::at_the_end(&shared);
    assert_eq!((roles.token, roles.granted_last, roles.groups), (None, None, Vec::new()));
}

#[test]
fn initiators_wait_until_they_know_the_result() {
    let account = account(&runs::vote());
    let waits: Vec<_> =
        account.spans.iter().filter(|span| span.kind == SpanKind::Waiting).collect();
    assert!(!waits.is_empty());
    for wait in waits {
        assert!(account.events[wait.from].label.starts_with("Start"));
        let told = &account.events[wait.to.expect("all learn the result")].label;
        let won = account.spans.iter().any(|it| it.kind == SpanKind::Held && it.node == wait.node);
        assert!(told.contains(if won { "Elected" } else { "Knows(5)" }), "{told}");
    }
}

/// Node 0 is told something, then sends it to node 1, which is told as well.
fn passed_on(algorithm: &str, command: &str, event: &str) -> Recorded {
    let step = |node: u32, input: &str, effects: &str| {
        format!(r#"{{"step":{{"at":1,"node":{node},"input":{input},"effects":[{effects}]}}}}"#)
    };
    let emit = format!(r#"{{"emit":{event}}}"#);
    let send = r#"{"send":{"to":1,"msg":"News"}}"#;
    let lines = [
        step(0, &format!(r#"{{"command":{command}}}"#), &format!("{emit},{send}")),
        step(1, r#"{"message":{"from":0,"msg":"News"}},"number":0"#, &emit),
    ];
    hand_made(algorithm, 2, &lines)
}

#[test]
fn only_a_result_that_all_share_is_learned_from_others() {
    let tree = |recorded| Roles::at_the_end(&account(&recorded)).tree;
    assert_eq!(tree(passed_on("echo", r#""Start""#, r#"{"Knows":5}"#)), [(1, 0)]);
    assert_eq!(tree(passed_on("extinction", r#""Start""#, r#"{"Presumes":5}"#)), []);
    assert_eq!(tree(passed_on("reservation", r#"{"Reserve":[1,3]}"#, r#""Denied""#)), []);
}
