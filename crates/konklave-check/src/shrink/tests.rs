//! Whatever breaks in the simulator: its shortest form breaks the same, nothing can be taken away
//! from it, it can be replayed, and shrinking it once more changes nothing.

mod specimens;

use konklave::NodeId;
use konklave::election::bully::Bully;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::{self, Id, Winner};
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::{self, Command};
use konklave::protocol::{Monitor, Protocol};
use konklave::trace::Line;
use konklave_catalog::election::workload::{Ballot, Plan as BallotPlan};
use konklave_catalog::mutex::workload::{Contention, Demand, Plan};
use konklave_sim::workload::Workload;
use konklave_sim::{Delay, Faults, Options, Recording, Simulation};
use konklave_specimens::{Flaw, Flawed, Flawless};
use konklave_stage::erased::AnyNode;
use konklave_stage::replay::replay;
use std::time::Duration;

use super::happening::Recorded;
use super::play::Play;
use super::{Shrunk, Size, Unfit, commands, shrink};
use crate::application::Application;
use crate::system::{Pace, System, World};
use crate::{Costs, Options as Search, explore};
use konklave_catalog::election::client::Voter;
use konklave_catalog::mutex::client::Visitor;
use specimens::{Forger, Forgetful, Hasty, Silent, Usurper};

/// The trace of a run in the simulator, if it breaks a promise.
fn simulate<P, W, M>(
    options: Options,
    nodes: u32,
    make: impl Fn(NodeId) -> P,
    workload: W,
    monitor: M,
) -> Option<Vec<Line<P>>>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let mut out = Vec::new();
    let options = Options { event_limit: Some(20_000), ..options };
    let mut simulation = Simulation::new(options, nodes, make, workload, monitor);
    simulation.record(Recording::new(&mut out, false));
    let report = simulation.run(&mut |_| true).unwrap();
    drop(simulation);
    let lines = std::str::from_utf8(&out).unwrap().lines();
    let lines = lines.map(|line| serde_json::from_str(line).unwrap());
    (!report.violations.is_empty()).then(|| lines.collect())
}

/// Shrinks a trace and checks everything that can be said about the result.
fn examine<P, A, M>(
    about: &str,
    nodes: u32,
    make: impl Fn(NodeId) -> P + Copy,
    monitor: &M,
    lines: &[Line<P>],
) -> (Size, Shrunk<P>)
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let again = |lines: &[Line<P>]| {
        shrink::<P, A, M>(make, nodes, monitor.clone(), None, lines, &mut || true)
            .unwrap_or_else(|unfit| panic!("{about}: {unfit:?}"))
    };
    let shrunk = again(lines);
    let size = Size::of(&shrunk.schedule);
    let Some(Line::End(end)) = lines.last() else { panic!("{about}: no end") };
    let Some(broken) = &end.broken else { panic!("{about}: nothing is broken") };
    assert_eq!(shrunk.broken.promise, broken.promise, "{about}");
    assert!(size.steps <= Size::of(lines).steps, "{about}: {size:?} of {:?}", Size::of(lines));

    let mut text = shrunk.schedule.iter().map(|line| Ok(serde_json::to_string(line).unwrap()));
    let erased = &|me| AnyNode::new(make(me));
    let replayed = replay(&mut text, nodes, erased, monitor.clone(), &mut |_| {});
    let replayed = replayed.unwrap_or_else(|error| panic!("{about}: {error}"));
    assert_eq!(replayed.broken, Some(shrunk.broken.clone()), "{about}");

    assert_eq!(again(&shrunk.schedule).schedule, shrunk.schedule, "{about}: idempotent");
    if let Some(place) = superfluous::<P, A, M>(nodes, make, monitor, &shrunk.schedule) {
        panic!("{about}: number {place} can be taken away from {:#?}", shrunk.schedule);
    }
    (size, shrunk)
}

