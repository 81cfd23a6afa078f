//! Chang and Roberts gone wrong.

use konklave::NodeId;
use konklave::election::chang_roberts::{ChangRoberts, Msg, Wake};
use konklave::election::{Event, Id, Monitor, Winner};
use konklave::protocol::{Effect, Input};
use konklave_catalog::election::workload::{Ballot, ElectionReport, Plan};
use konklave_sim::{Options, RunReport, Simulation};
use konklave_specimens::flaws::chang_roberts::Usurper;
use konklave_specimens::{Flaw, Flawed, Flawless};

use super::verdict::verdict;

type Effects = Vec<Effect<ChangRoberts>>;
type Inputs = Vec<Input<ChangRoberts>>;

const IDS: [u32; 4] = [20, 30, 40, 10];

/// All nodes start; each is built with `id` of its id.
fn elect(
    options: &Options,
    flaw: &impl Flaw<ChangRoberts>,
    id: impl Fn(u32) -> u32,
) -> RunReport<ElectionReport> {
    let ids: Vec<_> = IDS.map(Id).into();
    let ballot = Ballot::new(ids.clone(), Plan::once(NodeId::all(4).collect(), 0));
    let make = |me: NodeId| {
        let next = NodeId((me.0 + 1) % 4);
        Flawed::new(ChangRoberts::new(Id(id(IDS[me.index()])), next, Wake::All), flaw.clone())
    };
    let monitor = Monitor::new(ids, Winner::Largest);
    let options = Options { event_limit: Some(20_000), ..options.clone() };
    let mut simulation = Simulation::new(options, 4, make, ballot, monitor);
    simulation.run(&mut |_| true).expect("nothing is written")
}

/// With constant delays.
fn judge(flaw: &impl Flaw<ChangRoberts>) -> String {
    verdict(&elect(&Options::default(), flaw, |id| id))
}

#[test]
fn without_a_flaw_nothing_is_wrong() {
    assert_eq!(judge(&Flawless), "kept");
}

#[test]
fn a_second_leader_is_caught() {
    assert_eq!(judge(&Usurper), "one leader: node 3 is elected, and so is node 2");
}

/// Says everything twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Repetitive;

impl Flaw<ChangRoberts> for Repetitive {
    fn effects(&mut self, _: &ChangRoberts, _: &Input<ChangRoberts>, effects: Effects) -> Effects {
        let twice = |effect: Effect<ChangRoberts>| match effect {
            Effect::Emit(_) => vec![effect.clone(), effect],
            _ => vec![effect],
        };
        effects.into_iter().flat_map(twice).collect()
    }
}

#[test]
fn a_leader_that_is_elected_twice_is_caught() {
    assert_eq!(judge(&Repetitive), "one leader: node 2 is elected, and so is node 2");
}

/// Sends its announcement twice: wasteful, but nothing is promised about that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Loud;

impl Flaw<ChangRoberts> for Loud {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        effects: Effects,
    ) -> Effects {
        let is_own = matches!(input, Input::Message { msg: Msg::Propose(_), .. });
        let twice = |effect: Effect<ChangRoberts>| match effect {
            Effect::Send { msg: Msg::Elected(_), .. } if is_own => vec![effect.clone(), effect],
            _ => vec![effect],
        };
        effects.into_iter().flat_map(twice).collect()
    }
}

#[test]
fn two_announcements_break_nothing_but_the_cost() {
    let report = elect(&Options::default(), &Loud, |id| id);
    assert_eq!(verdict(&report), "kept");
    assert_eq!(report.problem.messages_to_announce, 2 * 4);
}

/// Elects the smallest: it was built with the reverse of its id, and announces the true one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Reversed;

impl Flaw<ChangRoberts> for Reversed {
    fn effects(&mut self, _: &ChangRoberts, _: &Input<ChangRoberts>, effects: Effects) -> Effects {
        let reverse = |effect| match effect {
            Effect::Emit(Event::Knows(Id(id))) => Effect::Emit(Event::Knows(Id(100 - id))),
            other => other,
        };
        effects.into_iter().map(reverse).collect()
    }
}

#[test]
fn electing_the_smallest_is_caught() {
    let report = elect(&Options::default(), &Reversed, |id| 100 - id);
    assert_eq!(verdict(&report), "the right leader: 10 wins, not 40");
}

/// Takes any smaller id for its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Vain(u32);

