//! Selection as an entry of the catalogue.

pub mod elements;
pub mod workload;

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::overlay::ldb::Ldb;
use konklave::protocol::Monitor as _;
use konklave::selection::k_select::KSelect;
use konklave::selection::search::{Plan, Splitters};
use konklave::selection::{Command, Event, Key, Monitor};
use konklave::sense::{Operation, Sense};
use konklave_sim::Options;
use konklave_sim::random::{Random, Stream};

use crate::budget::budgets;
use crate::compare::{Runs, Scenario};
use crate::disorder::{Claim, Disorder};
use crate::entry::{Entry, line};
use crate::needs::{Needs, Network};
use crate::option::{Choice, Opt, Usual, Verb, is, is_positive};
use crate::problem::{About, Problem, Senses, Words};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::{System, surveyed_erased_nodes};
use elements::{Rank, Spread};
use workload::{Asker, Askers, SelectionReport};

/// The k-th smallest of elements that are spread over all processes.
pub struct Selection;

/// The most elements: they fit into memory.
const MOST: u64 = 100_000_000;

/// How many elements there are.
pub static ELEMENTS: Opt = Opt {
    name: "elements",
    value: "COUNT",
    help: "How many elements all processes hold together",
    usual: &[
        (Verb::Run, Usual::Means("16 per node")),
        (Verb::Check, Usual::Means("2 per node")),
        (Verb::Compare, Usual::Means("16 per node")),
        (Verb::Sweep, Usual::Means("16 per node")),
    ],
    check: |text| match text.parse() {
        Ok(0_u64) => Err("there is nothing to select from: write a number above zero".to_owned()),
        Ok(1..=MOST) => Ok(()),
        _ => Err(format!("write a whole number from 1 to {MOST}")),
    },
    draw: |draw| Some((1 + draw.random.below(60)).to_string()),
    is_series: false,
    is_budget: false,
};

/// Which of them is wanted.
pub static RANK: Opt = Opt {
    name: "rank",
    value: "RANK",
    help: "Which element is asked for: its rank, 1 for the smallest; middle; or random, for each \
           selection anew",
    usual: &[
        (Verb::Run, Usual::Is("middle")),
        (Verb::Check, Usual::Is("middle")),
        (Verb::Compare, Usual::Is("middle")),
        (Verb::Sweep, Usual::Is("middle")),
    ],
    check: is::<Rank>,
    draw: |draw| Some(draw.pick(&["1", "middle", "random"]).to_owned()),
    is_series: false,
    is_budget: false,
};

/// Where they are.
pub static SPREAD: Opt = Opt {
    name: "spread",
    value: "SPREAD",
    help: "Where elements are: random; dealt, as many at each process; skewed, four of five at \
           node 0; or one, all at node 0",
    usual: &[
        (Verb::Run, Usual::Is("random")),
        (Verb::Check, Usual::Is("dealt")),
        (Verb::Compare, Usual::Is("random")),
        (Verb::Sweep, Usual::Is("random")),
    ],
    check: is::<Spread>,
    draw: |draw| Some(draw.pick(&["random", "dealt", "skewed", "one"]).to_owned()),
    is_series: true,
    is_budget: false,
};

/// How often somebody asks.
pub static SELECTIONS: Opt = Opt {
    name: "selections",
    value: "COUNT",
    help: "How many selections there are: process after process asks; in a search, how often node \
           0 asks",
    usual: &[
        (Verb::Run, Usual::Is("1")),
        (Verb::Check, Usual::Is("1")),
        (Verb::Compare, Usual::Is("1")),
        (Verb::Sweep, Usual::Is("1")),
    ],
    check: is_positive,
    draw: |draw| Some((1 + draw.random.below(3)).to_string()),
    is_series: false,
    is_budget: true,
};

static MESSAGES: Quantity =
    Quantity::new("messages_per_selection", "", "all messages, divided by selections")
        .label("messages/selection")
        .column("messages");
static DONE: Quantity =
    Quantity::new("selections", "", "number of selections that have ended").label("selections");
static LATENCY: Quantity = Quantity::new("latency", "T", "from the question to the answer")
    .distribution()
    .label("latency")
    .column("latency")
    .plotted();
static VALUE: Quantity =
    Quantity::new("selection_value", "", "the priority of the last element that was selected")
        .within("selection")
        .label("value");
static CANDIDATES: Quantity =
    Quantity::new("selection_candidates", "elements", "candidates after the last cut")
        .within("selection")
        .label("candidates left");
static PHASE1: Quantity =
    Quantity::new("selection_phase1", "", "how often local ranks have cut the candidates")
        .within("selection")
        .label("cuts by rank");
static ITERATIONS: Quantity =
    Quantity::new("selection_phase2_iterations", "", "how many samples of splitters were drawn")
        .within("selection")
        .label("samples")
        .column("samples");
static FAILED: Quantity =
    Quantity::new("selection_failed_samples", "", "how many of them missed the element")
        .within("selection")
        .label("failed samples");
static ROUNDS: Quantity =
    Quantity::new("selection_tree_rounds", "rounds", "of questions to all processes, in all")
        .within("selection")
        .label("tree rounds")
        .column("rounds");

