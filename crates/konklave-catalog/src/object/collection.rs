//! Queues, stacks and heaps: objects that hold elements, which processes bring and take out.

use konklave::NodeId;
use konklave::batched::{self, Batched, Returning};
use konklave::circle::Mixer;
use konklave::dictionary::Tally;
use konklave::object::central::{self, Central};
use konklave::object::{self, Monitor, Object};
use konklave::overlay::ldb::{Ldb, height};
use konklave::protocol::{Data, Monitor as _, Promise};
use konklave_sim::workload::Spread;
use konklave_sim::{Delay, Options};

use super::options::{CLIENTS, OPS, WINDOW};
use super::{OPERATIONS, Service, Shared, THROUGHPUT};
use crate::compare::{Runs, Scenario};
use crate::disorder::{Claim, Disorder};
use crate::expected::Expected;
use crate::needs::{Needs, Network};
use crate::option::Choice;
use crate::problem::Words;
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use crate::system::{System, surveyed_nodes};

/// How often there was nothing to take out.
pub static EMPTY: Quantity =
    Quantity::new("empty", "", "how many of them found nothing").label("empty");
/// What is left.
pub static LEFT_OVER: Quantity =
    Quantity::new("elements_left", "", "number of elements that are there at the end")
        .label("elements left");
/// The share of the node with the most.
pub static MOST_HELD: Quantity =
    Quantity::new("elements_max", "", "number of elements at the node with the most, at the end")
        .label("most at a node");
/// The ways of elements.
pub static HOPS: Quantity =
    Quantity::new("dht_hops", "messages", "from a process to the node with the element's position")
        .spread()
        .label("hops")
        .column("hops");
/// The waves.
pub static WAVES: Quantity =
    Quantity::new("waves", "", "number of waves that the anchor has assigned").label("waves");
/// How many operations share a wave.
pub static BATCH: Quantity =
    Quantity::new("operations_per_wave", "", "operations that share a wave, on average")
        .label("operations/wave");
/// The time that a wave takes.
pub static PERIOD: Quantity =
    Quantity::new("wave_period", "T", "the time of the run, divided by the number of waves")
        .label("wave period");
/// The size of a batch.
pub static RUNS: Quantity =
    Quantity::new("runs_max", "", "runs of equal operations in a batch, at most: its size")
        .label("longest batch");
/// The tree on which waves go up and down.
pub static HEIGHT: Quantity =
    Quantity::new("tree_height", "messages", "from the process farthest from the anchor to it")
        .label("tree height")
        .column("height");

/// Joins and leaves together.
pub static CHANGES: Quantity =
    Quantity::new("changes", "", "how often the group has changed, by joins and leaves together")
        .label("changes");
/// What they move.
pub static HANDED_OVER: Quantity =
    Quantity::new("handed_over", "elements", "how often an element was handed over for that")
        .label("handed over");
/// When an operation that brings an element returns.
pub const ANSWER: Choice = Choice::new(
    "answer",
    &["stored", "early"],
    "When an insertion returns: when its element is stored, or early, with its place in the order",
);

/// The words of each.
pub const WORDS: Words = Words {
    service: "an answer",
    rivalry: "several operations at once",
    held: "",
    is_exclusive: false,
    waits: "for an answer",
};

/// The members do not change.
pub const STATIC: Needs =
    Needs::network(Network::Complete).no_changes().claims(&[(Disorder::Loss, Claim::Safety)]);

/// A server that holds the object, and these numbers for each of its elements.
pub fn central<S: Service>(site: &Site, numbers: usize) -> Result<Box<dyn System + '_>, Refusal>
where
    central::Msg<<S::Object as Object>::Op>: Data,
    object::Command<<S::Object as Object>::Op>: Data,
{
    let survey = move |nodes: &[&Central<S::Object>], _: &Measures| {
        let held = nodes.iter().map(|node| node.object().size() / numbers).sum::<usize>() as u64;
        Measures::default().with(&LEFT_OVER, held).with(&MOST_HELD, held)
    };
    let make = |me| Central::new(me, NodeId(0));
    Ok(surveyed_nodes(Shared::<S>::new(0), site, make, survey))
}

