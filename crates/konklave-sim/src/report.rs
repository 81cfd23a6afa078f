//! What a run came to.

use konklave::protocol::Broken;
use konklave::trace::Ended;
use konklave::{NodeId, NodeSet};
use serde::Serialize;

use crate::metrics::Messages;

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
