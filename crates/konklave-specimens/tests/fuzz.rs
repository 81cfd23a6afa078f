//! Random schedules find the specimens whose systems are too large to look at every schedule.

use konklave::NodeId;
use konklave::election::{self, Winner};
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::{Input, Protocol};
use konklave::trace::Line;
use konklave_check::application::Visitor;
use konklave_check::shrink::shrink;
use konklave_specimens::chance::attempt;
use konklave_specimens::{Flaw, Flawed, Specimen, Tool, Visit, all, visit};
use konklave_stage::erased::AnyNode;

/// Nodes of any algorithm: compiled once for all of them.
type Node = AnyNode<Command, Event>;

/// How many schedules the right algorithm goes through at least.
const SCHEDULES: u64 = 200;

/// How many steps are left of a schedule from which nothing more can be taken away.
fn steps(nodes: u32, lines: &[String], make: &dyn Fn(NodeId) -> Node) -> usize {
    let reader = make(NodeId(0));
    let lines: Result<Vec<_>, _> = lines.iter().map(|line| reader.read(line)).collect();
    let lines = lines.expect("what was written can be read");
    let shrunk =
        shrink::<_, Visitor, _>(make, nodes, Monitor::new(nodes), &lines, &mut || true).unwrap();
    assert!(shrunk.is_minimal);
    let is_step =
        |line: &&Line<Node>| matches!(line, Line::Step(step) if step.input != Input::Start);
    shrunk.schedule.iter().filter(is_step).count()
}

/// Looks for the first seed that breaks the promise of a specimen, and finds the right algorithm
/// right.
struct Hunt(&'static Specimen);

impl Hunt {
    fn hunt(&self, right: &dyn Fn(NodeId) -> Node, broken: &dyn Fn(NodeId) -> Node) -> Vec<String> {
        let Specimen { name, setting, promise, found_by, .. } = self.0;
        let Tool::Fuzz { seed: expected } = *found_by else { panic!("{name} needs no luck") };
        for seed in 1..=expected.max(SCHEDULES) {
            let run = attempt(setting, seed, right).map(|(promise, _)| promise);
            assert_eq!(run, None, "{}, seed {seed}", self.0.of);
        }
        let found = (1..=expected).find_map(|seed| Some((seed, attempt(setting, seed, broken)?)));
        let Some((seed, (broken_promise, lines))) = found else {
            return vec![format!("{name}: not with any seed up to {expected}")];
        };
        let steps = steps(setting.nodes(), &lines, broken);
        match (seed, broken_promise.as_str(), steps) == (expected, *promise, self.0.steps) {
            true => Vec::new(),
            false => {
                vec![format!("{name}: seed {seed} breaks {broken_promise} in {steps} steps")]
            }
        }
    }
}

impl Visit for Hunt {
    type Out = Vec<String>;

    fn mutex<P, F>(self, right: impl Fn(NodeId) -> P, flaw: impl Fn(NodeId) -> F) -> Vec<String>
    where
        P: Protocol<Command = Command, Event = Event>,
        F: Flaw<P>,
    {
        let broken = |me| AnyNode::new(Flawed::new(right(me), flaw(me)));
        self.hunt(&|me| AnyNode::new(right(me)), &broken)
    }

    fn election<P, F>(
        self,
        _: Winner,
        _: impl Fn(NodeId) -> P,
        _: impl Fn(NodeId) -> F,
    ) -> Vec<String>
    where
        P: Protocol<Command = election::Command, Event = election::Event>,
        F: Flaw<P>,
    {
        panic!("no election needs luck")
    }
}

#[test]
fn the_first_seed_and_what_is_left_of_its_schedule() {
    let by_chance: Vec<_> = all().filter(|specimen| specimen.found_by != Tool::Check).collect();
    assert!(by_chance.len() >= 3);
    let complaints = by_chance.into_iter().flat_map(|specimen| {
        visit(specimen.name, &specimen.setting.ground(), Hunt(specimen)).expect("a specimen")
    });
    let complaints: Vec<_> = complaints.collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}
