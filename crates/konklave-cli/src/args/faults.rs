//! The options that inject faults into a run.

use clap::Args;
use konklave_sim::faults::{self, Corruption, Faults, Outage, Partition};

/// Faults to inject.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Faults")]
pub struct FaultArgs {
    /// Probability that a message is lost
    #[arg(long, value_name = "P", value_parser = faults::probability)]
    pub loss: Option<f64>,
    /// Probability that a message is duplicated
    #[arg(long, value_name = "P", value_parser = faults::probability)]
    pub duplicate: Option<f64>,
    /// Probability that a message is delayed, so that later messages overtake it
    #[arg(long, value_name = "P", value_parser = faults::probability, conflicts_with = "fifo")]
    pub reorder: Option<f64>,
    /// Crash a node, which loses its state: NODE@FROM for ever, NODE@FROM..TO with a restart
    #[arg(long, value_name = "NODE@TIME")]
    pub crash: Vec<Outage>,
    /// Pause a node, which keeps its state and then catches up: NODE@FROM..TO
    #[arg(long, value_name = "NODE@TIME")]
    pub pause: Vec<Outage>,
    /// Partition the network: 0-4/5-9@FROM..TO; messages across it are lost, or wait after hold:
    #[arg(long, value_name = "GROUPS@TIME")]
    pub partition: Vec<Partition>,
    /// Corrupt a state or a channel, with values of earlier messages: state:NODE@TIME or
    /// channel:FROM-TO@TIME; or damage all states in a way that the algorithm has a name for:
    /// PROBLEM:DAMAGE@TIME
    #[arg(long, value_name = "WHAT@TIME")]
    pub corrupt: Vec<Corruption>,
}

impl FaultArgs {
    /// Converts the options to the fault plan of the simulator.
    pub fn to_faults(&self) -> Faults {
        Faults {
            loss: self.loss.unwrap_or(0.0),
            duplicate: self.duplicate.unwrap_or(0.0),
            reorder: self.reorder.unwrap_or(0.0),
            crashes: self.crash.clone(),
            pauses: self.pause.clone(),
            partitions: self.partition.clone(),
            corruptions: self.corrupt.clone(),
        }
    }
}
