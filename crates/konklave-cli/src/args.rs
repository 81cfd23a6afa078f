//! The command line as the user writes it.

mod faults;

use std::num::{IntErrorKind, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use konklave_sim::Delay;
use konklave_sim::workload::Members;
use konklave_sim::workload::mutex::Demand;

use crate::check::CheckArgs;
use crate::check_history::CheckHistoryArgs;
use crate::compare::CompareArgs;
use crate::draw::{DrawArgs, ExportArgs};
use crate::experiment::ExperimentArgs;
use crate::fuzz::FuzzArgs;
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
    /// Only this family: mutex, booking or election
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
    pub algorithm: String,

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

    /// What the nodes want
    #[command(flatten)]
    pub mutex: MutexArgs,
    /// What the nodes want
    #[command(flatten)]
    pub election: ElectionArgs,
    /// Options that only some algorithms have
    #[command(flatten)]
    pub variant: VariantArgs,
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

/// What the nodes want, in mutual exclusion and booking.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Mutual exclusion and booking")]
pub struct MutexArgs {
    /// How often each node enters, or tries to; under light load, on average [default: 5]
    #[arg(long)]
    pub entries: Option<u32>,
    /// light: one at a time, after rest; heavy: everyone, always; poisson:RATE: so many requests
    /// per T [default: heavy]
    #[arg(long)]
    pub load: Option<Demand>,
    /// How long a node stays inside [default: 5 T]
    #[arg(long, value_name = "TICKS")]
    pub cs: Option<u64>,
    /// How long a node thinks between two requests [default: 0]
    #[arg(long, value_name = "TICKS")]
    pub think: Option<u64>,
    /// Leave so many entries out of the measurements, at the beginning and at the end [default: 0]
    #[arg(long, value_name = "ENTRIES")]
    pub warmup: Option<u64>,
    /// Who asks: all, one, a number of nodes, or list:3,5,8 [default: all]
    #[arg(long, value_name = "NODES")]
    pub requesters: Option<Members>,
}

/// What the nodes want, in elections.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Election")]
pub struct ElectionArgs {
    /// How ids lie along the node numbers: random, ascending, descending, or file:PATH with one id
    /// per node [default: random]
    #[arg(long)]
    pub ids: Option<String>,
    /// Who starts: all, one, a number of nodes, or list:3,5,8 [default: all, or one if no more may]
    #[arg(long, value_name = "NODES")]
    pub initiators: Option<Members>,
    /// Everyone who starts does so at a random time up to this one [default: 0]
    #[arg(long, value_name = "TICKS")]
    pub start_within: Option<u64>,
    /// How many elections follow each other, each when the last is over [default: 1]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub elections: Option<u32>,
    /// How soon the others notice that a node has crashed or is back [default: T; the longest delay
    /// where the algorithm relies on it]
    #[arg(long, value_name = "TICKS")]
    pub notice: Option<u64>,
}

/// Options that only some algorithms have.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Variants")]
pub struct VariantArgs {
    /// What a sleeping node does when an election reaches it: all, suppress or relay
    #[arg(long)]
    pub wake: Option<String>,
    /// The form of the algorithm, where there are several: `explain` names them
    #[arg(long)]
    pub variant: Option<String>,
    /// Who is asked: auto, plane, grid or file:PATH, with a line `3: 0 3 7` for node 3's quorum
    #[arg(long)]
    pub quorum: Option<String>,
    /// Who is asked and who is informed: mixed, ricart-agrawala, maekawa or file:PATH, with a line
    /// `2: inform 2 / request 0 1 2` for node 2
    #[arg(long)]
    pub structure: Option<String>,
    /// How the token is found: broadcast, echo or tree
    #[arg(long)]
    pub search: Option<String>,
    /// How long an idle node keeps the token: none, or so many ticks
    #[arg(long)]
    pub linger: Option<String>,
    /// How many clusters the nodes form
    #[arg(long)]
    pub clusters: Option<String>,
    /// How many of its nodes a cluster serves before another has its turn
    #[arg(long)]
    pub bound: Option<String>,
    /// After how many ticks a node gives a round up: auto, which is 100 per node, or a number
    #[arg(long)]
    pub patience: Option<String>,
    /// The longest delay that the algorithm relies on, in ticks
    #[arg(long)]
    pub max_delay: Option<String>,
}

impl VariantArgs {
    /// The options that were given, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let options = [
            ("wake", &self.wake),
            ("variant", &self.variant),
            ("quorum", &self.quorum),
            ("structure", &self.structure),
            ("search", &self.search),
            ("linger", &self.linger),
            ("clusters", &self.clusters),
            ("bound", &self.bound),
            ("patience", &self.patience),
            ("max-delay", &self.max_delay),
        ];
        options.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }

    /// Gives an option.
    pub fn set(&mut self, name: &str, value: String) {
        let option = match name {
            "wake" => &mut self.wake,
            "variant" => &mut self.variant,
            "quorum" => &mut self.quorum,
            "structure" => &mut self.structure,
            "search" => &mut self.search,
            "linger" => &mut self.linger,
            "clusters" => &mut self.clusters,
            "bound" => &mut self.bound,
            "patience" => &mut self.patience,
            "max-delay" => &mut self.max_delay,
            _ => unreachable!("the table knows no option {name}"),
        };
        *option = Some(value);
    }
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
