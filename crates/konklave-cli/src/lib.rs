//! The command line of Konklave: everything behind the binary `konklave`.
//!
//! This crate has the subcommands, and prints and draws results. The algorithms and their
//! documentation come from a [`Catalog`]: [`main_with`] takes any, so that an algorithm of another
//! repository gets every subcommand.

pub mod args;
pub mod check;
pub mod check_history;
pub mod compare;
pub mod draw;
pub mod experiment;
pub mod explain;
pub mod failure;
pub mod fuzz;
pub mod given;
mod input;
pub mod lab;
pub mod list;
mod out;
mod output;
mod progress;
mod quiet;
pub mod replay;
pub mod ring;
pub mod run;
mod schedule;
mod seal;
pub mod setup;
mod several;
pub mod shard;
mod shell;
pub mod shrink;
mod specimens;
pub mod sweep;
mod told;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use args::{Cli, Verb};
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser};
use failure::Failure;
use konklave_catalog::catalog::Catalog;

/// The form of all JSON reports, as a JSON Schema.
pub const SCHEMA: &str = include_str!("schema.json");

/// The algorithms and specimens of this repository.
pub fn catalog() -> Catalog {
    Catalog::standard().with_specimens(konklave_specimens::all())
}

/// Runs the command line with the algorithms of this repository.
pub fn main() -> ExitCode {
    main_with(catalog())
}

/// Runs the command line with these algorithms.
pub fn main_with(catalog: Catalog) -> ExitCode {
    let catalog = catalog.leak();
    let cli = match ring::is_help_wanted(std::env::args_os()) {
        true => Cli::parse_from(["konklave", "ring", "--help"]),
        false => parse(catalog),
    };
    match carry_out(&cli, catalog) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(Failure::PipeClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            // If standard error is closed, the exit code still reports the failure.
            let _ = writeln!(std::io::stderr(), "{}: {failure}", output::red("error"));
            ExitCode::from(2)
        }
    }
}

fn carry_out(cli: &Cli, catalog: &'static Catalog) -> Result<Exit, Failure> {
    match &cli.verb {
        Verb::List(args) => list::list(args, catalog),
        Verb::Explain(args) => explain::explain(args, catalog),
        Verb::Run(args) => run::run(args, catalog),
        Verb::Compare(args) => compare::compare(args, catalog),
        Verb::Sweep(args) => sweep::sweep(args, catalog),
        Verb::Check(args) => check::check(args, catalog),
        Verb::Fuzz(args) => fuzz::fuzz(args, catalog),
        Verb::Shrink(args) => shrink::shrink(args, catalog),
        Verb::Draw(args) => draw::draw(args, catalog),
        Verb::Export(args) => draw::export(args, catalog),
        Verb::Replay(args) => replay::replay(args, catalog),
        Verb::Lab(args) => lab::lab(args, catalog),
        Verb::CheckHistory(args) => check_history::check_history(args),
        Verb::Ring(args) => ring::ring(args),
        Verb::Experiment(args) => experiment::experiment(args),
        Verb::Completions { shell } => shell::completions(*shell, catalog),
        Verb::Man { verb } => shell::man(verb.as_deref(), catalog),
        Verb::Schema => Ok(output::text(SCHEMA).map(|()| Exit::Fine)?),
    }
}

/// The command line, with the options that the catalogue declares.
fn command(catalog: &'static Catalog) -> Command {
    given::augment(Cli::command(), catalog)
}

/// Parses the command line of this process.
fn parse(catalog: &'static Catalog) -> Cli {
    let error = match parse_from(std::env::args_os(), catalog) {
        Ok(cli) => return cli,
        Err(error) => error,
    };
    match error.use_stderr().then(|| sweep_instead(catalog)).flatten() {
        Some(advice) => command(catalog).error(ErrorKind::InvalidValue, advice).exit(),
        None => error.exit(),
    }
}

/// Advice for a comparison that is not one, but would be a sweep.
fn sweep_instead(catalog: &'static Catalog) -> Option<String> {
    let mut words: Vec<_> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let verb = words.get_mut(1).filter(|verb| *verb == "compare")?;
    "sweep".clone_into(verb);
    if !words.iter().any(|word| word.starts_with("--nodes") || word.starts_with("-n")) {
        words.extend(["--nodes".to_owned(), compare::NODES.to_owned()]);
    }
    parse_from(&words, catalog).ok()?;
    Some(format!(
        "compare takes several algorithms and loads, but one value of any other option, and no \
         faults: its formulas are about runs without them. This takes lists of them all:\n  \
         konklave {}",
        out::line(words.into_iter().skip(1))
    ))
}

/// Parses a command line. A negative number is a value, although an invalid one, not an option.
///
/// # Errors
///
/// If the usage is wrong, or the command line asks for help.
pub fn parse_from(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    catalog: &'static Catalog,
) -> Result<Cli, clap::Error> {
    let value = |option: Arg| match option.get_action().takes_values() {
        true => option.allow_negative_numbers(true),
        false => option,
    };
    let mut command = command(catalog).mut_subcommands(|verb| verb.mut_args(value));
    let matches = command.try_get_matches_from_mut(words)?;
    told::remember(&command, &matches, catalog);
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Some((name, found)) = matches.subcommand() {
        let given = given::given(catalog, name, found);
        match &mut cli.verb {
            Verb::Run(args) => args.options = given,
            Verb::Check(args) => args.options = given,
            Verb::Compare(args) => args.options = given,
            Verb::Sweep(args) => args.options = given,
            _ => {}
        }
    }
    Ok(cli)
}

/// How a command ended, as an exit code. Bad usage and bad input are 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every promise was kept.
    Fine = 0,
    /// A promise was broken.
    Broken = 1,
    /// A limit was hit before there was a verdict.
    Inconclusive = 3,
    /// The user interrupted the command.
    Interrupted = 130,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command(catalog().leak()).debug_assert();
    }

    /// What the standard library says about a number does not say which would be right.
    #[test]
    fn a_wrong_value_is_answered_by_a_right_one() {
        let catalog = catalog().leak();
        let all = command(catalog);
        let verbs = all.get_subcommands().map(|verb| (vec![verb.get_name()], verb));
        let inner = all.get_subcommands().flat_map(|verb| {
            verb.get_subcommands().map(|inner| (vec![verb.get_name(), inner.get_name()], inner))
        });
        let mut wrong = 0;
        for (path, verb) in verbs.chain(inner) {
            let options = verb.get_arguments().filter(|it| it.get_action().takes_values());
            for (name, value) in options
                .filter_map(Arg::get_long)
                .flat_map(|name| ["1x", "99999999999999999999", "-1", ""].map(|it| (name, it)))
            {
                let words = ["konklave"].iter().chain(&path).map(|word| (*word).to_owned());
                let words = words.chain([format!("--{name}={value}")]);
                let Err(error) = parse_from(words, catalog) else { continue };
                let error = error.to_string();
                for phrase in ["invalid digit", "invalid float", "number too", "cannot parse"] {
                    assert!(!error.contains(phrase), "{path:?} {error}");
                }
                wrong += 1;
            }
        }
        assert!(wrong > 200, "{wrong}");
    }
}
