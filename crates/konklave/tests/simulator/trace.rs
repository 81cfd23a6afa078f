//! The trace of a run: what is in it, that it is complete, and that it can be replayed.

mod audit;

use std::io::{self, Write};

use konklave::NodeId;
use konklave::protocol::{Effect, Input, Protocol};
use konklave::trace::{Fault, Line, Step};
use konklave_sim::workload::Workload;
use konklave_sim::{Delay, Ended, Faults, Options, Recording, RunReport};

use super::cast::{Director, NODES, Run, each, stormy};
use super::puppet::{Act, Event, Msg, Order, Puppet, Script, UNLUCKY, send, theatre};
use audit::{audit, parse};

/// Runs puppets and reads their trace back.
fn play(
    options: Options,
    nodes: u32,
    orders: &[Order],
) -> (Vec<Line<Puppet>>, RunReport<Vec<String>>) {
    let mut buffer = Vec::new();
    let mut theatre = theatre(options, nodes, Script::new(orders));
    theatre.record(Recording::new(&mut buffer, true));
    let report = theatre.run(&mut |_| true).unwrap();
    drop(theatre);
    (parse(&buffer), report)
}

#[test]
fn a_trace_tells_everything_in_order() {
    let orders = [(3, 0, Act::Set(7, 4)), (5, 0, Act::Send(1, 8, vec![Act::Choose(1)]))];
    let (lines, _) = play(Options::default(), 2, &orders);
    let step = |at, node, input, number, effects: &[Effect<Puppet>], got: &[u32]| {
        let state = Some(format!("Puppet {{ got: {got:?} }}"));
        Line::Step(Step { at, node: NodeId(node), input, number, effects: effects.into(), state })
    };
    let after = std::time::Duration::from_millis(4);
    let msg = Msg { number: 8, acts: vec![Act::Choose(1)] };
    let send = Effect::Send { to: NodeId(1), msg: msg.clone() };
    let got = Event::Got { from: NodeId(0), number: 8 };
    let choose = Effect::Choose { bound: 1, value: 0 };
    let expected = [
        step(0, 0, Input::Start, None, &[Effect::Emit(Event::Started)], &[]),
        step(0, 1, Input::Start, None, &[Effect::Emit(Event::Started)], &[]),
        step(
            3,
            0,
            Input::Command(Act::Set(7, 4)),
            None,
            &[Effect::SetTimer { timer: 7, after }],
            &[],
        ),
        step(5, 0, Input::Command(orders[1].2.clone()), None, &[send], &[]),
        step(
            6,
            1,
            Input::Message { from: NodeId(0), msg },
            Some(0),
            &[Effect::Emit(got), choose, Effect::Emit(Event::Chose(0))],
            &[8],
        ),
        step(7, 0, Input::Timer(7), None, &[Effect::Emit(Event::Rang(7))], &[]),
    ];
    assert_eq!(lines[..6], expected);
    let Line::End(end) = &lines[6] else { panic!("{:?}", lines[6]) };
    assert_eq!((end.ended, end.time, end.steps), (Ended::Quiescence, 7, 6));
    assert_eq!((&end.broken, lines.len()), (&None, 7));
}

#[test]
fn recording_does_not_change_the_costs() {
    let third = Act::Send(0, 3, vec![]);
    let second = Act::Send(2, 2, vec![third]);
    let orders = [(1, 0, Act::Send(1, 1, vec![second])), (2, 1, send(2, 9)), (50, 1, send(2, 8))];
    let faults = Faults { duplicate: 0.5, ..Faults::default() };
    for faults in [Faults::default(), faults] {
        let options = Options { faults, ..Options::default() };
        let (_, recorded) = play(options.clone(), 3, &orders);
        let plain = theatre(options, 3, Script::new(&orders)).run(&mut |_| true).unwrap();
        assert_eq!((recorded.causal_depth, plain.causal_depth), (3, 3));
        assert_eq!(recorded.messages, plain.messages);
    }
}

