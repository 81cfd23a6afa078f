//! The distributed stack as an entry of the catalogue.

use konklave::object::{Places, Stack, StackOp};

use crate::entry::{Entry, line};
use crate::object::collection::{
    EMPTY, LEFT_OVER, MOST_HELD, STATIC, WORDS, central, promises, scenarios, two,
};
use crate::object::options::{CLIENTS, OPS, RATE, WINDOW, mix};
use crate::object::report::ObjectReport;
use crate::object::{LATENCY, MESSAGES, OPERATIONS, Service, Shared, THROUGHPUT, requests};
use crate::option::{Opt, Usual, Verb};
use crate::problem::{About, Senses};
use crate::quantity::{Measures, Quantity};

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

pub(crate) static ABOUT: About = About {
    name: "stack",
    title: "Stack",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/stack/mod.rs")),
    options: &[&OPS, &CLIENTS, &RATE, &WINDOW, &MIX],
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

/// All algorithms.
pub fn entries() -> Vec<Entry> {
    vec![line!(stack::central_stack, STATIC, &[], two, |site| central::<Piled>(site, 1))]
}
