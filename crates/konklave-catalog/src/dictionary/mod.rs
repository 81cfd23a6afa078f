//! The distributed dictionary as an entry of the catalogue.

mod capacities;
mod peers;
mod placement;

pub(crate) use peers::{Peers, START};

use konklave::circle::Mixer;
use konklave::dictionary::combine_split::Handled;
use konklave::dictionary::server_dht::ServerDht;
use konklave::dictionary::{Census, Monitor, Storage, Table, Tally};
use konklave::object::{Dictionary, DictionaryOp, Places};
use konklave::protocol::{Monitor as _, Protocol};
use konklave_sim::metrics::gini;
use konklave_sim::workload::Spread;
use konklave_sim::{Delay, Options};

use crate::compare::{Runs, Scenario};
use crate::entry::{Entry, line};
use crate::expected::Expected;
use crate::needs::{Needs, Network};
use crate::object::options::{self, CLIENTS, JOINS, KEYS, LEAVES, MIX, OPS, RATE, WINDOW};
use crate::object::report::ObjectReport;
use crate::object::{
    JOINED, LATENCY, LEFT, MESSAGES, OPERATIONS, Service, Shared, THROUGHPUT, others, requests,
};
use crate::option::{Choice, Opt, Usual, Verb};
use crate::problem::{About, Senses, Words};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use crate::system::{System, surveyed_nodes};

/// The dictionary: its specification and its words.
pub struct Keyed;

impl Service for Keyed {
    type Object = Dictionary;

    const ABOUT: &'static About = &ABOUT;
    const PLACES: Places = Places::OfPart;

    fn operation(letter: char, key: u64, fresh: u64) -> Option<DictionaryOp> {
        match letter {
            'p' => Some(DictionaryOp::Put { key, value: fresh }),
            'd' => Some(DictionaryOp::Delete(key)),
            'g' => Some(DictionaryOp::Get(key)),
            _ => None,
        }
    }

    fn measures(report: &ObjectReport) -> Measures {
        Measures::default().with(&LOOKUPS, report.asked).with(&FOUND, report.found)
    }
}

static LOOKUPS: Quantity =
    Quantity::new("lookups", "", "number of operations that asked for a value").label("lookups");
static FOUND: Quantity = Quantity::new("found", "", "how many of them found one").label("found");
static MAX_LOAD: Quantity =
    Quantity::new("load_max_over_mean", "", "the most keys of a member, over the mean: fairness")
        .within("load")
        .label("largest load")
        .column("max/mean")
        .plotted();
static GINI: Quantity =
    Quantity::new("load_gini", "", "how unequal the loads of members are: 0 is even")
        .within("load")
        .label("Gini of loads");
static MOVED: Quantity = Quantity::new(
    "moved_fraction",
    "of the data",
    "the part of the data that a join, a leave or another change moves, on average: adaptivity",
)
.label("moved")
.column("moved");
static CELLS: Quantity =
    Quantity::new("cells_m", "", "number of cells of the table").within("cells").label("cells");
static OCCUPANCY: Quantity =
    Quantity::new("cells_occupancy_mean", "", "members that a cell lists, on average: efficiency")
        .within("cells")
        .label("occupancy");
static OCCUPANCY_MAX: Quantity =
    Quantity::new("cells_occupancy_max", "", "members that a cell lists, at most").within("cells");
static LACKING: Quantity = Quantity::new(
    "under_replicated",
    "keys",
    "keys with fewer copies than they should have: redundancy",
)
.label("too few copies")
.column("too few copies");

static HOPS: Quantity =
    Quantity::new("hops", "messages", "from the invoking process to the node that carries it out")
        .spread()
        .label("hops")
        .column("hops");
static HANDED_OVER: Quantity =
    Quantity::new("handed_over", "keys", "how often a key with a value was handed over")
        .label("handed over");
static LOST: Quantity = Quantity::new(
    "lost",
    "operations",
    "operations that no node knows of in the end, if no hand-over is in transit",
)
.label("lost");

static REQUESTS: Quantity =
    Quantity::new("requests_max", "requests", "handled by the busiest node").label("requests");
static REQUESTS_PLAIN: Quantity = Quantity::new(
    "requests_max_plain",
    "requests",
    "handled by the busiest node, if none were combined",
)
.label("uncombined");
static BOUND: Quantity = Quantity::new(
    "bound_ok",
    "",
    "1 if every node handles at most (deg + 1) D requests, for each operation of a process",
)
.label("within bound");

