//! Stable consensus: what is said about it, and its algorithms.

mod formulas;
pub mod values;
pub mod workload;

use konklave::NodeId;
use konklave::consensus::median_log::MedianLog;
use konklave::consensus::median_rule::MedianRule;
use konklave::consensus::minimum_rule::MinimumRule;
use konklave::consensus::{Command, Event, Monitor, Surroundings, Value};
use konklave::protocol::Monitor as _;
use konklave::sense::{Operation, Sense};
use konklave_sim::Options;

use crate::budget::any_budgets;
use crate::compare::{Runs, Scenario};
use crate::entry::{Entry, line};
use crate::needs::{Needs, Network};
use crate::option::{Opt, Usual, Verb, is, is_number};
use crate::problem::{About, Problem, Senses, Words};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::nodes;
use values::{Adversary, Values};
use workload::{ConsensusReport, Votes, Writer};

/// All nodes come to hold the same value.
pub struct Consensus;

/// The values that nodes begin with.
pub static VALUES: Opt = Opt {
    name: "values",
    value: "VALUES",
    help: "The values that nodes begin with: same, two, distinct, uniform:K, list:3,1,2 or \
           file:PATH with one value per node",
    usual: &[
        (Verb::Run, Usual::Is("two")),
        (Verb::Check, Usual::Is("distinct")),
        (Verb::Compare, Usual::Is("two")),
        (Verb::Sweep, Usual::Is("two")),
    ],
    check: |text| match text.strip_prefix("file:") {
        Some("") => Err("write the path of a file with one value per node".to_owned()),
        Some(_) => Ok(()),
        None => is::<Values>(text),
    },
    draw: |draw| Some(draw.pick(&["same", "two", "distinct", "uniform:3"]).to_owned()),
    is_series: true,
    is_budget: false,
};

/// Who works against agreement.
pub static ADVERSARY: Opt = Opt {
    name: "adversary",
    value: "ADVERSARY",
    help: "The opponent of agreement: none; liars:K, nodes that tell values which nobody holds; \
           balancing:T, who moves T nodes to the smaller of two camps in every round; or \
           extremes:T, who gives T random nodes the smallest or largest value",
    usual: &[
        (Verb::Run, Usual::Is("none")),
        (Verb::Check, Usual::Is("none")),
        (Verb::Compare, Usual::Is("none")),
        (Verb::Sweep, Usual::Is("none")),
    ],
    check: is::<Adversary>,
    draw: |draw| match (draw.nodes, draw.random.below(4)) {
        (2.., 0) => Some("liars:1".to_owned()),
        (2.., 1) => Some("extremes:1".to_owned()),
        _ => None,
    },
    is_series: true,
    is_budget: false,
};

/// How many values are new.
pub static WRITES: Opt = Opt {
    name: "writes",
    value: "COUNT",
    help: "How many random nodes write a new value at the beginning; in a search, how many values \
           node 0 writes",
    usual: &[
        (Verb::Run, Usual::Is("0")),
        (Verb::Check, Usual::Is("0")),
        (Verb::Compare, Usual::Is("0")),
        (Verb::Sweep, Usual::Is("0")),
    ],
    check: is_number,
    draw: |draw| Some(draw.random.below(u64::from(draw.nodes) + 1).to_string()),
    is_series: false,
    is_budget: true,
};

static ROUNDS: Quantity = Quantity::new("rounds", "rounds of the rule", "until nodes agree")
    .label("rounds to agree")
    .column("rounds")
    .plotted();
static VALUE: Quantity =
    Quantity::new("value", "", "what most nodes hold in the end").label("value");
static RANK: Quantity =
    Quantity::new("rank", "", "the share of first values below it, equal ones by half")
        .label("rank of the value")
        .column("rank");
static MINORITY: Quantity =
    Quantity::new("minority", "nodes", "that hold another value in the end")
        .label("minority")
        .column("minority");

/// What is known about consensus.
pub static ABOUT: About = About {
    name: "consensus",
    title: "Consensus",
    source: include_str!("../../../konklave/src/consensus/mod.rs"),
    options: &[&VALUES, &ADVERSARY, &WRITES],
    quantities: &[&ROUNDS, &VALUE, &RANK, &MINORITY],
    words: Words {
        service: "a value taken",
        rivalry: "two writes at once",
        held: "",
        is_exclusive: false,
        waits: "for a write",
    },
    promises: Monitor::promises,
    fairness: |_| None,
    senses: Senses::of::<Consensus>(),
    how_often: &WRITES,
    repeats: None,
    shared_network: None,
    scenarios: |setup, delay| vec![Scenario::only(setup, delay, &[], Runs::Many)],
    requests: |_| None,
    refuse,
};

