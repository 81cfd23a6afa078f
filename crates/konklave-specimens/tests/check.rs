//! Looking at every schedule finds each specimen in its smallest system, in as many steps as the
//! table says, and finds nothing wrong with the right algorithm there.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::{Effect, Input, Monitor, Protocol};
use konklave::trace::Line;
use konklave_check::application::{Application, Visitor, Voter};
use konklave_check::{Faults, Options, Order, Report, System, Verdict, World, explore};
use konklave_specimens::{Finding, Flaw, Flawed, Setting, Specimen, Tool, Visit, all, find, visit};

/// What came of a search.
struct Found {
    verdict: Verdict,
    /// The promise, the number of steps, and how many of them repeat for ever.
    counterexample: Option<(String, usize, Option<usize>)>,
}

/// Which of a specimen's nodes are looked at.
#[derive(Clone, Copy)]
enum Nodes {
    Broken,
    Right,
}

impl Nodes {
    fn with<F>(self, flaw: F) -> Perhaps<F> {
        match self {
            Self::Broken => Perhaps(Some(flaw)),
            Self::Right => Perhaps(None),
        }
    }
}

/// A flaw, or none: one type for both, which halves the time to compile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Perhaps<F>(Option<F>);

impl<P: Protocol, F: Flaw<P>> Flaw<P> for Perhaps<F> {
    fn inputs(&mut self, node: &P, input: Input<P>) -> Vec<Input<P>> {
        match &mut self.0 {
            Some(flaw) => flaw.inputs(node, input),
            None => vec![input],
        }
    }

    fn effects(&mut self, node: &P, input: &Input<P>, effects: Vec<Effect<P>>) -> Vec<Effect<P>> {
        match &mut self.0 {
            Some(flaw) => flaw.effects(node, input, effects),
            None => effects,
        }
    }
}

/// Looks at every schedule in this setting.
struct Explore {
    setting: Setting,
    nodes: Nodes,
}

impl Explore {
    fn look<P, A, M>(&self, make: impl Fn(NodeId) -> P, applications: Vec<A>, monitor: M) -> Found
    where
        P: Protocol,
        A: Application<Command = P::Command, Event = P::Event>,
        M: Monitor<Command = P::Command, Event = P::Event>,
    {
        let Setting { fifo, duplicates, crashes, perpetual, .. } = self.setting;
        let world = World {
            order: if fifo { Order::Fifo } else { Order::Any },
            perpetual,
            faults: Faults { duplicates, crashes, ..Faults::default() },
            ..World::new()
        };
        let system = System::new(make, applications, monitor, world);
        let report = explore(system, Options::default(), &mut |_| true);
        let Report { verdict, counterexample, .. } = report;
        let counterexample = counterexample.map(|it| {
            let is_step = |line: &&Line<P>| match line {
                Line::Step(step) => step.input != Input::Start,
                _ => false,
            };
            (it.broken.promise, it.schedule.iter().filter(is_step).count(), it.cycle)
        });
        Found { verdict, counterexample }
    }
}

impl Visit for Explore {
    type Out = Found;

    fn mutex<P, F>(self, right: impl Fn(NodeId) -> P, flaw: impl Fn(NodeId) -> F) -> Found
    where
        P: Protocol<Command = mutex::Command, Event = mutex::Event>,
        F: Flaw<P>,
    {
        let visitors = self.setting.budget.iter().copied().map(Visitor::new).collect();
        let monitor = mutex::Monitor::new(self.setting.nodes());
        let nodes = self.nodes;
        self.look(|me| Flawed::new(right(me), nodes.with(flaw(me))), visitors, monitor)
    }

    fn election<P, F>(
        self,
        winner: Winner,
        right: impl Fn(NodeId) -> P,
        flaw: impl Fn(NodeId) -> F,
    ) -> Found
    where
        P: Protocol<Command = election::Command, Event = election::Event>,
        F: Flaw<P>,
    {
        let voters = self.setting.budget.iter().copied().map(Voter::new).collect();
        let monitor = election::Monitor::new(self.setting.ground().ids().to_vec(), winner);
        let nodes = self.nodes;
        self.look(|me| Flawed::new(right(me), nodes.with(flaw(me))), voters, monitor)
    }
}

