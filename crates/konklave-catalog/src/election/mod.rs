//! Leader election as an entry of the catalogue.

/// An entry whose formula depends on the conditions of the run.
macro_rules! election {
    ($module:ident, $needs:expr, $choices:expr, $formula:expr, $build:expr) => {
        line!(
            election::$module,
            $needs,
            $choices,
            |site, options| Conditions::of(site, options).and_then(|it| $formula(site, it)),
            $build
        )
    };
}

pub mod client;
mod formulas;
mod networks;
mod rings;
pub mod workload;

use konklave::NodeId;
use konklave::election::repeated::Repeated;
use konklave::election::{Command, Event, Monitor, Winner};
use konklave::protocol::{Monitor as _, Protocol};
use konklave::sense::{Operation, Sense};
use konklave_sim::workload::Members;
use konklave_sim::{Delay, Options};

use crate::budget::budgets;
use crate::compare::{Runs, Scenario};
use crate::entry::Entry;
use crate::option::{IDS, MAX_DELAY, NOTICE, Opt, Usual, Verb, is, is_positive, is_ticks};
use crate::problem::{About, Problem, Senses, Words};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use crate::system::{System, nodes};
use crate::words::{counted, grouped};
use client::Voter;
use workload::{Ballot, ElectionReport, Plan};

/// Leader election: one node is elected, and every node learns which.
pub struct Election {
    /// The node that the algorithm promises to elect.
    pub winner: Winner,
}

/// The nodes that start an election.
pub static INITIATORS: Opt = Opt {
    name: "initiators",
    value: "NODES",
    help: "Initiators: all, one, a number of them, or list:3,5,8",
    usual: &[
        (Verb::Run, Usual::Means("all, or one if the algorithm allows only one")),
        (Verb::Check, Usual::Means("all, or one if the algorithm allows only one")),
        (Verb::Sweep, Usual::Means("all, or one if the algorithm allows only one")),
    ],
    check: is::<Members>,
    draw: |draw| {
        Some(match draw.needs.one_initiator {
            Some(_) => Members::Count(1).to_string(),
            None => draw.members().to_string(),
        })
    },
    is_series: false,
    is_budget: true,
};

/// The time within which initiators start.
pub static START_WITHIN: Opt = Opt {
    name: "start-within",
    value: "TICKS",
    help: "Every initiator starts at a random time up to this one",
    usual: &[(Verb::Run, Usual::Is("0")), (Verb::Sweep, Usual::Is("0"))],
    check: is_ticks,
    draw: |draw| {
        let within = draw.pick(&[1, 40, 300]);
        Some(draw.random.below(within).to_string())
    },
    is_series: false,
    is_budget: false,
};

/// The number of elections.
pub static ELECTIONS: Opt = Opt {
    name: "elections",
    value: "COUNT",
    help: "Number of elections, each of which begins when the last is over; in a check, number of \
           results that each initiator wants: it starts an election unless it learns the result \
           of another one first",
    usual: &[
        (Verb::Run, Usual::Is("1")),
        (Verb::Check, Usual::Is("1")),
        (Verb::Sweep, Usual::Is("1")),
    ],
    check: is_positive,
    draw: |draw| {
        Some(match draw.needs.once {
            true => "1".to_owned(),
            false => (1 + draw.random.below(3)).to_string(),
        })
    },
    is_series: false,
    is_budget: true,
};

static TO_ELECT: Quantity =
    Quantity::new("messages_to_elect", "messages", "to elect").label("to elect").column("messages");
static TO_ANNOUNCE: Quantity =
    Quantity::new("messages_to_announce", "messages", "messages that announce the result")
        .label("to announce")
        .column("announce");
static TIME: Quantity = Quantity::new(
    "time_to_elect",
    "T",
    "from the start of the last election until a node knows its leader",
)
.label("time to elect")
.column("time")
.plotted();
static HELD: Quantity =
    Quantity::new("elections", "", "number of elections held").label("elections");
static LEADER: Quantity = Quantity::new("leader", "", "the winner's id").label("leader");
static LEADER_NODE: Quantity = Quantity::new("leader_node", "", "the winner's node");
static KNOWN_BY: Quantity =
    Quantity::new("known_by", "nodes", "number of nodes that learned the result").label("known by");
static STARTED: Quantity =
    Quantity::new("initiators", "", "number of initiators").label("initiators");

static ABOUT: About = About {
    name: "election",
    title: "Election",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/election/mod.rs")),
    options: &[&INITIATORS, &IDS, &START_WITHIN, &ELECTIONS, &NOTICE],
    quantities: &[
        &TO_ELECT,
        &TO_ANNOUNCE,
        &TIME,
        &HELD,
        &LEADER,
        &LEADER_NODE,
        &KNOWN_BY,
        &STARTED,
    ],
    words: Words {
        service: "a winner",
        rivalry: "rivals",
        held: "leader",
        is_exclusive: false,
        waits: "for the result",
    },
    promises: Monitor::promises,
    fairness: |_| None,
    senses: Senses::of::<Election>(),
    how_often: &ELECTIONS,
    repeats: Some(&ELECTIONS),
    shared_network: Some("ring"),
    scenarios,
    requests: |_| None,
    refuse,
};

impl Problem for Election {
    const ABOUT: &'static About = &ABOUT;
    type Command = Command;
    type Event = Event;
    type Monitor = Monitor;
    type Workload = Ballot;
    type Client = Voter;

    fn monitor(&self, site: &Site) -> Monitor {
        let monitor = Monitor::new(site.ids().to_vec(), self.winner);
        match site.entry().needs.overlapping {
            true => monitor.overlapping(),
            false => monitor,
        }
    }

