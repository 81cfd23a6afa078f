//! The validated settings of the ring.

use std::collections::hash_map::RandomState;
use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::time::Duration;

use konklave::election::Id;
use konklave::{NodeId, NodeSet};
use konklave_ring::{ElectionPlan, Initiator, Level, Moment};
use konklave_sim::random::{Random, Stream};

use super::choices::{Choices, Format};
use super::log::Stamp;
use super::mode::{Mode, Parts};
use crate::failure::Failure;

/// The validated settings of the ring.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) mode: Mode,
    pub(super) parts: Parts,
    pub(super) plan: ElectionPlan,
    /// The timeout of a round, where rounds are numbered.
    pub(super) patience: Duration,
    /// The minimum level of the log on the console.
    pub(super) console: Option<Level>,
    pub(super) log_file: Option<(PathBuf, Level, Stamp)>,
    pub(super) config_log: ConfigLog,
    pub(super) events: Option<Format>,
}

/// Whether the settings themselves are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigLog {
    Shown,
    Hidden,
}

/// The time of a hop beside the worker's pause, on a busy machine.
const HOP: Duration = Duration::from_millis(10);

impl Settings {
    /// Fills in defaults, and refuses contradictory options.
    pub(super) fn new(choices: Choices) -> Result<Self, Failure> {
        let Some(size) = choices.size else {
            return Err(Failure::bad(
                "the size of the ring is missing: write it on the command line, such as \
                 `konklave ring 8`, or in the config file, such as `size = 8`",
            ));
        };
        let pause = choices.worker_sleep.unwrap_or(Duration::from_millis(500));
        let ack_timeout = choices.ack_timeout.unwrap_or(Duration::from_secs(1).max(pause * 5 / 2));
        // An election takes 3n - 1 hops; a death is noticed after the acknowledgement timeout.
        let patience = (pause + HOP) * 6 * size + 4 * ack_timeout;
        let seed = choices.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish() >> 32);
        let level = choices.log_level.unwrap_or(Level::Info);
        let is_logging_here =
            choices.log || (choices.log_level.is_some() && choices.log_file.is_none());
        let stamp = if choices.log_date { Stamp::DateAndTime } else { Stamp::Time };
        let settings = Self {
            mode: choices.algorithm.unwrap_or_default(),
            parts: Parts { ids: ids(size, seed), pause, ack_timeout, seed },
            plan: ElectionPlan {
                elections: choices.number_of_elections.filter(|&count| count > 0),
                pause: choices.sleep.unwrap_or(Duration::from_secs(5)),
                timeout: choices.election_timeout.unwrap_or(patience * 4),
                initiator: choices.initiator.unwrap_or(Initiator::Random),
                kills: choices.kill,
                revivals: choices.revive,
                seed,
            },
            patience,
            console: is_logging_here.then_some(level),
            log_file: choices.log_file.map(|file| (file, level, stamp)),
            config_log: match choices.no_config_log {
                true => ConfigLog::Hidden,
                false => ConfigLog::Shown,
            },
            events: choices.events,
        };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), Failure> {
        let size = self.parts.ids.len() as u32;
        let exists = |node: NodeId, option: &str| match node.0 < size {
            true => Ok(()),
            false => Err(Failure::bad(format!(
                "{option} {node}: there is no such worker; positions are 0 to {}",
                size - 1
            ))),
        };
        if let Initiator::At(node) = self.plan.initiator {
            exists(node, "--initiator")?;
        }
        let ElectionPlan { kills, revivals, elections, .. } = &self.plan;
        if self.mode == Mode::Plain && !(kills.is_empty() && revivals.is_empty()) {
            return Err(Failure::bad(
                "--kill and --revive need --algorithm chang-roberts-numbered: an election by \
                 chang-roberts may never end when a worker crashes",
            ));
        }
        let moments = revivals.iter().map(|moment| (moment, "--revive"));
        let mut moments: Vec<_> = moments.chain(kills.iter().map(|one| (one, "--kill"))).collect();
        // Stable: a revived worker may be killed in the same election.
        moments.sort_by_key(|(moment, _)| moment.election);
        let mut dead = NodeSet::new();
        for (&Moment { election, node }, option) in moments {
            let wrong = |why: &str| Err(Failure::bad(format!("{option} {node}@{election}: {why}")));
            exists(node, option)?;
            if elections.is_some_and(|last| election > last) {
                return wrong("--number-of-elections is smaller");
            }
            match option {
                "--kill" if !dead.insert(node) => {
                    return wrong("this worker is already dead in that election");
                }
                "--kill" if dead.len() == size => return wrong("no worker would be left"),
                "--revive" if !dead.remove(node) => {
                    return wrong("this worker is not dead in that election");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The settings in one line.
    pub(super) fn to_line(&self) -> String {
        let Parts { ids, pause, ack_timeout, seed } = &self.parts;
        let ElectionPlan { elections, pause: sleep, timeout, initiator, kills, revivals, .. } =
            &self.plan;
        let initiator = match initiator {
            Initiator::At(node) => node.to_string(),
            Initiator::Random => "random".to_owned(),
            Initiator::All => "all".to_owned(),
        };
        let mut line = format!(
            "configuration: size {}, number-of-elections {}, sleep {}, worker-sleep {}, algorithm \
             {}, initiator {initiator}, seed {seed}, ack-timeout {}, election-timeout {}",
            ids.len(),
            elections.unwrap_or(0),
            sleep.as_millis(),
            pause.as_millis(),
            self.mode,
            ack_timeout.as_millis(),
            timeout.as_millis(),
        );
        for (name, moments) in [("kill", kills), ("revive", revivals)] {
            for Moment { election, node } in moments {
                let _ = write!(line, ", {name} {node}@{election}"); // A string takes everything.
            }
        }
        if let Some((file, level, _)) = &self.log_file {
            let _ = write!(line, ", log-file {}, log-level {level}", file.display());
        }
        line
    }
}

/// Distinct ids in random order; zero is possible.
fn ids(size: u32, seed: u64) -> Vec<Id> {
    let bound = if size < 100 { 1000 } else { 10 * size };
    let mut random = Random::new(seed, Stream::Ids);
    let mut ids = random.sample(size, bound);
    random.shuffle(&mut ids);
    ids.into_iter().map(Id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Election.md 10.5, 7: ids that lie sorted along the ring would always cost the most.
    #[test]
    fn ids_are_unique_and_lie_in_random_order() {
        for seed in 0..20 {
            let ids = ids(12, seed);
            assert!(!ids.is_sorted() && ids.iter().all(|id| id.0 < 1000), "seed {seed}: {ids:?}");
            let mut sorted = ids.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 12);
        }
        assert!(ids(200, 1).iter().any(|id| id.0 >= 1000));
    }

    #[test]
    fn defaults_are_those_of_the_original() {
        let settings = Settings::new(Choices { size: Some(8), ..Choices::default() }).unwrap();
        let millis = |time: Duration| time.as_millis();
        assert_eq!(millis(settings.plan.pause), 5000);
        assert_eq!(millis(settings.parts.pause), 500);
        assert_eq!(millis(settings.parts.ack_timeout), 1250);
        assert_eq!((settings.plan.elections, settings.console), (None, None));
        assert!(settings.patience > 23 * settings.parts.pause, "an election takes 3n - 1 hops");
    }
}
