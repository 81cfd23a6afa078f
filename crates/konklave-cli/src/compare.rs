//! `konklave compare`: all algorithms of a problem on the same workload, cost beside formula.

mod args;
mod folder;
mod measure;
mod report;
mod verdicts;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::compare::Scenario;
use konklave_catalog::entry::Entry;
use konklave_catalog::option::Verb;
use konklave_catalog::problem::About;
use konklave_catalog::setup::Setup;
use konklave_report::folder::Folder;
use konklave_sim::Delay;

use crate::Exit;
use crate::args::Format;
use crate::failure::Failure;
use crate::given::{algorithms, refuse_foreign};
use crate::output;
use crate::progress::Watch;
use crate::setup::resend_period;
use crate::several::split;
pub use args::CompareArgs;
pub(crate) use args::NODES;
pub(crate) use measure::Agreement;
use measure::{Row, measure};

/// The algorithms to compare, and their common configuration.
struct Task {
    problem: &'static About,
    /// The network of all algorithms, if --topology names one; else each has what it needs.
    network: Option<measure::Network>,
    /// The configuration that all runs share.
    base: Setup,
    scenarios: Vec<Scenario>,
}

/// Compares the algorithms of a problem and prints the table.
///
/// # Errors
///
/// If the problem or an algorithm does not exist, or the output cannot be written.
pub fn compare(args: &CompareArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let entries = entries(args, catalog)?;
    let problem = entries[0].problem;
    let task = task(args, problem, &entries)?;
    let suits = |entry: &&&Entry| task.network.as_ref().is_none_or(|it| it.suits(entry));
    let suited: Vec<_> = entries.iter().filter(suits).collect();
    if suited.is_empty() {
        return Err(Failure::bad(format!(
            "the network {} suits no algorithm of this comparison: {}",
            task.base.topology,
            entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ")
        )));
    }
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let mut watch = Watch::new();
    let (mut rows, mut is_whole) = (Vec::new(), true);
    for &&entry in &suited {
        for variant in variants(args, entry, task.base.nodes) {
            let scenarios = task.scenarios.iter().enumerate();
            for (place, scenario) in scenarios.filter(|(_, it)| (it.suits)(&entry.needs)) {
                let measured = measure(args, &task, entry, variant, scenario, &mut watch)?;
                is_whole &= !matches!(measured, measure::Attempted::Interrupted);
                if let measure::Attempted::Measured(row) = measured {
                    rows.push(Row { place, ..*row });
                }
            }
        }
    }
    watch.finish();
    in_order(&mut rows);
    conclude(args, &task, &rows, is_whole, folder)
}

/// The algorithms to compare.
fn entries(args: &CompareArgs, catalog: &'static Catalog) -> Result<Vec<&'static Entry>, Failure> {
    let all = algorithms(&args.family, catalog)?;
    let problem = all[0].problem;
    let entries: Vec<&'static Entry> = match args.only.is_empty() {
        true => all,
        false => args.only.iter().map(|name| catalog.find(name)).collect::<Result<_, _>>()?,
    };
    if let Some(entry) = entries.iter().find(|entry| entry.problem != problem) {
        return Err(Failure::bad(format!("{} does not solve the problem {problem}", entry.name)));
    }
    refuse_foreign(catalog, entries[0], &args.options, Verb::Compare)?;
    Ok(entries)
}

/// The scenarios of the problem, for each combination of values of its options.
fn scenarios(problem: &About, base: &Setup, delay: Delay) -> Vec<Scenario> {
    let mut combinations = vec![(base.clone(), Vec::new())];
    for option in problem.options_of(Verb::Compare).filter(|option| option.is_series) {
        let list = base.options.get(option.name).map(|list| split(list, option.check));
        let Some(Ok(values)) = list else { continue }; // Lists were checked when they were read.
        let with = |(setup, labels): &(Setup, Vec<_>), value: &String| {
            let mut labels = labels.clone();
            if values.len() > 1 {
                labels.push((option.name, value.clone()));
            }
            (setup.clone().with(option.name, value), labels)
        };
        combinations = combinations
            .iter()
            .flat_map(|it| values.iter().map(|value| with(it, value)).collect::<Vec<_>>())
            .collect();
    }
    let mut all = Vec::new();
    for (setup, labels) in combinations {
        for mut scenario in (problem.scenarios)(&setup, delay) {
            let words = labels.iter().map(|(name, value)| format!("{name} {value}"));
            let sentence = Some(scenario.sentence.clone()).filter(|it| !it.is_empty());
            scenario.sentence = words.chain(sentence).collect::<Vec<_>>().join(", ");
            scenario.labels = labels.iter().cloned().chain(scenario.labels).collect();
            for (name, value) in &labels {
                if !scenario.options.iter().any(|(other, _)| other == name) {
                    scenario.options.push((*name, value.clone()));
                }
            }
            all.push(scenario);
        }
    }
    all
}

