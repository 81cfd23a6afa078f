//! Specimens of permission-based mutual exclusion.

use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::carvalho_roucairol::{self, CarvalhoRoucairol};
use konklave::mutex::central::Central;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::overtaking::BOUNDED_OVERTAKING;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::sanders::{Sanders, Structure};
use konklave::{NodeId, NodeSet};

use super::{lock, nothing};
use crate::Flawless;
use crate::flaws::cao_singhal::{NoEarlyBuffer, NoEpochs, NoPendingTransfer};
use crate::flaws::carvalho_roucairol::{KeepsPermission, NoSecondRequest};
use crate::flaws::central::{NewestFirst, NoQueue};
use crate::flaws::maekawa::{NoFailed, NoInquire, UnmatchedInquire, YieldIsNoFailure};
use crate::flaws::ricart_agrawala::{Forgetful, NoClockUpdate, NoTieBreak};
use crate::flaws::sanders::{self, OnePermission};
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};

const LOCK: Specimen = Specimen {
    name: "",
    of: "",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::Deadlock,
    promise: "no starvation",
    setting: Setting::new("complete", &[1, 1]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

const UNSAFE: Specimen =
    Specimen { finds: Finding::TwoInside, promise: "mutual exclusion", ..LOCK };

pub(super) const UNFAIR: Specimen =
    Specimen { finds: Finding::Overtaken, promise: BOUNDED_OVERTAKING, ..LOCK };

/// Heavy load, for systems that are too large for every schedule and are tested at random.
const CHANCE_2: [(&str, &str); 3] = [("entries", "2"), ("load", "heavy"), ("cs", "1")];
const CHANCE_4: [(&str, &str); 3] = [("entries", "4"), ("load", "heavy"), ("cs", "1")];

pub(crate) static ALL: [Specimen; 20] = [
    Specimen {
        name: "cao-singhal-without-early-buffer",
        of: "cao-singhal",
        flaw: "An arbiter does not buffer a release that arrives before the message that names its \
               sender as owner: one of the two is lost, and the arbiter waits for ever.",
        setting: Setting::new("complete", &[2, 2, 0]).fifo(),
        steps: 15,
        build: |site| lock(site, cao_singhal(site), NoEarlyBuffer::new),
        ..LOCK
    },
    Specimen {
        name: "cao-singhal-without-epochs",
        of: "cao-singhal",
        flaw: "A node that has yielded a permission and got it back obeys an outdated transfer: it \
               passes the permission on to a request that was served meanwhile.",
        setting: Setting::new("complete", &[2, 2, 2, 2, 2]).options(&CHANCE_2),
        found_by: Tool::Fuzz { seed: 9_101 },
        steps: 64,
        build: |site| lock(site, cao_singhal(site), |_| NoEpochs::default()),
        ..LOCK
    },
    Specimen {
        name: "cao-singhal-without-pending-transfer",
        of: "cao-singhal",
        flaw: "A node ignores a transfer whose permission is still in transit: so it does not \
               learn that it should yield the permission.",
        setting: Setting::new("complete", &[4, 4, 4, 4, 4, 4, 4]).options(&CHANCE_4),
        found_by: Tool::Fuzz { seed: 5 },
        steps: 45,
        build: |site| lock(site, cao_singhal(site), |_| NoPendingTransfer::default()),
        ..LOCK
    },
    Specimen {
        name: "carvalho-roucairol-keeps-permission",
        of: "carvalho-roucairol",
        flaw: "A node gives a permission away but does not clear it: so it enters without asking \
               while the other node is inside.",
        setting: Setting::new("complete", &[2, 1]),
        steps: 8,
        build: |site| lock(site, carvalho_roucairol(site), |_| KeepsPermission::default()),
        ..UNSAFE
    },
    Specimen {
        name: "carvalho-roucairol-without-second-request",
        of: "carvalho-roucairol",
        flaw: "A waiting node gives a permission to an older request and does not request it \
               again: the other node never returns it.",
        setting: Setting::new("complete", &[2, 1, 1]),
        steps: 21,
        build: |site| lock(site, carvalho_roucairol(site), |_| NoSecondRequest),
        ..LOCK
    },
    Specimen {
        name: "central-newest-first",
        of: "central",
        flaw: "The coordinator serves the newest request next: the oldest may wait for ever, if \
               new ones keep coming.",
        setting: Setting::new("complete", &[1, 1, 1]),
        steps: 7,
        build: |site| lock(site, |me| Central::new(me, NodeId(0)), |_| NewestFirst::default()),
        ..UNFAIR
    },
    Specimen {
        name: "central-without-queue",
        of: "central",
        flaw: "The coordinator drops requests that arrive while a node is inside: their senders \
               starve.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 4,
        build: |site| lock(site, move |me| Central::new(me, NodeId(0)), |_| NoQueue),
        ..LOCK
    },
    Specimen {
        name: "lamport-out-of-order",
        of: "lamport",
        flaw: "The algorithm is unchanged, but channels are not FIFO: an acknowledgement can \
               arrive before an older request, which the algorithm assumes to be impossible.",
        is_forbidden_setting: true,
        setting: Setting::new("complete", &[1, 1]),
        steps: 4,
        build: |site| {
            lock(site, move |me| Lamport::new(me, site.nodes(), Acks::Eager), |_| Flawless)
        },
        ..UNSAFE
    },
    Specimen {
        name: "maekawa-disjoint-quorums",
        of: "maekawa",
        flaw: "The algorithm is unchanged, but the quorums are single nodes and do not intersect: \
               no arbiter receives the requests of both competitors.",
        is_forbidden_setting: true,
        setting: Setting::new("complete", &[1, 1]),
        steps: 2,
        build: |site| {
            let alone = move |me| Maekawa::new(me, [me].into_iter().collect::<NodeSet>());
            lock(site, alone, |_| Flawless)
        },
        ..UNSAFE
    },
    Specimen {
        name: "maekawa-unmatched-inquire",
        of: "maekawa",
        flaw: "An inquiry is not matched with the request that it names: a late inquiry makes a \
               node that has asked again yield a lock that it does not hold.",
        finds: Finding::Assertion,
        promise: "assertions hold",
        setting: Setting::new("complete", &[0, 1, 2, 0]),
        steps: 11,
        build: |site| lock(site, maekawa(site), |_| UnmatchedInquire::new(site.nodes())),
        ..LOCK
    },
    Specimen {
        name: "maekawa-without-failed",
        of: "maekawa",
        flaw: "An arbiter does not tell a request that was the oldest that a still older one has \
               arrived: its requester believes that it can succeed and never yields. The error of \
               the paper.",
        setting: Setting::new("complete", &[1, 1, 1, 1]).fifo(),
        steps: 14,
        build: |site| lock(site, maekawa(site), |_| NoFailed),
        ..LOCK
    },
    Specimen {
        name: "maekawa-without-inquire",
        of: "maekawa",
        flaw: "A node ignores an inquiry that it cannot answer yet, instead of remembering it: \
               when it fails later, it does not yield the lock.",
        setting: Setting::new("complete", &[1, 1, 1]),
        steps: 7,
        build: |site| lock(site, maekawa(site), |_| NoInquire::default()),
        ..LOCK
    },
    Specimen {
        name: "maekawa-yield-is-no-failure",
        of: "maekawa",
        flaw: "A node that has yielded a lock does not count this as a failure: it does not yield \
               its other locks to older requests.",
        setting: Setting::new("complete", &[4, 4, 4, 4, 4, 4, 4]).options(&CHANCE_4),
        found_by: Tool::Fuzz { seed: 17 },
        steps: 14,
        build: |site| lock(site, maekawa(site), |_| YieldIsNoFailure::default()),
        ..LOCK
    },
    Specimen {
        name: "ricart-agrawala-duplicate-message",
        of: "ricart-agrawala",
        flaw: "The algorithm is unchanged, but one message is duplicated: the duplicate reply \
               counts for the next request.",
        is_forbidden_setting: true,
        setting: Setting::new("complete", &[2, 1]).duplicates(1),
        steps: 9,
        build: |site| lock(site, ricart_agrawala(site), |_| Flawless),
        ..UNSAFE
    },
    Specimen {
        name: "ricart-agrawala-forgets-deferred",
        of: "ricart-agrawala",
        flaw: "A node that leaves drops its deferred replies: their receivers starve.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 6,
        build: |site| lock(site, ricart_agrawala(site), |_| Forgetful),
        ..LOCK
    },
    Specimen {
        name: "ricart-agrawala-ties-refused",
        of: "ricart-agrawala",
        flaw: "Requests are compared by time only, and of two requests with the same time each \
               node defers its reply to the other.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 4,
        build: |site| lock(site, ricart_agrawala(site), |_| NoTieBreak::nobody_yields()),
        ..LOCK
    },
    Specimen {
        name: "ricart-agrawala-without-clock-update",
        of: "ricart-agrawala",
        flaw: "A node does not update its clock on receipt of a request: so it may reply to a \
               request and then make one with an older timestamp.",
        setting: Setting::new("complete", &[1, 1, 1]).fifo(),
        steps: 10,
        build: |site| lock(site, ricart_agrawala(site), |_| NoClockUpdate::default()),
        ..UNSAFE
    },
    Specimen {
        name: "ricart-agrawala-without-tie-break",
        of: "ricart-agrawala",
        flaw: "Requests are compared by time only, and of two requests with the same time each \
               node replies to the other.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 6,
        build: |site| lock(site, ricart_agrawala(site), |_| NoTieBreak::everyone_yields()),
        ..UNSAFE
    },
    Specimen {
        name: "sanders-one-permission",
        of: "sanders",
        flaw: "An arbiter that grants a permission without a lock serves only the oldest waiting \
               request: the others starve, because no release follows such a permission.",
        setting: Setting::new("complete", &[1, 1, 1]),
        steps: 16,
        build: |site| lock(site, sanders(site), |_| OnePermission),
        ..LOCK
    },
    Specimen {
        name: "sanders-without-clock-update",
        of: "sanders",
        flaw: "A node does not update its clock on receipt of a request: so it may permit a \
               request and then make one with an older timestamp, to which the other node yields.",
        setting: Setting::new("complete", &[1, 1, 1]),
        steps: 14,
        build: |site| lock(site, sanders(site), |_| sanders::NoClockUpdate::default()),
        ..UNSAFE
    },
];

fn ricart_agrawala(site: &Site) -> impl Fn(NodeId) -> RicartAgrawala {
    let nodes = site.nodes();
    move |me| RicartAgrawala::new(me, nodes)
}

fn carvalho_roucairol(site: &Site) -> impl Fn(NodeId) -> CarvalhoRoucairol {
    let nodes = site.nodes();
    move |me| CarvalhoRoucairol::new(me, nodes, carvalho_roucairol::Variant::Symmetric)
}

fn maekawa(site: &Site) -> impl Fn(NodeId) -> Maekawa {
    let quorums = Quorums::new(site.nodes());
    move |me| Maekawa::new(me, quorums.of(me).clone())
}

fn cao_singhal(site: &Site) -> impl Fn(NodeId) -> CaoSinghal {
    let quorums = Quorums::new(site.nodes());
    move |me| CaoSinghal::new(me, quorums.of(me))
}

fn sanders(site: &Site) -> impl Fn(NodeId) -> Sanders {
    let structure = Structure::ricart_agrawala(site.nodes());
    move |me| Sanders::new(me, structure.at(me).clone())
}
