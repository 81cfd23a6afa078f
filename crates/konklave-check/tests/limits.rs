//! What a search that is stopped says.

use konklave::NodeId;
use konklave::mutex::Monitor;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave_catalog::mutex::client::Visitor;
use konklave_check::{
    Bound, Faults, Limits, Liveness, Options, Progress, Schedule, SearchReport, System, Verdict,
    World, explore,
};

#[test]
fn a_violation_is_kept_if_there_is_no_time_to_find_it_again() {
    let visitors = vec![Visitor::new(1); 3];
    let faults = Faults { losses: 1, ..Faults::default() };
    let make = |me| RicartAgrawala::new(me, 3);
    let system = System::new(make, visitors, Monitor::new(3), World::new().faults(faults));
    for threads in [1, 2] {
        // The second search begins where the first did: with no step at all.
        let mut deepest = 0;
        let mut only_once = |progress: Progress| {
            deepest = deepest.max(progress.depth);
            progress.depth == deepest
        };
        let options = Options { threads, ..Options::default() };
        let report = explore(system.clone(), options, &mut only_once);
        assert_eq!((report.verdict, report.bound), (Verdict::Violated, None), "{threads} threads");
        assert_eq!(report.counterexamples.len(), 1);
    }
}

/// A token that goes round a ring of so many nodes for ever, each of which enters once.
fn perpetuum(
    nodes: u32,
    limits: Limits,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> SearchReport<Schedule<Perpetuum>> {
    let beside = |me: NodeId| (NodeId((me.0 + nodes - 1) % nodes), NodeId((me.0 + 1) % nodes));
    let make = |me| Perpetuum::new(me, beside(me), NodeId(0), std::time::Duration::ZERO);
    let visitors = vec![Visitor::new(1); nodes as usize];
    let world = World { perpetual: true, ..World::new() };
    let system = System::new(make, visitors, Monitor::new(nodes), world);
    explore(system, Options { limits, ..Options::default() }, go_on)
}

#[test]
fn the_search_for_cycles_can_be_stopped() {
    // States are counted anew whenever they are looked at once more: at first for costs, then for
    // the cheapest end, if there are ends, and then for cycles.
    let mut rounds = 0;
    let mut last = u64::MAX;
    let mut count = |progress: Progress| {
        rounds += u32::from(progress.is_retracing && progress.unique < last);
        last = progress.unique;
        rounds < 2
    };
    let report = perpetuum(3, Limits::default(), &mut count);
    assert_eq!((report.verdict, report.bound), (Verdict::Undecided, Some(Bound::Interrupt)));
    assert_eq!((report.liveness, report.messages), (None, None));
    let holds: Vec<_> = report.properties.iter().map(|property| property.holds).collect();
    let expected = [Some(true), Some(true), None, Some(true), Some(true)];
    assert_eq!(holds, expected, "{:?}", report.properties);
    let report = perpetuum(3, Limits::default(), &mut |_| true);
    assert_eq!((report.verdict, report.liveness), (Verdict::Exhausted, Some(Liveness::FairCycles)));
}

#[test]
fn no_more_memory_is_used_for_cycles_than_is_allowed() {
    let all = perpetuum(6, Limits::default(), &mut |_| true);
    assert_eq!(all.verdict, Verdict::Exhausted);
    let limits = Limits { bytes: Some(all.bytes * 9 / 10), ..Limits::default() };
    let mut is_retracing = false;
    let some = perpetuum(6, limits, &mut |progress| {
        is_retracing |= progress.is_retracing;
        true
    });
    assert_eq!((some.verdict, some.bound), (Verdict::Undecided, Some(Bound::Memory)));
    assert!(is_retracing, "all states were seen: {} bytes in all", all.bytes);
    assert_eq!(some.unique, all.unique);
}
