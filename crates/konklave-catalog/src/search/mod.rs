//! The distributed search structure as an entry of the catalogue.

mod options;

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::dictionary::combine_split::{CombineSplit, Variant};
use konklave::dictionary::server_dht::ServerDht;
use konklave::dictionary::{Contents, Table};
use konklave::object::{OrderedSet, OrderedSetOp, Places};
use konklave::overlay::Place;
use konklave::overlay::skip_plus::SkipPlus;
use konklave::search::patricia::{Costs, Host, Patricia, Plan};
use konklave::search::{Form, Record};
use konklave_sim::Delay;
use konklave_sim::workload::Spread;

use crate::compare::{Runs, Scenario};
use crate::entry::{Entry, line};
use crate::object::collection::{STATIC, WORDS, promises};
use crate::object::options::{CLIENTS, Ops, WINDOW, mix, ops};
use crate::object::report::ObjectReport;
use crate::object::scatter::Scatter;
use crate::object::workload;
use crate::object::{LATENCY, MESSAGES, OPERATIONS, Service, Shared, THROUGHPUT, others};
use crate::option::{Choice, Opt, Usual, Verb, never_drawn};
use crate::overlay::start::{Family, starts};
use crate::problem::{About, Senses};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use crate::system::{System, surveyed_nodes};
use options::{KEYS, QUERIES, WIDTH};

/// The search structure: its specification and its words.
pub struct Sorted;

/// Keys that differ in their last bits only are counted together.
const FREE: u8 = 3;

impl Service for Sorted {
    type Object = OrderedSet;

    const ABOUT: &'static About = &ABOUT;
    const PLACES: Places = Places::OfChanges;

    fn operation(letter: char, key: u64, _fresh: u64) -> Option<OrderedSetOp> {
        match letter {
            'i' => Some(OrderedSetOp::Insert(key)),
            'd' => Some(OrderedSetOp::Delete(key)),
            's' => Some(OrderedSetOp::LongestPrefix(key)),
            'c' => Some(OrderedSetOp::Contains(key)),
            'n' => Some(OrderedSetOp::Successor(key)),
            'p' => Some(OrderedSetOp::Predecessor(key)),
            'a' => Some(OrderedSetOp::Count { key, free: FREE }),
            _ => None,
        }
    }

    fn measures(report: &ObjectReport) -> Measures {
        Measures::default().with(&QUESTIONS, report.asked)
    }

    /// Keys are inserted first; then there are questions, half of them about other keys.
    fn plan(site: &Site, plan: workload::Plan) -> workload::Plan {
        let (keys, width) = (keys(site), width(site));
        let queries = site.get::<u64>(&QUERIES).unwrap_or(0);
        let clients = plan.clients.len() as u64;
        workload::Plan {
            amount: workload::Amount::Ops(
                u32::try_from(queries.div_ceil(clients)).unwrap_or(u32::MAX),
            ),
            items: keys,
            among: Some(0..=all_keys(width).min(2 * keys.max(1)) - 1),
            scatter: Some(Scatter { mixer: Mixer::new(site.setup().seed), width }),
            ..plan
        }
    }
}

static MIX: Opt = mix(&[
    (Verb::Run, Usual::Is("s")),
    (Verb::Check, Usual::Is("is")),
    (Verb::Compare, Usual::Is("s")),
    (Verb::Sweep, Usual::Is("s")),
]);
/// Only in a search: a run has keys and queries.
static CHECK_OPS: Opt = Opt { draw: never_drawn, ..ops(&[(Verb::Check, Usual::Is("1"))]) };

static QUESTIONS: Quantity =
    Quantity::new("questions", "", "number of questions that have been answered")
        .label("questions");
static READS: Quantity =
    Quantity::new("reads", "entries", "of the trie that a search for the longest prefix reads")
        .spread()
        .label("reads")
        .column("reads")
        .plotted();
static WRITES: Quantity =
    Quantity::new("writes", "entries", "of the trie that an insert or delete changes")
        .spread()
        .label("writes")
        .column("writes");
static BOUND: Quantity = Quantity::new("bound", "entries", "the most that a search may read")
    .label("bound on reads")
    .column("bound");
static RECORDS: Quantity =
    Quantity::new("records", "", "number of nodes of the trie in the end").label("records");
static MSD_SHARE: Quantity = Quantity::new(
    "msd_share",
    "of the records",
    "the part of the nodes that are on an edge of the Patricia trie",
)
.label("on edges");
static REPEATS: Quantity =
    Quantity::new("repeats", "", "how often a question has met a change and begun again")
        .label("repeats");

pub(crate) static ABOUT: About = About {
    name: "search",
    title: "Search structure",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/search/mod.rs")),
    options: &[&KEYS, &WIDTH, &QUERIES, &CHECK_OPS, &CLIENTS, &WINDOW, &MIX],
    quantities: &[
        &MESSAGES,
        &OPERATIONS,
        &QUESTIONS,
        &LATENCY,
        &THROUGHPUT,
        &READS,
        &WRITES,
        &BOUND,
        &RECORDS,
        &MSD_SHARE,
        &REPEATS,
    ],
    words: WORDS,
    promises: promises::<OrderedSet>,
    fairness: |_| None,
    senses: Senses::of::<Shared<Sorted>>(),
    how_often: &CHECK_OPS,
    repeats: None,
    shared_network: None,
    scenarios,
    requests: |site| {
        let clients = site.get::<u64>(&CLIENTS).unwrap_or(site.nodes().into());
        let queries = site.get::<u64>(&QUERIES).unwrap_or(0);
        Some((keys(site) + queries.div_ceil(clients.max(1)) * clients, "operation"))
    },
    refuse,
};