/// Something that can be taken away from a schedule, found by trying everything.
fn superfluous<P, A, M>(
    nodes: u32,
    make: impl Fn(NodeId) -> P,
    monitor: &M,
    lines: &[Line<P>],
) -> Option<usize>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let system =
        |world| System::new(&make, A::supply(nodes, &commands(lines)), monitor.clone(), world);
    let recorded = Recorded::read(&system(World::new()).nodes, lines).unwrap();
    let mut world = World { order: recorded.order, pace: Pace::Patient, ..World::new() };
    if Play::new(&system(world), &recorded).is_none() {
        world.pace = Pace::Free;
    }
    let system = system(world);
    let breaks = |list: &[u32]| Play::new(&system, &recorded).unwrap().attempt(&[], list).is_some();
    let all: Vec<u32> = (0..recorded.happenings.len() as u32).collect();
    // What brings everything to rest happens by itself.
    let needed = (0..=all.len()).find(|&length| breaks(&all[..length])).unwrap();
    (0..needed).find(|&place| {
        let mut list = all[..needed].to_vec();
        list.remove(place);
        breaks(&list)
    })
}

/// Everyone enters up to three times.
fn contention(nodes: u32, options: &Options) -> Contention {
    let plan = Plan {
        demand: Demand::Heavy,
        entries: 3,
        requesters: NodeId::all(nodes).collect(),
        inside: 5,
        think: 0,
        warmup: 0,
        unit: options.delay.mean(),
        perpetual: false,
    };
    Contention::new(nodes, plan)
}

/// Examines what breaks on some seeds; the largest size of what comes out.
fn of_mutex<P>(about: &str, faults: &Faults, make: impl Fn(NodeId, u32) -> P + Copy) -> (u32, Size)
where
    P: Protocol<Command = Command, Event = mutex::Event>,
{
    let mut found = 0;
    let mut largest = Size::default();
    for seed in 1..=25 {
        let nodes = 2 + (seed % 4) as u32;
        let (delay, faults) = (Delay::Uniform(1, 20), faults.clone());
        let options = Options { seed, delay, faults, fifo: seed % 3 == 0, ..Options::default() };
        let make = |me| make(me, nodes);
        let workload = contention(nodes, &options);
        let monitor = mutex::Monitor::new(nodes);
        let about = format!("{about}, seed {seed}");
        if let Some(lines) = simulate(options, nodes, make, workload, monitor.clone()) {
            let (size, _) = examine::<_, Visitor, _>(&about, nodes, make, &monitor, &lines);
            largest = if size.steps > largest.steps { size } else { largest };
            found += 1;
        }
    }
    (found, largest)
}

fn ricart_agrawala<F: Flaw<RicartAgrawala>>(
    flaw: F,
) -> impl Fn(NodeId, u32) -> Flawed<RicartAgrawala, F> + Clone {
    move |me, nodes| Flawed::new(RicartAgrawala::new(me, nodes), flaw.clone())
}

#[test]
fn flaws_of_ricart_and_agrawala() {
    let none = Faults::default();
    let make = ricart_agrawala(Hasty);
    let (found, size) = of_mutex("hasty", &none, &make);
    assert!(found > 20, "{found}");
    // Two ask, and are inside.
    assert_eq!((size.commands, size.deliveries, size.faults), (2, 0, 0));
    let (found, size) = of_mutex("silent", &none, &ricart_agrawala(Silent));
    assert!(found > 20, "{found}");
    // One asks, and is never answered.
    assert_eq!((size.commands, size.faults), (1, 0));
    let (found, _) = of_mutex("forgetful", &none, &ricart_agrawala(Forgetful));
    assert!(found > 20, "{found}");
}

#[test]
fn a_token_that_is_forged() {
    let make = |me: NodeId, _| {
        let right = Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
        Flawed::new(right, Forger::default())
    };
    let (found, _) = of_mutex("forger", &Faults::default(), make);
    assert!(found > 5, "{found}");
}

#[test]
fn faults_that_a_right_algorithm_does_not_survive() {
    let make = ricart_agrawala(Flawless);
    let loss = Faults { loss: 0.05, ..Faults::default() };
    let (found, size) = of_mutex("losses", &loss, &make);
    assert!(found > 10, "{found}");
    assert_eq!((size.commands, size.faults), (1, 1), "one lost message is enough: {size:?}");
    let doubled = Faults { duplicate: 0.3, ..Faults::default() };
    let (found, size) = of_mutex("duplicates", &doubled, &make);
    assert!(found > 3, "{found}");
    assert_eq!(size.faults, 1, "{size:?}");
    let crash = ["0@12..300", "1@20"].map(|text| text.parse().unwrap()).to_vec();
    let pauses = vec!["0@5..50".parse().unwrap()];
    let partitions = vec!["hold:0/1@10..80".parse().unwrap()];
    let crashes = Faults { crashes: crash, pauses, partitions, ..Faults::default() };
    let (found, size) = of_mutex("crashes", &crashes, &make);
    assert!(found > 10, "{found}");
    assert!(size.faults <= 2, "{size:?}");
    let corruptions = ["state:1@12", "channel:0-1@20"].map(|it| it.parse().unwrap()).to_vec();
    let corrupted = Faults { corruptions, ..Faults::default() };
    let (found, size) = of_mutex("corruption", &corrupted, &make);
    assert!(found > 3 && size.faults > 0, "{found}: {size:?}");
}

