//! The search: breadth first, layer by layer.

mod cycles;
mod held;
mod path;
mod retrace;
mod threads;
mod watch;
mod worker;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use konklave::protocol::{Broken, Monitor, Protocol};

use konklave_stage::local::SENDS_TO_NEIGHBOURS;

use crate::application::Application;
use crate::dictionary::Dictionary;
use crate::meaning::{Shared, ask};
use crate::report::{
    Bound, Counterexample, Liveness, Property, Reached, Report, Schedule, Verdict,
};
use crate::rows::Rows;
use crate::seen::{Identity, NOBODY, Seen, StateId, shard_of};
use crate::shape::Shape;
use crate::successors::Successor;
use crate::system::{System, World};
use held::Held;
pub(crate) use path::{Move, Way};
use retrace::Retraced;
use threads::share_out;
use watch::Watch;
use worker::Worker;

/// The options of a search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The identity of states: fingerprints or whole states.
    pub identity: Identity,
    /// The number of threads.
    pub threads: usize,
    /// Whether to compute the minimum and maximum of messages, and to decide liveness.
    pub costs: Costs,
    /// The limits.
    pub limits: Limits,
    /// If only this promise is of interest: a schedule that breaks another one is not followed any
    /// further, and nothing is said about it.
    pub only: Option<&'static str>,
}

/// Whether the search is followed by one for costs and cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Costs {
    /// Only safety is decided, and that every final state is good.
    Ignored,
    /// Costs and liveness are decided, too.
    Exact,
    /// Costs and liveness are decided, and a costliest schedule is kept.
    Worst,
}

/// The limits of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The maximum number of distinct states.
    pub states: Option<u64>,
    /// The maximum depth, in steps.
    pub depth: Option<u32>,
    /// The maximum memory, in bytes.
    pub bytes: Option<u64>,
    /// The time limit.
    pub time: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            identity: Identity::Fingerprint,
            threads: 1,
            costs: Costs::Exact,
            limits: Limits::default(),
            only: None,
        }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The number of distinct states.
    pub unique: u64,
    /// The depth of the current layer.
    pub depth: u32,
    /// Whether the search is over and costs are being computed.
    pub is_retracing: bool,
}

/// Checks every schedule of a system. `go_on` is called from time to time and can stop the search.
pub fn explore<P, A, M>(
    system: System<P, A, M>,
    options: Options,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Report<Schedule<P>>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let begun = Instant::now();
    let report = attempt(&system, options, begun, go_on);
    if report.verdict != Verdict::Violated || options.threads <= 1 {
        return report;
    }
    // Threads race for who finds what: the answer comes from a search that has only one, if it gets
    // that far.
    let again = attempt(&system, Options { threads: 1, ..options }, begun, go_on);
    match again.verdict {
        Verdict::Violated => again,
        Verdict::Bounded | Verdict::Exhausted => report,
    }
}

fn attempt<P, A, M>(
    system: &System<P, A, M>,
    options: Options,
    begun: Instant,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Report<Schedule<P>>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let (dictionary, first) = Dictionary::new(system.clone());
    let shared = Mutex::new(dictionary);
    let report = Space::new(&shared, first, options, begun).examine(go_on);
    let dictionary = shared.into_inner().expect("all threads ended well");
    report.map(|way| dictionary.script(system, way))
}

/// A broken promise, and where.
#[derive(Clone, Debug)]
struct Finding {
    /// The state in which it was found, and its row.
    state: StateId,
    row: Vec<u32>,
    /// What happens then; nothing, if that state itself is the problem.
    successor: Option<Successor>,
    broken: Broken,
}

/// The states of a system, as far as they are known.
struct Space<'a> {
    options: Options,
    world: World,
    shape: Shape,
    shared: &'a Shared,
    seen: Seen,
    /// What threads hold.
    held: Held,
    first: Vec<u32>,
    begun: Instant,
}

/// What is counted on the way.
#[derive(Debug, Default)]
struct Tally {
    depth: u32,
    states: u64,
    ends: u64,
    reached: Reached,
    bytes: u64,
    bound: Option<Bound>,
    search_time: Duration,
}

/// What comes of looking at all states once more.
#[derive(Default)]
struct Afterwards {
    retraced: Retraced,
    worst: Option<Way>,
    liveness: Option<Liveness>,
    counterexample: Option<Counterexample<Way>>,
}

impl<'a> Space<'a> {
    fn new(shared: &'a Shared, mut first: Vec<u32>, options: Options, begun: Instant) -> Self {
        let meaning = ask(shared);
        let world = meaning.world();
        let shape = Shape::new(meaning.nodes(), meaning.codes(), world);
        drop(meaning);
        first.extend(shape.weather(world.faults, 0));
        let seen = Seen::new(options.identity);
        Self { options, world, shape, shared, seen, held: Held::default(), first, begun }
    }

    /// Searches, and puts together what was found.
    fn examine(&self, go_on: &mut dyn FnMut(Progress) -> bool) -> Report<Way> {
        let mut tally = Tally::default();
        let mut findings = self.search(&mut tally, go_on);
        findings.sort_by_key(|finding| (finding.successor.is_some(), finding.state));
        self.report(tally, findings.into_iter().next(), go_on)
    }

