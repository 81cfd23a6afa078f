//! The subcommands of the command line and their options.

mod faults;
mod number;
mod turns;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use konklave_sim::{Delay, Measured};

use crate::check::CheckArgs;
use crate::check_history::CheckHistoryArgs;
use crate::compare::CompareArgs;
use crate::draw::{DrawArgs, ExportArgs};
use crate::experiment::ExperimentArgs;
use crate::fuzz::FuzzArgs;
use crate::given::Given;
use crate::lab::LabArgs;
use crate::replay::ReplayArgs;
use crate::ring::RingArgs;
use crate::setup::read_file;
use crate::shrink::ShrinkArgs;
use crate::sweep::SweepArgs;
pub use faults::FaultArgs;
pub(crate) use number::{count, faults, plain, positive, within};
pub use turns::TurnArgs;

/// Run, check, watch and ship distributed algorithms.
#[derive(Debug, Parser)]
#[command(name = "konklave", version, arg_required_else_help = true)]
#[command(after_help = "Examples:
  konklave list                                  which algorithms there are
  konklave explain raymond                       how it works
  konklave run raymond --nodes 127 --load heavy  what it costs
  konklave run chang-roberts --nodes 1000000     at scale
  konklave check maekawa --nodes 3               in every order
  konklave fuzz cao-singhal                      at random
  konklave lab                                   in a browser

Exit codes: 0 fine, 1 a promise was broken, 2 bad usage or input, 3
inconclusive.")]
pub struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The subcommands, with the summaries that `konklave --help` shows.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the algorithms: problem, network, cost, reference
    List(ListArgs),
    /// Explain an algorithm: idea, cost, assumptions, messages, promises
    Explain(ExplainArgs),
    /// Simulate an algorithm once and report what it costs
    Run(Box<RunArgs>),
    /// Run all algorithms of a problem on the same workload, and compare cost with formula
    Compare(CompareArgs),
    /// Run many sizes and seeds: means, fitted growth, plots
    Sweep(Box<SweepArgs>),
    /// Check every schedule of a small system: safety, liveness, best and worst case
    Check(Box<CheckArgs>),
    /// Run many random schedules, and shrink those that break a promise
    Fuzz(Box<FuzzArgs>),
    /// Shrink a schedule that breaks a promise: remove what it does not need
    Shrink(ShrinkArgs),
    /// Replay a trace step by step, and check that every step matches the recording
    Replay(ReplayArgs),
    /// Draw a trace as a space-time diagram
    Draw(DrawArgs),
    /// Convert a trace for other programs: ShiViz, Perfetto, spreadsheets
    Export(ExportArgs),
    /// Watch and steer systems in a browser
    Lab(LabArgs),
    /// Check whether a history is linearizable or sequentially consistent
    CheckHistory(CheckHistoryArgs),
    /// Run repeated leader elections on a ring of threads
    Ring(Box<RingArgs>),
    /// Measure the probabilities behind the formulas
    Experiment(ExperimentArgs),
    /// Print a script that completes commands in your shell
    #[command(after_help = "Example:
  konklave completions bash > ~/.local/share/bash-completion/completions/konklave")]
    Completions {
        /// The shell that the script is for
        shell: Shell,
    },
    /// Print the manual page, or that of a subcommand
    #[command(after_help = "Examples:
  konklave man | man -l -
  konklave man run > ~/.local/share/man/man1/konklave-run.1")]
    Man {
        /// A subcommand, such as run
        verb: Option<String>,
    },
    /// Print the JSON Schema of all JSON reports
    Schema,
}

/// Options of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only the algorithms of this problem, by a name that the list shows
    pub family: Option<String>,
    /// List the specimens instead: broken algorithms to learn from
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
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  konklave run chang-roberts --nodes 1000000 --seed 1 --json
  konklave run ricart-agrawala --nodes 50 --load heavy --entries 20 --delay uniform:1..10
  konklave run raymond --nodes 127 --topology tree:2 --load light
  konklave run raymond --nodes 7 --crash 2@40 --trace t.jsonl

A run is measured from its beginning to its end, unless --warmup is given;
`compare` and `sweep` measure the steady state of locks, as formulas do.
Times are in ticks. T, the unit of reported times, is the mean delay of a
message.")]
pub struct RunArgs {
    /// The algorithm, by a name that `list` shows
    #[arg(required_unless_present = "specimen", default_value = "", hide_default_value = true)]
    pub algorithm: String,
    /// A broken algorithm that `list --specimens` names
    #[arg(long, value_name = "NAME", conflicts_with = "algorithm")]
    pub specimen: Option<String>,

