use konklave::NodeId;
use konklave::mutex::quorum::Quorums;
use konklave_report::account::{Account, Fate, Recorded, SpanKind, What, labels, read};
use konklave_report::network::Roles;
use konklave_report::spacetime::{EVENTS, Options, diagram, picture};

use crate::runs;

fn account(recorded: &Recorded) -> Account {
    Account::new(&recorded.lines, recorded.nodes().unwrap()).unwrap()
}

fn hand_made(lines: &[&str]) -> Recorded {
    let text = format!("{}\n{}", r#"{"konklave_trace":1,"setup":{"nodes":2}}"#, lines.join("\n"));
    read(text.as_bytes()).unwrap()
}

#[test]
fn critical_sections_follow_one_another_and_everyone_waited_for_them() {
    let account = account(&runs::calm());
    let of = |kind| account.spans.iter().filter(move |span| span.kind == kind);
    assert_eq!((of(SpanKind::Inside).count(), of(SpanKind::Waiting).count()), (14, 14));
    let mut last = 0;
    for span in of(SpanKind::Inside) {
        let to = span.to.expect("everyone leaves");
        assert!(span.from >= last, "one at a time");
        assert_eq!(account.events[to].label, "Release");
        assert!(account.events[span.from].label.ends_with("Granted"));
        assert!(
            of(SpanKind::Waiting).any(|wait| (wait.node, wait.to) == (span.node, Some(span.from)))
        );
        last = to;
    }
}

#[test]
fn every_message_of_a_calm_run_arrives_where_it_was_sent() {
    for recorded in [runs::calm(), runs::vote()] {
        let account = account(&recorded);
        let receipts = account.events.iter().filter(|event| event.what == What::Receive).count();
        assert_eq!(account.messages.len(), receipts);
        for message in &account.messages {
            let Fate::Arrived(event) = message.fate else { panic!("{message:?}") };
            let sent = message.sent.unwrap();
            assert_eq!(account.events[sent].node, Some(message.from));
            assert_eq!(account.events[event].node, Some(message.to));
            assert!(sent < event);
        }
    }
}

#[test]
fn the_result_goes_round_the_ring_and_quorums_are_those_of_the_algorithm() {
    let vote = Roles::at_the_end(&account(&runs::vote()));
    assert_eq!(vote.leaders, [0]);
    assert_eq!(vote.tree, [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]);
    assert!(vote.groups.is_empty(), "nobody waits for entry");

    let quorums = Quorums::plane(7).unwrap();
    let roles = Roles::at_the_end(&account(&runs::in_quorums(&quorums)));
    assert!(roles.tree.is_empty());
    assert_eq!(roles.groups.len(), 7);
    for ((name, members), node) in roles.groups.iter().zip(NodeId::all(7)) {
        assert_eq!(*name, format!("asked by {node}"));
        let expected: Vec<_> = quorums.of(node).iter().map(NodeId::index).collect();
        assert_eq!(*members, expected, "{name}");
    }
    assert!(Roles::at_the_end(&account(&runs::calm())).groups.is_empty(), "only pointers");
}

#[test]
fn the_leader_leads_to_the_end() {
    let account = account(&runs::vote());
    let reigns: Vec<_> =
        account.spans.iter().filter(|span| span.kind == SpanKind::Leading).collect();
    assert_eq!(reigns.len(), 1);
    assert_eq!((reigns[0].node, reigns[0].to), (0, None), "id 5 is the largest");
    let names = labels(6, Some(&runs::IDS));
    let options = Options { labels: names, ..Options::default() };
    let svg = picture("Vote", &account, &options).unwrap();
    for text in ["0 (id 5)", "leader", "Propose", "Elected", "Knows(5)"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn storms_show_every_fate_and_every_outage() {
    let mut fates = [0; 5];
    let mut outages = 0;
    for seed in 1..=20 {
        let recorded = runs::stormy(seed);
        let account = account(&recorded);
        for message in &account.messages {
            let fate = match (message.sent, message.fate) {
                (None, _) => 4,
                (_, Fate::Arrived(_)) => 0,
                (_, Fate::Missed(_)) => 1,
                (_, Fate::Lost) => 2,
                (_, Fate::InFlight) => 3,
            };
            fates[fate] += 1;
        }
        let is_outage = |kind| matches!(kind, SpanKind::Crashed | SpanKind::Paused);
        outages += account.spans.iter().filter(|span| is_outage(span.kind)).count();
        picture("Storm", &account, &Options::default()).unwrap();
    }
    assert!(fates.iter().all(|count| *count > 0), "{fates:?}");
    assert!(outages > 20, "{outages}");
}

#[test]
fn a_broken_promise_and_a_loop_are_marked() {
    let ask = r#"{"send":{"to":1,"msg":{"Request":1}}}"#;
    let hear = r#"{"message":{"from":0,"msg":{"Request":1}}},"number":0"#;
    let broken = r#"{"promise":"no starvation","detail":"node 0 waits for ever"}"#;
    let recorded = hand_made(&[
        &format!(
            r#"{{"step":{{"at":0,"node":0,"input":{{"command":"Acquire"}},"effects":[{ask}]}}}}"#
        ),
        r#"{"loop":{"at":1}}"#,
        &format!(r#"{{"step":{{"at":1,"node":1,"input":{hear},"effects":[]}}}}"#),
        &format!(r#"{{"end":{{"ended":"violation","time":2,"steps":2,"broken":{broken}}}}}"#),
    ]);
    let svg = diagram("Stuck", &recorded.lines, 2, &Options::default()).unwrap();
    for text in ["from here on it repeats", "no starvation: node 0 waits for ever", "waiting"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.contains("Request(1)"), "the tooltip tells the whole message");
}

#[test]
fn intervals_are_booked_denied_and_given_back() {
    let step = |at: u32, input: &str, effects: &str| {
        format!(r#"{{"step":{{"at":{at},"node":0,"input":{input},"effects":[{effects}]}}}}"#)
    };
    let granted = r#"{"emit":"Granted"}"#;
    let lines = [
        step(0, r#"{"command":{"Reserve":[1,3]}}"#, granted),
        step(1, r#"{"command":{"Reserve":[4,5]}}"#, granted),
        step(2, r#"{"command":{"Reserve":[2,4]}}"#, r#"{"emit":"Denied"}"#),
        step(3, r#"{"command":{"Release":[1,3]}}"#, ""),
    ];
    let recorded = hand_made(&lines.each_ref().map(String::as_str));
    let account = account(&recorded);
    let booked: Vec<_> = account.spans.iter().filter(|s| s.kind == SpanKind::Booked).collect();
    let shown: Vec<_> = booked.iter().map(|s| (s.label.as_str(), s.from, s.to)).collect();
    assert_eq!(shown, [("1..3", 0, Some(3)), ("4..5", 1, None)]);
}

#[test]
fn long_traces_are_cut_unless_a_window_is_given() {
    let line = r#"{"step":{"at":7,"node":0,"input":{"command":"Acquire"},"effects":[]}}"#;
    let recorded = hand_made(&vec![line; EVENTS + 9]);
    let draw = |options: &Options| diagram("Long", &recorded.lines, 2, options).unwrap();
    let note = format!("Shown are {EVENTS} of {} events", EVENTS + 9);
    assert!(draw(&Options::default()).contains(&note));
    assert!(!draw(&Options { from: Some(0), ..Options::default() }).contains("Shown are"));
}

#[test]
fn what_does_not_exist_is_an_error_and_no_panic() {
    let recorded = runs::calm();
    let draw = |nodes, options: &Options| diagram("", &recorded.lines, nodes, options);
    let causal = Options { causal: Some(100_000), ..Options::default() };
    assert!(draw(7, &causal).unwrap_err().starts_with("there is no event 100000: they go from 0"));
    let nodes = Options { nodes_only: Some(vec![7]), ..Options::default() };
    assert_eq!(draw(7, &nodes).unwrap_err(), "there is no node 7: they go from 0 to 6");
    assert!(draw(3, &Options::default()).unwrap_err().contains("there is no node 3 among 3 nodes"));
    let past = Options { causal: Some(20), ..Options::default() };
    assert!(draw(7, &past).unwrap().contains("are left out"));
}
