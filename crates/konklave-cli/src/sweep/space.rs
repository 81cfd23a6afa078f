//! What a sweep runs: every combination of algorithms, sizes, values of options, delays and seeds.

use std::collections::BTreeMap;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::option::{Usual, Verb};
use konklave_catalog::problem::About;
use konklave_catalog::setup::{Setup, read_topology};
use konklave_sim::Delay;

use super::SweepArgs;
use super::faults;
use super::runs::{Cell, Task};
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::given::{Given, algorithms, refuse_foreign};
use crate::several::split;

/// An option of the sweep, and its values.
pub(super) struct Dimension {
    pub(super) name: String,
    pub(super) values: Vec<String>,
    /// Whether the value is part of the name of a series: always if there are several.
    pub(super) is_series: bool,
    owner: Owner,
}

/// Which algorithms have an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// All algorithms of the sweep.
    All,
    /// Those that declare it.
    Some,
}

/// Checks a list of topologies.
pub(super) fn topologies(text: &str) -> Result<String, String> {
    split(text, is_topology).map(|_| text.to_owned())
}

fn is_topology(text: &str) -> Result<(), String> {
    read_topology(text).map(drop).map_err(|refusal| refusal.to_string())
}

/// All options that were given, and those that name series anyway.
fn dimensions(args: &SweepArgs, entries: &[&'static Entry]) -> Vec<Dimension> {
    let problem = entries[0].problem;
    let mut all: Vec<Dimension> = Vec::new();
    let mut add = |name: &str, values: Vec<String>, is_series: bool, owner| {
        let is_series = is_series || values.len() > 1;
        all.push(Dimension { name: name.to_owned(), values, is_series, owner });
    };
    // Lists were checked when they were read.
    for option in problem.options_of(Verb::Sweep) {
        let usual = match option.usual(Verb::Sweep) {
            Some(Usual::Is(value)) if option.is_series => Some(value),
            _ => None,
        };
        if let Some(list) = args.options.get(option.name).map(String::as_str).or(usual) {
            let values = split(list, option.check).unwrap_or_default();
            add(option.name, values, option.is_series, Owner::All);
        }
    }
    let is_choice = |name: &&String| problem.option(name).is_none();
    for name in args.options.keys().filter(is_choice) {
        let choices = || entries.iter().filter_map(|entry| entry.choice(name));
        let is_known = |value: &str| match choices().any(|choice| choice.allows(value)) {
            true => Ok(()),
            false => Err(String::new()),
        };
        // What is unknown is refused later, with a reason.
        let list = &args.options[name];
        let items = || list.split(',').map(str::to_owned).collect();
        let values = split(list, is_known).unwrap_or_else(|_| items());
        add(name, values, false, Owner::Some);
    }
    if let Some(list) = &args.topology {
        add("topology", split(list, is_topology).unwrap_or_default(), false, Owner::All);
    }
    for (name, list) in args.faults.given() {
        add(name, faults::values(name, list), false, Owner::All);
    }
    all
}

/// The runs of a sweep.
pub(super) struct Space {
    /// The problem that all its algorithms solve.
    pub(super) problem: &'static About,
    pub(super) dimensions: Vec<Dimension>,
    /// All runs, small systems first.
    pub(super) tasks: Vec<Task>,
    /// Why algorithms or series are left out.
    pub(super) left_out: Vec<String>,
}

impl Space {
    /// All runs that the options ask for. What an algorithm among several cannot do is left out;
    /// what the only one cannot do is refused.
    pub(super) fn new(args: &SweepArgs, catalog: &'static Catalog) -> Result<Self, Failure> {
        let entries = algorithms(&args.algorithm, catalog)?;
        let problem = entries[0].problem;
        refuse_foreign(catalog, entries[0], &args.options, Verb::Sweep)?;
        let is_alone = entries.len() == 1 && catalog.find_problem(&args.algorithm).is_err();
        let dimensions = dimensions(args, &entries);
        if !is_alone {
            refuse_unknown_choices(&dimensions, &entries)?;
        }
        let mut left_out = Vec::new();
        let mut all: BTreeMap<Cell, Vec<Task>> = BTreeMap::new();
        for entry in &entries {
            let combinations = combinations(&dimensions, entry, is_alone);
            if combinations.is_empty() {
                left_out.push(format!("{} has none of the variants asked for", entry.name));
            }
            for combination in combinations {
                for &delay in &args.delay {
                    for &nodes in &args.nodes {
                        let task = task(args, entry, nodes, (&combination, delay));
                        all.entry(task.cell.series()).or_default().push(task);
                    }
                }
            }
        }
        for tasks in all.values_mut() {
            match tasks.iter().try_for_each(|task| task.plan().map(drop)) {
                Err(Failure::Bad(reason)) if !is_alone => {
                    tasks.clear();
                    left_out.extend(Some(reason).filter(|it| !left_out.contains(it)));
                }
                planned => planned?,
            }
        }
        let mut firsts: Vec<Task> = all.into_values().flatten().collect();
        if firsts.is_empty() {
            return Err(Failure::bad(format!(
                "no algorithm of {} can be run: {}",
                args.algorithm,
                left_out.first().map_or("", String::as_str)
            )));
        }
        // Small systems first, and the algorithms in turn.
        firsts.sort_by(|a, b| (a.cell.nodes, &a.cell).cmp(&(b.cell.nodes, &b.cell)));
        let (seed, count) = (args.seed, u64::from(args.seeds));
        let tasks = firsts.iter().flat_map(|first| {
            (0..count).map(move |place| first.with_seed(seed.wrapping_add(place)))
        });
        Ok(Self { problem, dimensions, tasks: tasks.collect(), left_out })
    }
}

impl Space {
    /// The first run of each cell.
    pub(super) fn firsts(&self) -> BTreeMap<Cell, Task> {
        let mut firsts: BTreeMap<Cell, Task> = BTreeMap::new();
        for task in &self.tasks {
            let (cell, seed) = task.key();
            firsts.entry(cell).or_insert_with(|| task.with_seed(seed));
        }
        firsts
    }
}

/// Refuses options that none of several algorithms has.
fn refuse_unknown_choices(
    dimensions: &[Dimension],
    entries: &[&'static Entry],
) -> Result<(), Failure> {
    for Dimension { name, values, .. } in dimensions.iter().filter(|it| it.owner == Owner::Some) {
        let choices = || entries.iter().filter_map(|entry| entry.choice(name));
        if choices().next().is_none() {
            return Err(Failure::bad(format!("none of these algorithms has --{name}")));
        }
        let is_unknown = |value: &&String| !choices().any(|choice| choice.allows(value));
        if let Some(value) = values.iter().find(is_unknown) {
            let mut valid: Vec<&str> =
                choices().flat_map(|choice| choice.values).copied().collect();
            valid.sort_unstable();
            valid.dedup();
            return Err(Failure::bad(format!(
                "--{name} cannot be '{value}': write {}",
                valid.join(", ")
            )));
        }
    }
    Ok(())
}

/// A value of each option.
#[derive(Clone, Default)]
struct Combination {
    values: Given,
    /// Those that are part of the name of the series.
    series: Given,
}

/// Every combination of values that an algorithm takes. One of several algorithms takes part
/// without the options that it does not have, and with the values that it has.
fn combinations(dimensions: &[Dimension], entry: &Entry, is_alone: bool) -> Vec<Combination> {
    let mut all = vec![Combination::default()];
    for Dimension { name, values, is_series, owner } in dimensions {
        let choice = entry.choice(name);
        if *owner == Owner::Some && choice.is_none() && !is_alone {
            continue;
        }
        let is_taken =
            |value: &&String| is_alone || choice.is_none_or(|choice| choice.allows(value));
        let values: Vec<_> = values.iter().filter(is_taken).collect();
        let with = |before: &Combination, value: &String| {
            let mut combination = before.clone();
            combination.values.insert(name.clone(), value.clone());
            if *is_series {
                combination.series.insert(name.clone(), value.clone());
            }
            combination
        };
        all = all.iter().flat_map(|it| values.iter().map(|value| with(it, value))).collect();
    }
    all
}

/// The run with the first seed.
fn task(
    args: &SweepArgs,
    entry: &'static Entry,
    nodes: u32,
    (combination, delay): (&Combination, Delay),
) -> Task {
    let mut options = combination.values.clone();
    let topology = options.remove("topology");
    let faults = faults::take(&mut options);
    let setup = Setup { nodes, options, ..Setup::default() };
    let setup = entry.problem.complete(setup, Verb::Sweep, delay);
    let algorithm = entry.name.clone();
    let cell = Cell {
        algorithm: algorithm.clone(),
        nodes,
        options: combination.series.clone(),
        delay: delay.to_string(),
    };
    let args = RunArgs {
        algorithm,
        specimen: None,
        nodes: Some(nodes),
        topology,
        seed: args.seed,
        delay,
        fifo: args.fifo,
        reliable: args.reliable,
        beyond: false,
        options: setup.options,
        faults,
        turns: args.turns,
        time_limit: None,
        event_limit: args.event_limit,
        trace: None,
        states: false,
        history: None,
        dump: None,
        out: None,
        save_graph: None,
        json: false,
    };
    Task::new(entry, cell, args)
}
