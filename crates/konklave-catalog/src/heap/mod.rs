//! The distributed heap as an entry of the catalogue.

use std::ops::RangeInclusive;

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::dictionary::Tally;
use konklave::heap::heap_offline::HeapOffline;
use konklave::heap::seap::{Rule, Seap};
use konklave::heap::skeap::Priorities;
use konklave::heap::store::Store;
use konklave::object::{Heap, HeapOp, Places};
use konklave::overlay::ldb::{Ldb, height};
use konklave::selection::search::{Plan, Splitters};
use konklave_sim::workload::Spread;

use crate::entry::{Entry, line};
use crate::object::collection::{
    BATCH, EMPTY, HEIGHT, HOPS, LEFT_OVER, MOST_HELD, PERIOD, RUNS, STATIC, WAVES, WORDS, batched,
    central, promises, scenarios, two,
};
use crate::object::options::{self, CLIENTS, OPS, PRIORITIES, RATE, WINDOW, mix};
use crate::object::report::ObjectReport;
use crate::object::{LATENCY, MESSAGES, OPERATIONS, Service, Shared, THROUGHPUT, requests};
use crate::option::{Choice, Opt, Usual, Verb};
use crate::problem::{About, Senses};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::{System, surveyed_erased_nodes};

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
static PHASES: Quantity =
    Quantity::new("phases", "", "number of phases, of inserts and of deletes in turn, or of waves")
        .label("phases");
static SELECTIONS: Quantity =
    Quantity::new("selections", "", "number of phases in which an element had to be selected")
        .label("selections");
static ROUNDS: Quantity =
    Quantity::new("rounds_per_phase", "rounds", "of questions to all processes, on average")
        .label("rounds/phase")
        .column("rounds");

pub(crate) static ABOUT: About = About {
    name: "heap",
    title: "Heap",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/heap/mod.rs")),
    options: &[&OPS, &CLIENTS, &RATE, &options::ROUNDS, &WINDOW, &MIX, &PRIORITIES],
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
        &PERIOD,
        &RUNS,
        &HEIGHT,
        &OCCURRED,
        &PHASES,
        &SELECTIONS,
        &ROUNDS,
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
        line!(heap::heap_offline, STATIC, &[], |_, _| None, heap_offline),
        line!(heap::seap, STATIC, const { &[RULE] }, |_, _| None, seap),
    ]
}

/// Which operations a process contributes to a phase.
const RULE: Choice = Choice::new(
    "rule",
    &["prefix", "free"],
    "What a process contributes to a phase: the longest prefix of its operations that suits it, or \
     all that suit it, which loses the program order",
);

/// A process of the heap with arbitrary priorities, as its number and a rule make it.
pub fn seap_node(site: &Site) -> impl Fn(NodeId, Rule) -> Seap + use<> {
    let mixer = Mixer::new(site.setup().seed);
    let splitters = Splitters::Adaptive;
    let plan = Plan { processes: site.nodes(), splitters, sample: None, mixer };
    let network = Ldb::hashed(mixer, NodeId::all(site.nodes()));
    move |me, rule| Seap::new(network[me.index()].clone(), plan, rule)
}

fn seap(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let node = seap_node(site);
    Ok(match site.choice("rule") {
        "free" => {
            let make = move |me| node(me, Rule::Free);
            surveyed_erased_nodes(Shared::<Ranked>::new(0).unordered(), site, make, counted)
        }
        _ => {
            let make = move |me| node(me, Rule::Prefix);
            surveyed_erased_nodes(Shared::<Ranked>::new(0), site, make, counted)
        }
    })
}

/// What the processes of the heap with phases have counted, and what they hold.
fn counted(nodes: &[&Seap], _: &Measures) -> Measures {
    let rounds = nodes.iter().map(|node| node.rounds()).max().unwrap_or(0);
    let anchor = nodes.iter().find_map(|node| node.anchor());
    let cycles = anchor.map_or(0, |anchor| anchor.cycles());
    stored(nodes.iter().map(|node| node.store()))
        .with(&PHASES, 2 * cycles)
        .with(&SELECTIONS, anchor.map(|anchor| anchor.selections()))
        .with(&ROUNDS, (cycles > 0).then(|| f64::from(rounds) / f64::from(2 * cycles)))
}

fn heap_offline(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let mixer = Mixer::new(site.setup().seed);
    let network = Ldb::hashed(mixer, NodeId::all(site.nodes()));
    let make = move |me: NodeId| HeapOffline::new(network[me.index()].clone(), mixer);
    Ok(surveyed_erased_nodes(Shared::<Ranked>::new(0), site, make, |nodes: &[&HeapOffline], _| {
        let rounds = nodes.iter().map(|node| node.rounds()).max().unwrap_or(0);
        let waves = nodes.iter().find_map(|node| node.anchor()).map_or(0, |it| it.waves());
        stored(nodes.iter().map(|node| node.store()))
            .with(&PHASES, waves)
            .with(&ROUNDS, (waves > 0).then(|| f64::from(rounds) / f64::from(waves)))
    }))
}

/// What processes keep, and how far it has travelled.
fn stored<'n>(stores: impl Iterator<Item = &'n Store> + Clone) -> Measures {
    let held = || stores.clone().map(|store| store.elements().len() as u64);
    let Tally { carried_out, hops, hops_max, .. } =
        Tally::sum(stores.clone().map(|store| store.tally()));
    let spread = || Spread { mean: hops as f64 / carried_out as f64, max: hops_max.into() };
    let network: Vec<&Ldb> = stores.clone().map(|store| store.ldb()).collect();
    Measures::default()
        .with(&LEFT_OVER, held().sum::<u64>())
        .with(&MOST_HELD, held().max())
        .with(&HOPS, (carried_out > 0).then(spread))
        .with(&HEIGHT, height(&network))
}
