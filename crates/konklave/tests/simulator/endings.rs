//! How runs end, and what their reports say about it.

use konklave::NodeId;
use konklave_sim::{Delay, Ended, Options, RunReport, Simulation};

use super::puppet::{Act, Order, Puppet, Script, Superstition, UNLUCKY, play, send, theatre};

/// Two puppets that send a number to and fro for ever.
fn endless() -> Script {
    Script::new(&[(1, 0, Act::Send(1, 5, vec![Act::Bounce]))])
}

/// With a monitor that complains about rest: it must be asked at rest, and only then.
fn play_restless(options: Options, script: Script) -> RunReport<Vec<String>> {
    let monitor = Superstition { minds_rest: true };
    let mut simulation = Simulation::new(options, 2, |_| Puppet::default(), script, monitor);
    simulation.run(&mut |_| true).unwrap()
}

fn promises(report: &RunReport<Vec<String>>) -> Vec<&str> {
    report.violations.iter().map(|violation| violation.broken.promise.as_str()).collect()
}

#[test]
fn the_monitor_judges_rest() {
    let report = play_restless(Options::default(), Script::new(&[(5, 0, send(1, 1))]));
    assert_eq!((report.ended, report.time), (Ended::Violation, 6));
    assert_eq!(promises(&report), ["unrest"]);
}

#[test]
fn the_time_limit_is_the_last_tick() {
    for (limit, received) in [(0, 0), (1, 0), (2, 1), (100, 99)] {
        let options = Options { time_limit: Some(limit), ..Options::default() };
        let report = play_restless(options, endless());
        assert_eq!(report.ended, Ended::TimeLimit);
        assert!(report.ended.is_early() && report.violations.is_empty(), "not judged at rest");
        assert_eq!((report.time, report.deliveries), (limit, received));
    }
}

#[test]
fn what_is_over_by_the_time_limit_is_over() {
    let options = Options { time_limit: Some(6), ..Options::default() };
    let report = play(options.clone(), 2, &[(5, 0, send(1, 1))]);
    assert_eq!((report.ended, report.time), (Ended::Quiescence, 6));
    let report = play(options, 2, &[(6, 0, send(1, 1))]);
    assert_eq!((report.ended, report.time), (Ended::TimeLimit, 6), "one tick too late");
}

#[test]
fn a_far_time_limit_is_reached_at_once_if_nothing_happens_until_then() {
    let options = Options { time_limit: Some(1 << 50), ..Options::default() };
    let report = play(options, 2, &[(5, 0, Act::Set(1, 1 << 60))]);
    assert_eq!((report.ended, report.time), (Ended::TimeLimit, 1 << 50));
}

#[test]
fn the_event_limit_counts_steps() {
    let orders: Vec<Order> = (1..=10).map(|time| (2 * time, 0, send(1, time as u32))).collect();
    // Each message is two steps: the order to send it, and its arrival.
    for (limit, received) in [(0, 0), (1, 0), (2, 1), (3, 1), (19, 9)] {
        let options = Options { event_limit: Some(limit), ..Options::default() };
        let report = play_restless(options, Script::new(&orders));
        assert_eq!((report.ended, report.deliveries), (Ended::EventLimit, received));
        assert!(report.ended.is_early() && report.violations.is_empty(), "not judged at rest");
    }
    let options = Options { event_limit: Some(20), ..Options::default() };
    let report = play(options, 2, &orders);
    assert_eq!((report.ended, report.deliveries), (Ended::Quiescence, 10), "just enough");
}

#[test]
fn an_interrupted_run_reports_what_it_has_and_says_so() {
    let monitor = Superstition { minds_rest: true };
    let make = |_| Puppet::default();
    let mut simulation = Simulation::new(Options::default(), 2, make, endless(), monitor);
    let mut looks = Vec::new();
    let report = simulation
        .run(&mut |progress| {
            looks.push(progress);
            looks.len() < 3
        })
        .unwrap();
    assert_eq!(report.ended, Ended::Interrupted);
    assert_eq!(report.ended.to_string(), "interrupted");
    assert!(report.ended.is_early() && report.violations.is_empty(), "not judged at rest");
    assert_eq!(looks.len(), 3, "asked until it is told to stop");
    assert!(looks.is_sorted_by(|a, b| a.time < b.time && a.deliveries < b.deliveries));
    let last = looks[2];
    assert_eq!((report.time, report.deliveries), (last.time, last.deliveries));
    assert_eq!(last.time, last.deliveries + 1, "one message per tick, the first sent at 1");
    assert_eq!(last.pending, 1);
    assert_eq!(report.messages.total, report.deliveries + 1);
    let got: usize = NodeId::all(2).map(|node| simulation.node(node).got.len()).sum();
    assert_eq!(got as u64, report.deliveries);
}

#[test]
fn a_protocol_that_never_rests_ends_when_its_workload_is_done() {
    let options = Options { perpetual: true, delay: Delay::Constant(4), ..Options::default() };
    let report = play_restless(options, endless());
    assert_eq!((report.ended, report.time), (Ended::Violation, 5), "done, so it is judged");
    assert_eq!(promises(&report), ["unrest"]);
    let options = Options { perpetual: true, ..Options::default() };
    let report = theatre(options, 2, endless()).run(&mut |_| true).unwrap();
    assert_eq!((report.ended, report.deliveries), (Ended::Done, 1));
    assert!(!report.ended.is_early());
}

#[test]
fn a_broken_promise_ends_the_run_at_once() {
    let orders = [(1, 0, send(1, 12)), (2, 0, send(1, UNLUCKY)), (3, 0, send(1, 14))];
    let report = play(Options::default(), 2, &orders);
    assert_eq!((report.ended, report.deliveries), (Ended::Violation, 2));
    let [violation] = &report.violations[..] else { panic!("{:?}", report.violations) };
    assert_eq!(violation.time, 3);
    assert_eq!(violation.broken.to_string(), "luck: node 1");
}

#[test]
fn a_failed_assertion_is_a_broken_promise_and_no_panic() {
    let orders = [(1, 0, send(1, 4)), (5, 0, Act::Send(1, 5, vec![Act::Fail])), (9, 0, send(1, 6))];
    let mut theatre = theatre(Options::default(), 2, Script::new(&orders));
    let report = theatre.run(&mut |_| true).unwrap();
    assert_eq!((report.ended, report.time, report.deliveries), (Ended::Violation, 6, 2));
    let [violation] = &report.violations[..] else { panic!("{:?}", report.violations) };
    assert_eq!(violation.time, 6);
    assert_eq!(violation.broken.promise, "assertions hold");
    assert_eq!(violation.broken.detail, "the puppet was told to fail");
    assert_eq!(theatre.node(NodeId(1)).got, [4, 5], "the nodes can still be looked at");
}

#[test]
fn a_run_in_which_nothing_is_wanted_ends_at_once() {
    for nodes in [0, 1, 2] {
        let report = play(Options::default(), nodes, &[]);
        assert_eq!((report.ended, report.time), (Ended::Quiescence, 0));
        assert_eq!((report.messages.total, report.causal_depth), (0, 0));
    }
}

#[test]
fn rest_is_reached_as_often_as_something_is_wanted_after_it() {
    let script =
        Script::new(&[(1, 0, send(1, 1))]).then(&[(10, 1, send(0, 2)), (5, 0, send(1, 3))]);
    let report = super::puppet::play_script(Options::default(), 2, script);
    assert_eq!(
        report.problem,
        ["2: 1 gets 1 from 0", "13: 0 gets 2 from 1", "19: 1 gets 3 from 0"]
    );
}