/// An election between nodes with the ids 0, 1, 2, ...
fn of_election<P>(
    about: &str,
    options: &Options,
    nodes: u32,
    notice: Option<u64>,
    make: impl Fn(NodeId) -> P + Copy,
) -> Option<(Size, Shrunk<P>)>
where
    P: Protocol<Command = election::Command, Event = election::Event>,
{
    let ids: Vec<_> = (0..nodes).map(Id).collect();
    let plan = BallotPlan { notice, ..BallotPlan::once(NodeId::all(nodes).collect(), 20) };
    let ballot = Ballot::new(ids.clone(), plan);
    let monitor = election::Monitor::new(ids, Winner::Largest);
    let lines = simulate(options.clone(), nodes, make, ballot, monitor.clone())?;
    let about = format!("{about}, seed {}", options.seed);
    Some(examine::<P, Voter, _>(&about, nodes, make, &monitor, &lines))
}

#[test]
fn a_second_leader() {
    for seed in 1..=10 {
        let nodes = 2 + (seed % 4) as u32;
        let make = |me: NodeId| {
            let right = ChangRoberts::new(Id(me.0), NodeId((me.0 + 1) % nodes), Wake::All);
            Flawed::new(right, Usurper)
        };
        let options = Options { seed, ..Options::default() };
        let (size, _) = of_election("usurper", &options, nodes, None, make).unwrap();
        assert_eq!((size.commands, size.faults), (1, 0), "seed {seed}");
    }
}

/// An election that was not called does not end without a leader.
#[test]
fn a_lost_election_was_called_by_someone() {
    let faults = Faults { loss: 0.2, ..Faults::default() };
    let mut found = 0;
    for seed in 1..=20 {
        let make = |me: NodeId| ChangRoberts::new(Id(me.0), NodeId((me.0 + 1) % 4), Wake::All);
        let options = Options { seed, faults: faults.clone(), ..Options::default() };
        if let Some((size, shrunk)) = of_election("lost", &options, 4, None, make) {
            assert_eq!(shrunk.broken.promise, "termination");
            assert_eq!((size.commands, size.faults), (1, 1), "seed {seed}: {size:?}");
            found += 1;
        }
    }
    assert!(found > 5, "{found}");
}

/// Bullies that rely on a shorter delay than there is: what they do depends on timers, on notices
/// and on restarts.
#[test]
fn timers_notices_and_restarts() {
    let mut found = 0;
    let mut timers = 0;
    for seed in 1..=60 {
        let nodes = 3;
        let make = |me: NodeId| {
            let others = NodeId::all(nodes).filter(|other| *other != me);
            let others = others.map(|other| (Id(other.0), other)).collect();
            Bully::new(Id(me.0), others, Duration::from_millis(3))
        };
        let crashes = ["2@30..200", "0@100"].map(|text| text.parse().unwrap()).to_vec();
        let faults = Faults { crashes, ..Faults::default() };
        let options = Options { seed, delay: Delay::Uniform(1, 20), faults, ..Options::default() };
        if let Some((size, _)) = of_election("bully", &options, nodes, Some(4), make) {
            found += 1;
            timers += u32::from(size.timers > 0);
        }
    }
    assert!(found > 5 && timers > 0, "{found}, {timers} of them with timers");
}

