//! Elections: messages and time on the same network, for several orders of ids and initiators.

mod report;

use konklave::graph::{Format, Graph, GraphError, Topology};
use konklave_report::folder::Folder;
use konklave_report::statistics::{self, Summary};
use konklave_sim::random::{Random, Stream};
use konklave_sim::workload::Members;
use konklave_sim::workload::election::ElectionReport;
use konklave_sim::workload::mutex::Demand;
use konklave_sim::{Delay, Options, Report};
use serde::Serialize;

use super::CompareArgs;
use crate::Verdict;
use crate::drive::{ElectionPlan, Job, MutexPlan, Outcome, Problem, RunPlan, carry_out};
use crate::entry::{Conditions, Entry, Expected};
use crate::failure::Failure;
use crate::progress::Watch;
use crate::setup::{Ids, Setup, network, read_topology};
use crate::site::Site;
use crate::table;

/// One algorithm with one order of ids and one or all initiators.
#[derive(Serialize)]
struct Row {
    algorithm: String,
    variant: Option<&'static str>,
    #[serde(skip)]
    is_default: bool,
    year: Option<u32>,
    initiators: &'static str,
    ids: &'static str,
    runs: u32,
    messages_to_elect: f64,
    /// The true mean is that close, with 95 % confidence.
    messages_margin: Option<f64>,
    expected: Option<Expected>,
    /// Whether what was measured agrees with the formula, if there is one.
    within: Option<bool>,
    messages_to_announce: f64,
    time_to_elect: Option<f64>,
    busiest_over_mean: f64,
    bytes_per_message: f64,
    verdict: &'static str,
    violations: Vec<String>,
}

/// Who starts, as it is written and said.
const INITIATORS: [(&str, Members); 2] = [("all", Members::All), ("one", Members::Count(1))];
const ORDERS: [(&str, Ids); 3] =
    [("ascending", Ids::Ascending), ("descending", Ids::Descending), ("random", Ids::Random)];

/// How many runs are averaged, if nobody says, and after how many messages fewer are enough.
const RUNS: u32 = 100;
const ENOUGH_MESSAGES: f64 = 2e6;
const ENOUGH_RUNS: u32 = 3;

