//! Booking as an entry of the catalogue.

pub mod client;
pub mod workload;

use konklave::booking::reservation::Reservation;
use konklave::booking::{Command, Event, Form, Interval, Monitor};
use konklave::protocol::Monitor as _;
use konklave::sense::{Operation, Sense};
use konklave_sim::Options;

use crate::budget::budgets;
use crate::compare::{Runs, Scenario};
use crate::demand::{CS, ENTRIES, LOAD, REQUESTERS, THINK, inside, requests};
use crate::disorder::{Claim, Disorder};
use crate::entry::{Entry, line};
use crate::expected::Expected;
use crate::needs::{Needs, Network};
use crate::option::Choice;
use crate::problem::{About, Problem, Senses, Words};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::nodes;
use client::Guest;
use workload::{BookingReport, Diary, Plan};

/// Booking: of overlapping intervals, at most one is held at a time.
pub struct Booking {
    /// Whether an overlapping request waits or is denied.
    pub form: Form,
}

static MESSAGES: Quantity = Quantity::new("messages_per_attempt", "", "per attempt")
    .label("messages/attempt")
    .column("messages");
static ATTEMPTS: Quantity = Quantity::new("attempts", "", "number of requests").label("attempts");
static ENTERED: Quantity =
    Quantity::new("entries", "", "number of requests granted").label("entries").column("granted");
static DENIALS: Quantity =
    Quantity::new("denials", "", "number of requests denied").label("denials").column("denied");
static AT_ONCE: Quantity =
    Quantity::new("inside_at_once_max", "at most", "intervals held at once, at most")
        .label("inside at once")
        .column("at once");
static WAITING: Quantity = Quantity::new("waiting_time", "T", "from request to answer")
    .distribution()
    .label("waiting")
    .column("wait")
    .plotted();
static THROUGHPUT: Quantity =
    Quantity::new("throughput", "entries per T", "entries per unit of time").label("throughput");

static ABOUT: About = About {
    name: "booking",
    title: "Booking",
    source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/booking/mod.rs")),
    options: &[&ENTRIES, &LOAD, &CS, &THINK, &REQUESTERS],
    quantities: &[&MESSAGES, &ATTEMPTS, &ENTERED, &DENIALS, &AT_ONCE, &WAITING, &THROUGHPUT],
    words: Words {
        service: "an entry",
        rivalry: "contention",
        held: "booked",
        is_exclusive: false,
        waits: "for an answer",
    },
    promises: Monitor::promises,
    fairness: |_| None,
    senses: Senses::of::<Booking>(),
    how_often: &ENTRIES,
    repeats: None,
    shared_network: None,
    scenarios: |setup, delay| {
        vec![Scenario::only(setup, delay, &[&LOAD, &ENTRIES, &CS], Runs::One)]
    },
    requests,
    refuse: |site| site.members(&REQUESTERS).map(drop),
};

const COMPLETE: Needs =
    Needs::network(Network::Complete).duplicates().claims(&[(Disorder::Loss, Claim::Safety)]);
const FORM: Choice = Choice::variant(&["block", "deny"]);

/// All algorithms.
pub(crate) fn entries() -> Vec<Entry> {
    vec![line!(booking::reservation, COMPLETE, &[FORM], two_each, |site| {
        let form = match site.choice("variant") {
            "deny" => Form::Deny,
            _ => Form::Block,
        };
        let make = move |me| Reservation::new(me, site.nodes(), form);
        Ok(nodes(Booking { form }, site, make))
    })]
}

/// A request to every other node and an answer from each, granted or denied.
fn two_each(site: &Site, _options: &Options) -> Option<Expected> {
    Some(Expected::exactly("2(n-1)", 2.0 * f64::from(site.nodes() - 1)))
}

impl Problem for Booking {
    const ABOUT: &'static About = &ABOUT;
    type Command = Command;
    type Event = Event;
    type Monitor = Monitor;
    type Workload = Diary;
    type Client = Guest;

    fn monitor(&self, site: &Site) -> Monitor {
        Monitor::new(site.nodes(), self.form)
    }

    fn workload(&self, site: &Site, options: &Options) -> Result<Diary, Refusal> {
        let plan = Plan {
            demand: site.value(&LOAD),
            attempts: site.value(&ENTRIES),
            requesters: site.members(&REQUESTERS)?,
            inside: inside(site, options.delay),
            think: site.value(&THINK),
            unit: options.delay.mean(),
        };
        plan.demand.refuse_endless(plan.requesters.len(), plan.unit)?;
        Ok(Diary::new(site.nodes(), plan))
    }

    /// Each node books intervals that overlap those of its neighbours and no others.
    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Guest>, Refusal> {
        let entries = site.value(&ENTRIES);
        let budgets = budgets(site, budget, |_| entries)?.into_iter().zip(0..);
        let wishes = |(count, node): (u32, u32)| {
            let interval = Interval { start: node, end: node + 2 };
            Guest::new(vec![interval; count as usize])
        };
        Ok(budgets.map(wishes).collect())
    }

    fn measures(report: BookingReport, _nodes: u32) -> Measures {
        Measures::default()
            .with(&ATTEMPTS, report.attempts)
            .with(&ENTERED, report.entries)
            .with(&DENIALS, report.denials)
            .with(&MESSAGES, report.messages_per_attempt)
            .with(&AT_ONCE, report.inside_at_once_max)
            .with(&WAITING, report.waiting_time)
            .with(&THROUGHPUT, report.throughput)
            .histogram(&WAITING, report.waiting_times)
    }

    fn command(command: &Command) -> Sense {
        match *command {
            Command::Reserve(interval) => Sense::Ask(operation(interval)),
            Command::Release(interval) => Sense::Return(operation(interval)),
        }
    }

    fn event(event: &Event) -> Sense {
        match event {
            Event::Granted => Sense::Grant(Operation::only()),
            Event::Denied => Sense::Answer(Operation::only()),
        }
    }
}

fn operation(Interval { start, end }: Interval) -> Operation {
    Operation(format!("{start}..{end}"))
}
