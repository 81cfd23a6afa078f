use std::error::Error;
use std::fmt::{self, Display};

use super::topology::{FORMS, Topology};

/// Why a topology or a text does not give a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// No topology has this name. [`NAMES`](super::NAMES) lists all names.
    UnknownTopology(String),
    /// The topology is known, but its argument is malformed.
    BadTopology {
        /// The text that was parsed.
        text: String,
        /// The mistake, and the correct form.
        problem: String,
    },
    /// The topology cannot be built with this number of nodes.
    CannotBuild {
        /// The topology to build.
        topology: Topology,
        /// The reason, and a number of nodes that would work.
        problem: String,
    },
    /// The text of a file does not describe a graph.
    BadText {
        /// The line, counted from 1.
        line: u32,
        /// The mistake on that line.
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
