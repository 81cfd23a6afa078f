//! Notices about a ring: as sentences for the log, and as data for programs.

use std::fmt::{self, Display};
use std::str::FromStr;

use konklave::NodeId;
use konklave::election::Id;
use serde::Serialize;

/// A notice: an entry of the journal.
#[derive(Clone, Debug, Serialize)]
pub struct Notice {
    /// The time, in milliseconds since the ring was opened.
    pub t: u64,
    /// Its sequence number in the journal.
    pub seq: u64,
    /// The worker concerned; none if the notice concerns the ring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<NodeId>,
    /// The id of that worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// The event.
    #[serde(flatten)]
    pub what: What,
}

/// The content of a message, independent of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Vote {
    /// Whether it proposes or announces the candidate.
    pub message: Kind,
    /// The number of the round, where rounds are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The id of the candidate.
    pub candidate: Id,
}

/// The kind of a message about a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Proposes the candidate as leader.
    Proposal,
    /// Announces the candidate as the winner.
    Elected,
}

/// The event that a notice reports.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs)] // The names of the fields say it.
pub enum What {
    /// The workers are about to start.
    RingStarted { size: u32, ids: Vec<Id> },
    /// All workers have stopped.
    RingStopped,
    /// The worker's threads are running.
    WorkerStarted,
    /// The worker's thread has ended.
    WorkerStopped,
    /// These workers were asked to start an election.
    ElectionStarted { election: u64, initiators: Vec<NodeId> },
    /// The result of the election.
    ElectionSummary(Summary),
    /// The worker starts, as an initiator.
    Started,
    /// A message was taken from the mailbox.
    Taken {
        from: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// A message was put into a mailbox, or waits for its slot.
    Sent {
        to: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// The worker proposes itself.
    Proposed {
        to: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// The worker forwards the proposal of a larger candidate.
    Forwarded {
        to: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// The worker announces or forwards the result.
    Announced {
        to: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// The worker discards the message.
    Discarded {
        #[serde(flatten)]
        vote: Vote,
    },
    /// The worker takes part in the election.
    Entered,
    /// The worker no longer takes part in the election.
    Left,
    /// The worker is elected.
    Elected,
    /// The worker is no longer the leader.
    SteppedDown,
    /// The worker knows the leader.
    LeaderKnown { leader: Id },
    /// The announcement has returned to the leader: all workers know.
    Finished,
    /// The message was not taken in time.
    Timeout {
        to: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// The neighbour is suspected to have crashed.
    Suspected { neighbour: NodeId },
    /// The worker sends no more messages to the neighbour.
    Removed { neighbour: NodeId },
    /// The neighbour has restarted.
    Joined { neighbour: NodeId },
    /// The worker was killed.
    Killed,
    /// The worker was restarted in its initial state.
    Revived,
    /// A promise was broken.
    Violated { promise: String, detail: String },
}

/// The result of an election.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Its number, from one.
    pub election: u64,
    /// Why the election ended.
    pub ended: Ended,
    /// The id of the leader at the end.
    pub leader: Option<Id>,
    /// The number of workers that were up at the start.
    pub workers: u32,
    /// The number of proposals.
    pub proposals: u64,
    /// The number of announcements.
    pub announcements: u64,
    /// The number of proposals and announcements.
    pub messages: u64,
    /// The number of messages discarded.
    pub discarded: u64,
    /// The formula 2n + d, if there was one initiator and no worker crashed or restarted.
    pub expected: Option<u64>,
    /// The number of times a worker suspected its neighbour.
    pub suspicions: u64,
    /// The duration, in milliseconds.
    pub duration: u64,
}

/// Why an election ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All workers know the result.
    Finished,
    /// The time limit was reached.
    Abandoned,
    /// The ring was stopped.
    Interrupted,
}

/// The log level of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
    Critical,
}

const LEVELS: [(Level, &str); 6] = [
    (Level::Trace, "TRACE"),
    (Level::Debug, "DEBUG"),
    (Level::Info, "INFO"),
    (Level::Warn, "WARN"),
    (Level::Error, "ERROR"),
    (Level::Critical, "CRITICAL"),
];

impl Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LEVELS[*self as usize].1)
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |&(level, name): &(Self, &str)| {
            (text == (level as u8).to_string() || text.eq_ignore_ascii_case(name)).then_some(level)
        };
        LEVELS.iter().find_map(number).ok_or_else(|| {
            "write 0 to 5, or trace, debug, info, warn, error or critical".to_owned()
        })
    }
}

