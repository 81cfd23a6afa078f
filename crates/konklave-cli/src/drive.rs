//! Carries out a job with the nodes of one algorithm. Generic over it: the table picks the types.

mod broken;
mod check;
mod shrink;

use std::io::{self, Write};

use konklave::NodeId;
use konklave::booking::{self, Form};
use konklave::election::repeated::Repeated;
use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::{Monitor, Protocol};
use konklave_check::application::Application;
use konklave_check::{Coverage, Noted};
use konklave_sim::random::{Random, Stream};
use konklave_sim::workload::booking::{self as bookings, BookingReport, Diary};
use konklave_sim::workload::election::{self as ballot, Ballot, ElectionReport};
use konklave_sim::workload::mutex::{Contention, Demand, MutexReport, Plan};
use konklave_sim::workload::{Members, Workload};
use konklave_sim::{Options, Progress, Recording, Report, Simulation};
use konklave_stage::erased::AnyNode;
use konklave_stage::replay::{self, Replayed};
use konklave_stage::script::Script;
use serde::Serialize;

use crate::failure::Failure;
use crate::replay::describe;
use crate::site::Site;
pub use broken::{broken_election, broken_mutex};
pub use check::{CheckPlan, Checked, Told, world};
pub use shrink::Shorter;

/// What is to be done with a system.
pub enum Job<'a> {
    /// Simulate it.
    Run {
        /// How.
        plan: &'a RunPlan,
        /// Where to write the trace, and whether with states.
        trace: Option<(Box<dyn Write + 'a>, bool)>,
        /// Asked from time to time; can stop the run.
        go_on: &'a mut dyn FnMut(Progress) -> bool,
    },
    /// Simulate it as one of many.
    Try {
        /// How.
        plan: &'a RunPlan,
        /// Where the states of the monitor are counted.
        coverage: &'a Coverage,
        /// Asked from time to time; can stop the run.
        go_on: &'a mut dyn FnMut(Progress) -> bool,
    },
    /// Run a trace again.
    Replay {
        /// The trace without its header.
        lines: &'a mut dyn Iterator<Item = io::Result<String>>,
        /// Is shown each line, for people.
        show: &'a mut dyn FnMut(&str),
    },
    /// Play a golden script.
    Script(&'a Script),
    /// Look at every schedule.
    Check {
        /// How.
        plan: &'a CheckPlan,
        /// Asked from time to time; can stop the search.
        go_on: &'a mut dyn FnMut(konklave_check::Progress) -> bool,
    },
    /// Take away from a schedule what it does not need to break its promise.
    Shrink {
        /// The trace without its header.
        lines: &'a [String],
        /// Asked from time to time; can stop the search.
        go_on: &'a mut dyn FnMut() -> bool,
    },
}

/// How a system is to be simulated.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The simulator's options.
    pub options: Options,
    /// What applications do, in mutual exclusion and booking.
    pub mutex: MutexPlan,
    /// What applications do, in elections.
    pub election: ElectionPlan,
}

/// What applications do, in mutual exclusion and booking.
#[derive(Clone, Debug)]
pub struct MutexPlan {
    /// Who asks when.
    pub demand: Demand,
    /// How often each node enters.
    pub entries: u32,
    /// How long it stays inside, in ticks.
    pub inside: u64,
    /// How long it thinks, in ticks.
    pub think: u64,
    /// How many entries are not measured.
    pub warmup: u64,
    /// Who asks at all.
    pub requesters: Members,
}

/// What applications do, in elections.
#[derive(Clone, Debug)]
pub struct ElectionPlan {
    /// Who starts.
    pub initiators: Members,
    /// Within how many ticks.
    pub within: u64,
    /// How soon the others notice crashes, in ticks, if the algorithm wants to be told.
    pub notice: Option<u64>,
}

/// What came of a job.
pub enum Outcome {
    /// Of a simulation.
    Ran(Box<Report<Problem>>),
    /// Of a replay.
    Replayed(Replayed),
    /// Of a script: its text with the actual output.
    Played(String),
    /// Of a check.
    Checked(Box<Checked>),
    /// Of shrinking.
    Shrunk(Box<Shorter>),
}

