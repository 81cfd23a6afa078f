//! The options of `compare`.

use std::path::PathBuf;

use clap::Args;
use konklave_catalog::setup::read_topology;
use konklave_sim::Delay;

use crate::args::{DELAY, Format, TurnArgs, count, delay, number_of_nodes, positive};
use crate::given::Given;

/// The default number of nodes.
pub(crate) const NODES: &str = "13";

/// Options of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave compare mutex --nodes 13
  konklave compare mutex --nodes 57 --load heavy --markdown
  konklave compare raymond,naimi-trehel,suzuki-kasami --nodes 13 --load light,heavy
  konklave compare mutex --nodes 13 --load heavy --variants
  konklave compare election --topology ring --nodes 1024
  konklave compare mutex --nodes 13 --load heavy --out out/mutex

--load takes several loads, separated by commas, each with rows of its own.
`sweep` takes lists of sizes, networks, delays, variants and faults as well.

The problem decides which workload is run, and how often: locks have one long
run, measured in its steady state if there is one, because formulas are about
that; algorithms that depend on the order of ids run for several orders. The
heading names the options with which `run`, which measures the whole of a
shorter run otherwise, shows the same figures.")]
pub struct CompareArgs {
    /// The problem, by a name that `list` shows; or some of its algorithms, separated by commas
    #[arg(value_name = "ALGORITHMS")]
    pub family: String,
    /// Number of nodes
    #[arg(long, short, value_parser = number_of_nodes, default_value = NODES)]
    pub nodes: u32,
    /// The network, as in `run`; algorithms that cannot use it are left out [default: that of the
    /// problem, or what each algorithm needs]
    #[arg(long, value_parser = topology)]
    pub topology: Option<String>,
    /// Number of runs to average, where one is not enough [default: enough for precise means]
    #[arg(long, value_name = "COUNT", value_parser = positive::<u32>)]
    pub runs: Option<u32>,
    /// Only these algorithms, by their names
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Every variant of each algorithm, not only the first
    #[arg(long)]
    pub variants: bool,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1, value_parser = count::<u64>)]
    pub seed: u64,
    /// Message delay, as in `run`
    #[arg(long, default_value = DELAY, value_parser = delay)]
    pub delay: Delay,
    /// Links are reliable, as in `run`: what that costs counts, so there is no formula
    #[arg(long)]
    pub reliable: bool,
    /// Options of the problem, as the catalogue declares them
    #[arg(skip)]
    pub options: Given,
    /// The turns of nodes that act by themselves
    #[command(flatten)]
    pub turns: TurnArgs,
    /// Write a report with the table and plots to this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, conflicts_with_all = ["markdown", "csv"], help_heading = "Output")]
    pub json: bool,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "csv", help_heading = "Output")]
    pub markdown: bool,
    /// Print comma-separated values (RFC 4180), with every digit
    #[arg(long, help_heading = "Output")]
    pub csv: bool,
    /// Print the verdicts as test cases, for continuous integration
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    #[arg(conflicts_with_all = ["json", "markdown", "csv"])]
    pub format: Option<Format>,
}

/// Checks the name of a network.
fn topology(text: &str) -> Result<String, String> {
    match read_topology(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(refusal) => Err(refusal.to_string()),
    }
}
