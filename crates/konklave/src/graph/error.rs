use std::error::Error;
use std::fmt::{self, Display};

use super::topology::{FORMS, Topology};

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// No topology has this name. [`NAMES`](super::NAMES) has those to choose from.
    UnknownTopology(String),
    /// The topology is known, but not written as it should be.
    BadTopology {
        /// What was written.
        text: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// The topology cannot be built with this number of nodes.
    CannotBuild {
        /// What was to be built.
        topology: Topology,
        /// Why it cannot be, and what could.
        problem: String,
    },
    /// The text of a file does not describe a graph.
    BadText {
        /// The line, counted from 1.
        line: u32,
        /// What is wrong there.
        problem: String,
    },
}

impl Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTopology(name) => {
                let [others @ .., last] = &FORMS;
                write!(f, "there is no topology `{name}`: write {} or {last}", others.join(", "))
            }
            Self::BadTopology { text, problem } => write!(f, "{text}: {problem}"),
            Self::CannotBuild { topology, problem } => write!(f, "{topology}: {problem}"),
            Self::BadText { line, problem } => write!(f, "line {line}: {problem}"),
        }
    }
}

impl Error for GraphError {}
