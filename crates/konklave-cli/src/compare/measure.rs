//! One row of a comparison: a variant of an algorithm, measured in one scenario.

use std::collections::BTreeMap;

use konklave::graph::{Format, Graph, GraphError, Topology};
use konklave_catalog::compare::{Runs, Scenario};
use konklave_catalog::entry::Entry;
use konklave_catalog::expected::Expected;
use konklave_catalog::option::{MAX_DELAY, Verb};
use konklave_catalog::quantity::Measures;
use konklave_catalog::setup::{Setup, read_topology};
use konklave_catalog::site::Site;
use konklave_catalog::system::Watch as Observers;
use konklave_report::statistics::summary;
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Options, RunReport};
use serde::Serialize;

use super::{CompareArgs, Task};
use crate::failure::Failure;
use crate::progress::Watch;
use crate::quiet::quietly;
use crate::run::Kept;
use crate::setup::network;

/// How a measured value compares with its formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Agreement {
    /// A promise was broken, so the measurement is void.
    Violated,
    /// The value agrees with the formula.
    Ok,
    /// The value differs from the formula.
    Differs,
    /// There is no formula to compare with, or only bounds, which the value keeps.
    Unknown,
}

impl Agreement {
    /// Judges a value by the promises, and by whether it agrees with the formula.
    pub(crate) fn new(kept: Kept, agrees: Option<bool>) -> Self {
        match (kept, agrees) {
            (Kept::Violated, _) => Self::Violated,
            (Kept::Ok, Some(true)) => Self::Ok,
            (Kept::Ok, Some(false)) => Self::Differs,
            (Kept::Ok, None) => Self::Unknown,
        }
    }

    /// The text in a table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Violated => "violated",
            Self::Ok => "ok",
            Self::Differs => "differs",
            Self::Unknown => "",
        }
    }

    /// Whether a promise was broken or the value differs from the formula.
    pub(crate) fn is_bad(self) -> bool {
        matches!(self, Self::Violated | Self::Differs)
    }
}

/// A variant of an algorithm in one scenario.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) entry: &'static Entry,
    pub(super) variant: Option<&'static str>,
    pub(super) is_default: bool,
    /// The index of its scenario.
    pub(super) place: usize,
    pub(super) labels: Vec<(&'static str, String)>,
    pub(super) sentence: String,
    pub(super) runs: u32,
    /// The mean of the main quantity; the margin is that of 95 % confidence.
    pub(super) main: Option<f64>,
    pub(super) margin: Option<f64>,
    /// The mean of every measured quantity, by name.
    pub(super) numbers: BTreeMap<String, f64>,
    pub(super) expected: Option<Expected>,
    /// Whether the measurement agrees with the formula, if that gives more than bounds.
    pub(super) agrees: Option<bool>,
    pub(super) agreement: Agreement,
    pub(super) busiest_over_mean: f64,
    pub(super) bytes_per_message: f64,
    pub(super) kept: Kept,
    pub(super) violations: Vec<String>,
}

impl Row {
    /// The algorithm, and its variant if it is not the default one.
    pub(super) fn name(&self) -> String {
        match self.variant {
            Some(variant) if !self.is_default => format!("{} {variant}", self.entry.name),
            _ => self.entry.name.clone(),
        }
    }

    /// The name, and the scenario if there are several.
    pub(super) fn full_name(&self) -> String {
        match self.sentence.is_empty() {
            true => self.name(),
            false => format!("{} ({})", self.name(), self.sentence),
        }
    }
}

/// The result of an attempt to measure a row.
pub(super) enum Attempted {
    Measured(Box<Row>),
    /// The algorithm cannot take part: it relies on a maximum delay, but delays are unbounded.
    LeftOut,
    /// The user interrupted the comparison.
    Interrupted,
}

/// A network that all algorithms share; a random one is drawn only once.
pub(super) struct Network {
    pub(super) topology: String,
    pub(super) nodes: u32,
    pub(super) dot: Option<String>,
    graph: Graph,
}

impl Network {
    pub(super) fn new(topology: &str, args: &CompareArgs) -> Result<Self, Failure> {
        let bad = |error: GraphError| Failure::bad(error.to_string());
        let topology = read_topology(topology)?;
        let is_file = matches!(topology, Topology::File { .. });
        let (mut dot, nodes) = network(&topology, (!is_file).then_some(args.nodes))?;
        let mut random = Random::new(args.seed, Stream::Graph);
        let graph = match &dot {
            Some(dot) => Graph::parse(dot, Format::Dot).map_err(bad)?,
            None => topology.build(nodes, &mut || random.word()).map_err(bad)?,
        };
        if topology.is_random() {
            dot = Some(graph.to_dot());
        }
        Ok(Self { topology: topology.to_string(), nodes, dot, graph })
    }

    pub(super) fn suits(&self, entry: &Entry) -> bool {
        entry.needs.network.fits(&self.graph)
    }
}

/// The default number of runs to average, and the number of messages after which fewer are enough.
const RUNS: u32 = 100;
const ENOUGH_MESSAGES: f64 = 2e6;
const ENOUGH_RUNS: u32 = 3;

