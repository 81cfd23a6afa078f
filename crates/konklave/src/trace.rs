//! A recorded run: what happened to which node, and what it did. Every driver writes this form, and
//! every driver can replay it, because a node's inputs decide its effects.
//!
//! On disk a trace is JSON Lines: a [`Header`], then one [`Line`] each, the last of them
//! [`Line::End`]; a trace without it was cut off. Messages are numbered from zero in the order in
//! which their `send` effects stand in the trace.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::protocol::{Broken, Effect, Input, Protocol};

/// The version of the format. A reader refuses others.
pub const VERSION: u32 = 1;

/// The first line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header<S> {
    /// Says that this is a trace, and of which version of the format.
    pub konklave_trace: u32,
    /// What is needed to build the same nodes again.
    pub setup: S,
}

/// Any other line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "snake_case")]
pub enum Line<P: Protocol> {
    /// A node took a step.
    Step(Step<P>),
    /// Something went wrong.
    Fault {
        /// When.
        at: u64,
        /// What.
        what: Fault<P>,
    },
    /// From here on, the steps up to the end can repeat for ever.
    Loop {
        /// When.
        at: u64,
    },
    /// The run is over.
    End(End),
}

/// One transition of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Step<P: Protocol> {
    /// When, in ticks.
    pub at: u64,
    /// Where.
    pub node: NodeId,
    /// What happened to the node.
    pub input: Input<P>,
    /// The number of the message that arrived; none if nobody sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// What the node did, in order.
    pub effects: Vec<Effect<P>>,
    /// The node's state afterwards, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// Something that is no node's doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "snake_case")]
pub enum Fault<P: Protocol> {
    /// The message with this number never arrives.
    Lost(u32),
    /// The message with this number arrives twice.
    Doubled(u32),
    /// The message with this number reaches a crashed node.
    Missed(u32),
    /// A node stops and forgets everything.
    Crash(NodeId),
    /// A crashed node starts anew.
    Restart(NodeId),
    /// A node stops for a while.
    Pause(NodeId),
    /// A paused node goes on.
    Resume(NodeId),
    /// Groups of nodes cannot reach each other.
    Partition(String),
    /// They can again.
    Heal(String),
    /// A node's memory is spoilt, as if by these messages; what it does about them is lost.
    Garbage {
        /// Whose.
        node: NodeId,
        /// What it believes to have received.
        messages: Vec<(NodeId, P::Msg)>,
    },
    /// A message appears that nobody sent.
    Forged {
        /// Whose it pretends to be.
        from: NodeId,
        /// Whom it reaches.
        to: NodeId,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Why it ended.
    pub ended: String,
    /// When, in ticks.
    pub time: u64,
    /// How many steps there are in the trace.
    pub steps: u64,
    /// The promise that was broken, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Broken>,
}

/// Why a run ended: what [`End::ended`] can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// Nothing was in transit any more, and no application wanted anything.
    Quiescence,
    /// Everything that was wanted has happened; the protocol itself never rests.
    Done,
    /// A promise was broken.
    Violation,
    /// The time limit was reached.
    TimeLimit,
    /// The limit of events was reached.
    EventLimit,
    /// The user stopped it.
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
