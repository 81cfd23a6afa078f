//! What is said about counting, and its algorithms.

use konklave::protocol::{Effect, Input, Monitor as _};
use konklave::sense::{Operation, Sense};
use konklave_catalog::budget::budgets;
use konklave_catalog::compare::{Runs, Scenario};
use konklave_catalog::entry::Entry;
use konklave_catalog::expected::Expected;
use konklave_catalog::needs::{Needs, Network};
use konklave_catalog::option::{Opt, Usual, Verb, is_number};
use konklave_catalog::problem::{About, Problem, Senses, Words};
use konklave_catalog::quantity::{Measures, Quantity};
use konklave_catalog::refusal::Refusal;
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::nodes;
use konklave_sim::Options;
use konklave_specimens::{Flaw, Flawed};

use crate::central::{Central, Msg};
use crate::counting::{Command, Event, Monitor};
use crate::workload::{Asker, Askers, CountingReport};

/// Every request gets a number of its own.
pub struct Counting;

static REQUESTS: Opt = Opt {
    name: "requests",
    value: "COUNT",
    help: "How many numbers each node asks for",
    usual: &[
        (Verb::Run, Usual::Is("5")),
        (Verb::Check, Usual::Is("1")),
        (Verb::Compare, Usual::Is("20")),
        (Verb::Sweep, Usual::Is("5")),
    ],
    check: is_number,
    draw: |draw| Some((1 + draw.random.below(4)).to_string()),
    is_series: false,
    is_budget: true,
};

static MESSAGES: Quantity = Quantity::new("messages_per_request", "", "per request")
    .label("messages/request")
    .column("messages");
static ANSWERS: Quantity =
    Quantity::new("answers", "", "how many numbers were given").label("answers").column("answers");

static ABOUT: About = About {
    name: "counting",
    title: "Counting",
    source: include_str!("counting.rs"),
    options: &[&REQUESTS],
    quantities: &[&MESSAGES, &ANSWERS],
    words: Words {
        service: "a number",
        rivalry: "two requests at once",
        held: "",
        is_exclusive: false,
        waits: "for a number",
    },
    promises: Monitor::promises,
    fairness: |_| None,
    senses: Senses::of::<Counting>(),
    how_often: &REQUESTS,
    repeats: None,
    shared_network: None,
    scenarios: |setup, delay| vec![Scenario::only(setup, delay, &[&REQUESTS], Runs::One)],
    requests: |site| Some((site.value::<u64>(&REQUESTS) * u64::from(site.nodes()), "request")),
    refuse: |_| Ok(()),
};

impl Problem for Counting {
    const ABOUT: &'static About = &ABOUT;
    type Command = Command;
    type Event = Event;
    type Monitor = Monitor;
    type Workload = Askers;
    type Client = Asker;

    fn monitor(&self, _site: &Site) -> Monitor {
        Monitor::default()
    }

    fn workload(&self, site: &Site, _options: &Options) -> Result<Askers, Refusal> {
        Ok(Askers::new(site.nodes(), site.value(&REQUESTS)))
    }

    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Asker>, Refusal> {
        let requests = site.value(&REQUESTS);
        Ok(budgets(site, budget, |_| requests)?.into_iter().map(Asker::new).collect())
    }

    fn measures(report: CountingReport, _nodes: u32) -> Measures {
        let CountingReport { answers, messages_per_request } = report;
        Measures::default().with(&ANSWERS, answers).with(&MESSAGES, messages_per_request)
    }

    fn command(Command::Next: &Command) -> Sense {
        Sense::Ask(Operation::only())
    }

    fn event(Event::Number(_): &Event) -> Sense {
        Sense::Answer(Operation::only())
    }
}

/// The right algorithm.
pub fn entry() -> Entry {
    let needs = Needs::network(Network::Complete);
    Entry::new("central-count", Counting::ABOUT, needs, |site| {
        Ok(nodes(Counting, site, |_| Central::default()))
    })
    .source(include_str!("central.rs"), "src/central.rs")
    .formula(|_, _| Some(Expected::exactly("2", 2.0)))
}

/// The broken one.
pub static SPECIMENS: [Specimen; 1] = [Specimen {
    name: "central-count-repeats-itself",
    of: "central-count",
    flaw: "Node 0 gives every second number once more.",
    is_forbidden_setting: false,
    finds: Finding::Assertion,
    promise: "no number twice",
    setting: Setting::new("complete", &[1, 1]),
    found_by: Tool::Check,
    steps: 6,
    build: |site| Ok(nodes(Counting, site, |_| Flawed::new(Central::default(), Repeats))),
}];

/// Every second number is that before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Repeats;

impl Flaw<Central> for Repeats {
    fn effects(
        &mut self,
        _node: &Central,
        _input: &Input<Central>,
        mut effects: Vec<Effect<Central>>,
    ) -> Vec<Effect<Central>> {
        for effect in &mut effects {
            if let Effect::Send { msg: Msg::Take(number), .. } = effect {
                *number -= *number % 2;
            }
        }
        effects
    }
}
