//! Shared objects as entries of the catalogue: whatever the object, processes invoke operations on
//! it, join and leave. An object is its sequential specification and its words, a [`Service`].

pub mod client;
pub mod collection;
mod history;
pub mod options;
pub mod report;
pub mod scatter;
pub mod workload;

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use konklave::NodeId;
use konklave::object::{Command, Event, Monitor, Object, Places};
use konklave::sense::{Operation, Sense};
use konklave_sim::Options;

use crate::problem::{About, Problem};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use client::User;
use options::{CLIENTS, ITEMS, JOINS, KEYS, Keys, LEAVES, MIX, OPS, Ops, RATE, ROUNDS, WINDOW};
use report::ObjectReport;
use workload::{Amount, Plan, Users};

/// A kind of object that processes share: its specification and its words.
pub trait Service: Sized + 'static {
    /// What it answers if one operation follows the other.
    type Object: Object;

    /// What is said about it.
    const ABOUT: &'static About;

    /// Which operations share a dense order of witnesses.
    const PLACES: Places;

    /// What the number behind a letter of --ops is.
    const KEY: &'static str = "key";

    /// The operation that a letter of --mix and --ops stands for, on this key, with a number that
    /// no other operation has.
    fn operation(letter: char, key: u64, fresh: u64) -> Option<<Self::Object as Object>::Op>;

    /// The keys, if options say which there are. Otherwise there are half as many as operations,
    /// from 0.
    fn keys(_site: &Site) -> Option<RangeInclusive<u64>> {
        None
    }

    /// What the processes of a run do, where that does not follow from the options of all objects.
    fn plan(_site: &Site, plan: Plan) -> Plan {
        plan
    }

    /// The measurements that have names of its own.
    fn measures(report: &ObjectReport) -> Measures;
}

/// The problem of sharing an object among processes.
pub struct Shared<S> {
    /// The number of nodes that only serve: these are the first ones.
    pub servers: u32,
    /// Whether the nodes are self-stabilising: then a run ends when they are legal.
    stabilises: bool,
    /// Whether what a process has found, it is to find again.
    is_monotone: bool,
    /// Whether answers without witnesses are judged.
    explains: bool,
    /// Whether operations of a process that overlap may be carried out in any order.
    is_unordered: bool,
    recovers: Recovers,
    service: PhantomData<S>,
}

/// Whether something may be wrong before the system is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovers {
    Never,
    /// Only after a damage.
    FromDamage,
    /// At the beginning, too.
    FromStart,
}

impl<S> Shared<S> {
    /// The problem for algorithms with this many servers, which are not members.
    pub fn new(servers: u32) -> Self {
        Self {
            servers,
            stabilises: false,
            is_monotone: false,
            explains: false,
            is_unordered: false,
            recovers: Recovers::Never,
            service: PhantomData,
        }
    }

    /// The same for algorithms that recover from damages, and begin in a legal state or not. Once
    /// the system is legal, clients go on.
    #[must_use]
    pub fn recovering(self, begins_legal: bool) -> Self {
        let recovers = if begins_legal { Recovers::FromDamage } else { Recovers::FromStart };
        Self { recovers, ..self }
    }

    /// The same for algorithms that are self-stabilising.
    #[must_use]
    pub fn stabilising(self) -> Self {
        Self { stabilises: true, ..self }
    }

    /// The same for algorithms with monotone searchability.
    #[must_use]
    pub fn monotone(self) -> Self {
        Self { is_monotone: true, ..self }
    }

    /// The same for algorithms whose answers claim no order, in systems with few operations.
    #[must_use]
    pub fn explaining(self) -> Self {
        Self { explains: true, ..self }
    }

    /// The same for algorithms that may carry out overlapping operations of a process in any order.
    #[must_use]
    pub fn unordered(self) -> Self {
        Self { is_unordered: true, ..self }
    }

    /// The members at the beginning. The nodes behind them join later.
    pub fn members(&self, site: &Site) -> impl Iterator<Item = NodeId> + Clone + use<S> {
        (self.servers..self.joiners(site).start).map(NodeId)
    }

