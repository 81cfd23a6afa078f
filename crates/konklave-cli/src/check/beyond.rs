//! The assumptions of an algorithm that a check violates.

use konklave::NodeId;
use konklave_catalog::site::Site;
use konklave_check::{Order, Pace, World};
use konklave_sim::faults::Outage;
use serde::Serialize;

use crate::fuzz::faults::parts;

/// Something that an algorithm may assume not to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Disorder {
    /// Messages are lost.
    Loss,
    /// Messages are duplicated.
    Duplication,
    /// Nodes crash for ever.
    Crash,
    /// Nodes crash and return, having forgotten everything.
    Restart,
    /// The network is cut into two groups for a while.
    Partition,
    /// Messages overtake each other.
    Overtaking,
    /// Messages are slower than timers.
    Slowness,
}

impl Disorder {
    /// Its name, as in JSON.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Duplication => "duplication",
            Self::Crash => "crash",
            Self::Restart => "restart",
            Self::Partition => "partition",
            Self::Overtaking => "overtaking",
            Self::Slowness => "slowness",
        }
    }

    /// The options of a search in which it happens once, or may happen at any time.
    pub(super) fn option(self) -> &'static str {
        match self {
            Self::Loss => "--losses 1",
            Self::Duplication => "--duplicates 1",
            Self::Crash => "--crashes 1",
            Self::Restart => "--restarts 1",
            Self::Partition => "--partitions 1",
            Self::Overtaking => "--any-order",
            Self::Slowness => "--hasty",
        }
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
