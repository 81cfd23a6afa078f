//! The distributed heap as an entry of the catalogue.

use std::ops::RangeInclusive;

use konklave::heap::skeap::Priorities;
use konklave::object::{Heap, HeapOp, Places};

use crate::entry::{Entry, line};
use crate::object::collection::{
    BATCH, EMPTY, HEIGHT, HOPS, LEFT_OVER, MOST_HELD, STATIC, WAVES, WORDS, batched, central,
    promises, scenarios, two,
};
use crate::object::options::{CLIENTS, OPS, PRIORITIES, RATE, WINDOW, mix};
use crate::object::report::ObjectReport;
use crate::object::{LATENCY, MESSAGES, OPERATIONS, Service, Shared, THROUGHPUT, requests};
use crate::option::{Opt, Usual, Verb};
use crate::problem::{About, Senses};
use crate::quantity::{Measures, Quantity};
use crate::site::Site;

/// The heap: its specification and its words.
pub struct Ranked;

impl Service for Ranked {
    type Object = Heap;

    const ABOUT: &'static About = &ABOUT;
    const PLACES: Places = Places::OfAll;

    const KEY: &'static str = "priority";

    fn operation(letter: char, key: u64, fresh: u64) -> Option<HeapOp> {
        match letter {
            'i' => Some(HeapOp::Insert { id: fresh, priority: key.max(1) }),
            'd' => Some(HeapOp::DeleteMin),
            _ => None,
        }
    }

    fn keys(site: &Site) -> Option<RangeInclusive<u64>> {
        site.get::<u64>(&PRIORITIES).map(|most| 1..=most)
    }

    fn measures(report: &ObjectReport) -> Measures {
        Measures::default()
            .with(&INSERTS, report.operations - report.asked)
            .with(&DELETES, report.asked)
            .with(&EMPTY, report.asked - report.found)
    }
}

static MIX: Opt = mix(&[
    (Verb::Run, Usual::Is("id")),
    (Verb::Check, Usual::Is("id")),
    (Verb::Compare, Usual::Is("id")),
    (Verb::Sweep, Usual::Is("id")),
]);

static INSERTS: Quantity =
    Quantity::new("inserts", "", "number of inserts that have returned").label("inserts");
static DELETES: Quantity =
    Quantity::new("deletes", "", "number of deletions of a minimum that have returned")
        .label("deletes");

static OCCURRED: Quantity =
    Quantity::new("priorities_used", "", "number of different priorities that elements had")
        .label("priorities");

pub(crate) static ABOUT: About = About {
    name: "heap",
    title: "Heap",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/heap/mod.rs")),
    options: &[&OPS, &CLIENTS, &RATE, &WINDOW, &MIX, &PRIORITIES],
    quantities: &[
        &MESSAGES,
        &OPERATIONS,
        &INSERTS,
        &DELETES,
        &EMPTY,
        &LATENCY,
        &THROUGHPUT,
        &LEFT_OVER,
        &MOST_HELD,
        &HOPS,
        &WAVES,
        &BATCH,
        &HEIGHT,
        &OCCURRED,
    ],
    words: WORDS,
    promises: promises::<Heap>,
    fairness: |_| None,
    senses: Senses::of::<Shared<Ranked>>(),
    how_often: &OPS,
    repeats: None,
    shared_network: None,
    scenarios,
    requests: requests::<Ranked>,
    refuse: |_| Ok(()),
};

/// All algorithms.
pub fn entries() -> Vec<Entry> {
    vec![
        line!(heap::central_heap, STATIC, &[], two, |site| central::<Ranked>(site, 2)),
        line!(heap::skeap, STATIC.duplicates(), &[], |_, _| None, |site| {
            batched::<Ranked, Priorities>(site, Priorities::held, |anchor| {
                Measures::default().with(&OCCURRED, anchor.priorities())
            })
        }),
    ]
}
