//! Specimens of elections on trees and other networks.

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
        flaw: "A node answers an explorer of a smaller wave with the same id, as on some slides: \
               the sender classifies the edge as a frond, and the smaller wave may decide.",
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
        flaw: "The traversal ends when the token returns over the first edge: the nodes behind the \
               other edges are never visited.",
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
        flaw: "An echo of a smaller wave counts for the current one: so a wave decides that has \
               not reached every node, and the nodes it has not reached never learn the result.",
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
        flaw: "The algorithm is unchanged, but two nodes start the wave: each takes the explorers \
               of the other for answers, and decides too early.",
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
        flaw: "A leaf that is an initiator does not send its echo, as in some descriptions: its \
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
