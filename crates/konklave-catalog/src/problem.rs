//! What a problem is to everything that runs, checks or shows its algorithms.

use std::fmt::{self, Debug, Display};

use konklave::protocol::{Data, Monitor};
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

/// A problem as a value: whom its nodes serve, who watches, and what all that is called. Only this
/// trait knows the types of a problem; its [`About`] is the same for all.
pub trait Problem: 'static {
    /// What is said about it.
    const ABOUT: &'static About;

    /// What applications ask for.
    type Command: Data;
    /// What they are told.
    type Event: Data;
    /// What watches that promises are kept.
    type Monitor: Monitor<Command = Self::Command, Event = Self::Event>;
    /// The applications of a simulation.
    type Workload: Workload<Command = Self::Command, Event = Self::Event>;
    /// The application of one node in a search.
    type Client: Application<Command = Self::Command, Event = Self::Event>;

    /// Who watches a system that is built here.
    fn monitor(&self, site: &Site) -> Self::Monitor;

    /// What applications do in a simulation with these options.
    ///
    /// # Errors
    ///
    /// If what was asked for cannot be done here.
    fn workload(&self, site: &Site, options: &Options) -> Result<Self::Workload, Refusal>;

    /// The applications of a search. A budget says how often each node asks.
    ///
    /// # Errors
    ///
    /// If what was asked for cannot be done here.
    fn clients(&self, site: &Site, budget: Option<&[u32]>) -> Result<Vec<Self::Client>, Refusal>;

    /// What a simulation has measured, by the names of quantities.
    fn measures(report: <Self::Workload as Workload>::Report, nodes: u32) -> Measures;

    /// The part that a command plays in an operation.
    fn command(command: &Self::Command) -> Sense;

    /// The part that an event plays in an operation.
    fn event(event: &Self::Event) -> Sense;
}

/// What is said about a problem to a reader who does not know its types.
pub struct About {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in headings.
    pub title: &'static str,
    /// The source of the module that defines it.
    pub source: &'static str,
    /// Its options, in the order in which random runs draw them.
    pub options: &'static [&'static Opt],
    /// What is measured about it; the first is what formulas are about.
    pub quantities: &'static [&'static Quantity],
    /// What its operations are called.
    pub words: Words,
    /// The promises of its monitor.
    pub promises: fn() -> &'static [&'static str],
    /// The parts that commands and events play, as they stand in a trace.
    pub senses: Senses,
    /// The option that says how often everything is done, if it can be done more than once.
    pub repeats: Option<&'static Opt>,
    /// The network on which its algorithms are compared if nobody says; none if each has its own.
    pub shared_network: Option<&'static str>,
    /// How its algorithms are compared, if this is asked for and messages travel so long.
    pub scenarios: fn(&Setup, Delay) -> Vec<Scenario>,
    /// What the runs of a sweep are given where the user does not say, so that formulas can be
    /// about them: options, and their values.
    pub steady: fn(&Setup, Delay) -> Vec<(&'static str, String)>,
    /// How many requests a run makes, and what a request is, if that is known beforehand.
    pub requests: fn(&Site) -> Option<(u64, &'static str)>,
    /// What is asked of the applications that this algorithm cannot do.
    pub refuse: fn(&Site) -> Result<(), Refusal>,
}

/// What the operations of a problem are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// What an application gets: `an entry`.
    pub service: &'static str,
    /// That two applications want it at the same time: `contention`.
    pub rivalry: &'static str,
    /// The stretch of time in which a node has it: `critical section`.
    pub held: &'static str,
    /// Whether at most one node has it at a time, as far as the problem promises.
    pub is_exclusive: bool,
    /// What an application does until it gets it, as the end of a sentence: `to enter`.
    pub waits: &'static str,
}

/// The parts that erased commands and events play.
#[derive(Clone, Copy)]
pub struct Senses {
    /// Of a command.
    pub command: fn(&Value) -> Sense,
    /// Of an event.
    pub event: fn(&Value) -> Sense,
}

impl Senses {
    /// Those of a problem. What is not one of its commands or events has no part.
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

    /// The options that a verb takes.
    pub fn options_of(&self, verb: Verb) -> impl Iterator<Item = &'static Opt> {
        self.options.iter().copied().filter(move |option| option.usual(verb).is_some())
    }

    /// The quantity that formulas are about.
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