/// Compares and prints.
pub(super) fn compare(args: &CompareArgs, entries: &[&'static Entry]) -> Result<Verdict, Failure> {
    let topology = read_topology(args.topology.as_deref().unwrap_or("ring"))?;
    let (base, graph) = base(args, &topology)?;
    let suited: Vec<_> = entries.iter().filter(|entry| entry.needs.network.fits(&graph)).collect();
    if suited.is_empty() {
        return Err(Failure::bad(format!("{topology} suits none of {}", args.only.join(", "))));
    }
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let mut watch = Watch::new();
    let mut rows = Vec::new();
    let mut is_whole = true;
    for &entry in suited {
        let mut variants: Vec<_> =
            table::variants(entry, base.nodes).into_iter().map(Some).collect();
        if variants.is_empty() {
            variants.push(None);
        }
        if !args.variants {
            variants.truncate(1);
        }
        for variant in variants {
            let Some(setup) = fit(&base, entry, variant, args) else { continue };
            for (initiators, members) in &INITIATORS {
                if entry.needs.one_initiator.is_some() && *members == Members::All {
                    continue;
                }
                for (order, ids) in &ORDERS {
                    let setup = Setup { ids: ids.clone(), ..setup.clone() };
                    let call = (*initiators, members, *order);
                    let row = measure(args, entry, &setup, call, &mut watch)?;
                    is_whole &= row.is_some();
                    rows.extend(row.map(|row| Row { variant, ..row }));
                }
            }
        }
    }
    watch.finish();
    report::findings(args, &base, &rows, is_whole).conclude(args, folder)
}

/// What all runs have in common: the same network, also if it was drawn.
fn base(args: &CompareArgs, topology: &Topology) -> Result<(Setup, Graph), Failure> {
    let bad = |error: GraphError| Failure::bad(error.to_string());
    let is_file = matches!(topology, Topology::File { .. });
    let (mut dot, nodes) = network(topology, (!is_file).then_some(args.nodes))?;
    let mut random = Random::new(args.seed, Stream::Graph);
    let graph = match &dot {
        Some(dot) => Graph::parse(dot, Format::Dot).map_err(bad)?,
        None => topology.build(nodes, &mut || random.word()).map_err(bad)?,
    };
    if matches!(topology, Topology::Gnp { .. } | Topology::Regular { .. } | Topology::RandomTree) {
        dot = Some(graph.to_dot());
    }
    let setup = Setup {
        algorithm: String::new(),
        nodes,
        topology: topology.to_string(),
        graph: dot,
        seed: args.seed,
        ids: Ids::Random,
        elections: 1,
        variant: Default::default(),
        files: Default::default(),
        command: String::new(),
    };
    Ok((setup, graph))
}

/// The setup of an algorithm, unless it relies on a longest delay and there is none.
fn fit(
    base: &Setup,
    entry: &'static Entry,
    variant: Option<&'static str>,
    args: &CompareArgs,
) -> Option<Setup> {
    let mut setup = Setup { algorithm: entry.name.clone(), ..base.clone() };
    let option = entry.choices.first().map(|choice| choice.name).zip(variant);
    setup.variant.extend(option.map(|(name, value)| (name.to_owned(), value.to_owned())));
    if entry.needs.bounded {
        setup.variant.insert("max-delay".to_owned(), args.delay.longest()?.to_string());
    }
    Some(setup)
}

/// Averages over some runs; none if somebody stops them.
fn measure(
    args: &CompareArgs,
    entry: &'static Entry,
    setup: &Setup,
    (initiators, members, order): (&'static str, &Members, &'static str),
    watch: &mut Watch,
) -> Result<Option<Row>, Failure> {
    let mut sample = Sample::default();
    for run in 0..args.runs.unwrap_or(RUNS) {
        // A short run ends before it asks whether to go on.
        if !watch.show(|_| format!("{}, run {}", entry.name, run + 1)) {
            return Ok(None);
        }
        let seed = args.seed.wrapping_add(u64::from(run));
        let site = Site::new(Setup { seed, ..setup.clone() }, entry)?;
        let plan = plan(args, &site, seed, members);
        let mut is_stopped = false;
        let mut go_on = |progress| {
            is_stopped = !watch.look(progress);
            !is_stopped
        };
        let job = Job::Run { plan: &plan, trace: None, go_on: &mut go_on };
        let Outcome::Ran(report) = carry_out(&site, job)? else { unreachable!("a run runs") };
        if is_stopped {
            return Ok(None);
        }
        let Problem::Election(election) = &report.problem else {
            unreachable!("the family was checked")
        };
        sample.add(&report, election);
        let is_enough = sample.messages() > ENOUGH_MESSAGES && sample.runs >= ENOUGH_RUNS;
        if sample.violation.is_some() || (args.runs.is_none() && is_enough) {
            break;
        }
    }
    let site = Site::new(setup.clone(), entry)?;
    let conditions = Conditions {
        load: Demand::Light,
        is_regular: matches!(args.delay, Delay::Constant(_)),
        initiators: if *members == Members::All { site.nodes() } else { 1 },
    };
    let to_elect = sample.summary();
    let margin = 4.0 * to_elect.deviation / f64::from(sample.runs).sqrt();
    let expected = (entry.expected)(&site, conditions).map(|expected| expected.widen(margin));
    let row = Row {
        algorithm: entry.name.clone(),
        variant: None,
        is_default: entry
            .choices
            .first()
            .is_none_or(|choice| Some(&site.choice(choice.name)) == choice.values.first()),
        year: entry.document().year(),
        initiators,
        ids: order,
        runs: sample.runs,
        messages_to_elect: to_elect.mean,
        messages_margin: to_elect.margin,
        within: expected.as_ref().map(|expected| expected.allows(to_elect.mean)),
        expected,
        messages_to_announce: sample.mean(sample.to_announce),
        time_to_elect: sample.violation.is_none().then(|| sample.mean(sample.time)),
        busiest_over_mean: sample.mean(sample.busiest_over_mean),
        bytes_per_message: sample.bytes / sample.messages().max(1.0),
        verdict: if sample.violation.is_none() { "ok" } else { "violated" },
        violations: sample.violation.into_iter().collect(),
    };
    Ok(Some(row))
}

fn plan(args: &CompareArgs, site: &Site, seed: u64, initiators: &Members) -> RunPlan {
    RunPlan {
        options: Options { seed, delay: args.delay, fifo: site.needs_fifo(), ..Options::default() },
        mutex: MutexPlan {
            demand: Demand::Light,
            entries: 0,
            inside: 0,
            think: 0,
            warmup: 0,
            requesters: Members::All,
        },
        election: ElectionPlan { initiators: initiators.clone(), within: 0, notice: None },
    }
}

/// What was measured in each run, or its sum over runs.
#[derive(Default)]
struct Sample {
    runs: u32,
    to_elect: Vec<f64>,
    to_announce: f64,
    time: f64,
    busiest_over_mean: f64,
    bytes: f64,
    violation: Option<String>,
}

impl Sample {
    fn add(&mut self, report: &Report<Problem>, election: &ElectionReport) {
        let messages = &report.messages;
        self.runs += 1;
        self.to_elect.push(election.messages_to_elect as f64);
        self.to_announce += election.messages_to_announce as f64;
        self.time += election.time_to_elect.unwrap_or(0.0);
        self.busiest_over_mean += match messages.mean_per_node {
            0.0 => 1.0,
            mean => f64::from(messages.max_per_node) / mean,
        };
        self.bytes += messages.bytes as f64;
        self.violation = report.violations.first().map(|found| found.broken.to_string());
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / f64::from(self.runs)
    }

    fn messages(&self) -> f64 {
        self.to_elect.iter().sum::<f64>() + self.to_announce
    }

    /// Of the messages to elect.
    fn summary(&self) -> Summary {
        statistics::summary(&self.to_elect).expect("there is at least one run")
    }
}