impl Flaw<ChangRoberts> for Vain {
    fn inputs(&mut self, _: &ChangRoberts, input: Input<ChangRoberts>) -> Inputs {
        vec![match input {
            Input::Message { from, msg: Msg::Propose(Id(id)) } if id < self.0 => {
                Input::Message { from, msg: Msg::Propose(Id(self.0)) }
            }
            other => other,
        }]
    }
}

#[test]
fn a_leader_that_has_beaten_only_one_is_caught() {
    // Node 1, with id 30, hears of 20 before it hears of 40.
    assert_eq!(judge(&Vain(30)), "the right leader: 30 wins, not 40");
}

/// Tells its application whoever is proposed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Gossip;

impl Flaw<ChangRoberts> for Gossip {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        mut effects: Effects,
    ) -> Effects {
        if let Input::Message { msg: Msg::Propose(id), .. } = input {
            effects.insert(0, Effect::Emit(Event::Knows(*id)));
        }
        effects
    }
}

#[test]
fn a_rumour_is_caught() {
    assert_eq!(judge(&Gossip), "the right leader: 20 wins, not 40");
}

/// Tells its application that somebody else was elected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Liar;

impl Flaw<ChangRoberts> for Liar {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        effects: Effects,
    ) -> Effects {
        let is_told = matches!(input, Input::Message { msg: Msg::Elected(_), .. });
        let lie = |effect| match effect {
            Effect::Emit(Event::Knows(_)) if is_told => Effect::Emit(Event::Knows(Id(20))),
            other => other,
        };
        effects.into_iter().map(lie).collect()
    }
}

#[test]
fn a_lie_about_the_leader_is_caught() {
    assert_eq!(judge(&Liar), "agreement: node 3 hears of 20, not of 40");
}

/// Swallows messages of a kind: proposals of this id, or announcements at this node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Swallows {
    Proposal(u32),
    Announcements,
}

impl Flaw<ChangRoberts> for Swallows {
    fn inputs(&mut self, _: &ChangRoberts, input: Input<ChangRoberts>) -> Inputs {
        match (&self, &input) {
            (Self::Proposal(id), Input::Message { msg: Msg::Propose(other), .. })
                if *id == other.0 =>
            {
                vec![]
            }
            _ => vec![input],
        }
    }

    fn effects(
        &mut self,
        _: &ChangRoberts,
        _: &Input<ChangRoberts>,
        mut effects: Effects,
    ) -> Effects {
        if *self == Self::Announcements {
            effects.retain(|effect| !matches!(effect, Effect::Send { msg: Msg::Elected(_), .. }));
        }
        effects
    }
}

#[test]
fn an_election_without_a_leader_is_caught() {
    let verdict = judge(&Swallows::Proposal(40));
    assert_eq!(verdict, "termination: the election ended without a leader");
    assert_eq!(judge(&Swallows::Proposal(20)), "kept", "it cannot win anyhow");
}

#[test]
fn a_node_that_is_never_told_is_caught() {
    // Node 2 wins and knows it; node 0 is the first of those who do not.
    let verdict = judge(&Swallows::Announcements);
    assert_eq!(verdict, "termination: node 0 never learns who is the leader");
}

/// Only node 0 passes nothing on once it was told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Secretive;

impl Flaw<ChangRoberts> for Secretive {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        mut effects: Effects,
    ) -> Effects {
        if matches!(input, Input::Message { from: NodeId(3), msg: Msg::Elected(_) }) {
            effects.retain(|effect| matches!(effect, Effect::Emit(_)));
        }
        effects
    }
}

#[test]
fn the_only_one_that_is_never_told_is_caught() {
    assert_eq!(judge(&Secretive), "termination: node 1 never learns who is the leader");
}

#[test]
fn waking_up_as_a_candidate_breaks_the_promise_of_relaying() {
    // Only node 0, with id 20, starts; the promise is that the largest initiator wins.
    for (wake, expected) in [
        (Wake::Relay, "kept"),
        (Wake::All, "the right leader: 40 wins, not 20"),
        (Wake::Suppress, "the right leader: 40 wins, not 20"),
    ] {
        let ids: Vec<_> = IDS.map(Id).into();
        let make = |me: NodeId| ChangRoberts::new(ids[me.index()], NodeId((me.0 + 1) % 4), wake);
        let ballot = Ballot::new(ids.clone(), Plan::once(vec![NodeId(0)], 0));
        let monitor = Monitor::new(ids.clone(), Winner::LargestInitiator);
        let mut simulation = Simulation::new(Options::default(), 4, make, ballot, monitor);
        assert_eq!(verdict(&simulation.run(&mut |_| true).unwrap()), expected, "{wake:?}");
    }
}
