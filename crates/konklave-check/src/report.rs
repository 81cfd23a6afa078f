//! The result of a search.

use std::fmt::{self, Display};

use konklave::protocol::Broken;
use konklave::trace::Line;
use serde::Serialize;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The search was exhaustive, and every promise holds.
    Exhausted,
    /// Every state was seen, and no promise is broken so far; but some need a search for cycles,
    /// which was left out or stopped.
    Undecided,
    /// No promise is broken so far, but not every state was seen.
    Bounded,
    /// A promise is broken.
    Violated,
}

/// The limit that stopped a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// The maximum number of states.
    States,
    /// The maximum depth.
    Depth,
    /// The maximum memory.
    Memory,
    /// The time limit.
    Time,
    /// The user interrupted the search.
    Interrupt,
    /// Two states had the same fingerprint and were taken for one. Not every collision is detected;
    /// an exact search avoids them.
    Collision,
}

impl Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::States => "the limit on states",
            Self::Depth => "the depth limit",
            Self::Memory => "the memory limit",
            Self::Time => "the time limit",
            Self::Interrupt => "the user",
            Self::Collision => "a fingerprint collision",
        })
    }
}

/// The method by which liveness was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Liveness {
    /// The state graph is acyclic, so every schedule ends; and every final state is good.
    Acyclic,
    /// There are cycles, but no fair one in which a node waits for ever or, if the nodes should
    /// come to rest, no fair one at all.
    FairCycles,
}

/// A promise, and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Whether it holds in every schedule; `None` if the search ended before that was decided.
    pub holds: Option<bool>,
    /// If it holds: the other promises that a step has broken. No schedule was followed beyond such
    /// a step, so it holds up to there, and nobody knows what comes after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<String>,
}

/// What the search has reached: without it, promises would hold vacuously.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// Some application was served.
    pub served: bool,
    /// Two applications had pending requests at the same time.
    pub contention: bool,
}

/// The minimum and the maximum over all schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Extremes {
    /// The minimum.
    pub min: u32,
    /// The maximum; `None` if some schedule never ends.
    pub max: Option<u32>,
}

/// A schedule, as a trace without its header.
pub type Schedule<P> = Vec<Line<P>>;

/// A schedule that breaks a promise.
#[derive(Clone, Debug)]
pub struct Counterexample<S> {
    /// The promise.
    pub broken: Broken,
    /// The schedule.
    pub schedule: S,
    /// The length of its cycle, the last steps that repeat for ever, if it is infinite.
    pub cycle: Option<usize>,
}

/// The result of a search, with schedules of type `S`.
#[derive(Clone, Debug)]
pub struct SearchReport<S> {
    /// The verdict.
    pub verdict: Verdict,
    /// The limit that stopped the search, if one did.
    pub bound: Option<Bound>,
    /// The number of times that a state was reached.
    pub states: u64,
    /// The number of distinct states.
    pub unique: u64,
    /// The largest distance of a state from the initial one, in steps.
    pub depth: u32,
    /// The peak memory, in bytes.
    pub bytes: u64,
    /// The elapsed time in seconds.
    pub seconds: f64,
    /// The part of the time spent on exploring states, not on costs.
    pub search_seconds: f64,
    /// The promises of interest.
    pub properties: Vec<Property>,
    /// The promises that a step has broken, of interest or not. No schedule was followed beyond
    /// such a step: what holds in every schedule holds up to there ([`Property::until`]).
    pub cuts: Vec<String>,
    /// What the search has reached.
    pub reached: Reached,
    /// The number of final states, in which no step is possible.
    pub ends: u64,
    /// The method by which liveness was decided, if it was.
    pub liveness: Option<Liveness>,
    /// The messages of a complete schedule, if the search was exhaustive.
    pub messages: Option<Extremes>,
    /// The maximum number of services of other nodes while one waits, if applications take turns.
    pub awaited: Option<u32>,
    /// An upper bound on the probability that two states had the same fingerprint, so that one was
    /// overlooked: n^2 / 2^65 for n distinct states. Zero if the search was exact.
    pub collision_probability: f64,
    /// A costliest schedule, with the most messages, if requested.
    pub worst: Option<S>,
    /// A schedule for each promise that is known to be broken. The first is the one that was found
    /// first, and those without a cycle are shortest.
    pub counterexamples: Vec<Counterexample<S>>,
}

impl<S> SearchReport<S> {
    /// The first counterexample, if a promise is broken.
    pub fn counterexample(&self) -> Option<&Counterexample<S>> {
        self.counterexamples.first()
    }

    /// Converts the schedules.
    pub fn map<T>(self, mut write: impl FnMut(S) -> T) -> SearchReport<T> {
        let Self { worst, counterexamples, .. } = self;
        let mut rewrite = |it: Counterexample<S>| Counterexample {
            broken: it.broken,
            schedule: write(it.schedule),
            cycle: it.cycle,
        };
        SearchReport {
            counterexamples: counterexamples.into_iter().map(&mut rewrite).collect(),
            worst: worst.map(&mut write),
            verdict: self.verdict,
            bound: self.bound,
            states: self.states,
            unique: self.unique,
            depth: self.depth,
            bytes: self.bytes,
            seconds: self.seconds,
            search_seconds: self.search_seconds,
            properties: self.properties,
            cuts: self.cuts,
            reached: self.reached,
            ends: self.ends,
            liveness: self.liveness,
            messages: self.messages,
            awaited: self.awaited,
            collision_probability: self.collision_probability,
        }
    }
}
