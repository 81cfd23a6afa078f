use super::*;

/// Asks for what it wants, in this order, and is told who has crashed and who is back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Wishful {
    wishes: Vec<Say>,
    notices: Vec<Say>,
    is_served: bool,
}

impl Application for Wishful {
    type Command = Say;
    type Event = Heard;

    const TAKES_TURNS: bool = true;

    fn commands(&self) -> Vec<Say> {
        self.wishes.first().cloned().into_iter().collect()
    }

    fn notices(&self) -> Vec<Say> {
        self.notices.clone()
    }

    fn on_command(&mut self, command: &Say) {
        match self.notices.iter().position(|notice| notice == command) {
            Some(place) => drop(self.notices.remove(place)),
            None => drop(self.wishes.remove(0)),
        }
    }

    fn on_event(&mut self, _event: &Heard) {
        self.is_served = true;
    }

    fn on_crash(&mut self, node: NodeId) {
        self.notices.push(Say::Draw(node.0 + 1));
    }

    fn on_restart(&mut self, node: NodeId) {
        self.notices.push(Say::Draw(node.0 + 100));
    }

    fn revive(&mut self) {
        self.notices.clear();
    }

    fn supply(nodes: u32, _commands: &[(NodeId, Say)]) -> Vec<Self> {
        vec![Self::default(); nodes as usize]
    }

    fn standing(&self) -> Standing {
        if self.is_served { Standing::Served } else { Standing::Idle }
    }
}

/// Three puppets that are awake; node 0 has these wishes.
fn wishful(wishes: &[Say], pace: Pace) -> PuppetStage<Wishful> {
    let mut applications = Wishful::supply(3, &[]);
    applications[0].wishes = wishes.to_vec();
    let stage = Stage::new(vec![Puppet { heard: 0 }; 3], applications, Watch::default());
    started(stage.ruled(Order::Any, pace))
}

fn nap(node: u32) -> Action<Puppet> {
    Action::Timer { node: NodeId(node), timer: Timer::Nap }
}

#[test]
fn all_nodes_start_before_anything_else_happens() {
    let mut stage = Stage::unrestricted(vec![Puppet { heard: 1 }; 2], Watch::default());
    assert_eq!(stage.enabled(), NodeId::all(2).map(Action::Start).collect::<Vec<_>>());
    assert!(!stage.is_at_rest());
    perform(&mut stage, [Action::Start(NodeId(1))]);
    for action in [say(1, Say::Shout), nap(1), Action::Deliver(0)] {
        assert!(!stage.allows(&action), "{action:?}");
        stage.clone().apply(&action, &[]).unwrap(); // It is possible.
    }
    assert_eq!(stage.enabled(), [Action::Start(NodeId(0))]);
    perform(&mut stage, [Action::Start(NodeId(0))]);
    assert_eq!(stage.enabled(), [nap(0), nap(1), Action::Deliver(0), Action::Deliver(1)]);
    assert!(
        stage.allows(&say(0, Say::Shout)),
        "an unrestricted application asks for nothing, but may"
    );
}

#[test]
fn the_oldest_message_of_a_channel_comes_first_if_order_is_kept() {
    let mut stage = awake(3).ruled(Order::Fifo, Pace::Free);
    perform(&mut stage, [say(0, Say::TellAll(vec![1, 1, 2])), Action::Duplicate(1)]);
    perform(&mut stage, [Action::Duplicate(0)]);
    let deliver =
        |numbers: &[u32]| numbers.iter().copied().map(Action::Deliver).collect::<Vec<_>>();
    assert_eq!(stage.enabled(), deliver(&[0, 2]));
    perform(&mut stage, [Action::Deliver(0)]);
    assert_eq!(stage.enabled(), deliver(&[0, 2]), "its duplicate");
    perform(&mut stage, [Action::Deliver(0)]);
    assert_eq!(stage.enabled(), deliver(&[1, 2]));
    assert_eq!(stage.ruled(Order::Any, Pace::Free).enabled(), deliver(&[1, 2]), "listed once");
}

