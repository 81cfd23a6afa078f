//! Timers: they ring once, when they should, unless they are stopped or started again.

use konklave_sim::{Ended, Faults, Options};

use super::puppet::{Act, Order, Script, play, play_script};

fn log(orders: &[Order]) -> Vec<String> {
    play(Options::default(), 2, orders).problem
}

#[test]
fn a_timer_rings_once_when_its_time_has_passed() {
    assert_eq!(log(&[(3, 0, Act::Set(7, 10))]), ["13: 0 rings 7"]);
}

#[test]
fn no_timer_rings_at_once() {
    assert_eq!(log(&[(3, 0, Act::Set(7, 0))]), ["4: 0 rings 7"]);
}

#[test]
fn a_timer_can_run_for_ages() {
    let age = 1 << 40;
    assert_eq!(log(&[(3, 0, Act::Set(7, age))]), [format!("{}: 0 rings 7", age + 3)]);
}

#[test]
fn a_timer_that_is_started_again_rings_only_at_its_new_time() {
    let later = [(1, 0, Act::Set(7, 10)), (6, 0, Act::Set(7, 10))];
    assert_eq!(log(&later), ["16: 0 rings 7"]);
    let sooner = [(1, 0, Act::Set(7, 10)), (2, 0, Act::Set(7, 3))];
    assert_eq!(log(&sooner), ["5: 0 rings 7"]);
    let same = [(1, 0, Act::Set(7, 10)), (2, 0, Act::Set(7, 9))];
    assert_eq!(log(&same), ["11: 0 rings 7"]);
}

#[test]
fn a_timer_that_has_rung_can_be_started_anew() {
    let orders = [(1, 0, Act::Set(7, 2)), (3, 0, Act::Set(7, 2))];
    // At time 3 the order comes first, as it was planned first: the timer is restarted.
    assert_eq!(log(&orders), ["5: 0 rings 7"]);
    let orders = [(1, 0, Act::Set(7, 2)), (4, 0, Act::Set(7, 2))];
    assert_eq!(log(&orders), ["3: 0 rings 7", "6: 0 rings 7"]);
}

#[test]
fn a_cancelled_timer_is_silent() {
    assert!(log(&[(1, 0, Act::Set(7, 10)), (10, 0, Act::Cancel(7))]).is_empty());
    let orders = [(1, 0, Act::Set(7, 10)), (5, 0, Act::Cancel(7)), (6, 0, Act::Set(7, 20))];
    assert_eq!(log(&orders), ["26: 0 rings 7"], "only its second start counts");
}

#[test]
fn cancelling_what_is_not_pending_does_nothing() {
    let orders = [(1, 0, Act::Cancel(7)), (2, 0, Act::Set(7, 1)), (9, 0, Act::Cancel(7))];
    assert_eq!(log(&orders), ["3: 0 rings 7"]);
}

#[test]
fn names_and_nodes_keep_their_timers_apart() {
    let orders = [
        (1, 0, Act::Set(1, 10)),
        (1, 0, Act::Set(2, 20)),
        (1, 0, Act::Set(3, 5)),
        (1, 1, Act::Set(1, 30)),
        (2, 1, Act::Cancel(2)),
        (2, 0, Act::Cancel(3)),
        (2, 0, Act::Set(1, 12)),
    ];
    assert_eq!(log(&orders), ["14: 0 rings 1", "21: 0 rings 2", "31: 1 rings 1"]);
}

#[test]
fn timers_of_the_same_tick_ring_in_the_order_of_their_starts() {
    let orders = [(1, 0, Act::Set(9, 4)), (2, 1, Act::Set(5, 3)), (3, 0, Act::Set(1, 2))];
    assert_eq!(log(&orders), ["5: 0 rings 9", "5: 1 rings 5", "5: 0 rings 1"]);
}

#[test]
fn a_crash_ends_all_timers_of_its_node_and_of_no_other() {
    let faults = Faults { crashes: vec!["0@5".parse().unwrap()], ..Faults::default() };
    let options = Options { faults, ..Options::default() };
    let orders = [(1, 0, Act::Set(1, 10)), (1, 0, Act::Set(2, 3)), (1, 1, Act::Set(1, 10))];
    let report = play(options, 2, &orders);
    assert_eq!(report.problem, ["4: 0 rings 2", "5: 0 crashes", "11: 1 rings 1"]);
    assert_eq!(report.ended, Ended::Quiescence);
}

#[test]
fn a_restarted_node_hears_only_the_timers_of_its_new_life() {
    let faults = Faults { crashes: vec!["0@5..8".parse().unwrap()], ..Faults::default() };
    let options = Options { faults, ..Options::default() };
    // After the crash nothing counts any more: the run would rest, but the same name is set again.
    let again = [(4, 0, Act::Set(1, 10))];
    let script = Script::new(&[(1, 0, Act::Set(1, 10)), (2, 0, Act::Set(2, 10))]).then(&again);
    let expected = ["5: 0 crashes", "8: 0 starts", "8: 0 is back", "19: 0 rings 1"];
    assert_eq!(play_script(options, 1, script).problem, expected);
}

#[test]
fn a_cancelled_timer_does_not_keep_the_run_going() {
    let orders = [(1, 0, Act::Set(7, 100)), (10, 0, Act::Cancel(7))];
    let options = Options { time_limit: Some(50), ..Options::default() };
    let report = play(options, 1, &orders);
    assert_eq!((report.ended, report.time), (Ended::Quiescence, 10), "nothing is pending at 10");
}