/// What was measured about a family's problem, under the family's name.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Problem {
    /// About mutual exclusion.
    Mutex(MutexReport),
    /// About booking.
    Booking(BookingReport),
    /// About an election.
    Election(ElectionReport),
}

/// Carries out a job with the nodes of the site's algorithm. A node that fails an assertion of its
/// own is a result, so nothing is printed about it on the way.
///
/// # Errors
///
/// If the job does not fit the site, or a trace cannot be read or written.
pub fn carry_out(site: &Site, job: Job<'_>) -> Result<Outcome, Failure> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = (site.entry().drive)(site, job);
    std::panic::set_hook(hook);
    outcome
}

/// Drives an algorithm of mutual exclusion.
pub fn mutex<P>(site: &Site, job: Job<'_>, make: impl Fn(NodeId) -> P) -> Result<Outcome, Failure>
where
    P: Protocol<Command = mutex::Command, Event = mutex::Event>,
{
    let nodes = site.nodes();
    let workload = |plan: &RunPlan| {
        let MutexPlan { demand, entries, inside, think, warmup, requesters } = plan.mutex.clone();
        let plan = Plan {
            demand,
            entries,
            requesters: members("--requesters", &requesters, site)?,
            inside,
            think,
            warmup,
            unit: plan.options.delay.mean(),
            perpetual: plan.options.perpetual,
        };
        Ok(Contention::new(nodes, plan))
    };
    let monitor = mutex::Monitor::new(nodes);
    drive(site, job, make, workload, CheckPlan::visitors, monitor, Problem::Mutex)
}

/// Drives a booking algorithm of this form.
pub fn booking<P>(
    site: &Site,
    job: Job<'_>,
    form: Form,
    make: impl Fn(NodeId) -> P,
) -> Result<Outcome, Failure>
where
    P: Protocol<Command = booking::Command, Event = booking::Event>,
{
    let nodes = site.nodes();
    let workload = |plan: &RunPlan| {
        let MutexPlan { demand, entries, inside, think, warmup: _, requesters } =
            plan.mutex.clone();
        let plan = bookings::Plan {
            demand,
            attempts: entries,
            requesters: members("--requesters", &requesters, site)?,
            inside,
            think,
            unit: plan.options.delay.mean(),
        };
        Ok(Diary::new(nodes, plan))
    };
    let monitor = booking::Monitor::new(nodes, form);
    drive(site, job, make, workload, CheckPlan::guests, monitor, Problem::Booking)
}

/// Drives an election algorithm; `winner` is what it promises.
pub fn election<P>(
    site: &Site,
    job: Job<'_>,
    winner: Winner,
    make: impl Fn(NodeId) -> P,
) -> Result<Outcome, Failure>
where
    P: Protocol<Command = election::Command, Event = election::Event>,
{
    let ids = || site.ids().to_vec();
    let workload = |plan: &RunPlan| {
        let initiators = members("--initiators", &plan.election.initiators, site)?;
        refuse_rivals(initiators.len(), site)?;
        let ElectionPlan { within, notice, .. } = plan.election;
        let elections = site.setup().elections;
        Ok(Ballot::new(ids(), ballot::Plan { initiators, within, elections, notice }))
    };
    let monitor = election::Monitor::new(ids(), winner);
    let monitor = match site.entry().needs.overlapping {
        true => monitor.overlapping(),
        false => monitor,
    };
    drive(site, job, make, workload, CheckPlan::voters, monitor, Problem::Election)
}

/// Drives an algorithm that holds one election, as often as is asked for.
pub fn elections<P>(
    site: &Site,
    job: Job<'_>,
    winner: Winner,
    make: impl Fn(NodeId) -> P,
) -> Result<Outcome, Failure>
where
    P: Protocol<Command = election::Command, Event = election::Event>,
{
    election(site, job, winner, |me| Repeated::new(make(me)))
}

/// Some waves go wrong if two nodes start them.
fn refuse_rivals(initiators: usize, site: &Site) -> Result<(), Failure> {
    let entry = site.entry();
    match entry.needs.one_initiator {
        Some(instead) if initiators > 1 => Err(Failure::bad(format!(
            "{} is a wave of one initiator, and {initiators} are to start it: \
             write --initiators one, or use {instead}, which any number may start",
            entry.name
        ))),
        _ => Ok(()),
    }
}

fn members(option: &str, members: &Members, site: &Site) -> Result<Vec<NodeId>, Failure> {
    let mut random = Random::new(!site.setup().seed, Stream::Workload);
    let resolved = members.resolve(site.nodes(), &mut random);
    resolved.map_err(|problem| Failure::bad(format!("{option}: {problem}")))
}

/// What is in a hurry is compiled for each algorithm, the rest once for each problem.
fn drive<P, W, A, M>(
    site: &Site,
    job: Job<'_>,
    make: impl Fn(NodeId) -> P,
    workload: impl FnOnce(&RunPlan) -> Result<W, Failure>,
    applications: Applications<A>,
    monitor: M,
    wrap: fn(W::Report) -> Problem,
) -> Result<Outcome, Failure>
where
    P: Protocol<Command = M::Command, Event = M::Event>,
    W: Workload<Command = P::Command, Event = P::Event>,
    A: Application<Command = M::Command, Event = M::Event>,
    M: Monitor,
{
    if cfg!(test) {
        // Compiling what follows for every algorithm takes minutes; once is enough.
        unreachable!("unit tests drive nothing");
    }
    let (plan, coverage, trace, go_on): (_, _, _, &mut dyn FnMut(_) -> _) = match job {
        Job::Run { plan, trace, go_on } => (plan, None, trace, go_on),
        Job::Try { plan, coverage, go_on } => (plan, Some(coverage.clone()), None, go_on),
        job => return speak(site, job, &|me| AnyNode::new(make(me)), applications, monitor),
    };
    let (options, watched) = (plan.options.clone(), Noted::new(monitor, coverage));
    let simulation = Simulation::new(options, site.nodes(), make, workload(plan)?, watched);
    simulate(simulation, trace, go_on).map(|report| Outcome::Ran(Box::new(report.map(wrap))))
}

/// The applications for a plan.
type Applications<A> = fn(&CheckPlan, &Site) -> Result<Vec<A>, Failure>;

/// Carries out any job but a simulation, with nodes of any algorithm.
fn speak<A, M>(
    site: &Site,
    job: Job<'_>,
    make: &dyn Fn(NodeId) -> AnyNode<M::Command, M::Event>,
    applications: Applications<A>,
    monitor: M,
) -> Result<Outcome, Failure>
where
    A: Application<Command = M::Command, Event = M::Event>,
    M: Monitor,
{
    match job {
        Job::Run { .. } | Job::Try { .. } => Err(Failure::bad(format!(
            "{} is a broken specimen: konklave check --specimen shows it, replay what was found",
            site.entry().name
        ))),
        Job::Replay { lines, show } => {
            let mut show = |line: &_| show(&describe(line));
            replay::replay(lines, site.nodes(), make, monitor, &mut show)
                .map(Outcome::Replayed)
                .map_err(|error| Failure::bad(error.to_string()))
        }
        Job::Script(script) => {
            let nodes = NodeId::all(site.nodes()).map(make).collect();
            let played = script.play(nodes, monitor);
            played.map(Outcome::Played).map_err(|error| Failure::bad(error.to_string()))
        }
        Job::Check { plan, go_on } => {
            let checked = check::check(make, applications(plan, site)?, monitor, plan, go_on);
            Ok(Outcome::Checked(Box::new(checked)))
        }
        Job::Shrink { lines, go_on } => {
            shrink::shrink::<A, M>(make, site.nodes(), monitor, lines, go_on)
                .map(|shorter| Outcome::Shrunk(Box::new(shorter)))
        }
    }
}

fn simulate<'a, P, W, M>(
    mut simulation: Simulation<'a, P, W, M>,
    trace: Option<(Box<dyn Write + 'a>, bool)>,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Result<Report<W::Report>, Failure>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    if let Some((out, with_states)) = trace {
        simulation.record(Recording::new(out, with_states));
    }
    simulation
        .run(go_on)
        .map_err(|error| Failure::bad(format!("cannot write the trace: {error}; it is incomplete")))
}
