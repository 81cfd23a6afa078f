//! The interface of a problem to the simulator, the checker and the reports.

use std::fmt::{self, Debug, Display};

use konklave::protocol::{Data, Monitor, Promise};
use konklave::sense::Sense;
use konklave_sim::workload::Workload;
use konklave_sim::{Delay, Options};
use konklave_stage::Application;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::compare::Scenario;
use crate::option::{Opt, Verb};
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;

/// A problem: its commands, events, applications, monitor and terms. Only this trait knows the
/// types of a problem; its [`About`] has the same type for all.
pub trait Problem: 'static {
    /// Its description without types.
    const ABOUT: &'static About;

    /// The commands of applications.
    type Command: Data;
    /// The events that applications receive.
    type Event: Data;
    /// The monitor of the promises.
    type Monitor: Monitor<Command = Self::Command, Event = Self::Event>;
    /// The applications of a simulation.
    type Workload: Workload<Command = Self::Command, Event = Self::Event>;
    /// The application of one node in a search.
    type Client: Application<Command = Self::Command, Event = Self::Event>;

    /// The monitor of a system at a site.
    fn monitor(&self, site: &Site) -> Self::Monitor;

    /// A monitor with fewer states, if some promises take many to watch. A check looks at those
    /// promises apart.
    fn plain_monitor(&self, _site: &Site) -> Option<Self::Monitor> {
        None
    }

    /// The applications of a simulation with these options.
    ///
    /// # Errors
    ///
    /// If the options do not suit the site.
    fn workload(&self, site: &Site, options: &Options) -> Result<Self::Workload, Refusal>;

    /// The applications of a search. A budget sets the number of requests of each node.
    ///
    /// # Errors
    ///
    /// If the options do not suit the site.
    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Self::Client>, Refusal>;

    /// Whether its runs have histories: whether it is about a shared object.
    const HAS_HISTORY: bool = false;

    /// Lets the applications keep a history of all operations.
    fn keep_history(_workload: &mut Self::Workload) {}

    /// The measurements of a simulation, by quantity.
    fn measures(report: <Self::Workload as Workload>::Report, nodes: u32) -> Measures;

    /// The role of a command in an operation.
    fn command(command: &Self::Command) -> Sense;

    /// The role of an event in an operation.
    fn event(event: &Self::Event) -> Sense;
}

/// The description of a problem, independent of its types.
pub struct About {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in headings.
    pub title: &'static str,
    /// The source of the module that defines it.
    pub source: &'static str,
    /// Its options, in the order in which random runs draw them.
    pub options: &'static [&'static Opt],
    /// Its quantities; the first is the main one, which formulas predict.
    pub quantities: &'static [&'static Quantity],
    /// The terms of its operations.
    pub words: Words,
    /// The promises of its monitor.
    pub promises: fn() -> &'static [Promise],
    /// How fair the algorithm promises to be at a site, in words, if that differs between
    /// algorithms.
    pub fairness: fn(&Site) -> Option<String>,
    /// The roles of commands and events, as recorded in a trace.
    pub senses: Senses,
    /// The option for the number of requests of each node in a search.
    pub how_often: &'static Opt,
    /// The option for the number of repetitions, if the problem can be repeated.
    pub repeats: Option<&'static Opt>,
    /// The default network of a comparison; `None` if each algorithm has its own.
    pub shared_network: Option<&'static str>,
    /// The scenarios of a comparison with these options and this delay.
    pub scenarios: fn(&Setup, Delay) -> Vec<Scenario>,
    /// The number of requests of a run, and the name of a request, if known beforehand.
    pub requests: fn(&Site) -> Option<(u64, &'static str)>,
    /// Refuses options that the algorithm cannot satisfy.
    pub refuse: fn(&Site) -> Result<(), Refusal>,
}

/// The terms of a problem's operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The result of a request: `an entry`.
    pub service: &'static str,
    /// Requests of two applications at the same time: `contention`.
    pub rivalry: &'static str,
    /// The interval in which a node holds it: `critical section`.
    pub held: &'static str,
    /// Whether the problem promises that at most one node holds it at a time.
    pub is_exclusive: bool,
    /// The end of a sentence about waiting: `to enter`.
    pub waits: &'static str,
}

/// The roles of type-erased commands and events.
#[derive(Clone, Copy)]
pub struct Senses {
    /// The role of a command.
    pub command: fn(&Value) -> Sense,
    /// The role of an event.
    pub event: fn(&Value) -> Sense,
}

impl Senses {
    /// The roles of a problem. Values that are not its commands or events have none.
    pub const fn of<X: Problem>() -> Self {
        fn read<T: Data>(value: &Value) -> Option<T> {
            serde_json::from_value(value.clone()).ok()
        }
        Self {
            command: |value| read(value).map_or(Sense::Other, |it| X::command(&it)),
            event: |value| read(value).map_or(Sense::Other, |it| X::event(&it)),
        }
    }
}

impl About {
    /// The option with this name.
    pub fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().copied().find(|option| option.name == name)
    }

    /// The options that a subcommand takes.
    pub fn options_of(&self, verb: Verb) -> impl Iterator<Item = &'static Opt> {
        self.options.iter().copied().filter(move |option| option.usual(verb).is_some())
    }

    /// Adds the defaults of a subcommand that are not those of a run, so that a run has them, too.
    #[must_use]
    pub fn complete(&self, setup: Setup, verb: Verb, delay: Delay) -> Setup {
        let value = |option: &Opt, verb| option.value(&setup, verb, delay);
        let differs = |option: &&Opt| value(option, verb) != value(option, Verb::Run);
        let values = self.options_of(verb).filter(differs);
        let options: Vec<_> = values.filter_map(|it| Some((it.name, value(it, verb)?))).collect();
        options.into_iter().fold(setup, |setup, (name, value)| setup.with(name, value))
    }

    /// Whether its monitor has a promise of this name that something happens eventually.
    pub fn is_liveness(&self, promise: &str) -> bool {
        (self.promises)().iter().any(|it| it.is_liveness && it.name == promise)
    }

    /// The main quantity, which formulas predict.
    pub fn main_quantity(&self) -> &'static Quantity {
        self.quantities[0]
    }
}

impl PartialEq for About {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for About {}

impl Debug for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Serialize for About {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
