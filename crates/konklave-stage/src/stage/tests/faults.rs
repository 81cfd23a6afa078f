use super::*;

#[track_caller]
fn fault(outcome: Applied<Puppet>) -> Fault<Puppet> {
    match outcome.line {
        Line::Fault { what, .. } => what,
        line => panic!("{line:?}"),
    }
}

#[test]
fn a_duplicate_arrives_as_well_and_a_lost_message_does_not() {
    let mut stage = awake(2);
    perform(&mut stage, [say(0, Say::TellAll(vec![1, 1]))]);
    assert_eq!(fault(stage.apply(&Action::Duplicate(0), &[]).unwrap()), Fault::Doubled(0));
    assert_eq!(numbers(&stage), [0, 0, 1]);
    assert_eq!(fault(stage.apply(&Action::Lose(1), &[]).unwrap()), Fault::Lost(1));
    assert_eq!(fault(stage.apply(&Action::Lose(0), &[]).unwrap()), Fault::Lost(0));
    perform(&mut stage, [Action::Deliver(0)]);
    assert_eq!((numbers(&stage), stage.locals()[1].node.heard), (vec![], 1));
    assert_eq!(stage.sent(), 2, "a copy is not sent");
}

#[test]
fn a_crashed_node_misses_messages_and_has_no_timers() {
    let mut stage = awake(3);
    perform(&mut stage, [say(2, Say::Set(Timer::Nap)), send(0, 2, Msg::Ping)]);
    perform(&mut stage, [Action::Crash(NodeId(2))]);
    assert_eq!(stage.locals()[2].status, Status::Down);
    assert!(stage.locals()[2].timers.is_empty());
    assert_eq!(fault(stage.apply(&Action::Deliver(0), &[]).unwrap()), Fault::Missed(0));
    assert_eq!((numbers(&stage), stage.steps()), (vec![], 5));
}

#[test]
fn a_node_that_restarts_is_new_and_asleep() {
    let mut stage = awake(3);
    perform(&mut stage, [send(0, 2, Msg::Note(1)), Action::Deliver(0)]);
    perform(&mut stage, [Action::Crash(NodeId(2)), Action::Restart(NodeId(2))]);
    let local = &stage.locals()[2];
    assert_eq!((local.status, local.node.heard), (Status::Asleep, 0));
    assert_eq!(stage.enabled(), [Action::Start(NodeId(2))]);
    perform(&mut stage, [Action::Start(NodeId(2))]);
    assert_eq!(stage.locals()[2].status, Status::Up);
}

#[test]
fn a_forged_message_arrives_once_and_has_no_number() {
    let mut stage = awake(2);
    let (from, to) = (NodeId(0), NodeId(1));
    let arrival = Action::DeliverForged { from, to, msg: Msg::Note(9) };
    assert_eq!(stage.apply(&arrival, &[]).unwrap_err(), Impossible::NotForged);
    let forged = Fault::Forged { from, to };
    assert_eq!(fault(stage.apply(&Action::Forge { from, to }, &[]).unwrap()), forged);
    assert!(stage.is_at_rest(), "nobody knows what it will say");
    let Line::Step(step) = stage.apply(&arrival, &[]).unwrap().line else { panic!("no step") };
    assert_eq!((step.node, step.number), (to, None));
    assert_eq!(stage.apply(&arrival, &[]).unwrap_err(), Impossible::NotForged);
    assert_eq!(stage.sent(), 0);
}

#[test]
fn a_spoilt_node_believes_what_it_was_not_told_and_nothing_gets_out() {
    let mut stage = awake(2);
    let messages = vec![(NodeId(1), Msg::Ping), (NodeId(0), Msg::Note(3))];
    let spoil = Action::Spoil { node: NodeId(0), messages: messages.clone() };
    let garbage = Fault::Garbage { node: NodeId(0), messages };
    assert_eq!(fault(stage.apply(&spoil, &[]).unwrap()), garbage);
    assert_eq!((stage.locals()[0].node.heard, stage.sent()), (2, 0));
    let poison = vec![(NodeId(1), Msg::Poison)];
    perform(&mut stage, [Action::Spoil { node: NodeId(0), messages: poison }]);
    assert_eq!(stage.broken().unwrap().to_string(), "assertions hold: poison");
}

#[test]
fn the_impossible_is_refused_and_changes_nothing() {
    let mut stage = awake(3);
    perform(&mut stage, [send(0, 2, Msg::Ping), say(0, Say::Set(Timer::Nap))]);
    perform(&mut stage, [Action::Crash(NodeId(2)), Action::Restart(NodeId(2))]);
    perform(&mut stage, [Action::Crash(NodeId(0))]);
    let [zero, one, two, nobody] = [0, 1, 2, 9].map(NodeId);
    let timer = |node| Action::Timer { node, timer: Timer::Nap };
    let spoil = |node| Action::Spoil { node, messages: Vec::new() };
    let forged = |to| Action::DeliverForged { from: one, to, msg: Msg::Ping };
    let before = (stage.locals().to_vec(), numbers(&stage), stage.steps());
    for (action, problem) in [
        (say(9, Say::Shout), "there is no node 9 among 3 nodes"),
        (Action::Crash(nobody), "there is no node 9 among 3 nodes"),
        (Action::Forge { from: one, to: nobody }, "there is no node 9 among 3 nodes"),
        (Action::Start(one), "node 1 is up"),
        (Action::Start(zero), "node 0 has crashed"),
        (Action::Restart(one), "node 1 is up"),
        (Action::Restart(two), "node 2 has not started"),
        (say(0, Say::Shout), "node 0 has crashed"),
        (say(2, Say::Shout), "node 2 has not started"),
        (Action::Crash(zero), "node 0 has crashed"),
        (spoil(zero), "node 0 has crashed"),
        (timer(zero), "node 0 has crashed"),
        (timer(one), "timer Nap of node 1 is not pending"),
        (forged(zero), "node 0 has crashed"),
        (forged(one), "nobody has sent or forged this message"),
        (Action::Deliver(0), "node 2 has not started"),
        (Action::Deliver(7), "message 7 is not on its way"),
        (Action::Lose(7), "message 7 is not on its way"),
        (Action::Duplicate(7), "message 7 is not on its way"),
    ] {
        assert!(!stage.allows(&action), "{action:?}");
        assert_eq!(stage.apply(&action, &[]).unwrap_err().to_string(), problem, "{action:?}");
    }
    assert_eq!((stage.locals().to_vec(), numbers(&stage), stage.steps()), before);
}

#[test]
fn every_fault_that_can_happen_is_listed() {
    let mut stage = awake(3);
    perform(&mut stage, [send(0, 1, Msg::Ping), Action::Crash(NodeId(2))]);
    let [zero, one, two] = [0, 1, 2].map(NodeId);
    let expected = [
        Action::Crash(zero),
        Action::Crash(one),
        Action::Restart(two),
        Action::Lose(0),
        Action::Duplicate(0),
    ];
    assert_eq!(stage.faults(), expected);
    for action in expected {
        assert!(stage.allows(&action));
        stage.clone().apply(&action, &[]).unwrap();
    }
    perform(&mut stage, [Action::Restart(two)]);
    assert!(!stage.faults().contains(&Action::Crash(two)), "it has to start first");
}
