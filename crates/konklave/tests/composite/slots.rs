//! Several parts of one kind: side by side, and one after the other.

use std::time::Duration;

use konklave::protocol::{Env, Hosts, Input, Invariant, Lifts, PartEnv, Protocol, Snapshot};
use konklave::{NodeId, Recorder};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Hands a baton to and fro between two nodes, and rests in between.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Runner {
    other: NodeId,
    has_baton: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Baton;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Rest;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Run;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Event {
    Received,
    Ready,
}

impl Runner {
    fn new(me: NodeId, has_baton: bool) -> Self {
        Self { other: NodeId(1 - me.0), has_baton }
    }
}

impl Protocol for Runner {
    type Msg = Baton;
    type Timer = Rest;
    type Command = Run;
    type Event = Event;

    fn on_command(&mut self, Run: Run, env: &mut impl Env<Self>) {
        self.has_baton = false;
        env.send(self.other, Baton);
        env.set_timer(Rest, Duration::from_millis(3));
    }

    fn on_message(&mut self, _from: NodeId, Baton: Baton, env: &mut impl Env<Self>) {
        self.has_baton = true;
        env.emit(Event::Received);
        env.emit(Event::Ready);
        env.cancel_timer(Rest);
    }

    fn on_timer(&mut self, Rest: Rest, env: &mut impl Env<Self>) {
        env.emit(Event::Ready);
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![Invariant::new("one baton", |system: &Snapshot<'_, Self>| {
            let held = system.nodes.iter().filter(|node| node.has_baton).count();
            match held + system.messages.len() {
                1 => Ok(()),
                batons => Err(format!("there are {batons} batons")),
            }
        })]
    }
}

/// A node with a runner on each of two lanes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Track {
    left: Runner,
    right: Option<Runner>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Lane {
    Left,
    Right,
}

use Lane::{Left, Right};

impl Track {
    /// A node whose runners have these batons.
    fn new(me: u32, left: bool, right: bool) -> Self {
        let runner = |has_baton| Runner::new(NodeId(me), has_baton);
        Self { left: runner(left), right: Some(runner(right)) }
    }
}

impl Protocol for Track {
    type Msg = (Lane, Baton);
    type Timer = (Lane, Rest);
    type Command = (Lane, Run);
    type Event = (Lane, Event);

    fn on_command(&mut self, (lane, run): (Lane, Run), env: &mut impl Env<Self>) {
        self.run_in(lane, env, |runner, env| runner.on_command(run, env));
    }

    fn on_message(&mut self, from: NodeId, (lane, baton): Self::Msg, env: &mut impl Env<Self>) {
        self.run_in(lane, env, |runner, env| runner.on_message(from, baton, env));
    }

    fn on_timer(&mut self, (lane, rest): (Lane, Rest), env: &mut impl Env<Self>) {
        self.run_in(lane, env, |runner, env| runner.on_timer(rest, env));
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        self.left.invariants().into_iter().map(Self::lift).collect()
    }
}

impl Hosts<Runner> for Track {
    type Slot = Lane;

    fn part(&mut self, lane: &Lane) -> Option<&mut Runner> {
        match lane {
            Left => Some(&mut self.left),
            Right => self.right.as_mut(),
        }
    }

    fn wrap_msg(&lane: &Lane, baton: Baton) -> (Lane, Baton) {
        (lane, baton)
    }

    fn wrap_timer(&lane: &Lane, rest: Rest) -> (Lane, Rest) {
        (lane, rest)
    }

    /// Only readiness interests outside at once.
    fn wrap_event(&lane: &Lane, event: &Event) -> Option<(Lane, Event)> {
        (*event == Event::Ready).then(|| (lane, event.clone()))
    }

    fn on_part(&mut self, &lane: &Lane, event: Event, env: &mut impl Env<Self>) {
        if event == Event::Received {
            env.emit((lane, event));
        }
    }
}

impl Lifts<Runner> for Track {
    fn slots(_nodes: &[&Self]) -> Vec<Lane> {
        vec![Left, Right]
    }

    fn seen(&self, lane: &Lane) -> Option<&Runner> {
        match lane {
            Left => Some(&self.left),
            Right => self.right.as_ref(),
        }
    }

    fn unwrap_msg((lane, baton): &(Lane, Baton)) -> Option<(Lane, &Baton)> {
        Some((*lane, baton))
    }
}

#[test]
fn each_of_two_parts_has_its_messages_timers_and_events() {
    let (mut node, mut env) = (Track::new(0, true, true), Recorder::default());
    node.on_command((Right, Run), &mut env);
    assert_eq!(env.lines(), ["-> 1 (Right, Baton)", "set (Right, Rest) 3ms"]);
    assert_eq!(node, Track::new(0, true, false));
    node.on_command((Left, Run), &mut env);
    assert_eq!(env.lines(), ["-> 1 (Left, Baton)", "set (Left, Rest) 3ms"]);
    node.on_timer((Left, Rest), &mut env);
    assert_eq!(env.lines(), ["! (Left, Ready)"]);
    node.on_message(NodeId(1), (Right, Baton), &mut env);
    let received = ["! (Right, Ready)", "cancel (Right, Rest)", "! (Right, Received)"];
    assert_eq!(env.lines(), received, "what is told at once is told first");
    assert_eq!(node, Track::new(0, false, true));
}

#[test]
fn what_arrives_where_there_is_no_part_is_ignored() {
    let mut node = Track { right: None, ..Track::new(0, true, false) };
    let (before, mut env) = (node.clone(), Recorder::default());
    node.on_message(NodeId(1), (Right, Baton), &mut env);
    node.on_timer((Right, Rest), &mut env);
    assert!(node.hold(&Right, Input::Command(Run), &mut env).is_empty());
    assert!(env.lines().is_empty());
    assert_eq!(node, before);
}

