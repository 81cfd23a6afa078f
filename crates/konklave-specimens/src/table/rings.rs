//! Specimens of elections on rings.

use konklave::NodeId;
use konklave::election::Winner;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use konklave::election::le_lann::LeLann;
use konklave::election::peterson::{Peterson, Variant};

use super::{election, nothing};
use crate::Flawless;
use crate::flaws::chang_roberts::{
    CrashedWinner, SkipsNode, SwallowsNothing, Usurper, WinnerPassesOn,
};
use crate::flaws::peterson::InitialId;
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};

const RING: Specimen = Specimen {
    name: "",
    of: "chang-roberts",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::WrongLeader,
    promise: "the right leader",
    setting: Setting::new("directed-ring", &[1, 1]).ids(&[2, 1]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

const TWO: Setting = Setting::new("directed-ring", &[1, 1]).ids(&[2, 1]);
const THREE: Setting = Setting::new("directed-ring", &[1, 1, 1]).ids(&[3, 2, 1]);

pub(crate) static ALL: [Specimen; 11] = [
    Specimen {
        name: "chang-roberts-crash",
        flaw: "The algorithm is unchanged, but a node may crash: the proposals that it should have \
               forwarded are lost.",
        is_forbidden_setting: true,
        finds: Finding::NoLeader,
        promise: "termination",
        setting: TWO.crashes(1),
        steps: 1,
        build: |site| election(site, Winner::Largest, chang_roberts(site), |_| Flawless),
        ..RING
    },
    Specimen {
        name: "chang-roberts-crashed-winner",
        flaw: "The winner crashes after it has announced itself, and the ring closes around it: no \
               node takes the announcement off the ring.",
        finds: Finding::EndlessAnnouncement,
        promise: "comes to rest",
        setting: TWO,
        steps: 7,
        build: |site| {
            election(site, Winner::Largest, chang_roberts(site), move |me| {
                CrashedWinner::new(site.successor(me))
            })
        },
        ..RING
    },
    Specimen {
        name: "chang-roberts-out-of-order",
        flaw: "The algorithm is unchanged, but channels are not FIFO, and there are two elections: \
               a node that still takes part in the first discards a proposal of the second.",
        is_forbidden_setting: true,
        finds: Finding::NoLeader,
        promise: "termination",
        setting: Setting::new("directed-ring", &[1, 1, 0]).ids(&[3, 1, 2]),
        steps: 11,
        build: |site| {
            election(
                site,
                Winner::Largest,
                move |me| chang_roberts(site)(me).ready_again(),
                |_| Flawless,
            )
        },
        ..RING
    },
    Specimen {
        name: "chang-roberts-skips-a-node",
        flaw: "A node sends to the successor of its successor, to which it has no channel.",
        finds: Finding::NoChannel,
        promise: "sends to neighbours",
        setting: Setting::new("directed-ring", &[1, 0, 0]).ids(&[3, 2, 1]),
        steps: 1,
        build: |site| {
            election(site, Winner::Largest, chang_roberts(site), move |me| {
                SkipsNode::new(site.successor(site.successor(me)))
            })
        },
        ..RING
    },
    Specimen {
        name: "chang-roberts-swallows-nothing",
        flaw: "A node forwards smaller ids, too: so every id returns to its owner, which takes \
               that for victory.",
        setting: TWO,
        steps: 3,
        build: |site| {
            let flaw = move |me| SwallowsNothing::new(site.id(me), site.successor(me));
            election(site, Winner::Largest, chang_roberts(site), flaw)
        },
        ..RING
    },
    Specimen {
        name: "chang-roberts-usurper",
        flaw: "A node that receives the announcement of another node's victory declares itself \
               leader.",
        finds: Finding::TwoLeaders,
        promise: "one leader",
        setting: TWO,
        steps: 4,
        build: |site| election(site, Winner::Largest, chang_roberts(site), |_| Usurper),
        ..RING
    },
    Specimen {
        name: "chang-roberts-winner-passes-on",
        flaw: "The winner announces itself, but forwards its own id as well: no other node takes \
               it off the ring.",
        finds: Finding::Livelock,
        promise: "comes to rest",
        setting: TWO,
        steps: 8,
        build: |site| {
            let flaw = move |me| WinnerPassesOn::new(site.id(me), site.successor(me));
            election(site, Winner::Largest, chang_roberts(site), flaw)
        },
        ..RING
    },
    Specimen {
        name: "dolev-klawe-rodeh-out-of-order",
        of: "dolev-klawe-rodeh",
        flaw: "The algorithm is unchanged, but channels are not FIFO: values of different rounds \
               are compared.",
        is_forbidden_setting: true,
        finds: Finding::NoLeader,
        promise: "termination",
        setting: TWO,
        steps: 6,
        build: |site| {
            let make = move |me| DolevKlaweRodeh::new(site.id(me), site.successor(me));
            election(site, Winner::LargestInitiator, make, |_| Flawless)
        },
        ..RING
    },
    Specimen {
        name: "le-lann-out-of-order",
        of: "le-lann",
        flaw: "The algorithm is unchanged, but channels are not FIFO: a token returns before a \
               larger one that was ahead of it, and its owner believes that it has the largest id.",
        is_forbidden_setting: true,
        setting: TWO,
        steps: 4,
        build: |site| {
            let make = move |me| LeLann::new(site.id(me), site.successor(me));
            election(site, Winner::LargestInitiator, make, |_| Flawless)
        },
        ..RING
    },
    Specimen {
        name: "peterson-initial-id",
        of: "peterson",
        flaw: "The alternating variant uses the termination test of the original one: an id that \
               returns to its owner is taken for the largest, but it may only have been relayed.",
        setting: THREE.fifo(),
        steps: 8,
        build: |site| {
            election(site, Winner::LargestInitiator, peterson(site), move |me| {
                InitialId::new(site.id(me))
            })
        },
        ..RING
    },
    Specimen {
        name: "peterson-out-of-order",
        of: "peterson",
        flaw: "The algorithm is unchanged, but channels are not FIFO: values of different phases \
               are compared.",
        is_forbidden_setting: true,
        setting: THREE,
        steps: 7,
        build: |site| election(site, Winner::LargestInitiator, peterson(site), |_| Flawless),
        ..RING
    },
];

fn chang_roberts(site: &Site) -> impl Fn(NodeId) -> ChangRoberts {
    |me| ChangRoberts::new(site.id(me), site.successor(me), Wake::All)
}

fn peterson(site: &Site) -> impl Fn(NodeId) -> Peterson {
    |me| Peterson::new(site.id(me), site.successor(me), Variant::Alternating)
}