fn search(specimen: &Specimen, setting: Setting, nodes: Nodes) -> Found {
    let explorer = Explore { setting, nodes };
    visit(specimen.name, &setting.ground(), explorer).expect("the table and the nodes agree")
}

fn checked() -> impl Iterator<Item = &'static Specimen> {
    all().filter(|specimen| specimen.found_by == Tool::Check)
}

#[test]
fn every_specimen_is_found_on_the_shortest_way() {
    // A node that fails an assertion of its own is a result.
    std::panic::set_hook(Box::new(|_| {}));
    let mut complaints = Vec::new();
    for specimen in checked() {
        let found = search(specimen, specimen.setting, Nodes::Broken);
        let expected = (specimen.promise, specimen.steps);
        let Some((promise, steps, cycle)) = found.counterexample else {
            complaints.push(format!("{}: {:?}", specimen.name, found.verdict));
            continue;
        };
        if (promise.as_str(), steps) != expected {
            complaints.push(format!("{}: {promise} in {steps} steps", specimen.name));
        }
        let is_endless = [Finding::Livelock, Finding::EndlessAnnouncement];
        if cycle.is_some() != is_endless.contains(&specimen.finds) {
            complaints.push(format!("{}: a cycle of {cycle:?}", specimen.name));
        }
    }
    let _ = std::panic::take_hook();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn nothing_is_wrong_with_the_right_algorithm() {
    for specimen in checked().filter(|specimen| !specimen.is_forbidden_setting) {
        let found = search(specimen, specimen.setting, Nodes::Right);
        assert_eq!(found.verdict, Verdict::Exhausted, "{}: {:?}", specimen.of, specimen.setting);
    }
}

#[test]
fn where_the_order_is_the_flaw_keeping_it_is_the_cure() {
    let out_of_order: Vec<_> = all().filter(|it| it.name.ends_with("-out-of-order")).collect();
    assert_eq!(out_of_order.len(), 6);
    for specimen in out_of_order {
        let found = search(specimen, specimen.setting.fifo(), Nodes::Right);
        assert_eq!(found.verdict, Verdict::Exhausted, "{}", specimen.of);
    }
}

#[test]
fn where_faults_are_the_flaw_none_is_the_cure() {
    let faulty = all().filter(|it| it.setting.duplicates + it.setting.crashes > 0);
    for specimen in faulty {
        let setting = specimen.setting.duplicates(0).crashes(0);
        let found = search(specimen, setting, Nodes::Right);
        assert_eq!(found.verdict, Verdict::Exhausted, "{}", specimen.of);
    }
}

#[test]
fn names_are_unique_and_say_what_they_spoil() {
    let mut names = BTreeSet::new();
    for specimen in all() {
        assert!(names.insert(specimen.name), "{} twice", specimen.name);
        assert!(specimen.name.starts_with(&format!("{}-", specimen.of)), "{}", specimen.name);
        assert!(specimen.flaw.ends_with('.'), "{}", specimen.name);
        assert!(specimen.steps > 0, "{}", specimen.name);
        assert_eq!(find(specimen.name), Some(specimen));
    }
    assert!(names.contains("maekawa-without-inquire"), "the documentation promises it");
    assert_eq!(find("maekawa"), None);
}

#[test]
fn there_is_one_of_each_kind() {
    let kinds: BTreeSet<_> = all().map(|specimen| specimen.finds).collect();
    let expected = [
        Finding::TwoInside,
        Finding::Deadlock,
        Finding::LostToken,
        Finding::Livelock,
        Finding::EndlessAnnouncement,
        Finding::TwoLeaders,
        Finding::WrongLeader,
        Finding::NoLeader,
        Finding::Assertion,
    ];
    assert_eq!(kinds, expected.into());
}
