//! Specimens of queues.

use konklave::NodeId;
use konklave::batched::{Batched, Service};
use konklave::circle::Mixer;
use konklave::object::Queue;
use konklave::overlay::ldb::Ldb;
use konklave_catalog::object::Shared;
use konklave_catalog::queue::Lined;
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::erased_nodes;

use super::{Built, nothing};
use crate::flaws::waves::{Counts, DropsWakeUps, Impatient, Misassigned, NoRank};
use crate::{Flaw, Flawed};
use konklave::queue::skueue::{Fifo, Skueue};

const QUEUE: Specimen = Specimen {
    name: "",
    of: "skueue",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::Inconsistent,
    promise: "sequentially consistent",
    setting: Setting::new("complete", &[2, 0]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 4] = [
    Specimen {
        name: "skueue-counts-instead-of-runs",
        flaw: "A batch tells how many enqueues and how many dequeues there are, and not in which \
               order: a dequeue finds an element that its process enqueues only afterwards.",
        setting: Setting::new("complete", &[2, 0]).options(&[("ops", "ri"), ("window", "2")]),
        steps: 12,
        build: served::<Misassigned<Counts>>,
        ..QUEUE
    },
    Specimen {
        name: "skueue-empty-without-rank",
        flaw: "A dequeue that finds the queue empty takes no place in the order: the next one has \
               the same.",
        setting: Setting::new("complete", &[2, 0]).options(&[("ops", "rr"), ("window", "2")]),
        steps: 4,
        build: served::<Misassigned<NoRank>>,
        ..QUEUE
    },
    Specimen {
        name: "skueue-get-does-not-wait",
        flaw: "A dequeue whose element has not come yet does not wait for it, and finds nothing.",
        setting: Setting::new("complete", &[1, 1]).options(&[("ops", "i/r")]),
        steps: 12,
        build: |site| flawed(site, Impatient),
        ..QUEUE
    },
    Specimen {
        name: "skueue-loses-wake-ups",
        flaw: "A wake-up that arrives before the batch of its sender is dropped: the next wave \
               sleeps, with an operation that waits for it.",
        finds: Finding::Deadlock,
        promise: "every operation returns",
        setting: Setting::new("complete", &[0, 2]).options(&[("ops", "/ii")]),
        steps: 10,
        build: |site| flawed(site, DropsWakeUps),
        ..QUEUE
    },
];

/// Processes of a queue with this service.
fn served<S: Service<Object = Queue>>(site: &Site) -> Built<'_> {
    Ok(erased_nodes(Shared::<Lined>::new(0), site, processes::<S>(site)))
}

/// Processes that are right but for a flaw.
fn flawed<'a, F: Flaw<Skueue>>(site: &'a Site, flaw: F) -> Built<'a> {
    let right = processes::<Fifo>(site);
    let make = move |me| Flawed::new(right(me), flaw.clone());
    Ok(erased_nodes(Shared::<Lined>::new(0), site, make))
}

fn processes<S: Service>(site: &Site) -> impl Fn(NodeId) -> Batched<S> + use<S> {
    let mixer = Mixer::new(site.setup().seed);
    let network = Ldb::hashed(mixer, NodeId::all(site.nodes()));
    move |me| Batched::new(network[me.index()].clone(), mixer)
}
