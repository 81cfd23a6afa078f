//! The options of `shrink`.

use std::path::PathBuf;

use clap::Args;

/// Options of `shrink`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  konklave run lamport --nodes 5 --loss 0.1 --trace t.jsonl
  konklave shrink t.jsonl && konklave replay t.shrunk.jsonl

What is left breaks the same promise, and nothing can be taken away from it. Then systems with fewer
nodes are searched for a while: if one breaks this promise with as few faults, that is the result.
A network or ids from a file stay as they are. A schedule that repeats for ever is refused.

Exit codes: 0 nothing more can be taken away, 2 bad usage or input, such as a trace that breaks no
promise, 3 inconclusive: somebody has stopped it before. 1, for a broken promise, is left to replay:
here it is what the trace is for.")]
pub struct ShrinkArgs {
    /// A trace that ends with a broken promise, as `run`, `fuzz` and `check` write it
    pub file: PathBuf,
    /// Where to write the result [default: beside FILE, as .shrunk.jsonl]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
