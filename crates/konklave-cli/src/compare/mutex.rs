//! Mutual exclusion: messages, delays and fairness per entry, under the same load.

mod report;

use std::cmp::Ordering;

use konklave_report::folder::Folder;
use konklave_sim::workload::Members;
use konklave_sim::workload::mutex::{Demand, MutexReport};
use konklave_sim::{Delay, Options, Report};
use serde::Serialize;

use super::CompareArgs;
use crate::Verdict;
use crate::drive::{ElectionPlan, Job, MutexPlan, Outcome, Problem, RunPlan, carry_out};
use crate::entry::{Conditions, Entry, Expected, Needs};
use crate::failure::Failure;
use crate::progress::Watch;
use crate::setup::{Ids, Setup};
use crate::site::Site;
use crate::table;

/// One algorithm in the comparison.
#[derive(Serialize)]
struct Row {
    algorithm: String,
    /// Which form of it, if it has several.
    variant: Option<&'static str>,
    #[serde(skip)]
    is_default: bool,
    messages_per_entry: Option<f64>,
    expected: Option<Expected>,
    /// Whether what was measured agrees with the formula, if there is one.
    within: Option<bool>,
    coordination_delay: Option<f64>,
    coordination_delay_max: Option<f64>,
    waiting_time: Option<f64>,
    waiting_time_p99: Option<f64>,
    response_time: Option<f64>,
    overtakings_max: u64,
    busiest_over_mean: f64,
    bytes_per_message: f64,
    needs: Needs,
    year: Option<u32>,
    state: Option<String>,
    crash: Option<String>,
    verdict: &'static str,
    violations: Vec<String>,
}

/// Compares and prints.
pub(super) fn compare(
    args: &CompareArgs,
    entries: Vec<&'static Entry>,
) -> Result<Verdict, Failure> {
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let mut watch = Watch::new();
    let mut rows = Vec::new();
    let mut is_whole = true;
    for entry in entries {
        let mut variants: Vec<_> =
            table::variants(entry, args.nodes).into_iter().map(Some).collect();
        if variants.is_empty() {
            variants.push(None);
        }
        if !args.variants {
            variants.truncate(1);
        }
        for variant in variants {
            let row = measure(args, entry, variant, &mut watch)?;
            is_whole &= row.is_some();
            rows.extend(row);
        }
    }
    watch.finish();
    rows.sort_by(|a, b| {
        let by_messages = a.messages_per_entry.partial_cmp(&b.messages_per_entry);
        by_messages.unwrap_or(Ordering::Equal).then_with(|| a.name().cmp(&b.name()))
    });
    report::findings(args, &rows, is_whole).conclude(args, folder)
}

impl Row {
    /// The algorithm, and its variant if it is not the usual one.
    fn name(&self) -> String {
        match self.variant {
            Some(variant) if !self.is_default => format!("{} {variant}", self.algorithm),
            _ => self.algorithm.clone(),
        }
    }
}

/// Runs one algorithm in one of its variants; none if somebody stops the run.
fn measure(
    args: &CompareArgs,
    entry: &'static Entry,
    variant: Option<&'static str>,
    watch: &mut Watch,
) -> Result<Option<Row>, Failure> {
    // A short run ends before it asks whether to go on.
    if !watch.show(|_| entry.name.clone()) {
        return Ok(None);
    }
    let option = entry.choices.first().map(|choice| choice.name).zip(variant).into_iter();
    let setup = Setup {
        algorithm: entry.name.clone(),
        nodes: args.nodes,
        topology: String::new(),
        graph: None,
        seed: args.seed,
        ids: Ids::Random,
        elections: 1,
        variant: option.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        files: Default::default(),
        command: String::new(),
    };
    let site = Site::new(setup, entry)?;
    let plan = plan(args, &site);
    let mut is_stopped = false;
    let mut go_on = |progress| {
        is_stopped = !watch.look(progress);
        !is_stopped
    };
    let job = Job::Run { plan: &plan, trace: None, go_on: &mut go_on };
    let Outcome::Ran(report) = carry_out(&site, job)? else { unreachable!("a run runs") };
    let Problem::Mutex(mutex) = &report.problem else { unreachable!("the family was checked") };
    Ok((!is_stopped).then(|| Row { variant, ..row(args, &site, &report, mutex) }))
}

