use konklave::protocol::Protocol;

use super::*;
use crate::Applied;
use crate::puppet::{Heard, Msg, Puppet, Say, Timer, Watch};

const NODES: u32 = 3;

/// A trace that is being written, of three puppets.
struct Writer {
    stage: Stage<Puppet, Unrestricted<Say, Heard>, Watch>,
    lines: Vec<String>,
}

impl Writer {
    /// All puppets have started.
    fn new() -> Self {
        let puppets = vec![Puppet { heard: 0 }; NODES as usize];
        let stage = Stage::unrestricted(puppets, Watch::default());
        let lines = Vec::new();
        Self { stage, lines }.with(NodeId::all(NODES).map(Action::Start))
    }

    fn with(mut self, actions: impl IntoIterator<Item = Action<Puppet>>) -> Self {
        for action in actions {
            let Applied { mut line, .. } = self.stage.apply(&action, &[2, 1]).unwrap();
            if let Line::Step(step) = &mut line {
                step.state = Some(format!("{:?}", self.stage.locals()[step.node.index()].node));
            }
            self.stage.pass_until(self.stage.now() + 1);
            self.push(&line);
        }
        self
    }

    fn push(&mut self, line: &Line<Puppet>) {
        self.lines.push(serde_json::to_string(line).unwrap());
    }

    fn with_line(mut self, text: &str) -> Self {
        self.lines.push(text.to_owned());
        self
    }

    /// The lines of the trace if it ends now, for this reason.
    fn end(mut self, ended: Ended) -> Vec<String> {
        let is_judged = !ended.is_early() && self.stage.broken().is_none();
        if is_judged {
            let _ = self.stage.judge_at_rest();
        }
        let broken = self.stage.broken().cloned();
        self.end_with(ended, broken)
    }

    fn end_with(mut self, ended: Ended, broken: Option<Broken>) -> Vec<String> {
        let (time, steps) = (self.stage.now(), self.stage.steps());
        self.push(&Line::End(End { ended, time, steps, broken }));
        self.lines
    }
}

fn play(lines: &[String]) -> Result<Replayed, ReplayError> {
    play_among(NODES, lines)
}

fn play_among(nodes: u32, lines: &[String]) -> Result<Replayed, ReplayError> {
    let mut lines = lines.iter().map(|line| Ok(line.clone()));
    let make = &|_| AnyNode::new(Puppet { heard: 0 });
    replay(&mut lines, nodes, make, Watch::default(), &mut |_| {})
}

fn say(node: u32, command: Say) -> Action<Puppet> {
    Action::Command { node: NodeId(node), command }
}

/// A bit of everything that keeps its promises.
fn varied() -> Writer {
    let [zero, one, two] = [0, 1, 2].map(NodeId);
    Writer::new().with([
        say(0, Say::TellAll(vec![1, 2, 2])),
        Action::Duplicate(0),
        say(2, Say::Set(Timer::Nap)),
        Action::Deliver(0),
        Action::Lose(0),
        Action::Timer { node: two, timer: Timer::Nap },
        say(2, Say::Draw(5)),
        Action::Crash(two),
        Action::Deliver(2),
        Action::Restart(two),
        Action::Start(two),
        Action::Deliver(1),
        Action::Forge { from: one, to: zero },
        Action::DeliverForged { from: one, to: zero, msg: Msg::Note(7) },
        Action::Spoil { node: one, messages: vec![(two, Msg::Ping)] },
        say(0, Say::Shout),
    ])
}