/// The search finds a shortest schedule; shrinking what a simulation found gives one as short.
fn as_short_as_the_shortest<P>(nodes: u32, make: impl Fn(NodeId) -> P + Copy)
where
    P: Protocol<Command = Command, Event = mutex::Event>,
{
    let monitor = mutex::Monitor::new(nodes);
    let visitors = vec![Visitor::new(2); nodes as usize];
    let system = System::new(make, visitors, monitor.clone(), World::new());
    let search = Search { costs: Costs::Ignored, ..Search::default() };
    let found = explore(system, search, &mut |_| true).counterexamples.remove(0);
    let (shortest, _) = examine::<_, Visitor, _>("found", nodes, make, &monitor, &found.schedule);
    assert_eq!(shortest, Size::of(&found.schedule), "nothing can be taken from the shortest");
    let shrunk = (1..=20).filter_map(|seed| {
        let options = Options { seed, delay: Delay::Uniform(1, 20), ..Options::default() };
        let workload = contention(nodes, &options);
        let lines = simulate(options, nodes, make, workload, monitor.clone())?;
        let about = format!("seed {seed}");
        let (size, _) = examine::<_, Visitor, _>(&about, nodes, make, &monitor, &lines);
        assert!(size.steps >= shortest.steps, "{about}: shorter than the shortest");
        Some(size.steps)
    });
    assert_eq!(shrunk.min(), Some(shortest.steps));
}

#[test]
fn two_enter_as_soon_as_they_can() {
    let hasty = ricart_agrawala(Hasty);
    as_short_as_the_shortest(3, |me| hasty(me, 3));
    let forger = |me: NodeId| {
        let right = Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
        Flawed::new(right, Forger::default())
    };
    as_short_as_the_shortest(3, forger);
}

/// Two tokens: an invariant of Raymond's algorithm is broken, long before two enter.
#[test]
fn an_invariant() {
    let make = |me: NodeId| Raymond::new(me, if me.0 < 2 { me } else { NodeId(1) }, Variant::Plain);
    let monitor = mutex::Monitor::new(3);
    let system = System::new(make, vec![Visitor::new(1); 3], monitor.clone(), World::new());
    let found = explore(system, Search::default(), &mut |_| true).counterexamples.remove(0);
    assert!(make(NodeId(0)).invariants().iter().any(|it| it.name() == found.broken.promise));
    let (size, _) = examine::<_, Visitor, _>("two tokens", 3, make, &monitor, &found.schedule);
    assert_eq!((size.commands, size.deliveries), (0, 0));
}

/// A node that has no part in it is removed, and those behind it move up.
#[test]
fn nodes_that_matter_stay_and_no_others() {
    let hasty = ricart_agrawala(Hasty);
    let options = Options { seed: 1, delay: Delay::Uniform(1, 20), ..Options::default() };
    let (all, monitor) = (|me| hasty(me, 4), mutex::Monitor::new(4));
    let workload = contention(4, &options);
    let lines = simulate(options, 4, all, workload, monitor.clone()).unwrap();
    let shrunk = shrink::<_, Visitor, _>(all, 4, monitor, None, &lines, &mut || true).unwrap();
    let asking = |lines: &[Line<_>]| commands(lines).into_iter().map(|it| it.0).collect::<Vec<_>>();
    let two = asking(&shrunk.schedule);
    assert_eq!(two.len(), 2);
    for gone in NodeId::all(4) {
        let (few, monitor) = (|me| hasty(me, 3), mutex::Monitor::new(3));
        let schedule = &shrunk.schedule;
        let without = shrink::<_, Visitor, _>(few, 3, monitor, Some(gone), schedule, &mut || true);
        if two.contains(&gone) {
            assert_eq!(without.unwrap_err(), Unfit::Unrepeatable, "{gone}");
        } else {
            let moved = two.iter().map(|node| NodeId(node.0 - u32::from(*node > gone)));
            assert_eq!(asking(&without.unwrap().schedule), moved.collect::<Vec<_>>(), "{gone}");
        }
    }
}

#[test]
fn what_cannot_be_shrunk_says_why() {
    let make = |me| RicartAgrawala::new(me, 2);
    let unfit = |lines: &[Line<RicartAgrawala>]| {
        let monitor = mutex::Monitor::new(2);
        shrink::<_, Visitor, _>(make, 2, monitor, None, lines, &mut || true).unwrap_err()
    };
    let ended = konklave::trace::Ended::Violation;
    let end = |broken| konklave::trace::End { ended, time: 0, steps: 0, broken };
    let broken = konklave::protocol::Broken::promise("no rain", "it rains").unwrap_err();
    assert_eq!(unfit(&[]), Unfit::Damaged);
    assert_eq!(unfit(&[Line::End(end(None))]), Unfit::NothingBroken);
    assert_eq!(unfit(&[Line::End(end(Some(broken.clone())))]), Unfit::Unrepeatable);
    assert_eq!(unfit(&[Line::Loop { at: 0 }, Line::End(end(Some(broken)))]), Unfit::Endless);
}