fn load(args: &CompareArgs) -> Demand {
    args.load.unwrap_or(Demand::Light)
}

/// How long a node stays inside: what the user says, or five T.
fn inside(args: &CompareArgs) -> u64 {
    args.cs.unwrap_or((5.0 * args.delay.mean()).round() as u64)
}

fn conditions(args: &CompareArgs) -> Conditions {
    let is_long = inside(args) as f64 >= 5.0 * args.delay.mean();
    let is_constant = matches!(args.delay, Delay::Constant(_));
    let is_regular = load(args) == Demand::Heavy && is_constant && is_long;
    Conditions { load: load(args), is_regular, initiators: 0 }
}

/// How often each node enters: what the user says, or enough for good means.
fn entries(args: &CompareArgs) -> u32 {
    args.entries.unwrap_or(match load(args) {
        Demand::Heavy => 14,
        Demand::Light | Demand::Poisson(_) => 30_000_u32.div_ceil(args.nodes).max(30),
    })
}

/// How many entries there are, and what is left out at both ends: whole rounds under regular
/// load, so much that everyone has entered under light load, for many algorithms remember who did.
/// Nothing in other cases: then a part of the run would have more or less than its messages.
fn plan(args: &CompareArgs, site: &Site) -> RunPlan {
    let nodes = u64::from(args.nodes);
    let entries = entries(args);
    let warmup = match load(args) {
        Demand::Light => u64::from(entries) * nodes / 3,
        _ if conditions(args).is_regular => 2 * nodes,
        _ => 0,
    };
    RunPlan {
        options: Options {
            seed: args.seed,
            delay: args.delay,
            fifo: site.needs_fifo(),
            perpetual: site.entry().needs.perpetual,
            ..Options::default()
        },
        mutex: MutexPlan {
            demand: load(args),
            entries,
            inside: inside(args),
            think: 0,
            warmup,
            requesters: Members::All,
        },
        election: ElectionPlan { initiators: Members::All, within: 0, notice: None },
    }
}

fn row(args: &CompareArgs, site: &Site, report: &Report<Problem>, mutex: &MutexReport) -> Row {
    let entry = site.entry();
    let document = entry.document();
    let messages = &report.messages;
    let expected = (entry.expected)(site, conditions(args));
    let within = expected.as_ref().zip(mutex.messages_per_entry);
    Row {
        algorithm: entry.name.clone(),
        variant: None,
        is_default: entry
            .choices
            .first()
            .is_none_or(|choice| Some(&site.choice(choice.name)) == choice.values.first()),
        messages_per_entry: mutex.messages_per_entry,
        within: within.map(|(expected, measured)| expected.allows(measured)),
        expected,
        coordination_delay: mutex.coordination_delay.map(|delay| delay.mean),
        coordination_delay_max: mutex.coordination_delay.map(|delay| delay.max),
        waiting_time: mutex.waiting_time.map(|waiting| waiting.mean),
        waiting_time_p99: mutex.waiting_time.map(|waiting| waiting.p99),
        response_time: mutex.response_time.map(|response| response.mean),
        overtakings_max: mutex.overtakings_max,
        busiest_over_mean: match messages.mean_per_node {
            0.0 => 1.0,
            mean => f64::from(messages.max_per_node) / mean,
        },
        bytes_per_message: match messages.total {
            0 => 0.0,
            total => messages.bytes as f64 / total as f64,
        },
        needs: entry.needs,
        year: document.year(),
        state: document.sentence_about("Cost", "state: "),
        crash: document.sentence_about("Assumes", "crash"),
        verdict: if report.violations.is_empty() { "ok" } else { "violated" },
        violations: report.violations.iter().map(|found| found.broken.to_string()).collect(),
    }
}
