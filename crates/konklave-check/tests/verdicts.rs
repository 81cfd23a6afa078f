//! What is said about each promise: only what was decided.

use std::time::Duration;

use konklave::NodeId;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave::mutex::overtaking::BOUNDED_OVERTAKING;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::{Env, Never, Protocol};
use konklave_catalog::mutex::client::Visitor;
use konklave_check::{
    Bound, Costs, Faults, Identity, Liveness, Options, Schedule, SearchReport, System, Until,
    Verdict, World, explore,
};

type Locks<P> = System<P, Visitor, Monitor>;

fn locks<P>(nodes: u32, world: World, make: impl Fn(NodeId) -> P) -> Locks<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let visitors = vec![Visitor::new(1); nodes as usize];
    System::new(make, visitors, Monitor::new(nodes), world)
}

fn search<P>(system: &Locks<P>, options: Options) -> SearchReport<Schedule<P>>
where
    P: Protocol<Command = Command, Event = Event>,
{
    explore(system.clone(), options, &mut |_| true)
}

fn only(name: &str) -> Options {
    Options { promises: vec![name.to_owned()], ..Options::default() }
}

fn holds<S>(report: &SearchReport<S>, name: &str) -> Option<bool> {
    let property = report.properties.iter().find(|property| property.name == name);
    property.unwrap_or_else(|| panic!("nothing is said about {name}")).holds
}

fn perpetuum() -> Locks<Perpetuum> {
    let beside = |me: NodeId| (NodeId((me.0 + 2) % 3), NodeId((me.0 + 1) % 3));
    let world = World { perpetual: true, ..World::new() };
    locks(3, world, |me| Perpetuum::new(me, beside(me), NodeId(0), Duration::ZERO))
}

fn raymond() -> Locks<Raymond> {
    let make = |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
    locks(3, World::new(), make)
}

#[test]
fn what_needs_cycles_is_undecided_where_nobody_looked_for_them() {
    let quick = Options { costs: Costs::Ignored, ..Options::default() };
    let report = search(&perpetuum(), quick.clone());
    assert_eq!((report.verdict, report.liveness), (Verdict::Undecided, None));
    assert_eq!(holds(&report, "no starvation"), None);
    assert_eq!(holds(&report, "mutual exclusion"), Some(true));
    assert_eq!(holds(&report, "assertions hold"), Some(true));
    // Every step of this one leads one layer further, so there are no cycles to look for.
    let report = search(&locks(3, World::new(), |me| RicartAgrawala::new(me, 3)), quick);
    assert_eq!((report.verdict, report.liveness), (Verdict::Exhausted, Some(Liveness::Acyclic)));
}

#[test]
fn what_the_search_has_decided_stays_decided_if_the_costs_are_not_found() {
    let report = explore(raymond(), Options::default(), &mut |progress| !progress.is_retracing);
    assert_eq!((report.verdict, report.bound), (Verdict::Undecided, Some(Bound::Interrupt)));
    assert_eq!(holds(&report, "mutual exclusion"), Some(true));
    assert_eq!((holds(&report, "no starvation"), holds(&report, "comes to rest")), (None, None));
    assert_eq!(report.messages, None);
    // Where there are no cycles, only the costs are missing.
    let system = locks(3, World::new(), |me| RicartAgrawala::new(me, 3));
    let report = explore(system, Options::default(), &mut |progress| !progress.is_retracing);
    assert_eq!((report.verdict, report.bound), (Verdict::Exhausted, Some(Bound::Interrupt)));
    assert_eq!((report.messages, holds(&report, "comes to rest")), (None, Some(true)));
}

#[test]
fn nothing_is_said_about_promises_that_nobody_asked_for() {
    let losses = World::new().faults(Faults { losses: 1, ..Faults::default() });
    let system = locks(2, losses, |me| RicartAgrawala::new(me, 2));
    let report = search(&system, only("mutual exclusion"));
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!(report.properties.len(), 1);
    assert_eq!(holds(&report, "mutual exclusion"), Some(true));
    assert_eq!(report.cuts, Vec::<String>::new(), "whoever waits for ever breaks no step off");
    assert_eq!(search(&system, only("no starvation")).verdict, Verdict::Violated);
}

const MUTEX: &str = "mutual exclusion";
const GRANTS: &str = "grants on demand";

#[test]
#[should_panic(expected = "'no hunger' is not among the promises")]
fn a_promise_that_there_is_not_is_refused() {
    let promises = vec!["no hunger".to_owned()];
    search(&raymond(), Options { promises, ..Options::default() });
}

