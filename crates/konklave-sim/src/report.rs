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

/// A node that waits, and for which nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The node.
    pub node: NodeId,
    /// The nodes that it waits for.
    pub waits_for: NodeSet,
}

/// How a self-stabilising system has become legal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stabilisation {
    /// After how many rounds the system was legal, and has been since; none if it is not.
    pub rounds: Option<u64>,
    /// In how many rounds it was legal again after the last damage; none if there was none, or it
    /// is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered_after_rounds: Option<u64>,
    /// How many messages each node has sent until then, or until the end, on average.
    pub messages_per_node: f64,
    /// How many messages a node has sent per round since then, on average.
    pub maintenance_per_node_and_round: f64,
    /// Whether the nodes were connected at the end of every round.
    pub connected: bool,
    /// Whether the system stayed legal once it was.
    pub closure: bool,
}

/// A round of a self-stabilising system.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Round {
    /// How many other nodes a member knew at its end, on average.
    pub known: f64,
    /// How many messages each node has sent in it, on average.
    pub messages: f64,
    /// Whether the system was legal at its end.
    pub legal: bool,
}

/// The result of a run. `R` is what its workload measured.
#[derive(Clone, Debug)]
pub struct RunReport<R> {
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
    /// How many rounds it took, if nodes act by themselves.
    pub rounds: u64,
    /// How the system has become legal, if its algorithm is self-stabilising.
    pub stabilisation: Option<Stabilisation>,
    /// The rounds of a self-stabilising system, one after the other.
    pub course: Vec<Round>,
    /// Broken promises: none, or the first.
    pub violations: Vec<Violation>,
    /// If a promise was broken: nodes that wait, the first few.
    pub waiting: Vec<Waiting>,
    /// What the workload measured.
    pub problem: R,
}

impl<R> RunReport<R> {
    /// The same with the workload's measurements in another form.
    pub fn map<S>(self, form: impl FnOnce(R) -> S) -> RunReport<S> {
        RunReport {
            digest: self.digest,
            ended: self.ended,
            time: self.time,
            deliveries: self.deliveries,
            messages: self.messages,
            causal_depth: self.causal_depth,
            rounds: self.rounds,
            stabilisation: self.stabilisation,
            course: self.course,
            violations: self.violations,
            waiting: self.waiting,
            problem: form(self.problem),
        }
    }
}
