//! The distributed stack as an entry of the catalogue.

use konklave::object::{Places, Stack, StackOp};
use konklave::stack::skack::{Alternating, Anchor, Intervals, Matched, Rounds};

use crate::entry::{Entry, line};
use crate::object::collection::{
    BATCH, EMPTY, HEIGHT, HOPS, LEFT_OVER, MOST_HELD, PERIOD, RUNS, STATIC, WAVES, WORDS, batched,
    central, promises, scenarios, two,
};
use crate::object::options::{CLIENTS, OPS, RATE, ROUNDS, WINDOW, mix};
use crate::object::report::ObjectReport;
use crate::object::{LATENCY, MESSAGES, OPERATIONS, Service, Shared, THROUGHPUT, requests};
use crate::option::{Choice, Opt, Usual, Verb};
use crate::problem::{About, Senses};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::System;

/// The stack: its specification and its words.
pub struct Piled;

impl Service for Piled {
    type Object = Stack;

    const ABOUT: &'static About = &ABOUT;
    const PLACES: Places = Places::OfAll;

    fn operation(letter: char, _key: u64, fresh: u64) -> Option<StackOp> {
        match letter {
            'i' => Some(StackOp::Push(fresh)),
            'r' => Some(StackOp::Pop),
            _ => None,
        }
    }

    fn measures(report: &ObjectReport) -> Measures {
        Measures::default()
            .with(&PUSHES, report.operations - report.asked)
            .with(&POPS, report.asked)
            .with(&EMPTY, report.asked - report.found)
    }
}

static MIX: Opt = mix(&[
    (Verb::Run, Usual::Is("ir")),
    (Verb::Check, Usual::Is("ir")),
    (Verb::Compare, Usual::Is("ir")),
    (Verb::Sweep, Usual::Is("ir")),
]);

static PUSHES: Quantity =
    Quantity::new("pushes", "", "number of pushes that have returned").label("pushes");
static POPS: Quantity =
    Quantity::new("pops", "", "number of pops that have returned").label("pops");

static SEGMENTS: Quantity = Quantity::new(
    "segments_max",
    "",
    "pieces of positions that the anchor gives in a wave, at most",
)
.label("segments");
static INTERVALS: Quantity =
    Quantity::new("intervals_max", "", "intervals that the anchor remembers, at most")
        .label("intervals");
static MATCHED: Quantity =
    Quantity::new("matched", "operations", "pushes and pops that were matched in the tree")
        .label("matched");

pub(crate) static ABOUT: About = About {
    name: "stack",
    title: "Stack",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/stack/mod.rs")),
    options: &[&OPS, &CLIENTS, &RATE, &ROUNDS, &WINDOW, &MIX],
    quantities: &[
        &MESSAGES,
        &OPERATIONS,
        &PUSHES,
        &POPS,
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
        &SEGMENTS,
        &INTERVALS,
        &MATCHED,
    ],
    words: WORDS,
    promises: promises::<Stack>,
    fairness: |_| None,
    senses: Senses::of::<Shared<Piled>>(),
    how_often: &OPS,
    repeats: None,
    shared_network: None,
    scenarios,
    requests: requests::<Piled>,
    refuse: |_| Ok(()),
};

const ANCHOR: Choice = Choice::variant(&["intervals", "rounds"]);
const MATCHING: Choice = Choice::new(
    "matching",
    &["none", "tree"],
    "Whether a push and a pop behind it are matched where batches meet",
);

/// All algorithms.
pub fn entries() -> Vec<Entry> {
    vec![
        line!(stack::central_stack, STATIC, &[], two, |site| central::<Piled>(site, 1)),
        line!(stack::skack, STATIC, &[ANCHOR, MATCHING], |_, _| None, skack),
    ]
}

fn skack(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    match (site.choice(ANCHOR.name), site.choice(MATCHING.name)) {
        ("rounds", "tree") => matched::<Rounds>(site),
        ("rounds", _) => alternating::<Rounds>(site),
        (_, "tree") => matched::<Intervals>(site),
        _ => alternating::<Intervals>(site),
    }
}

fn alternating<A: Anchor>(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    batched::<Piled, Alternating<A>>(
        site,
        |it| it.anchor().held(),
        |it| counted(it.anchor(), it.segments_max()),
    )
}

fn matched<A: Anchor>(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    batched::<Piled, Matched<A>>(
        site,
        |it| it.anchor().held(),
        |it| counted(it.anchor(), it.segments_max()).with(&MATCHED, it.matched()),
    )
}

fn counted<A: Anchor>(anchor: &A, segments_max: u64) -> Measures {
    Measures::default().with(&SEGMENTS, segments_max).with(&INTERVALS, anchor.intervals_max())
}
