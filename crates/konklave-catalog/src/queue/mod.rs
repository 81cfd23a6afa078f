//! The distributed queue as an entry of the catalogue.

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::dictionary::Tally;
use konklave::object::{Places, Queue, QueueOp};
use konklave::overlay::ldb::{Ldb, height};
use konklave::protocol::{Monitor as _, Promise};
use konklave::queue::Monitor;
use konklave::queue::central_queue::CentralQueue;
use konklave::queue::skueue::{Fifo, Skueue};
use konklave_sim::workload::Spread;
use konklave_sim::{Delay, Options};

use crate::compare::{Runs, Scenario};
use crate::entry::{Entry, line};
use crate::expected::Expected;
use crate::needs::{Needs, Network};
use crate::object::options::{CLIENTS, OPS, RATE, WINDOW, mix};
use crate::object::report::ObjectReport;
use crate::object::{LATENCY, MESSAGES, OPERATIONS, Service, Shared, THROUGHPUT, requests};
use crate::option::{Opt, Usual, Verb};
use crate::problem::{About, Senses, Words};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use crate::system::{System, surveyed_nodes};

/// The queue: its specification and its words.
pub struct Lined;

impl Service for Lined {
    type Object = Queue;

    const ABOUT: &'static About = &ABOUT;
    const PLACES: Places = Places::OfAll;

    fn operation(letter: char, _key: u64, fresh: u64) -> Option<QueueOp> {
        match letter {
            'e' => Some(QueueOp::Enqueue(fresh)),
            'd' => Some(QueueOp::Dequeue),
            _ => None,
        }
    }

    fn measures(report: &ObjectReport) -> Measures {
        Measures::default()
            .with(&ENQUEUES, report.operations - report.asked)
            .with(&DEQUEUES, report.asked)
            .with(&EMPTY, report.asked - report.found)
    }
}

static MIX: Opt = mix(&[
    (Verb::Run, Usual::Is("ed")),
    (Verb::Check, Usual::Is("ed")),
    (Verb::Compare, Usual::Is("ed")),
    (Verb::Sweep, Usual::Is("ed")),
]);

static ENQUEUES: Quantity =
    Quantity::new("enqueues", "", "number of enqueues that have returned").label("enqueues");
static DEQUEUES: Quantity =
    Quantity::new("dequeues", "", "number of dequeues that have returned").label("dequeues");
static EMPTY: Quantity =
    Quantity::new("empty", "", "how many of them found the queue empty").label("empty");
static LEFT_OVER: Quantity =
    Quantity::new("elements_left", "", "number of elements in the queue at the end")
        .label("elements left");
static MOST_HELD: Quantity =
    Quantity::new("elements_max", "", "number of elements at the node with the most, at the end")
        .label("most at a node");
static HOPS: Quantity =
    Quantity::new("dht_hops", "messages", "from a process to the node with the element's position")
        .spread()
        .label("hops")
        .column("hops");
static WAVES: Quantity =
    Quantity::new("waves", "", "number of waves that the anchor has assigned").label("waves");
static BATCH: Quantity =
    Quantity::new("operations_per_wave", "", "operations that share a wave, on average")
        .label("operations/wave");
static HEIGHT: Quantity =
    Quantity::new("tree_height", "messages", "from the process farthest from the anchor to it")
        .label("tree height")
        .column("height");

pub(crate) static ABOUT: About = About {
    name: "queue",
    title: "Queue",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/queue/mod.rs")),
    options: &[&OPS, &CLIENTS, &RATE, &WINDOW, &MIX],
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
        &HEIGHT,
    ],
    words: Words {
        service: "an answer",
        rivalry: "several operations at once",
        held: "",
        is_exclusive: false,
        waits: "for an answer",
    },
    promises,
    fairness: |_| None,
    senses: Senses::of::<Shared<Lined>>(),
    how_often: &OPS,
    repeats: None,
    shared_network: None,
    scenarios,
    steady: |_, _| Vec::new(),
    requests: requests::<Lined>,
    refuse: |_| Ok(()),
};

/// The members do not change.
const STATIC: Needs = Needs::network(Network::Complete).no_changes();

/// All algorithms.
pub fn entries() -> Vec<Entry> {
    vec![
        line!(queue::central_queue, STATIC, &[], two, central),
        line!(queue::skueue, STATIC.duplicates(), &[], |_, _| None, skueue),
    ]
}

fn central(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let survey = |nodes: &[&CentralQueue], _: &Measures| {
        let held = nodes.iter().map(|node| node.held() as u64).sum::<u64>();
        Measures::default().with(&LEFT_OVER, held).with(&MOST_HELD, held)
    };
    let make = |me| CentralQueue::new(me, NodeId(0));
    Ok(surveyed_nodes(Shared::<Lined>::new(0), site, make, survey))
}

fn skueue(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let mixer = Mixer::new(site.setup().seed);
    let network = Ldb::hashed(mixer, NodeId::all(site.nodes()));
    let make = move |me: NodeId| Skueue::new(network[me.index()].clone(), mixer);
    Ok(surveyed_nodes(Shared::<Lined>::new(0), site, make, counted))
}

/// What processes have counted, and what they hold.
fn counted(nodes: &[&Skueue], ran: &Measures) -> Measures {
    let network: Vec<&Ldb> = nodes.iter().map(|node| node.ldb()).collect();
    let Tally { carried_out, hops, hops_max, .. } = Tally::sum(nodes.iter().map(|it| it.tally()));
    let spread = || Spread { mean: hops as f64 / carried_out as f64, max: hops_max.into() };
    let anchor = nodes.iter().map(|node| node.waves()).find(|waves| waves.anchor().is_some());
    let waves = anchor.map_or(0, |anchor| anchor.waves());
    let operations = ran.get(OPERATIONS.name).filter(|_| waves > 0);
    let held = nodes.iter().map(|node| node.held() as u64);
    Measures::default()
        .with(&LEFT_OVER, anchor.and_then(|it| it.anchor()).map(Fifo::held))
        .with(&MOST_HELD, held.max())
        .with(&HOPS, (carried_out > 0).then(spread))
        .with(&WAVES, waves)
        .with(&BATCH, operations.map(|operations| operations / f64::from(waves)))
        .with(&HEIGHT, height(&network))
}

/// To the server and back, but for the operations of the server, which is the first client.
fn two(site: &Site, _options: &Options) -> Option<Expected> {
    let clients = f64::from(site.get::<u32>(&CLIENTS).unwrap_or(site.nodes()));
    Some(Expected::exactly("2(c-1)/c", 2.0 * (clients - 1.0) / clients))
}

/// Those of every shared object. The last one is about searches, which only a dictionary has.
fn promises() -> &'static [Promise] {
    Monitor::promises().split_last().map_or(&[], |(_monotone, of_all)| of_all)
}

/// Processes that wait for each answer, and processes that do not.
fn scenarios(setup: &Setup, _delay: Delay) -> Vec<Scenario> {
    let given = |option: &Opt, usual: &str| {
        let given = setup.options.get(option.name).cloned();
        (option.name, given.unwrap_or_else(|| usual.to_owned()))
    };
    let scenario = |word: &str, sentence: &str, window: &str| Scenario {
        labels: vec![("clients", word.to_owned())],
        sentence: sentence.to_owned(),
        options: vec![given(&OPS, "20"), given(&WINDOW, window)],
        runs: Runs::One,
        suits: |_| true,
    };
    vec![
        scenario("patient", "a client waits for each answer", "1"),
        scenario("hasty", "a client has up to 8 operations under way", "8"),
    ]
}
