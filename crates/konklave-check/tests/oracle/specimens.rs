//! Broken algorithms: both explorers find that they are.

use konklave::protocol::{Monitor, Protocol};
use konklave_catalog::booking::Booking;
use konklave_catalog::catalog::Catalog;
use konklave_catalog::consensus::Consensus;
use konklave_catalog::dictionary::Keyed;
use konklave_catalog::election::Election;
use konklave_catalog::heap::Ranked;
use konklave_catalog::mutex::Mutex;
use konklave_catalog::object::Shared;
use konklave_catalog::queue::Lined;
use konklave_catalog::selection::Selection;
use konklave_catalog::system::Explored;
use konklave_check::application::Application;
use konklave_check::{Options, System, Verdict, explore};
use konklave_specimens::{Finding, Specimen, Tool, all};
use stateright::{Checker, Model};

use super::erased::AnyModel;

/// What ours says, and whether theirs finds something wrong.
type Found = (Verdict, bool);

/// Looks at a system with both.
fn look<P, A, M>(system: &System<P, A, M>) -> Found
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let theirs = AnyModel::new(system.clone()).checker().spawn_bfs().join();
    let ours = explore(system.clone(), Options::default(), &mut |_| true);
    (ours.verdict, !theirs.discoveries().is_empty())
}

/// Looks at a specimen in its setting, with timers that run out at any time.
fn look_at(specimen: &'static Specimen, catalog: &'static Catalog) -> Found {
    let (entry, _) = catalog.find_specimen(specimen.name).unwrap();
    let site = specimen.site(entry).unwrap();
    let explored = site.system().unwrap().explored(&specimen.setting.plan(true)).unwrap();
    if let Some(lock) = explored.downcast_ref::<Explored<Mutex>>() {
        look(lock)
    } else if let Some(booking) = explored.downcast_ref::<Explored<Booking>>() {
        look(booking)
    } else if let Some(shared) = explored.downcast_ref::<Explored<Shared<Keyed>>>() {
        look(shared)
    } else if let Some(queue) = explored.downcast_ref::<Explored<Shared<Lined>>>() {
        look(queue)
    } else if let Some(heap) = explored.downcast_ref::<Explored<Shared<Ranked>>>() {
        look(heap)
    } else if let Some(selection) = explored.downcast_ref::<Explored<Selection>>() {
        look(selection)
    } else if let Some(consensus) = explored.downcast_ref::<Explored<Consensus>>() {
        look(consensus)
    } else {
        look(explored.downcast_ref::<Explored<Election>>().expect("an election"))
    }
}

/// Theirs knows nothing about lemmas, runs without an end, the order of requests, channels that
/// do not exist and legal states, and takes a minute for some that are long.
fn suits_both(specimen: &&Specimen) -> bool {
    use Finding::{EndlessAnnouncement, Livelock, NoChannel, Overtaken};
    use Finding::{Misplaced, NeverLegal, Parted, Relapse};
    let is_unknown = matches!(
        specimen.finds,
        Livelock
            | EndlessAnnouncement
            | Overtaken
            | NoChannel
            | NeverLegal
            | Parted
            | Relapse
            | Misplaced
    );
    !is_unknown && specimen.steps <= STEPS_MAX
}

const STEPS_MAX: usize = 12;

#[test]
fn both_find_every_short_specimen() {
    // A node that fails an assertion of its own is a result.
    std::panic::set_hook(Box::new(|_| {}));
    let catalog = Catalog::standard().with_specimens(all()).leak();
    let checked = all().filter(|specimen| specimen.found_by == Tool::Check).filter(suits_both);
    let mut complaints = Vec::new();
    let mut count = 0;
    for specimen in checked {
        let found = look_at(specimen, catalog);
        if found != (Verdict::Violated, true) {
            complaints.push(format!("{}: {found:?}", specimen.name));
        }
        count += 1;
    }
    let _ = std::panic::take_hook();
    assert!(complaints.is_empty(), "{complaints:#?}");
    assert!(count > 30, "only {count}");
}
