//! Locks by token.

use std::time::Duration;

use konklave::NodeId;
use konklave::mutex::naimi_trehel::NaimiTrehel;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::raymond::{self, Raymond};
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::singhal::Singhal;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::token_search::{Search, TokenSearch};

use crate::flaws::naimi_trehel::ForgetsNext;
use crate::flaws::perpetuum::Impatient;
use crate::flaws::raymond::{AskedNotCleared, CopiesToken, IdleHolder, NoRequestBehind};
use crate::flaws::ring_chase::HuntsOnce;
use crate::flaws::singhal::{DiscardsStale, IgnoresTokenInside, NoStaleTest};
use crate::flaws::suzuki_kasami::{ForgetsServed, LosesToken};
use crate::flaws::token_graph::NoAcknowledgements;
use crate::flaws::token_search::SureOfRoute;
use crate::{Finding, Flawless, Ground, Setting, Specimen, Tool, Visit};

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
};

const LOST: Specimen = Specimen { finds: Finding::LostToken, ..LOCK };

pub(crate) const ALL: [Specimen; 16] = [
    Specimen {
        name: "naimi-trehel-forgets-next",
        of: "naimi-trehel",
        flaw: "A node that leaves forgets who is next: the token stays where nobody asks for it \
               any more.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 4,
        ..LOST
    },
    Specimen {
        name: "perpetuum-impatient",
        of: "perpetuum",
        flaw: "A node enters only if the token happens to be there when it asks: else it waits, \
               and the token passes by for ever.",
        finds: Finding::Livelock,
        setting: Setting::new("ring", &[1, 1]).perpetual(),
        steps: 3,
        ..LOCK
    },
    Specimen {
        name: "raymond-asked-not-cleared",
        of: "raymond",
        flaw: "A node passes the token through and goes on believing that it has asked for it: it \
               never asks again.",
        setting: Setting::new("line", &[0, 1, 1]),
        steps: 7,
        ..LOCK
    },
    Specimen {
        name: "raymond-copies-token",
        of: "raymond",
        flaw: "A node that waits sends the token on and enters all the same.",
        finds: Finding::TwoInside,
        promise: "mutual exclusion",
        setting: Setting::new("line", &[0, 1, 1]),
        steps: 6,
        ..LOCK
    },
    Specimen {
        name: "raymond-doubled-requests",
        of: "raymond",
        flaw: "Nothing, but two messages arrive twice: two nodes believe of each other that they \
               want the token, and it goes to and fro for ever.",
        is_forbidden_setting: true,
        finds: Finding::Livelock,
        promise: "comes to rest",
        setting: Setting::new("line", &[1, 1]).duplicates(2),
        steps: 10,
        ..LOCK
    },
    Specimen {
        name: "raymond-idle-holder",
        of: "raymond",
        flaw: "A node that has the token, and is not inside, does not react to requests.",
        setting: Setting::new("line", &[1, 1]),
        steps: 2,
        ..LOCK
    },
    Specimen {
        name: "raymond-no-request-behind",
        of: "raymond",
        flaw: "A node sends the token on while others wait here, and no request behind it: nobody \
               sends it back.",
        setting: Setting::new("line", &[0, 1, 1]),
        steps: 7,
        ..LOCK
    },
    Specimen {
        name: "ring-chase-hunts-once",
        of: "ring-chase",
        flaw: "A node passes on only the first hunt since the token was there, and its own is \
               another: the token stops at the first hunter, before it comes here.",
        setting: Setting::new("ring", &[0, 1, 1]).fifo(),
        steps: 6,
        ..LOCK
    },
    Specimen {
        name: "ring-chase-out-of-order",
        of: "ring-chase",
        flaw: "Nothing, but messages overtake each other, and hops are not numbered: a hunt that \
               overtakes the token runs round the ring and dies at its origin.",
        is_forbidden_setting: true,
        setting: Setting::new("ring", &[0, 2, 1]),
        steps: 8,
        ..LOCK
    },
    Specimen {
        name: "singhal-discards-stale-requests",
        of: "singhal",
        flaw: "An old request is discarded, as in the paper: then two nodes can each believe that \
               the other will ask, and one waits where the other has the token.",
        setting: Setting::new("complete", &[1, 1, 2]).fifo(),
        steps: 15,
        ..LOCK
    },
    Specimen {
        name: "singhal-ignores-token-inside",
        of: "singhal",
        flaw: "A node that is inside takes a request for new though the token knows that it was \
               served: on leaving, the token overrules it, and the sender was not warned.",
        setting: Setting::new("complete", &[1, 1, 2]).fifo(),
        steps: 15,
        ..LOCK
    },
    Specimen {
        name: "singhal-without-stale-test",
        of: "singhal",
        flaw: "The token is given to whoever asks, also for an old request: who does not want it \
               throws it away.",
        setting: Setting::new("complete", &[2, 1, 1]).fifo(),
        steps: 16,
        ..LOST
    },
    Specimen {
        name: "suzuki-kasami-forgets-served",
        of: "suzuki-kasami",
        flaw: "The token is not told who was served: it goes to nodes that want it no more, and \
               they throw it away.",
        setting: Setting::new("complete", &[2, 1]),
        steps: 11,
        ..LOST
    },
    Specimen {
        name: "suzuki-kasami-loses-token",
        of: "suzuki-kasami",
        flaw: "A node that has no use for the token loses it on the way to the one who asks.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 2,
        ..LOST
    },
    Specimen {
        name: "token-graph-without-acknowledgement",
        of: "token-graph",
        flaw: "Hops are not numbered, and the token leaves before all have acknowledged where it \
               is: late news makes edges point in a circle, and requests wait for each other.",
        setting: Setting::new("complete", &[1, 1, 1, 1]).fifo(),
        steps: 37,
        ..LOCK
    },
    Specimen {
        name: "token-search-sure-of-route",
        of: "token-search",
        flaw: "Nodes rely on having heard of whoever is next, which is true only if channels keep \
               the order: the token can overtake the search.",
        finds: Finding::Assertion,
        promise: "assertions hold",
        setting: Setting::new("ring", &[1, 1, 1]),
        steps: 8,
        ..LOCK
    },
];