const VARIANT: Choice = Choice::variant(&["hashed", "patricia", "trie"]);

const DICTIONARY: Choice = Choice::new(
    "dictionary",
    &["server-dht", "combine-split"],
    "The dictionary that holds the entries of the trie",
)
.no_variants();

/// All algorithms.
pub fn entries() -> Vec<Entry> {
    let trie = line!(search::patricia, STATIC, &[VARIANT, DICTIONARY], |_, _| None, patricia);
    vec![Entry { others: |setup| others(servers(setup), setup), ..trie }]
}

/// The number of nodes beside the members.
fn servers(setup: &Setup) -> u32 {
    u32::from(setup.options.get(DICTIONARY.name).is_none_or(|it| it == "server-dht"))
}

fn width(site: &Site) -> u32 {
    site.get(&WIDTH).unwrap_or(64)
}

/// The number of keys of this width, or nearly: there are 2^64 of 64 bits.
fn all_keys(width: u32) -> u64 {
    1_u64.checked_shl(width).unwrap_or(u64::MAX)
}

/// How many keys are inserted first.
fn keys(site: &Site) -> u64 {
    site.get(&KEYS).unwrap_or_else(|| (all_keys(width(site)) / 2).min(1000))
}

fn refuse(site: &Site) -> Result<(), Refusal> {
    let (keys, width) = (keys(site), width(site));
    let most = all_keys(width);
    if keys > most {
        return Err(Refusal::new(format!(
            "--keys {keys}: there are only {most} keys of {width} bits; write --width {} or more",
            u64::BITS - (keys - 1).leading_zeros()
        )));
    }
    let Some(Ops::Script(scripts)) = site.get(&CHECK_OPS) else { return Ok(()) };
    match scripts.iter().flatten().find(|(_, key)| *key >= most) {
        None => Ok(()),
        Some((letter, key)) => Err(Refusal::new(format!(
            "--ops: key {key} of {letter}{key} has more than {width} bits; write keys up to {}, or \
             a larger --width",
            most - 1
        ))),
    }
}

fn patricia(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let mixer = Mixer::new(site.setup().seed);
    if servers(site.setup()) == 0 {
        let starts = starts::<SkipPlus>(site, Family::Legal, site.nodes(), mixer)?;
        return tries(site, move |me: NodeId| {
            let overlay = starts[me.index()].legal(Place::new(me, mixer));
            CombineSplit::<SkipPlus>::new(overlay, Variant::Strict)
        });
    }
    let shared = Shared::<Sorted>::new(1);
    shared.refuse_empty(site)?;
    let table = Table::new(mixer, shared.members(site));
    tries(site, move |me| ServerDht::new(me, &table, 1))
}

/// A trie over a dictionary with these nodes. The first member is the sequencer.
fn tries<'a, D: Host + Contents>(
    site: &'a Site,
    part: impl Fn(NodeId) -> D + 'a,
) -> Result<Box<dyn System + 'a>, Refusal> {
    let servers = servers(site.setup());
    let form = match site.choice(VARIANT.name) {
        "patricia" => Form::PATRICIA,
        "trie" => Form::TRIE,
        _ => Form::HASHED,
    };
    let (width, mixer) = (width(site), Mixer::new(site.setup().seed));
    let plan = Plan { form, width, sequencer: NodeId(servers), mixer };
    let make = move |me| Patricia::new(me, plan, part(me));
    let survey = move |nodes: &[&Patricia<D>], _: &Measures| counted(plan, nodes);
    Ok(surveyed_nodes(Shared::<Sorted>::new(servers), site, make, survey))
}

/// What processes have counted, and the trie that they leave behind.
fn counted<D: Host + Contents>(plan: Plan, nodes: &[&Patricia<D>]) -> Measures {
    let sum = |costs: fn(&Patricia<D>) -> Costs| {
        let all = nodes.iter().map(|node| costs(node)).fold(Costs::default(), Costs::and);
        (all.count > 0)
            .then(|| Spread { mean: all.sum as f64 / all.count as f64, max: all.max as f64 })
    };
    let words: BTreeMap<u64, u64> =
        nodes.iter().flat_map(|node| node.dictionary().entries()).collect();
    let records = plan.records(&words);
    let on_edges = records.values().filter(|it| matches!(it, Record::Support { .. })).count();
    let share = (!records.is_empty()).then(|| on_edges as f64 / records.len() as f64);
    Measures::default()
        .with(&READS, sum(Patricia::reads))
        .with(&WRITES, sum(Patricia::writes))
        .with(&BOUND, u64::from(plan.form.bound(plan.width + 1)))
        .with(&RECORDS, records.len() as u64)
        .with(&MSD_SHARE, share)
        .with(&REPEATS, nodes.iter().map(|node| node.repeats()).sum::<u64>())
}

/// Questions about prefixes, and about neighbours.
fn scenarios(setup: &Setup, _delay: Delay) -> Vec<Scenario> {
    let given = |option: &Opt, usual: &str| {
        let given = setup.options.get(option.name).cloned();
        (option.name, given.unwrap_or_else(|| usual.to_owned()))
    };
    let scenario = |word: &str, sentence: &str, mix: &str| Scenario {
        labels: vec![("questions", word.to_owned())],
        sentence: sentence.to_owned(),
        options: vec![given(&KEYS, "200"), given(&QUERIES, "200"), given(&MIX, mix)],
        runs: Runs::One,
        suits: |_| true,
    };
    vec![
        scenario("prefixes", "every question is for a key with the longest common prefix", "s"),
        scenario("changes", "half of the operations insert or delete", "sids"),
    ]
}
