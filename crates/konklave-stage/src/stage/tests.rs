use konklave::protocol::{Effect, Input, Protocol};
use konklave::trace::{Fault, Step};

use super::*;
use crate::puppet::{Heard, Msg, Puppet, Say, Timer, Watch};
use crate::{Action, Standing};

mod faults;
mod leaving;
mod rules;

type PuppetStage<A = Unrestricted<Say, Heard>> = Stage<Puppet, A, Watch>;

/// So many puppets, all awake.
fn awake(nodes: u32) -> PuppetStage {
    let stage = Stage::unrestricted(vec![Puppet { heard: 0 }; nodes as usize], Watch::default());
    started(stage)
}

fn started<A: Application<Command = Say, Event = Heard>>(
    mut stage: PuppetStage<A>,
) -> PuppetStage<A> {
    for node in stage.nodes() {
        stage.apply(&Action::Start(node), &[]).unwrap();
    }
    stage
}

fn say(node: u32, command: Say) -> Action<Puppet> {
    Action::Command { node: NodeId(node), command }
}

fn send(from: u32, to: u32, msg: Msg) -> Action<Puppet> {
    say(from, Say::Send { to: NodeId(to), msg })
}

/// Lets these happen one after the other.
#[track_caller]
fn perform<A>(stage: &mut PuppetStage<A>, actions: impl IntoIterator<Item = Action<Puppet>>)
where
    A: Application<Command = Say, Event = Heard>,
{
    for action in actions {
        stage.apply(&action, &[]).unwrap();
    }
}

/// The numbers of what is in transit.
fn numbers<A: Application<Command = Say, Event = Heard>>(stage: &PuppetStage<A>) -> Vec<u32> {
    stage.transit().map(|letter| letter.number).collect()
}

#[test]
fn a_step_is_told_as_a_line_of_a_trace() {
    let mut stage = awake(2);
    stage.pass_until(7);
    perform(&mut stage, [send(0, 1, Msg::Ping)]);
    stage.pass_until(3); // It does not go backwards.
    let outcome = stage.apply(&Action::Deliver(0), &[]).unwrap();
    let expected = Step {
        at: 7,
        node: NodeId(1),
        input: Input::Message { from: NodeId(0), msg: Msg::Ping },
        number: Some(0),
        effects: vec![Effect::Send { to: NodeId(0), msg: Msg::Note(1) }],
        state: None,
    };
    assert_eq!((outcome.line, outcome.broken), (Line::Step(expected), Vec::new()));
    assert_eq!((stage.sent(), stage.steps(), stage.now()), (2, 4, 7));
    let letter = stage.letter(1).unwrap();
    assert_eq!((letter.number, letter.from, letter.to), (1, NodeId(1), NodeId(0)));
    assert_eq!(stage.local(NodeId(1)).unwrap().node.heard, 1);
    assert_eq!(stage.letter(0), Err(Impossible::NotInTransit(0)));
}

#[test]
fn a_clone_is_the_way_back() {
    let mut stage = awake(2);
    let before = stage.clone();
    perform(&mut stage, [say(0, Say::Shout), send(0, 1, Msg::Ping), Action::Crash(NodeId(1))]);
    assert_eq!(stage.broken().unwrap().promise, "long life");
    assert_ne!(stage.locals(), before.locals());
    assert_eq!((before.sent(), before.steps(), before.broken()), (0, 2, None));
    assert!(before.is_at_rest() && !before.was_asked());
}

#[test]
fn choices_are_those_that_are_given_and_then_zero() {
    let mut stage = awake(1);
    for (choices, value) in [(&[3, 1][..], 3), (&[], 0)] {
        let outcome = stage.apply(&say(0, Say::Draw(5)), choices).unwrap();
        let Line::Step(step) = outcome.line else { panic!("{:?}", outcome.line) };
        assert_eq!(step.effects, [Effect::Choose { bound: 5, value }]);
    }
}

