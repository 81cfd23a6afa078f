//! `konklave experiment`: measures the probabilities behind the formulas.

mod hops;
mod records;
mod report;

use clap::{Args, Subcommand};

use crate::Exit;
use crate::args::{count, within};
use crate::failure::Failure;

/// Options of `experiment`.
#[derive(Debug, Args)]
pub struct ExperimentArgs {
    /// The experiment to run.
    #[command(subcommand)]
    pub experiment: Experiment,
}

/// The experiments.
#[derive(Debug, Subcommand)]
pub enum Experiment {
    /// Waiting times for a record: why Chang and Roberts need n H_n messages on average
    Records(RecordsArgs),
}

/// Options of `experiment records`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave experiment records
  konklave experiment records --samples 10000000 --seed 7
  konklave experiment records --ring 1000000 --json")]
pub struct RecordsArgs {
    /// Seed of all random choices
    #[arg(long, default_value_t = 1, value_parser = count::<u64>)]
    pub seed: u64,
    /// Number of samples of each experiment
    #[arg(long, default_value_t = 1_000_000)]
    #[arg(value_parser = |text: &str| within::<u64>(text, 100, 1_000_000_000))]
    pub samples: u64,
    /// Number of nodes of the ring on which hops are counted
    #[arg(long, default_value_t = 100_000)]
    #[arg(value_parser = |text: &str| within::<u32>(text, 1, 10_000_000))]
    pub ring: u32,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Runs an experiment.
pub fn experiment(args: &ExperimentArgs) -> Result<Exit, Failure> {
    match &args.experiment {
        Experiment::Records(args) => report::report(args),
    }
}
