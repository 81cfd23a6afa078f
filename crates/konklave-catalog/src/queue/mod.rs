//! The distributed queue as an entry of the catalogue.

mod stabilising;

use konklave::object::{Places, Queue, QueueOp};
use konklave::queue::skueue::Fifo;

use crate::entry::{Entry, line};
use crate::object::collection::{
    ANSWER, BATCH, CHANGES, EMPTY, HANDED_OVER, HEIGHT, HOPS, LEFT_OVER, MOST_HELD, PERIOD, RUNS,
    STATIC, WAVES, WORDS, batched, central, promises, scenarios, two,
};
use crate::object::options::{CLIENTS, JOINS, LEAVES, OPS, RATE, ROUNDS, WINDOW, mix};
use crate::object::report::ObjectReport;
use crate::object::{
    JOINED, LATENCY, LEFT, MESSAGES, OPERATIONS, Service, Shared, THROUGHPUT, others, requests,
};
use crate::option::{Opt, Usual, Verb};
use crate::problem::{About, Senses};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::System;

/// The queue: its specification and its words.
pub struct Lined;

impl Service for Lined {
    type Object = Queue;

    const ABOUT: &'static About = &ABOUT;
    const PLACES: Places = Places::OfAll;

    fn operation(letter: char, _key: u64, fresh: u64) -> Option<QueueOp> {
        match letter {
            'i' => Some(QueueOp::Enqueue(fresh)),
            'r' => Some(QueueOp::Dequeue),
            _ => None,
        }
    }

    fn measures(report: &ObjectReport) -> Measures {
        Measures::default()
            .with(&ENQUEUES, report.operations - report.asked)
            .with(&DEQUEUES, report.asked)
            .with(&EMPTY, report.asked - report.found)
            .with(&DUPLICATED, report.found_again)
    }
}

static MIX: Opt = mix(&[
    (Verb::Run, Usual::Is("ir")),
    (Verb::Check, Usual::Is("ir")),
    (Verb::Compare, Usual::Is("ir")),
    (Verb::Sweep, Usual::Is("ir")),
]);

static ENQUEUES: Quantity =
    Quantity::new("enqueues", "", "number of enqueues that have returned").label("enqueues");
static DEQUEUES: Quantity =
    Quantity::new("dequeues", "", "number of dequeues that have returned").label("dequeues");

static DUPLICATED: Quantity =
    Quantity::new("duplicated", "", "number of elements that were dequeued once more")
        .label("duplicated");
pub(crate) static ABOUT: About = About {
    name: "queue",
    title: "Queue",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/queue/mod.rs")),
    options: &[&OPS, &CLIENTS, &RATE, &ROUNDS, &WINDOW, &MIX, &JOINS, &LEAVES],
    quantities: &[
        &MESSAGES,
        &OPERATIONS,
        &ENQUEUES,
        &DEQUEUES,
        &EMPTY,
        &LATENCY,
        &THROUGHPUT,
        &LEFT_OVER,
        &MOST_HELD,
        &HOPS,
        &WAVES,
        &BATCH,
        &PERIOD,
        &RUNS,
        &HEIGHT,
        &DUPLICATED,
        &stabilising::LOST,
        &stabilising::RESETS,
        &stabilising::ANEW,
        &stabilising::HOLES,
        &JOINED,
        &LEFT,
        &CHANGES,
        &HANDED_OVER,
    ],
    words: WORDS,
    promises: promises::<Queue>,
    fairness: |_| None,
    senses: Senses::of::<Shared<Lined>>(),
    how_often: &OPS,
    repeats: None,
    shared_network: None,
    scenarios,
    requests: requests::<Lined>,
    refuse: |_| Ok(()),
};

/// All algorithms.
pub fn entries() -> Vec<Entry> {
    vec![
        line!(queue::central_queue, STATIC, &[], two, |site| {
            unchanged(site)?;
            central::<Lined>(site, 1)
        }),
        // Random runs have duplicates, which are harmless while nobody joins or leaves.
        Entry {
            others: |setup| others(0, setup),
            ..line!(
                queue::skueue,
                STATIC.duplicates().perpetual_if(stabilising::STABILISING.name, "yes"),
                &[ANSWER, stabilising::STABILISING, stabilising::START, stabilising::MAX_DELAY],
                |_, _| None,
                skueue
            )
        },
    ]
}

/// Refuses joins and leaves.
fn unchanged(site: &Site) -> Result<(), Refusal> {
    let changes = [&JOINS, &LEAVES].into_iter().find(|it| site.get::<u32>(it).unwrap_or(0) > 0);
    changes.map_or(Ok(()), |option| {
        Err(Refusal::new(format!(
            "--{}: the members of this queue do not change; those of skueue do, without \
             --stabilising",
            option.name
        )))
    })
}

fn skueue(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    if stabilising::is_asked(site)? {
        unchanged(site)?;
        return stabilising::system(site);
    }
    batched::<Lined, Fifo>(site, Fifo::held, |_| Measures::default())
}
