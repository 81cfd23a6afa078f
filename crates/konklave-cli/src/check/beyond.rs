//! What a check lets happen although the algorithm assumes that it does not.

use konklave_check::{Order, Pace, World};

use crate::fuzz::faults::Disorder;
use crate::site::Site;

/// What of this world the algorithm assumes not to happen.
pub(super) fn beyond(site: &Site, world: World) -> Vec<Disorder> {
    let needs = site.entry().needs;
    let happens = [
        (world.faults.losses > 0, Disorder::Loss),
        (world.faults.duplicates > 0, Disorder::Duplication),
        (world.faults.crashes > 0 && !needs.notices, Disorder::Crash),
        (world.order == Order::Any && site.needs_fifo(), Disorder::Overtaking),
        // A timer that waits for the longest delay runs out before that.
        (world.pace == Pace::Free && needs.bounded, Disorder::Slowness),
    ];
    happens.into_iter().filter(|(happens, _)| *happens).map(|(_, disorder)| disorder).collect()
}

/// The same in words: what the algorithm does not promise to survive, if there is something.
pub(super) fn excuse(site: &Site, world: World) -> Option<String> {
    let names: Vec<_> = beyond(site, world).into_iter().map(name).collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

fn name(disorder: Disorder) -> &'static str {
    match disorder {
        Disorder::None => "this",
        Disorder::Loss => "lost messages",
        Disorder::Duplication => "doubled messages",
        Disorder::Crash => "crashes",
        Disorder::Overtaking => "messages that overtake each other",
        Disorder::Slowness => "messages that are slower than its timers",
    }
}