/// Refuses values that do not fit the nodes, and adversaries that leave nobody to agree.
fn refuse(site: &Site) -> Result<(), Refusal> {
    let nodes = site.nodes();
    let values = values_of(site)?;
    let adversary = adversary(site);
    if adversary.strength() >= nodes {
        return Err(Refusal::new(format!(
            "--adversary {adversary} is larger than the system of {nodes} nodes: write at most {}",
            nodes - 1
        )));
    }
    let mut camps = values.clone();
    camps.sort_unstable();
    camps.dedup();
    if matches!(adversary, Adversary::Balancing(_)) && camps.len() != 2 {
        return Err(Refusal::new(format!(
            "--adversary {adversary} balances two values, but nodes begin with {}: write \
             --values two",
            camps.len()
        )));
    }
    if site.verb() == Verb::Check && !matches!(adversary, Adversary::None | Adversary::Liars(_)) {
        return Err(Refusal::new(format!(
            "--adversary {adversary} counts rounds, and a search has none: write liars:{}",
            adversary.strength()
        )));
    }
    match site.get::<u32>(&WRITES) {
        Some(writes) if site.verb() != Verb::Check && writes > nodes => Err(Refusal::new(format!(
            "--writes {writes}: {writes} nodes cannot write, there are only {nodes}"
        ))),
        _ => Ok(()),
    }
}

fn adversary(site: &Site) -> Adversary {
    site.value(&ADVERSARY)
}

fn values_of(site: &Site) -> Result<Vec<Value>, Refusal> {
    let refused = |problem: String| Refusal::new(format!("--{}: {problem}", VALUES.name));
    let values = match site.file(VALUES.name) {
        Some(text) => Values::read(text).map_err(refused)?,
        None => site.get(&VALUES).ok_or_else(|| refused("the file is missing".to_owned()))?,
    };
    values.assign(site.nodes(), site.setup().seed).map_err(refused)
}

/// What each node begins with, and lives in. The last nodes are the liars.
///
/// # Errors
///
/// If there is not one value for each node.
pub fn places(site: &Site) -> Result<impl Fn(NodeId) -> (Value, Surroundings) + use<>, Refusal> {
    let values = values_of(site)?;
    let (nodes, adversary) = (site.nodes(), adversary(site));
    let above = values.iter().max().map_or(1, |largest| largest + 1);
    let honest = nodes - adversary.liars();
    Ok(move |me: NodeId| {
        let liar = (me.0 >= honest).then_some(above);
        let around = Surroundings { nodes, adversary: adversary.strength(), liar };
        (values[me.index()], around)
    })
}

impl Problem for Consensus {
    const ABOUT: &'static About = &ABOUT;
    type Command = Command;
    type Event = Event;
    type Monitor = Monitor;
    type Workload = Votes;
    type Client = Writer;

    fn monitor(&self, site: &Site) -> Monitor {
        let largest = values_of(site).ok().and_then(|values| values.into_iter().max());
        let lies = largest.filter(|_| adversary(site).liars() > 0);
        Monitor::new(lies.into_iter().flat_map(|largest| [Value::MIN, largest + 1]))
    }

    fn workload(&self, site: &Site, _options: &Options) -> Result<Votes, Refusal> {
        let writes = site.value(&WRITES);
        Ok(Votes::new(site.nodes(), adversary(site), writes))
    }

    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Writer>, Refusal> {
        let fresh = values_of(site)?.into_iter().max().unwrap_or(0) + 1;
        let writes = site.value(&WRITES);
        let budget = any_budgets(site, budget, |node| if node == 0 { writes } else { 0 })?;
        // Two values in turn: one that is written again is another write.
        let values = |count: u32| (0..count).map(move |it| fresh + it % 2);
        Ok(budget.into_iter().map(|count| Writer::new(values(count))).collect())
    }

    fn measures(report: ConsensusReport, _nodes: u32) -> Measures {
        let ConsensusReport { rounds, value, rank, minority, minorities } = report;
        Measures::default()
            .with(&ROUNDS, rounds)
            .with(&VALUE, value)
            .with(&RANK, rank)
            .with(&MINORITY, minority)
            .series(&MINORITY, "round of the rule", minorities.into_iter().map(f64::from).collect())
    }

    fn command(command: &Command) -> Sense {
        match command {
            Command::Write(_) => Sense::Ask(Operation::only()),
            Command::Overwrite(_) => Sense::Other,
        }
    }

    fn event(event: &Event) -> Sense {
        match event {
            Event::Began(_) => Sense::Other,
            Event::Took(_) => Sense::Learn(Operation::only()),
        }
    }
}

/// The lines of the table.
pub fn entries() -> Vec<Entry> {
    let needs = Needs::network(Network::Complete).perpetual().duplicates();
    vec![
        line!(consensus::minimum_rule, needs, &[], formulas::minimum_rule, |site| {
            let place = places(site)?;
            Ok(nodes(Consensus, site, move |me| {
                let (value, around) = place(me);
                MinimumRule::new(value, around)
            }))
        }),
        line!(consensus::median_rule, needs, &[], formulas::median_rule, |site| {
            let place = places(site)?;
            Ok(nodes(Consensus, site, move |me| {
                let (value, around) = place(me);
                MedianRule::new(value, around)
            }))
        }),
        line!(consensus::median_log, needs, &[], formulas::median_rule, |site| {
            let place = places(site)?;
            Ok(nodes(Consensus, site, move |me| {
                let (value, around) = place(me);
                MedianLog::new(me, value, around)
            }))
        }),
    ]
}
