//! Reads the file of a trace.

use std::fmt::{self, Display};
use std::io::BufRead;

use konklave::trace::{Header, Line, VERSION};
use konklave_stage::erased::Erased;
use serde_json::Value;

/// A trace from a file. What its setup means, the one who wrote it knows.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What is needed to build the nodes again.
    pub setup: Value,
    /// The lines after the header. If the last is not [`Line::End`], the trace was cut off.
    pub lines: Vec<Line<Erased>>,
}

impl Recorded {
    /// How many nodes the setup says there are.
    pub fn nodes(&self) -> Option<usize> {
        self.setup.get("nodes").and_then(Value::as_u64).map(|nodes| nodes as usize)
    }
}

/// A trace that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The line at fault, counted from one; the header is the first.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for TraceError {}

/// Reads a trace, header and all.
///
/// # Errors
///
/// If it cannot be read, is not a trace, or has another version of the format.
pub fn read(file: impl BufRead) -> Result<Recorded, TraceError> {
    let mut setup = None;
    let mut lines = Vec::new();
    for (index, text) in file.lines().enumerate() {
        let error = |problem: String| TraceError { line: index + 1, problem };
        let text = text.map_err(|problem| error(problem.to_string()))?;
        if setup.is_some() {
            let line = serde_json::from_str(&text);
            lines.push(line.map_err(|e| error(format!("this is not a line of a trace ({e})")))?);
            continue;
        }
        let header: Header<Value> = serde_json::from_str(&text).map_err(|_| {
            error("this is not a trace: its first line has no field 'konklave_trace'".to_owned())
        })?;
        if header.konklave_trace != VERSION {
            let theirs = header.konklave_trace;
            let problem = format!(
                "the trace has version {theirs} of the format, but only {VERSION} can be read"
            );
            return Err(error(problem));
        }
        setup = Some(header.setup);
    }
    match setup {
        Some(setup) => Ok(Recorded { setup, lines }),
        None => Err(TraceError { line: 1, problem: "the file is empty".to_owned() }),
    }
}
