//! The options of `check`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::args::{Format, count, faults, number_of_nodes, positive, threads, time};
use crate::given::Given;

/// Options of `check`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  konklave check ricart-agrawala --nodes 3 --entries 2
  konklave check maekawa --nodes 3 --json
  konklave check chang-roberts --nodes 4 --ids descending --worst worst.jsonl
  konklave check lamport --any-order --trace broken.jsonl && konklave replay broken.jsonl
  konklave check ricart-agrawala --losses 1 --go-on
  konklave check lamport --any-order --promise no-starvation
  konklave check naimi-trehel --restarts 1 --trace broken.jsonl
  konklave check bully --partitions 1
  konklave check --specimen maekawa-without-inquire
  konklave check mutex --nodes 3 --entries 2 --seconds 600
  konklave check raymond --faults --out raymond
  konklave check election --faults --json

The search covers every order in which messages arrive, timers expire and
applications make requests. The report says for each promise whether it holds
in every schedule, and how many messages the cheapest and the costliest
schedule take. The limits apply to each algorithm of a problem.

With --faults, the table is about the system that its heading names, and no
larger one: each node makes two requests, unless --entries, --elections or
--budget is given, because what a fault leaves behind of a request often harms
only the next.

The search stops at the first broken promise, unless --go-on is given: then it
shows a schedule for each promise that is broken. Either way, a schedule is
followed up to the first promise that it breaks (but beyond lemmas), so what
holds, holds up to there.

Exit codes: 0 the search was exhaustive and every promise holds, 1 a promise is
broken, 2 bad usage or input, 3 inconclusive: a promise is undecided, because
the search hit a limit, was interrupted or, with --no-costs, does not know
whether there are cycles; or --worst has no schedule.")]
pub struct CheckArgs {
    /// The algorithm, by a name that `list` shows; or a problem, for a table of all its algorithms
    #[arg(required_unless_present = "specimen", default_value = "", hide_default_value = true)]
    pub algorithm: String,
    /// A broken algorithm that `list --specimens` names, in the smallest system that shows it
    #[arg(long, value_name = "NAME", conflicts_with_all = [
        "algorithm", "nodes", "topology", "fifo", "any_order", "hasty", "budget", "losses",
        "duplicates", "crashes", "restarts", "partitions", "seed", "reliable", "markdown"
    ])]
    pub specimen: Option<String>,

    /// Number of nodes [default: that of the topology, or 3]
    #[arg(long, short, value_parser = number_of_nodes)]
    pub nodes: Option<u32>,
    /// The network, as in `run` [default: what the algorithm needs]
    #[arg(long)]
    pub topology: Option<String>,
    /// Seed of random networks, ids and initiators
    #[arg(long, default_value_t = 1, value_parser = count::<u64>)]
    pub seed: u64,
    /// Channels are FIFO: messages arrive in the order sent [default: if the algorithm needs it]
    #[arg(long, conflicts_with = "any_order")]
    pub fifo: bool,
    /// Messages may overtake each other, even if the algorithm needs FIFO channels
    #[arg(long)]
    pub any_order: bool,
    /// Links are reliable, as in `run`
    #[arg(long)]
    pub reliable: bool,
    /// Timers expire, and crashes are detected, at any time, even while messages are in transit
    #[arg(long)]
    pub hasty: bool,

    /// How many requests each node makes, at any time, one number per node: 2,1,1
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = count::<u32>)]
    pub budget: Option<Vec<u32>>,
    /// Options of the problem and of the algorithm, as the catalogue declares them
    #[arg(skip)]
    pub options: Given,

    /// Maximum number of messages lost
    #[arg(long, value_name = "COUNT", default_value_t = 0, help_heading = "Faults")]
    #[arg(value_parser = faults)]
    pub losses: u8,
    /// Maximum number of messages duplicated
    #[arg(long, value_name = "COUNT", default_value_t = 0, help_heading = "Faults")]
    #[arg(value_parser = faults)]
    pub duplicates: u8,
    /// Maximum number of nodes that crash for ever
    #[arg(long, value_name = "COUNT", default_value_t = 0, help_heading = "Faults")]
    #[arg(value_parser = faults)]
    pub crashes: u8,
    /// Maximum number of nodes that crash and return, having forgotten everything
    #[arg(long, value_name = "COUNT", default_value_t = 0, help_heading = "Faults")]
    #[arg(value_parser = faults)]
    pub restarts: u8,
    /// Maximum number of partitions into two groups, one at a time; messages across are lost
    #[arg(long, value_name = "COUNT", default_value_t = 0, help_heading = "Faults")]
    #[arg(value_parser = faults)]
    pub partitions: u8,

    /// Decide for one fault of each kind what survives it, as a table: safety and liveness. By
    /// default each node makes two requests, and each search stops after a million states
    #[arg(long, help_heading = "Faults", conflicts_with_all = [
        "specimen", "losses", "duplicates", "crashes", "restarts", "partitions", "any_order",
        "no_costs", "trace", "worst", "promises", "go_on"
    ])]
    pub faults: bool,

    /// Check only this promise or lemma, by its name; several with commas or by repetition
    #[arg(long = "promise", value_name = "NAME", value_delimiter = ',', help_heading = "Search")]
    pub promises: Vec<String>,
    /// Go on after the first broken promise, until every promise is decided
    #[arg(long, help_heading = "Search")]
    pub go_on: bool,
    /// Compare whole states instead of 64-bit fingerprints: no state can be overlooked
    #[arg(long, help_heading = "Search")]
    pub exact: bool,
    /// Number of search threads [default: one per processor]
    #[arg(long, value_name = "COUNT", help_heading = "Search", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// Leave out costs and cycles: takes half the time. Without a search for cycles, liveness is
    /// undecided, unless every step turns out to lead one layer further, so that there are none
    #[arg(long, conflicts_with = "worst", help_heading = "Search")]
    pub no_costs: bool,
    /// Stop after this many distinct states
    #[arg(long, value_name = "COUNT", help_heading = "Search")]
    #[arg(value_parser = positive::<u64>)]
    pub states: Option<u64>,
    /// Stop at this search depth, in steps
    #[arg(long, value_name = "STEPS", help_heading = "Search")]
    #[arg(value_parser = positive::<u32>)]
    pub depth: Option<u32>,
    /// Stop when the search uses this much memory, in MiB [default: half of what is available]
    #[arg(long, value_name = "MIB", help_heading = "Search")]
    #[arg(value_parser = positive::<u64>)]
    pub memory: Option<u64>,
    /// Stop after this many seconds; for a problem, per algorithm
    #[arg(long, value_name = "SECONDS", value_parser = time, help_heading = "Search")]
    pub seconds: Option<Duration>,

    /// Write the first schedule that breaks a promise to this file, as a trace
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write a costliest schedule, with the most messages, to this file, as a trace
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub worst: Option<PathBuf>,
    /// Write a report to this folder, with each schedule that breaks a promise and its picture
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print the table of a problem as Markdown
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub markdown: bool,
    /// Print the verdicts as test cases, for continuous integration
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    #[arg(conflicts_with_all = ["json", "markdown"])]
    pub format: Option<Format>,
}
