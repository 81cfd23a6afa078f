//! One election after the other.

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

/// How elections are to go.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many; without end if there is no number.
    pub elections: Option<u64>,
    /// How long to wait after the end of one before the next.
    pub pause: Duration,
    /// When one is given up.
    pub timeout: Duration,
    /// Who starts.
    pub initiator: Initiator,
    /// Who dies when.
    pub kills: Vec<Moment>,
    /// Who comes back when.
    pub revivals: Vec<Moment>,
    /// Decides who starts, where that is left to chance.
    pub seed: u64,
}

/// Who starts an election.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initiator {
    /// The worker at this place; if it is dead, the next on the ring.
    At(NodeId),
    /// Any one.
    Random,
    /// Everyone at once.
    All,
}

/// A worker, and the election at whose beginning something happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The number of the election, from one.
    pub election: u64,
    /// The worker.
    pub node: NodeId,
}

/// What it all came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What the last elections came to; all of them, unless there were very many.
    pub elections: VecDeque<Summary>,
    /// How many were begun.
    pub held: u64,
    /// How many of them were given up.
    pub abandoned: u64,
    /// The messages of all.
    pub messages: u64,
    /// The suspicions of all.
    pub suspicions: u64,
    /// How often whom was in office at the end of one.
    pub leaders: BTreeMap<Id, u64>,
    /// The first promise that was broken.
    pub broken: Option<Broken>,
}

/// A ring that runs for weeks must not fill the memory.
const REMEMBERED: usize = 1000;

impl Outcome {
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

/// Why a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Woken {
    /// What was waited for has happened.
    Done,
    TimeUp,
    Stopped,
}

/// What to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Rest,
    TimeUp,
}

/// Holds elections until all are held, a promise breaks, or somebody stops the ring; then closes
/// it. The error is that of a thread that could not be started.
pub fn hold<P>(mut ring: Ring<P>, plan: &Plan) -> io::Result<Outcome>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let mut outcome = Outcome::default();
    let held = hold_all(&mut ring, plan, &mut outcome);
    outcome.broken = ring.broken();
    ring.close();
    held.map(|()| outcome)
}

fn hold_all<P>(ring: &mut Ring<P>, plan: &Plan, outcome: &mut Outcome) -> io::Result<()>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let last = plan.elections.unwrap_or(u64::MAX);
    for election in 1..=last {
        let summary = hold_one(ring, plan, election, &mut random)?;
        let is_stopped = summary.ended == Ended::Interrupted;
        outcome.add(summary);
        if is_stopped || election == last || pause(ring, plan)? == Woken::Stopped {
            break;
        }
    }
    Ok(())
}

fn hold_one<P>(
    ring: &mut Ring<P>,
    plan: &Plan,
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

/// What a single initiator costs: the proposal travels d hops to the largest id and n more back
/// there, and the announcement n.
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

/// Waits after an election; then for the end of what was caused by those who came back meanwhile.
fn pause<P>(ring: &mut Ring<P>, plan: &Plan) -> io::Result<Woken>
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
            // What broke a promise may have been the last thing to happen.
            return Ok(if ring.broken().is_some() { Woken::Stopped } else { Woken::Done });
        }
        match ring.wait(until) {
            None => return Ok(Woken::TimeUp),
            Some(Signal::Stop) => return Ok(Woken::Stopped),
            Some(Signal::Rest) => {} // Perhaps an old one.
            Some(Signal::Kill(node)) if ring.up().len() > 1 => ring.kill(node),
            Some(Signal::Kill(_)) => {} // Somebody has to be there.
            Some(Signal::Revive(node)) => ring.revive(node)?,
        }
    }
}