/// What is there at the beginning; in a comparison, something that can be distributed.
static ITEMS: Opt = options::ITEMS.usually(&[
    (Verb::Run, Usual::Is("0")),
    (
        Verb::Compare,
        Usual::Of(|setup, _| (10 * u64::from(setup.nodes)).to_string(), "10 for each member"),
    ),
    (Verb::Sweep, Usual::Is("0")),
]);

pub(crate) static ABOUT: About = About {
    name: "dictionary",
    title: "Dictionary",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/dictionary/mod.rs")),
    options: &[&OPS, &CLIENTS, &RATE, &WINDOW, &MIX, &KEYS, &ITEMS, &JOINS, &LEAVES],
    quantities: &[
        &MESSAGES,
        &OPERATIONS,
        &LOOKUPS,
        &FOUND,
        &LATENCY,
        &THROUGHPUT,
        &JOINED,
        &LEFT,
        &MAX_LOAD,
        &GINI,
        &MOVED,
        &CELLS,
        &OCCUPANCY,
        &OCCUPANCY_MAX,
        &LACKING,
        &placement::REL_STD,
        &placement::MAX_DEVIATION,
        &placement::OVER_OPTIMUM,
        &placement::UNCOVERED,
        &placement::MULTISETS,
        &placement::REDIRECTED,
        &placement::PROBES,
        &HOPS,
        &HANDED_OVER,
        &LOST,
        &REQUESTS_PLAIN,
        &REQUESTS,
        &BOUND,
    ],
    words: Words {
        service: "an answer",
        rivalry: "several operations at once",
        held: "",
        is_exclusive: false,
        waits: "for an answer",
    },
    promises: Monitor::promises,
    fairness: |_| None,
    senses: Senses::of::<Shared<Keyed>>(),
    how_often: &OPS,
    repeats: None,
    shared_network: None,
    scenarios,
    requests: requests::<Keyed>,
    refuse: |_| Ok(()),
};

const COMPLETE: Needs = Needs::network(Network::Complete);
const COPIES: Choice = Choice::new("copies", &["1", "NUMBER"], "Copies of each record");

/// All algorithms.
pub fn entries() -> Vec<Entry> {
    let server = line!(dictionary::server_dht, COMPLETE, &[COPIES], three, |site| {
        let (table, copies) = (served(site)?, copies(site)?);
        dictionary(Shared::new(1), site, move |me| ServerDht::new(me, &table, copies))
    });
    let server = Entry { others: |setup| others(1, setup), ..server };
    let all = std::iter::once(server).chain(placement::entries());
    all.chain(peers::entries()).collect()
}

/// The members at the beginning, as the server knows them.
fn served(site: &Site) -> Result<Table, Refusal> {
    let shared = Shared::<Keyed>::new(1);
    shared.refuse_empty(site)?;
    Ok(Table::new(Mixer::new(site.setup().seed), shared.members(site)))
}

/// The number of copies: not more than there are members to keep them.
fn copies(site: &Site) -> Result<u32, Refusal> {
    let (copies, members) = (site.number(COPIES.name), members(site));
    match copies <= members {
        true => Ok(copies),
        false => Err(Refusal::new(format!(
            "--copies {copies}: there are only {members} members at the beginning, and copies lie \
             on different ones"
        ))),
    }
}

fn members(site: &Site) -> u32 {
    Shared::<Keyed>::new(1).members(site).count() as u32
}

/// The nodes of a dictionary, which are counted at the end of a run.
fn dictionary<'a, P>(
    problem: Shared<Keyed>,
    site: &'a Site,
    make: impl Fn(konklave::NodeId) -> P + 'a,
) -> Result<Box<dyn System + 'a>, Refusal>
where
    P: Storage + Protocol<Command = konklave::dictionary::Command, Event = konklave::object::Event>,
{
    let survey = |nodes: &[&P], ran: &Measures| {
        let census = P::census(nodes);
        counted(&census, ran).and(placement::counted(&census))
    };
    Ok(surveyed_nodes(problem, site, make, survey))
}