/// Hands over the specimen with this name, or gives the visitor back.
pub(crate) fn visit<V: Visit>(name: &str, ground: &Ground, visitor: V) -> Result<V::Out, V> {
    let nodes = ground.nodes();
    let raymond = |me| Raymond::new(me, ground.towards_first(me), raymond::Variant::Plain);
    let singhal = |me| Singhal::new(me, nodes);
    let suzuki_kasami = |me| SuzukiKasami::new(me, nodes);
    let chase = |variant| {
        move |me| RingChase::new(me, ground.beside(me), ground.position(me), nodes, variant)
    };
    Ok(match name {
        "naimi-trehel-forgets-next" => {
            visitor.mutex(|me| NaimiTrehel::new(me, NodeId(0)), |_| ForgetsNext)
        }
        "perpetuum-impatient" => {
            let make = |me| Perpetuum::new(me, ground.beside(me), NodeId(0), Duration::ZERO);
            visitor.mutex(make, |_| Impatient)
        }
        "raymond-asked-not-cleared" => visitor.mutex(raymond, |_| AskedNotCleared::default()),
        "raymond-copies-token" => visitor.mutex(raymond, |_| CopiesToken::default()),
        "raymond-doubled-requests" => visitor.mutex(raymond, |_| Flawless),
        "raymond-idle-holder" => visitor.mutex(raymond, |_| IdleHolder::default()),
        "raymond-no-request-behind" => visitor.mutex(raymond, |_| NoRequestBehind),
        "ring-chase-hunts-once" => {
            visitor.mutex(chase(ring_chase::Variant::Hop), |_| HuntsOnce::default())
        }
        "ring-chase-out-of-order" => {
            visitor.mutex(chase(ring_chase::Variant::Circle), |_| Flawless)
        }
        "singhal-discards-stale-requests" => visitor.mutex(singhal, |_| DiscardsStale),
        "singhal-ignores-token-inside" => {
            visitor.mutex(singhal, |_| IgnoresTokenInside::new(nodes))
        }
        "singhal-without-stale-test" => visitor.mutex(singhal, |_| NoStaleTest),
        "suzuki-kasami-forgets-served" => visitor.mutex(suzuki_kasami, |_| ForgetsServed),
        "suzuki-kasami-loses-token" => visitor.mutex(suzuki_kasami, |_| LosesToken),
        "token-graph-without-acknowledgement" => {
            let variant = token_graph::Variant::Acknowledged;
            let make = |me| TokenGraph::new(me, ground.neighbours(me), NodeId(0), variant);
            visitor.mutex(make, |me| NoAcknowledgements::new(ground.neighbours(me)))
        }
        "token-search-sure-of-route" => {
            let make = |me| TokenSearch::new(me, ground.neighbours(me), NodeId(0), Search::Flood);
            visitor.mutex(make, |_| SureOfRoute::default())
        }
        _ => return Err(visitor),
    })
}
