//! Nodes that act by themselves, and nodes that leave for good.

use super::*;
use crate::puppet::RESTLESS;

fn heard<A: Application<Command = Say, Event = Heard>>(stage: &PuppetStage<A>) -> Vec<u32> {
    stage.locals().iter().map(|local| local.node.heard).collect()
}

#[test]
fn what_is_sent_to_a_node_that_has_left_comes_back() {
    let mut stage = awake(3);
    perform(&mut stage, [send(0, 1, Msg::Ping), say(1, Say::Leave), send(2, 1, Msg::Ping)]);
    assert_eq!(stage.local(NodeId(1)).unwrap().status, Status::Gone);
    assert_eq!(stage.enabled(), [Action::Return(0), Action::Return(1)]);
    assert!(!stage.is_at_rest());
    assert!(stage.clone().apply(&Action::Deliver(0), &[]).is_err(), "it takes no step any more");
    assert!(stage.clone().apply(&say(1, Say::Shout), &[]).is_err());
    let Line::Step(step) = stage.apply(&Action::Return(0), &[]).unwrap().line else { panic!() };
    assert_eq!((step.node, step.number), (NodeId(0), Some(0)));
    assert_eq!(step.input, Input::Returned { to: NodeId(1), msg: Msg::Ping });
    assert_eq!(Action::of(&Line::Step(step)), Some(Action::Return(0)));
    assert_eq!(heard(&stage), [10, 0, 0]);
    assert!(stage.apply(&Action::Return(0), &[]).is_err(), "only once");
}

#[test]
fn what_comes_back_to_nobody_is_missed() {
    let mut stage = awake(3);
    let leave = [1, 0].map(|node| say(node, Say::Leave));
    perform(&mut stage, [send(0, 1, Msg::Ping)].into_iter().chain(leave));
    assert!(stage.is_at_rest(), "nothing has to happen");
    assert!(stage.clone().apply(&Action::Return(0), &[]).is_err());
    let outcome = stage.apply(&Action::Deliver(0), &[]).unwrap();
    assert_eq!(outcome.line, Line::Fault { at: 0, what: Fault::Missed(0) });
}

#[test]
fn a_message_does_not_come_back_from_a_node_that_is_there() {
    let mut stage = awake(2);
    perform(&mut stage, [send(0, 1, Msg::Ping)]);
    assert!(stage.apply(&Action::Return(0), &[]).is_err());
    perform(&mut stage, [Action::Crash(NodeId(1))]);
    assert!(stage.apply(&Action::Return(0), &[]).is_err(), "a crash is not noticed by a message");
}

#[test]
fn a_turn_without_an_effect_is_no_step() {
    let restless = vec![Puppet { heard: RESTLESS }; 2];
    let mut stage = started(Stage::unrestricted(restless, Watch::default()));
    let turns = [0, 1].map(|node| Action::Tick(NodeId(node)));
    assert_eq!(stage.enabled(), turns);
    perform(&mut stage, [turns[1].clone()]);
    assert_eq!((heard(&stage), numbers(&stage)), (vec![RESTLESS, RESTLESS + 1], vec![0]));
    assert_eq!(stage.enabled(), [turns[0].clone(), Action::Deliver(0)], "node 1 has nothing to do");
    let patient = stage.clone().ruled(Order::Any, Pace::Patient);
    assert_eq!(patient.enabled(), [Action::Deliver(0)], "messages are faster than turns");
    perform(&mut stage, [Action::Deliver(0)]);
    assert_eq!(stage.enabled(), [], "what node 0 has heard lets it rest, too");
    assert!(stage.is_at_rest());
}
