//! What can be told about a ring: to people as a sentence, to programs as data.

use std::fmt::{self, Display};
use std::str::FromStr;

use konklave::NodeId;
use konklave::election::Id;
use serde::Serialize;

/// Something has happened.
#[derive(Clone, Debug, Serialize)]
pub struct Notice {
    /// When, in milliseconds since the ring was opened.
    pub t: u64,
    /// Its place in the journal.
    pub seq: u64,
    /// To whom; nobody in particular if it concerns the ring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<NodeId>,
    /// That worker's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What workers tell each other, whichever the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Vote {
    /// What is said about the candidate.
    pub message: Kind,
    /// The number of the round, where rounds are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Whom it is about.
    pub candidate: Id,
}

/// What is said about a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It would lead.
    Proposal,
    /// It leads.
    Elected,
}

/// What has happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs)] // The names of the fields say it.
pub enum What {
    /// The workers are about to start.
    RingStarted { size: u32, ids: Vec<Id> },
    /// All workers have stopped.
    RingStopped,
    /// The worker's threads run.
    WorkerStarted,
    /// The worker's thread ends.
    WorkerStopped,
    /// These were asked to start an election.
    ElectionStarted { election: u64, initiators: Vec<NodeId> },
    /// What the election came to.
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
    /// It passes the proposal of a larger one on.
    Forwarded {
        to: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// It passes the result on.
    Announced {
        to: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// The message ends here.
    Discarded {
        #[serde(flatten)]
        vote: Vote,
    },
    /// It takes part in the election now.
    Entered,
    /// It does not take part any more.
    Left,
    /// It is the leader now.
    Elected,
    /// It is not the leader any more.
    SteppedDown,
    /// It knows the leader now.
    LeaderKnown { leader: Id },
    /// The leader has its announcement back: everyone knows.
    Finished,
    /// The message was not taken in time.
    Timeout {
        to: NodeId,
        #[serde(flatten)]
        vote: Vote,
    },
    /// The neighbour is presumed dead.
    Suspected { neighbour: NodeId },
    /// The neighbour gets no more messages.
    Removed { neighbour: NodeId },
    /// The neighbour is back.
    Joined { neighbour: NodeId },
    /// The worker was killed.
    Killed,
    /// The worker was started again, and has forgotten everything.
    Revived,
    /// A promise was broken.
    Violated { promise: String, detail: String },
}

/// What an election came to.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Its number, from one.
    pub election: u64,
    /// How it ended.
    pub ended: Ended,
    /// The id of the one in office at the end.
    pub leader: Option<Id>,
    /// How many workers were up at the beginning.
    pub workers: u32,
    /// Messages that propose somebody.
    pub proposals: u64,
    /// Messages that announce the result.
    pub announcements: u64,
    /// Both together.
    pub messages: u64,
    /// How many of them ended early.
    pub discarded: u64,
    /// What the formula says, 2n + d, if one worker started and nobody died or came back.
    pub expected: Option<u64>,
    /// How often a worker presumed its neighbour dead.
    pub suspicions: u64,
    /// How long it took, in milliseconds.
    pub duration: u64,
}

/// How an election ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// With a result that everyone knows.
    Finished,
    /// By the time limit.
    Abandoned,
    /// Because the ring was stopped.
    Interrupted,
}

/// How important a notice is.
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
    /// How important it is.
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

    /// Whether it is shown even to those who want no log.
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
            What::Finished => f.write_str("has its announcement back: everyone knows"),
            What::Timeout { to, vote } => write!(f, "waited in vain: {to} did not take {vote}"),
            What::Suspected { neighbour } => {
                write!(f, "gets no answer from worker {neighbour}: presumed dead, skipped")
            }
            What::Removed { neighbour } => write!(f, "removes worker {neighbour} from its list"),
            What::Joined { neighbour } => write!(f, "has worker {neighbour} on its list again"),
            What::Killed => f.write_str("dies"),
            What::Revived => f.write_str("is back, and has forgotten everything"),
            What::Violated { promise, detail } => write!(f, "VIOLATED: {promise}: {detail}"),
        }
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.ended {
            Ended::Finished => "finished",
            Ended::Abandoned => "abandoned: it took too long",
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
    /// What one initiator costs at worst: 3n - 1.
    pub fn bound(&self) -> u64 {
        (3 * u64::from(self.workers)).saturating_sub(1)
    }
}

/// Numbers one after the other, the end left out if there are many.
fn listed(numbers: &[impl Display]) -> String {
    const SHOWN: usize = 24;
    let mut words: Vec<_> = numbers.iter().take(SHOWN).map(ToString::to_string).collect();
    if numbers.len() > SHOWN {
        words.push("...".to_owned());
    }
    words.join(", ")
}