#[test]
fn applications_ask_for_what_they_may() {
    let mut stage = wishful(&[Say::Shout, Say::Sing], Pace::Free);
    assert_eq!(stage.enabled(), [say(0, Say::Shout)]);
    assert!(!stage.allows(&say(0, Say::Sing)), "it comes later");
    assert!(stage.is_at_rest(), "it need not ask");
    perform(&mut stage, [say(0, Say::Shout)]);
    assert!(stage.was_asked());
    assert_eq!(stage.enabled(), [say(0, Say::Sing)]);
    assert!(!stage.is_at_rest(), "an application that is inside leaves");
}

#[test]
fn patient_timers_wait_for_notices_and_these_for_messages() {
    for (pace, is_patient) in [(Pace::Patient, true), (Pace::Free, false)] {
        let mut stage = wishful(&[Say::Set(Timer::Nap), Say::TellAll(vec![1, 2])], pace);
        perform(&mut stage, [say(0, Say::Set(Timer::Nap)), say(0, Say::TellAll(vec![1, 2]))]);
        perform(&mut stage, [Action::Crash(NodeId(2))]);
        let [notice, other] = [0, 1].map(|node| say(node, Say::Draw(3)));
        for action in [&notice, &other, &nap(0)] {
            assert_eq!(stage.allows(action), !is_patient, "{action:?}");
        }
        perform(&mut stage, [Action::Deliver(0)]);
        assert!(
            stage.allows(&notice) && stage.allows(&other),
            "node 2 will miss the other message"
        );
        assert_eq!(stage.allows(&nap(0)), !is_patient);
        perform(&mut stage, [other]);
        assert_eq!(stage.allows(&nap(0)), !is_patient, "node 0 was not told yet");
        perform(&mut stage, [notice]);
        assert!(stage.allows(&nap(0)) && !stage.is_at_rest());
        perform(&mut stage, [nap(0)]);
        assert!(!stage.allows(&nap(0)), "it has run out");
    }
}

#[test]
fn a_node_that_is_back_is_told_about_the_others_and_they_about_it() {
    let mut stage = wishful(&[], Pace::Free);
    perform(&mut stage, [Action::Crash(NodeId(2)), Action::Crash(NodeId(1))]);
    perform(&mut stage, [Action::Restart(NodeId(1))]);
    let notices = |node: usize| stage.locals()[node].application.notices.clone();
    assert_eq!(notices(0), [Say::Draw(3), Say::Draw(2), Say::Draw(101)]);
    assert_eq!(notices(1), [Say::Draw(3)], "it has forgotten that it was to be told before");
    assert_eq!(notices(2), [], "it is down");
    perform(&mut stage, [Action::Start(NodeId(1)), say(1, Say::Draw(3))]);
    assert!(!stage.was_asked(), "nodes were only told");
}

#[test]
fn a_command_that_is_a_wish_and_a_notice_is_listed_once() {
    let mut stage = wishful(&[Say::Draw(2)], Pace::Patient);
    perform(&mut stage, [Action::Crash(NodeId(1))]);
    let expected = [say(0, Say::Draw(2)), say(2, Say::Draw(2))];
    assert_eq!(stage.enabled(), expected);
    assert!(stage.allows(&expected[0]));
}

#[test]
fn whatever_is_enabled_can_happen() {
    let mut stage = wishful(&[Say::TellAll(vec![1, 2]), Say::Set(Timer::Nap)], Pace::Patient);
    perform(&mut stage, [Action::Crash(NodeId(1))]);
    while let Some(action) = stage.enabled().last() {
        assert!(stage.allows(action));
        stage.apply(action, &[]).unwrap();
    }
    assert!(stage.is_at_rest());
    assert_eq!(stage.steps(), 3 + 2 + 1 + 2 + 1, "starts, wishes, a delivery, notices, a timer");
}
