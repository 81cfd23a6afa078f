//! Runs a sequence of elections on a ring, by plan.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use konklave::NodeId;
use konklave::election::{Command, Event, Id};
use konklave::protocol::{Broken, Protocol};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Signal;
use crate::journal::Tally;
use crate::notice::{Ended, Summary, What};
use crate::ring::Ring;

/// The plan of a sequence of elections.
#[derive(Clone, Debug)]
pub struct ElectionPlan {
    /// The number of elections; unbounded if none.
    pub elections: Option<u64>,
    /// The pause between the end of an election and the start of the next.
    pub pause: Duration,
    /// The time after which an election is abandoned.
    pub timeout: Duration,
    /// The initiators.
    pub initiator: Initiator,
    /// The workers to kill, and when.
    pub kills: Vec<Moment>,
    /// The workers to restart, and when.
    pub revivals: Vec<Moment>,
    /// The seed for random initiators.
    pub seed: u64,
}

/// The initiators of an election.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initiator {
    /// The worker at this place, or the next one on the ring that is up.
    At(NodeId),
    /// One worker at random.
    Random,
    /// All workers simultaneously.
    All,
}

/// A worker, and the election at whose start it is killed or restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The number of the election, from one.
    pub election: u64,
    /// The worker.
    pub node: NodeId,
}

/// The results of a sequence of elections.
#[derive(Debug, Default)]
pub struct ElectionResults {
    /// The summaries of the last elections, at most 1000.
    pub elections: VecDeque<Summary>,
    /// The number of elections started.
    pub held: u64,
    /// The number of elections abandoned.
    pub abandoned: u64,
    /// The messages of all elections.
    pub messages: u64,
    /// The suspicions in all elections.
    pub suspicions: u64,
    /// For each id, the number of elections after which it was the leader.
    pub leaders: BTreeMap<Id, u64>,
    /// The first violation, if any.
    pub broken: Option<Broken>,
}

/// Bounds the memory of a ring that runs for weeks.
const REMEMBERED: usize = 1000;

impl ElectionResults {
    fn add(&mut self, summary: Summary) {
        self.held += 1;
        self.abandoned += u64::from(summary.ended == Ended::Abandoned);
        self.messages += summary.messages;
        self.suspicions += summary.suspicions;
        if let Some(leader) = summary.leader {
            *self.leaders.entry(leader).or_default() += 1;
        }
        if self.elections.len() == REMEMBERED {
            self.elections.pop_front();
        }
        self.elections.push_back(summary);
    }
}

/// The reason why a wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Woken {
    /// The goal was reached.
    Done,
    TimeUp,
    Stopped,
}

/// The goal of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Rest,
    TimeUp,
}

/// Runs elections until all are held, a promise breaks, or the ring is stopped; then closes it.
///
/// # Errors
///
/// If a thread cannot be started.
pub fn hold<P>(mut ring: Ring<P>, plan: &ElectionPlan) -> io::Result<ElectionResults>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let mut results = ElectionResults::default();
    let held = hold_all(&mut ring, plan, &mut results);
    results.broken = ring.broken();
    ring.close();
    held.map(|()| results)
}

fn hold_all<P>(
    ring: &mut Ring<P>,
    plan: &ElectionPlan,
    results: &mut ElectionResults,
) -> io::Result<()>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let last = plan.elections.unwrap_or(u64::MAX);
    for election in 1..=last {
        let summary = hold_one(ring, plan, election, &mut random)?;
        let is_stopped = summary.ended == Ended::Interrupted;
        results.add(summary);
        if is_stopped || election == last || pause(ring, plan)? == Woken::Stopped {
            break;
        }
    }
    Ok(())
}

fn hold_one<P>(
    ring: &mut Ring<P>,
    plan: &ElectionPlan,
    election: u64,
    random: &mut Xoshiro256PlusPlus,
) -> io::Result<Summary>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let since = Instant::now();
    ring.journal().take_tally();
    let is_now = |moment: &&Moment| moment.election == election;
    for moment in plan.revivals.iter().filter(is_now) {
        ring.revive(moment.node)?;
    }
    for moment in plan.kills.iter().filter(is_now) {
        ring.kill(moment.node);
    }
    let up = ring.up();
    let initiators = match plan.initiator {
        Initiator::All => up.clone(),
        Initiator::Random => {
            let place = (u128::from(random.next_u64()) * up.len() as u128) >> 64;
            up.get(place as usize).copied().into_iter().collect()
        }
        Initiator::At(node) => {
            let from = up.iter().find(|&&other| other >= node).or(up.first());
            from.copied().into_iter().collect()
        }
    };
    let expected = expected(ring, &initiators);
    let what = What::ElectionStarted { election, initiators: initiators.clone() };
    ring.journal().note_ring(what);
    ring.start(&initiators);
    let woken = await_goal(ring, since.checked_add(plan.timeout), Goal::Rest)?;
    let ended = match woken {
        Woken::Done => Ended::Finished,
        Woken::TimeUp => Ended::Abandoned,
        Woken::Stopped => Ended::Interrupted,
    };
    if ended == Ended::Finished {
        ring.journal().rested();
    }
    let tally = ring.journal().take_tally();
    let is_disturbed = tally.disturbances > 0 || tally.suspicions > 0;
    let Tally { proposals, announcements, discarded, suspicions, .. } = tally;
    let summary = Summary {
        election,
        ended,
        leader: ring.journal().leader(),
        workers: up.len() as u32,
        proposals,
        announcements,
        messages: proposals + announcements,
        discarded,
        expected: expected.filter(|_| !is_disturbed),
        suspicions,
        duration: since.elapsed().as_millis() as u64,
    };
    ring.journal().note_ring(What::ElectionSummary(summary.clone()));
    Ok(summary)
}

/// The cost of a single initiator, 2n + d: the proposal travels d hops to the largest id and n more
/// round the ring, and the announcement n.
fn expected<P>(ring: &Ring<P>, initiators: &[NodeId]) -> Option<u64>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let [initiator] = initiators else { return None };
    let up = ring.up();
    let place = |wanted: NodeId| up.iter().position(|&node| node == wanted);
    let largest = up.iter().copied().max_by_key(|&node| ring.id(node))?;
    let distance = (place(largest)? + up.len() - place(*initiator)?) % up.len();
    Some((2 * up.len() + distance) as u64)
}

/// Pauses after an election, then waits until elections of restarted workers have come to rest.
fn pause<P>(ring: &mut Ring<P>, plan: &ElectionPlan) -> io::Result<Woken>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let now = Instant::now();
    match await_goal(ring, now.checked_add(plan.pause), Goal::TimeUp)? {
        Woken::Stopped => Ok(Woken::Stopped),
        _ => await_goal(ring, Instant::now().checked_add(plan.timeout), Goal::Rest),
    }
}

fn await_goal<P>(ring: &mut Ring<P>, until: Option<Instant>, goal: Goal) -> io::Result<Woken>
where
    P: Protocol<Command = Command, Event = Event>,
{
    loop {
        if goal == Goal::Rest && ring.is_at_rest() {
            // The last event may have broken a promise.
            return Ok(if ring.broken().is_some() { Woken::Stopped } else { Woken::Done });
        }
        match ring.wait(until) {
            None => return Ok(Woken::TimeUp),
            Some(Signal::Stop) => return Ok(Woken::Stopped),
            Some(Signal::Rest) => {} // It may be outdated.
            Some(Signal::Kill(node)) if ring.up().len() > 1 => ring.kill(node),
            Some(Signal::Kill(_)) => {} // The last worker must stay up.
            Some(Signal::Revive(node)) => ring.revive(node)?,
        }
    }
}