#[test]
fn a_breach_has_its_place_in_the_step_and_the_first_one_is_remembered() {
    let mut stage = awake(2);
    let outcome = stage.apply(&say(0, Say::Draw(13)), &[]).unwrap();
    assert_eq!((outcome.broken[0].effects, outcome.broken.len()), (0, 1));
    perform(&mut stage, [say(0, Say::Shout)]);
    let outcome = stage.apply(&say(1, Say::Shout), &[]).unwrap();
    assert_eq!(outcome.broken[0].effects, 1);
    assert_eq!(outcome.broken[0].broken.promise, "silence");
    assert_eq!(stage.broken().unwrap().promise, "luck");
}

#[test]
fn a_failed_assertion_is_a_broken_promise_and_what_came_before_it_happens() {
    let mut stage = awake(1);
    let outcome = stage.apply(&say(0, Say::Fail), &[]).unwrap();
    let broken =
        Broken { promise: "assertions hold".into(), detail: "it was told to".into(), node: None };
    assert_eq!(outcome.broken, [Breach { effects: 1, broken: broken.clone() }]);
    assert_eq!((numbers(&stage), stage.broken()), (vec![0], Some(&broken)));
}

#[test]
fn what_is_sent_to_nobody_has_a_number_and_does_not_arrive() {
    let mut stage = awake(2);
    perform(&mut stage, [say(0, Say::TellAll(vec![7, 1]))]);
    assert_eq!((stage.sent(), numbers(&stage)), (2, vec![1]));
    let expected = "sends to neighbours: node 0 sends a message to node 7, which does not exist";
    assert_eq!(stage.broken().unwrap().to_string(), expected);
    assert_eq!(stage.broken().unwrap().node, Some(NodeId(0)));
}

#[test]
fn invariants_are_judged_after_each_step_if_they_are_watched() {
    let fill = || [say(0, Say::TellAll(vec![1, 1])), Action::Duplicate(0), Action::Duplicate(1)];
    let mut stage = awake(2);
    perform(&mut stage, fill());
    assert_eq!(stage.broken(), None);
    let invariants = Puppet { heard: 0 }.invariants();
    let snapshot = stage.snapshot(|system| invariants[0].judge(system));
    assert_eq!(snapshot.unwrap_err().detail, "4 are in transit", "duplicates are");
    let mut stage = awake(2).watched(invariants);
    perform(&mut stage, fill());
    assert_eq!(stage.broken(), None, "a fault is no step");
    let outcome = stage.apply(&say(0, Say::Draw(1)), &[]).unwrap();
    assert_eq!((outcome.broken[0].effects, outcome.broken.len()), (1, 1));
    assert_eq!(stage.broken().unwrap().promise, "few messages");
}

#[test]
fn the_monitor_is_asked_about_rest() {
    let mut stage = awake(1);
    assert!(stage.is_at_rest());
    assert_eq!(stage.judge_at_rest().unwrap_err().promise, "noise");
    assert_eq!(stage.broken().unwrap().promise, "noise");
    let mut stage = awake(1);
    perform(&mut stage, [say(0, Say::Shout)]);
    assert_eq!((stage.judge_at_rest(), stage.broken()), (Ok(()), None));
}

#[test]
fn actions_are_plain_data() {
    let actions = [
        (Action::Start(NodeId(0)), r#"{"start":0}"#),
        (say(1, Say::Shout), r#"{"command":{"node":1,"command":"Shout"}}"#),
        (
            Action::Timer { node: NodeId(0), timer: Timer::Nap },
            r#"{"timer":{"node":0,"timer":"Nap"}}"#,
        ),
        (Action::Deliver(3), r#"{"deliver":3}"#),
        (Action::Lose(3), r#"{"lose":3}"#),
        (Action::Duplicate(3), r#"{"duplicate":3}"#),
        (Action::Crash(NodeId(2)), r#"{"crash":2}"#),
        (Action::Restart(NodeId(2)), r#"{"restart":2}"#),
        (Action::Forge { from: NodeId(0), to: NodeId(1) }, r#"{"forge":{"from":0,"to":1}}"#),
    ];
    for (action, json) in actions {
        assert_eq!(serde_json::to_string(&action).unwrap(), json);
        assert_eq!(serde_json::from_str::<Action<Puppet>>(json).unwrap(), action);
    }
}
