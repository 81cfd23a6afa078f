//! Overlays, from every connected start of a small system: they stay connected, no step leads out
//! of a legal state, and every fair schedule leads into one.

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::overlay::build_list::BuildList;
use konklave::overlay::build_ring::BuildRing;
use konklave::overlay::skip_plus::SkipPlus;
use konklave::overlay::{Command, Event, Member, Monitor, Overlay, Place, Start};
use konklave_check::{Options, Pace, Schedule, SearchReport, System, Verdict, World, explore};
use konklave_stage::{Application, Standing};

/// An application that asks for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Quiet;

impl Application for Quiet {
    type Command = Command;
    type Event = Event;
    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<Command> {
        Vec::new()
    }

    fn may(&self, _command: &Command) -> bool {
        false
    }

    fn on_command(&mut self, _command: &Command) {}

    fn on_event(&mut self, _event: &Event) {}

    fn revive(&mut self) {}

    fn supply(nodes: u32, _commands: &[(NodeId, Command)]) -> Vec<Self> {
        vec![Self; nodes as usize]
    }

    fn standing(&self) -> Standing {
        Standing::Idle
    }
}

/// A search from every start; the first node adds a message to it, if it is to.
fn from_any_start<O: Overlay>(nodes: u32, posts: bool) -> SearchReport<Schedule<Member<O>>> {
    let mixer = Mixer::new(1);
    let make = |me: NodeId| {
        let start = Start::Any { nodes, posts: posts && me == NodeId(0) };
        Member::<O>::new(Place::new(me, mixer), start, 0)
    };
    let world = World { pace: Pace::Patient, perpetual: true, ..World::new() };
    let monitor = Monitor::new(mixer, O::CLOSES, None);
    let system = System::new(make, vec![Quiet; nodes as usize], monitor, world);
    explore(system, Options::default(), &mut |_| true)
}

#[track_caller]
fn assert_stabilises<O: Overlay>(nodes: u32, posts: bool, states: u64) {
    let report = from_any_start::<O>(nodes, posts);
    for found in &report.counterexamples {
        println!("{}", found.broken);
    }
    assert_eq!((report.verdict, report.unique), (Verdict::Exhausted, states));
    let names = ["connected", "closure", "convergence"];
    for name in names {
        let decided = report.properties.iter().find(|it| it.name == name).expect(name);
        assert_eq!(decided.holds, Some(true), "{name}");
    }
}

#[test]
fn a_list_stabilises() {
    assert_stabilises::<BuildList>(2, true, 105);
}

#[test]
fn a_list_of_three_stabilises() {
    assert_stabilises::<BuildList>(3, true, 9_360);
}

#[test]
fn a_ring_of_two_stabilises() {
    assert_stabilises::<BuildRing>(2, true, 1_004);
}

#[test]
fn a_ring_of_three_stabilises() {
    assert_stabilises::<BuildRing>(3, false, 81_405);
}

#[test]
fn a_skip_graph_of_two_stabilises() {
    assert_stabilises::<SkipPlus>(2, true, 304);
}

#[test]
fn a_skip_graph_of_three_stabilises() {
    assert_stabilises::<SkipPlus>(3, false, 22_017);
}
