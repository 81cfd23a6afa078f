//! Specimens of token-based mutual exclusion.

use std::time::Duration;

use konklave::NodeId;
use konklave::mutex::naimi_trehel::NaimiTrehel;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::raymond::{self, Raymond};
use konklave::mutex::ricart_agrawala_token::RicartAgrawalaToken;
use konklave::mutex::ring_chase::{self, RingChase};
use konklave::mutex::singhal::Singhal;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::token_graph::{self, TokenGraph};
use konklave::mutex::token_search::{Search, TokenSearch};

use super::permissions::UNFAIR;
use super::{lock, nothing};
use crate::Flawless;
use crate::flaws::naimi_trehel::ForgetsNext;
use crate::flaws::perpetuum::Impatient;
use crate::flaws::raymond::{AskedNotCleared, CopiesToken, IdleHolder, NoRequestBehind};
use crate::flaws::ricart_agrawala_token::SmallestFirst;
use crate::flaws::ring_chase::HuntsOnce;
use crate::flaws::singhal::{DiscardsStale, IgnoresTokenInside, NoStaleTest};
use crate::flaws::suzuki_kasami::{ForgetsServed, LosesToken, TailFirst};
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

pub(crate) static ALL: [Specimen; 18] = [
    Specimen {
        name: "naimi-trehel-forgets-next",
        of: "naimi-trehel",
        flaw: "A node that leaves forgets its next: the token stays at a node that no request \
               reaches any more.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 4,
        build: |site| lock(site, move |me| NaimiTrehel::new(me, NodeId(0)), |_| ForgetsNext),
        ..LOST
    },
    Specimen {
        name: "perpetuum-impatient",
        of: "perpetuum",
        flaw: "A node enters only if the token is there when it asks; otherwise it passes the \
               token on while it waits, for ever.",
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
        flaw: "A node forwards the token and does not clear its flag `asked`: it never asks again.",
        setting: Setting::new("line", &[0, 1, 1]),
        steps: 7,
        build: |site| lock(site, raymond(site), |_| AskedNotCleared::default()),
        ..LOCK
    },
    Specimen {
        name: "raymond-copies-token",
        of: "raymond",
        flaw: "A waiting node forwards the token and enters nevertheless.",
        finds: Finding::TwoInside,
        promise: "mutual exclusion",
        setting: Setting::new("line", &[0, 1, 1]),
        steps: 6,
        build: |site| lock(site, raymond(site), |_| CopiesToken::default()),
        ..LOCK
    },
    Specimen {
        name: "raymond-duplicate-requests",
        of: "raymond",
        flaw: "The algorithm is unchanged, but two messages are duplicated: two nodes each believe \
               that the other wants the token, and it moves back and forth for ever.",
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
        flaw: "A node that has the token and is not inside does not react to requests.",
        setting: Setting::new("line", &[1, 1]),
        steps: 2,
        build: |site| lock(site, raymond(site), |_| IdleHolder::default()),
        ..LOCK
    },
    Specimen {
        name: "raymond-no-request-behind",
        of: "raymond",
        flaw: "A node forwards the token while its queue is non-empty, and sends no request behind \
               it: the token is never sent back.",
        setting: Setting::new("line", &[0, 1, 1]),
        steps: 7,
        build: |site| lock(site, raymond(site), |_| NoRequestBehind),
        ..LOCK
    },
    Specimen {
        name: "ricart-agrawala-token-smallest-first",
        of: "ricart-agrawala-token",
        flaw: "A node that leaves looks for the next one from node 0 on, and not from its own \
               successor on: nodes with small numbers overtake the others again and again.",
        setting: Setting::new("complete", &[2, 2, 1]),
        steps: 18,
        build: |site| {
            let right = move |me| RicartAgrawalaToken::new(me, site.nodes());
            lock(site, right, |_| SmallestFirst::default())
        },
        ..UNFAIR
    },
    Specimen {
        name: "ring-chase-hunts-once",
        of: "ring-chase",
        flaw: "A node forwards only the first hunt since the token's last visit, and suppresses \
               its own: the token stops at the first hunter and does not reach it.",
        setting: Setting::new("ring", &[0, 1, 1]).fifo(),
        steps: 6,
        build: |site| lock(site, chase(site, ring_chase::Variant::Hop), |_| HuntsOnce::default()),
        ..LOCK
    },
    Specimen {
        name: "ring-chase-out-of-order",
        of: "ring-chase",
        flaw: "The algorithm is unchanged, but channels are not FIFO and hops are not numbered: a \
               hunt that overtakes the token runs round the ring and ends at its origin.",
        is_forbidden_setting: true,
        setting: Setting::new("ring", &[0, 2, 1]),
        steps: 8,
        build: |site| lock(site, chase(site, ring_chase::Variant::Circle), |_| Flawless),
        ..LOCK
    },
    Specimen {
        name: "singhal-discards-stale-requests",
        of: "singhal",
        flaw: "A stale request is discarded, as in the paper: then two nodes can each believe that \
               the other will ask, and one waits while the other has the token.",
        setting: Setting::new("complete", &[1, 1, 2]).fifo(),
        steps: 15,
        build: |site| lock(site, singhal(site), |_| DiscardsStale),
        ..LOCK
    },
    Specimen {
        name: "singhal-ignores-token-inside",
        of: "singhal",
        flaw: "A node inside takes a request for new although the token knows that it was served: \
               on release the token overrules the node, and the sender has received no probe.",
        setting: Setting::new("complete", &[1, 1, 2]).fifo(),
        steps: 15,
        build: |site| lock(site, singhal(site), |_| IgnoresTokenInside::new(site.nodes())),
        ..LOCK
    },
    Specimen {
        name: "singhal-without-stale-test",
        of: "singhal",
        flaw: "The token is sent to every requester, also for a stale request: a node that does \
               not wait for it discards it.",
        setting: Setting::new("complete", &[2, 1, 1]).fifo(),
        steps: 16,
        build: |site| lock(site, singhal(site), |_| NoStaleTest),
        ..LOST
    },
    Specimen {
        name: "suzuki-kasami-forgets-served",
        of: "suzuki-kasami",
        flaw: "The token does not record which requests were served: it goes to nodes that no \
               longer wait, which discard it.",
        setting: Setting::new("complete", &[2, 1]),
        steps: 11,
        build: |site| lock(site, suzuki_kasami(site), |_| ForgetsServed),
        ..LOST
    },
    Specimen {
        name: "suzuki-kasami-loses-token",
        of: "suzuki-kasami",
        flaw: "An idle node loses the token when it passes it on to a requester.",
        setting: Setting::new("complete", &[1, 1]),
        steps: 2,
        build: |site| lock(site, suzuki_kasami(site), |_| LosesToken),
        ..LOST
    },
    Specimen {
        name: "suzuki-kasami-tail-first",
        of: "suzuki-kasami",
        flaw: "A node that leaves passes the token to the tail of its queue.",
        setting: Setting::new("complete", &[2, 2, 2]),
        steps: 18,
        build: |site| lock(site, move |me| SuzukiKasami::new(me, site.nodes()), |_| TailFirst),
        ..UNFAIR
    },
    Specimen {
        name: "token-graph-without-acknowledgement",
        of: "token-graph",
        flaw: "Hops are not numbered, and the token leaves before all inversions are acknowledged: \
               a late inversion closes a cycle of edges, and requests wait for each other.",
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
        flaw: "A node assumes that it knows the route to the next node in the queue, which holds \
               only on FIFO channels: the token can overtake the search.",
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
