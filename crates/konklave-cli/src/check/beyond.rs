//! The assumptions of an algorithm that a check violates.

use konklave::NodeId;
use konklave_catalog::disorder::Disorder;
use konklave_catalog::site::Site;
use konklave_check::{Order, Pace, World};
use konklave_sim::faults::Outage;

use crate::fuzz::faults::parts;

/// The options of a search in which a disorder happens once, or may happen at any time.
pub(super) fn option(disorder: Disorder) -> &'static str {
    match disorder {
        Disorder::Loss => "--losses 1",
        Disorder::Duplication => "--duplicates 1",
        Disorder::Crash => "--crashes 1",
        Disorder::Restart => "--restarts 1",
        Disorder::Partition => "--partitions 1",
        Disorder::Overtaking => "--any-order",
        Disorder::Slowness => "--hasty",
    }
}

/// The faults and disorders of the search that the algorithm assumes not to happen.
pub(super) fn beyond(site: &Site, world: World) -> Vec<Disorder> {
    let needs = site.entry().needs;
    let faults = world.faults;
    let happens = [
        (faults.losses > 0 && !site.survives_losses(), Disorder::Loss),
        (faults.duplicates > 0 && !site.survives_duplicates(), Disorder::Duplication),
        (faults.crashes > 0 && !survives(site, faults.crashes), Disorder::Crash),
        (faults.restarts > 0, Disorder::Restart),
        (faults.partitions > 0, Disorder::Partition),
        (world.order == Order::Any && site.needs_fifo(), Disorder::Overtaking),
        // A timer that has to outlast a message or an election may expire earlier.
        (world.pace == Pace::Free && (needs.bounded || needs.patient), Disorder::Slowness),
    ];
    happens.into_iter().filter(|(happens, _)| *happens).map(|(_, disorder)| disorder).collect()
}

/// Whether the algorithm promises to survive this many crashes, of any nodes.
pub(super) fn survives(site: &Site, crashes: u8) -> bool {
    site.entry().needs.notices && !can_part(site, crashes, &mut Vec::new())
}

/// Whether this many further crashes can disconnect the nodes that are up.
fn can_part(site: &Site, more: u8, crashed: &mut Vec<Outage>) -> bool {
    if parts(crashed, site) {
        return true;
    }
    let first = crashed.last().map_or(0, |last| last.node.0 + 1);
    more > 0
        && (first..site.nodes()).any(|node| {
            crashed.push(Outage { node: NodeId(node), from: 0, to: None });
            let can = can_part(site, more - 1, crashed);
            crashed.pop();
            can
        })
}

/// The violated assumptions in words, if there are any.
pub(super) fn excuse(site: &Site, world: World) -> Option<String> {
    let name = |disorder| match disorder {
        // It survives those that leave the others connected.
        Disorder::Crash if site.entry().needs.notices => "crashes that can disconnect its network",
        disorder => name(disorder),
    };
    let names: Vec<_> = beyond(site, world).into_iter().map(name).collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

fn name(disorder: Disorder) -> &'static str {
    match disorder {
        Disorder::Loss => "lost messages",
        Disorder::Duplication => "duplicate messages",
        Disorder::Crash => "crashes",
        Disorder::Restart => "restarts without memory",
        Disorder::Partition => "partitions",
        Disorder::Overtaking => "messages that overtake each other",
        Disorder::Slowness => "messages that are slower than its timers",
    }
}
