//! Elections on other networks.

use konklave::election::Winner;
use konklave::election::adoption::Adoption;
use konklave::election::dfs_token::DfsToken;
use konklave::election::echo::Echo;
use konklave::election::echo_extinction::EchoExtinction;
use konklave::election::tree_wave::TreeWave;

use crate::flaws::adoption::AnswersWithX;
use crate::flaws::dfs_token::StopsAtFirstReturn;
use crate::flaws::echo_extinction::CountsLateEcho;
use crate::flaws::tree_wave::SilentLeaf;
use crate::{Finding, Flawless, Ground, Setting, Specimen, Tool, Visit};

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
};

pub(crate) const ALL: [Specimen; 5] = [
    Specimen {
        name: "adoption-slide-case",
        of: "adoption",
        flaw: "An explorer of a smaller wave is sent back as it came, as on some slides: its \
               sender takes the edge for done, and the smaller wave may decide.",
        setting: Setting::new("line", &[1, 1, 1]).ids(&[2, 1, 3]),
        steps: 6,
        ..NETWORK
    },
    Specimen {
        name: "dfs-token-stops-early",
        of: "dfs-token",
        flaw: "The search ends when the token is back over the first edge: what lies behind the \
               others is never seen.",
        setting: Setting::new("line", &[0, 1, 0]).ids(&[3, 1, 4]),
        steps: 3,
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
        ..NETWORK
    },
];

/// Hands over the specimen with this name, or gives the visitor back.
pub(crate) fn visit<V: Visit>(name: &str, ground: &Ground, visitor: V) -> Result<V::Out, V> {
    let (largest, initiator) = (Winner::Largest, Winner::LargestInitiator);
    Ok(match name {
        "adoption-slide-case" => {
            let make = |me| Adoption::new(ground.id(me), ground.neighbours(me));
            visitor.election(initiator, make, |_| AnswersWithX)
        }
        "dfs-token-stops-early" => {
            let make = |me| DfsToken::new(ground.id(me), ground.neighbours(me));
            visitor.election(largest, make, |_| StopsAtFirstReturn::default())
        }
        "echo-extinction-counts-late-echo" => {
            let make = |me| EchoExtinction::new(ground.id(me), ground.neighbours(me), initiator);
            visitor.election(initiator, make, |_| CountsLateEcho::default())
        }
        "echo-two-initiators" => {
            let make = |me| Echo::new(ground.id(me), ground.neighbours(me));
            visitor.election(largest, make, |_| Flawless)
        }
        "tree-wave-silent-leaf" => {
            let make = |me| TreeWave::new(ground.id(me), ground.neighbours(me));
            visitor.election(largest, make, |_| SilentLeaf)
        }
        _ => return Err(visitor),
    })
}
