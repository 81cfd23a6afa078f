//! Specimens: broken algorithms, and the smallest systems that show their flaws.

use std::fmt::{self, Display};

use konklave_check::{Faults, Order, Pace, World};
use konklave_sim::{Delay, Options, Recording};
use serde::Serialize;

use crate::entry::{Build, Entry};
use crate::needs::Needs;
use crate::option::{IDS, Verb};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use crate::system::{CheckPlan, Watch};

/// A broken algorithm, and the smallest system that shows its flaw.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Specimen {
    /// Its name: the correct algorithm and the flaw.
    pub name: &'static str,
    /// The correct algorithm.
    pub of: &'static str,
    /// The flaw, and its consequence.
    pub flaw: &'static str,
    /// Whether the algorithm is correct, but the setting violates its assumptions.
    pub is_forbidden_setting: bool,
    /// The kind of failure.
    pub finds: Finding,
    /// The promise that breaks.
    pub promise: &'static str,
    /// The smallest system in which it breaks.
    pub setting: Setting,
    /// The tool that finds it there.
    pub found_by: Tool,
    /// The number of steps of a shortest counterexample, without the starts of nodes and without
    /// crashes. For an infinite schedule: the steps of the stem and of the cycle that the search
    /// finds, which may not be the shortest. For a random schedule: the steps of the shrunk one.
    pub steps: usize,
    /// Builds its broken nodes.
    #[serde(skip)]
    pub build: Build,
}

impl Specimen {
    /// Its entry: that of the correct algorithm, with broken nodes.
    pub fn entry(&'static self, right: &Entry) -> Entry {
        Entry {
            name: self.name.to_owned(),
            problem: right.problem,
            // Some specimens violate the assumptions on purpose.
            needs: Needs { one_initiator: None, ..right.needs },
            choices: right.choices,
            source: right.source,
            file: right.file,
            formula: right.formula,
            overtaking: right.overtaking,
            others: right.others,
            build: self.build,
            flaw: Some(self),
        }
    }

    /// The smallest system in which the promise breaks, built from the specimen's entry or from
    /// that of the correct algorithm.
    ///
    /// # Errors
    ///
    /// If the setting does not suit the algorithm.
    pub fn site(&self, entry: &'static Entry) -> Result<Site, Refusal> {
        self.setting.site(entry)
    }

    /// The first seed up to this one whose random schedule breaks a promise, and that schedule.
    ///
    /// # Errors
    ///
    /// If the nodes cannot be built.
    pub fn hunt(&self, site: &Site, seeds: u64) -> Result<Option<(u64, Vec<String>)>, Refusal> {
        for seed in 1..=seeds {
            if let Some((_, lines)) = self.setting.attempt(site, seed)? {
                return Ok(Some((seed, lines)));
            }
        }
        Ok(None)
    }
}

/// The failure of a specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// Two nodes are in the critical section together.
    TwoInside,
    /// Nodes wait for ever, for each other or for a message that does not come.
    Deadlock,
    /// The token is lost, and all nodes wait for it.
    LostToken,
    /// The nodes never come to rest, whether or not one of them waits for ever.
    Livelock,
    /// The election is decided, but its announcements never end.
    EndlessAnnouncement,
    /// Two nodes are leaders.
    TwoLeaders,
    /// A node is elected that must not win.
    WrongLeader,
    /// Some node, or every node, never learns the leader.
    NoLeader,
    /// A node fails an assertion of its own.
    Assertion,
    /// A request is overtaken more often than the algorithm allows.
    Overtaken,
    /// Two intervals that overlap are held at a time.
    Overlap,
    /// An interval is denied that no node holds.
    GroundlessDenial,
    /// A node sends to a node that is not its neighbour.
    NoChannel,
    /// No order of the operations on a shared object explains its answers.
    Inconsistent,
    /// A node holds a value that no node began with.
    InvalidValue,
    /// A value that was written is ignored.
    LostWrite,
    /// The nodes of an overlay fall into parts that do not know each other.
    Parted,
    /// The system never becomes legal.
    NeverLegal,
    /// The system was legal, and is not any more.
    Relapse,
    /// A key is stored where it should not be, or moves without a reason.
    Misplaced,
    /// A process is told another element than the one with the rank that it has asked for.
    WrongElement,
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TwoInside => "two inside",
            Self::Deadlock => "deadlock",
            Self::LostToken => "lost token",
            Self::Livelock => "livelock",
            Self::EndlessAnnouncement => "endless announcement",
            Self::TwoLeaders => "two leaders",
            Self::WrongLeader => "wrong leader",
            Self::NoLeader => "no leader",
            Self::Assertion => "failed assertion",
            Self::Overtaken => "overtaken",
            Self::Overlap => "overlap",
            Self::GroundlessDenial => "groundless denial",
            Self::NoChannel => "no channel",
            Self::Inconsistent => "inconsistent",
            Self::InvalidValue => "invalid value",
            Self::LostWrite => "lost write",
            Self::Parted => "parted network",
            Self::NeverLegal => "never legal",
            Self::Relapse => "relapse",
            Self::Misplaced => "misplaced key",
            Self::WrongElement => "wrong element",
        })
    }
}

/// The tool that finds the failure of a specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// An exhaustive search.
    Check,
    /// Random schedules, with the first seed from 1 on that breaks the promise.
    Fuzz {
        /// The seed.
        seed: u64,
    },
}

