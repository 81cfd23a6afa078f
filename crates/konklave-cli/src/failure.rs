//! Errors in what the user asks for.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use konklave_catalog::refusal::Refusal;

/// Why a command could not be carried out: bad usage or bad input.
#[derive(Debug)]
pub enum Failure {
    /// An error message: what is wrong, why, and what works.
    Bad(String),
    /// The reader of standard output has closed the pipe.
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

/// Converts errors of standard output, where a closed pipe is not an error.
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

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Bad(refusal.to_string())
    }
}
