//! What is known about a specimen.

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

/// A broken algorithm, and the smallest system in which that shows.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Specimen {
    /// Its name: the right algorithm and the flaw.
    pub name: &'static str,
    /// The right algorithm.
    pub of: &'static str,
    /// What is wrong, and why it matters.
    pub flaw: &'static str,
    /// Whether the algorithm is right, and the setting is one that it is not made for.
    pub is_forbidden_setting: bool,
    /// What happens.
    pub finds: Finding,
    /// The promise that breaks.
    pub promise: &'static str,
    /// The smallest system in which it breaks.
    pub setting: Setting,
    /// What finds it there.
    pub found_by: Tool,
    /// How many steps of nodes the shortest way to the end of the promise takes, without the start
    /// of every node; a crash is no step. Of a run without an end: the way to the circle and once
    /// round it, as it is found: that may take some steps too many. If it was found by chance: how
    /// many are left when nothing more can be taken away.
    pub steps: usize,
    /// Builds its broken nodes.
    #[serde(skip)]
    pub build: Build,
}

impl Specimen {
    /// Its line of the table: that of the right algorithm, but for the nodes.
    pub fn entry(&'static self, right: &Entry) -> Entry {
        Entry {
            name: self.name.to_owned(),
            problem: right.problem,
            // A forbidden setting is what some specimens are about.
            needs: Needs { one_initiator: None, ..right.needs },
            choices: right.choices,
            source: right.source,
            file: right.file,
            formula: right.formula,
            build: self.build,
            flaw: Some(self),
        }
    }

    /// The smallest system in which the promise breaks, built from the specimen's entry or from
    /// that of the right algorithm.
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

/// What happens in a system of broken nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// Two nodes are in the critical section together.
    TwoInside,
    /// Nodes wait for each other for ever, or for nobody.
    Deadlock,
    /// The token is gone, and all wait for it.
    LostToken,
    /// Somebody waits for ever, or nobody does, and the nodes never come to rest.
    Livelock,
    /// The result is out, and word of it never ends.
    EndlessAnnouncement,
    /// Two nodes are leaders.
    TwoLeaders,
    /// A node that should not is elected.
    WrongLeader,
    /// Some node never learns who leads, or nobody does.
    NoLeader,
    /// A node finds itself where it believes that it cannot be.
    Assertion,
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
        })
    }
}

/// What finds a specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// Looking at every schedule.
    Check,
    /// Random schedules: of the seeds from 1 on, this is the first that breaks the promise.
    Fuzz {
        /// The seed.
        seed: u64,
    },
}

/// A small system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The form of the network.
    pub topology: &'static str,
    /// Whether channels keep the order of messages.
    pub fifo: bool,
    /// How often each node enters, or starts an election: one number for each.
    pub budget: &'static [u32],
    /// The ids of the nodes, if they have any.
    pub ids: &'static [u32],
    /// How many messages may arrive twice.
    pub duplicates: u8,
    /// How many nodes may crash.
    pub crashes: u8,
    /// Whether the nodes never rest, so that a run without an end is no defect by itself.
    pub perpetual: bool,
    /// What the applications of random schedules do, by the names of the problem's options.
    #[serde(skip)]
    pub options: &'static [(&'static str, &'static str)],
}

impl Setting {
    /// A network of this form, over which messages overtake each other; each node enters so often.
    pub const fn new(topology: &'static str, budget: &'static [u32]) -> Self {
        Self {
            topology,
            fifo: false,
            budget,
            ids: &[],
            duplicates: 0,
            crashes: 0,
            perpetual: false,
            options: &[],
        }
    }

    /// The same, with channels that keep the order of messages.
    pub const fn fifo(self) -> Self {
        Self { fifo: true, ..self }
    }

    /// The same, with these ids.
    pub const fn ids(self, ids: &'static [u32]) -> Self {
        Self { ids, ..self }
    }

    /// The same, with so many messages that arrive twice.
    pub const fn duplicates(self, duplicates: u8) -> Self {
        Self { duplicates, ..self }
    }

    /// The same, with so many nodes that crash.
    pub const fn crashes(self, crashes: u8) -> Self {
        Self { crashes, ..self }
    }

    /// The same, with nodes that never rest.
    pub const fn perpetual(self) -> Self {
        Self { perpetual: true, ..self }
    }

    /// The same, with applications that do this in random schedules.
    pub const fn options(self, options: &'static [(&'static str, &'static str)]) -> Self {
        Self { options, ..self }
    }

    /// How many nodes there are.
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
            seed: 1,
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
        let watch = Watch { trace: Some(Recording::new(&mut trace, false)), coverage: None };
        let report = site.system()?.run(&options, watch, &mut |_| true)?;
        let lines = || String::from_utf8_lossy(&trace).lines().map(str::to_owned).collect();
        let violation = report.violations.into_iter().next();
        Ok(violation.map(|violation| (violation.broken.promise, lines())))
    }

    /// How nodes with or without timers are checked here.
    pub fn plan(&self, has_timers: bool) -> CheckPlan {
        let Self { fifo, budget, duplicates, crashes, perpetual, .. } = *self;
        CheckPlan {
            world: World {
                order: if fifo { Order::Fifo } else { Order::Any },
                // Without timers and crashes there is nothing to be impatient about.
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
        let Self { topology, fifo, budget, ids, duplicates, crashes, .. } = self;
        write!(f, "{topology} of {}", self.nodes())?;
        if !ids.is_empty() {
            write!(f, " with ids {}", list(ids))?;
        }
        match budget.iter().all(|entries| *entries == budget[0]) {
            true => write!(f, ", {} each", budget[0])?,
            false => write!(f, ", budget {}", list(budget))?,
        }
        write!(f, ", {}", if *fifo { "in order" } else { "any order" })?;
        if *duplicates > 0 {
            write!(f, ", {duplicates} doubled")?;
        }
        if *crashes > 0 {
            write!(f, ", {crashes} crashed")?;
        }
        Ok(())
    }
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}