/// A small system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The kind of network.
    pub topology: &'static str,
    /// Whether channels are FIFO.
    pub fifo: bool,
    /// The number of entries or elections of each node.
    pub budget: &'static [u32],
    /// The ids of the nodes, if they have any.
    pub ids: &'static [u32],
    /// The maximum number of messages duplicated.
    pub duplicates: u8,
    /// The maximum number of crashes.
    pub crashes: u8,
    /// Whether the nodes never rest, so that an infinite run is not a failure by itself.
    pub perpetual: bool,
    /// The seed, which places nodes and draws their starts.
    #[serde(skip)]
    pub seed: u64,
    /// The problem's options for random schedules.
    #[serde(skip)]
    pub options: &'static [(&'static str, &'static str)],
}

impl Setting {
    /// A network of this kind with channels in any order, and the budget of each node.
    pub const fn new(topology: &'static str, budget: &'static [u32]) -> Self {
        Self {
            topology,
            fifo: false,
            budget,
            ids: &[],
            duplicates: 0,
            crashes: 0,
            perpetual: false,
            seed: 1,
            options: &[],
        }
    }

    /// Makes channels FIFO.
    pub const fn fifo(self) -> Self {
        Self { fifo: true, ..self }
    }

    /// Sets the ids.
    pub const fn ids(self, ids: &'static [u32]) -> Self {
        Self { ids, ..self }
    }

    /// Allows this many duplicates.
    pub const fn duplicates(self, duplicates: u8) -> Self {
        Self { duplicates, ..self }
    }

    /// Allows this many crashes.
    pub const fn crashes(self, crashes: u8) -> Self {
        Self { crashes, ..self }
    }

    /// Declares that the nodes never rest.
    pub const fn perpetual(self) -> Self {
        Self { perpetual: true, ..self }
    }

    /// Sets the seed.
    pub const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the problem's options for random schedules.
    pub const fn options(self, options: &'static [(&'static str, &'static str)]) -> Self {
        Self { options, ..self }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.budget.len() as u32
    }

    /// The system of an algorithm in this setting.
    ///
    /// # Errors
    ///
    /// If it does not suit the algorithm.
    pub fn site(&self, entry: &'static Entry) -> Result<Site, Refusal> {
        let mut setup = Setup {
            algorithm: entry.name.clone(),
            nodes: self.nodes(),
            topology: self.topology.to_owned(),
            seed: self.seed,
            ..Setup::default()
        };
        if !self.ids.is_empty() {
            setup = setup.with(IDS.name, format!("list:{}", list(self.ids)));
        }
        if let Some(option) = entry.problem.repeats {
            let most = self.budget.iter().copied().max().unwrap_or(1);
            setup = setup.with(option.name, most.max(1));
        }
        for (name, value) in self.options {
            setup = setup.with(name, value);
        }
        Site::new(setup, entry, Verb::Check)
    }

    /// Runs the random schedule of this seed at such a site: the promise that breaks, if one does,
    /// and the lines of the trace without its header.
    ///
    /// # Errors
    ///
    /// If the nodes cannot be built.
    pub fn attempt(
        &self,
        site: &Site,
        seed: u64,
    ) -> Result<Option<(String, Vec<String>)>, Refusal> {
        let delay = Delay::Exponential(10);
        let event_limit = Some(100_000);
        let options = Options { seed, delay, fifo: self.fifo, event_limit, ..Options::default() };
        let mut trace = Vec::new();
        let watch = Watch { trace: Some(Recording::new(&mut trace, false)), ..Watch::default() };
        let report = site.system()?.run(&options, watch, &mut |_| true)?;
        let lines = || String::from_utf8_lossy(&trace).lines().map(str::to_owned).collect();
        let violation = report.violations.into_iter().next();
        Ok(violation.map(|violation| (violation.broken.promise, lines())))
    }

    /// The plan of a check of nodes with or without timers.
    pub fn plan(&self, has_timers: bool) -> CheckPlan {
        let Self { fifo, budget, duplicates, crashes, perpetual, .. } = *self;
        CheckPlan {
            world: World {
                order: if fifo { Order::Fifo } else { Order::Any },
                // Without timers and crashes, hasty searches are the same.
                pace: if has_timers || crashes > 0 { Pace::Free } else { Pace::Patient },
                perpetual,
                faults: Faults { duplicates, crashes, ..Faults::default() },
            },
            budget: Some(budget.to_vec()),
            ..CheckPlan::default()
        }
    }
}

impl Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { topology, fifo, budget, ids, duplicates, crashes, seed, .. } = self;
        write!(f, "{topology} of {}", self.nodes())?;
        if !ids.is_empty() {
            write!(f, " with ids {}", list(ids))?;
        }
        match budget.iter().all(|entries| *entries == budget[0]) {
            true => write!(f, ", {} each", budget[0])?,
            false => write!(f, ", budget {}", list(budget))?,
        }
        write!(f, ", {}", if *fifo { "FIFO" } else { "any order" })?;
        if *duplicates > 0 {
            write!(f, ", {duplicates} duplicated")?;
        }
        if *crashes > 0 {
            write!(f, ", {crashes} crashed")?;
        }
        if *seed != 1 {
            write!(f, ", seed {seed}")?;
        }
        Ok(())
    }
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}
