//! What can go wrong around an algorithm, and what is claimed to hold in spite of it.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// Something that an algorithm may assume not to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Disorder {
    /// Messages are lost.
    Loss,
    /// Messages are duplicated.
    Duplication,
    /// Nodes crash for ever, undetected or although they must not.
    Crash,
    /// Nodes crash and return, having forgotten everything.
    Restart,
    /// The network is cut into two groups for a while.
    Partition,
    /// Messages overtake each other.
    Overtaking,
    /// Messages exceed the maximum delay, or are slower than timers.
    Slowness,
}

impl Disorder {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Duplication => "duplication",
            Self::Crash => "crash",
            Self::Restart => "restart",
            Self::Partition => "partition",
            Self::Overtaking => "overtaking",
            Self::Slowness => "slowness",
        }
    }

    /// The label of the list item about it below `# Assumes` in a module doc.
    pub fn label(self) -> &'static str {
        match self {
            Self::Loss => "Loss",
            Self::Duplication => "Duplication",
            Self::Crash => "Crash",
            Self::Restart => "Restart",
            Self::Partition => "Partition",
            Self::Overtaking => "Order",
            Self::Slowness => "Slowness",
        }
    }
}

impl Display for Disorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an algorithm claims to hold in spite of a disorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// Nothing is claimed.
    Nothing,
    /// Nothing bad happens, but perhaps nothing good either.
    Safety,
    /// Every promise holds.
    Everything,
}

impl Claim {
    /// The sentence with which a module doc ends that states it, if there is one.
    pub fn sentence(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Safety => Some("Safety holds"),
            Self::Everything => Some("Every promise holds"),
        }
    }
}
