use super::*;

#[test]
fn a_round_delivers_what_was_in_flight_in_the_order_sent() {
    let ping = |from, to| format!("{from} send {{\"to\": {to}, \"msg\": \"Ping\"}}\n");
    let pings = ping(2, 0) + &ping(1, 0);
    let sent = ["2 -> 0 Ping", "1 -> 0 Ping", "0 -> 2 Note(1)", "0 -> 1 Note(2)"];
    assert_eq!(output(&format!("{pings}deliver")), sent);
    let nothing = [&sent[..], &["nothing in flight"]].concat();
    assert_eq!(output(&format!("{pings}deliver\ndeliver\nflight")), nothing);
    for settle in ["settle", "deliver all"] {
        assert_eq!(output(&format!("{pings}{settle}\nflight")), nothing);
    }
}

#[test]
fn the_oldest_message_of_a_channel_is_meant_unless_a_number_says_otherwise() {
    let sent = "0 tell-all [2, 1, 0]\n0 send {\"to\": 1, \"msg\": \"Ping\"}\n";
    let rest = |command| output(&format!("{sent}{command}\nflight"))[4..].to_vec();
    let [note_2, note_1, note_0] = [2, 1, 0].map(|to| format!("in flight: 0 -> {to} Note({to})"));
    let [note_2, note_1, note_0] = [&*note_2, &*note_1, &*note_0];
    let ping = "in flight: 0 -> 1 Ping";
    assert_eq!(rest("deliver 0 -> 1"), [note_2, note_0, ping]);
    assert_eq!(
        rest("deliver 0 -> 1 2"),
        ["1 -> 0 Note(1)", note_2, note_1, note_0, "in flight: 1 -> 0 Note(1)"],
        "the ping overtakes the note and is answered"
    );
    assert_eq!(rest("lose 0 -> 1"), [note_2, note_0, ping]);
    assert_eq!(rest("lose 0 -> 1 2"), [note_2, note_1, note_0]);
    assert_eq!(rest("duplicate 0 -> 1"), [note_2, note_1, note_0, ping, note_1]);
    assert_eq!(rest("duplicate 0 -> 1 2"), [note_2, note_1, note_0, ping, ping]);
}

#[test]
fn a_message_has_to_be_in_flight() {
    assert_eq!(problem("deliver"), "nothing is in flight that could be delivered");
    for command in ["deliver", "lose", "duplicate"] {
        assert_eq!(
            problem(&format!("{command} 1 -> 0")),
            "no message from 1 to 0 is in flight; nothing is in flight"
        );
        assert_eq!(
            problem(&format!("2 tell-all [0]\n{command} 1 -> 0")),
            "no message from 1 to 0 is in flight; in flight: 2 -> 0 Note(0)"
        );
        assert_eq!(
            problem(&format!("0 tell-all [1, 2]\n{command} 0 -> 1 2")),
            "no message 2 from 0 to 1 is in flight; in flight: 0 -> 1 Note(1), 0 -> 2 Note(2)"
        );
    }
}

#[test]
fn what_never_settles_is_an_error() {
    assert_eq!(
        problem("0 send {\"to\": 1, \"msg\": \"Rumour\"}\nsettle"),
        "no end in sight after 100000 deliveries"
    );
}

#[test]
fn counts_what_nodes_sent_by_kind() {
    assert_eq!(output("count"), ["0 messages"]);
    assert_eq!(output("0 tell-all [1]\ncount")[1..], ["1 message: 1 Note"]);
    let wrapped = "0 send {\"to\": 1, \"msg\": {\"Wrapped\": \"Ping\"}}";
    assert_eq!(output(&format!("{wrapped}\ncount"))[1..], ["1 message: 1 Wrapped.Ping"]);
    let commands = "0 send {\"to\": 1, \"msg\": \"Ping\"}\n0 tell-all [1, 2]\n";
    let faults = "duplicate 0 -> 2\nlose 0 -> 1 2\n";
    assert_eq!(
        output(&format!("{commands}{faults}count"))[3..],
        ["3 messages: 2 Note, 1 Ping"],
        "a copy was not sent by a node, a lost message was"
    );
}

#[test]
fn a_crashed_node_hears_and_does_nothing() {
    assert_eq!(
        output("0 send {\"to\": 2, \"msg\": \"Ping\"}\ncrash 2\nsettle\nstate 2"),
        ["0 -> 2 Ping", "2 has crashed"]
    );
    assert_eq!(
        output("0 send {\"to\": 2, \"msg\": \"Ping\"}\ncrash 0\ndeliver"),
        ["0 -> 2 Ping", "2 -> 0 Note(1)"],
        "what it has sent still arrives"
    );
    assert_eq!(output("crash 1"), ["broken long life: node 1 is dead"]);
    for command in ["2 shout", "crash 2", "timer 2"] {
        let commands = format!("2 set \"Nap\"\ncrash 2\n{command}");
        assert_eq!(problem(&commands), "node 2 has crashed");
    }
}

#[test]
fn rest_tells_who_waits_for_whom_if_something_is_missing() {
    let waiting = ["1 waits for 0, 1", "2 waits for 0"];
    assert_eq!(output("0 tell-all [1, 1, 2]\nsettle\nrest")[4..], waiting);
    assert_eq!(output("0 tell-all [1, 1, 2]\nsettle\ncrash 2\nrest")[4..], waiting[..1]);
    assert_eq!(output("0 tell-all [1]\nsettle\n0 shout\nrest")[1..], ["0 ! Shouted", "at rest"]);
}

#[test]
fn rest_asks_the_monitor_what_is_missing() {
    assert_eq!(output("rest"), ["broken noise: nobody has shouted"]);
    assert_eq!(output("0 shout\nrest"), ["0 ! Shouted", "at rest"]);
    assert_eq!(problem("0 tell-all [1]\nrest"), "this is no rest; in flight: 0 -> 1 Note(1)");
}
