//! Nodes that stop: for ever, for a while, or only to catch up later.

use konklave::NodeId;
use konklave_sim::{Delay, Ended, Faults, Options};

use super::puppet::{Act, Script, play, play_script, send, theatre};

fn crashes(texts: &[&str]) -> Options {
    let crashes = texts.iter().map(|text| text.parse().unwrap()).collect();
    Options { faults: Faults { crashes, ..Faults::default() }, ..Options::default() }
}

fn pauses(texts: &[&str]) -> Options {
    let pauses = texts.iter().map(|text| text.parse().unwrap()).collect();
    Options { faults: Faults { pauses, ..Faults::default() }, ..Options::default() }
}

/// Node 0 sends to node 1 at each of these times; a message is called by the time of its arrival.
fn at_times(times: &[u64]) -> Vec<super::puppet::Order> {
    times.iter().map(|&time| (time, 0, send(1, time as u32 + 1))).collect()
}

#[test]
fn a_crashed_node_receives_and_does_nothing_any_more() {
    let mut orders = at_times(&[3, 4, 5, 20]);
    orders.push((7, 1, send(0, 99)));
    let report = play(crashes(&["1@5"]), 2, &orders);
    // What arrives in the tick of the crash is missed already.
    assert_eq!(report.problem, ["4: 1 gets 4 from 0", "5: 1 crashes"]);
    assert_eq!((report.messages.total, report.deliveries), (4, 1), "order 99 was not heard");
    assert_eq!(report.ended, Ended::Quiescence);
}

#[test]
fn what_a_node_sent_before_its_crash_still_arrives() {
    let options = Options { delay: Delay::Constant(10), ..crashes(&["1@5"]) };
    let report = play(options, 2, &[(4, 1, send(0, 99))]);
    assert_eq!(report.problem, ["5: 1 crashes", "14: 0 gets 99 from 1"]);
}

#[test]
fn messages_to_a_crashed_node_do_not_stay_in_flight() {
    let script = Script::new(&[]).then(&[(9, 0, send(1, 1)), (9, 0, send(1, 2))]);
    let report = play_script(crashes(&["1@5"]), 2, script);
    assert_eq!((report.messages.total, report.messages.in_flight_peak), (2, 1));
}

#[test]
fn a_restarted_node_is_new_and_starts_again() {
    let mut theatre = theatre(crashes(&["1@5..9"]), 2, Script::new(&at_times(&[2, 4, 7, 8, 9])));
    let report = theatre.run(&mut |_| true).unwrap();
    let expected = [
        "3: 1 gets 3 from 0",
        "5: 1 crashes",
        "9: 1 starts",
        "9: 1 is back",
        "9: 1 gets 9 from 0", // Sent while it was away.
        "10: 1 gets 10 from 0",
    ];
    assert_eq!(report.problem[2..], expected);
    assert_eq!(theatre.node(NodeId(1)).got, [9, 10], "it has forgotten the first message");
    assert_eq!(report.deliveries, 3);
}

#[test]
fn crashing_twice_at_once_is_crashing_once() {
    let report = play(crashes(&["1@5", "1@6..9"]), 2, &at_times(&[10]));
    let expected = ["5: 1 crashes", "9: 1 starts", "9: 1 is back", "11: 1 gets 11 from 0"];
    assert_eq!(report.problem, expected);
}

#[test]
fn a_crash_in_the_tick_of_a_restart_comes_after_it() {
    let report = play(crashes(&["1@8", "1@5..8"]), 2, &at_times(&[10]));
    assert_eq!(report.problem, ["5: 1 crashes", "8: 1 starts", "8: 1 is back", "8: 1 crashes"]);
}

#[test]
fn a_paused_node_catches_up_in_order() {
    let mut orders = at_times(&[2, 5, 6, 7, 10]);
    orders.push((7, 1, send(0, 99)));
    let report = play(pauses(&["1@4..9"]), 2, &orders);
    let expected = [
        "3: 1 gets 3 from 0",
        "9: 1 gets 6 from 0",
        "9: 1 gets 7 from 0",
        "9: 1 gets 8 from 0",
        "10: 0 gets 99 from 1",
        "11: 1 gets 11 from 0",
    ];
    assert_eq!(report.problem, expected);
    assert_eq!(report.deliveries, 6, "nothing is lost");
}

#[test]
fn what_arrives_in_the_tick_of_the_resumption_comes_after_what_waited() {
    let report = play(pauses(&["1@4..9"]), 2, &at_times(&[7, 8]));
    assert_eq!(report.problem, ["9: 1 gets 8 from 0", "9: 1 gets 9 from 0"]);
}

#[test]
fn fifo_holds_across_pauses() {
    for seed in 1..=20 {
        let delay = Delay::Uniform(1, 30);
        let options =
            Options { seed, fifo: true, delay, ..pauses(&["1@20..60", "1@70..90", "0@30..50"]) };
        let orders: Vec<_> = (1..=100).map(|time| (time, 0, send(1, time as u32))).collect();
        let mut theatre = theatre(options, 2, Script::new(&orders));
        theatre.run(&mut |_| true).unwrap();
        let got = &theatre.node(NodeId(1)).got;
        assert!(got.iter().copied().eq(1..=100), "seed {seed}: {got:?}");
    }
}

#[test]
fn a_timer_of_a_paused_node_rings_when_it_is_back() {
    let orders = [(1, 1, Act::Set(7, 4)), (1, 1, Act::Set(8, 40)), (4, 0, send(1, 5))];
    let report = play(pauses(&["1@2..20"]), 2, &orders);
    assert_eq!(report.problem, ["20: 1 rings 7", "20: 1 gets 5 from 0", "41: 1 rings 8"]);
}

#[test]
fn a_timer_that_ran_out_in_a_pause_can_be_cancelled_by_what_came_before_it() {
    let cancel = Act::Send(1, 5, vec![Act::Cancel(7)]);
    let orders = [(1, 1, Act::Set(7, 10)), (4, 0, cancel)];
    let report = play(pauses(&["1@2..20"]), 2, &orders);
    assert_eq!(report.problem, ["20: 1 gets 5 from 0"]);
}

#[test]
fn a_crash_in_a_pause_loses_what_waited() {
    let mut options = pauses(&["1@4..9"]);
    options.faults.crashes = vec!["1@7..30".parse().unwrap()];
    let report = play(options, 2, &at_times(&[4, 5, 15, 40]));
    let expected = ["7: 1 crashes", "30: 1 starts", "30: 1 is back", "41: 1 gets 41 from 0"];
    assert_eq!(report.problem, expected);
}

#[test]
fn what_a_crash_in_a_pause_loses_does_not_stay_in_flight() {
    let mut options = pauses(&["1@4..9"]);
    options.faults.crashes = vec!["1@7..30".parse().unwrap()];
    let report = play(options, 2, &at_times(&[4, 40]));
    assert_eq!((report.messages.total, report.deliveries), (2, 1));
    assert_eq!(report.messages.in_flight_peak, 1, "the second is sent long after the first");
}