#[test]
fn what_was_recorded_happens_again() {
    let replayed = play(&varied().end(Ended::Quiescence)).unwrap();
    assert_eq!((replayed.messages, replayed.broken, replayed.end.steps), (3, None, 12));
    for held_back in [r#"{"pause":1}"#, r#"{"resume":1}"#, r#"{"partition":"0/1"}"#] {
        let line = format!(r#"{{"fault":{{"at":99,"what":{held_back}}}}}"#);
        let mut trace = varied();
        trace.stage.pass_until(99);
        play(&trace.with_line(&line).end(Ended::Quiescence)).unwrap();
    }
}

#[test]
fn every_way_to_break_a_promise_is_found_again() {
    let traces: [(&str, Writer, Ended); 5] = [
        ("luck", Writer::new().with([say(0, Say::Draw(13))]), Ended::Violation),
        ("silence", Writer::new().with([say(0, Say::Shout), say(1, Say::Shout)]), Ended::Violation),
        ("long life", Writer::new().with([Action::Crash(NodeId(1))]), Ended::Violation),
        ("noise", Writer::new(), Ended::Violation),
        ("assertions hold", Writer::new().with([say(1, Say::Fail)]), Ended::Violation),
    ];
    for (promise, trace, ended) in traces {
        let replayed = play(&trace.end(ended)).unwrap();
        assert_eq!(replayed.broken.unwrap().promise, promise);
    }
}

/// An invariant is a reason to stop only if the trace says so.
#[test]
fn a_broken_invariant_is_found_if_the_run_was_stopped_for_it() {
    let many = || Writer::new().with([say(0, Say::TellAll(vec![1; 4]))]);
    let invariant = &Puppet { heard: 0 }.invariants()[0];
    let broken = many().stage.snapshot(|system| invariant.judge(system)).unwrap_err();
    let replayed = play(&many().end_with(Ended::Violation, Some(broken.clone()))).unwrap();
    assert_eq!(replayed.broken, Some(broken));
    assert_eq!(play(&many().end(Ended::Violation)).unwrap().broken.unwrap().promise, "noise");
    assert_eq!(play(&many().end(Ended::EventLimit)).unwrap().broken, None);
}

#[test]
fn a_loop_ends_where_it_began() {
    let broken =
        Broken { promise: "comes to rest".into(), detail: "it does not".into(), node: None };
    let round = || [say(0, Say::Set(Timer::Nap)), say(0, Say::Cancel(Timer::Nap))];
    let looping = |rounds: Vec<Action<Puppet>>| {
        let trace = Writer::new().with_line(r#"{"loop":{"at":3}}"#).with(rounds);
        play(&trace.end_with(Ended::Violation, Some(broken.clone())))
    };
    assert_eq!(looping(round().into()).unwrap().broken, Some(broken.clone()));
    let cannot = "the steps that are said to repeat for ever cannot";
    assert_eq!(looping(round()[..1].to_vec()).unwrap_err().problem, cannot, "a timer is pending");
    let tell = say(0, Say::TellAll(vec![1]));
    assert_eq!(looping(vec![tell.clone()]).unwrap_err().problem, cannot, "a message is in transit");
    let heard = looping(vec![tell, Action::Deliver(0)]);
    assert_eq!(heard.unwrap_err().problem, cannot, "node 1 has heard something");
}

/// The varied trace, with a part of this line replaced. The header is line 1.
#[track_caller]
fn changed(line: usize, from: &str, to: &str) -> ReplayError {
    let mut trace = varied().end(Ended::Quiescence);
    let text = &mut trace[line - 2];
    assert!(text.contains(from), "{text}");
    *text = text.replacen(from, to, 1);
    play(&trace).unwrap_err()
}

#[test]
fn a_step_that_was_changed_is_refused_where_it_was() {
    let node = |number: u32| format!(r#""node":{number}"#);
    for (line, from, to, problem) in [
        (2, &*node(0), &*node(7), "there is no node 7 among 3 nodes"),
        (3, &node(1), &node(0), "node 0 is up"),
        (5, "[1,2,2]", "[1,2]", "node 0 does not do '-> 2 Note(2)'"),
        (5, r#""Note":1"#, r#""Note":3"#, "node 0 does '-> 1 Note(1)' where '-> 1 Note(3)' was"),
        (7, r#""at":5"#, r#""at":3"#, "this happens at 3, after something at 4"),
        (7, r#""input""#, r#""number":1,"input""#, "this is not message 1"),
        (7, r#""Set":"Nap""#, r#""Set":"Retry""#, "node 2 does 'set Retry 2s' where 'set Nap 2s'"),
        (8, r#""number":0"#, r#""number":5"#, "message 5 is not on its way"),
        (8, r#","number":0"#, "", "nobody has sent or forged this message"),
        (8, r#""Note":1"#, r#""Note":4"#, "message 0 was 'Note(1)' from node 0 to node 1"),
        (8, &node(1), &node(9), "there is no node 9 among 3 nodes"),
        (8, &node(1), &node(2), "message 0 was 'Note(1)' from node 0 to node 1"),
        (8, "heard: 1", "heard: 2", "node 1 is 'Puppet { heard: 1 }', not 'Puppet { heard: 2 }'"),
        (10, &node(2), &node(1), "timer Nap of node 1 is not pending"),
        (
            10,
            r#"{"emit":{"Woken":"Nap"}}"#,
            "",
            "node 2 does '! Woken(Nap)' where nothing more was",
        ),
        (11, r#""value":2"#, r#""value":7"#, "node 2 does 'choose 4 of 5' where 'choose 7 of 5'"),
        (11, r#""bound":5"#, r#""bound":6"#, "node 2 does 'choose 2 of 5' where 'choose 2 of 6'"),
        (15, &node(2), &node(1), "node 1 is up"),
        (18, r#""from":1"#, r#""from":2"#, "nobody has sent or forged this message"),
        (20, r#""Shout""#, r#""Whisper""#, "this is not a line of a trace, or it is cut off ("),
    ] {
        let error = changed(line, from, to);
        assert_eq!(error.line, line, "{from}: {error}");
        assert!(error.problem.starts_with(problem), "{from}: {error}");
    }
}

#[test]
fn a_fault_that_was_changed_is_refused() {
    let not_on_its_way = "message 9 is not on its way";
    for (line, from, to, at, problem) in [
        (6, r#""doubled":0"#, r#""doubled":9"#, 6, not_on_its_way),
        (9, r#""lost":0"#, r#""lost":9"#, 9, not_on_its_way),
        (13, r#""missed":2"#, r#""missed":9"#, 13, not_on_its_way),
        (12, r#""crash":2"#, r#""crash":9"#, 12, "there is no node 9 among 3 nodes"),
        (12, r#"{"crash":2}"#, r#"{"pause":2}"#, 13, "message 2 reaches node 2, which has not"),
        (13, r#"{"missed":2}"#, r#"{"crash":2}"#, 13, "node 2 has crashed"),
        (14, r#"{"restart":2}"#, r#"{"pause":2}"#, 15, "node 2 has crashed"),
        (14, r#""restart":2"#, r#""restart":1"#, 14, "node 1 is up"),
        (19, r#""Ping""#, r#""Pong""#, 19, "this is not a line of a trace, or it is cut off ("),
    ] {
        let error = changed(line, from, to);
        assert_eq!(error.line, at, "{from}: {error}");
        assert!(error.problem.starts_with(problem), "{from}: {error}");
    }
}

/// A node that never starts could be there or not: the number of nodes was changed.
#[test]
fn every_node_starts_before_anything_else_happens() {
    let error = play_among(NODES + 1, &varied().end(Ended::Quiescence)).unwrap_err();
    assert_eq!(error.line, 5, "{error}");
    assert!(error.problem.contains("node 3 has not started") && error.problem.contains("4 nodes"));
    let shout = Writer::new().with([say(0, Say::Shout)]).end(Ended::Quiescence);
    let starts_only =
        [&shout[..3], &shout[4..]].concat().join("\n").replace("steps\":4", "steps\":3");
    let starts_only: Vec<_> = starts_only.lines().map(str::to_owned).collect();
    let error = play_among(NODES + 1, &starts_only).unwrap_err();
    assert!(error.problem.contains("node 3 has not started"), "{error}");
    // A run that was stopped while nodes started is one.
    let mut stopped = Writer::new().end(Ended::Interrupted);
    stopped.drain(2..3);
    let stopped = stopped.join("\n").replace("steps\":3", "steps\":2");
    let stopped: Vec<_> = stopped.lines().map(str::to_owned).collect();
    play(&stopped).unwrap();
}

#[test]
fn a_crashed_node_takes_no_steps() {
    let mut trace = varied().end(Ended::Quiescence);
    trace.drain(13 - 2..16 - 2); // Now message 1 reaches node 2 while it is down.
    let error = play(&trace).unwrap_err();
    assert_eq!(error.to_string(), "line 13: node 2 has crashed");
}

#[test]
fn an_end_that_was_changed_is_refused() {
    let violation = r#""violation","broken":{"promise":"luck","detail":"none"}"#;
    for (from, to, problem) in [
        (r#""steps":12"#, r#""steps":11"#, "there are 12 steps where 11 were recorded"),
        (r#""time":19"#, r#""time":1"#, "this happens at 1, after something at 18"),
        ("quiescence", "bogus", "this is not a line of a trace"),
        ("quiescence", "violation", "a run ends by a violation if a promise was broken"),
        (r#""quiescence""#, violation, "the replay finds no broken promise where 'luck: none' was"),
    ] {
        let error = changed(21, from, to);
        assert_eq!(error.line, 21, "{from}: {error}");
        assert!(error.problem.starts_with(problem), "{from}: {error}");
    }
    let mut trace = varied().end(Ended::Quiescence);
    let end = trace.pop().unwrap();
    let error = play(&trace).unwrap_err();
    assert_eq!(error.to_string(), "line 20: the trace is cut off: its end is missing");
    trace.extend([end.clone(), end]);
    let error = play(&trace).unwrap_err();
    assert_eq!(error.to_string(), "line 22: the trace has ended, and there is more");
}
