//! The options of `shrink`.

use std::path::PathBuf;

use clap::Args;

/// Options of `shrink`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  konklave run lamport --nodes 5 --loss 0.1 --trace t.jsonl
  konklave shrink t.jsonl && konklave replay t.shrunk.jsonl

The result breaks the same promise, and without any one of its parts it no
longer does. Systems of up to 3 nodes are searched first, with as many requests
and faults; if none breaks the promise, nodes are removed one by one. In the
end the system is searched for a shorter schedule. The result is called minimal
only if these searches prove it; `searched` in the JSON object says how far
they got. Fewer nodes have default quorums and networks instead of those from
files. A schedule that repeats for ever is refused.

Exit codes: 0 the schedule is shrunk, 2 bad usage or input, such as a trace
that keeps all promises, 3 inconclusive: the user interrupted it. Exit code 1
is not used, because every trace to shrink breaks a promise.")]
pub struct ShrinkArgs {
    /// A trace that ends with a broken promise, written by `run`, `fuzz` or `check`
    pub file: PathBuf,
    /// Write the result to this file [default: beside FILE, as .shrunk.jsonl]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
