//! Selections, in every schedule of small systems.

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::overlay::ldb::Ldb;
use konklave::selection::k_select::KSelect;
use konklave::selection::search::{Plan, Splitters};
use konklave::selection::{Key, Monitor};
use konklave_catalog::selection::workload::Asker;
use konklave_check::{
    Faults, Options, Schedule, SearchReport, System, Until, Verdict, World, explore,
};

/// Processes with these elements; each asks for some ranks, one after the other.
fn k_select(
    priorities: &[&[u64]],
    ranks: &[&[u64]],
    sample: Option<u64>,
    world: World,
) -> SearchReport<Schedule<KSelect>> {
    let processes = priorities.len() as u32;
    let mixer = Mixer::new(1);
    let splitters = Splitters::Adaptive;
    let plan = Plan { processes, splitters, sample, mixer };
    let network = Ldb::hashed(mixer, NodeId::all(processes));
    let mut ids = 0..;
    let mut key = |&priority: &u64| Key { priority, id: ids.next().unwrap() };
    let held: Vec<Vec<Key>> =
        priorities.iter().map(|own| own.iter().map(&mut key).collect()).collect();
    let make = |me: NodeId| KSelect::new(&network[me.index()], plan, held[me.index()].clone());
    let askers = ranks.iter().map(|ranks| Asker::new(ranks.iter().copied())).collect();
    let monitor = Monitor::new(priorities.iter().flat_map(|own| own.iter().copied()));
    let system = System::new(make, askers, monitor, world);
    let options = Options { threads: 2, until: Until::AllDecided, ..Options::default() };
    explore(system, options, &mut |_| true)
}

/// Three processes with two elements each, and every rank, also with samples that are too small:
/// whichever functions are drawn, the element is found.
#[test]
fn every_schedule_finds_every_rank() {
    let priorities: [&[u64]; 3] = [&[10, 40], &[20, 20], &[60, 50]];
    let mut states = Vec::new();
    for rank in 0..=7 {
        for sample in [None, Some(1), Some(2)] {
            let report = k_select(&priorities, &[&[], &[rank], &[]], sample, World::new());
            assert_eq!(report.verdict, Verdict::Exhausted, "rank {rank}, {sample:?}");
            states.push(report.unique);
        }
    }
    let total: u64 = states.iter().sum();
    assert_eq!((states.len(), total), (24, 1138));
}

#[test]
fn selections_that_meet_are_carried_out_one_by_one() {
    let priorities: [&[u64]; 3] = [&[10, 40], &[20], &[]];
    let ranks: [&[u64]; 3] = [&[1], &[3, 9], &[2]];
    let report = k_select(&priorities, &ranks, Some(1), World::new());
    assert_eq!((report.verdict, report.unique), (Verdict::Exhausted, 9825));
}

#[test]
fn a_duplicate_message_is_harmless_and_a_lost_one_blocks() {
    let priorities: [&[u64]; 2] = [&[10, 40], &[20, 30]];
    let faults = Faults { duplicates: 1, ..Faults::NONE };
    let report = k_select(&priorities, &[&[2], &[3]], Some(1), World::new().faults(faults));
    assert_eq!(report.verdict, Verdict::Exhausted);
    let faults = Faults { losses: 1, ..Faults::NONE };
    let report = k_select(&priorities, &[&[2], &[3]], Some(1), World::new().faults(faults));
    let holds = |name: &str| {
        let mut properties = report.properties.iter();
        properties.find(|it| it.name == name).expect("it is decided").holds
    };
    assert_eq!(holds("the right element"), Some(true));
    assert_eq!(holds("every selection ends"), Some(false));
}