#[test]
fn states_are_left_out_unless_asked_for() {
    let mut buffer = Vec::new();
    let mut theatre = theatre(Options::default(), 1, Script::new(&[(3, 0, send(0, 4))]));
    theatre.record(Recording::new(&mut buffer, false));
    theatre.run(&mut |_| true).unwrap();
    drop(theatre);
    assert!(!String::from_utf8(buffer.clone()).unwrap().contains("state"));
    let lines: Vec<Line<Puppet>> = parse(&buffer);
    assert!(lines.iter().all(|line| !matches!(line, Line::Step(step) if step.state.is_some())));
}

#[test]
fn faults_stand_where_they_happen() {
    let outage = |text: &str| vec![text.parse().unwrap()];
    let faults = Faults {
        crashes: outage("1@10..20"),
        pauses: outage("1@30..40"),
        partitions: vec!["0/1@50..60".parse().unwrap()],
        ..Faults::default()
    };
    let orders: Vec<_> = [12, 32, 52].map(|at| (at, 0, send(1, at as u32))).into();
    let (lines, _) = play(Options { faults, ..Options::default() }, 2, &orders);
    let what: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Fault { at, what } => Some(format!("{at} {what:?}")),
            Line::Step(step) => match &step.input {
                Input::Message { msg, .. } => Some(format!("{} got {}", step.at, msg.number)),
                _ => None,
            },
            Line::Loop { .. } | Line::End(_) => None,
        })
        .collect();
    let expected = [
        "10 Crash(1)",
        "13 Missed(0)",
        "20 Restart(1)",
        "30 Pause(1)",
        "40 Resume(1)",
        "40 got 32",
        "50 Partition(\"0/1@50..60\")",
        "52 Lost(2)",
        "60 Heal(\"0/1@50..60\")",
    ];
    assert_eq!(what, expected);
}

#[test]
fn every_end_is_told() {
    let endless = Act::Send(0, 5, vec![Act::Bounce]);
    let limited = Options { time_limit: Some(50), ..Options::default() };
    let few = Options { event_limit: Some(9), ..Options::default() };
    let cases = [
        (Options::default(), send(0, 5), Ended::Quiescence, None),
        (limited, endless.clone(), Ended::TimeLimit, None),
        (few, endless, Ended::EventLimit, None),
        (Options::default(), send(0, UNLUCKY), Ended::Violation, Some("luck")),
        (Options::default(), Act::Fail, Ended::Violation, Some("assertions hold")),
    ];
    for (options, act, ended, promise) in cases {
        let (lines, report) = play(options, 1, &[(1, 0, act)]);
        assert_eq!(report.ended, ended);
        let Some(Line::End(end)) = lines.last() else { panic!("{ended}: {:?}", lines.last()) };
        assert_eq!((end.ended, end.time), (ended, report.time));
        assert_eq!(end.broken.as_ref().map(|broken| broken.promise.as_str()), promise);
        let broken = report.violations.first().map(|violation| &violation.broken);
        assert_eq!(end.broken.as_ref(), broken);
    }
}

#[test]
fn a_step_that_fails_is_the_last_one() {
    let (lines, _) = play(Options::default(), 1, &[(1, 0, send(0, 5)), (3, 0, Act::Fail)]);
    let [.., Line::Step(step), Line::End(_)] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((step.at, &step.input), (3, &Input::Command(Act::Fail)));
}

/// Every trace is consistent in itself and with the report, and replays.
struct Auditor;

