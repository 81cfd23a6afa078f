//! What can be wrong with what a user asks for.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

/// Why a command could not be carried out: bad usage or bad input.
#[derive(Debug)]
pub enum Failure {
    /// Something is wrong, and this says what would be right.
    Bad(String),
    /// Nobody reads our output any more.
    PipeClosed,
}

impl Failure {
    /// Bad usage or input.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::Bad(message.into())
    }

    /// A file that cannot be read or written. `doing` is such as `read the graph`.
    pub fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::Bad(format!("cannot {doing} {}: {error}", path.display()))
    }

    /// A name that nobody has, with the nearest ones that somebody has.
    pub fn unknown<'a>(
        what: &str,
        name: &str,
        valid: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let near = valid
            .clone()
            .map(|valid| (strsim::damerau_levenshtein(&name.to_lowercase(), valid), valid))
            .min()
            .filter(|(distance, valid)| *distance <= 2.max(valid.len() / 3));
        let begins = |valid: &&str| valid.split('-').any(|part| part == name.to_lowercase());
        let begun: Vec<_> = valid.clone().filter(begins).map(|it| format!("'{it}'")).collect();
        let hint = match near {
            Some((_, near)) => format!("did you mean '{near}'?"),
            None if !begun.is_empty() => format!("did you mean {}?", begun.join(" or ")),
            None => format!("there are {}", valid.collect::<Vec<_>>().join(", ")),
        };
        Self::Bad(format!("there is no {what} '{name}': {hint}"))
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(message) => f.write_str(message),
            Self::PipeClosed => f.write_str("the output was closed"),
        }
    }
}

impl std::error::Error for Failure {}

/// For errors of standard output, where a closed pipe is nobody's fault.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::PipeClosed,
            _ => Self::Bad(format!("cannot write the output: {error}")),
        }
    }
}

impl From<konklave_report::folder::FolderError> for Failure {
    fn from(error: konklave_report::folder::FolderError) -> Self {
        Self::Bad(format!("--out: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let valid = ["raymond", "ricart-agrawala", "chang-roberts"];
        let hint = |name| Failure::unknown("algorithm", name, valid.into_iter()).to_string();
        assert_eq!(hint("raimond"), "there is no algorithm 'raimond': did you mean 'raymond'?");
        assert!(hint("Ricart-Agrawalla").ends_with("did you mean 'ricart-agrawala'?"));
        assert!(hint("Ricart").ends_with("did you mean 'ricart-agrawala'?"));
        assert!(hint("paxos").ends_with("there are raymond, ricart-agrawala, chang-roberts"));
    }
}
