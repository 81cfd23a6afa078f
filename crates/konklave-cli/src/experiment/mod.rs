//! `konklave experiment`: what lies behind the formulas, tried out.

mod hops;
mod records;
mod report;

use clap::{Args, Subcommand};

use crate::Exit;
use crate::failure::Failure;

/// Options of `experiment`.
#[derive(Debug, Args)]
pub struct ExperimentArgs {
    /// Which experiment.
    #[command(subcommand)]
    pub experiment: Experiment,
}

/// Which experiment.
#[derive(Debug, Subcommand)]
pub enum Experiment {
    /// How long until a record falls: why Chang and Roberts need n H_n messages on average
    Records(RecordsArgs),
}

/// Options of `experiment records`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave experiment records
  konklave experiment records --samples 10000000 --seed 7
  konklave experiment records --ring 1000000 --json")]
pub struct RecordsArgs {
    /// Decides everything that is left to chance
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How often each experiment is repeated
    #[arg(long, default_value_t = 1_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(100..=1_000_000_000))]
    pub samples: u64,
    /// How many nodes the ring has on which hops are counted
    #[arg(long, default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub ring: u32,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Carries an experiment out.
pub fn experiment(args: &ExperimentArgs) -> Result<Exit, Failure> {
    match &args.experiment {
        Experiment::Records(args) => report::report(args),
    }
}
