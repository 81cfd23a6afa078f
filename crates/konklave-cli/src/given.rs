//! The options that the catalogue declares, on the command line.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Arg, ArgMatches, Command};
use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::option::{Choice, Opt, Verb};
use konklave_catalog::problem::About;
use konklave_catalog::refusal::nearest;

use crate::args::plain;
use crate::failure::Failure;
use crate::several::split;

/// The values of the options of a problem and an algorithm, by name.
pub type Given = BTreeMap<String, String>;

/// The subcommands with options from the catalogue, and whether they take those of algorithms.
const VERBS: [(&str, Verb, bool); 4] = [
    ("run", Verb::Run, true),
    ("check", Verb::Check, true),
    ("compare", Verb::Compare, false),
    ("sweep", Verb::Sweep, true),
];

/// Adds the options of all problems and algorithms to a command line.
pub(crate) fn augment(cli: Command, catalog: &'static Catalog) -> Command {
    VERBS.into_iter().fold(cli, |cli, (name, verb, takes_choices)| {
        cli.mut_subcommand(name, |command| {
            let command = command.args(options(catalog, verb).map(|it| option(catalog, it, verb)));
            // An option of a problem can be one of an algorithm of another problem, too.
            let is_new = |it: &&Choice| options(catalog, verb).all(|other| other.name != it.name);
            command.args(choices(catalog).filter(is_new).filter(|_| takes_choices).map(choice))
        })
    })
}

/// The values that clap has parsed for a subcommand with this name.
pub(crate) fn given(catalog: &'static Catalog, name: &str, found: &ArgMatches) -> Given {
    let verb = VERBS.into_iter().find(|(verb, ..)| *verb == name);
    let Some((_, verb, takes_choices)) = verb else { return Given::new() };
    let choices = choices(catalog).filter(|_| takes_choices).map(|choice| choice.name);
    let names = options(catalog, verb).map(|option| option.name).chain(choices);
    let value = |name: &str| Some((name.to_owned(), found.get_one::<String>(name)?.clone()));
    names.filter_map(value).collect()
}

/// The algorithms of a list of names of algorithms and problems, all of one problem.
///
/// # Errors
///
/// If a name is unknown, or algorithms of different problems are named.
pub(crate) fn algorithms(
    names: &str,
    catalog: &'static Catalog,
) -> Result<Vec<&'static Entry>, Failure> {
    let mut entries: Vec<&'static Entry> = Vec::new();
    for name in names.split(',') {
        let named = match catalog.find_problem(name) {
            Ok(problem) => catalog.entries_of(problem).collect(),
            Err(_) => vec![find(name, catalog)?],
        };
        let known: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        let new = named.into_iter().filter(|entry| !known.contains(entry.name.as_str()));
        entries.extend(new.collect::<Vec<_>>());
    }
    let Some(first) = entries.first() else {
        return Err(Failure::bad(format!("the problem {names} has no algorithms")));
    };
    match entries.iter().find(|entry| entry.problem != first.problem) {
        None => Ok(entries),
        Some(other) => Err(Failure::bad(format!(
            "{} solves the problem {}, but {} the problem {}: what they measure differs",
            first.name, first.problem, other.name, other.problem
        ))),
    }
}