impl Notice {
    /// The log level of this notice.
    pub fn level(&self) -> Level {
        match &self.what {
            What::Sent { .. } => Level::Trace,
            What::Taken { .. }
            | What::WorkerStarted
            | What::WorkerStopped
            | What::Started
            | What::Entered
            | What::Left
            | What::SteppedDown
            | What::LeaderKnown { .. }
            | What::Finished
            | What::Timeout { .. }
            | What::Removed { .. }
            | What::Joined { .. } => Level::Debug,
            What::RingStarted { .. }
            | What::RingStopped
            | What::ElectionStarted { .. }
            | What::Proposed { .. }
            | What::Forwarded { .. }
            | What::Announced { .. }
            | What::Discarded { .. }
            | What::Elected => Level::Info,
            What::Suspected { .. } | What::Killed | What::Revived => Level::Warn,
            What::ElectionSummary(summary) if summary.ended == Ended::Abandoned => Level::Error,
            What::ElectionSummary(_) => Level::Info,
            What::Violated { .. } => Level::Critical,
        }
    }

    /// Whether it is shown even without a log.
    pub fn is_main(&self) -> bool {
        matches!(
            self.what,
            What::RingStarted { .. }
                | What::ElectionStarted { .. }
                | What::Elected
                | What::ElectionSummary(_)
                | What::Suspected { .. }
                | What::Killed
                | What::Revived
                | What::Violated { .. }
        )
    }
}

impl Display for Vote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.message {
            Kind::Proposal => "proposal",
            Kind::Elected => "election",
        };
        write!(f, "the {kind} of {}", self.candidate)?;
        self.round.map_or(Ok(()), |round| write!(f, " in round {round}"))
    }
}

impl Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(worker), Some(id)) = (self.worker, self.id) {
            write!(f, "worker {worker} (id {id}) ")?;
        }
        match &self.what {
            What::RingStarted { size: 1, ids } => {
                write!(f, "a ring of 1 worker, id {}", listed(ids))
            }
            What::RingStarted { size, ids } => {
                write!(f, "a ring of {size} workers, ids {}", listed(ids))
            }
            What::RingStopped => f.write_str("the ring has stopped"),
            What::WorkerStarted => f.write_str("starts"),
            What::WorkerStopped => f.write_str("stops"),
            What::ElectionStarted { election, initiators } => {
                write!(f, "election {election} begins at worker {}", listed(initiators))
            }
            What::ElectionSummary(summary) => write!(f, "{summary}"),
            What::Started => f.write_str("starts an election"),
            What::Taken { from, vote } => write!(f, "takes {vote} from worker {from}"),
            What::Sent { to, vote } => write!(f, "sends {vote} to worker {to}"),
            What::Proposed { to, .. } => write!(f, "proposes itself to worker {to}"),
            What::Forwarded { to, vote } => write!(f, "forwards {vote} to worker {to}"),
            What::Announced { to, vote } => write!(f, "announces {vote} to worker {to}"),
            What::Discarded { vote } => write!(f, "discards {vote}"),
            What::Entered => f.write_str("joins the election"),
            What::Left => f.write_str("leaves the election"),
            What::Elected => f.write_str("is elected"),
            What::SteppedDown => f.write_str("steps down"),
            What::LeaderKnown { leader } => write!(f, "knows the leader: {leader}"),
            What::Finished => f.write_str("has its announcement back: all workers know"),
            What::Timeout { to, vote } => write!(f, "times out: worker {to} did not take {vote}"),
            What::Suspected { neighbour } => {
                write!(f, "gets no answer from worker {neighbour}: suspected, skipped")
            }
            What::Removed { neighbour } => write!(f, "removes worker {neighbour} from its list"),
            What::Joined { neighbour } => write!(f, "has worker {neighbour} on its list again"),
            What::Killed => f.write_str("crashes"),
            What::Revived => f.write_str("restarts without its state"),
            What::Violated { promise, detail } => write!(f, "VIOLATED: {promise}: {detail}"),
        }
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.ended {
            Ended::Finished => "finished",
            Ended::Abandoned => "abandoned: it timed out",
            Ended::Interrupted => "interrupted",
        };
        write!(f, "election {} {how}, {} messages", self.election, self.messages)?;
        if let Some(expected) = self.expected {
            write!(f, " (2n+d = {expected}, at most {})", self.bound())?;
        }
        match self.leader {
            Some(leader) => write!(f, ", leader {leader}"),
            None => f.write_str(", no leader"),
        }
    }
}

impl Summary {
    /// The worst case with one initiator: 3n - 1.
    pub fn bound(&self) -> u64 {
        (3 * u64::from(self.workers)).saturating_sub(1)
    }
}

/// A comma-separated list, cut off if it is long.
fn listed(numbers: &[impl Display]) -> String {
    const SHOWN: usize = 24;
    let mut words: Vec<_> = numbers.iter().take(SHOWN).map(ToString::to_string).collect();
    if numbers.len() > SHOWN {
        words.push("...".to_owned());
    }
    words.join(", ")
}