    /// The first state alone.
    fn first(&self) -> Rows {
        let print = self.shape.print(&self.first);
        let mut rows = Rows::default();
        let (id, _) = self.seen.shard(shard_of(print)).reach(print, &self.first, NOBODY);
        rows.push(&self.first, id, print);
        rows
    }

    /// Searches until everything was seen, something is broken, or a limit is reached.
    fn search(&self, tally: &mut Tally, go_on: &mut dyn FnMut(Progress) -> bool) -> Vec<Finding> {
        let mut frontier = self.first();
        let mut workers: Vec<_> =
            (0..self.options.threads.max(1)).map(|_| Worker::new(self)).collect();
        let mut findings = Vec::new();
        while frontier.len() > 0 && findings.is_empty() && tally.bound.is_none() {
            let rows = frontier.bytes();
            share_out(
                &mut workers,
                frontier.len(),
                |worker, index| worker.expand(&frontier, index),
                &mut || {
                    tally.bound = tally.look(self, rows, None, go_on).err();
                    tally.bound.is_none()
                },
            );
            for worker in &mut workers {
                worker.flush_all(&frontier);
                let is_wanted = |finding: &Finding| {
                    self.options.only.is_none_or(|promise| finding.broken.promise == promise)
                };
                findings.extend(worker.findings.drain(..).filter(is_wanted));
            }
            frontier.clear();
            for worker in &mut workers {
                frontier.append(&mut worker.next);
            }
            if frontier.len() > 0 && tally.bound.is_none() {
                if self.options.limits.depth.is_some_and(|limit| tally.depth >= limit) {
                    tally.bound = Some(Bound::Depth);
                } else {
                    tally.depth += 1;
                }
            }
        }
        for worker in workers {
            tally.states += worker.states;
            tally.ends += worker.ends;
            tally.reached.served |= worker.reached.served;
            tally.reached.contention |= worker.reached.contention;
        }
        tally.search_time = self.begun.elapsed();
        findings
    }

    /// Finds out costs and cycles.
    fn look_again(
        &self,
        tally: &mut Tally,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Afterwards, Bound> {
        let mut retraced = self.retrace(tally, go_on)?;
        let worst = retraced.worst.take().map(|worst| self.worst(worst)).transpose()?;
        let (mut liveness, mut counterexample) = (Liveness::Acyclic, None);
        if retraced.has_cycles {
            liveness = Liveness::FairCycles;
            counterexample = self.fair_cycle(&mut Watch::new(self, tally, go_on))?;
        }
        Ok(Afterwards { retraced, worst, liveness: Some(liveness), counterexample })
    }

    /// Finds out costs and cycles, if nothing is broken yet, and puts everything together.
    fn report(
        &self,
        mut tally: Tally,
        finding: Option<Finding>,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Report<Way> {
        let afterwards = match (finding, tally.bound) {
            (Some(finding), _) => self
                .counterexample(finding)
                .map(|found| Afterwards { counterexample: Some(found), ..Afterwards::default() }),
            (None, None) if self.options.costs != Costs::Ignored => {
                self.look_again(&mut tally, go_on)
            }
            (None, _) => Ok(Afterwards::default()),
        };
        let afterwards = afterwards.unwrap_or_else(|bound| {
            tally.bound = Some(bound);
            Afterwards::default()
        });
        let Afterwards { retraced, worst, liveness, counterexample } = afterwards;
        let verdict = match (&counterexample, tally.bound) {
            (Some(_), _) => Verdict::Violated,
            (None, Some(_)) => Verdict::Bounded,
            (None, None) => Verdict::Exhausted,
        };
        let unique = self.seen.len();
        Report {
            verdict,
            bound: tally.bound,
            states: tally.states + 1,
            unique,
            depth: tally.depth,
            bytes: tally.bytes,
            seconds: self.begun.elapsed().as_secs_f64(),
            search_seconds: tally.search_time.as_secs_f64(),
            properties: self.properties(counterexample.as_ref(), verdict, liveness),
            reached: tally.reached,
            ends: tally.ends,
            liveness,
            messages: retraced.messages,
            overtaken: retraced.overtaken.filter(|_| ask(self.shared).takes_turns()),
            collision_probability: self.options.identity.collision_probability(unique),
            worst,
            counterexample,
        }
    }

    fn properties(
        &self,
        counterexample: Option<&Counterexample<Way>>,
        verdict: Verdict,
        liveness: Option<Liveness>,
    ) -> Vec<Property> {
        let broken = counterexample.map(|found| found.broken.promise.as_str());
        let holds = |name: &str| match (verdict, broken) {
            (Verdict::Exhausted, _) => Some(true),
            (_, Some(broken)) if broken == name => Some(false),
            _ => None,
        };
        let mut names = ask(self.shared).promises();
        names.push("assertions hold");
        names.extend(broken.filter(|broken| *broken == SENDS_TO_NEIGHBOURS));
        let mut properties: Vec<_> = names
            .into_iter()
            .map(|name| Property { name: name.to_owned(), holds: holds(name) })
            .collect();
        if !self.world.perpetual {
            let name = path::COMES_TO_REST;
            let holds = holds(name).filter(|holds| !holds || liveness.is_some());
            properties.push(Property { name: name.to_owned(), holds });
        }
        properties
    }
}

#[cfg(test)]
mod tests;
