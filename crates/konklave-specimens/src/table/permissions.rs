//! Locks by permission.

use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::carvalho_roucairol::{self, CarvalhoRoucairol};
use konklave::mutex::central::Central;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::sanders::{Sanders, Structure};
use konklave::{NodeId, NodeSet};

use super::{lock, nothing};
use crate::Flawless;
use crate::flaws::cao_singhal::{NoEarlyBuffer, NoEpochs, NoPendingTransfer};
use crate::flaws::carvalho_roucairol::{KeepsPermission, NoSecondRequest};
use crate::flaws::central::NoQueue;
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

/// Applications that ask all the time, for systems of which only random schedules can be tried.
const CHANCE_2: [(&str, &str); 3] = [("entries", "2"), ("load", "heavy"), ("cs", "1")];
const CHANCE_4: [(&str, &str); 3] = [("entries", "4"), ("load", "heavy"), ("cs", "1")];

pub(crate) static ALL: [Specimen; 19] = [
    Specimen {
        name: "cao-singhal-without-early-buffer",
        of: "cao-singhal",
        flaw: "An arbiter has no place for a release that comes before word of who became the \
               owner of its permission: one of the two is lost, and it waits for ever.",
        setting: Setting::new("complete", &[2, 2, 0]).fifo(),
        steps: 15,
        build: |site| lock(site, cao_singhal(site), NoEarlyBuffer::new),
        ..LOCK
    },
    Specimen {
        name: "cao-singhal-without-epochs",
        of: "cao-singhal",
        flaw: "A node that has yielded a permission and got it back believes what the arbiter said \
               before: it hands the permission over to a request that was served meanwhile.",
        setting: Setting::new("complete", &[2, 2, 2, 2, 2]).options(&CHANCE_2),
        found_by: Tool::Fuzz { seed: 9_101 },
        steps: 64,
        build: |site| lock(site, cao_singhal(site), |_| NoEpochs::default()),
        ..LOCK
    },
    Specimen {
        name: "cao-singhal-without-pending-transfer",
        of: "cao-singhal",
        flaw: "A node ignores what an arbiter says about a permission that is still under way: \
               so it does not know that it should yield it.",
        setting: Setting::new("complete", &[4, 4, 4, 4, 4, 4, 4]).options(&CHANCE_4),
        found_by: Tool::Fuzz { seed: 5 },
        steps: 45,
        build: |site| lock(site, cao_singhal(site), |_| NoPendingTransfer::default()),
        ..LOCK
    },
    Specimen {
        name: "carvalho-roucairol-keeps-permission",
        of: "carvalho-roucairol",
        flaw: "A node gives a permission away and goes on believing that it has it: so it enters \
               without asking while the other one is inside.",
        setting: Setting::new("complete", &[2, 1]),
        steps: 8,
        build: |site| lock(site, carvalho_roucairol(site), |_| KeepsPermission::default()),
        ..UNSAFE
    },
    Specimen {
        name: "carvalho-roucairol-without-second-request",
        of: "carvalho-roucairol",
        flaw: "A node that waits gives a permission to an older request and does not ask for it \
               again: nobody knows that it should be given back.",
        setting: Setting::new("complete", &[2, 1, 1]),
        steps: 21,
        build: |site| lock(site, carvalho_roucairol(site), |_| NoSecondRequest),
        ..LOCK
    },
    Specimen {
        name: "central-without-queue",
        of: "central",
        flaw: "The coordinator forgets requests that come while somebody is inside: their senders \
               wait for ever.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 4,
        build: |site| lock(site, move |me| Central::new(me, NodeId(0)), |_| NoQueue),
        ..LOCK
    },
    Specimen {
        name: "lamport-out-of-order",
        of: "lamport",
        flaw: "Nothing, but messages overtake each other: an acknowledgement can arrive before an \
               older request, which the algorithm takes for impossible.",
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
        flaw: "Nothing, but the quorums are single nodes and do not meet: no arbiter hears of both \
               of two rivals.",
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
        flaw: "An inquiry is not matched with the request that it is about: one that comes late, \
               to a node that asks again, makes it yield a lock that it does not have.",
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
               come: it believes that it can succeed and never yields. The mistake of the paper.",
        setting: Setting::new("complete", &[1, 1, 1, 1]).fifo(),
        steps: 14,
        build: |site| lock(site, maekawa(site), |_| NoFailed),
        ..LOCK
    },
    Specimen {
        name: "maekawa-without-inquire",
        of: "maekawa",
        flaw: "A node that is asked to yield, and cannot tell yet whether it must, forgets the \
               question instead of remembering it: when it fails it yields nothing.",
        setting: Setting::new("complete", &[1, 1, 1]),
        steps: 7,
        build: |site| lock(site, maekawa(site), |_| NoInquire::default()),
        ..LOCK
    },
    Specimen {
        name: "maekawa-yield-is-no-failure",
        of: "maekawa",
        flaw: "A node that has yielded a lock does not count that as a failure: it keeps its other \
               locks from those who should get them.",
        setting: Setting::new("complete", &[4, 4, 4, 4, 4, 4, 4]).options(&CHANCE_4),
        found_by: Tool::Fuzz { seed: 17 },
        steps: 14,
        build: |site| lock(site, maekawa(site), |_| YieldIsNoFailure::default()),
        ..LOCK
    },
    Specimen {
        name: "ricart-agrawala-doubled-message",
        of: "ricart-agrawala",
        flaw: "Nothing, but one message arrives twice: the second reply counts for the next \
               request.",
        is_forbidden_setting: true,
        setting: Setting::new("complete", &[2, 1]).duplicates(1),
        steps: 9,
        build: |site| lock(site, ricart_agrawala(site), |_| Flawless),
        ..UNSAFE
    },
    Specimen {
        name: "ricart-agrawala-forgets-deferred",
        of: "ricart-agrawala",
        flaw: "A node that leaves forgets whom it owes a reply: they wait for it for ever.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 6,
        build: |site| lock(site, ricart_agrawala(site), |_| Forgetful),
        ..LOCK
    },
    Specimen {
        name: "ricart-agrawala-ties-refused",
        of: "ricart-agrawala",
        flaw: "Requests are compared by time alone, and of two that were made at the same time \
               each waits for the other's reply.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 4,
        build: |site| lock(site, ricart_agrawala(site), |_| NoTieBreak::nobody_yields()),
        ..LOCK
    },
    Specimen {
        name: "ricart-agrawala-without-clock-update",
        of: "ricart-agrawala",
        flaw: "A node does not take over the clock of a request: so it may permit a request and \
               then make one that claims to be older.",
        setting: Setting::new("complete", &[1, 1, 1]).fifo(),
        steps: 10,
        build: |site| lock(site, ricart_agrawala(site), |_| NoClockUpdate::default()),
        ..UNSAFE
    },
    Specimen {
        name: "ricart-agrawala-without-tie-break",
        of: "ricart-agrawala",
        flaw: "Requests are compared by time alone, and of two that were made at the same time \
               each yields to the other.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 6,
        build: |site| lock(site, ricart_agrawala(site), |_| NoTieBreak::everyone_yields()),
        ..UNSAFE
    },
    Specimen {
        name: "sanders-one-permission",
        of: "sanders",
        flaw: "An arbiter that is not locked permits only the oldest of those who wait: the others \
               are forgotten, as nobody will release what was not locked.",
        setting: Setting::new("complete", &[1, 1, 1]),
        steps: 16,
        build: |site| lock(site, sanders(site), |_| OnePermission),
        ..LOCK
    },
    Specimen {
        name: "sanders-without-clock-update",
        of: "sanders",
        flaw: "A node does not take over the clock of a request: so it may permit a request and \
               then make one that claims to be older, to which the other one yields.",
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