    /// The numbers of the nodes that join while it runs.
    fn joiners(&self, site: &Site) -> std::ops::Range<u32> {
        site.nodes() - site.get::<u32>(&JOINS).unwrap_or(0)..site.nodes()
    }

    /// Refuses groups without members, and groups that all members leave.
    ///
    /// # Errors
    ///
    /// If there is no member at the beginning or none in the end.
    pub fn refuse_empty(&self, site: &Site) -> Result<(), Refusal> {
        let [joins, leaves] = [&JOINS, &LEAVES].map(|it| site.get::<u32>(it).unwrap_or(0));
        let members = site.nodes().saturating_sub(self.servers).saturating_sub(joins);
        if members == 0 {
            return Err(Refusal::new(format!(
                "there is no member: {} of {} nodes serve or join later",
                self.servers + joins,
                site.nodes()
            )));
        }
        match members + joins > leaves {
            true => Ok(()),
            false => Err(Refusal::new(format!(
                "{leaves} leaves of {members} members and {joins} joins leave nobody: write \
                 --leaves {} or fewer",
                members + joins - 1
            ))),
        }
    }
}

/// The nodes beside those that a user asks for: servers, and those that join later.
pub fn others(servers: u32, setup: &Setup) -> u32 {
    let joins = setup.options.get(JOINS.name).and_then(|it| it.parse::<u32>().ok());
    servers + joins.unwrap_or(0)
}

/// All messages, divided by operations.
pub static MESSAGES: Quantity =
    Quantity::new("messages_per_operation", "", "all messages, divided by operations")
        .label("messages/operation")
        .column("messages");
/// The number of operations that have returned.
pub static OPERATIONS: Quantity =
    Quantity::new("operations", "", "number of operations that have returned").label("operations");
/// The time that operations take.
pub static LATENCY: Quantity = Quantity::new("latency", "T", "from invocation to return")
    .distribution()
    .label("latency")
    .column("latency")
    .plotted();
/// Operations per unit of time.
pub static THROUGHPUT: Quantity =
    Quantity::new("throughput", "operations per T", "operations per unit of time")
        .label("throughput");
/// The number of processes that have become members.
pub static JOINED: Quantity =
    Quantity::new("joined", "", "number of processes that have joined").label("joined");
/// The number of processes that have left.
pub static LEFT: Quantity =
    Quantity::new("left", "", "number of processes that have left").label("left");

impl<S: Service> Problem for Shared<S> {
    const ABOUT: &'static About = S::ABOUT;
    type Command = Command<<S::Object as Object>::Op>;
    type Event = Event;
    type Monitor = Monitor<S::Object>;
    type Workload = Users<S>;
    type Client = User<S::Object>;

    fn monitor(&self, _site: &Site) -> Self::Monitor {
        let monitor = Monitor::new(S::PLACES);
        let monitor = if self.is_monotone { monitor.monotone() } else { monitor };
        let monitor = if self.is_unordered { monitor.unordered() } else { monitor };
        let monitor = if self.explains { monitor.explaining() } else { monitor };
        if self.recovers == Recovers::FromStart { monitor.damaged() } else { monitor }
    }

    fn workload(&self, site: &Site, options: &Options) -> Result<Users<S>, Refusal> {
        self.refuse_empty(site)?;
        let members: Vec<NodeId> = self.members(site).collect();
        let clients = site.get::<u32>(&CLIENTS).unwrap_or(members.len() as u32);
        if clients as usize > members.len() {
            return Err(Refusal::new(format!(
                "--clients {clients}: there are only {} members at the beginning",
                members.len()
            )));
        }
        let Some(Ops::Count(ops)) = site.get(&OPS) else {
            return Err(Refusal::new(
                "--ops: a script is for check; write how many operations a client invokes",
            ));
        };
        let rate: Option<f64> = site.given(RATE.name).and_then(|text| text.parse().ok());
        let rounds: Option<u32> = site.given(ROUNDS.name).and_then(|text| text.parse().ok());
        let end = |rounds: u32| (f64::from(rounds) * options.delay.mean()) as u64;
        // A rate that is kept needs room for all that has not returned.
        let usual_window = match (rate, rounds) {
            (Some(_), Some(_)) => u32::MAX,
            _ => site.value(&WINDOW),
        };
        let window = site.given(WINDOW.name).and_then(|text| text.parse().ok());
        let plan = Plan {
            clients: members.iter().copied().take(clients as usize).collect(),
            members,
            joiners: self.joiners(site).map(NodeId).collect(),
            leaves: site.value(&LEAVES),
            amount: rounds.map_or(Amount::Ops(ops), |rounds| Amount::Until(end(rounds))),
            window: window.unwrap_or(usual_window),
            pause: rate.map(|rate| options.delay.mean() / rate),
            mix: letters::<S>(site)?,
            items: site.value(&ITEMS),
            keys: site.get(&KEYS).unwrap_or(Keys::Uniform),
            among: S::keys(site),
            scatter: None,
            stabilises: self.stabilises,
        };
        let users = Users::new(S::plan(site, plan));
        let goes_on = self.recovers != Recovers::Never && rounds.is_none();
        Ok(if goes_on { users.going_on(ops) } else { users })
    }

