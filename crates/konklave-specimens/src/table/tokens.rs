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

use super::{lock, nothing};
use crate::Flawless;
use crate::flaws::naimi_trehel::ForgetsNext;
use crate::flaws::perpetuum::Impatient;
use crate::flaws::raymond::{AskedNotCleared, CopiesToken, IdleHolder, NoRequestBehind};
use crate::flaws::ring_chase::HuntsOnce;
use crate::flaws::singhal::{DiscardsStale, IgnoresTokenInside, NoStaleTest};
use crate::flaws::suzuki_kasami::{ForgetsServed, LosesToken};
use crate::flaws::token_graph::NoAcknowledgements;
use crate::flaws::token_search::SureOfRoute;
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

const LOST: Specimen = Specimen { finds: Finding::LostToken, ..LOCK };

pub(crate) static ALL: [Specimen; 16] = [
    Specimen {
        name: "naimi-trehel-forgets-next",
        of: "naimi-trehel",
        flaw: "A node that leaves forgets who is next: the token stays where nobody asks for it \
               any more.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 4,
        build: |site| lock(site, move |me| NaimiTrehel::new(me, NodeId(0)), |_| ForgetsNext),
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
        build: |site| {
            let make = move |me| Perpetuum::new(me, site.beside(me), NodeId(0), Duration::ZERO);
            lock(site, make, |_| Impatient)
        },
        ..LOCK
    },
    Specimen {
        name: "raymond-asked-not-cleared",
        of: "raymond",
        flaw: "A node passes the token through and goes on believing that it has asked for it: it \
               never asks again.",
        setting: Setting::new("line", &[0, 1, 1]),
        steps: 7,
        build: |site| lock(site, raymond(site), |_| AskedNotCleared::default()),
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
        build: |site| lock(site, raymond(site), |_| CopiesToken::default()),
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
        build: |site| lock(site, raymond(site), |_| Flawless),
        ..LOCK
    },
    Specimen {
        name: "raymond-idle-holder",
        of: "raymond",
        flaw: "A node that has the token, and is not inside, does not react to requests.",
        setting: Setting::new("line", &[1, 1]),
        steps: 2,
        build: |site| lock(site, raymond(site), |_| IdleHolder::default()),
        ..LOCK
    },
    Specimen {
        name: "raymond-no-request-behind",
        of: "raymond",
        flaw: "A node sends the token on while others wait here, and no request behind it: nobody \
               sends it back.",
        setting: Setting::new("line", &[0, 1, 1]),
        steps: 7,
        build: |site| lock(site, raymond(site), |_| NoRequestBehind),
        ..LOCK
    },
    Specimen {
        name: "ring-chase-hunts-once",
        of: "ring-chase",
        flaw: "A node passes on only the first hunt since the token was there, and its own is \
               another: the token stops at the first hunter, before it comes here.",
        setting: Setting::new("ring", &[0, 1, 1]).fifo(),
        steps: 6,
        build: |site| lock(site, chase(site, ring_chase::Variant::Hop), |_| HuntsOnce::default()),
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
        build: |site| lock(site, chase(site, ring_chase::Variant::Circle), |_| Flawless),
        ..LOCK
    },
    Specimen {
        name: "singhal-discards-stale-requests",
        of: "singhal",
        flaw: "An old request is discarded, as in the paper: then two nodes can each believe that \
               the other will ask, and one waits where the other has the token.",
        setting: Setting::new("complete", &[1, 1, 2]).fifo(),
        steps: 15,
        build: |site| lock(site, singhal(site), |_| DiscardsStale),
        ..LOCK
    },
    Specimen {
        name: "singhal-ignores-token-inside",
        of: "singhal",
        flaw: "A node that is inside takes a request for new though the token knows that it was \
               served: on leaving, the token overrules it, and the sender was not warned.",
        setting: Setting::new("complete", &[1, 1, 2]).fifo(),
        steps: 15,
        build: |site| lock(site, singhal(site), |_| IgnoresTokenInside::new(site.nodes())),
        ..LOCK
    },
    Specimen {
        name: "singhal-without-stale-test",
        of: "singhal",
        flaw: "The token is given to whoever asks, also for an old request: who does not want it \
               throws it away.",
        setting: Setting::new("complete", &[2, 1, 1]).fifo(),
        steps: 16,
        build: |site| lock(site, singhal(site), |_| NoStaleTest),
        ..LOST
    },
    Specimen {
        name: "suzuki-kasami-forgets-served",
        of: "suzuki-kasami",
        flaw: "The token is not told who was served: it goes to nodes that want it no more, and \
               they throw it away.",
        setting: Setting::new("complete", &[2, 1]),
        steps: 11,
        build: |site| lock(site, suzuki_kasami(site), |_| ForgetsServed),
        ..LOST
    },
    Specimen {
        name: "suzuki-kasami-loses-token",
        of: "suzuki-kasami",
        flaw: "A node that has no use for the token loses it on the way to the one who asks.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 2,
        build: |site| lock(site, suzuki_kasami(site), |_| LosesToken),
        ..LOST
    },
    Specimen {
        name: "token-graph-without-acknowledgement",
        of: "token-graph",
        flaw: "Hops are not numbered, and the token leaves before all have acknowledged where it \
               is: late news makes edges point in a circle, and requests wait for each other.",
        setting: Setting::new("complete", &[1, 1, 1, 1]).fifo(),
        steps: 37,
        build: |site| {
            let variant = token_graph::Variant::Acknowledged;
            let make = move |me| TokenGraph::new(me, site.neighbours(me), NodeId(0), variant);
            lock(site, make, move |me| NoAcknowledgements::new(site.neighbours(me)))
        },
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
        build: |site| {
            let make =
                move |me| TokenSearch::new(me, site.neighbours(me), NodeId(0), Search::Flood);
            lock(site, make, |_| SureOfRoute::default())
        },
        ..LOCK
    },
];

fn raymond(site: &Site) -> impl Fn(NodeId) -> Raymond {
    |me| Raymond::new(me, site.towards_first(me), raymond::Variant::Plain)
}

fn singhal(site: &Site) -> impl Fn(NodeId) -> Singhal {
    let nodes = site.nodes();
    move |me| Singhal::new(me, nodes)
}

fn suzuki_kasami(site: &Site) -> impl Fn(NodeId) -> SuzukiKasami {
    let nodes = site.nodes();
    move |me| SuzukiKasami::new(me, nodes)
}

fn chase(site: &Site, variant: ring_chase::Variant) -> impl Fn(NodeId) -> RingChase {
    let (nodes, positions) = (site.nodes(), site.ring_positions());
    move |me| RingChase::new(me, site.beside(me), positions[me.index()], nodes, variant)
}
