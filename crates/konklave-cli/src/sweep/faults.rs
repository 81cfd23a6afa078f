//! The faults of a sweep: every option of `run` that injects one, with several values.

use std::str::FromStr;

use clap::Args;
use konklave_sim::faults::{self, Corruption, Outage, Partition};

use crate::args::FaultArgs;
use crate::given::Given;
use crate::several::split;

/// Lists of faults. Each value is a series of its own.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Faults, each with several values, separated by commas")]
pub struct FaultLists {
    /// Probabilities that a message is lost
    #[arg(long, value_name = "P", value_parser = list(is_probability))]
    pub loss: Option<String>,
    /// Probabilities that a message is duplicated
    #[arg(long, value_name = "P", value_parser = list(is_probability))]
    pub duplicate: Option<String>,
    /// Probabilities that a message is delayed, so that later messages overtake it
    #[arg(
        long, value_name = "P", value_parser = list(is_probability), conflicts_with = "fifo"
    )]
    pub reorder: Option<String>,
    /// Crashes, as in `run`: none, one, or several at once, such as 2@40+3@50..90
    #[arg(long, value_name = "NODE@TIME", value_parser = list(are::<Outage>))]
    pub crash: Option<String>,
    /// Pauses, as in `run`: none, one, or several at once
    #[arg(long, value_name = "NODE@TIME", value_parser = list(are::<Outage>))]
    pub pause: Option<String>,
    /// Partitions, as in `run`: none, one, or several at once
    #[arg(long, value_name = "GROUPS@TIME", value_parser = list(are::<Partition>))]
    pub partition: Option<String>,
    /// Corruptions, as in `run`: none, one, or several at once
    #[arg(long, value_name = "WHAT@TIME", value_parser = list(are::<Corruption>))]
    pub corrupt: Option<String>,
}

/// Checks a value of a fault.
type Check = fn(&str) -> Result<(), String>;

/// The value for no fault, where it is not a probability.
const NONE: &str = "none";

impl FaultLists {
    /// The lists that were given, by the names of the options.
    pub(super) fn given(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let all = [
            ("loss", &self.loss),
            ("duplicate", &self.duplicate),
            ("reorder", &self.reorder),
            ("crash", &self.crash),
            ("pause", &self.pause),
            ("partition", &self.partition),
            ("corrupt", &self.corrupt),
        ];
        all.into_iter().filter_map(|(name, list)| Some((name, list.as_ref()?)))
    }
}

/// Checks every value of a list.
fn list(check: Check) -> impl Fn(&str) -> Result<String, String> + Clone {
    move |text| split(text, check).map(|_| text.to_owned())
}

fn is_probability(text: &str) -> Result<(), String> {
    faults::probability(text).map(drop)
}

fn are<T: FromStr<Err = String>>(text: &str) -> Result<(), String> {
    match text {
        NONE => Ok(()),
        text => text.split('+').try_for_each(|one| one.parse::<T>().map(drop)),
    }
}

/// The values of a list of this name.
pub(super) fn values(name: &str, list: &str) -> Vec<String> {
    let check: Check = match name {
        "crash" | "pause" => are::<Outage>,
        "partition" => are::<Partition>,
        "corrupt" => are::<Corruption>,
        _ => is_probability,
    };
    split(list, check).unwrap_or_default() // It was checked when it was read.
}

/// The faults of one run, removed from its values.
pub(super) fn take(values: &mut Given) -> FaultArgs {
    let mut take = |name: &str| values.remove(name);
    let probability = |text: Option<String>| text.and_then(|text| text.parse().ok());
    FaultArgs {
        loss: probability(take("loss")),
        duplicate: probability(take("duplicate")),
        reorder: probability(take("reorder")),
        crash: all(take("crash")),
        pause: all(take("pause")),
        partition: all(take("partition")),
        corrupt: all(take("corrupt")),
    }
}

/// The faults at once of one value.
fn all<T: FromStr>(text: Option<String>) -> Vec<T> {
    let faults = text.filter(|text| text != NONE);
    let faults = faults.iter().flat_map(|text| text.split('+'));
    faults.filter_map(|one| one.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_faults_happen_at_once() {
        let list = "none,2@40,2@40+3@50..90";
        assert_eq!(values("crash", list), ["none", "2@40", "2@40+3@50..90"]);
        // The group of a partition contains a comma.
        assert_eq!(values("partition", "none,0,2/1@5..6"), ["none", "0,2/1@5..6"]);
        let mut run = Given::from([
            ("crash".to_owned(), "2@40+3@50..90".to_owned()),
            ("loss".to_owned(), "0.5".to_owned()),
            ("load".to_owned(), "heavy".to_owned()),
        ]);
        let faults = take(&mut run);
        assert_eq!((faults.crash.len(), faults.loss, faults.pause.len()), (2, Some(0.5), 0));
        assert_eq!(run.len(), 1, "the rest are options");
    }
}
