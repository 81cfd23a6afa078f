//! Overlays as entries of the catalogue.

pub mod client;
mod formation;
pub(crate) mod start;
pub mod workload;

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::overlay::build_list::BuildList;
use konklave::overlay::build_ring::BuildRing;
use konklave::overlay::place::bits;
use konklave::overlay::skip_plus::SkipPlus;
use konklave::overlay::{Command, Event, Member, Monitor, Overlay, Place, Side};
use konklave::protocol::{Monitor as _, Protocol};
use konklave::sense::{Operation, Sense};
use konklave_sim::workload::Spread;
use konklave_sim::{Delay, Options};
use serde_json::json;

use crate::budget::any_budgets;
use crate::compare::{Runs, Scenario};
use crate::entry::{Entry, line};
use crate::expected::Expected;
use crate::needs::{Needs, Network};
use crate::object::options::{JOINS, LEAVES};
use crate::option::{MAX_DELAY, Opt, Usual, Verb, is, is_number};
use crate::problem::{About, Problem, Senses, Words};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use crate::system::{Description, System, described_nodes};
use client::Visitor;
use start::Family;
use workload::{OverlayReport, Plan, Visitors};

/// Overlays: nodes that know each other form a network that repairs itself.
pub struct Networks {
    /// Whether the smallest and the largest node are to know each other.
    closes: bool,
}

impl Networks {
    /// The problem for this overlay.
    pub fn of<O: Overlay>() -> Self {
        Self { closes: O::CLOSES }
    }
}

/// What nodes know at the beginning.
pub static START: Opt = Opt {
    name: "start",
    value: "STATE",
    help: "What nodes know at the beginning: legal, tree, path, star, sorted, dense, lists, any \
           (in a check, every state there is), or file:PATH with two nodes in each line",
    usual: &[
        (Verb::Run, Usual::Is("tree")),
        (Verb::Check, Usual::Is("any")),
        (Verb::Compare, Usual::Is("tree")),
        (Verb::Sweep, Usual::Is("tree")),
    ],
    check: is::<Family>,
    draw: |draw| {
        let starts = ["tree", "path", "star", "sorted", "dense", "lists", "any", "legal"];
        Some(draw.pick(&starts).to_owned())
    },
    is_series: true,
    is_budget: false,
};

/// How many searches there are.
pub static SEARCHES: Opt = Opt {
    name: "searches",
    value: "COUNT",
    help: "Searches for random positions, once the network is legal; in a check, by each node",
    usual: &[
        (Verb::Run, Usual::Is("1000")),
        (Verb::Check, Usual::Is("0")),
        (Verb::Compare, Usual::Is("1000")),
        (Verb::Sweep, Usual::Is("1000")),
    ],
    check: is_number,
    draw: |draw| Some(draw.random.below(100).to_string()),
    is_series: false,
    is_budget: false,
};

/// In how many turns a node that leaves goes once it has heard nothing more: time enough for an
/// address in transit to arrive, and for the node that keeps it to introduce itself. A period is
/// at least one tick, and in a search no turn comes before all messages have arrived.
pub(crate) fn grace(site: &Site) -> u32 {
    match site.verb() {
        Verb::Check => 0,
        _ => site.number(MAX_DELAY.name).saturating_add(1).saturating_mul(2),
    }
}

static ROUNDS: Quantity = Quantity::new("rounds", "rounds", "until the network is legal")
    .label("rounds to be legal")
    .column("rounds")
    .plotted();
static LEVELS: Quantity =
    Quantity::new("levels", "", "number of levels on which a node has neighbours, at most")
        .label("levels");
static MAINTENANCE: Quantity =
    Quantity::new("maintenance", "per node and round", "messages of a legal network in a round")
        .label("maintenance")
        .column("maintenance");
static DEGREE: Quantity = Quantity::new("degree", "nodes", "known by a node, in the end")
    .spread()
    .label("degree")
    .column("degree")
    .plotted();
static HOPS: Quantity = Quantity::new("hops", "messages", "from a searching node to the right one")
    .spread()
    .label("hops")
    .column("hops")
    .plotted();
static SEARCHED: Quantity =
    Quantity::new("searches", "", "number of searches that have ended").label("searches");
static MISPLACED: Quantity = Quantity::new(
    "misplaced",
    "searches",
    "searches that ended at another node than the right one",
)
.label("misplaced");
static RECOVERY: Quantity = Quantity::new(
    "recovery_rounds",
    "rounds",
    "from the first join or leave until the network is legal again",
)
.label("recovery")
.column("recovery");
static JOINED: Quantity =
    Quantity::new("joined", "", "number of nodes that have joined").label("joined");