/// The algorithm with this name, where problems could have been named as well.
fn find(name: &str, catalog: &'static Catalog) -> Result<&'static Entry, Failure> {
    catalog.find(name).map_err(|unknown| {
        let problems = catalog.problems().iter().map(|problem| problem.name);
        match nearest(name, problems) {
            Some(hint) => Failure::bad(format!("there is no problem '{name}': {hint}")),
            None => unknown.into(),
        }
    })
}

/// Refuses options that do not apply to the algorithm, instead of ignoring them.
///
/// # Errors
///
/// If an option of another problem was given.
pub(crate) fn refuse_foreign(
    catalog: &Catalog,
    entry: &Entry,
    given: &Given,
    verb: Verb,
) -> Result<(), Failure> {
    for name in given.keys() {
        let takes = |problem: &&&About| problem.options_of(verb).any(|it| it.name == name);
        let owners: Vec<_> = catalog.problems().iter().filter(takes).map(|it| it.name).collect();
        if !owners.is_empty()
            && !owners.contains(&entry.problem.name)
            && entry.choice(name).is_none()
        {
            return Err(Failure::bad(format!(
                "--{name} is an option of the problem {}, but {} solves the problem {}",
                owners.join(" and "),
                entry.name,
                entry.problem
            )));
        }
    }
    Ok(())
}

/// Whether a problem or an algorithm of the catalogue declares an option of this name.
pub(crate) fn is_declared(catalog: &'static Catalog, name: &str) -> bool {
    let is_of_problem = catalog.problems().iter().any(|problem| problem.option(name).is_some());
    is_of_problem || choices(catalog).any(|choice| choice.name == name)
}

/// The options of all problems that a subcommand takes, each once.
fn options(catalog: &'static Catalog, verb: Verb) -> impl Iterator<Item = &'static Opt> {
    let mut known = BTreeSet::new();
    let problems = catalog.problems().iter();
    problems
        .flat_map(move |problem| problem.options_of(verb))
        .filter(move |it| known.insert(it.name))
}

/// The options of all algorithms, each once.
fn choices(catalog: &'static Catalog) -> impl Iterator<Item = &'static Choice> {
    let mut known = BTreeSet::new();
    let entries = catalog.entries().iter();
    entries.flat_map(|entry| entry.choices).filter(move |choice| known.insert(choice.name))
}

fn option(catalog: &Catalog, option: &'static Opt, verb: Verb) -> Arg {
    let owners: Vec<_> = catalog
        .problems()
        .iter()
        .filter(|problem| problem.option(option.name).is_some())
        .map(|problem| problem.title)
        .collect();
    let usual = defaults(catalog, option, verb);
    // Several problems may have an option of this name. Its own one checks the value again.
    let problems = catalog.problems().iter();
    let checks = problems.filter_map(|it| it.option(option.name)).map(|it| it.check);
    let checks: Vec<_> = checks.collect();
    let valid = move |text: &str| match checks.iter().any(|check| check(text).is_ok()) {
        true => Ok(()),
        false => (option.check)(text),
    };
    let check = move |text: &str| {
        // A list keeps its commas; each number in it may be written in any form.
        let text = text.split(',').map(plain).collect::<Vec<_>>().join(",");
        match verb {
            Verb::Sweep => split(&text, &valid).map(drop),
            Verb::Compare if option.is_series => split(&text, &valid).map(drop),
            _ => valid(&text),
        }
        .map(|()| text)
    };
    Arg::new(option.name)
        .long(option.name)
        .value_name(option.value)
        .help(format!("{} [default: {usual}]", option.help))
        .help_heading(in_one(&owners))
        .value_parser(check)
}

/// The default of an option; where that of another problem differs, with the name of the problem.
fn defaults(catalog: &Catalog, option: &Opt, verb: Verb) -> String {
    let text = |option: &Opt| option.usual(verb).map_or("", |usual| usual.text());
    let usual = text(option);
    let problems = catalog.problems().iter();
    let others = problems.filter_map(|it| Some((it.name, text(it.option(option.name)?))));
    let differs = |(name, other): (&str, &str)| match other == usual || other.is_empty() {
        true => String::new(),
        false => format!("; {name}: {other}"),
    };
    usual.to_owned() + &others.map(differs).collect::<String>()
}

/// The titles of several problems as one: only the first begins with a capital letter.
fn in_one(titles: &[&str]) -> String {
    let lower = |title: &&str| title.to_lowercase();
    let first = titles.first().map(|title| (*title).to_owned());
    first.into_iter().chain(titles.iter().skip(1).map(lower)).collect::<Vec<_>>().join(" and ")
}

fn choice(choice: &'static Choice) -> Arg {
    // The name of a switch alone turns it on.
    let is_switch = choice.values == ["no", "yes"];
    Arg::new(choice.name)
        .long(choice.name)
        .value_name(choice.name.to_uppercase())
        .help(choice.help)
        .help_heading("Variants")
        .value_parser(|text: &str| Ok::<_, String>(plain(text).into_owned()))
        .num_args(if is_switch { 0..=1 } else { 1..=1 })
        .require_equals(is_switch)
        .default_missing_value("yes")
}