/// Runs a variant of an algorithm in one scenario until its mean is precise enough.
pub(super) fn measure(
    args: &CompareArgs,
    task: &Task,
    entry: &'static Entry,
    variant: Option<&'static str>,
    scenario: &Scenario,
    watch: &mut Watch,
) -> Result<Attempted, Failure> {
    let Some(setup) = setup(args, task, entry, variant, scenario) else {
        return Ok(Attempted::LeftOut);
    };
    let runs = match scenario.runs {
        Runs::One => 1,
        Runs::Many => args.runs.unwrap_or(RUNS),
    };
    let mut sample = Sample::default();
    for run in 0..runs {
        // A short run ends before it asks whether to go on.
        if !watch.show(|_| format!("{}, run {}", entry.name, run + 1)) {
            return Ok(Attempted::Interrupted);
        }
        let seed = args.seed.wrapping_add(u64::from(run));
        let site = Site::new(Setup { seed, ..setup.clone() }, entry, Verb::Run)?;
        let mut is_stopped = false;
        let mut go_on = |progress| {
            is_stopped = !watch.look(progress);
            !is_stopped
        };
        args.turns.refuse_if_foreign(&site)?;
        let (options, system) = (options(args, &site, seed), site.system()?);
        let report = quietly(|| system.run(&options, Observers::default(), &mut go_on))?;
        if is_stopped {
            return Ok(Attempted::Interrupted);
        }
        sample.add(&report, task.problem.main_quantity().name);
        let is_enough = sample.messages > ENOUGH_MESSAGES && sample.runs >= ENOUGH_RUNS;
        if !sample.violations.is_empty() || (args.runs.is_none() && is_enough) {
            break;
        }
    }
    let site = Site::new(setup, entry, Verb::Run)?;
    let expected = site.expected(&options(args, &site, args.seed));
    let row = sample.row(entry, &site, scenario, expected);
    Ok(Attempted::Measured(Box::new(Row { variant, ..row })))
}

/// The system of a row; `None` if the algorithm relies on a maximum delay but delays are unbounded.
fn setup(
    args: &CompareArgs,
    task: &Task,
    entry: &Entry,
    variant: Option<&'static str>,
    scenario: &Scenario,
) -> Option<Setup> {
    let mut setup = Setup { algorithm: entry.name.clone(), ..task.base.clone() };
    for (name, value) in &scenario.options {
        setup = setup.with(name, value);
    }
    if let Some((choice, variant)) = entry.choices.first().zip(variant) {
        setup = setup.with(choice.name, variant);
    }
    let setup = entry.problem.complete(setup, Verb::Compare, args.delay).with_others(entry);
    match entry.needs.is_bounded(&setup.options) {
        true => Some(setup.with(MAX_DELAY.name, args.delay.longest()?)),
        false => Some(setup),
    }
}

fn options(args: &CompareArgs, site: &Site, seed: u64) -> Options {
    let options = Options {
        seed,
        delay: args.delay,
        fifo: site.needs_fifo(),
        perpetual: site.is_perpetual(),
        ..Options::default()
    };
    args.turns.complete(site, options)
}

/// The measurements of all runs of a row.
#[derive(Default)]
struct Sample {
    runs: u32,
    /// The main quantity of each run.
    main: Vec<f64>,
    /// Every number: its sum, and how many there were.
    numbers: BTreeMap<String, (f64, u32)>,
    busiest_over_mean: f64,
    messages: f64,
    bytes: f64,
    violations: Vec<String>,
}

impl Sample {
    fn add(&mut self, report: &RunReport<Measures>, main: &str) {
        let messages = &report.messages;
        self.runs += 1;
        self.main.extend(report.problem.get(main));
        for (name, number) in report.problem.numbers() {
            let (sum, count) = self.numbers.entry(name).or_default();
            *sum += number;
            *count += 1;
        }
        self.busiest_over_mean += match messages.mean_per_node {
            0.0 => 1.0,
            mean => f64::from(messages.max_per_node) / mean,
        };
        self.messages += messages.total as f64;
        self.bytes += messages.bytes as f64;
        self.violations.extend(report.violations.iter().map(|found| found.broken.to_string()));
    }

    /// The row of these runs.
    fn row(
        self,
        entry: &'static Entry,
        site: &Site,
        scenario: &Scenario,
        expected: Option<Expected>,
    ) -> Row {
        let main = summary(&self.main);
        let tolerance = main.map_or(0.0, |main| main.tolerance());
        let expected = expected.map(|expected| expected.widen(tolerance));
        let agrees = expected.as_ref().zip(main).and_then(|(it, main)| it.agrees(main.mean));
        let kept = Kept::unless(!self.violations.is_empty());
        let mean = |(name, (sum, count)): (String, (f64, u32))| (name, sum / f64::from(count));
        Row {
            entry,
            variant: None,
            is_default: site.is_default_variant(),
            place: 0,
            labels: scenario.labels.clone(),
            sentence: scenario.sentence.clone(),
            runs: self.runs,
            main: main.map(|main| main.mean),
            margin: main.and_then(|main| main.margin),
            numbers: self.numbers.into_iter().map(mean).collect(),
            expected,
            agrees,
            agreement: Agreement::new(kept, agrees),
            busiest_over_mean: self.busiest_over_mean / f64::from(self.runs),
            bytes_per_message: self.bytes / self.messages.max(1.0),
            kept,
            violations: self.violations,
        }
    }
}