/// What was counted, by quantity.
fn counted(census: &Census, ran: &Measures) -> Measures {
    let Census { loads, moved, under_replicated, cells, tally, known, handled, .. } = census;
    let total: u64 = loads.iter().sum();
    let loads: Vec<u32> =
        loads.iter().map(|load| u32::try_from(*load).unwrap_or(u32::MAX)).collect();
    let max = loads.iter().copied().max().unwrap_or(0);
    let changed = || [&JOINED, &LEFT].iter().filter_map(|it| ran.get(it.name)).sum();
    let changes = census.changes.map_or_else(changed, |changes| changes as f64);
    let moved = (changes > 0.0 && total > 0).then(|| *moved as f64 / changes / total as f64);
    let occupancy = cells.iter().copied().max().map(|max| Spread {
        mean: cells.iter().copied().map(f64::from).sum::<f64>() / cells.len() as f64,
        max: max.into(),
    });
    Measures::default()
        .with(&MAX_LOAD, (total > 0).then(|| f64::from(max) * loads.len() as f64 / total as f64))
        .with(&GINI, (total > 0).then(|| gini(&loads, max, total)))
        .with(&MOVED, moved)
        .with(&CELLS, Some(cells.len() as u64).filter(|cells| *cells > 0))
        .with(&OCCUPANCY, occupancy.map(|it| it.mean))
        .with(&OCCUPANCY_MAX, occupancy.map(|it| it.max as u64))
        .with(&LACKING, *under_replicated)
        .and(travelled(*tally, *known, ran))
        .and(handled.map_or_else(Measures::default, combined))
}

/// What was counted of requests and hand-overs, if requests travel.
fn travelled(tally: Option<Tally>, known: Option<u64>, ran: &Measures) -> Measures {
    let Some(Tally { carried_out, hops, hops_max, handed_over }) = tally else {
        return Measures::default();
    };
    let spread = || Spread { mean: hops as f64 / carried_out as f64, max: hops_max.into() };
    let returned = ran.get(OPERATIONS.name).map(|it| it as u64);
    let lost = known.zip(returned).map(|(known, returned)| returned.saturating_sub(known));
    Measures::default()
        .with(&HOPS, (carried_out > 0).then(spread))
        .with(&HANDED_OVER, handed_over)
        .with(&LOST, lost)
}

/// How many requests were handled.
fn combined(handled: Handled) -> Measures {
    let Handled { max, max_plain, is_within_bound } = handled;
    let answer = if is_within_bound { "yes" } else { "no" };
    Measures::default().with(&REQUESTS_PLAIN, max_plain).with(&REQUESTS, max).told(
        &BOUND,
        u64::from(is_within_bound),
        answer.to_owned(),
    )
}

/// To the server, to the member, to the process; and to each holder of a copy and back for a write.
/// Without joins and leaves.
fn three(site: &Site, _options: &Options) -> Option<Expected> {
    let is_steady = [&JOINS, &LEAVES].iter().all(|it| site.get::<u32>(it) == Some(0));
    let copies = site.number(COPIES.name);
    match copies {
        _ if !is_steady => None,
        1 => Some(Expected::exactly("3", 3.0)),
        _ if site.get::<u64>(&ITEMS) != Some(0) => None,
        _ => {
            let mix: String = site.get(&MIX)?;
            let writes = mix.chars().filter(|letter| *letter != 'g').count();
            let share = writes as f64 / mix.len().max(1) as f64;
            let mean = 3.0 + 2.0 * f64::from(copies - 1) * share;
            Some(Expected::near("3 + 2(k-1)w", mean, 0.1))
        }
    }
}

/// A group that stays as it is, and one that changes, with ten keys for each member.
fn scenarios(setup: &Setup, delay: Delay) -> Vec<Scenario> {
    let scenario = |word: &str, sentence: &str, changes: u32, suits: fn(&Needs) -> bool| {
        let given = |name| setup.options.get(name).cloned();
        let changing = |it: &'static Opt| (it.name, given(it.name).unwrap_or(changes.to_string()));
        let only = Scenario::only(setup, delay, &[&OPS, &ITEMS], Runs::One);
        Scenario {
            labels: vec![("group", word.to_owned())],
            sentence: sentence.to_owned(),
            options: only.options.into_iter().chain([&JOINS, &LEAVES].map(changing)).collect(),
            suits,
            ..only
        }
    };
    let changes = (setup.nodes / 8).max(1);
    vec![
        scenario("steady", "the group does not change", 0, |_| true),
        scenario("changing", "an eighth of the group joins and leaves", changes, |needs| {
            !needs.no_leaves
        }),
    ]
}
