//! What a run came to.

use std::fmt::{self, Display};

use konklave::protocol::Broken;
use konklave::{NodeId, NodeSet};
use serde::Serialize;

use crate::metrics::Messages;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// Nothing was on its way any more, and nobody wanted anything.
    Quiescence,
    /// Everything that was wanted has happened; the protocol itself never rests.
    Done,
    /// A promise was broken.
    Violation,
    /// The time limit was reached.
    TimeLimit,
    /// The limit of events was reached.
    EventLimit,
    /// Somebody stopped it.
    Interrupted,
}

impl Ended {
    /// All reasons that there are.
    pub const ALL: [Self; 6] = [
        Self::Quiescence,
        Self::Done,
        Self::Violation,
        Self::TimeLimit,
        Self::EventLimit,
        Self::Interrupted,
    ];

    /// Whether the run was cut off before it could be judged.
    pub fn is_early(self) -> bool {
        matches!(self, Self::TimeLimit | Self::EventLimit | Self::Interrupted)
    }
}

impl Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quiescence => "quiescence",
            Self::Done => "done",
            Self::Violation => "violation",
            Self::TimeLimit => "time-limit",
            Self::EventLimit => "event-limit",
            Self::Interrupted => "interrupted",
        })
    }
}

/// A broken promise, and when it broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// When, in ticks.
    pub time: u64,
    /// Which promise.
    #[serde(flatten)]
    pub broken: Broken,
}

/// A node that waits, and whom it waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Who.
    pub node: NodeId,
    /// For whom.
    pub waits_for: NodeSet,
}

/// The result of a run. `R` is what its workload measured.
#[derive(Clone, Debug)]
pub struct Report<R> {
    /// The fingerprint of the run.
    pub digest: String,
    /// Why it ended.
    pub ended: Ended,
    /// When, in ticks.
    pub time: u64,
    /// How many messages were received.
    pub deliveries: u64,
    /// How many messages were sent, and which.
    pub messages: Messages,
    /// The longest chain of received messages, each caused by the one before.
    pub causal_depth: u32,
    /// Broken promises: none, or the first.
    pub violations: Vec<Violation>,
    /// If a promise was broken: nodes that wait, the first few.
    pub waiting: Vec<Waiting>,
    /// What the workload measured.
    pub problem: R,
}

impl<R> Report<R> {
    /// The same with the workload's measurements in another form.
    pub fn map<S>(self, form: impl FnOnce(R) -> S) -> Report<S> {
        Report {
            digest: self.digest,
            ended: self.ended,
            time: self.time,
            deliveries: self.deliveries,
            messages: self.messages,
            causal_depth: self.causal_depth,
            violations: self.violations,
            waiting: self.waiting,
            problem: form(self.problem),
        }
    }
}
