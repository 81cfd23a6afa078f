//! The options about nodes that act by themselves.

use clap::Args;
use konklave_catalog::option::is_ticks;
use konklave_catalog::site::Site;
use konklave_sim::{Delay, Options};

use super::positive;
use crate::failure::Failure;

/// How often nodes act by themselves, and how long a system has to be legal.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Algorithms whose nodes act by themselves")]
pub struct TurnArgs {
    /// Time from one turn of a node to its next, in ticks; with 1, and a delay of 1, time is
    /// counted in synchronous rounds [default: T, the mean delay]
    #[arg(long, value_name = "PERIOD", value_parser = period)]
    pub tick: Option<u64>,
    /// End the run once a self-stabilising system was legal for this many rounds [default: 10]
    #[arg(long, value_name = "ROUNDS", value_parser = positive::<u64>)]
    pub stable: Option<u64>,
    /// Stop after this many rounds, whether the system is legal or not
    /// [default: 1000, and 20 for each node]
    #[arg(long, value_name = "ROUNDS", value_parser = positive::<u64>)]
    pub round_limit: Option<u64>,
}

/// Parses the time between two turns.
fn period(text: &str) -> Result<u64, String> {
    let ticks = positive::<u64>(text)?;
    is_ticks(&ticks.to_string()).map(|()| ticks)
}

/// The default of `--stable`: enough to measure what a legal system costs per round.
const STABLE: u64 = 10;

impl TurnArgs {
    /// The time from one turn to the next: one round, if it was not given.
    pub(crate) fn period(self, delay: Delay) -> u64 {
        self.tick.unwrap_or_else(|| (delay.mean().round() as u64).max(1))
    }

    /// The number of legal rounds that end a run.
    pub(crate) fn stable_rounds(self) -> u64 {
        self.stable.unwrap_or(STABLE)
    }

    /// The number of rounds that end a run in any case. A self-stabilising system of n nodes that
    /// is connected takes O(n) rounds, so one that takes more is most likely not.
    pub(crate) fn round_limit(self, nodes: u32) -> u64 {
        self.round_limit.unwrap_or(1000 + 20 * u64::from(nodes))
    }

    /// Adds them to the options of a simulation of this system, with its delay.
    pub(crate) fn complete(self, site: &Site, options: Options) -> Options {
        Options {
            period: self.period(options.delay),
            stable_rounds: Some(self.stable_rounds()),
            round_limit: Some(self.round_limit(site.nodes())),
            ..options
        }
    }

    /// Refuses options that mean nothing to the algorithm, instead of ignoring them.
    pub(crate) fn refuse_if_foreign(self, site: &Site) -> Result<(), Failure> {
        let Some((option, _)) = self.given().next() else { return Ok(()) };
        let (system, name) = (site.system()?, &site.entry().name);
        if !system.takes_turns() {
            return Err(Failure::bad(format!(
                "the nodes of {name} never act by themselves: leave --{option} out"
            )));
        }
        if self.stable.is_some() && !system.is_self_stabilising() {
            return Err(Failure::bad(format!(
                "{name} is not self-stabilising, so no state of it is legal: leave --stable out"
            )));
        }
        Ok(())
    }

    /// The options that were given, by name.
    pub(crate) fn given(self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [("tick", self.tick), ("stable", self.stable), ("round-limit", self.round_limit)];
        all.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}