static LEFT: Quantity = Quantity::new("left", "", "number of nodes that have left").label("left");

pub(crate) static ABOUT: About = About {
    name: "overlay",
    title: "Overlays",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/overlay/mod.rs")),
    options: &[&START, &SEARCHES, &JOINS, &LEAVES],
    quantities: &[
        &MAINTENANCE,
        &ROUNDS,
        &DEGREE,
        &LEVELS,
        &HOPS,
        &SEARCHED,
        &MISPLACED,
        &RECOVERY,
        &JOINED,
        &LEFT,
    ],
    words: Words {
        service: "an answer",
        rivalry: "several searches at once",
        held: "",
        is_exclusive: false,
        waits: "for an answer",
    },
    promises: Monitor::promises,
    fairness: |_| None,
    senses: Senses::of::<Networks>(),
    how_often: &SEARCHES,
    repeats: None,
    shared_network: None,
    scenarios,
    requests: |site| Some((site.value(&SEARCHES), "search")),
    refuse: |site| members(site).map(drop),
};

/// Nodes tell each other where they can be reached, so any two can talk once they know each other.
const NEEDS: Needs =
    Needs::network(Network::Complete).perpetual().duplicates().bounded_with(LEAVES.name);

/// All algorithms.
pub fn entries() -> Vec<Entry> {
    let lines = [
        line!(overlay::build_list, NEEDS, &[MAX_DELAY], list, network::<BuildList>),
        line!(overlay::build_ring, NEEDS, &[MAX_DELAY], ring, network::<BuildRing>),
        line!(overlay::skip_plus, NEEDS, &[MAX_DELAY], |_, _| None, network::<SkipPlus>),
    ];
    let others = |setup: &Setup| crate::object::others(0, setup);
    lines.into_iter().map(|entry| Entry { others, ..entry }).collect()
}

/// The number of nodes, if nothing from before the network was legal is still in transit when it is
/// measured: a message that travels from one end to the other needs as many rounds.
fn at_ease(site: &Site, options: &Options) -> Option<f64> {
    let nodes = members(site).ok()?;
    options.stable_rounds.filter(|&rounds| rounds > 2 * u64::from(nodes)).map(|_| f64::from(nodes))
}

/// Every node but those at the ends introduces itself to two neighbours.
fn list(site: &Site, options: &Options) -> Option<Expected> {
    let nodes = at_ease(site, options)?;
    Some(Expected::exactly("2(n-1)/n", 2.0 * (nodes - 1.0) / nodes))
}

/// As in a list; a probe along it, one across, and three answers of the largest node.
fn ring(site: &Site, options: &Options) -> Option<Expected> {
    let nodes = at_ease(site, options)?;
    (nodes > 2.0).then(|| Expected::exactly("(3n+1)/n", (3.0 * nodes + 1.0) / nodes))
}

fn mixer(site: &Site) -> Mixer {
    Mixer::new(site.setup().seed)
}

/// The number of nodes at the beginning.
fn members(site: &Site) -> Result<u32, Refusal> {
    let [joins, leaves] = [&JOINS, &LEAVES].map(|it| site.get::<u32>(it).unwrap_or(0));
    let members = site.nodes().saturating_sub(joins);
    match members {
        0 => Err(Refusal::new("there is no node to join: write --nodes 1 or more")),
        _ if leaves >= members => Err(Refusal::new(format!(
            "{leaves} leaves of {members} nodes leave nobody to join: write --leaves {} or fewer",
            members - 1
        ))),
        _ => Ok(members),
    }
}

/// Builds the nodes of an overlay.
///
/// # Errors
///
/// If the start does not suit the site.
pub fn nodes<O: Overlay>(site: &Site) -> Result<impl Fn(NodeId) -> Member<O> + use<O>, Refusal> {
    let (mixer, grace) = (mixer(site), grace(site));
    let starts = start::starts::<O>(site, site.value(&START), members(site)?, mixer)?;
    Ok(move |me: NodeId| Member::<O>::new(Place::new(me, mixer), starts[me.index()].clone(), grace))
}