    fn workload(&self, site: &Site, options: &Options) -> Result<Ballot, Refusal> {
        let starting = starting(site)?;
        refuse_rivals(starting.len(), site)?;
        let plan = Plan {
            initiators: starting,
            within: site.value(&START_WITHIN),
            elections: site.repeats(),
            notice: notice(site, options),
        };
        Ok(Ballot::new(site.ids().to_vec(), plan))
    }

    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Voter>, Refusal> {
        let (starting, elections) = (starting(site)?, site.repeats());
        let usual = |node| if starting.contains(&NodeId(node)) { elections } else { 0 };
        let budgets = budgets(site, budget, usual)?;
        refuse_rivals(budgets.iter().filter(|budget| **budget > 0).count(), site)?;
        let mut voters: Vec<_> = budgets.into_iter().map(Voter::new).collect();
        if budget.is_none() {
            voters = voters.into_iter().map(Voter::content).collect();
        }
        if site.entry().needs.notices {
            voters = voters.into_iter().map(Voter::noticing).collect();
        }
        Ok(voters)
    }

    fn measures(report: ElectionReport, nodes: u32) -> Measures {
        let leader = match (report.leader, report.leader_node) {
            (Some(id), Some(node)) => format!("id {id} at node {node}"),
            _ => "none".to_owned(),
        };
        let known_by = match report.known_by == nodes {
            true => "every node".to_owned(),
            false => {
                let nodes = counted(nodes.into(), "node", "nodes");
                format!("{} of {nodes}", grouped(report.known_by.into()))
            }
        };
        Measures::default()
            .holders(report.leader_node)
            .with(&HELD, report.elections)
            .told(&LEADER, report.leader.map(|id| id.0), leader)
            .with(&LEADER_NODE, report.leader_node.map(|node| node.0))
            .told(&KNOWN_BY, report.known_by, known_by)
            .with(&STARTED, report.initiators)
            .with(&TO_ELECT, report.messages_to_elect)
            .with(&TO_ANNOUNCE, report.messages_to_announce)
            .with(&TIME, report.time_to_elect)
    }

    fn command(command: &Command) -> Sense {
        match command {
            Command::Start => Sense::Ask(Operation::only()),
            Command::Lost(_) | Command::Found(_) => Sense::Other,
        }
    }

    fn event(event: &Event) -> Sense {
        match event {
            Event::Elected => Sense::Grant(Operation::only()),
            Event::Knows(_) => Sense::Learn(Operation::only()),
            // A presumed leader is not a result yet, but may be the last event.
            Event::Presumes(_) => Sense::Answer(Operation::only()),
            Event::SteppedDown => Sense::Return(Operation::only()),
            Event::Started => Sense::Other,
        }
    }
}

/// All algorithms.
pub(crate) fn entries() -> Vec<Entry> {
    let mut entries = rings::entries();
    entries.extend(networks::entries());
    entries
}

/// The nodes of an algorithm for one election, repeated as often as the options ask.
pub fn elections<'a, P>(
    winner: Winner,
    site: &'a Site,
    make: impl Fn(NodeId) -> P + 'a,
) -> Box<dyn System + 'a>
where
    P: Protocol<Command = Command, Event = Event>,
{
    nodes(Election { winner }, site, move |me| Repeated::new(make(me)))
}

/// The initiators: as given, or all that may start.
fn initiators(site: &Site) -> Members {
    let usual = match site.entry().needs.one_initiator {
        Some(_) => Members::Count(1),
        None => Members::All,
    };
    site.get(&INITIATORS).unwrap_or(usual)
}

fn starting(site: &Site) -> Result<Vec<NodeId>, Refusal> {
    site.resolve(&INITIATORS, &initiators(site))
}

/// The delay of crash detection, if the algorithm needs it. Where delays are bounded, the default
/// is long enough for the last messages of a crashed node to arrive.
fn notice(site: &Site, options: &Options) -> Option<u64> {
    let needs = site.entry().needs;
    let usual = match needs.bounded {
        true => u64::from(site.number(MAX_DELAY.name)) + 1,
        false => options.delay.mean().ceil() as u64,
    };
    needs.notices.then(|| site.get(&NOTICE).unwrap_or(usual))
}

fn refuse(site: &Site) -> Result<(), Refusal> {
    let entry = site.entry();
    if site.given(NOTICE.name).is_some() && !entry.needs.notices {
        return Err(Refusal::new(format!(
            "{} does not handle crash notices: leave --notice out",
            entry.name
        )));
    }
    starting(site).map(drop)
}

/// Refuses several initiators of a wave for one.
fn refuse_rivals(initiators: usize, site: &Site) -> Result<(), Refusal> {
    let entry = site.entry();
    match entry.needs.one_initiator {
        Some(instead) if initiators > 1 => Err(Refusal::new(format!(
            "{} is a wave of one initiator, but {initiators} are given: \
             write --initiators one, or use {instead}, which allows any number",
            entry.name
        ))),
        _ => Ok(()),
    }
}

/// Scenarios with all initiators and with one, for three orders of ids.
fn scenarios(_setup: &Setup, _delay: Delay) -> Vec<Scenario> {
    let starts = [("all", "all nodes start"), ("one", "one node starts")];
    let orders = ["ascending", "descending", "random"];
    let scenario = |(start, sentence): (&'static str, &str), order: &'static str| Scenario {
        labels: vec![("initiators", start.to_owned()), ("ids", order.to_owned())],
        sentence: format!("{sentence}, ids {order}"),
        options: vec![(INITIATORS.name, start.to_owned()), (IDS.name, order.to_owned())],
        runs: Runs::Many,
        suits: if start == "all" { |needs| needs.one_initiator.is_none() } else { |_| true },
    };
    let all = starts.iter().flat_map(|start| orders.map(|order| scenario(*start, order)));
    all.collect()
}