/// What is known about selection.
pub static ABOUT: About = About {
    name: "selection",
    title: "Selection",
    source: include_str!("../../../konklave/src/selection/mod.rs"),
    options: &[&ELEMENTS, &RANK, &SPREAD, &SELECTIONS],
    quantities: &[
        &MESSAGES,
        &DONE,
        &LATENCY,
        &VALUE,
        &CANDIDATES,
        &PHASE1,
        &ITERATIONS,
        &FAILED,
        &ROUNDS,
    ],
    words: Words {
        service: "an answer",
        rivalry: "two selections at once",
        held: "",
        is_exclusive: false,
        waits: "for an answer",
    },
    promises: Monitor::promises,
    fairness: |_| None,
    senses: Senses::of::<Selection>(),
    how_often: &SELECTIONS,
    repeats: None,
    shared_network: None,
    scenarios: |setup, delay| vec![Scenario::only(setup, delay, &[], Runs::Many)],
    requests: |site| site.get::<u64>(&SELECTIONS).map(|count| (count, "selection")),
    refuse,
};

/// How many elements there are at a site.
fn count(site: &Site) -> u64 {
    let each = if site.verb() == Verb::Check { 2 } else { 16 };
    site.get(&ELEMENTS).unwrap_or(each * u64::from(site.nodes()))
}

fn rank(site: &Site) -> Rank {
    site.get(&RANK).unwrap_or(Rank::Middle)
}

/// Refuses ranks that no element has.
fn refuse(site: &Site) -> Result<(), Refusal> {
    let elements = count(site);
    match rank(site) {
        Rank::This(rank) if rank > elements => Err(Refusal::new(format!(
            "--rank {rank}: there are only {elements} elements: write a rank from 1 to {elements}, \
             or raise --elements"
        ))),
        _ => Ok(()),
    }
}

/// The elements of each process at a site.
pub fn held(site: &Site) -> Vec<Vec<Key>> {
    let spread = site.get(&SPREAD).unwrap_or(Spread::Random);
    elements::elements(Mixer::new(site.setup().seed), count(site), spread, site.nodes())
}

impl Problem for Selection {
    const ABOUT: &'static About = &ABOUT;
    type Command = Command;
    type Event = Event;
    type Monitor = Monitor;
    type Workload = Askers;
    type Client = Asker;

    fn monitor(&self, site: &Site) -> Monitor {
        let mixer = Mixer::new(site.setup().seed);
        Monitor::new((0..count(site)).map(|id| elements::priority(mixer, id)))
    }

    fn workload(&self, site: &Site, _options: &Options) -> Result<Askers, Refusal> {
        let selections = site.get(&SELECTIONS).unwrap_or(1);
        Ok(Askers::new(site.nodes(), count(site), rank(site), selections))
    }

    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Asker>, Refusal> {
        let selections = site.get(&SELECTIONS).unwrap_or(1);
        let budget = budgets(site, budget, |node| if node == 0 { selections } else { 0 })?;
        let (rank, elements) = (rank(site), count(site));
        let mut random = Random::new(site.setup().seed, Stream::Workload);
        let mut ranks = |count: u32| {
            let drawn: Vec<_> = (0..count).map(|_| rank.among(elements, &mut random)).collect();
            Asker::new(drawn.into_iter())
        };
        Ok(budget.into_iter().map(&mut ranks).collect())
    }

    fn measures(report: SelectionReport, _nodes: u32) -> Measures {
        Measures::default()
            .with(&MESSAGES, report.messages_per_selection)
            .with(&DONE, report.selections)
            .with(&LATENCY, report.latency)
            .with(&VALUE, report.value)
    }

    fn command(_command: &Command) -> Sense {
        Sense::Ask(Operation::only())
    }

    fn event(_event: &Event) -> Sense {
        Sense::Answer(Operation::only())
    }
}

/// Whether samples adapt, or are those of the theorem.
const VARIANT: Choice = Choice::variant(&["adaptive", "classical"]);

/// How many splitters are expected.
const SAMPLE: Choice =
    Choice::new("sample", &["auto", "NUMBER"], "How many splitters a sample has, on average")
        .no_variants();

/// The lines of the table.
pub fn entries() -> Vec<Entry> {
    let needs = Needs::network(Network::Complete).no_changes().duplicates();
    let needs = needs.claims(&[(Disorder::Loss, Claim::Safety)]);
    let choices = const { &[VARIANT, SAMPLE] };
    vec![line!(selection::k_select, needs, choices, |_, _| None, k_select)]
}

/// What the anchor of a selection knows before it begins.
pub fn plan(site: &Site) -> Plan {
    let splitters = match site.choice("variant") {
        "classical" => Splitters::Classical,
        _ => Splitters::Adaptive,
    };
    let sample = site.choice("sample").parse().ok();
    Plan { processes: site.nodes(), splitters, sample, mixer: Mixer::new(site.setup().seed) }
}

fn k_select(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let plan = plan(site);
    let network = Ldb::hashed(plan.mixer, NodeId::all(site.nodes()));
    let held = held(site);
    let make = move |me: NodeId| KSelect::new(&network[me.index()], plan, held[me.index()].clone());
    Ok(surveyed_erased_nodes(Selection, site, make, went))
}

/// How the last selection went.
fn went(nodes: &[&KSelect], _: &Measures) -> Measures {
    let rounds = nodes.iter().map(|node| node.rounds()).max();
    let measures = Measures::default().with(&ROUNDS, rounds);
    let Some((account, _)) = nodes.iter().find_map(|node| node.last()) else { return measures };
    let candidates = account.candidates.iter().map(|count| *count as f64).collect();
    measures
        .with(&CANDIDATES, account.candidates.last().copied())
        .with(&PHASE1, account.phase1)
        .with(&ITERATIONS, account.iterations)
        .with(&FAILED, account.failed)
        .series(&CANDIDATES, "cut", candidates)
}
