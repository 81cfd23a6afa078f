use super::*;

#[test]
fn a_command_can_have_an_argument() {
    assert_eq!(output("2 shout"), ["2 ! Shouted"]);
    assert_eq!(output("0 tell-all [2, 1]"), ["0 -> 2 Note(2)", "0 -> 1 Note(1)"]);
    assert_eq!(output("0 send {\"to\": 0, \"msg\": \"Ping\"}"), ["0 -> 0 Ping"]);
}

#[test]
fn a_command_has_to_exist() {
    let problem = problem("0 whisper");
    assert!(problem.starts_with("node 0 has no such command: unknown variant `Whisper`"));
    assert!(problem.contains("`Shout`"), "the error names those that exist");
    assert!(super::problem("0 shout 3").starts_with("node 0 has no such command: "));
    assert!(super::problem("0 draw").starts_with("node 0 has no such command: "));
}

#[test]
fn an_argument_is_json() {
    assert_eq!(
        problem("0 tell-all [1"),
        "the argument `[1` is no JSON: EOF while parsing a list at line 1 column 2"
    );
}

#[test]
fn a_node_has_to_exist() {
    let expected = "there is no node 3; there are 3, counted from 0";
    for command in ["3 shout", "timer 3", "crash 3", "state 3", "watch 3"] {
        assert_eq!(problem(command), expected);
    }
    assert_eq!(problem("1 tell-all [3]"), format!("node 1 sends to nobody: {expected}"));
}

#[test]
fn the_monitor_sees_commands_and_events() {
    assert_eq!(
        output("2 draw 13"),
        ["broken luck: node 2 draws from 13", "2 choose 0 of 13"],
        "a command is judged before the node acts"
    );
    assert_eq!(output("0 shout\n1 shout")[2], "broken silence: node 1 shouts again");
}

#[test]
fn whatever_is_printed_is_one_line() {
    assert_eq!(output("0 sing"), ["0 ! Sung(la la)"]);
}

#[test]
fn the_state_shows_what_a_node_has_learnt() {
    assert_eq!(
        output("state 1\n0 tell-all [1]\ndeliver\nstate 1"),
        ["1 Puppet { heard: 0 }", "0 -> 1 Note(1)", "1 Puppet { heard: 1 }"]
    );
}

#[test]
fn a_watched_node_is_shown_when_it_changes() {
    let note = "0 tell-all [1]\ndeliver\n";
    let ping = "0 send {\"to\": 1, \"msg\": \"Ping\"}\ndeliver\n";
    assert_eq!(
        output(&format!("{note}watch 1\n1 shout\n{ping}1 set \"Nap\"")),
        [
            "0 -> 1 Note(1)",
            "1 ! Shouted",
            "0 -> 1 Ping",
            "1 -> 0 Note(2)",
            "1 Puppet { heard: 2 }",
            "1 set Nap 2s",
        ],
        "not for what has happened before, nor for steps that change nothing"
    );
    let all = output(&format!("watch all\n{note}0 tell-all [2]\nsettle"));
    let shown: Vec<_> = all.iter().filter(|line| line.contains("Puppet")).collect();
    assert_eq!(shown, ["1 Puppet { heard: 1 }", "2 Puppet { heard: 1 }"]);
    let others = output(&format!("watch 0\nwatch 2\n{}", note.trim_end()));
    assert_eq!(others, ["0 -> 1 Note(1)"]);
    assert_eq!(output("watch 2\n0 tell-all [2]\ncrash 2\ndeliver"), ["0 -> 2 Note(2)"]);
}

#[test]
fn a_failed_assertion_is_a_broken_promise() {
    assert_eq!(output("1 fail"), ["1 -> 0 Ping", "broken assertions hold: it was told to"]);
}

#[test]
fn a_timer_runs_out_once() {
    let set = "0 set \"Nap\"\n1 set \"Nap\"\n0 set \"Nap\"\n";
    assert_eq!(
        output(&format!("{set}timer 0"))[2..],
        ["0 set Nap 2s", "0 ! Woken(Nap)"],
        "set twice, it was restarted"
    );
    assert_eq!(problem(&format!("{set}timer 0\ntimer 0")), "node 0 has no timer pending");
    let cancelled = "0 cancel \"Nap\"\n";
    assert_eq!(
        output(&format!("{set}{cancelled}timer 1"))[3..5],
        ["0 cancel Nap", "1 ! Woken(Nap)"]
    );
    assert_eq!(problem(&format!("{set}{cancelled}timer 0")), "node 0 has no timer pending");
}

#[test]
fn a_timer_is_found_by_the_start_of_its_name() {
    let set = "1 set \"Nap\"\n0 set \"RetryAll\"\n0 set \"Nap\"\n0 set \"Retry\"\n";
    let woken = |name: &str| output(&format!("{set}timer 0 {name}"))[4].clone();
    assert_eq!(woken("Na"), "0 ! Woken(Nap)");
    assert_eq!(woken("RetryA"), "0 ! Woken(RetryAll)");
    assert_eq!(woken("Retry"), "0 ! Woken(Retry)", "a whole name is nobody else's start");
    let pending = "pending; pending: Nap, Retry, RetryAll";
    let missed = |name: &str| problem(format!("{set}timer 0 {name}").trim_end());
    assert_eq!(missed(""), format!("node 0 has more than one timer {pending}"));
    assert_eq!(missed("Re"), format!("node 0 has more than one timer `Re` {pending}"));
    assert_eq!(missed("Rest"), format!("node 0 has no timer `Rest` {pending}"));
}

#[test]
fn choices_are_given_in_turn_then_zero() {
    let draws = "0 draw 5\n1 draw 4\n0 draw 9";
    assert_eq!(
        output(&format!("choose 4 3\n{draws}")),
        ["0 choose 4 of 5", "1 choose 3 of 4", "0 choose 0 of 9"]
    );
    assert_eq!(output("choose 1 2\nchoose 3\n0 draw 5\n0 draw 5")[1], "0 choose 0 of 5");
    assert_eq!(
        problem("choose 5\n0 draw 5"),
        "node 0 chooses one of 5 numbers, counted from 0; 5 is too large"
    );
}

#[test]
fn what_nodes_do_at_the_start_is_seen_first() {
    let busy = "0 set Nap 10ms\n0 -> 1 Ping\n1 set Nap 10ms\n1 -> 1 Ping\n";
    let at_once = format!("nodes 2\n\n0 shout\n---\n{busy}0 ! Shouted\n");
    let apart = format!("nodes 2\n\nstart\n---\n{busy}\n0 shout\n---\n0 ! Shouted\n");
    for text in [at_once, apart] {
        let script = Script::parse(&text).unwrap();
        let nodes = vec![AnyNode::new(Puppet { heard: 1 }); 2];
        assert_eq!(script.play(nodes, Watch::default()).unwrap(), text);
    }
    assert_eq!(problem("0 shout\nstart"), "`start` can only be the first command");
}

#[test]
fn what_goes_wrong_at_the_start_is_blamed_on_the_first_line() {
    let script = Script::parse("nodes 1\n\nstart\n---\n").unwrap();
    let error = script.play(vec![AnyNode::new(Puppet { heard: 1 })], Watch::default()).unwrap_err();
    let expected =
        "line 1: node 0 sends to nobody: there is no node 1; there are 1, counted from 0";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn no_nodes_are_no_problem() {
    let script = Script::parse("nodes 0\n\n0 shout\n---\n").unwrap();
    let error = script.play(Vec::new(), Watch::default()).unwrap_err();
    assert_eq!(error.to_string(), "line 3: there is no node 0; there are 0, counted from 0");
}
