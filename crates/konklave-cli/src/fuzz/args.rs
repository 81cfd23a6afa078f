//! The options of `fuzz`.

use std::fmt::{self, Display};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::args::{Format, TurnArgs, count, positive, threads, time};
use crate::shard::Shard;

/// Options of `fuzz`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  konklave fuzz cao-singhal --seconds 30
  konklave fuzz raymond --nodes 3..5 --schedules 100000
  konklave fuzz lamport --beyond --seconds 10
  konklave fuzz maekawa --trace broken.jsonl && konklave replay broken.jsonl
  konklave fuzz lamport --beyond --seconds 3 --out out/lamport
  konklave fuzz maekawa --seconds 3600 --shard 3/16 --out out/3
  konklave fuzz --merge out/1 out/2 out/3 ...

Each seed draws a small system, its delays, its workload and its faults, within
the assumptions of the algorithm, which `explain` lists. Each failure is
printed with the `konklave run` command that reproduces it, and with the
schedule shrunk.

Exit codes: 0 no promise was broken within the assumptions, 1 one was, 2 bad
usage or input, 3 inconclusive: the user interrupted it, or schedules were cut
off at the event limit.")]
pub struct FuzzArgs {
    /// The algorithm, by a name that `list` shows
    #[arg(
        required_unless_present_any = ["specimen", "merge"], default_value = "",
        hide_default_value = true
    )]
    pub algorithm: String,
    /// A broken algorithm that `list --specimens` names
    #[arg(long, value_name = "NAME", conflicts_with = "algorithm")]
    pub specimen: Option<String>,

    /// Range of the number of nodes [default: that of the topology, or 2..8]
    #[arg(long, short, value_name = "FROM..TO")]
    pub nodes: Option<Sizes>,
    /// The network, as in `run` [default: every kind that the algorithm supports]
    #[arg(long)]
    pub topology: Option<String>,
    /// The first seed; each further schedule uses the next one
    #[arg(long, default_value_t = 1, value_parser = count::<u64>)]
    pub seed: u64,
    /// Also violate the algorithm's assumptions, and report which promises break
    #[arg(long)]
    pub beyond: bool,
    /// Links are reliable, as in `run`, and lose and duplicate messages [default: now and then]
    #[arg(long)]
    pub reliable: bool,
    /// The turns of nodes that act by themselves [default: any]
    #[command(flatten)]
    pub turns: TurnArgs,

    /// Stop after this many seconds [default: 10, or no limit if --schedules is given]
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    pub seconds: Option<Duration>,
    /// Stop after this many schedules
    #[arg(long, value_name = "COUNT", value_parser = positive::<u64>)]
    pub schedules: Option<u64>,
    /// Cut a schedule off after this many steps, without a verdict [default: 50000, or more if the
    /// system is large]
    #[arg(long, value_name = "STEPS", value_parser = positive::<u64>)]
    pub event_limit: Option<u64>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "COUNT", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// Run only one part of the seeds, such as 3/16: the third of sixteen parts, which may run on
    /// different machines
    #[arg(long, value_name = "PART/PARTS", requires = "out")]
    pub shard: Option<Shard>,
    /// Report the campaign whose parts are in these folders, each written by --shard
    #[arg(
        long, value_name = "DIR", num_args = 1..,
        conflicts_with_all = [
            "algorithm", "specimen", "nodes", "topology", "seed", "beyond", "reliable", "tick",
            "stable", "seconds", "schedules", "event_limit", "threads", "shard",
        ]
    )]
    pub merge: Vec<PathBuf>,

    /// Write the shrunk schedule of the first failure to this file, as a trace
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Write a report with every shrunk schedule and its picture to this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Print the verdicts as test cases, for continuous integration
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json"], help_heading = "Output")]
    pub format: Option<Format>,
}

impl FuzzArgs {
    /// The arguments that ask for the same campaign, whatever the part, the folder and the number
    /// of threads.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words: Vec<_> =
            Some(&self.algorithm).filter(|it| !it.is_empty()).into_iter().cloned().collect();
        let mut add = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [format!("--{name}"), value]));
        };
        add("specimen", self.specimen.clone());
        add("nodes", self.nodes.map(|Sizes { least, most }| format!("{least}..{most}")));
        add("topology", self.topology.clone());
        add("seed", Some(self.seed.to_string()));
        add("seconds", self.seconds.map(|time| time.as_secs_f64().to_string()));
        add("schedules", self.schedules.map(|count| count.to_string()));
        add("event-limit", self.event_limit.map(|limit| limit.to_string()));
        for (name, value) in self.turns.given() {
            add(name, Some(value.to_string()));
        }
        words.extend(self.beyond.then(|| "--beyond".to_owned()));
        words.extend(self.reliable.then(|| "--reliable".to_owned()));
        words
    }
}

/// A range of numbers of nodes, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The smallest number of nodes.
    pub least: u32,
    /// The largest number of nodes.
    pub most: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { least: 2, most: 8 }
    }
}

impl Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (1, 1) => f.write_str("1 node"),
            (least, most) if least == most => write!(f, "{most} nodes"),
            (least, most) => write!(f, "{least} to {most} nodes"),
        }
    }
}

/// Schedules of larger systems are slow to run, and counterexamples are hard to read.
const NODES_MAX: u32 = 1000;

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |_: String| "write a range such as 2..8, or a number".to_owned();
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let least = count(least).map_err(wrong)?;
        let most = count(most).map_err(wrong)?;
        match (least, most) {
            (0, _) => Err("a system has at least one node".to_owned()),
            _ if least > most => {
                Err("the range is empty: write the smaller number first, as in 2..8".to_owned())
            }
            _ if most > NODES_MAX => {
                Err(format!("at most {NODES_MAX} nodes can be fuzzed; `run` simulates more"))
            }
            _ => Ok(Self { least, most }),
        }
    }
}
