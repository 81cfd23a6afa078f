//! The options of `sweep`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use konklave_sim::Delay;

use super::faults::FaultLists;
use super::space;
use crate::args::{DELAY, Format, TurnArgs, count, delay, number_of_nodes, positive, threads};
use crate::given::Given;
use crate::shard::Shard;

/// The help heading of the options about runs and output.
const OUTPUT: &str = "Runs and output";

/// Options of `sweep`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  konklave sweep chang-roberts --nodes 100,1000,10000,100000 --seeds 30 --out out/cr
  konklave sweep raymond,naimi-trehel --load light,heavy --nodes 10,100,1000
  konklave sweep raymond --nodes 63 --load poisson:0.02,poisson:0.05,poisson:0.1,poisson:0.2
  konklave sweep chang-roberts-numbered --nodes 20 --loss 0,0.01,0.02,0.05
  konklave sweep mutex --nodes 7,13,31,57 --out out/mutex
  konklave sweep chang-roberts --nodes 10,100,1000 --assert 'messages <= 2*n*log2(n)+3*n'
  konklave sweep mutex --shard 3/16 --out out/3 && konklave sweep --merge out/1 out/2 out/3 ...

Every option that has a value takes several, separated by commas: each
combination is a series. A value that contains commas itself, such as
list:3,5,8, takes as many items as it can. A series is plotted by the number of
nodes; if there is only one size, by the first option whose values are numbers;
or by the option that --x names.

A bound names n and measured quantities, by the names that results.csv and
--json have: messages, bytes, time, causal_depth, max_per_node, mean_per_node,
and those of the problem, such as messages_per_entry, waiting_time,
waiting_time_p99 or messages_to_elect. A bound applies to the means over seeds;
the exit code is 1 if one does not hold.")]
pub struct SweepArgs {
    /// Algorithms, by names that `list` shows, or problems, for all of their algorithms; separated
    /// by commas
    #[arg(required_unless_present = "merge", default_value = "", hide_default_value = true)]
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
    /// The networks, as in `run`, separated by commas [default: what the algorithm needs]
    #[arg(long, value_name = "TOPOLOGIES", value_parser = space::topologies)]
    pub topology: Option<String>,
    /// Message delays, as in `run`, separated by commas
    #[arg(long, value_name = "DELAYS", value_delimiter = ',', default_value = DELAY,
        value_parser = delay)]
    pub delay: Vec<Delay>,
    /// Channels are FIFO: messages arrive in the order sent [default: if the algorithm needs it]
    #[arg(long)]
    pub fifo: bool,
    /// Links are reliable, as in `run`
    #[arg(long)]
    pub reliable: bool,

    /// Options of the problem and of the algorithm, as the catalogue declares them
    #[arg(skip)]
    pub options: Given,
    /// The faults to inject
    #[command(flatten)]
    pub faults: FaultLists,
    /// The turns of nodes that act by themselves
    #[command(flatten)]
    pub turns: TurnArgs,

    /// The x axis of the plots: nodes, or an option with several numbers as values
    #[arg(long, value_name = "OPTION", help_heading = OUTPUT)]
    pub x: Option<String>,
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
    /// Do only one part of the runs, such as 3/16: the third of sixteen parts, which may run on
    /// different machines
    #[arg(long, value_name = "PART/PARTS", requires = "out", help_heading = OUTPUT)]
    pub shard: Option<Shard>,
    /// Report the sweep whose parts are in these folders, each written by --shard
    #[arg(
        long, value_name = "DIR", num_args = 1.., help_heading = OUTPUT,
        conflicts_with_all = [
            "algorithm", "nodes", "seeds", "seed", "topology", "delay", "fifo", "reliable",
            "loss", "duplicate", "reorder", "crash", "pause", "partition", "corrupt", "tick",
            "stable", "x", "assert", "threads", "event_limit", "resume", "shard",
        ]
    )]
    pub merge: Vec<PathBuf>,
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

impl SweepArgs {
    /// The arguments that ask for the same runs and the same report, whatever the part, the folder
    /// and the number of threads.
    pub(super) fn words(&self) -> Vec<String> {
        fn list(items: &[impl ToString]) -> String {
            items.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        }
        let mut words = vec![self.algorithm.clone()];
        let mut add = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        add("nodes", list(&self.nodes));
        add("seeds", self.seeds.to_string());
        add("seed", self.seed.to_string());
        add("delay", list(&self.delay));
        let others = self.faults.given().chain(self.topology.iter().map(|it| ("topology", it)));
        others.for_each(|(name, value)| add(name, value.clone()));
        self.options.iter().for_each(|(name, value)| add(name, value.clone()));
        self.turns.given().for_each(|(name, value)| add(name, value.to_string()));
        self.assert.iter().for_each(|bound| add("assert", bound.clone()));
        self.event_limit.iter().for_each(|limit| add("event-limit", limit.to_string()));
        self.x.iter().for_each(|name| add("x", name.clone()));
        words.extend(self.fifo.then(|| "--fifo".to_owned()));
        words.extend(self.reliable.then(|| "--reliable".to_owned()));
        words
    }
}