impl Director for Auditor {
    fn direct<'a, P: Protocol, W: Workload<Command = P::Command, Event = P::Event>>(
        &mut self,
        name: &str,
        make: impl Fn(NodeId) -> P,
        stage: impl Fn(Options) -> Run<'a, P, W>,
    ) {
        for seed in 1..=5 {
            let calm = Options { seed, delay: Delay::Uniform(1, 20), ..Options::default() };
            let storm = stormy(seed);
            let slow = Options { delay: Delay::Exponential(30), time_limit: None, ..stormy(seed) };
            for options in [calm.clone(), Options { fifo: true, ..calm }, storm, slow] {
                let options = Options { event_limit: Some(20_000), ..options };
                let context = format!("{name}, {options:?}");
                let shared = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
                let mut run = stage(options.clone());
                run.record(Recording::new(Shared(shared.clone()), true));
                let report = run.run(&mut |_| true).unwrap();
                let lines = parse::<P>(&shared.borrow());
                audit(&lines, NODES, &make, options.fifo, &context);
                let Some(Line::End(end)) = lines.last() else { panic!("{context}: no end") };
                assert_eq!((end.ended, end.time), (report.ended, report.time));
                let sent = |line: &Line<P>| match line {
                    Line::Step(step) => step.effects.iter().filter(|e| is_send(e)).count(),
                    _ => 0,
                };
                let sent: usize = lines.iter().map(sent).sum();
                assert_eq!(sent as u64, report.messages.total, "{context}");
            }
        }
    }
}

fn is_send<P: Protocol>(effect: &Effect<P>) -> bool {
    matches!(effect, Effect::Send { .. })
}

#[test]
fn every_trace_is_consistent_and_replays() {
    each(&mut Auditor);
}

#[test]
fn what_a_crash_in_a_pause_loses_is_in_the_trace() {
    let outage = |text: &str| vec![text.parse().unwrap()];
    let faults = Faults { crashes: outage("1@7"), pauses: outage("1@4..9"), ..Faults::default() };
    let (lines, _) = play(Options { faults, ..Options::default() }, 2, &[(5, 0, send(1, 1))]);
    let missed = |line: &Line<Puppet>| matches!(line, Line::Fault { what: Fault::Missed(0), .. });
    assert!(lines.iter().any(missed), "message 0 reached a node that crashed: {lines:?}");
}

#[test]
fn a_forged_message_that_reaches_a_crashed_node_has_no_number() {
    let crashes = vec!["1@7".parse().unwrap()];
    let corruptions = vec!["channel:0-1@9".parse().unwrap()];
    let faults = Faults { crashes, corruptions, ..Faults::default() };
    let (lines, _) = play(Options { faults, ..Options::default() }, 2, &[(1, 0, send(1, 1))]);
    for line in &lines {
        if let Line::Fault { what: Fault::Missed(number), .. } = line {
            assert_eq!(*number, 0, "only message 0 was sent: {lines:?}");
        }
    }
}

/// An output that can be read while it is written.
struct Shared(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An output with room for so many bytes, which may fail in the very end too.
struct Full {
    room: usize,
    flushes: bool,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.room {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room left"));
        }
        self.room -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.flushes { Ok(()) } else { Err(io::Error::other("cannot flush")) }
    }
}

#[test]
fn an_output_that_fails_is_an_error() {
    let run = |room, flushes| {
        let mut theatre = theatre(Options::default(), 2, Script::new(&[(1, 0, send(1, 5))]));
        theatre.record(Recording::new(Full { room, flushes }, false));
        theatre.run(&mut |_| true).map(|report| report.ended)
    };
    for room in [0, 1, 100, 400] {
        let error = run(room, true).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "room for {room} bytes");
        assert_eq!(error.to_string(), "no room left");
    }
    assert_eq!(run(10_000, true).unwrap(), Ended::Quiescence);
    assert_eq!(run(10_000, false).unwrap_err().to_string(), "cannot flush");
}

#[test]
fn an_endless_run_stops_when_its_output_fails() {
    let orders = [(1, 0, Act::Send(1, 5, vec![Act::Bounce]))];
    let mut theatre = theatre(Options::default(), 2, Script::new(&orders));
    theatre.record(Recording::new(Full { room: 5000, flushes: true }, false));
    let mut looks = 0;
    let result = theatre.run(&mut |_| {
        looks += 1;
        looks < 100 // Or else the test would not end.
    });
    assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(looks, 0, "nobody had to stop it");
}
