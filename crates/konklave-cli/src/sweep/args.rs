//! The options of `sweep`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use konklave_sim::Delay;

use crate::args::{DELAY, Format, count, delay, number_of_nodes, positive, threads};
use crate::given::Given;

/// The help heading of the options about runs and output.
const OUTPUT: &str = "Runs and output";

/// Options of `sweep`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  konklave sweep chang-roberts --nodes 100,1000,10000,100000 --seeds 30 --out out/cr
  konklave sweep mutex --nodes 7,13,31,57 --load heavy --out out/mutex
  konklave sweep raymond --nodes 15,63,255 --load light,heavy
  konklave sweep chang-roberts --nodes 10,100,1000 --assert 'messages <= 2*n*log2(n)+3*n'

A bound names n and measured quantities, by the names that results.csv and --json have: messages,
bytes, time, causal_depth, max_per_node, mean_per_node, and those of the problem, such as
messages_per_entry, waiting_time, waiting_time_p99 or messages_to_elect. A bound applies to the
means over seeds; the exit code is 1 if one does not hold.")]
pub struct SweepArgs {
    /// The algorithm, by a name that `list` shows; or a family, for all of its algorithms
    pub algorithm: String,

    /// Numbers of nodes, separated by commas
    #[arg(
        long, short, value_name = "SIZES", value_delimiter = ',', value_parser = number_of_nodes,
        default_value = "10,30,100,300,1000"
    )]
    pub nodes: Vec<u32>,
    /// Number of runs of each size, each with a seed of its own
    #[arg(
        long, value_name = "COUNT", default_value_t = 10,
        value_parser = positive::<u32>
    )]
    pub seeds: u32,
    /// The first seed
    #[arg(long, default_value_t = 1, value_parser = count::<u64>)]
    pub seed: u64,
    /// The network, as in `run` [default: what the algorithm needs]
    #[arg(long)]
    pub topology: Option<String>,
    /// Message delays, as in `run`, separated by commas
    #[arg(long, value_name = "DELAYS", value_delimiter = ',', default_value = DELAY,
        value_parser = delay)]
    pub delay: Vec<Delay>,
    /// Channels are FIFO: messages arrive in the order sent [default: if the algorithm needs it]
    #[arg(long)]
    pub fifo: bool,

    /// Options of the problem and of the algorithm, as the catalogue declares them
    #[arg(skip)]
    pub options: Given,

    /// A bound that the means must satisfy, such as 'messages <= 2*n*log2(n)+n'; can be repeated
    #[arg(long, value_name = "BOUND", help_heading = OUTPUT)]
    pub assert: Vec<String>,
    /// Number of runs in parallel [default: one per processor]
    #[arg(long, value_name = "COUNT", help_heading = OUTPUT, value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// Leave out sizes whose runs take more events: messages, timers, commands and faults
    /// [default: 200 million, or 200 per node]
    #[arg(
        long, value_name = "STEPS", help_heading = OUTPUT,
        value_parser = positive::<u64>
    )]
    pub event_limit: Option<u64>,
    /// Write a report with plots, and every run, to this folder
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Resume an interrupted sweep with the same --out; sizes and seeds may be added
    #[arg(long, requires = "out", help_heading = OUTPUT)]
    pub resume: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv", help_heading = OUTPUT)]
    pub json: bool,
    /// Print comma-separated values
    #[arg(long, help_heading = OUTPUT)]
    pub csv: bool,
    /// Print the verdicts as test cases, for continuous integration
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "csv"], help_heading = OUTPUT)]
    pub format: Option<Format>,
}
