//! The search: breadth first, layer by layer.

mod chance;
mod conclusion;
mod cycles;
mod finding;
mod held;
mod path;
mod retrace;
mod threads;
mod watch;
mod worker;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use konklave::protocol::{Monitor, Protocol};

use crate::application::Application;
use crate::dictionary::Dictionary;
use crate::meaning::{Shared, ask};
use crate::report::{Bound, Reached, Schedule, SearchReport, Verdict};
use crate::rows::Rows;
use crate::seen::{Identity, NOBODY, Seen, shard_of};
use crate::shape::Shape;
use crate::system::{System, World};
use finding::{Finding, Findings};
use held::Held;
pub(crate) use path::{Move, Way};
use threads::share_out;
use watch::Watch;
use worker::Worker;

/// The options of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// The identity of states: fingerprints or whole states.
    pub identity: Identity,
    /// The number of threads.
    pub threads: usize,
    /// Whether to compute the minimum and maximum of messages, and to decide liveness.
    pub costs: Costs,
    /// The limits.
    pub limits: Limits,
    /// The promises of interest, of those that [`System::promises`] names; all of them, if none is
    /// given. Nothing is said about the others, but a schedule that breaks one is not followed any
    /// further: [`SearchReport::cuts`] names these.
    pub promises: Vec<String>,
    /// When the search is over, if no limit is reached before.
    pub until: Until,
}

/// When a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// As soon as a promise is broken.
    FirstBroken,
    /// When every promise is decided: broken ones have a schedule each. A schedule is followed up
    /// to the first promise that it breaks; lemmas may break on the way.
    AllDecided,
}

/// Whether the search is followed by one for costs and cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Costs {
    /// Safety is decided, and liveness only if the graph is seen to be acyclic on the way.
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
            promises: Vec::new(),
            until: Until::FirstBroken,
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
///
/// # Panics
///
/// If the options name a promise that the system does not have.
pub fn explore<P, A, M>(
    system: System<P, A, M>,
    options: Options,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> SearchReport<Schedule<P>>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let all = system.promises();
    for name in &options.promises {
        assert!(all.contains(&name.as_str()), "'{name}' is not among the promises: {all:?}");
    }
    let begun = Instant::now();
    let report = attempt(&system, options.clone(), begun, go_on);
    if report.verdict != Verdict::Violated || options.threads <= 1 {
        return report;
    }
    // Threads race for who finds what: the schedules come from a search that has only one, if it
    // gets that far.
    let alone = Options { threads: 1, ..options };
    match alone.until {
        Until::FirstBroken => {
            let again = attempt(&system, alone, begun, go_on);
            if again.verdict == Verdict::Violated { again } else { report }
        }
        Until::AllDecided => {
            let broken = report.counterexamples.iter();
            let promises = broken.map(|found| found.broken.promise.clone()).collect();
            let again = attempt(&system, Options { promises, ..alone }, begun, go_on);
            let is_complete = again.counterexamples.len() == report.counterexamples.len();
            let counterexamples = match is_complete {
                true => again.counterexamples,
                false => report.counterexamples,
            };
            SearchReport { counterexamples, seconds: again.seconds, ..report }
        }
    }
}

fn attempt<P, A, M>(
    system: &System<P, A, M>,
    options: Options,
    begun: Instant,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> SearchReport<Schedule<P>>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let (dictionary, first) = Dictionary::new(system.clone());
    let shared = Mutex::new(dictionary);
    let report = Space::new(&shared, first, options, begun, system.promises()).examine(go_on);
    let dictionary = shared.into_inner().expect("all threads ended well");
    report.map(|way| dictionary.script(system, way))
}

/// The states of a system, as far as they are known.
struct Space<'a> {
    options: Options,
    /// The names of the promises of interest.
    promises: Vec<&'static str>,
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
    /// Why the search was stopped, if it was.
    bound: Option<Bound>,
    /// Whether every state was seen.
    is_whole: bool,
    search_time: Duration,
}

impl<'a> Space<'a> {
    fn new(
        shared: &'a Shared,
        mut first: Vec<u32>,
        options: Options,
        begun: Instant,
        mut promises: Vec<&'static str>,
    ) -> Self {
        let wanted = &options.promises;
        promises.retain(|name| wanted.is_empty() || wanted.iter().any(|it| it == name));
        let meaning = ask(shared);
        let world = meaning.world();
        let shape = Shape::new(meaning.nodes(), meaning.codes(), world);
        drop(meaning);
        first.extend(shape.weather(world.faults, 0));
        let seen = Seen::new(options.identity);
        let held = Held::default();
        Self { options, promises, world, shape, shared, seen, held, first, begun }
    }

    /// Searches, and puts together what was found.
    fn examine(&self, go_on: &mut dyn FnMut(Progress) -> bool) -> SearchReport<Way> {
        let mut tally = Tally::default();
        let findings = self.search(&mut tally, go_on);
        self.conclude(tally, findings, go_on)
    }

    /// Whether anything is to be said about a promise.
    fn is_wanted(&self, promise: &str) -> bool {
        self.options.promises.is_empty() || self.promises.contains(&promise)
    }

    /// Whether what is broken is all that can be found.
    fn is_enough(&self, findings: &Findings) -> bool {
        match self.options.until {
            Until::FirstBroken => !findings.is_empty(),
            Until::AllDecided => self.promises.iter().all(|promise| findings.contain(promise)),
        }
    }

    /// The first state alone.
    fn first(&self) -> Rows {
        let print = self.shape.print(&self.first);
        let mut rows = Rows::default();
        let (id, _) = self.seen.shard(shard_of(print)).reach(print, &self.first, NOBODY);
        rows.push(&self.first, id, print);
        rows
    }

    /// Searches until everything was seen, enough is broken, or a limit is reached.
    fn search(&self, tally: &mut Tally, go_on: &mut dyn FnMut(Progress) -> bool) -> Findings {
        let mut frontier = self.first();
        let mut workers: Vec<_> =
            (0..self.options.threads.max(1)).map(|_| Worker::new(self)).collect();
        let mut findings = Findings::default();
        while frontier.len() > 0 && !self.is_enough(&findings) && tally.bound.is_none() {
            let rows = frontier.bytes();
            self.seen.begin_layer();
            workers.iter_mut().for_each(|worker| worker.depth = tally.depth);
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
                findings.take(&mut worker.findings, |promise| self.is_wanted(promise));
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
        tally.is_whole = frontier.len() == 0 && tally.bound.is_none();
        for worker in workers {
            tally.states += worker.states;
            tally.ends += worker.ends;
            tally.reached.served |= worker.reached.served;
            tally.reached.contention |= worker.reached.contention;
        }
        tally.search_time = self.begun.elapsed();
        findings
    }
}

#[cfg(test)]
mod tests;
