//! A recorded run: the inputs of every node, and their effects. Every driver writes this format,
//! and every driver can replay it, because a node's inputs determine its effects.
//!
//! On disk a trace is JSON Lines: a [`Header`], then one [`Line`] each, the last of them
//! [`Line::End`]; a trace without it was cut off. Messages are numbered from zero in the order in
//! which their `send` effects stand in the trace.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::protocol::{Broken, Effect, Input, Protocol};

/// The version of the format. A reader rejects any other.
pub const VERSION: u32 = 1;

/// The first line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header<S> {
    /// Marks the file as a trace; the value is the version of the format.
    pub konklave_trace: u32,
    /// The setup from which the same nodes can be rebuilt.
    pub setup: S,
}

/// Any other line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "snake_case")]
pub enum Line<P: Protocol> {
    /// A node performed a transition.
    Step(Step<P>),
    /// A fault was injected.
    Fault {
        /// The time, in ticks.
        at: u64,
        /// The fault.
        what: Fault<P>,
    },
    /// The steps from here to the end form a cycle, which can repeat for ever.
    Loop {
        /// The time, in ticks.
        at: u64,
    },
    /// The run is over.
    End(End),
}

/// One transition of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Step<P: Protocol> {
    /// The time, in ticks.
    pub at: u64,
    /// The node that performed it.
    pub node: NodeId,
    /// The input that triggered it.
    pub input: Input<P>,
    /// The number of the message that arrived; none for a forged message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The effects, in order.
    pub effects: Vec<Effect<P>>,
    /// The node's state afterwards, if states are recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A fault of a channel, of a node or of the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "snake_case")]
pub enum Fault<P: Protocol> {
    /// The message with this number is lost.
    Lost(u32),
    /// The message with this number is duplicated.
    Doubled(u32),
    /// The message with this number arrives at a crashed node and is lost.
    Missed(u32),
    /// A node crashes and loses its state.
    Crash(NodeId),
    /// A crashed node restarts in its initial state.
    Restart(NodeId),
    /// A node stops without losing its state.
    Pause(NodeId),
    /// A paused node resumes.
    Resume(NodeId),
    /// A partition: these groups of nodes cannot reach each other.
    Partition(String),
    /// The partition ends.
    Heal(String),
    /// A node's state is corrupted, as if by these messages; their effects are discarded.
    Garbage {
        /// The corrupted node.
        node: NodeId,
        /// The messages that it seems to have received.
        messages: Vec<(NodeId, P::Msg)>,
    },
    /// A node's state is damaged, in a way that its algorithm has a name for.
    Damage {
        /// The damaged node.
        node: NodeId,
        /// The damage.
        name: String,
        /// What was chosen about it.
        choices: Vec<u32>,
    },
    /// A message is forged: no node sent it.
    Forged {
        /// The pretended sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The reason, such as quiescence or a violation.
    pub ended: Ended,
    /// The time, in ticks.
    pub time: u64,
    /// The number of steps in the trace.
    pub steps: u64,
    /// The violated promise, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Broken>,
}

/// Why a run ended: what [`End::ended`] can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// Nothing was in transit any more, and no application wanted anything.
    Quiescence,
    /// Everything that was wanted has happened; the protocol itself never rests.
    Done,
    /// The system was legal for as long as was asked for.
    Stable,
    /// A promise was broken.
    Violation,
    /// The time limit was reached.
    TimeLimit,
    /// The limit of events was reached.
    EventLimit,
    /// The limit of rounds was reached before the system was legal for long enough.
    RoundLimit,
    /// The user stopped it.
    Interrupted,
}

impl Ended {
    /// All reasons that there are.
    pub const ALL: [Self; 8] = [
        Self::Quiescence,
        Self::Done,
        Self::Stable,
        Self::Violation,
        Self::TimeLimit,
        Self::EventLimit,
        Self::RoundLimit,
        Self::Interrupted,
    ];

    /// Whether the run was cut off before it could be judged.
    pub fn is_early(self) -> bool {
        use Ended::{EventLimit, Interrupted, RoundLimit, TimeLimit};
        matches!(self, TimeLimit | EventLimit | RoundLimit | Interrupted)
    }
}

impl Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quiescence => "quiescence",
            Self::Done => "done",
            Self::Stable => "stable",
            Self::Violation => "violation",
            Self::TimeLimit => "time-limit",
            Self::EventLimit => "event-limit",
            Self::RoundLimit => "round-limit",
            Self::Interrupted => "interrupted",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_have_the_same_names_for_people_and_for_programs() {
        for ended in Ended::ALL {
            let json = format!("\"{ended}\"");
            assert_eq!(serde_json::to_string(&ended).unwrap(), json);
            assert_eq!(serde_json::from_str::<Ended>(&json).unwrap(), ended);
        }
        assert!(serde_json::from_str::<Ended>("\"boredom\"").is_err());
    }
}
