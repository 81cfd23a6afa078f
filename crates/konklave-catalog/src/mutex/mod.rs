//! Mutual exclusion as an entry of the catalogue.

pub mod client;
mod fairness;
mod formulas;
mod network_formulas;
pub mod options;
mod sets;
mod table;
pub mod workload;

use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::Monitor as _;
use konklave::sense::{Operation, Sense};
use konklave_sim::Options;

use crate::compare::{Runs, Scenario};
use crate::demand::{CS, LOAD, REQUESTERS, THINK, inside, requests};
use crate::problem::{About, Problem, Senses, Words};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::site::Site;
use client::Visitor;
use options::{ENTRIES, WARMUP};
pub(crate) use table::entries;
use workload::{Contention, MutexReport, Plan};

/// Mutual exclusion: at most one node at a time is in its critical section.
pub struct Mutex;

static MESSAGES: Quantity =
    Quantity::new("messages_per_entry", "", "per entry").label("messages/entry").column("messages");
static ENTERED: Quantity = Quantity::new("entries", "", "number of entries").label("entries");
static COORDINATION: Quantity =
    Quantity::new("coordination_delay", "T", "from a release to the next entry")
        .spread()
        .label("coordination")
        .column("delay")
        .plotted();
static WAITING: Quantity = Quantity::new("waiting_time", "T", "from request to entry")
    .distribution()
    .label("waiting")
    .column("wait")
    .plotted();
static RESPONSE: Quantity =
    Quantity::new("response_time", "T", "from request to release").distribution().label("response");
static THROUGHPUT: Quantity =
    Quantity::new("throughput", "entries per T", "entries per unit of time").label("throughput");
static AWAITED: Quantity =
    Quantity::new("awaited_max", "at most", "entries of other nodes during one wait, at most")
        .label("awaited")
        .column("awaited");

static ABOUT: About = About {
    name: "mutex",
    title: "Mutual exclusion",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/mutex/mod.rs")),
    options: &[&ENTRIES, &LOAD, &CS, &THINK, &WARMUP, &REQUESTERS],
    quantities: &[&MESSAGES, &ENTERED, &COORDINATION, &RESPONSE, &WAITING, &THROUGHPUT, &AWAITED],
    words: Words {
        service: "an entry",
        rivalry: "contention",
        held: "critical section",
        is_exclusive: true,
        waits: "to enter",
    },
    promises: Monitor::promises,
    fairness: |site| Some(in_words((site.entry().overtaking)(site))),
    senses: Senses::of::<Mutex>(),
    how_often: &ENTRIES,
    repeats: None,
    shared_network: None,
    scenarios: |setup, delay| {
        vec![Scenario::only(setup, delay, &[&LOAD, &ENTRIES, &CS, &WARMUP], Runs::One)]
    },
    requests,
    refuse: |site| site.members(&REQUESTERS).map(drop),
};

impl Problem for Mutex {
    const ABOUT: &'static About = &ABOUT;
    type Command = Command;
    type Event = Event;
    type Monitor = Monitor;
    type Workload = Contention;
    type Client = Visitor;

    fn monitor(&self, site: &Site) -> Monitor {
        let nodes = site.nodes();
        let bound = (site.entry().overtaking)(site);
        bound.map_or_else(|| Monitor::new(nodes), |bound| Monitor::with_bound(nodes, bound))
    }

    /// Otherwise the order of the requests is part of the state.
    fn plain_monitor(&self, site: &Site) -> Option<Monitor> {
        Some(Monitor::new(site.nodes()))
    }

    fn workload(&self, site: &Site, options: &Options) -> Result<Contention, Refusal> {
        let plan = Plan {
            demand: site.value(&LOAD),
            entries: site.value(&ENTRIES),
            requesters: site.members(&REQUESTERS)?,
            inside: inside(site, options.delay),
            think: site.value(&THINK),
            warmup: site.value(&WARMUP),
            unit: options.delay.mean(),
            perpetual: options.perpetual,
        };
        plan.demand.refuse_endless(plan.requesters.len(), plan.unit)?;
        Ok(Contention::new(site.nodes(), plan))
    }

    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Visitor>, Refusal> {
        let entries = site.value(&ENTRIES);
        let budgets = crate::budget::budgets(site, budget, |_| entries)?;
        Ok(budgets.into_iter().map(Visitor::new).collect())
    }

    fn measures(report: MutexReport, _nodes: u32) -> Measures {
        Measures::default()
            .with(&ENTERED, report.entries)
            .with(&MESSAGES, report.messages_per_entry)
            .with(&COORDINATION, report.coordination_delay)
            .with(&WAITING, report.waiting_time)
            .with(&RESPONSE, report.response_time)
            .with(&THROUGHPUT, report.throughput)
            .with(&AWAITED, report.awaited_max)
            .histogram(&WAITING, report.waiting_times)
    }

    fn command(command: &Command) -> Sense {
        match command {
            Command::Acquire => Sense::Ask(Operation::only()),
            Command::Release => Sense::Return(Operation::only()),
        }
    }

    fn event(event: &Event) -> Sense {
        let Event::Granted = event;
        Sense::Grant(Operation::only())
    }
}

/// A bound on overtaking in words.
fn in_words(bound: Option<u32>) -> String {
    match bound {
        Some(0) => "first come, first served: no node overtakes a waiting one".to_owned(),
        Some(1) => "a node overtakes a waiting one at most once".to_owned(),
        Some(bound) => format!("a node overtakes a waiting one at most {bound} times"),
        None => "no bound on overtaking is promised, only that no node starves".to_owned(),
    }
}
