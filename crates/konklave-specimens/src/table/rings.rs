//! Elections on rings.

use konklave::election::Winner;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use konklave::election::le_lann::LeLann;
use konklave::election::peterson::{Peterson, Variant};

use crate::flaws::chang_roberts::{CrashedWinner, SwallowsNothing, Usurper, WinnerPassesOn};
use crate::flaws::peterson::InitialId;
use crate::{Finding, Flawless, Ground, Setting, Specimen, Tool, Visit};

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
};

const TWO: Setting = Setting::new("directed-ring", &[1, 1]).ids(&[2, 1]);
const THREE: Setting = Setting::new("directed-ring", &[1, 1, 1]).ids(&[3, 2, 1]);

pub(crate) const ALL: [Specimen; 10] = [
    Specimen {
        name: "chang-roberts-crash",
        flaw: "Nothing, but a node may crash: what it should have passed on is gone.",
        is_forbidden_setting: true,
        finds: Finding::NoLeader,
        promise: "termination",
        setting: TWO.crashes(1),
        steps: 1,
        ..RING
    },
    Specimen {
        name: "chang-roberts-crashed-winner",
        flaw: "The winner crashes when it has announced itself, and the ring closes behind it: \
               nobody is left to take the announcement off the ring.",
        finds: Finding::EndlessAnnouncement,
        promise: "comes to rest",
        setting: TWO,
        steps: 7,
        ..RING
    },
    Specimen {
        name: "chang-roberts-out-of-order",
        flaw: "Nothing, but messages overtake each other, and there are two elections: a proposal \
               of the second is swallowed by a node that is still busy with the first.",
        is_forbidden_setting: true,
        finds: Finding::NoLeader,
        promise: "termination",
        setting: Setting::new("directed-ring", &[1, 1, 0]).ids(&[3, 1, 2]),
        steps: 11,
        ..RING
    },
    Specimen {
        name: "chang-roberts-swallows-nothing",
        flaw: "Smaller ids are passed on, too: so everyone gets its own id back and takes that for \
               victory.",
        setting: TWO,
        steps: 3,
        ..RING
    },
    Specimen {
        name: "chang-roberts-usurper",
        flaw: "A node that hears who is elected believes that it is meant itself.",
        finds: Finding::TwoLeaders,
        promise: "one leader",
        setting: TWO,
        steps: 4,
        ..RING
    },
    Specimen {
        name: "chang-roberts-winner-passes-on",
        flaw: "The winner announces itself, but passes its own id on as well: nobody else takes it \
               off the ring.",
        finds: Finding::Livelock,
        promise: "comes to rest",
        setting: TWO,
        steps: 8,
        ..RING
    },
    Specimen {
        name: "dolev-klawe-rodeh-out-of-order",
        of: "dolev-klawe-rodeh",
        flaw: "Nothing, but messages overtake each other: values of different rounds are compared.",
        is_forbidden_setting: true,
        finds: Finding::NoLeader,
        promise: "termination",
        setting: TWO,
        steps: 6,
        ..RING
    },
    Specimen {
        name: "le-lann-out-of-order",
        of: "le-lann",
        flaw: "Nothing, but messages overtake each other: a token comes home before a larger one \
               that was ahead of it, and its owner believes to be the largest.",
        is_forbidden_setting: true,
        setting: TWO,
        steps: 4,
        ..RING
    },
    Specimen {
        name: "peterson-initial-id",
        of: "peterson",
        flaw: "The alternating variant, with the test of the basic one: an id that comes back to \
               its owner is taken for the largest, but it may only have been relayed.",
        setting: THREE.fifo(),
        steps: 8,
        ..RING
    },
    Specimen {
        name: "peterson-out-of-order",
        of: "peterson",
        flaw: "Nothing, but messages overtake each other: values of different phases are compared.",
        is_forbidden_setting: true,
        setting: THREE,
        steps: 7,
        ..RING
    },
];

/// Hands over the specimen with this name, or gives the visitor back.
pub(crate) fn visit<V: Visit>(name: &str, ground: &Ground, visitor: V) -> Result<V::Out, V> {
    let chang_roberts = |me| ChangRoberts::new(ground.id(me), ground.next(me), Wake::All);
    let peterson = |me| Peterson::new(ground.id(me), ground.next(me), Variant::Alternating);
    let (largest, initiator) = (Winner::Largest, Winner::LargestInitiator);
    Ok(match name {
        "chang-roberts-crash" => visitor.election(largest, chang_roberts, |_| Flawless),
        "chang-roberts-crashed-winner" => {
            visitor.election(largest, chang_roberts, |me| CrashedWinner::new(ground.next(me)))
        }
        "chang-roberts-out-of-order" => {
            visitor.election(largest, |me| chang_roberts(me).ready_again(), |_| Flawless)
        }
        "chang-roberts-swallows-nothing" => {
            let flaw = |me| SwallowsNothing::new(ground.id(me), ground.next(me));
            visitor.election(largest, chang_roberts, flaw)
        }
        "chang-roberts-usurper" => visitor.election(largest, chang_roberts, |_| Usurper),
        "chang-roberts-winner-passes-on" => {
            let flaw = |me| WinnerPassesOn::new(ground.id(me), ground.next(me));
            visitor.election(largest, chang_roberts, flaw)
        }
        "dolev-klawe-rodeh-out-of-order" => {
            let make = |me| DolevKlaweRodeh::new(ground.id(me), ground.next(me));
            visitor.election(initiator, make, |_| Flawless)
        }
        "le-lann-out-of-order" => {
            let make = |me| LeLann::new(ground.id(me), ground.next(me));
            visitor.election(initiator, make, |_| Flawless)
        }
        "peterson-initial-id" => {
            visitor.election(initiator, peterson, |me| InitialId::new(ground.id(me)))
        }
        "peterson-out-of-order" => visitor.election(initiator, peterson, |_| Flawless),
        _ => return Err(visitor),
    })
}