/// The nodes of an overlay; their neighbours are counted in the end.
fn network<O: Overlay>(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let make = nodes::<O>(site)?;
    let survey = move |nodes: &[&Member<O>], _: &Measures| {
        let known = nodes.iter().filter(|node| node.is_inside()).filter_map(|node| {
            let mut known = node.knows()?;
            known.sort_unstable();
            known.dedup();
            Some(known.len() as f64)
        });
        let degrees: Vec<f64> = known.collect();
        let max = degrees.iter().copied().max_by(f64::total_cmp);
        let mean = degrees.iter().sum::<f64>() / degrees.len() as f64;
        let levels =
            nodes.iter().filter(|node| node.is_inside()).map(|node| node.overlay().levels());
        let degree = max.map(|max| Spread { mean, max });
        let mut measures = Measures::default().with(&DEGREE, degree).with(&LEVELS, levels.max());
        measures.formation = formation::formation(nodes, mixer(site));
        measures
    };
    Ok(described_nodes(Networks::of::<O>(), site, make, survey, describe))
}

/// Where a node is, and whom it knows.
fn describe<O: Overlay>(node: &Member<O>) -> Description {
    let (overlay, place) = (node.overlay(), node.overlay().place());
    let neighbours = |side| overlay.neighbours(side).collect::<Vec<_>>();
    let [left, right] = Side::BOTH.map(neighbours);
    let bits = format!("{:064b}", bits(place.mixer, place.me));
    let fields = [
        ("inside", json!(node.is_inside())),
        ("h", json!(place.here().0.to_string())),
        ("rs", json!(bits)),
        ("neighbours", json!({ "left": left, "right": right })),
        ("ring", json!(overlay.ring())),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Problem for Networks {
    const ABOUT: &'static About = &ABOUT;
    type Command = Command;
    type Event = Event;
    type Monitor = Monitor;
    type Workload = Visitors;
    type Client = Visitor;

    fn monitor(&self, site: &Site) -> Monitor {
        let is_legal = site.get(&START) == Some(Family::Legal);
        let members = members(site).ok().filter(|_| is_legal);
        let members = members.map(|count| NodeId::all(count).collect());
        Monitor::new(mixer(site), self.closes, members)
    }

    fn workload(&self, site: &Site, options: &Options) -> Result<Visitors, Refusal> {
        let count = members(site)?;
        Ok(Visitors::new(Plan {
            mixer: mixer(site),
            closes: self.closes,
            members: NodeId::all(count).collect(),
            joiners: (count..site.nodes()).map(NodeId).collect(),
            leaves: site.value(&LEAVES),
            searches: site.value(&SEARCHES),
            period: options.period.max(1),
        }))
    }

    /// Each node searches for the positions of keys; those that leave are the last members, and
    /// those that join know the first.
    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Visitor>, Refusal> {
        let count = members(site)?;
        let searches = site.value(&SEARCHES);
        let leaves: u32 = site.value(&LEAVES);
        let budgets = any_budgets(site, budget, |_| searches)?;
        let client = |(searches, node): (u32, u32)| {
            let join = (node >= count).then_some(Command::Join { contact: NodeId(0) });
            let points = (0..searches).map(|key| mixer(site).key(u64::from(node + key)));
            let leave = (node < count && node + leaves >= count).then_some(Command::Leave);
            Visitor::new(join.into_iter().chain(points.map(Command::Search)).chain(leave).collect())
        };
        Ok(budgets.into_iter().zip(0..).map(client).collect())
    }

    fn measures(report: OverlayReport, _nodes: u32) -> Measures {
        Measures::default()
            .with(&MAINTENANCE, report.maintenance)
            .with(&ROUNDS, report.rounds)
            .with(&HOPS, report.hops)
            .with(&SEARCHED, report.searches)
            .with(&MISPLACED, report.misplaced)
            .with(&RECOVERY, report.recovery_rounds)
            .with(&JOINED, report.joined)
            .with(&LEFT, report.left)
    }

    fn command(command: &Command) -> Sense {
        match command {
            Command::Search(_) => Sense::Ask(Operation::only()),
            Command::Join { .. } | Command::Leave => Sense::Other,
        }
    }

    fn event(event: &Event) -> Sense {
        match event {
            Event::Found { .. } => Sense::Answer(Operation::only()),
            Event::Joined | Event::Left => Sense::Other,
        }
    }
}

/// From a tree and from a sorted path.
fn scenarios(_setup: &Setup, _delay: Delay) -> Vec<Scenario> {
    let scenario = |start: &str| Scenario {
        labels: vec![("start", start.to_owned())],
        sentence: format!("start: {start}"),
        options: vec![(START.name, start.to_owned())],
        runs: Runs::One,
        suits: |_| true,
    };
    ["tree", "star", "sorted"].map(scenario).into()
}