/// The comparison that the options describe.
fn task(
    args: &CompareArgs,
    problem: &'static About,
    entries: &[&'static Entry],
) -> Result<Task, Failure> {
    let network = match (&args.topology, problem.shared_network) {
        (Some(topology), _) => Some(measure::Network::new(topology, args)?),
        (None, Some(topology)) => Some(measure::Network::new(topology, args)?),
        (None, None) => None,
    };
    let base = Setup {
        nodes: network.as_ref().map_or(args.nodes, |network| network.nodes),
        topology: network.as_ref().map_or_else(String::new, |network| network.topology.clone()),
        graph: network.as_ref().and_then(|network| network.dot.clone()),
        seed: args.seed,
        options: args.options.clone(),
        reliable: args.reliable.then(|| resend_period(args.delay)),
        ..Setup::default()
    };
    let scenarios = scenarios(problem, &base, args.delay);
    let is_many = |scenario: &Scenario| scenario.runs == konklave_catalog::compare::Runs::Many;
    if args.runs.is_some() && !scenarios.iter().any(is_many) {
        return Err(Failure::bad(format!(
            "--runs does not apply to {problem}, where one long run is measured: leave --runs out"
        )));
    }
    debug_assert!(!entries.is_empty() && !scenarios.is_empty(), "there is something to compare");
    Ok(Task { problem, network, base, scenarios })
}

/// The variants of an algorithm to compare: the default one, or all.
fn variants(args: &CompareArgs, entry: &Entry, nodes: u32) -> Vec<Option<&'static str>> {
    let mut variants: Vec<_> = entry.variants(nodes).into_iter().map(Some).collect();
    if variants.is_empty() {
        variants.push(None);
    }
    if !args.variants {
        variants.truncate(1);
    }
    variants
}

/// Scenario by scenario, each sorted by its main quantity.
fn in_order(rows: &mut [Row]) {
    rows.sort_by(|a, b| {
        let by_main = a.main.partial_cmp(&b.main).unwrap_or(std::cmp::Ordering::Equal);
        a.place.cmp(&b.place).then(by_main).then_with(|| a.name().cmp(&b.name()))
    });
}

/// Writes the folder of --out, prints in the format of the options, and returns the verdict.
fn conclude(
    args: &CompareArgs,
    task: &Task,
    rows: &[Row],
    is_whole: bool,
    folder: Option<Folder>,
) -> Result<Exit, Failure> {
    let written =
        folder.map(|folder| folder::write(args, task, rows, is_whole, folder)).transpose()?;
    let table = report::cells(task, rows);
    if args.format == Some(Format::Junit) {
        output::text(&verdicts::suite(task, rows).xml())?;
    } else if args.json {
        output::json(&report::json(args, task, rows, is_whole))?;
    } else if args.markdown {
        output::lines(&output::markdown(&table))?;
    } else if args.csv {
        output::text(&report::results(task, rows).csv())?;
    } else {
        let mut lines = report::for_people(args, task, rows, &table);
        if !is_whole {
            lines.push("interrupted: the remaining rows are missing".to_owned());
        }
        lines.extend(written.iter().map(|path| format!("\nreport: {path}")));
        output::lines(&lines)?;
    }
    Ok(match (rows.iter().any(|row| row.agreement.is_bad()), is_whole) {
        (true, _) => Exit::Broken,
        (false, true) => Exit::Fine,
        (false, false) => Exit::Inconclusive,
    })
}