    /// In a search, a member invokes operations, those that leave do so after them, and the others
    /// join, with the first member as a contact.
    fn clients(
        &self,
        site: &Site,
        budget: Option<&[u32]>,
    ) -> Result<Vec<User<S::Object>>, Refusal> {
        self.refuse_empty(site)?;
        let scripts = client::scripts(self, site, letters::<S>(site)?, budget)?;
        let window = site.value(&WINDOW);
        Ok(scripts.into_iter().map(|script| User::new(script, window)).collect())
    }

    const HAS_HISTORY: bool = true;

    fn keep_history(workload: &mut Users<S>) {
        workload.keep_history();
    }

    fn measures(report: ObjectReport, _nodes: u32) -> Measures {
        let own = S::measures(&report);
        let mut measures = Measures::default()
            .with(&OPERATIONS, report.operations)
            .and(own)
            .with(&MESSAGES, report.messages_per_operation)
            .with(&LATENCY, report.latency)
            .with(&THROUGHPUT, report.throughput)
            .histogram(&LATENCY, report.latencies);
        // Not of objects whose processes do not join and leave.
        for (quantity, count) in [(&JOINED, report.joined), (&LEFT, report.left)] {
            if S::ABOUT.quantities.iter().any(|it| it.name == quantity.name) {
                measures = measures.with(quantity, count);
            }
        }
        measures.history = report.history;
        measures
    }

    fn command(command: &Self::Command) -> Sense {
        match command {
            Command::Invoke(_) => Sense::Ask(Operation::only()),
            Command::Join { .. } | Command::Leave => Sense::Other,
        }
    }

    fn event(event: &Event) -> Sense {
        match event {
            Event::Returned { .. } => Sense::Answer(Operation::only()),
            Event::Joined | Event::Left => Sense::Other,
        }
    }
}

/// The letters of --mix, each of them an operation of the object.
fn letters<S: Service>(site: &Site) -> Result<Vec<char>, Refusal> {
    let option = S::ABOUT.option(MIX.name).unwrap_or(&MIX);
    let mix: String = site.value(option);
    let known = |letter: &char| S::operation(*letter, 0, 0).is_some();
    let all: String = ('a'..='z').filter(known).collect();
    match mix.chars().find(|letter| !known(letter)) {
        _ if site.given(MIX.name) == Some("") => Err(Refusal::new(format!(
            "--mix has no operation: write letters of {all}, such as {all}"
        ))),
        _ if mix.is_empty() => Ok(all.chars().collect()),
        None => Ok(mix.chars().collect()),
        Some(letter) => Err(Refusal::new(format!(
            "--mix {mix}: '{letter}' is not an operation of this object; its letters are {all}"
        ))),
    }
}

/// The number of requests of a run.
pub fn requests<S: Service>(site: &Site) -> Option<(u64, &'static str)> {
    let clients = site.get::<u32>(&CLIENTS).unwrap_or(site.nodes());
    let Some(Ops::Count(ops)) = site.get(&OPS).filter(|_| site.given(ROUNDS.name).is_none()) else {
        return None;
    };
    Some((u64::from(clients) * u64::from(ops) + site.value::<u64>(&ITEMS), "operation"))
}
