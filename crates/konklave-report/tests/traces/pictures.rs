use konklave::NodeId;
use konklave::mutex::quorum::Quorums;
use konklave_report::account::{Fate, SpanKind, What, labels};
use konklave_report::network::Roles;
use konklave_report::spacetime::{EVENTS, Options, diagram, picture};

use crate::runs::{self, account, hand_made};

#[test]
fn critical_sections_follow_one_another_and_everyone_waited_for_them() {
    let account = account(&runs::calm());
    let of = |kind| account.spans.iter().filter(move |span| span.kind == kind);
    assert_eq!((of(SpanKind::Held).count(), of(SpanKind::Waiting).count()), (14, 14));
    let mut last = 0;
    for span in of(SpanKind::Held) {
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
    assert_eq!((vote.held, &vote.holders[..]), ("leader", &[0][..]));
    // The winner finds it out by itself.
    assert_eq!(vote.tree, [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]);
    assert!(vote.groups.is_empty(), "no quorum is asked for a result");

    let quorums = Quorums::plane(7).unwrap();
    let roles = Roles::at_the_end(&account(&runs::in_quorums(&quorums)));
    assert!(roles.tree.is_empty());
    assert_eq!(roles.groups.len(), 7);
    assert_eq!(roles.groups[0].0, format!("asked by {}", roles.granted_last.unwrap()));
    for node in NodeId::all(7) {
        let name = format!("asked by {node}");
        let group = roles.groups.iter().find(|group| group.0 == name).unwrap();
        let expected: Vec<_> = quorums.of(node).iter().map(NodeId::index).collect();
        assert_eq!(group.1, expected, "{name}");
    }
    assert!(Roles::at_the_end(&account(&runs::calm())).groups.is_empty(), "only pointers");
}

#[test]
fn a_token_is_known_by_how_it_behaves() {
    let account = account(&runs::calm());
    let token = Roles::at_the_end(&account).token.unwrap();
    assert_eq!(token.name, "Token");
    let last = account.spans.iter().rfind(|span| span.kind == SpanKind::Held);
    assert_eq!(token.at, last.map(|span| span.node), "who was inside last has it still");
    for &(mut node, _) in &token.ways {
        for _ in 0..7 {
            node = token.ways.iter().find(|way| way.0 == node).map_or(node, |way| way.1);
        }
        assert_eq!(Some(node), token.at, "all ways lead to it");
    }
    let quorums = Quorums::plane(7).unwrap();
    for other in [runs::in_quorums(&quorums), runs::vote()] {
        assert_eq!(Roles::at_the_end(&self::account(&other)).token, None);
    }
}

#[test]
fn who_finds_out_by_itself_has_learned_from_nobody() {
    // Two nodes send each other all they know, and both see the result.
    let step = |node: usize, input: &str, effects: &str| {
        format!(r#"{{"step":{{"at":1,"node":{node},"input":{input},"effects":[{effects}]}}}}"#)
    };
    let hear =
        |from: usize| format!(r#"{{"message":{{"from":{from},"msg":"Wave"}}}},"number":{from}"#);
    let knows = r#"{"emit":{"Knows":5}}"#;
    let lines = [
        step(0, r#""start""#, r#"{"send":{"to":1,"msg":"Wave"}}"#),
        step(1, r#""start""#, r#"{"send":{"to":0,"msg":"Wave"}}"#),
        step(0, &hear(1), knows),
        step(1, &hear(0), knows),
    ];
    let recorded = hand_made("echo", 2, &lines);
    assert!(Roles::at_the_end(&account(&recorded)).tree.is_empty());
}

#[test]
fn the_leader_leads_to_the_end() {
    let account = account(&runs::vote());
    let reigns: Vec<_> = account.spans.iter().filter(|span| span.kind == SpanKind::Held).collect();
    assert_eq!(reigns.len(), 1);
    assert_eq!((reigns[0].node, reigns[0].to), (0, None), "id 5 is the largest");
    let names = labels(6, Some(&runs::IDS));
    let options = Options { labels: names, ..Options::default() };
    let svg = picture("Vote", &account, &options).unwrap().svg;
    for text in ["0 (id 5)", "leader", "Propose(5)", "Elected", "Knows(5)"] {
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
    let lines = [
        format!(
            r#"{{"step":{{"at":0,"node":0,"input":{{"command":"Acquire"}},"effects":[{ask}]}}}}"#
        ),
        r#"{"loop":{"at":1}}"#.to_owned(),
        format!(r#"{{"step":{{"at":1,"node":1,"input":{hear},"effects":[]}}}}"#),
        format!(r#"{{"end":{{"ended":"violation","time":2,"steps":2,"broken":{broken}}}}}"#),
    ];
    let recorded = hand_made("lamport", 2, &lines);
    let (vocabulary, options) = (runs::vocabulary("lamport"), Options::default());
    let svg = diagram("Stuck", &recorded.lines, 2, vocabulary, &options).unwrap().svg;
    for text in ["repeats for ever", "no starvation: node 0 waits for ever", "waiting"] {
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
    let account = account(&hand_made("reservation", 2, &lines));
    let booked: Vec<_> = account.spans.iter().filter(|s| s.kind == SpanKind::Held).collect();
    let shown: Vec<_> = booked.iter().map(|s| (s.label.as_str(), s.from, s.to)).collect();
    assert_eq!(shown, [("1..3", 0, Some(3)), ("4..5", 1, None)]);
}

#[test]
fn long_traces_are_cut_unless_a_window_is_given() {
    let line = r#"{"step":{"at":7,"node":0,"input":{"command":"Acquire"},"effects":[]}}"#;
    let recorded = hand_made("lamport", 2, &vec![line; EVENTS + 9]);
    let vocabulary = runs::vocabulary("lamport");
    let draw =
        |options: &Options| diagram("Long", &recorded.lines, 2, vocabulary, options).unwrap();
    let note = format!("Shown are {EVENTS} of {} events", EVENTS + 9);
    let cut = draw(&Options::default());
    assert!(cut.svg.contains(&note) && cut.svg.contains("This is the beginning: 300 of 309"));
    assert!(cut.cut.unwrap().contains("--causal STEP"), "also said on the terminal");
    let window = draw(&Options { from: Some(0), ..Options::default() });
    assert!(!window.svg.contains("Shown are") && window.cut.is_none());
}

#[test]
fn a_block_of_arrows_becomes_what_led_to_the_first_entry() {
    // Thirty nodes ask all others, and only then does anybody answer.
    let mut lines = Vec::new();
    let step = |node: usize, input: &str, effects: &str| {
        format!(r#"{{"step":{{"at":7,"node":{node},"input":{input},"effects":[{effects}]}}}}"#)
    };
    for node in 0..30 {
        let asked = (0..30).filter(|to| *to != node);
        let asks: Vec<_> =
            asked.map(|to| format!(r#"{{"send":{{"to":{to},"msg":"Request"}}}}"#)).collect();
        lines.push(step(node, r#"{"command":"Acquire"}"#, &asks.join(",")));
    }
    let got = r#"{"message":{"from":0,"msg":"Request"}},"number":0"#;
    lines.push(step(1, got, r#"{"emit":"Granted"}"#));
    let account = account(&hand_made("lamport", 30, &lines));
    let drawn = picture("Block", &account, &Options::default()).unwrap();
    let arrows = drawn.svg.matches("\"k-msg\"").count();
    assert_eq!(arrows, 2, "the one that arrived, and the one that goes the other way");
    let cut = drawn.cut.unwrap();
    assert!(
        cut.starts_with("This is the causal past of Granted in step 30: 3 of 31 events"),
        "{cut}"
    );
    let whole = Options { from: Some(0), ..Options::default() };
    let whole = picture("Block", &account, &whole).unwrap();
    assert_eq!(whole.svg.matches("\"k-msg\"").count(), 30 * 29);
}

#[test]
fn nothing_at_all_is_refused_with_the_times_that_there_are() {
    let account = account(&runs::calm());
    let last = account.events.last().unwrap().at;
    let late = Options { from: Some(5000), ..Options::default() };
    let expected = format!("there are no events from 5000 on: the trace goes from 0 to {last}");
    assert_eq!(picture("", &account, &late).unwrap_err(), expected);
    let (to, nodes_only) = (Some(0), Some(Vec::new()));
    let nobody = Options { to, nodes_only, ..Options::default() };
    assert!(picture("", &account, &nobody).unwrap_err().starts_with("there are no events up to 0"));
}

#[test]
fn steps_have_the_numbers_of_the_trace() {
    let account = account(&runs::calm());
    assert!(!account.is_in_steps, "all nodes start at 0");
    assert_eq!(account.events[0].number, 7, "seven starts come before it");
    assert_eq!(account.numbered(7), Some(0));
    assert_eq!(account.numbered(3), None, "a start that does nothing");

    // A crash, a miss that comes with it, and what repeats are not counted by a search.
    let lines = [
        r#"{"step":{"at":0,"node":0,"input":"start","effects":[]}}"#,
        r#"{"step":{"at":1,"node":0,"input":{"command":"Acquire"},"effects":[
            {"send":{"to":1,"msg":"Request"}}]}}"#,
        r#"{"fault":{"at":2,"what":{"crash":1}}}"#,
        r#"{"fault":{"at":3,"what":{"missed":0}}}"#,
        r#"{"loop":{"at":3}}"#,
        r#"{"step":{"at":3,"node":0,"input":{"command":"Again"},"effects":[]}}"#,
    ];
    let lines = lines.map(|it| it.replace('\n', ""));
    let account = self::account(&hand_made("lamport", 2, &lines));
    assert!(account.is_in_steps);
    let again = account.numbered(3).unwrap();
    assert_eq!(account.events[again].label, "Again");
    let svg = picture("", &account, &Options { numbers: true, ..Options::default() }).unwrap().svg;
    assert!(svg.contains(">step<") && svg.contains("<title>step 3: Again</title>"));
}

#[test]
fn the_event_that_breaks_a_promise_is_found_and_rest_is_nobodys_fault() {
    let end = |node: Option<u32>| {
        let node = node.map_or(String::new(), |node| format!(r#","node":{node}"#));
        // What is said in words is not read.
        let broken = format!(r#"{{"promise":"p","detail":"node 7 is it"{node}}}"#);
        format!(r#"{{"end":{{"ended":"violation","time":9,"steps":2,"broken":{broken}}}}}"#)
    };
    let step = |effects: &str| {
        let input = r#"{"command":"Acquire"}"#;
        format!(r#"{{"step":{{"at":5,"node":0,"input":{input},"effects":[{effects}]}}}}"#)
    };
    let send = r#"{"send":{"to":1,"msg":"Request"}}"#;
    let lost = r#"{"fault":{"at":0,"what":{"lost":0}}}"#;
    let emit = r#"{"emit":"Granted"}"#;
    for (lines, expected) in [
        (vec![step(emit), end(Some(0))], Some(0)),
        (vec![step(send), end(None)], Some(0)),
        // At rest, node 0 or node 1 waits for ever.
        (vec![step(send), lost.to_owned(), end(Some(0))], None),
        (vec![step(emit), end(Some(1))], None),
        // Something is in transit for ever, and node 1 waits for something else.
        (vec![step(send), end(Some(1))], None),
        (vec![r#"{"loop":{"at":0}}"#.to_owned(), step(send), end(Some(0))], None),
    ] {
        let account = account(&hand_made("lamport", 2, &lines));
        assert_eq!(account.guilty, expected, "{lines:?}");
        let svg = picture("", &account, &Options::default()).unwrap().svg;
        assert_eq!(svg.matches("Broken at time").count(), 1, "once, here or at the end");
        let told_at = if expected.is_some() { "Broken at time 5" } else { "Broken at time 9" };
        assert!(svg.contains(told_at), "{lines:?}");
    }
}

#[test]
fn what_does_not_exist_is_an_error_and_no_panic() {
    let recorded = runs::calm();
    let vocabulary = runs::vocabulary("raymond");
    let draw = |nodes, options: &Options| diagram("", &recorded.lines, nodes, vocabulary, options);
    let causal = Options { causal: Some(100_000), ..Options::default() };
    assert!(draw(7, &causal).unwrap_err().starts_with("there is no step 100000: the last is "));
    let start = Options { causal: Some(3), ..Options::default() };
    assert!(draw(7, &start).unwrap_err().starts_with("step 3 has no effects"));
    let nodes = Options { nodes_only: Some(vec![7]), ..Options::default() };
    assert_eq!(draw(7, &nodes).unwrap_err(), "there is no node 7: nodes are numbered 0 to 6");
    assert!(draw(3, &Options::default()).unwrap_err().contains("there is no node 3 among 3 nodes"));
    let past = Options { causal: Some(20), ..Options::default() };
    assert!(draw(7, &past).unwrap().svg.contains("are left out"));
}