/// Each promise on its own, and all together: the same verdicts, and schedules as short.
#[test]
fn going_on_finds_what_looking_for_each_promise_alone_finds() {
    fn compare<P>(system: &Locks<P>, broken: &[&str])
    where
        P: Protocol<Command = Command, Event = Event>,
    {
        for threads in [1, 2] {
            let until = Until::AllDecided;
            let all = search(system, Options { until, threads, ..Options::default() });
            let mut found: Vec<_> =
                all.counterexamples.iter().map(|it| it.broken.promise.as_str()).collect();
            found.sort_unstable();
            assert_eq!(found, broken, "{threads} threads");
            for name in system.promises() {
                let promises = vec![name.to_owned()];
                let alone = search(system, Options { promises, threads, ..Options::default() });
                assert_eq!(holds(&all, name), holds(&alone, name), "{name}");
                assert!(holds(&all, name).is_some(), "{name} is decided");
                let same = all.counterexamples.iter().find(|it| it.broken.promise == name);
                let lengths =
                    [same, alone.counterexample()].map(|it| it.map(|it| it.schedule.len()));
                assert_eq!(lengths[0], lengths[1], "{name}");
            }
        }
    }
    let losses = World::new().faults(Faults { losses: 1, ..Faults::default() });
    compare(&locks(2, losses, |me| RicartAgrawala::new(me, 2)), &["no starvation"]);
    // Without FIFO channels, which it needs; faults leave its lemmas out of it.
    let lamport = |me| Lamport::new(me, 2, Acks::Eager);
    compare(&locks(2, losses, lamport), &[MUTEX, "no starvation"]);
    compare(&raymond(), &[]);
}

/// Its message comes back to it again and again, whatever it is asked for. Node 0 of two tells
/// node 1 at first to grant itself what it did not ask for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Hamster {
    me: NodeId,
}

impl Protocol for Hamster {
    type Msg = ();
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        if self.me == NodeId(0) {
            env.send(NodeId(0), ());
            env.send(NodeId(1), ());
        }
    }

    fn on_command(&mut self, _command: Command, _env: &mut impl Env<Self>) {}

    fn on_message(&mut self, _from: NodeId, (): (), env: &mut impl Env<Self>) {
        match self.me {
            NodeId(0) => env.send(NodeId(0), ()),
            _ => env.emit(Event::Granted),
        }
    }
}

#[test]
fn a_cycle_that_puts_off_a_broken_promise_for_ever_is_not_fair() {
    let visitors = [0, 0].map(Visitor::new).to_vec();
    let system = System::new(|me| Hamster { me }, visitors, Monitor::new(2), World::new());
    let report = search(&system, only("no starvation"));
    assert_eq!((report.verdict, &report.cuts[..]), (Verdict::Exhausted, &[GRANTS.to_owned()][..]));
    let options = Options { until: Until::AllDecided, ..Options::default() };
    let report = search(&system, options);
    assert_eq!(report.counterexamples.len(), 1, "{:?}", report.counterexamples);
    assert_eq!(report.counterexamples[0].broken.promise, GRANTS);
    assert_eq!(report.cuts, [GRANTS]);
    assert_eq!(holds(&report, "comes to rest"), Some(true), "up to the grant");
}

/// Turns its wheel and hears nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wheel;

impl Protocol for Wheel {
    type Msg = ();
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        env.send(NodeId(0), ());
    }

    fn on_command(&mut self, _command: Command, _env: &mut impl Env<Self>) {}

    fn on_message(&mut self, _from: NodeId, (): (), env: &mut impl Env<Self>) {
        env.send(NodeId(0), ());
    }
}

#[test]
fn a_cycle_breaks_what_is_open_all_the_way_round() {
    let system = |entries| {
        let visitors = vec![Visitor::new(entries)];
        System::new(|_| Wheel, visitors, Monitor::new(1), World::new())
    };
    let report = search(&system(1), Options::default());
    let broken: Vec<_> =
        report.counterexamples.iter().map(|it| (it.broken.to_string(), it.cycle)).collect();
    let endless = "comes to rest: the last step can repeat for ever".to_owned();
    let waits = "no starvation: node 0 waits for ever, while the last step repeats".to_owned();
    assert_eq!(broken, [(endless, Some(1)), (waits, Some(1))]);
    assert_eq!(holds(&report, MUTEX), Some(true), "everything was explored");
    assert_eq!(report.counterexamples[0].broken.node, Some(NodeId(0)), "it is all its doing");
    // Who asks for nothing does not starve.
    let report = search(&system(0), Options::default());
    assert_eq!(report.counterexamples.len(), 1);
    assert_eq!(holds(&report, "no starvation"), Some(true));
}

/// A cut voids the order of requests, and the state says so as well as its fingerprint.
#[test]
fn order_is_not_promised_across_a_cut() {
    let cut = World::new().faults(Faults { partitions: 1, ..Faults::default() });
    let plain = locks(2, cut, |me| RicartAgrawala::new(me, 2));
    let system = System { monitor: Monitor::with_bound(2, 1), ..plain };
    let look = |identity| search(&system, Options { identity, ..only(BOUNDED_OVERTAKING) });
    let reports = [Identity::Fingerprint, Identity::Exact].map(look);
    for report in &reports {
        assert_eq!(holds(report, BOUNDED_OVERTAKING), Some(true), "{:?}", report.counterexamples);
    }
    assert_eq!(reports[0].unique, reports[1].unique);
}