/// Processes that are served in waves. The anchor tells how many elements are left over, and what
/// is `own` to the service.
pub fn batched<S, B>(
    site: &Site,
    left_over: fn(&B) -> u64,
    own: fn(&B) -> Measures,
) -> Result<Box<dyn System + '_>, Refusal>
where
    S: Service,
    B: batched::Service<Object = S::Object>,
    object::Command<<S::Object as Object>::Op>: Data,
{
    let mixer = Mixer::new(site.setup().seed);
    let shared = Shared::<S>::new(0);
    shared.refuse_empty(site)?;
    let network = Ldb::hashed(mixer, shared.members(site));
    let returning = match site.choice(ANSWER.name) {
        "early" => Returning::Early,
        _ => Returning::Stored,
    };
    let make = move |me: NodeId| {
        let member = network.get(me.index()).map(|ldb| Batched::<B>::new(ldb.clone(), mixer));
        member.unwrap_or_else(|| Batched::outside(me, mixer)).returning(returning)
    };
    let survey = move |nodes: &[&Batched<B>], ran: &Measures| {
        let members: Vec<&Batched<B>> =
            nodes.iter().copied().filter(|node| node.is_member()).collect();
        let anchor = members.iter().find_map(|node| node.waves().anchor());
        let changed = match S::ABOUT.quantities.iter().any(|it| it.name == CHANGES.name) {
            true => changed(nodes),
            false => Measures::default(), // Nobody joins or leaves.
        };
        Measures::default()
            .with(&LEFT_OVER, anchor.map(left_over))
            .and(counted(&members, ran))
            .and(changed)
            .and(anchor.map_or_else(Measures::default, own))
    };
    Ok(surveyed_nodes(shared, site, make, survey))
}

/// What joins and leaves have cost.
fn changed<B: batched::Service>(nodes: &[&Batched<B>]) -> Measures {
    let changes = nodes.iter().map(|node| node.changes()).max().unwrap_or(0);
    let Tally { handed_over, .. } = Tally::sum(nodes.iter().map(|it| it.tally()));
    Measures::default().with(&CHANGES, changes).with(&HANDED_OVER, handed_over)
}

/// What processes have counted, and what they hold.
fn counted<B: batched::Service>(nodes: &[&Batched<B>], ran: &Measures) -> Measures {
    let network: Vec<&Ldb> = nodes.iter().map(|node| node.ldb()).collect();
    let Tally { carried_out, hops, hops_max, .. } = Tally::sum(nodes.iter().map(|it| it.tally()));
    let spread = || Spread { mean: hops as f64 / carried_out as f64, max: hops_max.into() };
    let anchor = nodes.iter().map(|node| node.waves()).find(|waves| waves.anchor().is_some());
    let waves = anchor.map_or(0, |anchor| anchor.waves());
    let operations = ran.get(OPERATIONS.name).filter(|_| waves > 0);
    let held = nodes.iter().map(|node| node.held() as u64);
    // Operations per unit of time and per wave: the time of a wave.
    let period = |operations: f64| {
        let throughput = ran.get(THROUGHPUT.name)?;
        Some(operations / throughput / f64::from(waves))
    };
    let longest = nodes.iter().map(|node| node.waves().longest());
    Measures::default()
        .with(&MOST_HELD, held.max())
        .with(&HOPS, (carried_out > 0).then(spread))
        .with(&WAVES, waves)
        .with(&BATCH, operations.map(|operations| operations / f64::from(waves)))
        .with(&PERIOD, operations.and_then(period))
        .with(&RUNS, longest.max().unwrap_or(0))
        .with(&HEIGHT, height(&network))
}

/// To the server and back, but for the operations of the server, which is the first client.
pub fn two(site: &Site, _options: &Options) -> Option<Expected> {
    let clients = f64::from(site.get::<u32>(&CLIENTS).unwrap_or(site.nodes()));
    Some(Expected::exactly("2(c-1)/c", 2.0 * (clients - 1.0) / clients))
}

/// Those of every shared object. The last one is about searches, which only a dictionary has.
pub fn promises<O: Object>() -> &'static [Promise]
where
    object::Command<O::Op>: Data,
{
    Monitor::<O>::promises().split_last().map_or(&[], |(_monotone, of_all)| of_all)
}

/// Processes that wait for each answer, and processes that do not.
pub fn scenarios(setup: &Setup, delay: Delay) -> Vec<Scenario> {
    let scenario = |word: &str, sentence: &str, window: &str| {
        let given = setup.options.get(WINDOW.name).cloned();
        let window = (WINDOW.name, given.unwrap_or_else(|| window.to_owned()));
        let only = Scenario::only(setup, delay, &[&OPS], Runs::One);
        Scenario {
            labels: vec![("clients", word.to_owned())],
            sentence: sentence.to_owned(),
            options: only.options.into_iter().chain([window]).collect(),
            ..only
        }
    };
    vec![
        scenario("patient", "a client waits for each answer", "1"),
        scenario("hasty", "a client has up to 8 operations under way", "8"),
    ]
}
