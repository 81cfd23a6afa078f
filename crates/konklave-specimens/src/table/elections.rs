//! Elections on other networks.

use konklave::election::Winner;
use konklave::election::adoption::Adoption;
use konklave::election::dfs_token::DfsToken;
use konklave::election::echo::Echo;
use konklave::election::echo_extinction::EchoExtinction;
use konklave::election::tree_wave::TreeWave;

use super::{election, nothing};
use crate::Flawless;
use crate::flaws::adoption::AnswersWithX;
use crate::flaws::dfs_token::StopsAtFirstReturn;
use crate::flaws::echo_extinction::CountsLateEcho;
use crate::flaws::tree_wave::SilentLeaf;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};

const NETWORK: Specimen = Specimen {
    name: "",
    of: "",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::WrongLeader,
    promise: "the right leader",
    setting: Setting::new("line", &[1, 1]).ids(&[1, 2]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 5] = [
    Specimen {
        name: "adoption-slide-case",
        of: "adoption",
        flaw: "An explorer of a smaller wave is sent back as it came, as on some slides: its \
               sender takes the edge for done, and the smaller wave may decide.",
        setting: Setting::new("line", &[1, 1, 1]).ids(&[2, 1, 3]),
        steps: 6,
        build: |site| {
            let make = move |me| Adoption::new(site.id(me), site.neighbours(me));
            election(site, Winner::LargestInitiator, make, |_| AnswersWithX)
        },
        ..NETWORK
    },
    Specimen {
        name: "dfs-token-stops-early",
        of: "dfs-token",
        flaw: "The search ends when the token is back over the first edge: what lies behind the \
               others is never seen.",
        setting: Setting::new("line", &[0, 1, 0]).ids(&[3, 1, 4]),
        steps: 3,
        build: |site| {
            let make = move |me| DfsToken::new(site.id(me), site.neighbours(me));
            election(site, Winner::Largest, make, |_| StopsAtFirstReturn::default())
        },
        ..NETWORK
    },
    Specimen {
        name: "echo-extinction-counts-late-echo",
        of: "echo-extinction",
        flaw: "An echo of a smaller wave counts for the present one: so a wave decides that has \
               not been everywhere, and those whom it has not reached never hear of the result.",
        finds: Finding::NoLeader,
        promise: "termination",
        setting: Setting::new("line", &[1, 1, 1, 1]).ids(&[1, 2, 3, 4]),
        steps: 15,
        build: |site| {
            let make = move |me| {
                EchoExtinction::new(site.id(me), site.neighbours(me), Winner::LargestInitiator)
            };
            election(site, Winner::LargestInitiator, make, |_| CountsLateEcho::default())
        },
        ..NETWORK
    },
    Specimen {
        name: "echo-two-initiators",
        of: "echo",
        flaw: "Nothing, but two nodes start the wave: each takes the explorers of the other for \
               answers, and decides too early.",
        is_forbidden_setting: true,
        setting: Setting::new("line", &[1, 0, 1]).ids(&[1, 2, 3]),
        steps: 4,
        build: |site| {
            let make = move |me| Echo::new(site.id(me), site.neighbours(me));
            election(site, Winner::Largest, make, |_| Flawless)
        },
        ..NETWORK
    },
    Specimen {
        name: "tree-wave-silent-leaf",
        of: "tree-wave",
        flaw: "A leaf that starts the election does not echo, as some descriptions have it: its \
               neighbour waits for that echo for ever.",
        finds: Finding::NoLeader,
        promise: "termination",
        setting: Setting::new("line", &[1, 0]).ids(&[1, 2]),
        steps: 3,
        build: |site| {
            let make = move |me| TreeWave::new(site.id(me), site.neighbours(me));
            election(site, Winner::Largest, make, |_| SilentLeaf)
        },
        ..NETWORK
    },
];
