//! The beginning of every JSON report: the command that made it, its version and its options.

use std::sync::Mutex;

use clap::{Arg, ArgAction, ArgMatches, Command};
use konklave_catalog::catalog::Catalog;
use konklave_catalog::option::{Opt, Verb};
use konklave_catalog::problem::About;
use konklave_catalog::site::Site;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::given::{Given, is_declared};
use crate::out;

/// The version of the form of all JSON reports, which `konklave schema` prints. It changes if a
/// field is removed, renamed or gets another meaning.
pub(crate) const SCHEMA: u32 = 1;

/// The options of the command line that was parsed last: that of this process, or of the job whose
/// parts it merges.
static OPTIONS: Mutex<Option<Map<String, Value>>> = Mutex::new(None);

/// Remembers the options of this process, with their defaults. Those that the catalogue declares
/// are left out unless they were given: which of them apply depends on the algorithm.
pub(crate) fn remember(command: &Command, matches: &ArgMatches, catalog: &'static Catalog) {
    let (mut command, mut matches) = (command, matches);
    let mut options = Map::new();
    while let Some((name, found)) = matches.subcommand() {
        let Some(inner) = command.find_subcommand(name) else { break };
        (command, matches) = (inner, found);
        for option in inner.get_arguments().filter(|option| !is_help(option)) {
            let (name, value) = (option.get_id().as_str(), value(option, found));
            if !value.is_null() || !is_declared(catalog, name) {
                options.insert(name.replace('-', "_"), value);
            }
        }
    }
    *OPTIONS.lock().expect(UNHARMED) = Some(options);
}

const UNHARMED: &str = "no thread panics with it";

fn is_help(option: &Arg) -> bool {
    use ArgAction::{Help, HelpLong, HelpShort, Version};
    matches!(option.get_action(), Help | HelpShort | HelpLong | Version)
}

/// The value of an option: true or false for a flag, a list for an option that can be repeated.
fn value(option: &Arg, found: &ArgMatches) -> Value {
    let id = option.get_id().as_str();
    match option.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => return found.get_flag(id).into(),
        ArgAction::Count => return found.get_count(id).into(),
        _ => {}
    }
    let given = found.get_raw(id).into_iter().flatten();
    let mut given = given.map(|text| text.to_string_lossy().into_owned());
    let is_list =
        matches!(option.get_action(), ArgAction::Append) || option.get_value_delimiter().is_some();
    match is_list {
        true => given.collect(),
        // The name of an algorithm is empty if a specimen is given.
        false => given.next_back().filter(|text| !text.is_empty()).into(),
    }
}

/// A report, with the command that made it.
#[derive(Serialize)]
pub(crate) struct Told<T> {
    schema: u32,
    version: &'static str,
    command: String,
    options: Map<String, Value>,
    #[serde(flatten)]
    report: T,
}

impl<T: Serialize> Told<T> {
    /// The report with the options of the command line.
    pub(crate) fn plain(report: T) -> Self {
        Self::new(report, [])
    }

    /// The report with the options of the command line, of which some have these effective values.
    pub(crate) fn new(report: T, effective: impl IntoIterator<Item = (String, Value)>) -> Self {
        let mut options = OPTIONS.lock().expect(UNHARMED).clone().unwrap_or_default();
        options.extend(effective.into_iter().map(|(name, it)| (name.replace('-', "_"), it)));
        let version = env!("CARGO_PKG_VERSION");
        Self { schema: SCHEMA, version, command: out::command(), options, report }
    }
}

/// The options of a system, with the defaults that were not given: a value, or what it means.
pub(crate) fn effective(site: &Site) -> Vec<(String, Value)> {
    let entry = site.entry();
    let mut all = vec![
        ("nodes".to_owned(), site.nodes().into()),
        ("topology".to_owned(), site.setup().topology.clone().into()),
    ];
    all.extend(of_problem(entry.problem, &site.setup().options, site.verb()));
    let choices = entry.choices.iter().map(|choice| choice.name);
    all.extend(choices.map(|name| (name.to_owned(), site.choice(name).into())));
    all
}

/// The options of a problem for a subcommand: as given, or the default.
pub(crate) fn of_problem(problem: &About, given: &Given, verb: Verb) -> Vec<(String, Value)> {
    let told = |option: &Opt| {
        let usual = option.usual(verb).map(|usual| usual.text());
        let value = given.get(option.name).map(String::as_str).or(usual);
        (option.name.to_owned(), value.map(str::to_owned).into())
    };
    problem.options_of(verb).map(told).collect()
}
