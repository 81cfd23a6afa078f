//! What goes wrong in a run, as the user writes it.

use clap::Args;
use konklave_sim::faults::{self, Corruption, Faults, Outage, Partition};

/// What goes wrong.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Faults")]
pub struct FaultArgs {
    /// The probability that a message is lost
    #[arg(long, value_name = "P", value_parser = faults::probability)]
    pub loss: Option<f64>,
    /// The probability that a message arrives twice
    #[arg(long, value_name = "P", value_parser = faults::probability)]
    pub duplicate: Option<f64>,
    /// The probability that a message is held up, so that later ones overtake it
    #[arg(long, value_name = "P", value_parser = faults::probability, conflicts_with = "fifo")]
    pub reorder: Option<f64>,
    /// A node stops and forgets everything: NODE@FROM for ever, NODE@FROM..TO with a restart
    #[arg(long, value_name = "NODE@TIME")]
    pub crash: Vec<Outage>,
    /// A node does nothing for a while, then catches up: NODE@FROM..TO
    #[arg(long, value_name = "NODE@TIME")]
    pub pause: Vec<Outage>,
    /// Groups of nodes are cut off: 0-4/5-9@FROM..TO; with hold: before it, messages wait
    #[arg(long, value_name = "GROUPS@TIME")]
    pub partition: Vec<Partition>,
    /// Garbage appears, once there were messages to make it of: state:NODE@TIME or
    /// channel:FROM-TO@TIME
    #[arg(long, value_name = "WHAT@TIME")]
    pub corrupt: Vec<Corruption>,
}

impl FaultArgs {
    /// The faults as the simulator takes them.
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