/// What the lifted lemma says about two nodes and what is in transit from the first.
fn complaint(nodes: [Track; 2], lanes: &[Lane]) -> Option<String> {
    let lemmas = nodes[0].invariants();
    let [lemma] = &lemmas[..] else { panic!("one lemma was lifted: {lemmas:?}") };
    assert_eq!(lemma.name(), "one baton");
    let messages: Vec<_> = lanes.iter().map(|&lane| (lane, Baton)).collect();
    let messages: Vec<_> = messages.iter().map(|msg| (NodeId(0), NodeId(1), msg)).collect();
    let system = Snapshot { nodes: &[&nodes[0], &nodes[1]], messages: &messages };
    lemma.judge(&system).err().map(|broken| broken.to_string())
}

#[test]
fn a_lemma_is_judged_in_each_slot_for_itself() {
    let track = Track::new;
    let says = |text: &str| Some(format!("one baton: {text}"));
    assert_eq!(complaint([track(0, true, false), track(1, false, true)], &[]), None);
    assert_eq!(complaint([track(0, true, true), track(1, false, false)], &[]), None);
    assert_eq!(complaint([track(0, false, false), track(1, false, true)], &[Left]), None);
    assert_eq!(complaint([track(0, false, false), track(1, false, false)], &[Right, Left]), None);

    // Both lanes together have two batons, as they should.
    let two = [track(0, false, true), track(1, false, true)];
    assert_eq!(complaint(two, &[]), says("Left: there are 0 batons"));
    let one_sent = [track(0, true, false), track(1, false, false)];
    assert_eq!(complaint(one_sent, &[Left]), says("Left: there are 2 batons"));
    // A lane that is all right does not hide the other.
    let right = [track(0, true, true), track(1, false, false)];
    assert_eq!(complaint(right, &[Right]), says("Right: there are 2 batons"));
}

#[test]
fn nodes_without_a_part_are_left_out_if_they_are_the_last() {
    let spectator = |me| Track { right: None, ..Track::new(me, false, false) };
    assert_eq!(complaint([Track::new(0, true, true), spectator(1)], &[]), None);
}

#[test]
#[should_panic(expected = "the nodes with a part in Right are the first")]
fn a_lemma_is_not_judged_about_nodes_with_wrong_numbers() {
    let spectator = Track { right: None, ..Track::new(0, true, false) };
    complaint([spectator, Track::new(1, false, true)], &[]);
}

/// A node whose runner is replaced by a fresh one whenever it has the baton.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Seasons {
    season: u32,
    runner: Runner,
}

impl Protocol for Seasons {
    type Msg = (u32, Baton);
    type Timer = (u32, Rest);
    type Command = Run;
    type Event = (u32, Event);

    fn on_command(&mut self, run: Run, env: &mut impl Env<Self>) {
        self.run_in(self.season, env, |runner, env| runner.on_command(run, env));
    }

    fn on_message(&mut self, from: NodeId, (season, baton): Self::Msg, env: &mut impl Env<Self>) {
        self.run_in(season, env, |runner, env| runner.on_message(from, baton, env));
    }

    fn on_timer(&mut self, (season, rest): (u32, Rest), env: &mut impl Env<Self>) {
        self.run_in(season, env, |runner, env| runner.on_timer(rest, env));
    }
}

impl Hosts<Runner> for Seasons {
    type Slot = u32;

    fn part(&mut self, &season: &u32) -> Option<&mut Runner> {
        (season == self.season).then_some(&mut self.runner)
    }

    fn wrap_msg(&season: &u32, baton: Baton) -> (u32, Baton) {
        (season, baton)
    }

    fn wrap_timer(&season: &u32, rest: Rest) -> (u32, Rest) {
        (season, rest)
    }

    fn on_part(&mut self, &season: &u32, event: Event, env: &mut impl Env<Self>) {
        if event == Event::Received {
            *self = Self { season: season + 1, runner: Runner::new(NodeId(0), false) };
        }
        env.emit((season, event));
    }
}

#[test]
fn what_is_late_in_an_old_epoch_is_ignored() {
    let runner = Runner::new(NodeId(0), true);
    let (mut node, mut env) = (Seasons { season: 5, runner }, Recorder::default());
    node.on_command(Run, &mut env);
    assert_eq!(env.lines(), ["-> 1 (5, Baton)", "set (5, Rest) 3ms"]);
    node.on_message(NodeId(1), (5, Baton), &mut env);
    let told = ["cancel (5, Rest)", "! (5, Received)", "! (5, Ready)"];
    assert_eq!(env.lines(), told, "all that happened is told, in its epoch");
    assert_eq!(node.season, 6);

    let fresh = node.clone();
    for season in [5, 4, 7] {
        node.on_message(NodeId(1), (season, Baton), &mut env);
        node.on_timer((season, Rest), &mut env);
        assert!(env.lines().is_empty(), "season {season}");
        assert_eq!(node, fresh, "season {season}");
    }
    node.on_command(Run, &mut env);
    assert_eq!(env.lines(), ["-> 1 (6, Baton)", "set (6, Rest) 3ms"]);
}

#[test]
fn a_part_whose_slot_is_nothing_costs_nothing() {
    use super::nesting::{Echo, Speaker};
    type Least<'a> = (&'a mut Recorder<Echo>, SmallVec<[u32; 2]>);
    let size = size_of::<PartEnv<'_, Recorder<Echo>, Echo, Speaker>>();
    assert_eq!(size, size_of::<Least<'_>>());
}
