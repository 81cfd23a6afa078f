//! `konklave completions` and `konklave man`: the command line for shells and readers.

use std::collections::BTreeSet;

use clap::builder::{PossibleValuesParser, Resettable};
use clap::{Arg, Command};
use clap_complete::Shell;
use konklave::graph::NAMES;
use konklave_catalog::catalog::Catalog;
use konklave_check::COMES_TO_REST;
use konklave_specimens::objects::OBJECTS;
use konklave_stage::local::ASSERTIONS_HOLD;

use crate::failure::Failure;
use crate::{Exit, command, output};

/// Prints a script that completes commands, options and the names of what they take.
pub(crate) fn completions(shell: Shell, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    let mut command = with_names(command(catalog), catalog);
    clap_complete::generate(shell, &mut command, "konklave", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Fish => script += &positionals_for_fish(&command),
        Shell::Bash => script += LISTS_FOR_BASH,
        _ => {}
    }
    output::text(&script)?;
    Ok(Exit::Fine)
}

/// Completes what stands behind the last comma of a word, which clap takes for a whole one.
const LISTS_FOR_BASH: &str = r#"
_konklave_in_lists() {
    case "$2" in
        *,*)
            local before="${2%,*},"
            _konklave "$1" "${2##*,}" "$3"
            COMPREPLY=("${COMPREPLY[@]/#/$before}")
            ;;
        *) _konklave "$@" ;;
    esac
}
complete -F _konklave_in_lists -o nosort -o bashdefault -o default konklave 2> /dev/null ||
    complete -F _konklave_in_lists -o bashdefault -o default konklave
"#;

/// The values of arguments without a name, which clap leaves out for fish.
fn positionals_for_fish(command: &Command) -> String {
    let mut lines = String::new();
    for verb in command.get_subcommands() {
        for values in verb.get_positionals().map(Arg::get_possible_values) {
            let names: Vec<_> = values.iter().map(|value| value.get_name()).collect();
            if !names.is_empty() {
                let verb = verb.get_name();
                let condition = format!("__fish_konklave_using_subcommand {verb}");
                let names = names.join(" ");
                lines += &format!("complete -c konklave -n \"{condition}\" -f -a \"{names}\"\n");
            }
        }
    }
    lines
}

/// Prints the manual page of the program or of a subcommand.
pub(crate) fn man(verb: Option<&str>, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let mut command = command(catalog);
    // Subcommands get the name of the program, and their global options.
    command.build();
    let page = match verb {
        None => command,
        Some(verb) => {
            let found = command.find_subcommand(verb).cloned();
            let found = found.ok_or_else(|| {
                let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
                let names = names.join(", ");
                Failure::bad(format!("there is no subcommand '{verb}': there are {names}"))
            })?;
            // `konklave run`, in a file konklave-run.1.
            let name = format!("konklave-{verb}");
            found.display_name(name.clone()).name(name).version(env!("CARGO_PKG_VERSION"))
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    output::text(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Fine)
}

/// The command line with the values that can be named, for completion only: what users type is
/// judged by the catalogue, which proposes the nearest name.
fn with_names(command: Command, catalog: &'static Catalog) -> Command {
    let algorithms: Vec<_> = catalog.entries().iter().map(|entry| entry.name.clone()).collect();
    let problems: Vec<_> =
        catalog.problems().iter().map(|problem| problem.name.to_owned()).collect();
    let specimens = catalog.specimens().iter().map(|specimen| specimen.name.clone());
    let objects = OBJECTS.iter().map(|object| object.name.to_owned());
    let specimens: Vec<_> = specimens.chain(objects).collect();
    let both = [algorithms.clone(), problems.clone()].concat();
    let choices = |name: &str| -> Vec<String> {
        let all = catalog.entries().iter().flat_map(|entry| entry.choices);
        let values = all.filter(|it| it.name == name).flat_map(|it| it.values.iter());
        // The forms `NUMBER` and `file:PATH` are not values.
        let named = values.filter(|it| it.chars().all(|c| !c.is_ascii_uppercase()));
        named.map(|it| (*it).to_owned()).collect::<BTreeSet<_>>().into_iter().collect()
    };
    // With hyphens, which `--promise` reads as spaces.
    let promises = catalog.problems().iter().flat_map(|problem| (problem.promises)());
    let promises = promises.map(|it| it.name).chain([ASSERTIONS_HOLD, COMES_TO_REST]);
    let promises: BTreeSet<_> = promises.map(|it| it.replace(' ', "-")).collect();
    let promises: Vec<_> = promises.into_iter().collect();
    let explained = [algorithms.clone(), specimens.clone()].concat();
    command.mut_subcommands(|verb| {
        let name = verb.get_name().to_owned();
        verb.mut_args(|option| {
            let known = match (option.get_id().as_str(), name.as_str()) {
                ("algorithm", "explain") => explained.clone(),
                ("algorithm", "check" | "sweep") => both.clone(),
                ("algorithm" | "only", _) => algorithms.clone(),
                ("specimen", _) => specimens.clone(),
                ("family", _) => problems.clone(),
                ("topology", _) => NAMES.map(str::to_owned).to_vec(),
                ("promises", _) => promises.clone(),
                ("load", _) => ["light", "heavy"].map(str::to_owned).to_vec(),
                (option, _) => choices(option),
            };
            match known.is_empty() || !option.get_action().takes_values() {
                true => option,
                false => named(option, known),
            }
        })
    })
}

fn named(option: Arg, values: Vec<String>) -> Arg {
    // An empty name stands for a specimen, and is not one to propose.
    let option = option.default_value(Resettable::Reset);
    option.value_parser(PossibleValuesParser::new(values)).hide_possible_values(true)
}
