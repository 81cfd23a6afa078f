//! The command line as the user writes it.

mod faults;

use std::num::{IntErrorKind, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use konklave_sim::Delay;

use crate::check::CheckArgs;
use crate::check_history::CheckHistoryArgs;
use crate::compare::CompareArgs;
use crate::draw::{DrawArgs, ExportArgs};
use crate::experiment::ExperimentArgs;
use crate::fuzz::FuzzArgs;
use crate::given::Given;
use crate::replay::ReplayArgs;
use crate::ring::RingArgs;
use crate::shrink::ShrinkArgs;
use crate::sweep::SweepArgs;
pub use faults::FaultArgs;

/// Run, check, watch and ship distributed algorithms.
#[derive(Debug, Parser)]
#[command(name = "konklave", version, arg_required_else_help = true)]
#[command(after_help = "Examples:
  konklave list                                  what there is
  konklave explain raymond                       how it works
  konklave run raymond --nodes 127 --load heavy  what it costs
  konklave run chang-roberts --nodes 1000000     at scale
  konklave check maekawa --nodes 3               in every order
  konklave fuzz cao-singhal                      at random

Exit codes: 0 fine, 1 a promise was broken, 2 bad usage or input, 3 inconclusive.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the algorithms: family, network, cost, reference
    List(ListArgs),
    /// Explain an algorithm: idea, cost, assumptions, messages, promises
    Explain(ExplainArgs),
    /// Simulate an algorithm once and report what it costs
    Run(Box<RunArgs>),
    /// Run all algorithms of a family on the same workload; measured beside formula
    Compare(CompareArgs),
    /// Run many sizes and seeds: means, fitted growth, plots
    Sweep(Box<SweepArgs>),
    /// Look at every schedule of a small system, and at what it costs at least and at most
    Check(Box<CheckArgs>),
    /// Run many random schedules, and shorten what breaks a promise
    Fuzz(Box<FuzzArgs>),
    /// Make a schedule that breaks a promise as short as possible
    Shrink(ShrinkArgs),
    /// Run a trace again, step by step, and check that everything happens as recorded
    Replay(ReplayArgs),
    /// Draw a trace as a space-time diagram
    Draw(DrawArgs),
    /// Write a trace for other programs: ShiViz, Perfetto, spreadsheets
    Export(ExportArgs),
    /// Check whether the answers of a shared object can be explained
    CheckHistory(CheckHistoryArgs),
    /// Let a ring of threads elect leaders, again and again
    Ring(Box<RingArgs>),
    /// Try out what lies behind the formulas
    Experiment(ExperimentArgs),
    /// Print a script that completes commands in your shell
    #[command(after_help = "Example:
  konklave completions bash > ~/.local/share/bash-completion/completions/konklave")]
    Completions {
        /// For which shell
        shell: Shell,
    },
}

/// Options of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only the algorithms of this family, by a name that the list shows
    pub family: Option<String>,
    /// List broken algorithms instead, to learn from
    #[arg(long, conflicts_with = "family")]
    pub specimens: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Options of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave explain raymond
  konklave explain ricart-agrawala --source")]
pub struct ExplainArgs {
    /// The algorithm, by a name that `list` shows
    pub algorithm: String,
    /// Print the source file instead: it reads like the paper
    #[arg(long, conflicts_with = "json")]
    pub source: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Options of `run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave run chang-roberts --nodes 1000000 --seed 1 --json
  konklave run ricart-agrawala --nodes 50 --load heavy --entries 20 --delay uniform:1..10
  konklave run raymond --nodes 127 --topology tree:2 --load light
  konklave run raymond --nodes 7 --crash 2@40 --trace t.jsonl

Times are in ticks. T, the unit of reported times, is the mean delay of a message.")]
pub struct RunArgs {
    /// The algorithm, by a name that `list` shows
    #[arg(required_unless_present = "specimen", default_value = "", hide_default_value = true)]
    pub algorithm: String,
    /// A broken algorithm that `list --specimens` names
    #[arg(long, value_name = "NAME", conflicts_with = "algorithm")]
    pub specimen: Option<String>,

    /// How many nodes there are [default: as the topology says, or 10]
    #[arg(long, short, value_parser = number_of_nodes)]
    pub nodes: Option<u32>,
    /// Who can talk to whom: ring, directed-ring, line, star, tree:K, random-tree, complete,
    /// grid:WxH, torus:WxH, hypercube, debruijn, gnp:P, regular:D or file:PATH
    /// [default: what the algorithm needs]
    #[arg(long)]
    pub topology: Option<String>,
    /// Decides everything that is left to chance
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How long messages travel: constant:D, uniform:A..B, exp:MEAN, per-link:A..B or
    /// asymmetric:A..B
    #[arg(long, default_value = "constant:1")]
    pub delay: Delay,
    /// Channels keep the order of messages [default: if the algorithm needs it]
    #[arg(long)]
    pub fifo: bool,
    /// Neither the order of messages nor the longest delay that the algorithm relies on is kept
    #[arg(long)]
    pub beyond: bool,

    /// Options of the problem and of the algorithm, as the catalogue declares them
    #[arg(skip)]
    pub options: Given,
    /// What goes wrong
    #[command(flatten)]
    pub faults: FaultArgs,

    /// Stop after this tick
    #[arg(long, value_name = "TICKS", help_heading = "Limits")]
    pub time_limit: Option<u64>,
    /// Stop after so many messages, timers, commands and faults
    #[arg(long, value_name = "STEPS", help_heading = "Limits")]
    pub event_limit: Option<u64>,
    /// Write every step to this file, as JSON Lines
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write the node's state after each step, too
    #[arg(long, requires = "trace", help_heading = "Output")]
    pub states: bool,
    /// Write a report with pictures to this folder; the trace, too, if there are at most 100 nodes
    /// and --trace does not name another place
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write the network to this file: GraphML if it ends so, else DOT
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save_graph: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// More nodes than this do not fit in the memory of the machines that this is made for.
const NODES_MAX: u32 = 100_000_000;

pub(crate) fn number_of_nodes(text: &str) -> Result<u32, String> {
    let too_many = Err(format!("at most {NODES_MAX} nodes can be simulated"));
    match text.parse::<u64>() {
        Ok(0) => Err("a system has at least one node".to_owned()),
        Ok(nodes) if nodes <= u64::from(NODES_MAX) => Ok(nodes as u32),
        Ok(_) => too_many,
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => too_many,
        Err(_) => Err("write a number such as 1000".to_owned()),
    }
}

/// How many threads work.
pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok().filter(|threads: &NonZeroUsize| threads.get() <= THREADS_MAX);
    threads.ok_or_else(|| format!("write a number from 1 to {THREADS_MAX}"))
}

/// More threads than any machine has processors.
const THREADS_MAX: usize = 1024;

/// A time limit in seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "write a number of seconds above zero, such as 0.5 or 600".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