    /// Number of nodes [default: that of the topology, or 10]
    #[arg(long, short, value_parser = number_of_nodes)]
    pub nodes: Option<u32>,
    /// The network: ring, directed-ring, line, star, tree:K, random-tree, complete,
    /// grid:WxH, torus:WxH, hypercube, debruijn, gnp:P, regular:D, watts-strogatz:K,P,
    /// barabasi-albert:M or file:PATH
    /// [default: what the algorithm needs]
    #[arg(long)]
    pub topology: Option<String>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1, value_parser = count::<u64>)]
    pub seed: u64,
    /// Message delay: constant:D, uniform:A..B, exp:MEAN, per-link:A..B,
    /// asymmetric:A..B or file:PATH with a measured delay on each line
    #[arg(long, default_value = DELAY, value_parser = delay)]
    pub delay: Delay,
    /// Channels are FIFO: messages arrive in the order sent [default: if the algorithm needs it]
    #[arg(long)]
    pub fifo: bool,
    /// Links are reliable: nodes number, acknowledge and repeat their messages, so that none is
    /// lost or received twice
    #[arg(long)]
    pub reliable: bool,
    /// Go beyond the algorithm's assumptions: ignore the FIFO order and the maximum delay it needs
    #[arg(long)]
    pub beyond: bool,

    /// Options of the problem and of the algorithm, as the catalogue declares them
    #[arg(skip)]
    pub options: Given,
    /// The faults to inject
    #[command(flatten)]
    pub faults: FaultArgs,
    /// The turns of nodes that act by themselves
    #[command(flatten)]
    pub turns: TurnArgs,

    /// Stop after this tick
    #[arg(long, value_name = "TICKS", value_parser = count::<u64>, help_heading = "Limits")]
    pub time_limit: Option<u64>,
    /// Stop after this many events: messages, timers, commands and faults
    #[arg(long, value_name = "STEPS", value_parser = count::<u64>, help_heading = "Limits")]
    pub event_limit: Option<u64>,
    /// Write every step to this file, as JSON Lines; - is standard output, and the report then
    /// goes to standard error
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Include the node's state after each step in the trace
    #[arg(long, requires = "trace", help_heading = "Output")]
    pub states: bool,
    /// Write all operations on a shared object to this file, for check-history
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub history: Option<PathBuf>,
    /// Write the nodes as they are in the end to this file, as JSON; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub dump: Option<PathBuf>,
    /// Write a report with pictures to this folder; with at most 100 nodes it includes the trace,
    /// unless --trace names another file
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write the network to this file: GraphML if its name ends in .graphml, else DOT; - is
    /// standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save_graph: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// The default delay of every subcommand that simulates. With it, the clock is the time of the
/// literature, and most formulas have a value.
pub(crate) const DELAY: &str = "constant:1";

/// Formats of verdicts for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// JUnit XML for continuous integration, with a test case for each verdict
    Junit,
}

/// The largest system that fits in the memory of an ordinary machine.
const NODES_MAX: u32 = 100_000_000;

pub(crate) fn number_of_nodes(text: &str) -> Result<u32, String> {
    match plain(text).parse::<u128>() {
        Ok(0) => Err("a system has at least one node".to_owned()),
        Ok(nodes) if nodes <= NODES_MAX.into() => Ok(nodes as u32),
        Ok(_) => Err(format!("at most {NODES_MAX} nodes can be simulated")),
        Err(_) => Err("write a number such as 1000, 1_000_000 or 1e6".to_owned()),
    }
}

/// Parses a number of threads.
pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = plain(text).parse().ok();
    threads
        .filter(|threads: &NonZeroUsize| threads.get() <= THREADS_MAX)
        .ok_or_else(|| format!("write a number from 1 to {THREADS_MAX}"))
}

/// An upper bound that no machine's number of processors reaches.
const THREADS_MAX: usize = 1024;

/// Parses a time limit in seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "write a number of seconds above zero, such as 0.5 or 600".to_owned())
}

/// Parses a model of delays, and reads the file that it names.
pub(crate) fn delay(text: &str) -> Result<Delay, String> {
    let Some(path) = text.strip_prefix("file:") else { return in_digits(text).parse() };
    let content = read_file("read the delays", path).map_err(|failure| failure.to_string())?;
    let measured = Measured::read(path, &content).map_err(|problem| format!("{path}: {problem}"));
    measured.map(Delay::Measured)
}

/// A model of delays whose numbers are in digits only: `uniform:1..1e3` is `uniform:1..1000`.
fn in_digits(text: &str) -> String {
    let Some((name, numbers)) = text.split_once(':') else { return text.to_owned() };
    format!("{name}:{}", numbers.split("..").map(plain).collect::<Vec<_>>().join(".."))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn delays_are_read_in_every_form_of_numbers() {
        assert_eq!(delay("uniform:1e1..1_000"), Ok(Delay::Uniform(10, 1000)));
        assert_eq!(delay("constant:1.5e3"), Ok(Delay::Constant(1500)));
        let error = |text| delay(text).unwrap_err();
        assert!(error("constant:1e18").contains("less than 1099511627776"));
        assert!(error("constant:1.5").contains("'1.5' is not a number of ticks"));
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
