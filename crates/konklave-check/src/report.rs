//! What a search has found.

use std::fmt::{self, Display};

use konklave::protocol::Broken;
use konklave::trace::Line;
use serde::Serialize;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every state was looked at, and every promise holds.
    Exhausted,
    /// No broken promise was found, but not every state was looked at.
    Bounded,
    /// A promise is broken.
    Violated,
}

/// What a search ran into before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// So many states were to be looked at.
    States,
    /// No longer schedules were to be looked at.
    Depth,
    /// No more memory was to be used.
    Memory,
    /// No more time was to be used.
    Time,
    /// The user had enough.
    Interrupt,
    /// Two states had the same fingerprint and were taken for one. Found out by chance: an exact
    /// search goes on where this one ended.
    Collision,
}

impl Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::States => "the number of states",
            Self::Depth => "the depth",
            Self::Memory => "the memory",
            Self::Time => "the time",
            Self::Interrupt => "hand",
            Self::Collision => "two states with the same fingerprint",
        })
    }
}

/// How it was decided that nobody waits for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Liveness {
    /// No state can be reached from itself, so every schedule ends; and every end is good.
    Acyclic,
    /// There are cycles, but in none of them everything that can happen at last does while somebody
    /// waits or, if the nodes should come to rest, at all.
    FairCycles,
}

/// A promise, and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Whether it holds in all that was looked at; unknown if the search ended before that.
    pub holds: Option<bool>,
}

/// That there was something to see: a pass without it would be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// Some application got what it asked for.
    pub served: bool,
    /// Two applications wanted something at the same time.
    pub contention: bool,
}

/// The least and the most of something, over all schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Extremes {
    /// The least.
    pub min: u32,
    /// The most; none if some schedule never ends.
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
    /// How many of its last steps can repeat for ever, if it is endless.
    pub cycle: Option<usize>,
}

/// What a search has found; schedules are `S`.
#[derive(Clone, Debug)]
pub struct Report<S> {
    /// How it ended.
    pub verdict: Verdict,
    /// What it ran into, if that is how it ended.
    pub bound: Option<Bound>,
    /// How many states were reached, counted as often as they were.
    pub states: u64,
    /// How many different ones.
    pub unique: u64,
    /// How many steps the farthest of them is away from the first.
    pub depth: u32,
    /// How many bytes all of them took at most.
    pub bytes: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The part of it that went into finding states, not into costs.
    pub search_seconds: f64,
    /// The promises.
    pub properties: Vec<Property>,
    /// What was there to see.
    pub reached: Reached,
    /// How many schedules' ends there are: states in which nothing more can happen.
    pub ends: u64,
    /// How liveness was decided, if it was.
    pub liveness: Option<Liveness>,
    /// Messages of a whole schedule, if every schedule was looked at.
    pub messages: Option<Extremes>,
    /// How often at most others are served while one waits, where applications take turns.
    pub overtaken: Option<u32>,
    /// The probability that two states with the same fingerprint were taken for one, so that some
    /// were never looked at: n^2 / 2^65 with n different ones. Zero if the search was exact.
    pub collision_probability: f64,
    /// A schedule with the most messages, if it was asked for.
    pub worst: Option<S>,
    /// What went wrong.
    pub counterexample: Option<Counterexample<S>>,
}

impl<S> Report<S> {
    /// The same with other schedules.
    pub fn map<T>(self, mut write: impl FnMut(S) -> T) -> Report<T> {
        let Self { worst, counterexample, .. } = self;
        Report {
            worst: worst.map(&mut write),
            counterexample: counterexample.map(|it| Counterexample {
                broken: it.broken,
                schedule: write(it.schedule),
                cycle: it.cycle,
            }),
            verdict: self.verdict,
            bound: self.bound,
            states: self.states,
            unique: self.unique,
            depth: self.depth,
            bytes: self.bytes,
            seconds: self.seconds,
            search_seconds: self.search_seconds,
            properties: self.properties,
            reached: self.reached,
            ends: self.ends,
            liveness: self.liveness,
            messages: self.messages,
            overtaken: self.overtaken,
            collision_probability: self.collision_probability,
        }
    }
}
